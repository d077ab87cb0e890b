/* localsearch.c - walks over the discrete columns by steepest ascent.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The neighbours of a point differ from it in one block: another category; another level where
 * there are few; where there are many, 1, 2, 4, 8 … levels up or down.  All are evaluated in
 * batches, the best that improves is taken, until none does.
 */
#include "search.h"

#include <math.h>
#include <string.h>

#define FEW_LEVELS 8
#define MOST_STEPS 100 /* against endless creeping along a long block */

typedef struct walk {
    bo__search *s;
    size_t thread, m; /* rows waiting in the scratch */
    bo__scratch scratch;
    const double *from;
    double *best, value; /* the best neighbour so far */
    bo__found *found;
} walk;

/* Evaluates the rows that wait. */
static void flush(walk *w)
{
    size_t width = w->s->problem->width;
    if (w->m && bo__search_evaluate(w->s, w->thread, w->m, w->scratch.rows, w->scratch.value, NULL))
        for (size_t i = 0; i < w->m; i++) {
            const double *row = w->scratch.rows + i * width;
            if (w->scratch.value[i] > w->value) {
                memcpy(w->best, row, width * sizeof *row);
                w->value = w->scratch.value[i];
            }
            bo__search_offer(w->s, w->found, row, w->scratch.value[i]);
        }
    w->m = 0;
}

static void propose(walk *w, const bo__column *column, size_t i)
{
    const bo__maximize_problem *p = w->s->problem;
    double *row = w->scratch.rows + w->m * p->width;
    memcpy(row, w->from, p->width * sizeof *row);
    bo__column_set(column, i, row);
    if (++w->m == p->batch)
        flush(w);
}

static void propose_block(walk *w, const bo__column *column)
{
    size_t at = bo__column_get(column, w->from);
    if (column->kind == BO_COLUMN_ONEHOT || column->count <= FEW_LEVELS) {
        for (size_t i = 0; i < column->count; i++)
            if (i != at)
                propose(w, column, i);
        return;
    }
    for (size_t stride = 1; stride < column->count; stride *= 2) {
        if (stride <= at)
            propose(w, column, at - stride);
        if (at + stride < column->count)
            propose(w, column, at + stride);
    }
}

bool bo__local_search(bo__search *s, size_t thread, double *u, double *value, bo__found *found)
{
    size_t width = s->problem->width;
    bo__scratch scratch = bo__search_scratch(s, thread);
    walk w = {.s = s, .thread = thread, .scratch = scratch, .from = u, .best = scratch.spare,
              .value = *value, .found = found};
    bool improved = false;
    for (int step = 0; step < MOST_STEPS && !bo__search_failed(s); step++) {
        for (size_t i = 0; i < s->discretes; i++)
            propose_block(&w, &s->problem->columns[s->discrete[i]]);
        flush(&w);
        if (!(w.value > *value))
            break;
        memcpy(u, w.best, width * sizeof *u);
        *value = w.value;
        improved = true;
    }
    return improved;
}
