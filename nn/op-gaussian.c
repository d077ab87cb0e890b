/* op-gaussian.c - Gaussians whose mean μ and deviation σ are read from a network.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A raw row holds d means, then d numbers r; with floor f
 *   σ = f + (1 - f)·softplus(r), dσ/dr = (1 - f)·sigmoid(r), for the decoder, or
 *   σ = f + (1 - f)·sigmoid(r), dσ/dr = (1 - f)·sigmoid(r)·(1 - sigmoid(r)), for the latent path.
 * With e = (v - μ)/σ:
 *   log N = -½e² - log σ - ½ log 2π    dμ = e/σ    dσ = (e² - 1)/σ    dv = -e/σ
 *   z = μ + σ·noise                    dμ = dz     dσ = noise·dz
 *   KL(q ‖ p) = log(σ_p/σ_q) + (σ_q² + (μ_q - μ_p)²)/(2σ_p²) - ½
 *
 * A latent variable has 128 columns, a decoder's output mostly one: rows of whole vectors are
 * computed as such, and those of one column sixteen at a time.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "ops.h"

#define HALF_LOG_TWO_PI 0.918938533f

/* σ, and its derivative by r unless slope is NULL. */
static float deviation(bo__deviation form, float r, float *slope)
{
    float small = expf(-fabsf(r)), s = 1 / (1 + small); /* sigmoid(|r|), without overflow */
    s = r >= 0 ? s : 1 - s;
    float span = 1 - form.floor;
    if (form.sigmoid) {
        if (slope)
            *slope = span * s * (1 - s);
        return form.floor + span * s;
    }
    if (slope)
        *slope = span * s;
    return form.floor + span * ((r > 0 ? r : 0) + log1pf(small));
}

/* The same for sixteen. */
BO__INLINE bo__v16 deviation16(bo__deviation form, bo__v16 r, bo__v16 *slope)
{
    bo__v16 zero = {0}, small = bo__exp16(-bo__max16(r, -r)), s = 1 / (1 + small);
    s = bo__choose(r >= zero, s, 1 - s);
    float span = 1 - form.floor;
    *slope = form.sigmoid ? span * s * (1 - s) : span * s;
    bo__v16 value = form.sigmoid ? s : bo__max16(r, zero) + bo__log1p16(small);
    return form.floor + span * value;
}

typedef struct gaussian {
    bo__node node;
    bo__tensor *raw, *v, *y, *p;
    const bo__tensor *noise;
    bo__deviation form;
} gaussian;

/* Which row of t stands for row i of a tensor with more samples. */
static size_t row_of(const bo__tensor *t, size_t i)
{
    return i % bo__tensor_rows(t);
}

/* log N of one row of d numbers, a multiple of 16. */
BO__FAST static float log_normal_wide(size_t d, const float *raw, const float *v,
                                      bo__deviation form)
{
    bo__v16 sum = {0}, slope;
    for (size_t j = 0; j < d; j += BO__LANES) {
        bo__v16 sigma = deviation16(form, bo__load(raw + d + j), &slope);
        bo__v16 e = (bo__load(v + j) - bo__load(raw + j)) / sigma;
        sum += -0.5f * e * e - bo__log16(sigma);
    }
    return bo__sum16(sum) - (float)d * HALF_LOG_TWO_PI;
}

static float log_normal_row(size_t d, const float *raw, const float *v, bo__deviation form)
{
    if (d % BO__LANES == 0)
        return log_normal_wide(d, raw, v, form);
    float sum = 0;
    for (size_t j = 0; j < d; j++) {
        float sigma = deviation(form, raw[d + j], NULL), e = (v[j] - raw[j]) / sigma;
        sum += -0.5f * e * e - logf(sigma) - HALF_LOG_TWO_PI;
    }
    return sum;
}

/* Rows of two numbers, sixteen at most: the first of each, and the second. */
BO__INLINE void read_pairs(const float *x, size_t rows, bo__v16 *first, bo__v16 *second)
{
    bo__v16 a = bo__load_some(x, 2 * rows), b = {0};
    if (2 * rows > BO__LANES)
        b = bo__load_some(x + BO__LANES, 2 * rows - BO__LANES);
    *first = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *second = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

BO__INLINE void write_pairs(float *x, size_t rows, bo__v16 first, bo__v16 second)
{
    bo__store_some(x, __builtin_shufflevector(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                              6, 22, 7, 23), 2 * rows);
    if (2 * rows > BO__LANES)
        bo__store_some(x + BO__LANES,
                       __builtin_shufflevector(first, second, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                               29, 14, 30, 15, 31), 2 * rows - BO__LANES);
}

/* log N of rows of one number. */
BO__FAST static void log_normal_column(size_t rows, const float *raw, const float *v,
                                       bo__deviation form, float *y)
{
    for (size_t i = 0; i < rows; i += BO__LANES) {
        size_t some = rows - i < BO__LANES ? rows - i : BO__LANES;
        bo__v16 mu, r, slope;
        read_pairs(raw + 2 * i, some, &mu, &r);
        bo__v16 sigma = deviation16(form, r, &slope);
        bo__v16 e = (bo__load_some(v + i, some) - mu) / sigma;
        bo__store_some(y + i, -0.5f * e * e - bo__log16(sigma) - HALF_LOG_TWO_PI, some);
    }
}

/* Adds the derivatives; draw and dv may be NULL. */
BO__FAST static void log_normal_back_column(size_t rows, const float *raw, const float *v,
                                            bo__deviation form, const float *dy, float *draw,
                                            float *dv)
{
    for (size_t i = 0; i < rows; i += BO__LANES) {
        size_t some = rows - i < BO__LANES ? rows - i : BO__LANES;
        bo__v16 mu, r, slope, dmu, dr;
        read_pairs(raw + 2 * i, some, &mu, &r);
        bo__v16 sigma = deviation16(form, r, &slope);
        bo__v16 e = (bo__load_some(v + i, some) - mu) / sigma;
        bo__v16 g = bo__load_some(dy + i, some) / sigma;
        if (draw) {
            read_pairs(draw + 2 * i, some, &dmu, &dr);
            write_pairs(draw + 2 * i, some, dmu + g * e, dr + g * (e * e - 1) * slope);
        }
        if (dv)
            bo__store_some(dv + i, bo__load_some(dv + i, some) - g * e, some);
    }
}

/* Adds the derivatives of dy · log N of one row; draw and dv may be NULL. */
BO__FAST static void log_normal_back_wide(size_t d, const float *raw, const float *v,
                                          bo__deviation form, float dy, float *draw, float *dv)
{
    for (size_t j = 0; j < d; j += BO__LANES) {
        bo__v16 slope, sigma = deviation16(form, bo__load(raw + d + j), &slope);
        bo__v16 e = (bo__load(v + j) - bo__load(raw + j)) / sigma, g = dy / sigma;
        if (draw) {
            bo__put(draw + j, g * e, 1);
            bo__put(draw + d + j, g * (e * e - 1) * slope, 1);
        }
        if (dv)
            bo__put(dv + j, -g * e, 1);
    }
}

static void log_normal_back_row(size_t d, const float *raw, const float *v, bo__deviation form,
                                float dy, float *draw, float *dv)
{
    if (d % BO__LANES == 0) {
        log_normal_back_wide(d, raw, v, form, dy, draw, dv);
        return;
    }
    for (size_t j = 0; j < d; j++) {
        float slope, sigma = deviation(form, raw[d + j], &slope);
        float e = (v[j] - raw[j]) / sigma, g = dy / sigma;
        if (draw) {
            draw[j] += g * e;
            draw[d + j] += g * (e * e - 1) * slope;
        }
        if (dv)
            dv[j] -= g * e;
    }
}

static void log_normal_backward(bo__tape *tape, bo__node *node)
{
    gaussian *op = (gaussian *)node;
    bo__tensor *raw = op->raw, *v = op->v, *y = op->y;
    if (!y->touched)
        return;
    size_t d = v->cols;
    if (raw->grad)
        bo__tensor_open(raw);
    if (v->grad)
        bo__tensor_open(v);
    size_t rows = d == 1 ? y->tasks * y->points : 1; /* that are done at once */
    for (size_t i = 0; i < bo__tensor_rows(y); i += rows) {
        size_t ir = row_of(raw, i) * 2 * d, iv = row_of(v, i) * d;
        float *draw = raw->grad ? raw->grad + ir : NULL, *dv = v->grad ? v->grad + iv : NULL;
        if (d == 1)
            log_normal_back_column(rows, raw->data + ir, v->data + iv, op->form, y->grad + i, draw,
                                   dv);
        else
            log_normal_back_row(d, raw->data + ir, v->data + iv, op->form, y->grad[i], draw, dv);
    }
}

bo__tensor *bo__log_normal(bo__tape *tape, bo__tensor *raw, bo__tensor *v, bo__deviation form)
{
    bo__tape_begin(tape, BO__OP_GAUSSIAN);
    if (!raw || !v || tape->failed)
        return NULL;
    size_t d = v->cols, samples = raw->samples > v->samples ? raw->samples : v->samples;
    assert(raw->cols == 2 * d && raw->tasks == v->tasks && raw->points == v->points &&
           (raw->samples == 1 || raw->samples == samples) &&
           (v->samples == 1 || v->samples == samples));
    bool wants = bo__tape_wants(tape, raw, v);
    bo__tensor *y = bo__tensor_new(tape, samples, v->tasks, v->points, 1, wants);
    if (!y)
        return NULL;
    size_t rows = d == 1 ? y->tasks * y->points : 1; /* that are done at once */
    for (size_t i = 0; i < bo__tensor_rows(y); i += rows) {
        const float *of_raw = raw->data + row_of(raw, i) * 2 * d, *of_v = v->data + row_of(v, i) * d;
        if (d == 1)
            log_normal_column(rows, of_raw, of_v, form, y->data + i);
        else
            y->data[i] = log_normal_row(d, of_raw, of_v, form);
    }
    gaussian *op = wants ? bo__tape_node(tape, sizeof *op, log_normal_backward) : NULL;
    if (op) {
        op->raw = raw;
        op->v = v;
        op->y = y;
        op->form = form;
    }
    return y;
}

/* z = μ + σ·noise of one row of d numbers, a multiple of 16, and its derivatives. */
BO__FAST static void draw_wide(size_t d, const float *raw, const float *noise, bo__deviation form,
                               float *z)
{
    bo__v16 slope;
    for (size_t j = 0; j < d; j += BO__LANES)
        bo__store(z + j, bo__load(raw + j) + deviation16(form, bo__load(raw + d + j), &slope) *
                                                 bo__load(noise + j));
}

BO__FAST static void draw_back_wide(size_t d, const float *raw, const float *noise,
                                    bo__deviation form, const float *dz, float *draw)
{
    for (size_t j = 0; j < d; j += BO__LANES) {
        bo__v16 slope, g = bo__load(dz + j);
        deviation16(form, bo__load(raw + d + j), &slope);
        bo__put(draw + j, g, 1);
        bo__put(draw + d + j, g * bo__load(noise + j) * slope, 1);
    }
}

static void reparameterise_backward(bo__tape *tape, bo__node *node)
{
    gaussian *op = (gaussian *)node;
    bo__tensor *raw = op->raw, *z = op->y;
    if (!z->touched)
        return;
    size_t d = z->cols;
    bo__tensor_open(raw);
    for (size_t i = 0; i < bo__tensor_rows(z); i++) {
        size_t ir = row_of(raw, i) * 2 * d;
        if (d % BO__LANES == 0)
            draw_back_wide(d, raw->data + ir, op->noise->data + i * d, op->form, z->grad + i * d,
                           raw->grad + ir);
        for (size_t j = 0; j < d && d % BO__LANES; j++) {
            float slope, g = z->grad[i * d + j];
            deviation(op->form, raw->data[ir + d + j], &slope);
            raw->grad[ir + j] += g;
            raw->grad[ir + d + j] += g * op->noise->data[i * d + j] * slope;
        }
    }
}

bo__tensor *bo__reparameterise(bo__tape *tape, bo__tensor *raw, const bo__tensor *noise,
                               bo__deviation form)
{
    bo__tape_begin(tape, BO__OP_GAUSSIAN);
    if (!raw || !noise || tape->failed)
        return NULL;
    size_t d = noise->cols;
    assert(raw->cols == 2 * d && raw->samples == 1 && raw->tasks == noise->tasks &&
           raw->points == noise->points);
    bool wants = bo__tape_wants(tape, raw, NULL);
    bo__tensor *z = bo__tensor_new(tape, noise->samples, noise->tasks, noise->points, d, wants);
    if (!z)
        return NULL;
    for (size_t i = 0; i < bo__tensor_rows(z); i++) {
        const float *r = raw->data + row_of(raw, i) * 2 * d;
        if (d % BO__LANES == 0)
            draw_wide(d, r, noise->data + i * d, form, z->data + i * d);
        for (size_t j = 0; j < d && d % BO__LANES; j++)
            z->data[i * d + j] = r[j] + deviation(form, r[d + j], NULL) * noise->data[i * d + j];
    }
    gaussian *op = wants ? bo__tape_node(tape, sizeof *op, reparameterise_backward) : NULL;
    if (op) {
        op->raw = raw;
        op->noise = noise;
        op->y = z;
        op->form = form;
    }
    return z;
}

static void divergence_backward(bo__tape *tape, bo__node *node)
{
    gaussian *op = (gaussian *)node;
    bo__tensor *q = op->raw, *p = op->p, *y = op->y;
    if (!y->touched)
        return;
    size_t d = q->cols / 2;
    if (q->grad)
        bo__tensor_open(q);
    if (p->grad)
        bo__tensor_open(p);
    for (size_t i = 0; i < bo__tensor_rows(y); i++)
        for (size_t j = 0; j < d; j++) {
            size_t im = i * 2 * d + j, is = im + d;
            float slope_q, slope_p, g = y->grad[i];
            float sq = deviation(op->form, q->data[is], &slope_q);
            float sp = deviation(op->form, p->data[is], &slope_p);
            float e = (q->data[im] - p->data[im]) / sp;
            if (q->grad) {
                q->grad[im] += g * e / sp;
                q->grad[is] += g * (sq / (sp * sp) - 1 / sq) * slope_q;
            }
            if (p->grad) {
                p->grad[im] -= g * e / sp;
                p->grad[is] += g * (1 - sq * sq / (sp * sp) - e * e) / sp * slope_p;
            }
        }
}

bo__tensor *bo__divergence(bo__tape *tape, bo__tensor *q, bo__tensor *p, bo__deviation form)
{
    bo__tape_begin(tape, BO__OP_GAUSSIAN);
    if (!q || !p || tape->failed)
        return NULL;
    assert(q->samples == p->samples && q->tasks == p->tasks && q->points == p->points &&
           q->cols == p->cols && q->cols % 2 == 0);
    size_t d = q->cols / 2;
    bool wants = bo__tape_wants(tape, q, p);
    bo__tensor *y = bo__tensor_new(tape, q->samples, q->tasks, q->points, 1, wants);
    if (!y)
        return NULL;
    for (size_t i = 0; i < bo__tensor_rows(y); i++) {
        const float *rq = q->data + i * 2 * d, *rp = p->data + i * 2 * d;
        float sum = 0;
        for (size_t j = 0; j < d; j++) {
            float sq = deviation(form, rq[d + j], NULL), sp = deviation(form, rp[d + j], NULL);
            float e = (rq[j] - rp[j]) / sp, ratio = sq / sp;
            sum += -logf(ratio) + 0.5f * (ratio * ratio + e * e - 1);
        }
        y->data[i] = sum;
    }
    gaussian *op = wants ? bo__tape_node(tape, sizeof *op, divergence_backward) : NULL;
    if (op) {
        op->raw = q;
        op->p = p;
        op->y = y;
        op->form = form;
    }
    return y;
}

void bo__gaussian_read(const bo__tensor *raw, bo__deviation form, float *mu, float *sigma)
{
    size_t d = raw->cols / 2;
    for (size_t i = 0; i < bo__tensor_rows(raw); i++)
        for (size_t j = 0; j < d; j++) {
            mu[i * d + j] = raw->data[i * 2 * d + j];
            sigma[i * d + j] = deviation(form, raw->data[i * 2 * d + d + j], NULL);
        }
}
