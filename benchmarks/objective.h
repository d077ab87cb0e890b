/* objective.h - functions to optimise, with known optima.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An objective type is a name with a range of dimensions; an objective is one function of it: a
 * box, a value at every point of it, the least value and where it is.  Observation noise is kept
 * apart: the value is always the noise-free one.
 */
#ifndef BO_OBJECTIVE_H
#define BO_OBJECTIVE_H

#include "bo.h"
#include "rng.h"

typedef struct bo__objective bo__objective;
typedef struct bo__objective_type bo__objective_type;

/* The table; NULL past the end, or for an unknown name. */
const bo__objective_type *bo__objective_at(size_t i);
const bo__objective_type *bo__objective_find(const char *name);
const char *bo__objective_type_name(const bo__objective_type *type);
const char *bo__objective_type_summary(const bo__objective_type *type);
size_t bo__objective_type_least_dim(const bo__objective_type *type);
size_t bo__objective_type_most_dim(const bo__objective_type *type); /* SIZE_MAX: no limit */
size_t bo__objective_type_usual_dim(const bo__objective_type *type);

/* One function: dim 0 is the usual one; seed matters for random functions only. */
bo_status bo__objective_new(bo__objective **out, const bo__objective_type *type, size_t dim,
                            uint64_t seed, bo_message *message);
void bo__objective_free(bo__objective *objective);

size_t bo__objective_dim(const bo__objective *objective);
const double *bo__objective_lower(const bo__objective *objective);
const double *bo__objective_upper(const bo__objective *objective);
double bo__objective_value(const bo__objective *objective, const double *x); /* noise-free */
double bo__objective_least(const bo__objective *objective);                  /* NAN if unknown */
const double *bo__objective_argmin(const bo__objective *objective); /* one of them, or NULL */

/* A noisy observation: the value plus noise_sd·N(0,1) plus, for the types that bring noise of
 * their own (t-noise), that. */
double bo__objective_observe(const bo__objective *objective, const double *x, double noise_sd,
                             bo__rng *rng);

/* sd of the Gaussian noise its prior brings with it (0.02 for the gp_ ones, else 0). */
double bo__objective_noise(const bo__objective *objective);

/* For functions drawn from a GP: what it was drawn with, in units of x and y; false for others. */
typedef struct bo__objective_prior {
    bo_kernel kernel;
    double scale, lengthscale, period; /* s, l, p of the kernel */
} bo__objective_prior;
bool bo__objective_prior_of(const bo__objective *objective, bo__objective_prior *prior);

#endif
