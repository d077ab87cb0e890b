/* op-attention.c - multi-head attention in two operators: the weights, and what they mix.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For each task and head, with q_i, k_j, v_j the head's chunks of the rows and c the full width
 * (Vaswani et al., 2017, with √ of the full width as in the models of SPEC):
 *   a_ij = q_i·k_j/√c + log n_j     w_ij = exp a_ij / Σ_j' exp a_ij'     y_i = Σ_j w_ij v_j
 * n_j is how many times key j is there: attention over a resampled context is attention over the
 * original one with the numbers of draws.  Backward:
 *   dw_ij = dy_i·v_j    dv_j = Σ_i w_ij dy_i
 *   da_ij = w_ij (dw_ij - Σ_j' w_ij' dw_ij')    dq_i = Σ_j da_ij k_j/√c    dk_j = Σ_i da_ij q_i/√c
 *
 * Weights are a tensor of their own since the cross-attention of the bootstrapped models has the
 * same queries and keys for all samples.  The matrices are far too small for a BLAS (heads are
 * 16 columns wide, keys a few dozen), so the three products are written out here.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "ops.h"
#include "turn.h"

#define ABSENT -1e30f /* log n of a key that is not there */

typedef struct attention {
    bo__node node;
    bo__tensor *q, *k, *v, *w, *y;
    size_t heads;
    float *packed; /* keys or values of one head, transposed: a scratch */
} attention;

/* Rows that are worked on at once; what is left over is done at once too. */
#define ROWS 8
#define FOR_THE_REST(left, DO)                                                                   \
    switch (left) {                                                                              \
    case 7:                                                                                      \
        DO(7);                                                                                   \
        break;                                                                                   \
    case 6:                                                                                      \
        DO(6);                                                                                   \
        break;                                                                                   \
    case 5:                                                                                      \
        DO(5);                                                                                   \
        break;                                                                                   \
    case 4:                                                                                      \
        DO(4);                                                                                   \
        break;                                                                                   \
    case 3:                                                                                      \
        DO(3);                                                                                   \
        break;                                                                                   \
    case 2:                                                                                      \
        DO(2);                                                                                   \
        break;                                                                                   \
    case 1:                                                                                      \
        DO(1);                                                                                   \
    }

static size_t padded(size_t n)
{
    return (n + BO__LANES - 1) / BO__LANES * BO__LANES;
}

/* s[i][j] (+)= Σ_d q[i][d] kt[d][j], `count` rows (1 … 8, a constant) at once: eight sums keep the
 * multipliers busy. */
BO__INLINE void dot_rows(size_t count, size_t wide, size_t width, const float *q, size_t stride,
                         const float *kt, float *s, bool add)
{
    for (size_t j = 0; j < wide; j += BO__LANES) {
        bo__v16 sum[ROWS];
#pragma GCC unroll 8
        for (size_t r = 0; r < count; r++)
            sum[r] = add ? bo__load(s + r * wide + j) : bo__splat(0);
        for (size_t d = 0; d < width; d++) {
            bo__v16 key = bo__load(kt + d * wide + j);
#pragma GCC unroll 8
            for (size_t r = 0; r < count; r++)
                sum[r] += q[r * stride + d] * key;
        }
#pragma GCC unroll 8
        for (size_t r = 0; r < count; r++)
            bo__store(s + r * wide + j, sum[r]);
    }
}

BO__FAST static void dot_all(size_t n, size_t wide, size_t width, const float *q, size_t stride,
                             const float *kt, float *s, bool add)
{
    size_t i = 0;
    for (; i + ROWS <= n; i += ROWS)
        dot_rows(ROWS, wide, width, q + i * stride, stride, kt, s + i * wide, add);
#define DOT(count) dot_rows(count, wide, width, q + i * stride, stride, kt, s + i * wide, add)
    FOR_THE_REST(n - i, DOT)
}

/* y[i] (+)= scale · Σ_j w[i·step_i + j·step_j] v[j], `count` rows (1 … 8, a constant) at once. */
BO__INLINE void mix_rows(size_t count, size_t n, size_t width, float scale, const float *w,
                         size_t step_i, size_t step_j, const float *v, size_t v_stride, float *y,
                         size_t y_stride, bool add)
{
    for (size_t d = 0; d < width; d += BO__LANES) {
        bo__v16 sum[ROWS];
#pragma GCC unroll 8
        for (size_t r = 0; r < count; r++)
            sum[r] = bo__splat(0);
        for (size_t j = 0; j < n; j++) {
            bo__v16 value = bo__load(v + j * v_stride + d);
#pragma GCC unroll 8
            for (size_t r = 0; r < count; r++)
                sum[r] += w[r * step_i + j * step_j] * value;
        }
#pragma GCC unroll 8
        for (size_t r = 0; r < count; r++)
            bo__put(y + r * y_stride + d, scale * sum[r], add);
    }
}

/* m rows of y from n rows of v. */
BO__FAST static void mix_all(size_t m, size_t n, size_t width, float scale, const float *w,
                             size_t step_i, size_t step_j, const float *v, size_t v_stride,
                             float *y, size_t y_stride, bool add)
{
    size_t i = 0;
#define MIX(count)                                                                               \
    mix_rows(count, n, width, scale, w + i * step_i, step_i, step_j, v, v_stride,                \
             y + i * y_stride, y_stride, add)
    for (; i + ROWS <= m; i += ROWS)
        MIX(ROWS);
    FOR_THE_REST(m - i, MIX)
}

/* One query whose weights are the same for all samples, as climbs of the bootstrapped models have
 * it.  All heads go along a row of v at once, so that the values, megabytes of them, are read once
 * and in order. */

/* y = Σ_j w[h][j] v[j], c columns in heads of `width`. */
BO__FAST static void mix_single(size_t n, size_t c, size_t width, const float *w, size_t wide,
                                const float *v, float *y)
{
    enum { AT_ONCE = 8 };
    for (size_t first = 0; first < c; first += AT_ONCE * BO__LANES) {
        size_t count = (c - first) / BO__LANES < AT_ONCE ? (c - first) / BO__LANES : AT_ONCE;
        const float *of[AT_ONCE];
        bo__v16 sum[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++) {
            size_t column = first + (i < count ? i : 0) * BO__LANES;
            of[i] = w + column / width * wide;
            sum[i] = bo__splat(0);
        }
        if (count == AT_ONCE)
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < AT_ONCE; i++)
                    sum[i] += of[i][j] * bo__load(v + j * c + first + i * BO__LANES);
        else
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < count; i++)
                    sum[i] += of[i][j] * bo__load(v + j * c + first + i * BO__LANES);
        for (size_t i = 0; i < count; i++)
            bo__store(y + first + i * BO__LANES, sum[i]);
    }
}

/* Rows of v that are gone through for all samples before the next ones: their sums fit in L1. */
#define SINGLE_ROWS 16

/* dw[h][j] (+)= Σ_s dy[s] · v[s][j] over the columns of head h; part has SINGLE_ROWS · c. */
BO__FAST static void dot_single(size_t samples, size_t n, size_t c, size_t width, const float *dy,
                                const float *v, float *part, float *dw, size_t wide, bool add)
{
    for (size_t first = 0; first < n; first += SINGLE_ROWS) {
        size_t rows = n - first < SINGLE_ROWS ? n - first : SINGLE_ROWS;
        for (size_t s = 0; s < samples; s++)
            for (size_t j = 0; j < rows; j++) {
                const float *from = v + (s * n + first + j) * c, *d = dy + s * c;
                for (size_t i = 0; i < c; i += BO__LANES)
                    bo__put(part + j * c + i, bo__load(d + i) * bo__load(from + i), s > 0);
            }
        for (size_t j = 0; j < rows; j++)
            for (size_t h = 0; h * width < c; h++) {
                bo__v16 sum = bo__load(part + j * c + h * width);
                for (size_t i = BO__LANES; i < width; i += BO__LANES)
                    sum += bo__load(part + j * c + h * width + i);
                float *to = dw + h * wide + first + j;
                *to = bo__sum16(sum) + (add ? *to : 0);
            }
    }
}

/* Rows of a become softmax(scale · a + extra). */
BO__FAST static void softmax_rows(size_t rows, size_t wide, float scale, const float *extra,
                                  float *a)
{
    for (size_t i = 0; i < rows; i++, a += wide) {
        bo__v16 top = bo__splat(ABSENT), sum = {0};
        for (size_t j = 0; j < wide; j += BO__LANES) {
            bo__v16 v = scale * bo__load(a + j) + bo__load(extra + j);
            bo__store(a + j, v);
            top = bo__max16(top, v);
        }
        float most = bo__largest16(top);
        for (size_t j = 0; j < wide; j += BO__LANES) {
            bo__v16 v = bo__exp16(bo__load(a + j) - most);
            bo__store(a + j, v);
            sum += v;
        }
        float part = 1.0f / bo__sum16(sum);
        for (size_t j = 0; j < wide; j += BO__LANES)
            bo__store(a + j, bo__load(a + j) * part);
    }
}

/* dw becomes da. */
BO__FAST static void softmax_rows_backward(size_t rows, size_t wide, const float *w, float *dw)
{
    for (size_t i = 0; i < rows; i++, w += wide, dw += wide) {
        bo__v16 sum = {0};
        for (size_t j = 0; j < wide; j += BO__LANES)
            sum += bo__load(w + j) * bo__load(dw + j);
        float mean = bo__sum16(sum);
        for (size_t j = 0; j < wide; j += BO__LANES)
            bo__store(dw + j, bo__load(w + j) * (bo__load(dw + j) - mean));
    }
}

/* Where the rows of (sample, task) begin. */
static size_t start(const bo__tensor *t, size_t s, size_t task)
{
    s = t->samples == 1 ? 0 : s;
    return (s * t->tasks + task) * t->points * t->cols;
}

/* log n_j of the keys of (sample, task), padded. */
static void log_counts(const bo__tensor *counts, size_t s, size_t task, size_t n, float *out)
{
    for (size_t j = 0; j < n; j++) {
        float c = counts ? counts->data[start(counts, s, task) + j] : 1;
        out[j] = c == 1 ? 0 : c > 0 ? logf(c) : ABSENT;
    }
    for (size_t j = n; j < padded(n); j++)
        out[j] = ABSENT;
}

static void weights_group(bo__tensor *q, bo__tensor *k, const bo__tensor *counts, bo__tensor *w,
                          size_t s, size_t task, size_t heads, float *packed)
{
    size_t c = q->cols, width = c / heads, wide = w->cols;
    float *extra = packed + width * wide, *out = w->data + start(w, s, task);
    log_counts(counts, s, task, k->points, extra);
    for (size_t h = 0; h < heads; h++, out += q->points * wide) {
        bo__turn(k->points, width, k->data + start(k, s, task) + h * width, c, packed, wide);
        dot_all(q->points, wide, width, q->data + start(q, s, task) + h * width, c, packed, out,
                false);
        softmax_rows(q->points, wide, 1.0f / sqrtf((float)c), extra, out);
    }
}

/* Whether results must be added to t->grad: they are stored only when each is the first and only
 * one of its place. */
static bool adding(bo__tensor *t, size_t samples)
{
    if (t->samples < samples)
        bo__tensor_open(t);
    return bo__tensor_add(t);
}

static void weights_backward(bo__tape *tape, bo__node *node)
{
    attention *op = (attention *)node;
    bo__tensor *q = op->q, *k = op->k, *w = op->w;
    if (!w->touched)
        return;
    size_t c = q->cols, width = c / op->heads, wide = w->cols, n = k->points, m = q->points;
    float scale = 1.0f / sqrtf((float)c);
    softmax_rows_backward(bo__tensor_rows(w), wide, w->data, w->grad);
    bool add_q = q->grad && adding(q, w->samples), add_k = k->grad && adding(k, w->samples);
    for (size_t s = 0; s < w->samples; s++)
        for (size_t t = 0; t < w->tasks; t++)
            for (size_t h = 0; h < op->heads; h++) {
                const float *da = w->grad + start(w, s, t) + h * m * wide;
                size_t iq = start(q, s, t) + h * width, ik = start(k, s, t) + h * width;
                if (q->grad)
                    mix_all(m, n, width, scale, da, wide, 1, k->data + ik, c, q->grad + iq, c,
                            add_q);
                if (k->grad)
                    mix_all(n, m, width, scale, da, 1, wide, q->data + iq, c, k->grad + ik, c,
                            add_k);
            }
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

bo__tensor *bo__attention_weights(bo__tape *tape, bo__tensor *q, bo__tensor *k,
                                  const bo__tensor *counts, size_t heads)
{
    bo__tape_begin(tape, BO__OP_WEIGHTS);
    if (!q || !k || tape->failed)
        return NULL;
    size_t samples = most(most(q->samples, k->samples), counts ? counts->samples : 1);
    assert(q->tasks == k->tasks && q->cols == k->cols && q->cols % heads == 0 &&
           q->cols / heads % BO__LANES == 0 && (q->samples == 1 || q->samples == samples) &&
           (k->samples == 1 || k->samples == samples) &&
           (!counts || (counts->points == k->points && counts->tasks == k->tasks)));
    size_t wide = padded(k->points);
    bool wants = bo__tape_wants(tape, q, k);
    bo__tensor *w = bo__tensor_new(tape, samples, q->tasks, heads * q->points, wide, wants);
    float *packed = bo__tape_take(tape, (q->cols / heads + 1) * wide * sizeof *packed);
    if (!w || !packed)
        return NULL;
    for (size_t s = 0; s < samples; s++)
        for (size_t t = 0; t < q->tasks; t++)
            weights_group(q, k, counts, w, s, t, heads, packed);
    attention *op = wants ? bo__tape_node(tape, sizeof *op, weights_backward) : NULL;
    if (op) {
        op->q = q;
        op->k = k;
        op->w = w;
        op->heads = heads;
    }
    return w;
}

/* One query of one task, the same weights for all samples. */
static bool is_single(const bo__tensor *w, size_t m)
{
    return m == 1 && w->samples == 1 && w->tasks == 1;
}

static void apply_backward(bo__tape *tape, bo__node *node)
{
    attention *op = (attention *)node;
    bo__tensor *w = op->w, *v = op->v, *y = op->y;
    if (!y->touched)
        return;
    size_t c = v->cols, width = c / op->heads, wide = w->cols, n = v->points, m = y->points;
    bool single = is_single(w, m) && !v->grad;
    bool add_w = w->grad && (single ? bo__tensor_add(w) : adding(w, y->samples));
    bool add_v = v->grad && adding(v, y->samples);
    if (single) {
        if (!add_w)
            memset(w->grad, 0, bo__tensor_size(w) * sizeof *w->grad); /* the padding */
        dot_single(y->samples, n, c, width, y->grad, v->data, op->packed, w->grad, wide, add_w);
        return;
    }
    for (size_t s = 0; s < y->samples; s++)
        for (size_t t = 0; t < y->tasks; t++)
            for (size_t h = 0; h < op->heads; h++) {
                const float *dy = y->grad + start(y, s, t) + h * width;
                size_t iw = start(w, s, t) + h * m * wide, iv = start(v, s, t) + h * width;
                if (w->grad) {
                    bo__turn(n, width, v->data + iv, c, op->packed, wide);
                    dot_all(m, wide, width, dy, c, op->packed, w->grad + iw, add_w);
                }
                if (v->grad)
                    mix_all(n, m, width, 1, w->data + iw, 1, wide, dy, c, v->grad + iv, c, add_v);
            }
}

bo__tensor *bo__attention_apply(bo__tape *tape, bo__tensor *w, bo__tensor *v, size_t heads)
{
    bo__tape_begin(tape, BO__OP_APPLY);
    if (!w || !v || tape->failed)
        return NULL;
    size_t samples = most(w->samples, v->samples), m = w->points / heads, n = v->points;
    assert(w->tasks == v->tasks && w->cols == padded(n) && w->points % heads == 0 &&
           v->cols / heads % BO__LANES == 0 && (w->samples == 1 || w->samples == samples) &&
           (v->samples == 1 || v->samples == samples));
    size_t c = v->cols, width = c / heads, wide = w->cols;
    bool wants = bo__tape_wants(tape, w, v);
    bo__tensor *y = bo__tensor_new(tape, samples, v->tasks, m, c, wants);
    size_t room = most(width * wide, SINGLE_ROWS * c);
    float *packed = wants ? bo__tape_take(tape, room * sizeof *packed) : NULL;
    if (!y || (wants && !packed))
        return NULL;
    bool single = is_single(w, m);
    for (size_t s = 0; single && s < samples; s++)
        mix_single(n, c, width, w->data, wide, v->data + start(v, s, 0), y->data + s * c);
    for (size_t s = 0; !single && s < samples; s++)
        for (size_t t = 0; t < v->tasks; t++)
            for (size_t h = 0; h < heads; h++)
                mix_all(m, n, width, 1, w->data + start(w, s, t) + h * m * wide, wide, 1,
                        v->data + start(v, s, t) + h * width, c,
                        y->data + start(y, s, t) + h * width, c, false);
    attention *op = wants ? bo__tape_node(tape, sizeof *op, apply_backward) : NULL;
    if (op) {
        op->w = w;
        op->v = v;
        op->y = y;
        op->heads = heads;
        op->packed = packed;
    }
    return y;
}
