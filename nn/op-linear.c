/* op-linear.c - y = x Wᵀ + b, with ReLU if asked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Backward, with g = dy, or dy where y > 0 if there was a ReLU:
 *   db += Σ_rows g    dW += gᵀ x    dx += g W
 * g overwrites dy: nobody reads dy afterwards.
 *
 * Layers with very few inputs (the points themselves) are written out: a product with an inner
 * dimension of two spends its time packing.
 */
#include <assert.h>
#include <string.h>

#include "lanes.h"
#include "matmul.h"
#include "ops.h"
#include "turn.h"

/* Inputs up to which a layer is written out, and the widest such layer. */
#define NARROW 4
#define NARROW_WIDTH 1024

typedef struct linear {
    bo__node node;
    bo__tensor *x, *y;
    bo__weight w, b;
    bool biased, relu;
} linear;

/* g = dy where y > 0. */
BO__FAST static void mask(size_t size, const float *y, float *dy)
{
    size_t i = 0;
    for (; i + BO__LANES <= size; i += BO__LANES)
        bo__store(dy + i, bo__where_positive(bo__load(y + i), bo__load(dy + i)));
    for (; i < size; i++)
        dy[i] = y[i] > 0 ? dy[i] : 0;
}

/* db += Σ_rows g, four vectors of columns at a time to keep the sums in registers. */
BO__FAST static void sum_rows(size_t rows, size_t cols, const float *g, float *db)
{
    size_t j = 0;
    for (; j + 4 * BO__LANES <= cols; j += 4 * BO__LANES) {
        bo__v16 s[4] = {{0}};
        for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (size_t l = 0; l < 4; l++)
                s[l] += bo__load(g + i * cols + j + l * BO__LANES);
#pragma GCC unroll 4
        for (size_t l = 0; l < 4; l++)
            bo__put(db + j + l * BO__LANES, s[l], 1);
    }
    for (; j < cols; j++)
        for (size_t i = 0; i < rows; i++)
            db[j] += g[i * cols + j];
}

static bool is_narrow(bo__weight w)
{
    return w.cols <= NARROW && w.rows <= NARROW_WIDTH && w.rows % BO__LANES == 0;
}

/* The narrow layer; column c of W stands at wt + c · out. */
BO__FAST static void narrow_forward(size_t rows, size_t in, size_t out, const float *x,
                                    const float *wt, const float *b, bool relu, float *y)
{
    for (size_t i = 0; i < rows; i++, x += in, y += out)
        for (size_t j = 0; j < out; j += BO__LANES) {
            bo__v16 v = b ? bo__load(b + j) : bo__splat(0);
            for (size_t c = 0; c < in; c++)
                v += x[c] * bo__load(wt + c * out + j);
            bo__store(y + j, relu ? bo__relu16(v) : v);
        }
}

BO__FAST static void narrow_weights(size_t rows, size_t in, size_t out, const float *x,
                                    const float *g, float *dwt)
{
    for (size_t c = 0; c < in; c++)
        for (size_t j = 0; j < out; j += BO__LANES) {
            bo__v16 s = {0};
            for (size_t i = 0; i < rows; i++)
                s += x[i * in + c] * bo__load(g + i * out + j);
            bo__store(dwt + c * out + j, s);
        }
}

static void weights_backward(bo__tape *tape, linear *op, size_t rows)
{
    bo__weight w = op->w;
    const float *g = op->y->grad, *x = op->x->data;
    float *dw = tape->dtheta + w.offset;
    if (is_narrow(w)) {
        float dwt[NARROW * NARROW_WIDTH];
        narrow_weights(rows, w.cols, w.rows, x, g, dwt);
        for (size_t i = 0; i < w.rows; i++)
            for (size_t c = 0; c < w.cols; c++)
                dw[i * w.stride + c] += dwt[c * w.rows + i];
    } else
        bo__tape_multiply(tape, &(bo__product){.m = w.rows, .n = w.cols, .k = rows,
                                  .a = {g, w.rows, true}, .b = {x, w.cols, false},
                                  .c = dw, .c_stride = w.stride, .add = true,
                                  .precision = bo__precision_backward(tape->precision)});
    if (op->biased)
        sum_rows(rows, w.rows, g, tape->dtheta + op->b.offset);
}

static void linear_backward(bo__tape *tape, bo__node *node)
{
    linear *op = (linear *)node;
    bo__tensor *x = op->x, *y = op->y;
    if (!y->touched)
        return;
    size_t rows = bo__tensor_rows(x);
    if (op->relu)
        mask(rows * y->cols, y->data, y->grad);
    if (tape->dtheta)
        weights_backward(tape, op, rows);
    if (x->grad)
        bo__tape_multiply(tape, &(bo__product){.m = rows, .n = x->cols, .k = y->cols,
                                  .a = {y->grad, y->cols, false},
                                  .b = {tape->theta + op->w.offset, op->w.stride, false},
                                  .b_pairs = tape->pairs ? tape->pairs + op->w.offset : NULL,
                                  .c = x->grad, .c_stride = x->cols, .add = bo__tensor_add(x),
                                  .precision = bo__precision_backward(tape->precision)});
}

static void linear_forward(bo__tape *tape, const bo__tensor *x, bo__weight w,
                           const float *bias, bool relu, float *y)
{
    size_t rows = bo__tensor_rows(x);
    if (is_narrow(w)) {
        float wt[NARROW * NARROW_WIDTH];
        const float *columns = tape->turned ? tape->turned + w.turned : wt;
        if (!tape->turned)
            bo__turn(w.rows, w.cols, tape->theta + w.offset, w.stride, wt, w.rows);
        narrow_forward(rows, w.cols, w.rows, x->data, columns, bias, relu, y);
        return;
    }
    const float *pairs = tape->turned_pairs ? tape->turned_pairs + w.turned_pairs : NULL;
    bo__matrix b = {tape->theta + w.offset, w.stride, true};
    if (tape->turned)
        b = (bo__matrix){tape->turned + w.turned, w.rows, false};
    bo__tape_multiply(tape, &(bo__product){.m = rows, .n = w.rows, .k = w.cols,
                              .a = {x->data, x->cols, false},
                              .b = b, .b_pairs = pairs, .c = y, .c_stride = w.rows,
                              .bias = bias, .relu = relu,
                              .precision = tape->precision});
}

bo__tensor *bo__linear(bo__tape *tape, bo__tensor *x, bo__weight w, const bo__weight *b,
                       bool relu)
{
    bo__tape_begin(tape, BO__OP_LINEAR);
    if (!x || tape->failed)
        return NULL;
    assert(x->cols == w.cols && (!b || b->rows == w.rows));
    bool wants = tape->recording && (x->grad || tape->dtheta);
    bo__tensor *y = bo__tensor_new(tape, x->samples, x->tasks, x->points, w.rows, wants);
    if (!y)
        return NULL;
    linear_forward(tape, x, w, b ? tape->theta + b->offset : NULL, relu, y->data);
    linear *op = wants ? bo__tape_node(tape, sizeof *op, linear_backward) : NULL;
    if (op) {
        op->x = x;
        op->y = y;
        op->w = w;
        op->biased = b != NULL;
        if (b)
            op->b = *b;
        op->relu = relu;
    }
    return y;
}
