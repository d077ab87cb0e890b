/* regretrange.c - how far apart the values of a function are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The least value is known; the largest one is looked for.  Many functions are largest in a corner
 * of their box, which random points of several dimensions never come near, so the corners are
 * looked at as long as there are few.  The best of all points then leap along the coordinates to
 * higher peaks, and climb: from x to x ± h·side in one coordinate after the other, kept inside the
 * box, with h halved when none of them is higher (a compass search; Kolda, Lewis and Torczon,
 * "Optimization by direct search", 2003).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "regret.h"

enum {
    POINTS = 2048,    /* spread over the box */
    CORNERS_DIM = 12, /* most dimensions whose corners are looked at: 4,096 of them */
    CLIMBS = 8,
    LINE = 65,   /* places of a leap from side to side of the box */
    ROUNDS = 2,  /* most of them through all coordinates */
    TURNS = 200  /* evaluations of a climb for each dimension */
};
static const double LAST_STEP = 1e-8; /* of a side: half the digits, where a maximum is flat */

/* The highest points so far, highest first. */
typedef struct heights {
    const bo__objective *objective;
    size_t dim, count;
    double value[CLIMBS], *x; /* x: CLIMBS rows, one more to work on */
} heights;

static void offer(heights *h, const double *x)
{
    double value = bo__objective_value(h->objective, x);
    size_t at = h->count;
    while (at > 0 && value > h->value[at - 1])
        at--;
    if (at == CLIMBS)
        return;
    h->count += h->count < CLIMBS;
    size_t after = h->count - at - 1;
    memmove(h->value + at + 1, h->value + at, after * sizeof *h->value);
    memmove(h->x + (at + 1) * h->dim, h->x + at * h->dim, after * h->dim * sizeof *h->x);
    h->value[at] = value;
    memcpy(h->x + at * h->dim, x, h->dim * sizeof *x);
}

static void spread(heights *h, double *x)
{
    const double *low = bo__objective_lower(h->objective);
    const double *high = bo__objective_upper(h->objective);
    bo__rng rng;
    bo__rng_init(&rng, 0, "regret range", h->dim);
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < h->dim; j++) {
            double share = h->dim == 1 ? (double)i / (POINTS - 1) : bo__rng_uniform(&rng);
            x[j] = low[j] + share * (high[j] - low[j]);
        }
        offer(h, x);
    }
    for (size_t corner = 0; h->dim <= CORNERS_DIM && corner < (size_t)1 << h->dim; corner++) {
        for (size_t j = 0; j < h->dim; j++)
            x[j] = corner >> j & 1 ? high[j] : low[j];
        offer(h, x);
    }
}

/* Moves x[j] to another place, or to the side of the box before it, where that is higher than
 * *value. */
static bool climb_to(const bo__objective *objective, double *x, size_t j, double place,
                     double *value)
{
    double low = bo__objective_lower(objective)[j], high = bo__objective_upper(objective)[j];
    double here = x[j];
    x[j] = fmin(high, fmax(low, place));
    double there = bo__objective_value(objective, x);
    if (there > *value) {
        *value = there;
        return true;
    }
    x[j] = here;
    return false;
}

/* Over peaks: to the highest of LINE places from side to side, in one coordinate after another. */
static void leap(const bo__objective *objective, size_t dim, double *x, double *value)
{
    const double *low = bo__objective_lower(objective), *high = bo__objective_upper(objective);
    bool higher = true;
    for (size_t round = 0; higher && round < ROUNDS; round++) {
        higher = false;
        for (size_t j = 0; j < dim; j++)
            for (size_t i = 0; i < LINE; i++) {
                double share = (double)i / (LINE - 1);
                higher |= climb_to(objective, x, j, low[j] + share * (high[j] - low[j]), value);
            }
    }
}

/* Up the peak it is on. */
static void climb(const bo__objective *objective, size_t dim, double *x, double *value)
{
    const double *low = bo__objective_lower(objective), *high = bo__objective_upper(objective);
    size_t turns = 0;
    for (double step = 0.5 / LINE; step > LAST_STEP && turns < TURNS * dim;) {
        bool higher = false;
        for (size_t j = 0; j < dim; j++, turns += 2) {
            double h = step * (high[j] - low[j]);
            higher |= climb_to(objective, x, j, x[j] + h, value) ||
                      climb_to(objective, x, j, x[j] - h, value);
        }
        step *= higher ? 1 : 0.5;
    }
}

bo_status bo__regret_range(double *range, const bo__objective *objective, bo_message *message)
{
    heights h = {.objective = objective, .dim = bo__objective_dim(objective)};
    h.x = malloc((CLIMBS + 1) * h.dim * sizeof *h.x);
    if (!h.x)
        return bo__fail(message, BO_ENOMEM, "no memory for points");
    spread(&h, h.x + CLIMBS * h.dim);
    double most = -INFINITY;
    for (size_t i = 0; i < h.count; i++) {
        if (h.dim > 1) /* a line has been looked at from side to side */
            leap(objective, h.dim, h.x + i * h.dim, &h.value[i]);
        climb(objective, h.dim, h.x + i * h.dim, &h.value[i]);
        most = fmax(most, h.value[i]);
    }
    free(h.x);
    *range = most - bo__objective_least(objective);
    return BO_OK;
}
