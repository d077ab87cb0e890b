/* acquisition.c - the table of acquisitions, and mixtures collapsed to one Gaussian.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The equal mixture of N(μ_k, σ_k²), k = 1 … K, has by the law of total variance
 *
 *     μ = 1/K Σ μ_k,    σ² = 1/K Σ (σ_k² + (μ_k - μ)²),
 *     ∂μ/∂μ_k = 1/K,    ∂σ/∂μ_k = (μ_k - μ)/(K·σ),    ∂σ/∂σ_k = σ_k/(K·σ).
 */
#include "acquisition.h"

#include <math.h>
#include <string.h>

static const bo_acquisition_type *const table[] = {
    &bo__acquisition_logei, /* the default stands first */
    &bo__acquisition_ei,
    &bo__acquisition_pi,
    &bo__acquisition_lcb,
    &bo__acquisition_thompson,
};

const bo_acquisition_type *bo_acquisition_at(size_t i)
{
    return i < sizeof table / sizeof *table ? table[i] : NULL;
}

const bo_acquisition_type *bo_acquisition_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i]->name, name))
            return table[i];
    return NULL;
}

const char *bo_acquisition_name(const bo_acquisition_type *type)
{
    return type ? type->name : NULL;
}

const char *bo_acquisition_summary(const bo_acquisition_type *type)
{
    return type ? type->summary : NULL;
}

void bo__mixture_collapse(size_t K, const double *mean, const double *sd, double *mixture_mean,
                          double *mixture_sd)
{
    if (K == 1) { /* exact, and σ² cannot underflow */
        *mixture_mean = mean[0];
        *mixture_sd = sd[0];
        return;
    }
    double sum = 0, square = 0;
    for (size_t k = 0; k < K; k++)
        sum += mean[k];
    double centre = sum / (double)K;
    for (size_t k = 0; k < K; k++) {
        double off = mean[k] - centre;
        square += sd[k] * sd[k] + off * off;
    }
    *mixture_mean = centre;
    *mixture_sd = sqrt(square / (double)K);
}

/* Where σ = 0 it has no derivative; the one-sided derivative for all σ_k rising alike stands
 * in. */
void bo__mixture_pullback(size_t K, const double *mean, const double *sd, double mixture_mean,
                          double mixture_sd, double dmixture_mean, double dmixture_sd,
                          double *dmean, double *dsd)
{
    double share = 1 / (double)K;
    for (size_t k = 0; k < K; k++) {
        double off = mean[k] - mixture_mean;
        dmean[k] = share * dmixture_mean;
        dsd[k] = share * dmixture_sd;
        if (mixture_sd > 0 && K > 1) {
            dmean[k] += share * dmixture_sd * (off / mixture_sd);
            dsd[k] *= sd[k] / mixture_sd;
        }
    }
}
