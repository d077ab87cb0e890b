/* maximize.c - maximises a smooth function with many local maxima over the unit cube, some of
 * whose columns take only certain values.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 1. Screen: many points, evenly spread, and some around each anchor, are evaluated in batches.
 * 2. Trial climbs: from the best of them that do not stand close together, steepest ascent over
 *    the discrete columns and a few steps of L-BFGS over the real ones; they tell well how high
 *    a start will come.  (Not on a line, where the screen tells as much.)
 * 3. Full climbs: the most promising go on to the top.  With discrete columns, steepest ascent
 *    over these and climbs over the real ones take turns until neither gains.
 *
 * A small finite space is evaluated as a whole instead, and so is a grid where one is asked for.
 * Every start has its own place for its result, and batches do not depend on the threads; so the
 * outcome does not either.
 */
#include "maximize.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "parallel.h"
#include "search.h"

#define AROUND (8 * BO__NUDGES) /* points looked at around an anchor */
#define TRIAL 10                /* evaluations of a trial climb */
#define KEEP 4                  /* one start in so many goes on, */
#define KEEP_LEAST 4            /* but at least so many */
#define LINE_SCREEN 100         /* points of a screen that leave nothing unseen on a line */
#define TWIN 1e-4               /* of the cube's side: starts that stand closer have met */
#define ROUNDS 10               /* turns of local search and climb */
#define GAIN 1e-6               /* a turn that gains less than this part of the value is the last */
#define SMALL_SPACE 4096        /* points that are simply all evaluated */
#define MOST_GRID 4000000       /* points of a grid */
#define RANDOM_TRIES 1000       /* at a point that is not taken, when all found ones are */

/* The points that were looked at, and the climbs from some of them. */
typedef struct maximization {
    bo__search s;
    size_t points;       /* the screen's, then the anchors' */
    double *u, *value;   /* points × width, points */
    size_t *order;       /* points by falling value */
    size_t starts;
    size_t *start;       /* indices of points; later of starts that go on */
    double *top, *height; /* starts × width, starts: where each climb stands */
    bool *done;          /* starts whose trial climb has arrived */
    bo__found *found;    /* one per start, and one for the rest */
    double *found_u;
} maximization;

static void maximization_free(maximization *m)
{
    bo__search_free(&m->s);
    free(m->u);
    free(m->value);
    free(m->order);
    free(m->start);
    free(m->top);
    free(m->height);
    free(m->done);
    free(m->found);
    free(m->found_u);
}

static bo_status maximization_init(maximization *m, const bo__maximize_problem *p)
{
    *m = (maximization){.points = p->screen + p->anchors * AROUND};
    size_t most = p->starts + p->anchors + BO__NUDGES;
    m->u = calloc(m->points * p->width + 1, sizeof *m->u);
    m->value = calloc(m->points + 1, sizeof *m->value);
    m->order = calloc(m->points + 1, sizeof *m->order);
    m->start = calloc(most, sizeof *m->start);
    m->top = calloc(most * p->width, sizeof *m->top);
    m->height = calloc(most, sizeof *m->height);
    m->done = calloc(most, sizeof *m->done);
    m->found = calloc(most + 1, sizeof *m->found);
    m->found_u = calloc((most + 1) * p->width, sizeof *m->found_u);
    bo_status status = bo__search_init(&m->s, p);
    if (status != BO_OK || !m->u || !m->value || !m->order || !m->start || !m->top ||
        !m->height || !m->done || !m->found || !m->found_u)
        return BO_ENOMEM;
    for (size_t i = 0; i <= most; i++)
        m->found[i].u = m->found_u + i * p->width;
    return BO_OK;
}

/* Step 1. */
static bo_status screen(maximization *m, bo__rng *rng)
{
    const bo__maximize_problem *p = m->s.problem;
    bo_status status = bo__screen_fill(&m->s, rng, p->screen, m->u);
    if (status != BO_OK)
        return status;
    for (size_t a = 0; a < p->anchors; a++)
        bo__screen_around(&m->s, rng, p->anchor + a * p->width, AROUND,
                          m->u + (p->screen + a * AROUND) * p->width);
    status = bo__search_evaluate_all(&m->s, m->points, m->u, m->value);
    if (status != BO_OK)
        return status;
    return bo__screen_order(m->points, m->value, m->order);
}

/* Adds the best of the points first, first + step … below end, unless it is a start already. */
static void add_best(maximization *m, size_t first, size_t step, size_t end)
{
    size_t best = first;
    for (size_t i = first; i < end; i += step)
        best = m->value[i] > m->value[best] ? i : best;
    bool fresh = m->value[best] > -INFINITY;
    for (size_t i = 0; i < m->starts && fresh; i++)
        fresh = m->start[i] != best;
    if (fresh)
        m->start[m->starts++] = best;
}

/* The best points of all that stand apart; around the first anchor, which is the best one, the
 * best of each scale; around the others, their best. */
static void choose_starts(maximization *m)
{
    const bo__maximize_problem *p = m->s.problem;
    m->starts = bo__screen_pick(&m->s, m->points, m->u, m->value, m->order, p->starts, m->start);
    for (size_t a = 0; a < p->anchors; a++) {
        size_t first = p->screen + a * AROUND, end = first + AROUND;
        if (a == 0)
            for (size_t k = 0; k < BO__NUDGES; k++)
                add_best(m, first + k, BO__NUDGES, end);
        else
            add_best(m, first, 1, end);
    }
    for (size_t i = 0; i < m->starts; i++) {
        memcpy(m->top + i * p->width, m->u + m->start[i] * p->width, p->width * sizeof *m->top);
        m->height[i] = m->value[m->start[i]];
    }
}

/* On a line the screen is so dense that a start's own value tells how high it will come. */
static bool is_line(const maximization *m)
{
    return m->s.reals == 1 && m->s.problem->blocks == 1 && m->s.problem->screen >= LINE_SCREEN;
}

/* Step 2, for one start.  Walking over the discrete columns first halves what mixed spaces miss of
 * the maximum, for batched evaluations only, which are the cheap ones. */
static void trial_climb(void *context, size_t thread, size_t i)
{
    maximization *m = context;
    const bo__maximize_problem *p = m->s.problem;
    size_t evaluations = p->maxeval < TRIAL ? p->maxeval : TRIAL;
    if (is_line(m))
        return;
    double *u = m->top + i * p->width;
    if (m->s.discretes && m->s.movables)
        bo__local_search(&m->s, thread, u, &m->height[i], &m->found[i]);
    m->done[i] = bo__climb(&m->s, thread, m->s.movables, evaluations, u, &m->height[i]);
}

/* Whether start i stands where one of the first `kept` in m->start does; on a line, between the
 * same points of the screen. */
static bool is_twin(const maximization *m, size_t i, size_t kept)
{
    size_t width = m->s.problem->width;
    double near = is_line(m) ? 1 / (double)m->s.problem->screen : TWIN;
    for (size_t k = 0; k < kept; k++) {
        bool same = true;
        for (size_t j = 0; same && j < width; j++)
            same = fabs(m->top[i * width + j] - m->top[m->start[k] * width + j]) < near;
        if (same)
            return true;
    }
    return false;
}

/* Puts the starts by falling height into m->start, and into *keep how many of them go on: of the
 * highest those that did not come to the same place as a higher one. */
static bo_status choose_promising(maximization *m, size_t *keep)
{
    size_t best = m->starts / KEEP;
    best = best > KEEP_LEAST ? best : KEEP_LEAST;
    if (m->s.movables == 0 || best > m->starts)
        best = m->starts;
    bo_status status = bo__screen_order(m->starts, m->height, m->start);
    *keep = 0;
    for (size_t i = 0; !status && i < best; i++)
        if (m->s.movables == 0 || !is_twin(m, m->start[i], *keep))
            m->start[(*keep)++] = m->start[i];
    return status;
}

/* Step 3, for one start. */
static void full_climb(void *context, size_t thread, size_t turn)
{
    maximization *m = context;
    bo__search *s = &m->s;
    const bo__maximize_problem *p = s->problem;
    size_t i = m->start[turn];
    double *u = m->top + i * p->width, *height = &m->height[i];
    if (!m->done[i])
        bo__climb(s, thread, s->movables, p->maxeval, u, height);
    if (s->movables > s->reals) {
        bo__search_snap(s, u);
        *height = -INFINITY;
        bo__search_evaluate(s, thread, 1, u, height, NULL);
    }
    for (int round = 0; s->discretes && round < ROUNDS && !bo__search_failed(s); round++) {
        bool moved = bo__local_search(s, thread, u, height, &m->found[i]);
        double before = *height;
        if (moved || (round == 0 && s->movables > s->reals))
            bo__climb(s, thread, s->reals, p->maxeval, u, height);
        if (!(*height > before + GAIN * fabs(before)))
            break;
    }
    bo__search_offer(s, &m->found[i], u, *height);
}

/* The best of what the climbs found, and of the screen in case all climbs ended on taken points. */
static void collect(maximization *m, bo__found *all)
{
    const bo__maximize_problem *p = m->s.problem;
    for (size_t i = 0; i < m->starts; i++)
        if (m->found[i].any)
            bo__search_offer(&m->s, all, m->found[i].u, m->found[i].value);
    for (size_t i = 0; i < m->points; i++) {
        size_t at = m->order[i];
        if (all->any && !(m->value[at] > all->value))
            break;
        bo__search_offer(&m->s, all, m->u + at * p->width, m->value[at]);
    }
}

static bool is_free(const bo__maximize_problem *p, const double *u)
{
    return !p->taken || !p->taken(p->context, u);
}

/* Any point that is not taken: at random, then, in a finite space, in turn from a random one. */
static bo_status any_point(maximization *m, bo__rng *rng, bo__found *all)
{
    bo__search *s = &m->s;
    const bo__maximize_problem *p = s->problem;
    double *u = bo__search_scratch(s, 0).spare, value;
    size_t count = bo__enumerate_count(p, 0), offset = 0;
    for (size_t i = 0; i < RANDOM_TRIES && !all->any; i++) {
        if (bo__screen_fill(s, rng, 1, u) != BO_OK)
            return BO_ENOMEM;
        if (is_free(p, u) && bo__search_evaluate(s, 0, 1, u, &value, NULL))
            bo__search_offer(s, all, u, value);
    }
    if (count < SIZE_MAX)
        offset = bo__rng_below(rng, count);
    for (size_t i = 0; count < SIZE_MAX && i < count && !all->any; i++) {
        bo__enumerate_point(p, 0, (i + offset) % count, u);
        if (is_free(p, u) && bo__search_evaluate(s, 0, 1, u, &value, NULL))
            bo__search_offer(s, all, u, value);
    }
    return (bo_status)atomic_load(&s->status);
}

static bo_status multistart(maximization *m, bo__rng *rng, bo__found *all)
{
    size_t threads = m->s.problem->threads;
    bo_status status = screen(m, rng);
    if (status != BO_OK)
        return status;
    choose_starts(m);
    bo__parallel_for(threads, m->starts, trial_climb, m);
    size_t keep;
    status = choose_promising(m, &keep);
    if (status != BO_OK)
        return status;
    bo__parallel_for(threads, keep, full_climb, m);
    collect(m, all);
    status = (bo_status)atomic_load(&m->s.status);
    return status == BO_OK && !all->any ? any_point(m, rng, all) : status;
}

static bo_status grid(maximization *m, bo__found *all, bo_message *message)
{
    const bo__maximize_problem *p = m->s.problem;
    size_t count = bo__enumerate_count(p, p->grid);
    if (p->grid < 2)
        return bo__fail(message, BO_EINVAL, "grid is %zu: a grid has at least 2 points a side",
                        p->grid);
    if (count > MOST_GRID)
        return bo__fail(message, BO_EINVAL,
                        "a grid of %zu points a side over %zu parameters has more than %d points: "
                        "choose a smaller grid, or none",
                        p->grid, p->blocks, MOST_GRID);
    if (p->stride < 2)
        return bo__enumerate_all(&m->s, p->grid, count, all);
    if (p->blocks != 1 || p->columns[0].kind != BO_COLUMN_REAL)
        return bo__fail(message, BO_EINVAL,
                        "grid-stride is %zu: a grid of more than one parameter, or of an integer "
                        "one, has no stride", p->stride);
    return bo__coarse_line(&m->s, p->grid, p->stride, all);
}

static bo_status outcome(const maximization *m, bo_status status, const bo__found *all,
                         bo_message *message)
{
    if (status == BO_EINVAL) /* the grid's; its message is written */
        return status;
    if (status != BO_OK)
        return bo__fail(message, status, "the acquisition could not be maximised: %s",
                        bo_status_text(status));
    if (!all->any)
        return bo__fail(message, BO_EXHAUSTED, "%s", bo_status_text(BO_EXHAUSTED));
    if (!atomic_load(&m->s.number))
        return bo__fail(message, BO_ENUMERIC, "the acquisition is not a number anywhere");
    return BO_OK;
}

bo_status bo__maximize(const bo__maximize_problem *problem, bo__rng *rng, double *u,
                       double *value, bo_message *message)
{
    assert(problem->width && problem->blocks && problem->target);
    assert(problem->batch && problem->threads);
    maximization m;
    bo_status status = maximization_init(&m, problem);
    bo__found all = {.u = u};
    size_t count = bo__enumerate_count(problem, 0);
    if (status == BO_OK && problem->grid) {
        status = grid(&m, &all, message);
    } else if (status == BO_OK && count <= SMALL_SPACE) {
        status = bo__enumerate_all(&m.s, 0, count, &all);
    } else if (status == BO_OK) {
        status = multistart(&m, rng, &all);
    }
    status = outcome(&m, status, &all, message);
    *value = status == BO_OK ? all.value : NAN;
    maximization_free(&m);
    return status;
}
