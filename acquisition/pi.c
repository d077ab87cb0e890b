/* pi.c - probability of improvement (Kushner, 1964).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With a = best - ξ and t_k = (a - μ_k)/σ_k,
 *
 *     PI = P(z < a) = 1/K Σ Φ(t_k),
 *     ∂PI/∂μ_k = -φ(t_k)/(K·σ_k),    ∂PI/∂σ_k = -t_k·φ(t_k)/(K·σ_k).
 *
 * As σ_k → 0 a part tends to 1 or 0, with slopes 0.  At μ_k = a, σ_k = 0 it is 0: no improvement.
 */
#include "acquisition.h"

#include <math.h>

#include "normal.h"

/* φ(t) is 0 from here on; t·φ(t) would be ∞·0. */
#define OUT_OF_RANGE 40.0

static double pi_value(const bo_acquisition_state *state, size_t K, const double *mean,
                       const double *sd, double *dmean, double *dsd)
{
    double a = state->best - state->xi, sum = 0, share = 1 / (double)K;
    for (size_t k = 0; k < K; k++) {
        double gain = a - mean[k], t = gain / sd[k];
        bool smooth = sd[k] > 0 && fabs(t) < OUT_OF_RANGE;
        sum += smooth ? bo__normal_cdf(t) : isnan(gain) || isnan(sd[k]) ? NAN : gain > 0;
        if (dmean) {
            double slope = smooth ? bo__normal_pdf(t) / sd[k] * share : 0;
            dmean[k] = -slope;
            dsd[k] = smooth ? -t * slope : 0;
        }
    }
    return sum * share;
}

const bo_acquisition_type bo__acquisition_pi = {
    .name = "pi",
    .summary = "probability of improvement over the best value",
    .scale = BO_SCALE_POSITIVE,
    .value = pi_value,
};
