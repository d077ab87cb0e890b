/* ei.c - expected improvement (Močkus, 1975; Jones, Schonlau and Welch, 1998).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With the improvement measured from a = best - ξ, and t_k = (a - μ_k)/σ_k,
 *
 *     EI = E max(a - z, 0) = 1/K Σ σ_k·h(t_k),    h(t) = φ(t) + t·Φ(t),
 *     ∂EI/∂μ_k = -Φ(t_k)/K,    ∂EI/∂σ_k = φ(t_k)/K,
 *
 * exactly, because the expectation of a mixture is the mean of its parts'.  As σ_k → 0 a part's
 * EI tends to max(a - μ_k, 0).
 */
#include "acquisition.h"

#include <math.h>

#include "normal.h"

/* Above CERTAIN improvement is so sure that h(t) = t to the last bit (φ(9) is 1e-18); σ·t would
 * only round, or be 0·∞. */
#define CERTAIN 9.0

static double ei_part(double gain, double sd, double *cdf, double *pdf)
{
    double t = gain / sd;
    if (sd > 0 && t < CERTAIN)
        return sd * bo__normal_h(t, cdf, pdf);
    *cdf = gain > 0;
    *pdf = sd > 0 ? bo__normal_pdf(t) : 0;
    return isnan(gain) || isnan(sd) ? NAN : fmax(gain, 0);
}

static double ei_value(const bo_acquisition_state *state, size_t K, const double *mean,
                       const double *sd, double *dmean, double *dsd)
{
    double a = state->best - state->xi, sum = 0, share = 1 / (double)K;
    for (size_t k = 0; k < K; k++) {
        double cdf, pdf;
        sum += ei_part(a - mean[k], sd[k], &cdf, &pdf);
        if (dmean) {
            dmean[k] = -cdf * share;
            dsd[k] = pdf * share;
        }
    }
    return sum * share;
}

const bo_acquisition_type bo__acquisition_ei = {
    .name = "ei",
    .summary = "expected improvement over the best value",
    .scale = BO_SCALE_POSITIVE,
    .value = ei_value,
};
