/* coarse.c - the best point of a grid on a line, without looking at all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First every stride-th point is evaluated, and the last; then all points less than a stride away
 * from the highest peaks among those, and from the anchors.  A peak that is narrower than a stride
 * and stands apart from all of them is missed.
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Peaks that are looked at closely: where several stand, the highest of all points is near one of
 * the first few. */
#define PEAKS 8

typedef struct line {
    bo__search *s;
    size_t side;
    size_t *index; /* points of the grid, and their u and values */
    double *u, *value;
    bool *done; /* by point of the grid */
} line;

static bool line_init(line *l, bo__search *s, size_t side)
{
    *l = (line){.s = s, .side = side};
    l->index = malloc(side * sizeof *l->index);
    l->u = malloc(2 * side * sizeof *l->u);
    l->done = calloc(side, sizeof *l->done);
    l->value = l->u ? l->u + side : NULL;
    return l->index && l->u && l->done;
}

static void line_free(line *l)
{
    free(l->index);
    free(l->u);
    free(l->done);
}

/* Adds point i as the count-th, if it was not there before; returns how many there are then. */
static size_t take(line *l, size_t count, size_t i)
{
    if (l->done[i])
        return count;
    l->done[i] = true;
    l->index[count] = i;
    bo__enumerate_point(l->s->problem, l->side, i, l->u + count);
    return count + 1;
}

/* Adds the points less than a stride away from point i. */
static size_t take_around(line *l, size_t count, size_t i, size_t stride)
{
    size_t low = i >= stride ? i - stride + 1 : 0, high = i + stride < l->side ? i + stride : l->side;
    for (size_t j = low; j < high; j++)
        count = take(l, count, j);
    return count;
}

/* Adds what lies around the highest of the first m points, neighbours of one another, that are no
 * lower than those beside them. */
static size_t take_peaks(line *l, size_t m, const size_t *order, size_t stride)
{
    size_t count = m;
    for (size_t i = 0, peaks = 0; i < m && peaks < PEAKS; i++) {
        size_t at = order[i];
        if ((at > 0 && l->value[at - 1] > l->value[at]) ||
            (at + 1 < m && l->value[at + 1] > l->value[at]))
            continue;
        count = take_around(l, count, l->index[at], stride);
        peaks++;
    }
    return count;
}

static size_t take_anchors(line *l, size_t count, size_t stride)
{
    const bo__maximize_problem *p = l->s->problem;
    for (size_t i = 0; i < p->anchors; i++)
        count = take_around(l, count, (size_t)lround(p->anchor[i] * (double)(l->side - 1)), stride);
    return count;
}

/* Evaluates points from … count-1 and offers them. */
static bo_status look(line *l, size_t from, size_t count, bo__found *found)
{
    bo_status status = from == count ? BO_OK
                                     : bo__search_evaluate_all(l->s, count - from, l->u + from,
                                                               l->value + from);
    for (size_t i = from; !status && i < count; i++)
        bo__search_offer(l->s, found, l->u + i, l->value[i]);
    return status;
}

bo_status bo__coarse_line(bo__search *s, size_t side, size_t stride, bo__found *found)
{
    line l;
    size_t m = 0, count, *order = malloc(side * sizeof *order);
    bo_status status = line_init(&l, s, side) && order ? BO_OK : BO_ENOMEM;
    for (size_t i = 0; !status && i < side; i += stride)
        m = take(&l, m, i);
    if (!status)
        m = take(&l, m, side - 1);
    if (!status)
        status = look(&l, 0, m, found);
    if (!status)
        status = bo__screen_order(m, l.value, order);
    if (!status) {
        count = take_peaks(&l, m, order, stride);
        count = take_anchors(&l, count, stride);
        status = look(&l, m, count, found);
    }
    line_free(&l);
    free(order);
    return status;
}
