/* enumerate.c - evaluates every point of a finite space, or of a grid.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points are numbered in a mixed radix, the last block fastest: a block has its own number of
 * values, a real column `side` of them, equally spaced from 0 to 1 with both ends.
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>

#include "parallel.h"

static size_t radix(const bo__column *column, size_t side)
{
    return column->kind == BO_COLUMN_REAL ? side : column->count;
}

size_t bo__enumerate_count(const bo__maximize_problem *problem, size_t side)
{
    size_t count = 1;
    for (size_t b = 0; b < problem->blocks; b++) {
        size_t values = radix(&problem->columns[b], side);
        if (values == 0 || count > SIZE_MAX / values)
            return SIZE_MAX;
        count *= values;
    }
    return count;
}

void bo__enumerate_point(const bo__maximize_problem *problem, size_t side, size_t i, double *u)
{
    for (size_t b = problem->blocks; b-- > 0;) {
        const bo__column *column = &problem->columns[b];
        size_t values = radix(column, side), digit = i % values;
        i /= values;
        if (column->kind == BO_COLUMN_REAL)
            u[column->first] = (double)digit / (double)(side - 1);
        else
            bo__column_set(column, digit, u);
    }
}

typedef struct sweep {
    bo__search *s;
    size_t side, count;
    bo__found *best; /* one per batch, so that the order of threads does not matter */
} sweep;

static void sweep_batch(void *context, size_t thread, size_t turn)
{
    sweep *w = context;
    const bo__maximize_problem *p = w->s->problem;
    bo__scratch scratch = bo__search_scratch(w->s, thread);
    size_t first = turn * p->batch, m = w->count - first;
    if (bo__search_failed(w->s))
        return;
    m = m < p->batch ? m : p->batch;
    for (size_t i = 0; i < m; i++)
        bo__enumerate_point(p, w->side, first + i, scratch.rows + i * p->width);
    if (bo__search_evaluate(w->s, thread, m, scratch.rows, scratch.value, NULL))
        for (size_t i = 0; i < m; i++)
            bo__search_offer(w->s, &w->best[turn], scratch.rows + i * p->width, scratch.value[i]);
}

bo_status bo__enumerate_all(bo__search *s, size_t side, size_t count, bo__found *found)
{
    const bo__maximize_problem *p = s->problem;
    size_t turns = (count - 1) / p->batch + 1;
    sweep w = {.s = s, .side = side, .count = count};
    w.best = calloc(turns, sizeof *w.best);
    double *u = calloc(turns * p->width, sizeof *u);
    if (w.best && u) {
        for (size_t i = 0; i < turns; i++)
            w.best[i].u = u + i * p->width;
        bo__parallel_for(p->threads, turns, sweep_batch, &w);
        for (size_t i = 0; i < turns; i++)
            if (w.best[i].any)
                bo__search_offer(s, found, w.best[i].u, w.best[i].value);
    }
    bo_status status = w.best && u ? (bo_status)atomic_load(&s->status) : BO_ENOMEM;
    free(w.best);
    free(u);
    return status;
}
