/* gpprior.h - functions drawn from a Gaussian-process prior, defined at every point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prior is the one that neural processes are trained and tested on: on [-2, 2]^d, with
 * s ~ U(0.1, 1), l ~ U(0.1, 0.6), p ~ U(0.1, 0.5) for each function and, with r = |x - x'|/l,
 *   squared exponential  s²·exp(-r²/2)
 *   Matérn 5/2           s²·(1 + √5·r + 5r²/3)·exp(-√5·r)
 *   periodic             s²·Π_j exp(-2·sin²(π·(x_j - x'_j)/p)/l²)
 */
#ifndef BO_GPPRIOR_H
#define BO_GPPRIOR_H

#include "objective.h"

/* sd of the Gaussian observation noise that goes with the prior. */
#define BO_GPPRIOR_NOISE 0.02

typedef struct bo__gpprior bo__gpprior;

/* s, l, p of the function with this seed: the same for all kernels. */
bo__objective_prior bo__gpprior_choose(bo_kernel kernel, uint64_t seed);

/* A draw depends on (kernel, dim, seed) only.  BO_MATERN32 is not part of the prior. */
bo_status bo__gpprior_new(bo__gpprior **out, bo_kernel kernel, size_t dim, uint64_t seed,
                          bo_message *message);
void bo__gpprior_free(bo__gpprior *draw); /* takes NULL */
const bo__objective_prior *bo__gpprior_parameters(const bo__gpprior *draw);

/* The value at x and, unless NULL, its gradient dx. */
double bo__gpprior_value(const bo__gpprior *draw, const double *x, double *dx);

/* The global minimum over a box: where to argmin, the value to *least. */
bo_status bo__gpprior_minimize(const bo__gpprior *draw, const double *lower, const double *upper,
                               double *argmin, double *least, bo_message *message);

/* Heavy-tailed noise for one observation: γ·T with γ ~ U(0, 0.15), T Student's t with 2.1
 * degrees of freedom. */
double bo__gpprior_tnoise(bo__rng *rng);

#endif
