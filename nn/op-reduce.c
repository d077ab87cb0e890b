/* op-reduce.c - what leads from log-likelihoods to one number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   y = log (1/S Σ_s exp x_s)      dx_s += dy · exp(x_s - y)/S
 *   y = Σ_i c_i x_i                dx_i += c_i dy
 */
#include <assert.h>
#include <math.h>

#include "ops.h"

typedef struct reduce {
    bo__node node;
    bo__tensor *y;
    size_t count;
    bo__tensor *terms[BO__MERGE_MOST];
    float coefficient[BO__MERGE_MOST];
} reduce;

static void log_mean_exp_backward(bo__tape *tape, bo__node *node)
{
    reduce *op = (reduce *)node;
    bo__tensor *x = op->terms[0], *y = op->y;
    if (!y->touched)
        return;
    size_t size = bo__tensor_size(y);
    bool add = bo__tensor_add(x);
    float part = 1.0f / (float)x->samples;
    for (size_t s = 0; s < x->samples; s++)
        for (size_t i = 0; i < size; i++) {
            float g = y->grad[i] * expf(x->data[s * size + i] - y->data[i]) * part;
            x->grad[s * size + i] = add ? x->grad[s * size + i] + g : g;
        }
}

bo__tensor *bo__log_mean_exp(bo__tape *tape, bo__tensor *x)
{
    bo__tape_begin(tape, BO__OP_REDUCE);
    if (!x || tape->failed)
        return NULL;
    bool wants = bo__tape_wants(tape, x, NULL);
    bo__tensor *y = bo__tensor_new(tape, 1, x->tasks, x->points, x->cols, wants);
    if (!y)
        return NULL;
    size_t size = bo__tensor_size(y);
    for (size_t i = 0; i < size; i++) {
        float top = x->data[i];
        for (size_t s = 1; s < x->samples; s++)
            top = fmaxf(top, x->data[s * size + i]);
        float sum = 0;
        for (size_t s = 0; s < x->samples; s++)
            sum += expf(x->data[s * size + i] - top);
        y->data[i] = top + logf(sum / (float)x->samples);
    }
    reduce *op = wants ? bo__tape_node(tape, sizeof *op, log_mean_exp_backward) : NULL;
    if (op) {
        op->y = y;
        op->terms[0] = x;
    }
    return y;
}

static void combine_backward(bo__tape *tape, bo__node *node)
{
    reduce *op = (reduce *)node;
    bo__tensor *y = op->y;
    if (!y->touched)
        return;
    for (size_t i = 0; i < op->count; i++) {
        bo__tensor *x = op->terms[i];
        if (!x->grad)
            continue;
        bool add = bo__tensor_add(x);
        for (size_t j = 0; j < bo__tensor_size(y); j++)
            x->grad[j] = (add ? x->grad[j] : 0) + op->coefficient[i] * y->grad[j];
    }
}

bo__tensor *bo__combine(bo__tape *tape, size_t count, bo__tensor *const *terms,
                        const float *coefficient)
{
    bo__tape_begin(tape, BO__OP_REDUCE);
    assert(count > 0 && count <= BO__MERGE_MOST);
    bool wants = false;
    for (size_t i = 0; i < count; i++) {
        if (!terms[i] || tape->failed)
            return NULL;
        assert(bo__tensor_size(terms[i]) == bo__tensor_size(terms[0]));
        wants = wants || bo__tape_wants(tape, terms[i], NULL);
    }
    const bo__tensor *t = terms[0];
    bo__tensor *y = bo__tensor_new(tape, t->samples, t->tasks, t->points, t->cols, wants);
    if (!y)
        return NULL;
    for (size_t j = 0; j < bo__tensor_size(y); j++) {
        float sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += coefficient[i] * terms[i]->data[j];
        y->data[j] = sum;
    }
    reduce *op = wants ? bo__tape_node(tape, sizeof *op, combine_backward) : NULL;
    if (op) {
        op->y = y;
        op->count = count;
        for (size_t i = 0; i < count; i++) {
            op->terms[i] = terms[i];
            op->coefficient[i] = coefficient[i];
        }
    }
    return y;
}

double bo__total(bo__tape *tape, bo__tensor *x, float coefficient)
{
    bo__tape_begin(tape, BO__OP_REDUCE);
    if (!x || tape->failed)
        return NAN;
    double sum = 0;
    for (size_t i = 0; i < bo__tensor_size(x); i++)
        sum += x->data[i];
    if (x->grad) {
        bo__tensor_open(x);
        for (size_t i = 0; i < bo__tensor_size(x); i++)
            x->grad[i] += coefficient;
    }
    return sum * coefficient;
}
