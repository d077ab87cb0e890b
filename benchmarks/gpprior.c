/* gpprior.c - functions drawn from a Gaussian-process prior, as sums of waves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stationary kernel is a mean of waves over its spectral distribution, k(δ) = s²·E cos(ω·δ)
 * (Bochner).  With frequencies ω_i of shares c_i, Σ c_i = 1, and a_i, b_i ~ N(0, 1),
 *
 *   f(x) = s·Σ_i √c_i·(a_i·cos(ω_i·x) + b_i·sin(ω_i·x))
 *
 * is Gaussian with covariance s²·Σ_i c_i·cos(ω_i·(x - x')), smooth, and defined everywhere.
 *
 * In one dimension the frequencies are those of a Fourier series with fixed shares, so that the
 * covariance is the kernel up to rounding:
 *   - periodic: ω = 2πk/p, and exp(-a·(1 - cos t)) = Σ_k e^{-a}·I_k(a)·cos(kt) with a = 1/l²;
 *   - the others: ω = 2πk/L with shares ŝ(ω)/L give Σ_m k(δ + mL) (Poisson), the kernel
 *     wrapped around a circle of length L, which is so long that |δ| <= 4 does not feel it.
 * In more dimensions FEATURES frequencies of equal shares are drawn from the spectral
 * distribution (Rahimi and Recht, "Random features for large-scale kernel machines", 2007):
 * normal for the squared exponential, Student's t with 5 degrees of freedom for Matérn 5/2,
 * integers with probabilities e^{-a}·I_k(a) for the periodic kernel.  They are stratified in
 * each coordinate (Latin hypercube).  Averaged over seeds the covariance is again the kernel;
 * for one function it is the kernel up to about s²/√FEATURES.
 */
#include "gpprior.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_bessel.h>
#include <math.h>
#include <stdlib.h>

#include "gppriortype.h"
#include "message.h"

enum {
    FEATURES = 2048,
    /* Beyond k = 110 every e^{-a}·I_k(a) with a <= 100 is below 1e-24: about a normal density in
     * k with variance a. */
    HARMONICS = 111
};

/* Largest lag in the box [-2, 2]. */
static const double SPAN = 4;

/* ---- frequencies ------------------------------------------------------------------------- */

/* e^{-a}·I_k(a) for k = 0 … HARMONICS-1.  a is in [2.7, 100]: the least is 1e-164, so that GSL
 * never has an underflow to report. */
static void harmonic_shares(double lengthscale, double *share)
{
    gsl_sf_bessel_In_scaled_array(0, HARMONICS - 1, 1 / (lengthscale * lengthscale), share);
}

/* ŝ(ω), the Fourier transform of the kernel with s = 1. */
static double spectral_density(const bo__objective_prior *prior, double omega)
{
    double l = prior->lengthscale;
    if (prior->kernel == BO_RBF)
        return l * sqrt(2 * M_PI) * exp(-0.5 * l * l * omega * omega);
    double lambda = sqrt(5) / l;
    return 16.0 / 3 * pow(lambda, 5) / pow(lambda * lambda + omega * omega, 3);
}

/* One dimension: frequency k and its share (to weight) of the Fourier series. */
static void choose_series(bo__gpprior *draw)
{
    const bo__objective_prior *prior = &draw->prior;
    double share[HARMONICS], length = prior->period;
    if (prior->kernel == BO_PERIODIC) {
        harmonic_shares(prior->lengthscale, share);
        draw->features = HARMONICS;
    } else if (prior->kernel == BO_RBF) {
        /* exp(-9²/2) = 3e-18: both where the kernel is cut off and where its spectrum is */
        length = SPAN + 9 * prior->lengthscale;
        draw->features = 1 + (size_t)(9 / prior->lengthscale * length / (2 * M_PI));
    } else {
        /* the kernel at r = 18 is 2e-15; the spectrum falls slowly, as ω^-6: what lies beyond the
         * last wave is at most 2e-9 of the variance */
        length = SPAN + 18 * prior->lengthscale;
        draw->features = FEATURES / 2;
    }
    for (size_t k = 0; k < draw->features; k++) {
        double omega = 2 * M_PI * (double)k / length;
        double c = prior->kernel == BO_PERIODIC ? share[k]
                                                : spectral_density(prior, omega) / length;
        draw->frequency[k] = omega;
        draw->weight[k] = k == 0 ? c : 2 * c; /* k and -k */
    }
}

/* The integer k whose cumulated probability reaches u. */
static double integer_quantile(const double *share, double u)
{
    double sum = 0;
    for (int k = HARMONICS - 1; k > 0; k--) {
        sum += share[k];
        if (u < sum)
            return k;
        if (1 - u < sum)
            return -k;
    }
    return 0;
}

/* Several dimensions: each coordinate gets one value from each of FEATURES strata, in random
 * order.  A normal vector over √(χ²/5) is a Student's t. */
static void choose_features(bo__gpprior *draw, bo__rng *rng, size_t *order)
{
    const bo__objective_prior *prior = &draw->prior;
    double share[HARMONICS];
    if (prior->kernel == BO_PERIODIC)
        harmonic_shares(prior->lengthscale, share);
    draw->features = FEATURES;
    for (size_t j = 0; j < draw->dim; j++) {
        for (size_t i = 0; i < FEATURES; i++)
            order[i] = i;
        bo__rng_shuffle(rng, FEATURES, order);
        for (size_t i = 0; i < FEATURES; i++) {
            double u = ((double)order[i] + bo__rng_uniform(rng)) / FEATURES;
            u = fmax(u, 0x1p-60); /* the quantile of 0 is infinite */
            draw->frequency[i * draw->dim + j] =
                prior->kernel == BO_PERIODIC
                    ? 2 * M_PI * integer_quantile(share, u) / prior->period
                    : gsl_cdf_ugaussian_Pinv(u) / prior->lengthscale;
        }
    }
    for (size_t i = 0; i < FEATURES; i++) {
        draw->weight[i] = 1.0 / FEATURES;
        if (prior->kernel == BO_MATERN52) {
            double chi2 = 2 * bo__rng_gamma(rng, 2.5);
            for (size_t j = 0; j < draw->dim; j++)
                draw->frequency[i * draw->dim + j] *= sqrt(5 / chi2);
        }
    }
}

/* ---- the draw ---------------------------------------------------------------------------- */

bo__objective_prior bo__gpprior_choose(bo_kernel kernel, uint64_t seed)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "gpprior parameters", 0);
    bo__objective_prior prior = {.kernel = kernel};
    prior.scale = 0.1 + 0.9 * bo__rng_uniform(&rng);
    prior.lengthscale = 0.1 + 0.5 * bo__rng_uniform(&rng);
    double period = 0.1 + 0.4 * bo__rng_uniform(&rng);
    prior.period = kernel == BO_PERIODIC ? period : NAN;
    return prior;
}

/* Turns shares into weights and phases: a·cos t + b·sin t = hypot(a, b)·cos(t + phase). */
static void draw_weights(bo__gpprior *draw, bo__rng *rng)
{
    for (size_t i = 0; i < draw->features; i++) {
        double a = bo__rng_normal(rng), b = bo__rng_normal(rng);
        draw->phase[i] = atan2(-b, a);
        draw->weight[i] = draw->prior.scale * sqrt(draw->weight[i]) * hypot(a, b);
    }
}

bo_status bo__gpprior_new(bo__gpprior **out, bo_kernel kernel, size_t dim, uint64_t seed,
                          bo_message *message)
{
    *out = NULL;
    if (kernel != BO_RBF && kernel != BO_MATERN52 && kernel != BO_PERIODIC)
        return bo__fail(message, BO_EINVAL,
                        "functions are drawn with the rbf, matern52 or periodic kernel only");
    if (dim == 0 || dim > SIZE_MAX / (FEATURES * sizeof(double)))
        return bo__fail(message, BO_EINVAL, "a drawn function cannot have dimension %zu", dim);
    bo__gpprior *draw = calloc(1, sizeof *draw);
    size_t *order = malloc(FEATURES * sizeof *order);
    if (draw && order) {
        draw->frequency = malloc(FEATURES * dim * sizeof *draw->frequency);
        draw->weight = malloc(FEATURES * sizeof *draw->weight);
        draw->phase = malloc(FEATURES * sizeof *draw->phase);
    }
    if (!draw || !draw->frequency || !draw->weight || !draw->phase) {
        free(order);
        bo__gpprior_free(draw);
        return bo__fail(message, BO_ENOMEM, "no memory for a drawn function of dimension %zu",
                        dim);
    }
    bo__rng rng;
    bo__rng_init(&rng, seed, "gpprior waves", (uint64_t)kernel);
    draw->prior = bo__gpprior_choose(kernel, seed);
    draw->dim = dim;
    if (dim == 1)
        choose_series(draw);
    else
        choose_features(draw, &rng, order);
    draw_weights(draw, &rng);
    free(order);
    *out = draw;
    return BO_OK;
}

void bo__gpprior_free(bo__gpprior *draw)
{
    if (!draw)
        return;
    free(draw->frequency);
    free(draw->weight);
    free(draw->phase);
    free(draw);
}

const bo__objective_prior *bo__gpprior_parameters(const bo__gpprior *draw)
{
    return &draw->prior;
}

double bo__gpprior_value(const bo__gpprior *draw, const double *x, double *dx)
{
    size_t dim = draw->dim;
    double sum = 0;
    for (size_t j = 0; dx && j < dim; j++)
        dx[j] = 0;
    for (size_t i = 0; i < draw->features; i++) {
        const double *omega = draw->frequency + i * dim;
        double angle = draw->phase[i];
        for (size_t j = 0; j < dim; j++)
            angle += omega[j] * x[j];
        sum += draw->weight[i] * cos(angle);
        if (dx) {
            double slope = -draw->weight[i] * sin(angle);
            for (size_t j = 0; j < dim; j++)
                dx[j] += slope * omega[j];
        }
    }
    return sum;
}

double bo__gpprior_tnoise(bo__rng *rng)
{
    const double degrees = 2.1;
    double gamma = 0.15 * bo__rng_uniform(rng);
    double normal = bo__rng_normal(rng);
    double chi2 = 2 * bo__rng_gamma(rng, degrees / 2);
    return gamma * normal / sqrt(chi2 / degrees);
}
