/* npposterior.c - a neural process that has read one context and answers queries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples are made in groups, so that n² attention weights of only a few samples are in memory at
 * once; queries are answered in chunks for the same reason.  A query of one chunk leaves its tape
 * in the work memory for pullback; longer ones leave nothing, and pullback runs them again.
 *
 * The derivative by the network's raw outputs (μ, r) at a point, σ = f + (1-f)·softplus(r):
 *   dμ = s·dmean    dr = s·dsd·(1-f)·sigmoid(r),   s the scale of y
 * Products are in float32 proper on every CPU: single rows, as climbs ask for them, are fastest so,
 * and derivatives of an acquisition need every bit.
 *
 * Adjoints of a point are divided by the largest of them, and the result multiplied by it again:
 * an acquisition's derivatives may be far below what float32 can hold.
 */
#include "npposterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "pages.h"
#include "rng.h"
#include "vecmath.h"

/* Rows of a pass: activations of 128 columns and their derivatives stay in the L2 cache. */
#define ROWS 256
/* Numbers of attention weights of one head in a pass. */
#define WEIGHTS 32768
/* Bytes that a group of samples may take in a fit. */
#define GROUP ((size_t)16 << 20)

typedef struct pass {
    bo__arena arena;
    bo__tape tape;
    bo__tensor *x, *raw;
} pass;

#define HEAD ((sizeof(pass) + 63) / 64 * 64)

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

void bo__npposterior_init(bo__npposterior *p, const bo__npmodel *model, const float *theta)
{
    *p = (bo__npposterior){.model = model, .theta = theta};
    bo__arena_init(&p->keep);
    bo__arena_init(&p->scratch);
}

void bo__npposterior_free(bo__npposterior *p)
{
    bo__arena_free(&p->keep);
    bo__arena_free(&p->scratch);
    bo__npline_free(&p->line);
    free(p->turned);
}

/* Products read matrices by columns: turning them in every pass took a fifth of its time. */
static bool turn_weights(bo__npposterior *p)
{
    const bo__parameters *set = &p->model->set;
    if (!p->turned && (p->turned = bo__pages_zeros(set->size)))
        for (size_t i = 0; i < set->count; i++)
            bo__parameters_turn(set, i, p->theta, p->turned);
    return p->turned;
}

/* ---- fit ------------------------------------------------------------------------------- */

/* What a fit works with. */
typedef struct encoding {
    bo__npposterior *p;
    bo__tensor *x, *y;
    size_t samples;
    const bo__tensor *noise;
    const uint32_t *pairs, *residuals; /* samples × n */
    bool naive;
} encoding;

/* A tensor of the caller's numbers, (v - shift) / scale. */
static bo__tensor *load(bo__tape *tape, size_t n, size_t cols, const double *v, double shift,
                        double scale)
{
    bo__tensor *t = bo__tensor_new(tape, 1, 1, n, cols, false);
    for (size_t i = 0; t && i < n * cols; i++)
        t->data[i] = (float)((v[i] - shift) / scale);
    return t;
}

static const uint32_t *draw_indices(bo__tape *tape, bo__npsampling s, const char *stream, size_t n)
{
    uint32_t *draws = bo__tape_take(tape, s.samples * n * sizeof *draws);
    bo__rng rng;
    bo__rng_init(&rng, s.seed, stream, s.index);
    for (size_t i = 0; draws && i < s.samples * n; i++)
        draws[i] = (uint32_t)bo__rng_below(&rng, n);
    return draws;
}

static const bo__tensor *draw_noise(bo__tape *tape, bo__npsampling s, size_t width)
{
    bo__tensor *noise = bo__tensor_new(tape, s.samples, 1, 1, width, false);
    bo__rng rng;
    bo__rng_init(&rng, s.seed, "np-latent", s.index);
    for (size_t i = 0; noise && i < s.samples * width; i++)
        noise->data[i] = (float)bo__rng_normal(&rng);
    return noise;
}

/* The y of residual-bootstrapped contexts, [count, 1, n, d], for models trained without. */
static bo__tensor *naive_values(bo__tape *tape, const encoding *e, const bo__npcontext *c,
                                size_t first, size_t count)
{
    const bo__npmodel *m = e->p->model;
    const bo__nptype *type = m->spec.type;
    bo__npcode code = type->encode(tape, m, c);
    bo__npanswer at = type->decode(tape, m, &code, e->x, c->features);
    size_t n = e->x->points, d = m->spec.dim_y, cols = m->spec.dim_x + d;
    bo__tensor *pairs = bo__residual_pairs(tape, at.base, bo__npmodel_sigma(m), e->x, e->y, count,
                                           e->residuals + first * n);
    bo__tensor *y = bo__tensor_new(tape, count, 1, n, d, false);
    for (size_t i = 0; pairs && y && i < count * n; i++)
        memcpy(y->data + i * d, pairs->data + i * cols + m->spec.dim_x, d * sizeof *y->data);
    return y;
}

static bo__npcode encode_group(bo__tape *tape, const encoding *e, size_t first, size_t count)
{
    const bo__npmodel *m = e->p->model;
    size_t n = e->x->points;
    bo__npcontext c = {.x = e->x, .y = e->y, .features = bo__npfeatures(tape, m, e->x),
                       .samples = count, .noise = e->noise};
    if (e->naive)
        c.y = naive_values(tape, e, &c, first, count);
    else if (e->residuals) {
        c.pairs = e->pairs + first * n;
        c.residuals = e->residuals + first * n;
    }
    return m->spec.type->encode(tape, m, &c);
}

/* Copies `from` to samples first … of *to, a tensor of `samples` that is made when first is 0.
 * What has one sample is the same in all groups. */
static void keep_part(bo__tape *keep, bo__tensor **to, const bo__tensor *from, size_t samples,
                      size_t first)
{
    if (!from || (samples == 1 && first > 0))
        return;
    if (first == 0)
        *to = bo__tensor_new(keep, samples, 1, from->points, from->cols, false);
    if (*to)
        memcpy((*to)->data + first * from->points * from->cols, from->data,
               bo__tensor_size(from) * sizeof *from->data);
}

static void keep_group(bo__tape *keep, const encoding *e, const bo__npcode *code, size_t first)
{
    bo__npcode *to = &e->p->code;
    size_t all = e->samples;
    keep_part(keep, &to->share, code->share, e->naive || e->noise ? all : 1, first);
    keep_part(keep, &to->values, code->values, e->naive ? all : 1, first);
    keep_part(keep, &to->keys, code->keys, 1, first);
    keep_part(keep, &to->boot_share, code->boot_share, all, first);
    keep_part(keep, &to->boot_values, code->boot_values, all, first);
}

/* Samples whose pass through the encoders takes about GROUP bytes: five sets of attention
 * weights, two dozen activations. */
static size_t group_size(const encoding *e)
{
    const bo__npspec *spec = &e->p->model->spec;
    size_t n = e->x->points, each = 24 * n * spec->width;
    if (spec->type->attention)
        each += 5 * spec->heads * n * (n + 16);
    if (!e->residuals)
        return e->samples;
    return least(e->samples, most(1, GROUP / (each * sizeof(float))));
}

static void encode_all(bo__tape *tape, bo__tape *keep, const encoding *e)
{
    size_t group = group_size(e);
    for (size_t first = 0; first < e->samples && !tape->failed && !keep->failed; first += group) {
        bo__arena_mark mark = bo__arena_here(tape->arena);
        bo__npcode code = encode_group(tape, e, first, least(group, e->samples - first));
        if (!tape->failed)
            keep_group(keep, e, &code, first);
        bo__arena_return(tape->arena, mark);
    }
}

/* What is beyond float32 must not become an answer like any other. */
static bo_status check_finite(const encoding *e, const bo__npcode *code, bo_message *message)
{
    const bo__tensor *const parts[] = {e->x,         e->y,             code->share,      code->keys,
                                       code->values, code->boot_share, code->boot_values};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && !bo__tensor_finite(parts[i]))
            return bo__fail(message, BO_ENUMERIC, "the observed values are too large for the "
                            "network: its %s float32", i < 2 ? "inputs are beyond"
                                                             : "encoding of them overflows");
    return BO_OK;
}

static void draw_randomness(bo__tape *tape, encoding *e, bo__npsampling s)
{
    const bo__npspec *spec = &e->p->model->spec;
    e->naive = spec->ablation == BO_ABLATE_NAIVE && s.samples > 0;
    e->samples = 1;
    if (s.samples == 0 || !(spec->type->latent || spec->type->bootstrap || e->naive))
        return;
    e->samples = s.samples;
    if (spec->type->latent) {
        e->noise = draw_noise(tape, s, spec->width);
        return;
    }
    e->pairs = draw_indices(tape, s, "np-pairs", e->x->points);
    e->residuals = draw_indices(tape, s, "np-residuals", e->x->points);
}

/* ---- queries --------------------------------------------------------------------------- */

/* One pass at m points, on a tape that has just begun. */
static void run(const bo__npposterior *p, pass *q, size_t m, const double *x, bool recording)
{
    const bo__npmodel *model = p->model;
    size_t d = model->spec.dim_x;
    bo__tape_init(&q->tape, &q->arena, p->theta, NULL);
    q->tape.turned = p->turned;
    q->tape.recording = recording;
    q->tape.precision = BO__PRECISION_FLOAT32;
    q->x = bo__tensor_new(&q->tape, 1, 1, m, d, recording);
    for (size_t i = 0; q->x && i < m * d; i++)
        q->x->data[i] = (float)(p->units.x_shift + p->units.x_scale * x[i]);
    bo__tensor *features = bo__npfeatures(&q->tape, model, q->x);
    bo__npanswer answer = model->spec.type->decode(&q->tape, model, &p->code, q->x, features);
    q->raw = answer.all ? answer.all : answer.base;
}

/* Bytes that a pass takes, found by making one. */
static size_t measure(bo__npposterior *p, size_t m)
{
    double zero[ROWS] = {0};
    pass q = {.arena = p->scratch};
    size_t d = p->model->spec.dim_x;
    double *x = m * d <= ROWS ? zero : bo__arena_take(&q.arena, m * d * sizeof *x);
    if (!x)
        return 0;
    memset(x, 0, m * d * sizeof *x);
    size_t before = q.arena.taken;
    run(p, &q, m, x, true);
    size_t taken = q.arena.taken - before;
    p->scratch = q.arena;
    bo__arena_reset(&p->scratch);
    return q.tape.failed ? 0 : HEAD + BO__ARENA_OVERHEAD + taken;
}

static bool plan_passes(bo__npposterior *p)
{
    bool attention = p->model->spec.type->attention;
    size_t keys = attention ? (p->n + 15) / 16 : 0;
    if (p->one && p->measured[0] == p->components && p->measured[1] == keys)
        return true;
    p->chunk = most(1, ROWS / p->components);
    if (attention)
        p->chunk = most(1, least(p->chunk, WEIGHTS / (16 * keys)));
    p->one = measure(p, 1);
    p->many = p->chunk > 1 ? measure(p, p->chunk) : p->one;
    p->measured[0] = p->components;
    p->measured[1] = keys;
    return p->one && p->many;
}

bo_status bo__npposterior_fit(bo__npposterior *p, size_t n, const double *x, const double *y,
                              bo__npunits units, bo__npsampling sampling, bo_message *message)
{
    const bo__npspec *spec = &p->model->spec;
    bo__arena_reset(&p->keep);
    bo__arena_reset(&p->scratch);
    p->code = (bo__npcode){0};
    p->line.samples = 0;
    p->units = units;
    p->n = n;
    if (!turn_weights(p))
        return bo__fail(message, BO_ENOMEM, "no memory to transpose the weights");
    bo__tape tape, keep;
    bo__tape_init(&tape, &p->scratch, p->theta, NULL);
    bo__tape_init(&keep, &p->keep, p->theta, NULL);
    tape.turned = p->turned;
    tape.recording = false;
    tape.precision = BO__PRECISION_FLOAT32;
    encoding e = {.p = p,
                  .x = load(&tape, n, spec->dim_x, x, -units.x_shift / units.x_scale,
                            1 / units.x_scale),
                  .y = load(&tape, n, spec->dim_y, y, units.y_shift, units.y_scale)};
    if (!tape.failed)
        draw_randomness(&tape, &e, sampling);
    if (!tape.failed)
        encode_all(&tape, &keep, &e);
    p->components = e.samples;
    bool failed = tape.failed || keep.failed;
    bo_status status = failed ? BO_OK : check_finite(&e, &p->code, message);
    bo__arena_reset(&p->scratch);
    if (failed || (!status && !plan_passes(p)))
        return bo__fail(message, BO_ENOMEM, "no memory to encode %zu points", n);
    return status;
}

size_t bo__npposterior_workspace(const bo__npposterior *p, size_t m)
{
    return most(m <= 1 ? p->one : p->many, 4 * p->components * sizeof(double));
}

/* Starts a pass in the work memory. */
static pass *begin(const bo__npposterior *p, size_t m, void *work)
{
    pass *q = work;
    bo__arena_init_fixed(&q->arena, (char *)work + HEAD, bo__npposterior_workspace(p, m) - HEAD);
    return q;
}

/* Raw means and sds of one point, as the network gives them, become those of the answer. */
BO_CLONES static void finish(size_t count, bo__npunits units, double floor, double *restrict mean,
                             double *restrict sd)
{
    double shift = units.y_shift, scale = units.y_scale;
    for (size_t k = 0; k < count; k++) {
        double r = sd[k], softplus = bo__log1p_share(bo__exp(-fabs(r))) + (r > 0 ? r : 0);
        mean[k] = shift + scale * mean[k];
        sd[k] = scale * (floor + (1 - floor) * softplus);
    }
}

/* The raw outputs [S, 1, m, 2d] as means and sds. */
static void read_answer(const bo__npposterior *p, const bo__tensor *raw, size_t stride,
                        double *mean, double *sd)
{
    size_t d = p->model->spec.dim_y, m = raw->points;
    for (size_t i = 0; i < m; i++) {
        double *mi = mean + i * stride, *si = sd + i * stride;
        for (size_t s = 0; s < raw->samples; s++)
            for (size_t j = 0; j < d; j++) {
                const float *r = raw->data + (s * m + i) * 2 * d + j;
                mi[s * d + j] = r[0];
                si[s * d + j] = r[d];
            }
        finish(raw->samples * d, p->units, p->model->spec.sigma_floor, mi, si);
    }
}

/* ---- from the table -------------------------------------------------------------------- */

static double model_x(const bo__npposterior *p, double x)
{
    return p->units.x_shift + p->units.x_scale * x;
}

/* Whether the table has all these points. */
static bool is_tabulated(const bo__npposterior *p, size_t m, const double *x)
{
    bool all = p->line.samples > 0;
    for (size_t i = 0; all && i < m; i++) {
        double at = model_x(p, x[i]);
        all = at >= p->line.low && at <= p->line.high;
    }
    return all;
}

static void look_up(const bo__npposterior *p, size_t m, const double *x, size_t stride,
                    double *mean, double *sd)
{
    for (size_t i = 0; i < m; i++, mean += stride, sd += stride) {
        bo__npline_at(&p->line, model_x(p, x[i]), mean, sd, NULL, NULL);
        finish(p->components, p->units, p->model->spec.sigma_floor, mean, sd);
    }
}

/* Σ_k dmean_k μ'_k + dsd_k σ'_k by the caller's x at one point; row has 4 · components. */
static double pull_line(const bo__npposterior *p, double x, const double *dmean, const double *dsd,
                        double *row)
{
    size_t K = p->components;
    double *r = row + K, *slope = row + 2 * K, *r_slope = row + 3 * K, sum = 0;
    bo__npline_at(&p->line, model_x(p, x), row, r, slope, r_slope);
    double part = 1 - p->model->spec.sigma_floor;
    for (size_t k = 0; k < K; k++)
        sum += dmean[k] * slope[k] + dsd[k] * part / (1 + exp(-r[k])) * r_slope[k];
    return sum * p->units.y_scale * p->units.x_scale;
}

bo_status bo__npposterior_tabulate(bo__npposterior *p, double low, double high)
{
    if (!bo__npline_serves(p->model))
        return BO_OK;
    return bo__npline_build(&p->line, p->model, p->theta, &p->code, model_x(p, low),
                            model_x(p, high));
}

/* ---- answers --------------------------------------------------------------------------- */

bo_status bo__npposterior_at(const bo__npposterior *p, size_t m, const double *x, size_t stride,
                             double *mean, double *sd, void *work)
{
    size_t d = p->model->spec.dim_x;
    if (is_tabulated(p, m, x)) {
        look_up(p, m, x, stride, mean, sd);
        return BO_OK;
    }
    for (size_t i = 0; i < m; i += p->chunk) {
        size_t rows = least(p->chunk, m - i);
        pass *q = begin(p, m, work);
        run(p, q, rows, x + i * d, m <= p->chunk);
        if (q->tape.failed)
            return BO_ENOMEM;
        read_answer(p, q->raw, stride, mean + i * stride, sd + i * stride);
    }
    return BO_OK;
}

/* The largest adjoint of a point; 0 when all are. */
static double largest(size_t count, const double *dmean, const double *dsd)
{
    double top = 0;
    for (size_t k = 0; k < count; k++)
        top = fmax(top, fmax(fabs(dmean[k]), fabs(dsd[k])));
    return top;
}

/* Puts the adjoints of point i, divided by `top`, into the derivative of the raw outputs. */
static void seed_point(const bo__npposterior *p, bo__tensor *raw, size_t i, const double *dmean,
                       const double *dsd, double top)
{
    size_t d = p->model->spec.dim_y, m = raw->points;
    double floor = p->model->spec.sigma_floor;
    for (size_t s = 0; s < raw->samples; s++)
        for (size_t j = 0; j < d; j++) {
            size_t at = (s * m + i) * 2 * d + j, from = s * d + j;
            double slope = (1 - floor) / (1 + exp(-(double)raw->data[at + d]));
            raw->grad[at] = top > 0 ? (float)(dmean[from] / top) : 0;
            raw->grad[at + d] = top > 0 ? (float)(dsd[from] / top * slope) : 0;
        }
}

static void pull_chunk(const bo__npposterior *p, pass *q, size_t stride, const double *dmean,
                       const double *dsd, double *dx)
{
    size_t d = p->model->spec.dim_x, m = q->x->points;
    size_t count = p->components * p->model->spec.dim_y;
    for (size_t i = 0; i < m; i++)
        seed_point(p, q->raw, i, dmean + i * stride, dsd + i * stride,
                   largest(count, dmean + i * stride, dsd + i * stride));
    q->raw->touched = true;
    bo__tape_backward(&q->tape);
    for (size_t i = 0; i < m && q->x->touched; i++) {
        double top = largest(count, dmean + i * stride, dsd + i * stride);
        for (size_t j = 0; j < d; j++)
            dx[i * d + j] += top * p->units.y_scale * p->units.x_scale * q->x->grad[i * d + j];
    }
}

bo_status bo__npposterior_pullback(const bo__npposterior *p, size_t m, const double *x,
                                   size_t stride, const double *dmean, const double *dsd,
                                   double *dx, void *work)
{
    size_t d = p->model->spec.dim_x;
    if (is_tabulated(p, m, x)) {
        for (size_t i = 0; i < m; i++)
            dx[i] += pull_line(p, x[i], dmean + i * stride, dsd + i * stride, work);
        return BO_OK;
    }
    for (size_t i = 0; i < m; i += p->chunk) {
        size_t rows = least(p->chunk, m - i);
        pass *q = work;
        if (m > p->chunk) {
            q = begin(p, m, work);
            run(p, q, rows, x + i * d, true);
        }
        if (q->tape.failed)
            return BO_ENOMEM;
        pull_chunk(p, q, stride, dmean + i * stride, dsd + i * stride, dx + i * d);
    }
    return BO_OK;
}
