/* logei.c - the logarithm of the expected improvement (Ament et al., 2023).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * EI underflows to 0 wherever improvement is unlikely, and there a gradient method stands still;
 * its logarithm is as good to maximise and has a slope everywhere.  With a = best - ξ,
 * t_k = (a - μ_k)/σ_k and h(t) = φ(t) + t·Φ(t),
 *
 *     ℓ_k = log σ_k + log h(t_k),    L = log Σ exp ℓ_k,    LogEI = L - log K,
 *     ∂L/∂μ_k = -w_k·s(t_k)/σ_k,     ∂L/∂σ_k = w_k·(1 - t_k·s(t_k))/σ_k,
 *
 * where w_k = exp(ℓ_k - L) and s = (log h)' = Φ/h.  1 - t·s = φ/h cancels for t > 0; there
 * ∂L/∂σ_k = φ(t_k)/exp L is used.
 */
#include "acquisition.h"

#include <math.h>

#include "normal.h"

/* Above CERTAIN improvement is so sure that h(t) = t to the last bit (φ(9) is 1e-18). */
#define CERTAIN 9.0

/* ℓ_k, and s(t_k)/σ_k to *slope.  As σ → 0 the limits are log(gain) and 1/gain, or, without a
 * gain, -∞ (with the slope set to 0, so that no NaN travels on). */
static double log_part(double gain, double sd, double *slope)
{
    double t = gain / sd;
    if (gain > 0 && !(sd > 0 && t < CERTAIN)) {
        *slope = 1 / gain;
        return log(gain);
    }
    if (!(sd > 0) || t < -1e154) { /* t² is out of range */
        *slope = 0;
        return isnan(gain) || isnan(sd) ? NAN : -INFINITY;
    }
    double value = log(sd) + bo__normal_log_h(t, slope);
    *slope /= sd;
    return value;
}

static double part_dsd(double gain, double sd, double slope, double weight, double total)
{
    if (!(sd > 0) || weight == 0)
        return 0;
    double t = gain / sd;
    if (t > 0)
        return exp(bo__normal_log_pdf(t) - total);
    return weight * (1 / sd - t * slope);
}

static double logei_value(const bo_acquisition_state *state, size_t K, const double *mean,
                          const double *sd, double *dmean, double *dsd)
{
    double a = state->best - state->xi, top = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++) { /* log Σ exp in one pass: sum·exp(top) is the sum so far */
        double slope, l = log_part(a - mean[k], sd[k], &slope);
        if (isnan(l))
            return NAN;
        if (l > top) {
            sum = sum * exp(top - l) + 1;
            top = l;
        } else if (l > -INFINITY) {
            sum += exp(l - top);
        }
        if (dmean) { /* kept here until the total is known */
            dmean[k] = slope;
            dsd[k] = l;
        }
    }
    double total = K == 1 ? top : top + log(sum);
    for (size_t k = 0; dmean && k < K; k++) {
        double weight = dsd[k] > -INFINITY ? exp(dsd[k] - total) : 0;
        dsd[k] = part_dsd(a - mean[k], sd[k], dmean[k], weight, total);
        dmean[k] *= -weight;
    }
    return K == 1 ? total : total - log((double)K);
}

const bo_acquisition_type bo__acquisition_logei = {
    .name = "logei",
    .summary = "logarithm of the expected improvement, stable far from the best value",
    .scale = BO_SCALE_LOG,
    .value = logei_value,
};
