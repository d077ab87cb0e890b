/* screen.c - points to look at first, and which of them to climb from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Sobol sequence, moved by one random vector modulo 1 (Cranley and Patterson, 1976), covers the
 * space evenly; every block takes one coordinate v in [0, 1): a real column takes v itself, a
 * discrete one its value number ⌊v·count⌋.  GSL's sequence has at most 40 dimensions; above that
 * a Latin hypercube does.
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sobol.h"

/* The scales of nudges around an anchor, in sides of the cube: to refine the incumbent, to look
 * beside it, to look into its neighbourhood. */
static const double nudge[BO__NUDGES] = {1e-3, 1e-2, 1e-1};

/* Nudges move about this many columns at a time, and each discrete block with the probability
 * DISCRETE: a step in all of 40 columns is hardly ever good. */
#define NUDGED 20.0
#define DISCRETE 0.1

/* Starts stand further than APART·√blocks from each other, a fifth of the cube's diagonal, or
 * CROWD·starts^(-1/blocks)·√blocks where so many would not find room.  Where too few points of
 * the screen do, half of it is asked for, and so on.  On the LogEI of Gaussian processes 0.2 was
 * as good as or better than 0.05 and 0.4 in 3 to 20 columns, and 0.05 and 0.1 were in two. */
#define APART 0.2
#define CROWD 0.4
#define PASSES 6

/* Sets a block by its coordinate. */
static void place(const bo__column *column, double v, double *u)
{
    if (column->kind == BO_COLUMN_REAL) {
        u[column->first] = v;
        return;
    }
    size_t i = (size_t)(v * (double)column->count);
    bo__column_set(column, i < column->count ? i : column->count - 1, u);
}

static bo_status fill_sobol(const bo__maximize_problem *p, bo__rng *rng, size_t m, double *u)
{
    bo__sobol *sobol = bo__sobol_new(p->blocks);
    if (!sobol)
        return BO_ENOMEM;
    double shift[BO__SOBOL_DIMENSIONS], v[BO__SOBOL_DIMENSIONS];
    for (size_t b = 0; b < p->blocks; b++)
        shift[b] = bo__rng_uniform(rng);
    for (size_t i = 0; i < m; i++) {
        bo__sobol_next(sobol, v);
        for (size_t b = 0; b < p->blocks; b++) {
            double sum = v[b] + shift[b];
            place(&p->columns[b], sum < 1 ? sum : sum - 1, u + i * p->width);
        }
    }
    bo__sobol_free(sobol);
    return BO_OK;
}

static bo_status fill_latin(const bo__maximize_problem *p, bo__rng *rng, size_t m, double *u)
{
    size_t *cell = malloc(m * sizeof *cell);
    if (!cell)
        return BO_ENOMEM;
    for (size_t b = 0; b < p->blocks; b++) {
        for (size_t i = 0; i < m; i++)
            cell[i] = i;
        bo__rng_shuffle(rng, m, cell);
        for (size_t i = 0; i < m; i++) {
            double v = ((double)cell[i] + bo__rng_uniform(rng)) / (double)m;
            place(&p->columns[b], v, u + i * p->width);
        }
    }
    free(cell);
    return BO_OK;
}

bo_status bo__screen_fill(const bo__search *s, bo__rng *rng, size_t m, double *u)
{
    const bo__maximize_problem *p = s->problem;
    return p->blocks <= BO__SOBOL_DIMENSIONS ? fill_sobol(p, rng, m, u) : fill_latin(p, rng, m, u);
}

/* v reflected at the bounds into (0, 1): clipping would put it on one. */
static double reflect(double v)
{
    v = fabs(v);
    v = v > 1 ? 2 - v : v;
    return v > 0 && v < 1 ? v : 0.5;
}

void bo__screen_around(const bo__search *s, bo__rng *rng, const double *anchor, size_t m,
                       double *u)
{
    const bo__maximize_problem *p = s->problem;
    double share = NUDGED / (double)p->blocks;
    for (size_t i = 0; i < m; i++) {
        double *row = u + i * p->width, scale = nudge[i % BO__NUDGES];
        memcpy(row, anchor, p->width * sizeof *row);
        for (size_t j = 0; j < s->reals; j++)
            if (share >= 1 || bo__rng_uniform(rng) < share)
                row[s->movable[j]] = reflect(row[s->movable[j]] + scale * bo__rng_normal(rng));
        for (size_t j = 0; j < s->discretes; j++) {
            const bo__column *c = &p->columns[s->discrete[j]];
            if (bo__rng_uniform(rng) < DISCRETE)
                bo__column_set(c, bo__rng_below(rng, c->count), row);
        }
    }
}

typedef struct ranked {
    double value;
    size_t index;
} ranked;

static int by_value(const void *a, const void *b)
{
    const ranked *l = a, *r = b;
    if (l->value != r->value)
        return l->value > r->value ? -1 : 1;
    return l->index < r->index ? -1 : 1;
}

bo_status bo__screen_order(size_t m, const double *value, size_t *order)
{
    ranked *all = malloc(m * sizeof *all);
    if (!all)
        return BO_ENOMEM;
    for (size_t i = 0; i < m; i++)
        all[i] = (ranked){value[i], i};
    qsort(all, m, sizeof *all, by_value);
    for (size_t i = 0; i < m; i++)
        order[i] = all[i].index;
    free(all);
    return BO_OK;
}

static double distance2(size_t width, const double *a, const double *b)
{
    double sum = 0;
    for (size_t j = 0; j < width; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static bool stands_apart(size_t width, const double *u, size_t row, size_t picked,
                         const size_t *pick, double near2)
{
    for (size_t k = 0; k < picked; k++)
        if (!(distance2(width, u + row * width, u + pick[k] * width) > near2))
            return false;
    return true;
}

size_t bo__screen_pick(const bo__search *s, size_t m, const double *u, const double *value,
                       const size_t *order, size_t starts, size_t *pick)
{
    size_t width = s->problem->width, picked = 0;
    double blocks = (double)s->problem->blocks;
    double apart = fmin(APART, CROWD * pow((double)starts, -1 / blocks)) * sqrt(blocks);
    double near2 = apart * apart;
    for (int pass = 0; pass < PASSES && picked < starts; pass++, near2 /= 4)
        for (size_t i = 0; i < m && picked < starts && value[order[i]] > -INFINITY; i++)
            if (stands_apart(width, u, order[i], picked, pick, near2))
                pick[picked++] = order[i];
    return picked;
}
