/* op-pool.c - sums over the points of a task, and slices of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   y[s, t] = scale · Σ_p w[s, t, p] · x[s, t, p]
 * Backward: dx[s, t, p] += scale · w[s, t, p] · dy[s, t], summed over s where x was broadcast.
 * The mean over a context resampled with replacement is the weighted mean over the original
 * context, with the numbers of times each point was drawn as weights.
 */
#include <assert.h>
#include <string.h>

#include "lanes.h"
#include "ops.h"

typedef struct pool {
    bo__node node;
    bo__tensor *x, *y;
    const bo__tensor *w;
    float scale;
} pool;

static float weight_at(const bo__tensor *w, size_t s, size_t t, size_t p, float scale)
{
    if (!w)
        return scale;
    s = w->samples == 1 ? 0 : s;
    return scale * w->data[(s * w->tasks + t) * w->points + p];
}

/* y += a x over n numbers. */
BO__FAST static void add_scaled(size_t n, float a, const float *x, float *y)
{
    size_t j = 0;
    for (; j + BO__LANES <= n; j += BO__LANES)
        bo__store(y + j, bo__load(y + j) + a * bo__load(x + j));
    for (; j < n; j++)
        y[j] += a * x[j];
}

static size_t group_of(const bo__tensor *t, size_t sample, size_t task)
{
    return (t->samples == 1 ? 0 : sample) * t->tasks + task;
}

static void pool_forward(const bo__tensor *x, const bo__tensor *w, float scale, bo__tensor *y)
{
    size_t cols = x->cols;
    memset(y->data, 0, bo__tensor_size(y) * sizeof *y->data);
    for (size_t s = 0; s < y->samples; s++)
        for (size_t t = 0; t < y->tasks; t++) {
            const float *from = x->data + group_of(x, s, t) * x->points * cols;
            float *to = y->data + (s * y->tasks + t) * cols;
            for (size_t p = 0; p < x->points; p++)
                add_scaled(cols, weight_at(w, s, t, p, scale), from + p * cols, to);
        }
}

static void pool_backward(bo__tape *tape, bo__node *node)
{
    pool *op = (pool *)node;
    bo__tensor *x = op->x, *y = op->y;
    if (!y->touched)
        return;
    size_t cols = x->cols;
    bo__tensor_open(x);
    for (size_t s = 0; s < y->samples; s++)
        for (size_t t = 0; t < y->tasks; t++) {
            const float *g = y->grad + (s * y->tasks + t) * cols;
            float *to = x->grad + group_of(x, s, t) * x->points * cols;
            for (size_t p = 0; p < x->points; p++)
                add_scaled(cols, weight_at(op->w, s, t, p, op->scale), g, to + p * cols);
        }
}

bo__tensor *bo__pool(bo__tape *tape, bo__tensor *x, const bo__tensor *w, float scale)
{
    bo__tape_begin(tape, BO__OP_POOL);
    if (!x || tape->failed)
        return NULL;
    assert(!w || (w->tasks == x->tasks && w->points == x->points && w->cols == 1 &&
                  (w->samples == x->samples || w->samples == 1 || x->samples == 1)));
    size_t samples = w && w->samples > x->samples ? w->samples : x->samples;
    bool wants = bo__tape_wants(tape, x, NULL);
    bo__tensor *y = bo__tensor_new(tape, samples, x->tasks, 1, x->cols, wants);
    if (!y)
        return NULL;
    pool_forward(x, w, scale, y);
    pool *op = wants ? bo__tape_node(tape, sizeof *op, pool_backward) : NULL;
    if (op) {
        op->x = x;
        op->y = y;
        op->w = w;
        op->scale = scale;
    }
    return y;
}

typedef struct slice {
    bo__node node;
    bo__tensor *x, *y;
    size_t first;
} slice;

static void slice_backward(bo__tape *tape, bo__node *node)
{
    slice *op = (slice *)node;
    bo__tensor *x = op->x, *y = op->y;
    if (!y->touched)
        return;
    bo__tensor_open(x);
    for (size_t g = 0; g < x->samples * x->tasks; g++)
        add_scaled(y->points * y->cols, 1, y->grad + g * y->points * y->cols,
                   x->grad + (g * x->points + op->first) * x->cols);
}

bo__tensor *bo__slice(bo__tape *tape, bo__tensor *x, size_t first, size_t count)
{
    bo__tape_begin(tape, BO__OP_POOL);
    if (!x || tape->failed)
        return NULL;
    assert(first + count <= x->points);
    if (count == x->points)
        return x;
    bool wants = bo__tape_wants(tape, x, NULL);
    bo__tensor *y = bo__tensor_new(tape, x->samples, x->tasks, count, x->cols, wants);
    if (!y)
        return NULL;
    for (size_t g = 0; g < x->samples * x->tasks; g++)
        memcpy(y->data + g * count * x->cols, x->data + (g * x->points + first) * x->cols,
               count * x->cols * sizeof *x->data);
    slice *op = wants ? bo__tape_node(tape, sizeof *op, slice_backward) : NULL;
    if (op) {
        op->x = x;
        op->y = y;
        op->first = first;
    }
    return y;
}
