/* priors.h - where tasks come from: functions drawn from Gaussian processes, and series.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A task is n points x, uniform on [-2, 2]ᵈ, and y there: a function drawn from a Gaussian process
 * with a kernel of its own, plus noise.  With r = |x - x'|, s ~ U(0.1, 1), l ~ d·U(0.1, 0.6):
 *   rbf       s² exp(-r²/2l²)
 *   matern52  s² (1 + √5 r/l + 5r²/3l²) exp(-√5 r/l)
 *   periodic  s² exp(-2 sin²(π r/p)/l²), p ~ U(0.1, 0.5); in more dimensions sin² is summed over
 *             the coordinates, since of Euclidean distances it is no covariance
 *   tnoise    rbf, plus γ·T(2.1) at every point, γ ~ U(0, 0.15)
 * Gaussian noise of standard deviation 0.02 is part of y in all of them.  Lengths grow with d because
 * a few dozen points would tell nothing about each other otherwise: with U(0.1, 0.6) the exact GP's
 * log-likelihood of a target is that of the prior's variance, -0.66, from four dimensions on.
 *
 * Two more have one input and two outputs (predators, prey), more points, and are standardised by
 * their context (series.h):
 *   predator   points of simulated series, see predator.h
 *   hare-lynx  all points of a series that the caller gives: to test with, not to train on
 */
#ifndef BO_PRIORS_H
#define BO_PRIORS_H

#include "bo.h"
#include "predator.h"
#include "rng.h"
#include "series.h"

typedef enum bo__prior_kind {
    BO_PRIOR_RBF,
    BO_PRIOR_MATERN52,
    BO_PRIOR_PERIODIC,
    BO_PRIOR_TNOISE,
    BO_PRIOR_PREDATOR,
    BO_PRIOR_SERIES,
    BO_PRIOR_KINDS
} bo__prior_kind;

/* An equal mixture of kinds: each task picks one. */
typedef struct bo__prior {
    size_t count;
    bo__prior_kind kinds[BO_PRIOR_KINDS];
    size_t dim;
    const bo__series *series; /* of BO_PRIOR_SERIES; the caller's */
    bo__predator_pool *pool;  /* of BO_PRIOR_PREDATOR in training; NULL: a series for each task */
} bo__prior;

#define BO__PRIOR_NOISE 0.02 /* standard deviation */
#define BO__PRIOR_SIDE 2.0   /* x is in [-2, 2] */

const char *bo__prior_name(bo__prior_kind kind); /* NULL past the end */

/* "rbf", or several with commas between, which have the same outputs. */
bo_status bo__prior_parse(bo__prior *prior, const char *names, size_t dim, bo_message *message);

/* What a task was drawn with. */
typedef struct bo__prior_task {
    bo__prior_kind kind;
    double scale, length, period;
} bo__prior_task;

/* Covariance of the function of such a task at two points; of tnoise that of its Gaussian part. */
double bo__prior_kernel(const bo__prior_task *task, size_t dim, const double *a, const double *b);

size_t bo__prior_outputs(const bo__prior *prior); /* columns of y */

/* How many points a task has at most. */
size_t bo__prior_points(const bo__prior *prior);

/* How many points a batch has: |c| uniform on 3 … 46, targets uniform on 3 … 49 - |c|; see
 * predator.h and series.h for the others. */
void bo__prior_sizes(const bo__prior *prior, bo__rng *rng, size_t *context, size_t *points);

/* Draws x (n × dim) and y (n × outputs), of which the first `context` are given.  scratch has
 * bo__prior_scratch floats; task may be NULL. */
size_t bo__prior_scratch(const bo__prior *prior, size_t n);
void bo__prior_draw(const bo__prior *prior, bo__rng *rng, size_t context, size_t n, float *x,
                    float *y, float *scratch, bo__prior_task *task);

#endif
