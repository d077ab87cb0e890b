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

#define WAVES 1024

typedef struct sample {
    const bo__gp *gp; /* must stay as it is while the sample is used */
    double *omega;    /* WAVES × features */
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

/* g at scaled features; its gradient is added to ds unless NULL. */
static double prior(const sample *p, const double *s, double *ds)
{
    size_t features = p->gp->features;
    double sum = 0;
    for (size_t j = 0; j < WAVES; j++) {
        const double *omega = p->omega + j * features;
        double angle = p->phase[j] + cblas_ddot((int)features, omega, 1, s, 1);
        sum += p->weight[j] * cos(angle);
        if (ds)
            cblas_daxpy((int)features, -p->weight[j] * sin(angle), omega, 1, ds, 1);
    }
    return sum;
}

static void draw_waves(sample *p, bo__rng *rng)
{
    const bo__gp *gp = p->gp;
    double freedom = gp->kernel == BO_MATERN52 ? 5 : gp->kernel == BO_MATERN32 ? 3 : 0;
    for (size_t j = 0; j < WAVES; j++) {
        double stretch = freedom > 0 ? sqrt(freedom / (2 * bo__rng_gamma(rng, freedom / 2))) : 1;
        for (size_t f = 0; f < gp->features; f++)
            p->omega[j * gp->features + f] = stretch * bo__rng_normal(rng);
        p->phase[j] = 2 * M_PI * bo__rng_uniform(rng);
        p->weight[j] = sqrt(2 * gp->variance / WAVES) * bo__rng_normal(rng);
    }
}

bo_status bo__gp_draw(const void *self, uint64_t seed, void **out)
{
    const bo__gp *gp = self;
    sample *p = *out = calloc(1, sizeof *p);
    double *s = bo__aligned(gp->features, sizeof *s);
    if (p) {
        p->gp = gp;
        p->omega = bo__aligned(WAVES * gp->features, sizeof *p->omega);
        p->phase = bo__aligned(WAVES, sizeof *p->phase);
        p->weight = bo__aligned(WAVES, sizeof *p->weight);
        p->pull = bo__aligned(gp->n, sizeof *p->pull);
    }
    if (!p || !s || !p->omega || !p->phase || !p->weight || !p->pull) {
        bo__gp_sample_free(p);
        free(s);
        *out = NULL;
        return BO_ENOMEM;
    }
    bo__rng rng;
    bo__rng_init(&rng, seed, "gp-draw", 0);
    draw_waves(p, &rng);
    for (size_t i = 0; i < gp->n; i++) {
        bo__gp_features(gp, gp->u + i * gp->width, s, 1);
        p->pull[i] = gp->z[i] - gp->mean - prior(p, s, NULL) - sqrt(gp->noise) * bo__rng_normal(&rng);
    }
    bo__triangle_times(gp->n, gp->linv, gp->room, p->pull);
    bo__triangle_transposed_times(gp->n, gp->linv, gp->room, p->pull);
    free(s);
    return BO_OK;
}

bo_status bo__gp_sample_value(const void *self, size_t m, const double *u, double *f, double *df)
{
    const sample *p = self;
    const bo__gp *gp = p->gp;
    size_t n = gp->n, features = gp->features;
    double *memory = bo__aligned(2 * n + 2 * features, sizeof *memory);
    if (!memory)
        return BO_ENOMEM;
    double *k = memory, *dk = k + n, *s = dk + n, *ds = s + features;
    for (size_t i = 0; i < m; i++) {
        const double *at = u + i * gp->width;
        memset(ds, 0, features * sizeof *ds);
        bo__gp_features(gp, at, s, 1);
        bo__kernel_distances(n, features, gp->st, gp->room, s, 1, k);
        bo__kernel_apply(gp->kernel, n, k, k, dk);
        f[i] = gp->mean + prior(p, s, df ? ds : NULL) +
               gp->variance * cblas_ddot((int)n, k, 1, p->pull, 1);
        if (!df)
            continue;
        for (size_t j = 0; j < n; j++)
            dk[j] *= 2 * gp->variance * p->pull[j];
        bo__kernel_differences(n, features, gp->st, gp->room, s, 1, dk, ds);
        memset(df + i * gp->width, 0, gp->width * sizeof *df);
        bo__gp_features_pullback(gp, at, ds, df + i * gp->width);
    }
    free(memory);
    return BO_OK;
}
