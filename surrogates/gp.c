/* gp.c - the exact Gaussian process behind the surrogate contract.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Posterior at u with k = s²·k(U, u), w = L⁻¹ k (Rasmussen and Williams, 2006, algorithm 2.1):
 *
 *   mean = m + kᵀα          var = s² - wᵀw
 *   d mean = α · dk         d var = -2 (L⁻ᵀ w) · dk
 *
 * L⁻¹ is kept, not L: products with it are faster than solves, and a new observation appends one
 * row to it in O(n²): with l = L⁻¹ k and d² = s² + v - lᵀl the row is [-lᵀL⁻¹/d, 1/d].
 */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "gpkernel.h"
#include "gpmodel.h"
#include "linalg.h"
#include "message.h"

/* Relative to s²: below it a variance is rounding error. */
#define LEAST_VARIANCE 1e-12

size_t bo__gp_params(const bo__gp *gp)
{
    return gp->dim * (gp->kernel == BO_PERIODIC ? 2 : 1) + gp->learn_scale + isnan(gp->noise_given);
}

void bo__gp_features(const bo__gp *gp, const double *u, double *s, size_t step)
{
    if (gp->kernel != BO_PERIODIC) {
        for (size_t f = 0; f < gp->width; f++)
            s[f * step] = u[f] * gp->inverse[f];
        return;
    }
    for (size_t j = 0; j < gp->width; j++) {
        double angle = 2 * M_PI * u[j] / gp->period[gp->group[j]];
        s[j * step] = cos(angle) * gp->inverse[j];
        s[(gp->width + j) * step] = sin(angle) * gp->inverse[j];
    }
}

void bo__gp_features_pullback(const bo__gp *gp, const double *u, const double *ds, double *du)
{
    if (gp->kernel != BO_PERIODIC) {
        for (size_t f = 0; f < gp->width; f++)
            du[f] += ds[f] * gp->inverse[f];
        return;
    }
    for (size_t j = 0; j < gp->width; j++) {
        double rate = 2 * M_PI / gp->period[gp->group[j]], angle = rate * u[j];
        du[j] += rate * gp->inverse[j] *
                 (ds[gp->width + j] * cos(angle) - ds[j] * sin(angle));
    }
}

void bo__gp_unpack(bo__gp *gp, const double *theta)
{
    for (size_t f = 0; f < gp->features; f++)
        gp->inverse[f] = exp(-theta[gp->group[f]]);
    size_t next = gp->dim;
    if (gp->kernel == BO_PERIODIC)
        for (size_t j = 0; j < gp->dim; j++)
            gp->period[j] = exp(theta[next++]);
    if (gp->learn_scale)
        gp->variance = exp(theta[next++]);
    gp->noise = isnan(gp->noise_given) ? exp(theta[next]) : gp->noise_given * gp->noise_given;
}

static void gp_free(void *self)
{
    bo__gp *gp = self;
    if (!gp)
        return;
    free(gp->group);
    free(gp->theta);
    free(gp->warm);
    free(gp->inverse);
    free(gp->period);
    free(gp->u);
    free(gp->z);
    free(gp->st);
    free(gp->linv);
    free(gp->alpha);
    free(gp->scratch);
    free(gp);
}

/* The given hyperparameters of an oracle go to theta. */
static bo_status take_given(bo__gp *gp, const bo_options *o, bo_message *message)
{
    for (size_t j = 0; j < gp->dim; j++) {
        if (!(o->lengthscales[j] > 0) || isinf(o->lengthscales[j]))
            return bo__fail(message, BO_EINVAL,
                            "length-scale %zu is %g; a positive number was expected", j + 1,
                            o->lengthscales[j]);
        gp->theta[j] = log(o->lengthscales[j]);
        if (gp->kernel == BO_PERIODIC) {
            if (!(o->period > 0) || isinf(o->period))
                return bo__fail(message, BO_EINVAL,
                                "period is %g; a positive number was expected", o->period);
            gp->theta[gp->dim + j] = log(o->period);
        }
    }
    if (!(o->scale > 0) || isinf(o->scale))
        return bo__fail(message, BO_EINVAL, "scale is %g; a positive number was expected",
                        o->scale);
    gp->oracle = true;
    gp->given_scale = o->scale;
    gp->given_mean = o->mean;
    return BO_OK;
}

static bo_status gp_create(void **self, const bo_setup *setup, bo_message *message)
{
    const bo_options *o = setup->options;
    bo__gp *gp = *self = calloc(1, sizeof *gp);
    if (!gp)
        return bo__fail(message, BO_ENOMEM, "no memory for a GP");
    gp->width = setup->width;
    gp->dim = setup->dim;
    gp->kernel = o->kernel;
    gp->features = gp->width * (gp->kernel == BO_PERIODIC ? 2 : 1);
    gp->learn_scale = o->output_scale;
    gp->seed = setup->seed;
    gp->variance = 1;
    gp->noise_given = NAN;
    gp->group = calloc(gp->features, sizeof *gp->group);
    gp->theta = calloc(2 * gp->dim + 2, sizeof *gp->theta);
    gp->warm = calloc(2 * gp->dim + 2, sizeof *gp->warm);
    gp->inverse = calloc(gp->features, sizeof *gp->inverse);
    gp->period = calloc(gp->dim, sizeof *gp->period);
    if (!gp->group || !gp->theta || !gp->warm || !gp->inverse || !gp->period)
        return bo__fail(message, BO_ENOMEM, "no memory for a GP");
    for (size_t f = 0; f < gp->features; f++)
        gp->group[f] = setup->group[f % gp->width];
    for (size_t j = 0; j < gp->dim; j++)
        gp->period[j] = 1;
    return o->lengthscales ? take_given(gp, o, message) : BO_OK;
}

/* Makes room for n points, keeping what is there. */
static bo_status make_room(bo__gp *gp, size_t n)
{
    if (n <= gp->room)
        return BO_OK;
    size_t room = (n + n / 2 + 15) / 8 * 8;
    double *u = bo__aligned(room * gp->width, sizeof *u), *z = bo__aligned(room, sizeof *z);
    double *st = bo__aligned(room * gp->features, sizeof *st);
    double *linv = bo__aligned(room * room, sizeof *linv);
    double *alpha = bo__aligned(room, sizeof *alpha);
    double *scratch = bo__aligned(2 * room, sizeof *scratch);
    if (!u || !z || !st || !linv || !alpha || !scratch) {
        free(u), free(z), free(st), free(linv), free(alpha), free(scratch);
        return BO_ENOMEM;
    }
    for (size_t i = 0; i < gp->n; i++)
        memcpy(linv + i * room, gp->linv + i * gp->room, gp->n * sizeof *linv);
    for (size_t f = 0; gp->n && f < gp->features; f++)
        memcpy(st + f * room, gp->st + f * gp->room, gp->n * sizeof *st);
    if (gp->n) {
        memcpy(u, gp->u, gp->n * gp->width * sizeof *u);
        memcpy(z, gp->z, gp->n * sizeof *z);
    }
    free(gp->u), free(gp->z), free(gp->st), free(gp->linv), free(gp->alpha), free(gp->scratch);
    gp->u = u, gp->z = z, gp->st = st, gp->linv = linv, gp->alpha = alpha, gp->scratch = scratch;
    gp->room = room;
    return BO_OK;
}

/* k = s²·k(U, s) against the first n points, for the scaled features s. */
static void cross(const bo__gp *gp, size_t n, const double *s, size_t step, double *k, double *dk)
{
    bo__kernel_distances(n, gp->features, gp->st, gp->room, s, step, k);
    bo__kernel_apply(gp->kernel, n, k, k, dk);
    if (gp->variance != 1) {
        cblas_dscal((int)n, gp->variance, k, 1);
        if (dk)
            cblas_dscal((int)n, gp->variance, dk, 1);
    }
}

/* L⁻¹ for all n points. */
static bo_status factorise(bo__gp *gp, bo_message *message)
{
    size_t n = gp->n, ld = gp->room;
    double *k = bo__aligned(n * n, sizeof *k), *l = bo__aligned(n * n, sizeof *l), jitter;
    bo_status status = k && l ? BO_OK : BO_ENOMEM;
    if (!status) {
        for (size_t i = 0; i < n; i++)
            bo__gp_features(gp, gp->u + i * gp->width, gp->st + i, ld);
        for (size_t i = 0; i < n; i++) {
            cross(gp, i, gp->st + i, ld, k + i * n, NULL);
            k[i * n + i] = gp->variance + gp->noise;
        }
        status = bo__cholesky_jitter(n, k, l, &jitter);
    }
    if (!status && !bo__triangle_invert(n, l))
        status = BO_ENUMERIC;
    for (size_t i = 0; !status && i < n; i++)
        memcpy(gp->linv + i * ld, l + i * n, n * sizeof *l);
    free(k);
    free(l);
    return status ? bo__fail(message, status, "GP: cannot factorise the covariance of %zu points",
                             n)
                  : BO_OK;
}

/* Appends row i to L⁻¹.  False when K would not be positive definite. */
static bool append(bo__gp *gp, size_t i)
{
    double *row = gp->linv + i * gp->room;
    bo__gp_features(gp, gp->u + i * gp->width, gp->st + i, gp->room);
    cross(gp, i, gp->st + i, gp->room, row, NULL);
    bo__triangle_times(i, gp->linv, gp->room, row);
    double left = gp->variance + gp->noise - cblas_ddot((int)i, row, 1, row, 1);
    if (!(left > 1e-10 * gp->variance))
        return false;
    bo__triangle_transposed_times(i, gp->linv, gp->room, row);
    cblas_dscal((int)i, -1 / sqrt(left), row, 1);
    row[i] = 1 / sqrt(left);
    return true;
}

/* m (unless given) and α, in O(n²): m = 1ᵀK⁻¹z / 1ᵀK⁻¹1. */
static void weigh(bo__gp *gp)
{
    size_t n = gp->n;
    double *a = gp->scratch, *b = gp->scratch + gp->room;
    for (size_t i = 0; i < n; i++)
        a[i] = gp->z[i], b[i] = 1;
    bo__triangle_times(n, gp->linv, gp->room, a);
    bo__triangle_times(n, gp->linv, gp->room, b);
    if (!gp->oracle)
        gp->mean = n ? cblas_ddot((int)n, a, 1, b, 1) / cblas_ddot((int)n, b, 1, b, 1) : 0;
    for (size_t i = 0; i < n; i++)
        gp->alpha[i] = a[i] - gp->mean * b[i];
    bo__triangle_transposed_times(n, gp->linv, gp->room, gp->alpha);
}

static bool extends(const bo__gp *gp, const bo_data *data)
{
    return gp->n && data->n >= gp->n &&
           !memcmp(gp->u, data->u, gp->n * gp->width * sizeof *gp->u);
}

static bo_status gp_fit(void *self, const bo_data *data, bo_message *message)
{
    bo__gp *gp = self;
    size_t n = data->n;
    if (make_room(gp, n))
        return bo__fail(message, BO_ENOMEM, "no memory for a GP of %zu points", n);
    bool keep = data->keep && gp->fitted, extend = keep && extends(gp, data);
    size_t old = gp->n;
    /* A known noise below 1e-5 sds of y is as good as none and only spoils the condition. */
    gp->noise_given = isnan(data->noise) ? NAN : fmax(data->noise, 1e-5);
    if (gp->oracle) {
        gp->variance = pow(gp->given_scale / data->scale, 2);
        gp->mean = (gp->given_mean - data->shift) / data->scale;
        if (isnan(gp->noise_given))
            gp->noise_given = 1e-5 * sqrt(gp->variance);
    }
    gp->n = n;
    if (n)
        memcpy(gp->u, data->u, n * gp->width * sizeof *gp->u);
    if (n)
        memcpy(gp->z, data->z, n * sizeof *gp->z);
    bo_status status = BO_OK;
    if (!keep && !gp->oracle)
        status = bo__gp_optimize(gp, message);
    if (status) {
        gp->n = 0;
        return status;
    }
    gp->fitted = true;
    if (!data->peek) {
        memcpy(gp->warm, gp->theta, gp->params * sizeof *gp->warm);
        gp->warm_params = gp->params;
    }
    if (!extend) {
        bo__gp_unpack(gp, gp->theta);
        status = factorise(gp, message);
    }
    for (size_t i = old; extend && i < n; i++)
        if (!append(gp, i)) {
            status = factorise(gp, message);
            break;
        }
    if (status)
        gp->n = 0;
    else
        weigh(gp);
    return status;
}

static size_t gp_components(const void *self)
{
    return 1;
}

/* Work: sd (m), k (m × n), dk (m × n), w (m × n), and s, ds (features each). */
static size_t gp_workspace(const void *self, size_t m)
{
    const bo__gp *gp = self;
    return (m + 3 * m * gp->n + 2 * gp->features + 8) * sizeof(double);
}

static bo_status gp_predict(const void *self, size_t m, const double *u, double *mean, double *sd,
                            void *work)
{
    const bo__gp *gp = self;
    size_t n = gp->n;
    double *keep = work, *k = keep + m, *dk = k + m * n, *w = dk + m * n, *s = w + m * n;
    for (size_t i = 0; i < m; i++) {
        bo__gp_features(gp, u + i * gp->width, s, 1);
        cross(gp, n, s, 1, k + i * n, dk + i * n);
        mean[i] = gp->mean + cblas_ddot((int)n, k + i * n, 1, gp->alpha, 1);
    }
    memcpy(w, k, m * n * sizeof *w);
    if (m == 1)
        bo__triangle_times(n, gp->linv, gp->room, w);
    else if (n)
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m,
                    (int)n, 1, gp->linv, (int)gp->room, w, (int)n);
    for (size_t i = 0; i < m; i++) {
        double variance = gp->variance - cblas_ddot((int)n, w + i * n, 1, w + i * n, 1);
        keep[i] = sd[i] = sqrt(fmax(variance, LEAST_VARIANCE * gp->variance));
    }
    return BO_OK;
}

static bo_status gp_pullback(const void *self, size_t m, const double *u, const double *dmean,
                             const double *dsd, double *du, void *work)
{
    const bo__gp *gp = self;
    size_t n = gp->n;
    double *keep = work, *k = keep + m, *dk = k + m * n, *w = dk + m * n, *s = w + m * n;
    double *ds = s + gp->features;
    double least = sqrt(LEAST_VARIANCE * gp->variance);
    if (m == 1)
        bo__triangle_transposed_times(n, gp->linv, gp->room, w);
    else if (n)
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)m,
                    (int)n, 1, gp->linv, (int)gp->room, w, (int)n);
    for (size_t i = 0; i < m; i++) {
        const double *at = u + i * gp->width;
        double *g = w + i * n, *slope = dk + i * n;
        double by_w = keep[i] > least ? -dsd[i] / keep[i] : 0;
        for (size_t j = 0; j < n; j++)
            g[j] = 2 * slope[j] * (dmean[i] * gp->alpha[j] + by_w * g[j]);
        bo__gp_features(gp, at, s, 1);
        memset(ds, 0, gp->features * sizeof *ds);
        bo__kernel_differences(n, gp->features, gp->st, gp->room, s, 1, g, ds);
        memset(du + i * gp->width, 0, gp->width * sizeof *du);
        bo__gp_features_pullback(gp, at, ds, du + i * gp->width);
    }
    return BO_OK;
}

static double gp_noise(const void *self)
{
    const bo__gp *gp = self;
    return sqrt(gp->noise);
}

const bo_surrogate_type bo__surrogate_gp = {
    .name = "gp",
    .summary = "exact Gaussian process, hyperparameters fitted at each step",
    .create = gp_create,
    .free = gp_free,
    .fit = gp_fit,
    .components = gp_components,
    .workspace = gp_workspace,
    .predict = gp_predict,
    .pullback = gp_pullback,
    .noise = gp_noise,
    .draw = bo__gp_draw,
    .sample_value = bo__gp_sample_value,
    .sample_free = bo__gp_sample_free,
};
