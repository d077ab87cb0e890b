/* mixture-check.h - what the tests of acquisitions share: random mixtures, and derivatives by
 * finite differences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MIXTURE_CHECK_H
#define BO_MIXTURE_CHECK_H

#include "check.h"

#include <math.h>

#include "acquisition.h"
#include "rng.h"

#define MOST 8 /* components of a random mixture at most */

typedef struct mixture {
    size_t K;
    double mean[MOST], sd[MOST];
} mixture;

/* Means around `centre`, sds log-uniform in [0.03, 3]. */
static inline mixture mixture_random(bo__rng *rng, double centre)
{
    mixture g = {.K = 1 + bo__rng_below(rng, MOST)};
    for (size_t k = 0; k < g.K; k++) {
        g.mean[k] = centre + bo__rng_normal(rng);
        g.sd[k] = 0.03 * exp(log(100.0) * bo__rng_uniform(rng));
    }
    return g;
}

static inline void assert_near(double value, double expected, double relative, double absolute)
{
    if (!(fabs(value - expected) <= relative * fabs(expected) + absolute))
        fail_msg("%.17g where %.17g was expected (off by %.3g)", value, expected,
                 fabs(value - expected));
}

/* The derivative of f along *p by central differences at steps h and h/2, extrapolated: error
 * O(h⁴). */
static inline double slope_at(const bo_acquisition_type *type, const bo_acquisition_state *state,
                              mixture *g, double *p, double h)
{
    double at = *p, d[2];
    for (int i = 0; i < 2; i++) {
        double step = i ? h / 2 : h;
        *p = at + step;
        double up = type->value(state, g->K, g->mean, g->sd, NULL, NULL), width = *p;
        *p = at - step;
        width -= *p;
        d[i] = (up - type->value(state, g->K, g->mean, g->sd, NULL, NULL)) / width;
    }
    *p = at;
    return (4 * d[1] - d[0]) / 3;
}

/* Checks all derivatives at g, and that the value does not depend on their being asked for.  In
 * the tail at -t the value changes on the scale sd/|t|, so the step is as much smaller; rounding
 * of the value then shows as |value|·ε/step. */
static inline void check_derivatives(const bo_acquisition_type *type,
                                     const bo_acquisition_state *state, mixture *g,
                                     double relative, double absolute)
{
    double dmean[MOST], dsd[MOST];
    double value = type->value(state, g->K, g->mean, g->sd, dmean, dsd);
    assert_true(value == type->value(state, g->K, g->mean, g->sd, NULL, NULL));
    for (size_t k = 0; k < g->K; k++) {
        double t = (state->best - state->xi - g->mean[k]) / g->sd[k];
        double h = 2e-3 * g->sd[k] / (1 + fabs(t)), rounding = 0x1p-50 * fabs(value) / h;
        double by_mean = slope_at(type, state, g, &g->mean[k], h);
        double by_sd = slope_at(type, state, g, &g->sd[k], h);
        assert_near(dmean[k], by_mean, relative, absolute + rounding);
        assert_near(dsd[k], by_sd, relative, absolute + rounding);
    }
}

#endif
