/* gpdraw.c - functions drawn from the posterior of the exact GP.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pathwise conditioning (Wilson et al., 2020): a draw g from the prior, by random Fourier
 * features (Rahimi and Recht, 2007), is moved to agree with the data,
 *
 *   f(u) = m + g(u) + s²·k(u, U) K⁻¹ (z - m - g(U) - ε),   ε ~ N(0, v I)
 *   g(u) = s √(2/F) Σ_j w_j cos(ω_j·s(u) + b_j),  w_j ~ N(0, 1),  b_j ~ U(0, 2π)
 *
 * ω is normal for the RBF, Student's t with 2ν degrees of freedom for a Matérn kernel of order ν.
 * The periodic kernel is the RBF of its features (gpkernel.h).
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpkernel.h"
#include "gpmodel.h"
#include "linalg.h"
#include "rng.h"
#include "vecmath.h"

#define WAVES 1024

typedef struct sample {
    const bo__gp *gp; /* must stay as it is while the sample is used */
    double *omega;    /* features × WAVES */
    double *phase;    /* WAVES */
    double *weight;   /* WAVES */
    double *pull;     /* n: K⁻¹ (z - m - g(U) - ε) */
} sample;

void bo__gp_sample_free(void *self)
{
    sample *s = self;
    if (!s)
        return;
    free(s->omega);
    free(s->phase);
    free(s->weight);
    free(s->pull);
    free(s);
}

/* The loops over the waves: angle_j = ω_j·s + b_j; Σ w_j cos(angle_j), which leaves w_j sin(angle_j)
 * in place of the angles; and ds -= Σ_j ω_j times that. */
BO_CLONES static void wave_angles(const sample *p, size_t features, const double *s, double *angle)
{
    memcpy(angle, p->phase, WAVES * sizeof *angle);
    for (size_t f = 0; f < features; f++)
        for (size_t j = 0; j < WAVES; j++)
            angle[j] += p->omega[f * WAVES + j] * s[f];
}

BO_CLONES static double wave_sum(const double *weight, double *angle)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < WAVES; j++) {
        double sine, cosine;
        bo__sincos(angle[j], &sine, &cosine);
        sum += weight[j] * cosine;
        angle[j] = weight[j] * sine;
    }
    return sum;
}

BO_CLONES static void wave_slopes(const sample *p, size_t features, const double *sine, double *ds)
{
    for (size_t f = 0; f < features; f++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < WAVES; j++)
            sum += p->omega[f * WAVES + j] * sine[j];
        ds[f] -= sum;
    }
}

/* g at scaled features; its gradient is added to ds unless NULL.  waves: WAVES values of scratch. */
static double prior(const sample *p, const double *s, double *ds, double *waves)
{
    wave_angles(p, p->gp->features, s, waves);
    double sum = wave_sum(p->weight, waves);
    if (ds)
        wave_slopes(p, p->gp->features, waves, ds);
    return sum;
}

static void draw_waves(sample *p, bo__rng *rng)
{
    const bo__gp *gp = p->gp;
    double freedom = gp->kernel == BO_MATERN52 ? 5 : gp->kernel == BO_MATERN32 ? 3 : 0;
    for (size_t j = 0; j < WAVES; j++) {
        double stretch = freedom > 0 ? sqrt(freedom / (2 * bo__rng_gamma(rng, freedom / 2))) : 1;
        for (size_t f = 0; f < gp->features; f++)
            p->omega[f * WAVES + j] = stretch * bo__rng_normal(rng);
        p->phase[j] = 2 * M_PI * bo__rng_uniform(rng);
        p->weight[j] = sqrt(2 * gp->variance / WAVES) * bo__rng_normal(rng);
    }
}

bo_status bo__gp_draw(const void *self, uint64_t seed, void **out)
{
    const bo__gp *gp = self;
    sample *p = *out = calloc(1, sizeof *p);
    double *waves = bo__aligned(WAVES + gp->features, sizeof *waves);
    if (p) {
        p->gp = gp;
        p->omega = bo__aligned(WAVES * gp->features, sizeof *p->omega);
        p->phase = bo__aligned(WAVES, sizeof *p->phase);
        p->weight = bo__aligned(WAVES, sizeof *p->weight);
        p->pull = bo__aligned(gp->n, sizeof *p->pull);
    }
    if (!p || !waves || !p->omega || !p->phase || !p->weight || !p->pull) {
        bo__gp_sample_free(p);
        free(waves);
        *out = NULL;
        return BO_ENOMEM;
    }
    double *s = waves + WAVES;
    bo__rng rng;
    bo__rng_init(&rng, seed, "gp-draw", 0);
    draw_waves(p, &rng);
    for (size_t i = 0; i < gp->n; i++) {
        bo__gp_features(gp, gp->u + i * gp->width, s, 1);
        p->pull[i] = gp->z[i] - gp->mean - prior(p, s, NULL, waves) -
                     sqrt(gp->noise) * bo__rng_normal(&rng);
    }
    bo__triangle_times(gp->n, gp->linv, gp->room, p->pull);
    bo__triangle_transposed_times(gp->n, gp->linv, gp->room, p->pull);
    free(waves);
    return BO_OK;
}

bo_status bo__gp_sample_value(const void *self, size_t m, const double *u, double *f, double *df)
{
    const sample *p = self;
    const bo__gp *gp = p->gp;
    size_t n = gp->n, features = gp->features;
    double *waves = bo__aligned(WAVES + 2 * n + 2 * features, sizeof *waves);
    if (!waves)
        return BO_ENOMEM;
    double *k = waves + WAVES, *dk = k + n, *s = dk + n, *ds = s + features;
    for (size_t i = 0; i < m; i++) {
        const double *at = u + i * gp->width;
        memset(ds, 0, features * sizeof *ds);
        bo__gp_features(gp, at, s, 1);
        bo__kernel_distances(n, features, gp->st, gp->room, s, 1, k);
        bo__kernel_apply(gp->kernel, n, k, k, dk);
        f[i] = gp->mean + prior(p, s, df ? ds : NULL, waves) +
               gp->variance * cblas_ddot((int)n, k, 1, p->pull, 1);
        if (!df)
            continue;
        for (size_t j = 0; j < n; j++)
            dk[j] *= 2 * gp->variance * p->pull[j];
        bo__kernel_differences(n, features, gp->st, gp->room, s, 1, dk, ds);
        memset(df + i * gp->width, 0, gp->width * sizeof *df);
        bo__gp_features_pullback(gp, at, ds, df + i * gp->width);
    }
    free(waves);
    return BO_OK;
}
