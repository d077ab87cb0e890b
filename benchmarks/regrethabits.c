/* regrethabits.c - how a surrogate spends its suggestions, to explain what it regrets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A suggestion repeats a point when it is within NEAR sides of the box of it in every coordinate:
 * half the spacing of the paper's grid, on which it means the same point.
 */
#include "regrethabits.h"

#include <math.h>

#include "objectivetype.h"

#define NEAR 5e-4
#define LAST 10     /* suggestions that are the end of a run */
#define STUCK 0.1   /* of the range */

static const double *point(const bo__regret_record *r, size_t i)
{
    return r->row + i * bo__regret_row(r->dim);
}

static bool is_near(const bo__objective_type *type, size_t dim, const double *a, const double *b)
{
    for (size_t j = 0; j < dim; j++) {
        double side = type->box ? type->box[j][1] - type->box[j][0] : type->upper - type->lower;
        if (!(fabs(a[j] - b[j]) < NEAR * side))
            return false;
    }
    return true;
}

/* The first of the points before `end` with the least observed value. */
static size_t best_before(const bo__regret_record *r, size_t end)
{
    size_t best = 0;
    for (size_t i = 1; i < end; i++)
        if (bo__regret_get(r, i, BO_REGRET_Y) < bo__regret_get(r, best, BO_REGRET_Y))
            best = i;
    return best;
}

static bool repeats(const bo__objective_type *type, const bo__regret_record *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (is_near(type, r->dim, point(r, i), point(r, k)))
            return true;
    return false;
}

static double mean_sd(const bo__regret_record *r, size_t first)
{
    double sum = 0;
    for (size_t i = first; i < r->points; i++)
        sum += bo__regret_get(r, i, BO_REGRET_SD);
    return sum / (double)(r->points - first);
}

bo__regret_habits bo__regret_habits_of(const bo__regret_plan *plan, const bo__regret_record *r)
{
    const bo__objective_type *type =
        plan->setting[bo__regret_place_of(plan, (size_t)r->run).setting].type;
    bo__regret_habits h = {0};
    size_t asked = (size_t)r->points - plan->init;
    for (size_t i = plan->init; i < r->points; i++) {
        h.repeats += repeats(type, r, i);
        h.incumbent += is_near(type, r->dim, point(r, i), point(r, best_before(r, i)));
    }
    h.repeats /= (double)asked;
    h.incumbent /= (double)asked;
    h.sd = mean_sd(r, plan->init);
    h.sd_end = mean_sd(r, asked > LAST ? (size_t)r->points - LAST : plan->init);
    double end = bo__regret_get(r, best_before(r, r->points), BO_REGRET_F) - r->least;
    h.stuck = end > STUCK * r->range;
    return h;
}

void bo__regret_habits_add(bo__regret_habits *sum, bo__regret_habits habits)
{
    sum->repeats += habits.repeats;
    sum->incumbent += habits.incumbent;
    sum->sd += habits.sd;
    sum->sd_end += habits.sd_end;
    sum->stuck += habits.stuck;
}

void bo__regret_habits_mean(bo__regret_habits *sum, size_t runs)
{
    double share = 1 / (double)runs;
    sum->repeats *= share;
    sum->incumbent *= share;
    sum->sd *= share;
    sum->sd_end *= share;
    sum->stuck *= share;
}
