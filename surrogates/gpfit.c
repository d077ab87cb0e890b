/* gpfit.c - hyperparameters of the exact GP by maximum a posteriori.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Minimised over θ (logs of length-scales, periods, s², v), with the mean at its best m(θ):
 *
 *   F = ½ (z-m)ᵀα + ½ log det K + penalties          (Rasmussen and Williams, 2006, eq. 5.8)
 *   dF/dθ = ½ Σ_ij W_ij dK_ij/dθ,   W = K⁻¹ - ααᵀ
 *
 * With t the squared scaled distance and t_f its share of feature f, dt/d log l_f = -2 t_f, so one
 * pass over the pairs gives all length-scales.  d m needs no term of its own: F is least in m.
 *
 * Priors, densities in the values themselves: l ~ LogNormal(√2 + ½ ln d, √3), as in BoTorch
 * (Hvarfner, Hellsten and Nardi, 2024); LogNormal(0, 1) for s²; flat in the log for periods.  For
 * v BoTorch has LogNormal(-4, 1) above 1e-4, which takes the ripples of a noise-free function for
 * noise and cannot close in on its minimum; the wide LogNormal(-14, 3.5) here gives a hundredth of
 * the regret on noise-free functions and the same on noisy ones (bo-bench optimize).  Its weight
 * is 1 + n/100: noise has to explain each point better, not all of them together, or the fine
 * structure of a function (Ackley's) is given up for noise as points gather.
 */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "gpkernel.h"
#include "gpmodel.h"
#include "linalg.h"
#include "message.h"
#include "rng.h"

/* Bounds: shorter length-scales than a fortieth of the range cannot be told from noise by a
 * handful of points; longer ones than 1e3 are flat. */
#define LEAST_LENGTH 0.025
#define MOST_LENGTH 1e3
#define LEAST_PERIOD 0.02
#define MOST_PERIOD 4.0
#define LEAST_NOISE 2e-9
#define MOST_NOISE 10.0
#define LEAST_VARIANCE 1e-3
#define MOST_VARIANCE 1e3

/* Prior of the noise variance, see above. */
#define NOISE_LOCATION -14
#define NOISE_SPREAD 3.5
#define NOISE_POINTS 100

/* A fit is good to a thousandth of a nat. */
#define TOLERANCE 1e-3

/* Memory of one optimisation. */
typedef struct fitting {
    bo__gp *gp;
    size_t n;
    double *k;       /* n × n: K, L, K⁻¹ in turn */
    double *dk;      /* n × n: dk/dt */
    double *st;      /* features × n: scaled features */
    double *dst;     /* features × n: d features / d log period */
    double *weight;  /* n */
    double *alpha;   /* n */
    double *ones;    /* n: K⁻¹ 1 */
    double *moments; /* features */
    double *best_theta;
    double best;
} fitting;

static void fitting_free(fitting *f)
{
    free(f->k), free(f->dk), free(f->st), free(f->dst), free(f->weight);
    free(f->alpha), free(f->ones), free(f->moments), free(f->best_theta);
}

static bool fitting_init(fitting *f, bo__gp *gp)
{
    size_t n = gp->n;
    *f = (fitting){.gp = gp, .n = n, .best = INFINITY};
    f->k = bo__aligned(n * n, sizeof(double));
    f->dk = bo__aligned(n * n, sizeof(double));
    f->st = bo__aligned(n * gp->features, sizeof(double));
    f->dst = bo__aligned(gp->kernel == BO_PERIODIC ? n * gp->features : 1, sizeof(double));
    f->weight = bo__aligned(n, sizeof(double));
    f->alpha = bo__aligned(n, sizeof(double));
    f->ones = bo__aligned(n, sizeof(double));
    f->moments = bo__aligned(gp->features, sizeof(double));
    f->best_theta = bo__aligned(gp->params, sizeof(double));
    return f->k && f->dk && f->st && f->dst && f->weight && f->alpha && f->ones && f->moments &&
           f->best_theta;
}

/* Minus the log density of a log-normal value exp(theta), up to a constant. */
static double log_normal(double theta, double location, double spread, double *derivative)
{
    double d = (theta - location) / spread;
    *derivative = 1 + d / spread;
    return theta + 0.5 * d * d;
}

/* The penalties; their gradient is added to dtheta unless NULL. */
static double penalties(const bo__gp *gp, const double *theta, double *dtheta)
{
    double sum = 0, derivative, location = M_SQRT2 + 0.5 * log((double)gp->dim);
    for (size_t j = 0; j < gp->dim; j++) {
        sum += log_normal(theta[j], location, sqrt(3), &derivative);
        if (dtheta)
            dtheta[j] += derivative;
    }
    size_t next = gp->dim * (gp->kernel == BO_PERIODIC ? 2 : 1);
    if (gp->learn_scale) {
        sum += log_normal(theta[next], 0, 1, &derivative);
        if (dtheta)
            dtheta[next] += derivative;
        next++;
    }
    if (isnan(gp->noise_given)) {
        double weight = 1 + (double)gp->n / NOISE_POINTS;
        sum += weight * log_normal(theta[next], NOISE_LOCATION, NOISE_SPREAD, &derivative);
        if (dtheta)
            dtheta[next] += weight * derivative;
    }
    return sum;
}

/* K (lower half) and dk/dt for the hyperparameters unpacked in gp. */
static void covariance(fitting *f, bool slopes)
{
    const bo__gp *gp = f->gp;
    size_t n = f->n;
    for (size_t i = 0; i < n; i++)
        bo__gp_features(gp, gp->u + i * gp->width, f->st + i, n);
    for (size_t i = 0; i < n; i++) {
        double *row = f->k + i * n, *slope = slopes ? f->dk + i * n : NULL;
        bo__kernel_distances(i, gp->features, f->st, n, f->st + i, n, row);
        bo__kernel_apply(gp->kernel, i, row, row, slope);
        if (gp->variance != 1)
            cblas_dscal((int)i, gp->variance, row, 1);
        row[i] = gp->variance + gp->noise;
    }
}

/* α and m from the Cholesky factor in k; returns ½ (z-m)ᵀα + ½ log det K. */
static double evidence(fitting *f)
{
    const bo__gp *gp = f->gp;
    size_t n = f->n;
    double logdet = 0;
    for (size_t i = 0; i < n; i++) {
        logdet += log(f->k[i * n + i]);
        f->alpha[i] = gp->z[i];
        f->ones[i] = 1;
    }
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, f->k, (int)n,
                f->alpha, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, f->k, (int)n,
                f->ones, 1);
    double mean = cblas_ddot((int)n, f->alpha, 1, f->ones, 1) /
                  cblas_ddot((int)n, f->ones, 1, f->ones, 1);
    cblas_daxpy((int)n, -mean, f->ones, 1, f->alpha, 1);
    double quadratic = cblas_ddot((int)n, f->alpha, 1, f->alpha, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, f->k, (int)n,
                f->alpha, 1);
    return 0.5 * quadratic + logdet;
}

/* Row i of the pairs: weight = 2 W dk/dt s² for the points before i (twice, as W is symmetric). */
static void pair_weights(fitting *f, size_t i)
{
    const double *inverse = f->k + i * f->n, *slope = f->dk + i * f->n, *alpha = f->alpha;
    double scale = 2 * f->gp->variance, own = alpha[i];
    for (size_t j = 0; j < i; j++)
        f->weight[j] = scale * (inverse[j] - own * alpha[j]) * slope[j];
}

/* Adds dF/d log period: t_f = (s_f - s'_f)², dt_f = 2 (s_f - s'_f)(ds_f - ds'_f). */
static void period_gradient(fitting *f, size_t i, double *dtheta)
{
    const bo__gp *gp = f->gp;
    for (size_t r = 0; r < gp->features; r++) {
        const double *s = f->st + r * f->n, *ds = f->dst + r * f->n;
        double sum = 0;
        for (size_t j = 0; j < i; j++)
            sum += f->weight[j] * (s[j] - s[i]) * (ds[j] - ds[i]);
        dtheta[gp->dim + gp->group[r]] += sum;
    }
}

/* d features / d log period: the angle a = 2πu/p changes by -a. */
static void period_slopes(fitting *f)
{
    const bo__gp *gp = f->gp;
    for (size_t c = 0; c < gp->width; c++)
        for (size_t i = 0; i < f->n; i++) {
            double a = 2 * M_PI * gp->u[i * gp->width + c] / gp->period[gp->group[c]];
            f->dst[c * f->n + i] = a * f->st[(gp->width + c) * f->n + i];
            f->dst[(gp->width + c) * f->n + i] = -a * f->st[c * f->n + i];
        }
}

static void gradient(fitting *f, double *dtheta)
{
    const bo__gp *gp = f->gp;
    size_t n = f->n;
    LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (int)n, f->k, (int)n);
    memset(f->moments, 0, gp->features * sizeof *f->moments);
    memset(dtheta, 0, gp->params * sizeof *dtheta);
    bool periodic = gp->kernel == BO_PERIODIC;
    if (periodic)
        period_slopes(f);
    double trace = 0, square = cblas_ddot((int)n, f->alpha, 1, f->alpha, 1);
    for (size_t i = 0; i < n; i++) {
        trace += f->k[i * n + i];
        pair_weights(f, i);
        bo__kernel_moments(i, gp->features, f->st, n, f->st + i, n, f->weight, f->moments);
        if (periodic)
            period_gradient(f, i, dtheta);
    }
    for (size_t r = 0; r < gp->features; r++)
        dtheta[gp->group[r]] -= f->moments[r];
    size_t next = gp->dim * (periodic ? 2 : 1);
    if (gp->learn_scale) { /* dK/d log s² = K - vI */
        double fit = 0;
        for (size_t i = 0; i < n; i++)
            fit += f->alpha[i] * gp->z[i];
        dtheta[next++] = 0.5 * ((double)n - gp->noise * trace - fit + gp->noise * square);
    }
    if (isnan(gp->noise_given))
        dtheta[next] = 0.5 * gp->noise * (trace - square);
}

static double objective(fitting *f, const double *theta, double *dtheta)
{
    bo__gp_unpack(f->gp, theta);
    covariance(f, dtheta != NULL);
    if (!bo__cholesky(f->n, f->k))
        return INFINITY;
    double value = evidence(f);
    if (dtheta)
        gradient(f, dtheta);
    return value + penalties(f->gp, theta, dtheta);
}

double bo__gp_objective(bo__gp *gp, const double *theta, double *dtheta)
{
    fitting f;
    gp->params = bo__gp_params(gp);
    double value = fitting_init(&f, gp) ? objective(&f, theta, dtheta) : NAN;
    fitting_free(&f);
    return value;
}

/* NLopt's callback; keeps the best point, whatever NLopt makes of it. */
static double callback(unsigned params, const double *theta, double *dtheta, void *context)
{
    fitting *f = context;
    double value = objective(f, theta, dtheta);
    if (value < f->best) {
        f->best = value;
        memcpy(f->best_theta, theta, params * sizeof *theta);
    }
    if (!isfinite(value)) { /* a wall: NLopt steps back */
        if (dtheta)
            memset(dtheta, 0, params * sizeof *dtheta);
        return 1e10;
    }
    return value;
}

static void bounds(const bo__gp *gp, double *lower, double *upper)
{
    size_t next = 0;
    for (size_t j = 0; j < gp->dim; j++, next++)
        lower[next] = log(LEAST_LENGTH), upper[next] = log(MOST_LENGTH);
    for (size_t j = 0; gp->kernel == BO_PERIODIC && j < gp->dim; j++, next++)
        lower[next] = log(LEAST_PERIOD), upper[next] = log(MOST_PERIOD);
    if (gp->learn_scale)
        lower[next] = log(LEAST_VARIANCE), upper[next] = log(MOST_VARIANCE), next++;
    if (isnan(gp->noise_given))
        lower[next] = log(LEAST_NOISE), upper[next] = log(MOST_NOISE);
}

/* A start: the modes of the priors (index 0), else scattered around them. */
static void start_point(const bo__gp *gp, uint64_t index, double *theta)
{
    bo__rng rng;
    bo__rng_init(&rng, gp->seed, "gp-start", index);
    double mode = M_SQRT2 + 0.5 * log((double)gp->dim) - 3, shared = bo__rng_normal(&rng);
    size_t next = 0;
    for (size_t j = 0; j < gp->dim; j++, next++)
        theta[next] = mode + (index ? shared + 0.7 * bo__rng_normal(&rng) : 0);
    for (size_t j = 0; gp->kernel == BO_PERIODIC && j < gp->dim; j++, next++)
        theta[next] = log(LEAST_PERIOD) + bo__rng_uniform(&rng) * log(1 / LEAST_PERIOD);
    if (gp->learn_scale)
        theta[next++] = 0;
    if (isnan(gp->noise_given))
        theta[next] = index ? -5 + 1.5 * bo__rng_normal(&rng) : -5;
}

static void clamp(size_t n, const double *lower, const double *upper, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = fmin(fmax(v[i], lower[i]), upper[i]);
}

/* How many scattered candidates are looked at, and how many of all are descended from.  Small
 * sets have flat, many-peaked posteriors and cost nothing; from a few hundred points on the warm
 * start is all but sure. */
static size_t candidates(const bo__gp *gp)
{
    size_t base = gp->n < 40 ? 4 : gp->n < 120 ? 2 : 1;
    return gp->kernel == BO_PERIODIC ? 40 * base : base;
}

static size_t descents(const bo__gp *gp)
{
    return gp->n < 40 || gp->kernel == BO_PERIODIC ? 2 : 1;
}

/* Sorts starts by value: insertion, there are few. */
static void sort_starts(size_t count, size_t params, double *starts, double *value, double *swap)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && value[j] < value[j - 1]; j--) {
            double v = value[j], *a = starts + j * params, *b = a - params;
            value[j] = value[j - 1];
            value[j - 1] = v;
            memcpy(swap, a, params * sizeof *a);
            memcpy(a, b, params * sizeof *a);
            memcpy(b, swap, params * sizeof *a);
        }
}

static void descend(fitting *f, const double *lower, const double *upper, double *theta)
{
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)f->gp->params);
    if (!opt)
        return;
    double least;
    nlopt_set_lower_bounds(opt, lower);
    nlopt_set_upper_bounds(opt, upper);
    nlopt_set_min_objective(opt, callback, f);
    nlopt_set_vector_storage(opt, 10);
    nlopt_set_maxeval(opt, 60);
    nlopt_set_ftol_abs(opt, TOLERANCE);
    nlopt_optimize(opt, theta, &least); /* the best is kept by the callback, whatever it returns */
    nlopt_destroy(opt);
}

static bo_status search(fitting *f, double *memory)
{
    bo__gp *gp = f->gp;
    size_t params = gp->params, scattered = candidates(gp);
    size_t count = scattered + (gp->warm_params == params);
    double *lower = memory, *upper = lower + params, *swap = upper + params;
    double *starts = swap + params, *value = starts + count * params;
    bounds(gp, lower, upper);
    for (size_t i = 0; i < count; i++) {
        double *theta = starts + i * params;
        if (i == scattered)
            memcpy(theta, gp->warm, params * sizeof *theta);
        else
            start_point(gp, i ? i + 1000 * gp->n : 0, theta);
        clamp(params, lower, upper, theta);
        value[i] = callback((unsigned)params, theta, NULL, f);
    }
    sort_starts(count, params, starts, value, swap);
    for (size_t i = 0; i < count && i < descents(gp); i++)
        descend(f, lower, upper, starts + i * params);
    return isfinite(f->best) ? BO_OK : BO_ENUMERIC;
}

bo_status bo__gp_optimize(bo__gp *gp, bo_message *message)
{
    size_t params = gp->params = bo__gp_params(gp), count = 200;
    if (gp->n == 0) {
        start_point(gp, 0, gp->theta);
        return BO_OK;
    }
    fitting f;
    double *memory = bo__aligned((3 + count) * params + count, sizeof *memory);
    bo_status status = fitting_init(&f, gp) && memory ? BO_OK : BO_ENOMEM;
    if (!status)
        status = search(&f, memory);
    if (!status)
        memcpy(gp->theta, f.best_theta, params * sizeof *gp->theta);
    free(memory);
    fitting_free(&f);
    return status ? bo__fail(message, status, "GP: no hyperparameters found for %zu points", gp->n)
                  : BO_OK;
}
