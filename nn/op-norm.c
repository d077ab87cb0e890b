/* op-norm.c - layer normalisation of a residual sum.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   h = a + b,  ĥ = (h - mean h) · r,  r = 1/√(var h + 1e-5),  y = γ ĥ + β   (Ba et al., 2016)
 * over the columns of each row; the variance is the biased one.  Backward, with g = γ dy:
 *   dγ += Σ dy ĥ   dβ += Σ dy   da, db += r · (g - mean g - ĥ · mean(g ĥ))
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "ops.h"

#define EPSILON 1e-5f

/* Widest row: sums over rows are kept on the stack. */
#define COLS_MOST 4096

typedef struct norm {
    bo__node node;
    bo__tensor *a, *b, *y;
    bo__weight gamma, beta;
    float *moments; /* mean and r of each row */
} norm;

BO__FAST static void norm_rows(size_t rows, size_t cols, size_t a_rows, const float *a,
                               const float *b, const float *gamma, const float *beta, float *y,
                               float *moments)
{
    float part = 1.0f / (float)cols;
    for (size_t i = 0; i < rows; i++, b += cols, y += cols) {
        const float *ai = a + (i % a_rows) * cols;
        bo__v16 s = {0}, q = {0};
        for (size_t j = 0; j < cols; j += BO__LANES) {
            bo__v16 h = bo__load(ai + j) + bo__load(b + j);
            bo__store(y + j, h);
            s += h;
        }
        float mean = bo__sum16(s) * part;
        for (size_t j = 0; j < cols; j += BO__LANES) {
            bo__v16 h = bo__load(y + j) - mean;
            q += h * h;
        }
        float r = 1.0f / sqrtf(bo__sum16(q) * part + EPSILON);
        for (size_t j = 0; j < cols; j += BO__LANES)
            bo__store(y + j, bo__load(gamma + j) * ((bo__load(y + j) - mean) * r) +
                                 bo__load(beta + j));
        moments[2 * i] = mean;
        moments[2 * i + 1] = r;
    }
}

/* One row: dy is overwritten with dh, since nobody reads it afterwards; adds to dγ, dβ. */
BO__INLINE void norm_row_backward(size_t cols, const float *a, const float *b, float *dy,
                                  const float *gamma, const float *moments, float *dgamma,
                                  float *dbeta)
{
    float mean = moments[0], r = moments[1], part = 1.0f / (float)cols;
    bo__v16 s = {0}, q = {0};
    for (size_t j = 0; j < cols; j += BO__LANES) {
        bo__v16 h = (bo__load(a + j) + bo__load(b + j) - mean) * r, d = bo__load(dy + j);
        bo__v16 g = d * bo__load(gamma + j);
        s += g;
        q += g * h;
        bo__put(dgamma + j, d * h, 1);
        bo__put(dbeta + j, d, 1);
    }
    float mean_g = bo__sum16(s) * part, mean_gh = bo__sum16(q) * part;
    for (size_t j = 0; j < cols; j += BO__LANES) {
        bo__v16 h = (bo__load(a + j) + bo__load(b + j) - mean) * r;
        bo__v16 g = bo__load(dy + j) * bo__load(gamma + j);
        bo__store(dy + j, r * (g - mean_g - h * mean_gh));
    }
}

/* The same for 128 columns, all of which fit in registers. */
BO__INLINE void norm_row_backward_128(const float *a, const float *b, float *dy,
                                      const bo__v16 gamma[8], const float *moments,
                                      bo__v16 dgamma[8], bo__v16 dbeta[8])
{
    float mean = moments[0], r = moments[1];
    bo__v16 s = {0}, q = {0}, h[8], g[8];
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; j++) {
        bo__v16 d = bo__load(dy + j * BO__LANES);
        h[j] = (bo__load(a + j * BO__LANES) + bo__load(b + j * BO__LANES) - mean) * r;
        g[j] = d * gamma[j];
        s += g[j];
        q += g[j] * h[j];
        dgamma[j] += d * h[j];
        dbeta[j] += d;
    }
    float mean_g = bo__sum16(s) / 128, mean_gh = bo__sum16(q) / 128;
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; j++)
        bo__store(dy + j * BO__LANES, r * (g[j] - mean_g - h[j] * mean_gh));
}

/* What a row's derivative is added to, or stored in. */
typedef struct target {
    float *grad; /* NULL: none */
    bool add;
} target;

BO__INLINE void pass_on(size_t cols, const float *dh, target to, size_t row)
{
    for (size_t j = 0; to.grad && j < cols; j += BO__LANES)
        bo__put(to.grad + row * cols + j, bo__load(dh + j), to.add);
}

BO__FAST static void rows_backward(size_t rows, size_t cols, size_t a_rows, const float *a,
                                   const float *b, float *dy, const float *gamma,
                                   const float *moments, float *sums, target to_a, target to_b)
{
    for (size_t i = 0; i < rows; i++, dy += cols) {
        size_t ia = i % a_rows;
        norm_row_backward(cols, a + ia * cols, b + i * cols, dy, gamma, moments + 2 * i, sums,
                          sums + cols);
        pass_on(cols, dy, to_a, ia);
        pass_on(cols, dy, to_b, i);
    }
}

BO__FAST static void rows_backward_128(size_t rows, size_t a_rows, const float *a, const float *b,
                                       float *dy, const float *gamma, const float *moments,
                                       float *sums, target to_a, target to_b)
{
    bo__v16 scale[8], dgamma[8] = {{0}}, dbeta[8] = {{0}};
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; j++)
        scale[j] = bo__load(gamma + j * BO__LANES);
    for (size_t i = 0; i < rows; i++, dy += 128) {
        size_t ia = i % a_rows;
        norm_row_backward_128(a + ia * 128, b + i * 128, dy, scale, moments + 2 * i, dgamma,
                              dbeta);
        pass_on(128, dy, to_a, ia);
        pass_on(128, dy, to_b, i);
    }
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; j++) {
        bo__store(sums + j * BO__LANES, dgamma[j]);
        bo__store(sums + 128 + j * BO__LANES, dbeta[j]);
    }
}

static void add_sums(size_t cols, const float *sums, float *dgamma, float *dbeta)
{
    for (size_t j = 0; j < cols; j++) {
        dgamma[j] += sums[j];
        dbeta[j] += sums[cols + j];
    }
}

static void norm_backward(bo__tape *tape, bo__node *node)
{
    norm *op = (norm *)node;
    bo__tensor *a = op->a, *b = op->b, *y = op->y;
    if (!y->touched)
        return;
    size_t rows = bo__tensor_rows(y), a_rows = bo__tensor_rows(a);
    if (a->grad && a_rows < rows)
        bo__tensor_open(a);
    bool add_a = a->grad && bo__tensor_add(a);
    bool add_b = b->grad && bo__tensor_add(b);
    if (a == b) /* h = 2a: both halves go to the same place */
        add_b = true;
    float sums[2 * COLS_MOST];
    memset(sums, 0, 2 * y->cols * sizeof *sums);
    const float *gamma = tape->theta + op->gamma.offset;
    target to_a = {a->grad, add_a}, to_b = {b->grad, add_b};
    if (y->cols == 128)
        rows_backward_128(rows, a_rows, a->data, b->data, y->grad, gamma, op->moments, sums, to_a,
                          to_b);
    else
        rows_backward(rows, y->cols, a_rows, a->data, b->data, y->grad, gamma, op->moments, sums,
                      to_a, to_b);
    if (tape->dtheta)
        add_sums(y->cols, sums, tape->dtheta + op->gamma.offset, tape->dtheta + op->beta.offset);
}

bo__tensor *bo__norm(bo__tape *tape, bo__tensor *a, bo__tensor *b, bo__weight gamma,
                     bo__weight beta)
{
    bo__tape_begin(tape, BO__OP_NORM);
    if (!a || !b || tape->failed)
        return NULL;
    assert((a->samples == 1 || a->samples == b->samples) && a->tasks == b->tasks &&
           a->points == b->points && a->cols == b->cols && gamma.rows == a->cols &&
           beta.rows == a->cols && a->cols % BO__LANES == 0 && a->cols <= COLS_MOST);
    bool wants = bo__tape_wants(tape, a, b) || (tape->recording && tape->dtheta);
    bo__tensor *y = bo__tensor_new(tape, b->samples, b->tasks, b->points, b->cols, wants);
    float *moments = bo__tape_take(tape, (y ? bo__tensor_rows(y) : 1) * 2 * sizeof *moments);
    if (!y || !moments)
        return NULL;
    norm_rows(bo__tensor_rows(y), y->cols, bo__tensor_rows(a), a->data, b->data,
              tape->theta + gamma.offset, tape->theta + beta.offset, y->data, moments);
    norm *op = wants ? bo__tape_node(tape, sizeof *op, norm_backward) : NULL;
    if (op) {
        op->a = a;
        op->b = b;
        op->y = y;
        op->gamma = gamma;
        op->beta = beta;
        op->moments = moments;
    }
    return y;
}
