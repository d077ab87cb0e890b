/* series.h - a series of observations in time, and tasks made of its points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A task is n points of the series, drawn at random without replacement, the first `context` of
 * them given.  With mean and sd (n - 1 in the denominator) of the context's points,
 *   x' = (x - mean x) / (sd x + 1e-5)    y'_j = (y_j - mean y_j) / (sd y_j + 1e-5)
 * so that series of any scale look alike (Lee et al., 2020, section B).
 */
#ifndef BO_SERIES_H
#define BO_SERIES_H

#include "bo.h"
#include "rng.h"

enum { BO__SERIES_OUTPUTS = 2, BO__SERIES_LEAST = 31, BO__SERIES_MOST = 1000 };

typedef struct bo__series {
    size_t n;
    float *x; /* n: times */
    float *y; /* n × 2: predators, prey */
} bo__series;

/* From rows of time, prey and predators, such as years, hares and lynxes: BO__SERIES_LEAST (15 for
 * the context, 16 for the targets) to BO__SERIES_MOST of them. */
bo_status bo__series_new(bo__series *series, size_t rows, size_t cols, const double *data,
                         bo_message *message);
void bo__series_free(bo__series *series); /* takes a zeroed one */

/* |c| for a task of all points: uniform on 15 … n - 16. */
size_t bo__series_context(const bo__series *series, bo__rng *rng);

/* Draws a task of n ≤ series->n points: x (n), y (n × 2).  order has room for series->n. */
void bo__series_draw(const bo__series *series, bo__rng *rng, size_t context, size_t n, float *x,
                     float *y, uint32_t *order);

/* Mean and sd + 1e-5 of n numbers that are `stride` apart; 1 for the sd of equal numbers. */
void bo__series_moments(size_t n, size_t stride, const float *values, double *mean, double *sd);

#endif
