/* priors.c - where tasks come from: functions drawn from Gaussian processes, and series.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * y = Uᵀ e with K = Uᵀ U (Cholesky) and e ~ N(0, I).  Single precision is enough: the noise on
 * the diagonal, 4e-4, is a hundred times the rounding error of a 49 × 49 matrix of numbers up
 * to 1.
 */
#include "priors.h"

#include <math.h>
#include <string.h>

#include "lanes.h"
#include "message.h"

static const char *const names[BO_PRIOR_KINDS] = {"rbf",    "matern52", "periodic",
                                                    "tnoise", "predator", "hare-lynx"};

const char *bo__prior_name(bo__prior_kind kind)
{
    return kind < BO_PRIOR_KINDS ? names[kind] : NULL;
}

static size_t outputs_of(bo__prior_kind kind)
{
    return kind < BO_PRIOR_PREDATOR ? 1 : BO__SERIES_OUTPUTS;
}

size_t bo__prior_outputs(const bo__prior *prior)
{
    return outputs_of(prior->kinds[0]);
}

/* Of the last kind, whether it goes with the others. */
static bo_status check_kind(const bo__prior *prior, bo_message *message)
{
    bo__prior_kind kind = prior->kinds[prior->count - 1];
    if (outputs_of(kind) != bo__prior_outputs(prior))
        return bo__fail(message, BO_EINVAL, "priors %s and %s have different numbers of outputs",
                        names[prior->kinds[0]], names[kind]);
    if (kind >= BO_PRIOR_PREDATOR && prior->dim != 1)
        return bo__fail(message, BO_EINVAL, "prior %s has one input, not %zu", names[kind],
                        prior->dim);
    return BO_OK;
}

bo_status bo__prior_parse(bo__prior *prior, const char *text, size_t dim, bo_message *message)
{
    *prior = (bo__prior){.dim = dim};
    for (;;) {
        size_t length = strcspn(text, ","), kind = 0;
        while (kind < BO_PRIOR_KINDS &&
               (strlen(names[kind]) != length || strncmp(names[kind], text, length)))
            kind++;
        if (kind == BO_PRIOR_KINDS)
            return bo__fail(message, BO_EINVAL,
                            "prior '%.*s' is not one of rbf, matern52, periodic, tnoise, predator, "
                            "hare-lynx",
                            (int)(length < 40 ? length : 40), text);
        if (prior->count == BO_PRIOR_KINDS)
            return bo__fail(message, BO_EINVAL, "a prior mixes at most %d kinds", BO_PRIOR_KINDS);
        prior->kinds[prior->count++] = (bo__prior_kind)kind;
        bo_status status = check_kind(prior, message);
        if (status || !text[length])
            return status;
        text += length + 1;
    }
}

size_t bo__prior_points(const bo__prior *prior)
{
    size_t most = 0;
    for (size_t i = 0; i < prior->count; i++) {
        bo__prior_kind kind = prior->kinds[i];
        size_t n = kind == BO_PRIOR_SERIES     ? prior->series->n
                   : kind == BO_PRIOR_PREDATOR ? BO__PREDATOR_MOST
                                               : 49;
        most = n > most ? n : most;
    }
    return most;
}

void bo__prior_sizes(const bo__prior *prior, bo__rng *rng, size_t *context, size_t *points)
{
    if (prior->kinds[0] == BO_PRIOR_PREDATOR) {
        bo__predator_sizes(rng, context, points);
        return;
    }
    if (prior->kinds[0] == BO_PRIOR_SERIES) {
        *context = bo__series_context(prior->series, rng);
        *points = prior->series->n;
        return;
    }
    *context = 3 + bo__rng_below(rng, 44);
    *points = *context + 3 + bo__rng_below(rng, 47 - *context);
}

static size_t padded(size_t n)
{
    return (n + BO__LANES - 1) / BO__LANES * BO__LANES;
}

size_t bo__prior_scratch(const bo__prior *prior, size_t n)
{
    if (prior->kinds[0] == BO_PRIOR_PREDATOR)
        return BO__PREDATOR_SCRATCH;
    if (prior->kinds[0] == BO_PRIOR_SERIES)
        return prior->series->n;
    return (n + 2 + prior->dim) * padded(n);
}

/* What a difference in one coordinate adds to the distance that covariance_at takes. */
static double part(const bo__prior_task *t, double difference)
{
    double wave = t->kind == BO_PRIOR_PERIODIC ? sin(acos(-1) * difference / t->period)
                                               : difference;
    return wave * wave;
}

/* At a sum of parts. */
static double covariance_at(const bo__prior_task *t, double sum)
{
    double r = sqrt(5 * sum) / t->length, variance = t->scale * t->scale;
    if (t->kind == BO_PRIOR_MATERN52)
        return variance * (1 + r + r * r / 3) * exp(-r);
    return variance * exp((t->kind == BO_PRIOR_PERIODIC ? -2 : -0.5) * sum /
                          (t->length * t->length));
}

double bo__prior_kernel(const bo__prior_task *t, size_t dim, const double *a, const double *b)
{
    double sum = 0;
    for (size_t c = 0; c < dim; c++)
        sum += part(t, a[c] - b[c]);
    return covariance_at(t, sum);
}

/* Between points i and j, whose coordinates stand in columns. */
static double periodic(const bo__prior_task *t, size_t wide, size_t dim, const float *columns,
                       size_t i, size_t j)
{
    double sum = 0;
    for (size_t c = 0; c < dim; c++)
        sum += part(t, columns[c * wide + i] - columns[c * wide + j]);
    return covariance_at(t, sum);
}

/* Squared distances of x_i to all points, whose coordinates stand in columns (dim × wide). */
BO__FAST static void distances(size_t wide, size_t dim, const float *columns, size_t i, float *out)
{
    for (size_t j = 0; j < wide; j += BO__LANES) {
        bo__v16 sum = {0};
        for (size_t k = 0; k < dim; k++) {
            bo__v16 d = bo__load(columns + k * wide + j) - columns[k * wide + i];
            sum += d * d;
        }
        bo__store(out + j, sum);
    }
}

BO__FAST static void rbf_row(size_t wide, float variance, float factor, float *row)
{
    for (size_t j = 0; j < wide; j += BO__LANES)
        bo__store(row + j, variance * bo__exp16(factor * bo__load(row + j)));
}

/* K becomes U with K = Uᵀ U, in its upper triangle. */
BO__FAST static void cholesky(size_t n, size_t wide, float *k)
{
    for (size_t i = 0; i < n; i++) {
        float *row = k + i * wide, part = 1 / __builtin_sqrtf(row[i]);
        for (size_t j = i / BO__LANES * BO__LANES; j < wide; j += BO__LANES)
            bo__store(row + j, bo__load(row + j) * part);
        for (size_t r = i + 1; r < n; r++)
            for (size_t j = r / BO__LANES * BO__LANES; j < wide; j += BO__LANES)
                bo__store(k + r * wide + j,
                          bo__load(k + r * wide + j) - row[r] * bo__load(row + j));
    }
}

/* y = Uᵀ e. */
BO__FAST static void multiply(size_t n, size_t wide, const float *u, const float *e, float *y)
{
    memset(y, 0, wide * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        size_t j = i / BO__LANES * BO__LANES;
        float lower[BO__LANES]; /* the block on the diagonal holds leftovers below it */
        for (size_t l = 0; l < BO__LANES; l++)
            lower[l] = j + l < i ? 0 : u[i * wide + j + l];
        bo__store(y + j, bo__load(y + j) + e[i] * bo__load(lower));
        for (j += BO__LANES; j < wide; j += BO__LANES)
            bo__store(y + j, bo__load(y + j) + e[i] * bo__load(u + i * wide + j));
    }
}

/* The covariance with its noise; points' coordinates stand in columns. */
static void covariance(const bo__prior_task *t, size_t n, size_t dim, const float *columns,
                       float *k)
{
    size_t wide = padded(n);
    float variance = (float)(t->scale * t->scale);
    float factor = (float)(-0.5 / (t->length * t->length));
    for (size_t i = 0; i < n; i++) {
        float *row = k + i * wide;
        distances(wide, dim, columns, i, row);
        if (t->kind == BO_PRIOR_RBF || t->kind == BO_PRIOR_TNOISE)
            rbf_row(wide, variance, factor, row);
        for (size_t j = i; t->kind == BO_PRIOR_MATERN52 && j < n; j++)
            row[j] = (float)covariance_at(t, row[j]);
        for (size_t j = i; t->kind == BO_PRIOR_PERIODIC && j < n; j++)
            row[j] = (float)periodic(t, wide, dim, columns, i, j);
        row[i] = variance + (float)(BO__PRIOR_NOISE * BO__PRIOR_NOISE);
    }
}

static bo__prior_task draw_task(const bo__prior *prior, bo__rng *rng)
{
    size_t which = prior->count > 1 ? bo__rng_below(rng, prior->count) : 0;
    bo__prior_task t = {.kind = prior->kinds[which]};
    t.scale = 0.1 + 0.9 * bo__rng_uniform(rng);
    t.length = (double)prior->dim * (0.1 + 0.5 * bo__rng_uniform(rng));
    if (t.kind == BO_PRIOR_PERIODIC)
        t.period = 0.1 + 0.4 * bo__rng_uniform(rng);
    return t;
}

/* Student's t with 2.1 degrees of freedom. */
static double heavy(bo__rng *rng)
{
    const double freedom = 2.1;
    double normal = bo__rng_normal(rng), chi = 2 * bo__rng_gamma(rng, freedom / 2);
    return normal / sqrt(chi / freedom);
}

static void draw_function(const bo__prior *prior, bo__rng *rng, size_t n, float *x, float *y,
                          float *scratch, bo__prior_task *task)
{
    size_t wide = padded(n), dim = prior->dim;
    float *e = scratch, *drawn = e + wide, *columns = drawn + wide, *k = columns + dim * wide;
    bo__prior_task t = draw_task(prior, rng);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = (float)(BO__PRIOR_SIDE * (2 * bo__rng_uniform(rng) - 1));
    memset(columns, 0, dim * wide * sizeof *columns);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < dim; c++)
            columns[c * wide + i] = x[i * dim + c];
    covariance(&t, n, dim, columns, k);
    cholesky(n, wide, k);
    for (size_t i = 0; i < n; i++)
        e[i] = (float)bo__rng_normal(rng);
    multiply(n, wide, k, e, drawn);
    memcpy(y, drawn, n * sizeof *y);
    for (size_t i = 0; i < n && t.kind == BO_PRIOR_TNOISE; i++) {
        double gamma = 0.15 * bo__rng_uniform(rng);
        y[i] += (float)(gamma * heavy(rng));
    }
    *task = t;
}

void bo__prior_draw(const bo__prior *prior, bo__rng *rng, size_t context, size_t n, float *x,
                    float *y, float *scratch, bo__prior_task *task)
{
    bo__prior_task drawn = {.kind = prior->kinds[0]};
    if (drawn.kind == BO_PRIOR_PREDATOR)
        bo__predator_draw(rng, context, n, x, y, scratch);
    else if (drawn.kind == BO_PRIOR_SERIES)
        bo__series_draw(prior->series, rng, context, n, x, y, (uint32_t *)scratch);
    else
        draw_function(prior, rng, n, x, y, scratch, &drawn);
    if (task)
        *task = drawn;
}
