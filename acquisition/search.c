/* search.c - what the parts of the maximiser share: evaluation, scratch space, discrete values.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parallel.h"

#define SPARE_ROWS 4

/* Sorts the columns into real, relaxed and discrete ones. */
static void sort_columns(bo__search *s)
{
    const bo__maximize_problem *p = s->problem;
    for (size_t b = 0; b < p->blocks; b++) {
        if (p->columns[b].kind == BO_COLUMN_REAL)
            s->movable[s->movables++] = p->columns[b].first;
        else
            s->discrete[s->discretes++] = b;
    }
    s->reals = s->movables;
    for (size_t i = 0; i < s->discretes; i++) {
        const bo__column *c = &p->columns[s->discrete[i]];
        if (c->kind == BO_COLUMN_STEPS && c->count > BO__RELAXED_LEVELS)
            s->movable[s->movables++] = c->first;
    }
}

bo_status bo__search_init(bo__search *s, const bo__maximize_problem *problem)
{
    *s = (bo__search){.problem = problem};
    atomic_init(&s->status, BO_OK);
    atomic_init(&s->number, false);
    s->work_size = problem->batch * (problem->width + 1) + SPARE_ROWS * problem->width;
    s->work = calloc(problem->threads * s->work_size, sizeof *s->work);
    s->movable = calloc(problem->width, sizeof *s->movable);
    s->discrete = calloc(problem->blocks, sizeof *s->discrete);
    if (!s->work || !s->movable || !s->discrete)
        return BO_ENOMEM;
    sort_columns(s);
    return BO_OK;
}

void bo__search_free(bo__search *s)
{
    free(s->work);
    free(s->movable);
    free(s->discrete);
}

bo__scratch bo__search_scratch(const bo__search *s, size_t thread)
{
    const bo__maximize_problem *p = s->problem;
    double *rows = s->work + thread * s->work_size;
    double *value = rows + p->batch * p->width;
    return (bo__scratch){.rows = rows, .value = value, .spare = value + p->batch};
}

bool bo__search_failed(const bo__search *s)
{
    return atomic_load_explicit(&s->status, memory_order_relaxed) != BO_OK;
}

bool bo__search_evaluate(bo__search *s, size_t thread, size_t m, const double *u, double *value,
                         double *du)
{
    bo_status status = s->problem->target(s->problem->context, thread, m, u, value, du);
    if (status != BO_OK) {
        int good = BO_OK;
        atomic_compare_exchange_strong(&s->status, &good, (int)status);
        return false;
    }
    bool number = false;
    for (size_t i = 0; i < m; i++) {
        if (isnan(value[i]))
            value[i] = -INFINITY;
        else
            number = true;
    }
    if (number && !atomic_load_explicit(&s->number, memory_order_relaxed))
        atomic_store_explicit(&s->number, true, memory_order_relaxed);
    return true;
}

typedef struct rows {
    bo__search *s;
    size_t m;
    const double *u;
    double *value;
} rows;

static void evaluate_batch(void *context, size_t thread, size_t turn)
{
    rows *r = context;
    const bo__maximize_problem *p = r->s->problem;
    size_t first = turn * p->batch, left = r->m - first;
    if (!bo__search_failed(r->s))
        bo__search_evaluate(r->s, thread, left < p->batch ? left : p->batch,
                            r->u + first * p->width, r->value + first, NULL);
}

bo_status bo__search_evaluate_all(bo__search *s, size_t m, const double *u, double *value)
{
    rows r = {s, m, u, value};
    size_t turns = (m + s->problem->batch - 1) / s->problem->batch;
    bo__parallel_for(s->problem->threads, turns, evaluate_batch, &r);
    return (bo_status)atomic_load(&s->status);
}

void bo__search_offer(const bo__search *s, bo__found *found, const double *u, double value)
{
    const bo__maximize_problem *p = s->problem;
    if (found->any && !(value > found->value))
        return;
    if (p->taken && p->taken(p->context, u))
        return;
    memcpy(found->u, u, p->width * sizeof *u);
    found->value = value;
    found->any = true;
}

void bo__column_set(const bo__column *column, size_t i, double *u)
{
    if (column->kind == BO_COLUMN_STEPS) {
        u[column->first] = column->levels[i];
    } else {
        for (size_t j = 0; j < column->count; j++)
            u[column->first + j] = j == i;
    }
}

size_t bo__column_get(const bo__column *column, const double *u)
{
    const double *at = u + column->first;
    if (column->kind == BO_COLUMN_ONEHOT) {
        size_t best = 0;
        for (size_t j = 1; j < column->count; j++)
            best = at[j] > at[best] ? j : best;
        return best;
    }
    size_t low = 0, high = column->count - 1; /* levels[low] <= at <= levels[high], or outside */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (column->levels[middle] <= *at)
            low = middle;
        else
            high = middle;
    }
    return *at - column->levels[low] <= column->levels[high] - *at ? low : high;
}

void bo__search_snap(const bo__search *s, double *u)
{
    for (size_t i = 0; i < s->discretes; i++) {
        const bo__column *c = &s->problem->columns[s->discrete[i]];
        if (c->kind == BO_COLUMN_STEPS && c->count > BO__RELAXED_LEVELS)
            bo__column_set(c, bo__column_get(c, u), u);
    }
}
