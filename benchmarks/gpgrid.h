/* gpgrid.h - a function drawn exactly on a grid of [-2, 2], for optimisation over that grid.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It has the s, l and p of gpprior.h for the same seed, but is another draw.
 */
#ifndef BO_GPGRID_H
#define BO_GPGRID_H

#include "gpprior.h"

typedef struct bo__gpgrid {
    bo__objective_prior prior;
    size_t n;
    double *x, *y; /* n each; x is equally spaced and includes both ends */
    double least, most;
} bo__gpgrid;

/* n >= 2 points.  With `noise`, Gaussian noise of sd BO_GPPRIOR_NOISE at each point is part of
 * the function; with `heavy_tails`, t-noise too.  Either leaves the function beneath the same. */
bo_status bo__gpgrid_new(bo__gpgrid **out, bo_kernel kernel, size_t n, bool noise,
                         bool heavy_tails, uint64_t seed, bo_message *message);
void bo__gpgrid_free(bo__gpgrid *grid); /* takes NULL */

#endif
