/* outcome.h - the one home of the conversion between values y and the z that surrogates see.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_OUTCOME_H
#define BO_OUTCOME_H

#include "bo.h"

/* z = (warp(y) - shift) / scale, with y negated first when it is maximised, so that less is
 * better.  The warp is the identity, or increasing and concave: long upper tails are drawn in. */
typedef struct bo__outcome {
    double sign;         /* -1: maximised */
    bool warped;
    double origin, unit; /* warp(y) = log1p((y - origin) / unit) */
    double shift, scale;
} bo__outcome;

/* Fits it to n finite values and fills z (n). */
void bo__outcome_fit(bo__outcome *outcome, bool maximize, bo_warp warp, size_t n, const double *y,
                     double *z);

double bo__outcome_z(const bo__outcome *outcome, double y);
double bo__outcome_y(const bo__outcome *outcome, double z);

/* Mean and sd of y when z ~ N(mean, sd²), and their derivatives d[2][2]: d[0] of the mean of y by
 * mean and sd of z, d[1] of the sd of y. */
void bo__outcome_moments(const bo__outcome *outcome, double mean, double sd, double *y_mean,
                         double *y_sd, double d[2][2]);

#endif
