/* objectivetype.h - what an entry of the table of objectives holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * To add a function: its formula in testfunctions.c, its prototype in testfunctions.h, one entry
 * in the table of objective.c.  The least value is never written down: it is the value at the
 * argmin, which therefore has to be right to the last digit.
 */
#ifndef BO_OBJECTIVETYPE_H
#define BO_OBJECTIVETYPE_H

#include "objective.h"

struct bo__objective_type {
    const char *name;
    const char *summary; /* one line, ends without a full stop */
    size_t least_dim, most_dim, usual_dim;

    /* The box: [lower, upper] in each coordinate, or one pair per coordinate. */
    double lower, upper;
    const double (*box)[2];

    /* Fixed functions: the value, and one point where it is least, given in one of three ways,
     * tried in this order: a function that fills it, its coordinates, one number for all. */
    double (*value)(size_t dim, const double *x);
    void (*argmin)(size_t dim, double *x);
    const double *point;
    double each;

    /* Random functions (value is NULL): drawn from a GP with this kernel. */
    bo_kernel kernel;
    bool heavy_tails; /* observations carry t-noise */
};

#endif
