/* statistics.h - what repeated runs are summed up with, and how two of them are compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values may be infinite, never NaN, unless it says so.
 */
#ifndef BO_STATISTICS_H
#define BO_STATISTICS_H

#include "bo.h"

double bo__mean(size_t n, const double *v);           /* NAN for n = 0 */
double bo__standard_error(size_t n, const double *v); /* of the mean; NAN for n < 2 */

/* The p-quantile of values sorted upwards, 0 <= p <= 1: linear between order statistics, with
 * the extremes at p = 0 and 1 (type 7 of Hyndman and Fan, "Sample quantiles in statistical
 * packages", 1996; the default of R and NumPy).  NAN for n = 0. */
double bo__quantile(size_t n, const double *sorted, double p);

/* Least, quartiles and most, from values in any order. */
typedef struct bo__quartiles {
    double least, lower, median, upper, most;
} bo__quartiles;
bo_status bo__quartiles_of(bo__quartiles *out, size_t n, const double *v, bo_message *message);

void bo__sort(size_t n, double *v); /* upwards; NaN last */

/* Wilcoxon's signed-rank test of paired samples: is a - b symmetric about 0? */
typedef struct bo__wilcoxon {
    size_t n;         /* pairs that differ; the others are left out */
    double positive;  /* sum of the ranks of |a - b| where a > b */
    double negative;  /* where a < b */
    double p;         /* two-sided; 1 when no pair differs */
    double effect;    /* matched-pairs rank-biserial correlation, (positive - negative)/(their
                         sum): 1 when a is always larger, -1 when b is; 0 when no pair differs */
    bool exact;       /* p is exact; else from the normal approximation */
} bo__wilcoxon;
bo_status bo__wilcoxon_test(bo__wilcoxon *out, size_t n, const double *a, const double *b,
                            bo_message *message);

#endif
