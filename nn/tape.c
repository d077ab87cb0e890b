/* tape.c - tensors, and the tape that remembers how they were made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "tape.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void bo__tape_init(bo__tape *tape, bo__arena *arena, const float *theta, float *dtheta)
{
    *tape = (bo__tape){.arena = arena, .theta = theta, .dtheta = dtheta, .recording = true};
}

void bo__tape_begin(bo__tape *tape, bo__op op)
{
    tape->op = op;
    if (tape->profile)
        bo__profile_begin(tape->profile, op, BO__FORWARD);
}

void bo__tape_multiply(bo__tape *tape, const bo__product *p)
{
    tape->flops += 2 * (double)p->m * (double)p->n * (double)p->k;
    bo__matmul(p);
}

void bo__tape_backward(bo__tape *tape)
{
    if (!tape->failed)
        for (bo__node *node = tape->last; node; node = node->previous) {
            if (tape->profile)
                bo__profile_begin(tape->profile, node->op, BO__BACKWARD);
            node->backward(tape, node);
        }
    if (tape->profile)
        bo__profile_begin(tape->profile, BO__OP_OTHER, BO__FORWARD);
    tape->last = NULL;
}

size_t bo__tensor_rows(const bo__tensor *t)
{
    return t->samples * t->tasks * t->points;
}

size_t bo__tensor_size(const bo__tensor *t)
{
    return bo__tensor_rows(t) * t->cols;
}

bool bo__tensor_finite(const bo__tensor *t)
{
    for (size_t i = 0, size = bo__tensor_size(t); i < size; i++)
        if (!isfinite(t->data[i]))
            return false;
    return true;
}

void *bo__tape_take(bo__tape *tape, size_t size)
{
    void *piece = tape->failed ? NULL : bo__arena_take(tape->arena, size);
    if (!piece)
        tape->failed = true;
    return piece;
}

void *bo__tape_node(bo__tape *tape, size_t size, void (*backward)(bo__tape *, bo__node *))
{
    bo__node *node = bo__tape_take(tape, size);
    if (!node)
        return NULL;
    node->op = tape->op;
    node->backward = backward;
    node->previous = tape->last;
    tape->last = node;
    return node;
}

bo__tensor *bo__tensor_new(bo__tape *tape, size_t samples, size_t tasks, size_t points,
                           size_t cols, bool with_grad)
{
    assert(samples && tasks && points && cols);
    bo__tensor *t = bo__tape_take(tape, sizeof *t);
    if (!t)
        return NULL;
    *t = (bo__tensor){.samples = samples, .tasks = tasks, .points = points, .cols = cols};
    size_t bytes = bo__tensor_size(t) * sizeof *t->data;
    t->data = bo__tape_take(tape, bytes);
    if (with_grad)
        t->grad = bo__tape_take(tape, bytes);
    return tape->failed ? NULL : t;
}

bool bo__tape_wants(const bo__tape *tape, const bo__tensor *a, const bo__tensor *b)
{
    return tape->recording && ((a && a->grad) || (b && b->grad));
}

bool bo__tensor_add(bo__tensor *t)
{
    bool was = t->touched;
    t->touched = true;
    return was;
}

void bo__tensor_open(bo__tensor *t)
{
    if (!bo__tensor_add(t))
        memset(t->grad, 0, bo__tensor_size(t) * sizeof *t->grad);
}
