/* climb.c - climbs from one start by NLopt's L-BFGS within the unit cube.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NLopt minimises f(x) = -c·(value(x) - value(x₀)), where c = FIRST_STEP/max|∇value(x₀)|.  The
 * first step of L-BFGS is the gradient itself, so this makes it FIRST_STEP long; without it the
 * slope of a log acquisition far from any improvement, thousands of units per cube, throws the
 * first step into a corner, and that of a plain EI, 1e-10, never leaves the start.  Measured from
 * value(x₀), the relative tolerance on f is one on the gain, whatever the units.
 */
#include "search.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#define FIRST_STEP 0.1 /* of the cube's side */
#define FTOL 1e-7      /* of the gain since the start */
#define XTOL 1e-6      /* of the cube's side */
#define STORAGE 10     /* vectors L-BFGS remembers; NLopt's default allocates megabytes */
#define INWARD 1e-4    /* starts keep this far from the bounds: on one, L-BFGS stalls */

typedef struct climb {
    bo__search *s;
    size_t thread, columns;
    size_t left; /* evaluations; NLopt itself goes a few beyond maxeval in a line search */
    nlopt_opt opt;
    double *row, *slope;  /* where the target is evaluated */
    double *best, *value; /* the best seen */
    double base, scale;   /* value(x₀) and c; scale 0 before the first evaluation */
} climb;

static void first_scale(climb *c, double value, double steepest)
{
    c->base = value;
    c->scale = steepest > 0 ? FIRST_STEP / steepest : 1;
}

static double give_up(climb *c, double *gradient)
{
    c->left = 0;
    nlopt_force_stop(c->opt);
    for (size_t i = 0; gradient && i < c->columns; i++)
        gradient[i] = 0;
    return 1;
}

/* The target where NLopt wants it.  Where it is no number, f is 1: a hundred times what the first
 * step promises to lose or gain, so that the line search turns back. */
static double descend(unsigned n, const double *x, double *gradient, void *data)
{
    climb *c = data;
    double value = -INFINITY, steepest = 0;
    if (c->left-- == 0)
        return give_up(c, gradient);
    for (size_t i = 0; i < c->columns; i++)
        c->row[c->s->movable[i]] = x[i];
    if (!bo__search_evaluate(c->s, c->thread, 1, c->row, &value, c->slope))
        nlopt_force_stop(c->opt);
    if (isfinite(value) && value > *c->value) {
        memcpy(c->best, c->row, c->s->problem->width * sizeof *c->best);
        *c->value = value;
    }
    bool good = isfinite(value);
    for (size_t i = 0; i < c->columns; i++) {
        double slope = fabs(c->slope[c->s->movable[i]]);
        good = good && isfinite(slope);
        steepest = slope > steepest ? slope : steepest;
    }
    if (good && c->scale == 0)
        first_scale(c, value, steepest);
    for (size_t i = 0; gradient && i < c->columns; i++)
        gradient[i] = good ? -c->scale * c->slope[c->s->movable[i]] : 0;
    return good ? -c->scale * (value - c->base) : 1;
}

static nlopt_opt make_nlopt(climb *c, size_t maxeval)
{
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)c->columns);
    if (!opt)
        return NULL;
    nlopt_set_min_objective(opt, descend, c);
    nlopt_set_lower_bounds1(opt, 0);
    nlopt_set_upper_bounds1(opt, 1);
    nlopt_set_vector_storage(opt, STORAGE);
    nlopt_set_maxeval(opt, maxeval < 1000000 ? (int)maxeval : 1000000);
    nlopt_set_ftol_rel(opt, FTOL);
    nlopt_set_xtol_abs1(opt, XTOL);
    return opt;
}

void bo__climb(bo__search *s, size_t thread, size_t columns, size_t maxeval, double *u,
               double *value)
{
    if (columns == 0 || maxeval == 0 || bo__search_failed(s))
        return;
    size_t width = s->problem->width;
    double *spare = bo__search_scratch(s, thread).spare, *x = spare + 2 * width;
    climb c = {.s = s, .thread = thread, .columns = columns, .left = maxeval, .row = spare,
               .slope = spare + width, .best = u, .value = value};
    c.opt = make_nlopt(&c, maxeval);
    if (!c.opt) /* out of memory: the start itself still stands */
        return;
    memcpy(c.row, u, width * sizeof *u);
    for (size_t i = 0; i < columns; i++)
        x[i] = fmin(fmax(u[s->movable[i]], INWARD), 1 - INWARD);
    double last;
    nlopt_optimize(c.opt, x, &last); /* any result code: the best point is kept above */
    nlopt_destroy(c.opt);
}
