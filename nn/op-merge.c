/* op-merge.c - the sum of tensors of which some are broadcast, with ReLU if asked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A layer on a concatenation, W [a, b] = W_a a + W_b b, is the sum of two layers; with this
 * operator each is computed once for what it depends on: per task, or for all samples.
 *
 * Backward, with g = dy, or dy where y > 0 if there was a ReLU (g overwrites dy):
 *   dpart += Σ g over the sides along which the part was broadcast.
 */
#include <assert.h>

#include "lanes.h"
#include "ops.h"

typedef struct merge {
    bo__node node;
    bo__tensor *y;
    size_t count;
    bo__tensor *parts[BO__MERGE_MOST];
    bool relu;
} merge;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The row of a part that stands for (s, t, p). */
BO__INLINE size_t part_row(const bo__tensor *part, size_t s, size_t t, size_t p)
{
    s = part->samples == 1 ? 0 : s;
    t = part->tasks == 1 ? 0 : t;
    p = part->points == 1 ? 0 : p;
    return (s * part->tasks + t) * part->points + p;
}

BO__FAST static void merge_forward(bo__tensor *y, size_t count, bo__tensor *const *parts,
                                   bool relu)
{
    size_t cols = y->cols;
    float *out = y->data;
    for (size_t s = 0; s < y->samples; s++)
        for (size_t t = 0; t < y->tasks; t++)
            for (size_t p = 0; p < y->points; p++, out += cols) {
                const float *from[BO__MERGE_MOST];
                for (size_t i = 0; i < count; i++)
                    from[i] = parts[i]->data + part_row(parts[i], s, t, p) * cols;
                for (size_t j = 0; j < cols; j += BO__LANES) {
                    bo__v16 v = bo__load(from[0] + j);
                    for (size_t i = 1; i < count; i++)
                        v += bo__load(from[i] + j);
                    bo__store(out + j, relu ? bo__relu16(v) : v);
                }
            }
}

BO__FAST static void merge_mask(bo__tensor *y)
{
    for (size_t i = 0, size = bo__tensor_size(y); i < size; i += BO__LANES)
        bo__store(y->grad + i, bo__where_positive(bo__load(y->data + i), bo__load(y->grad + i)));
}

BO__FAST static void part_backward(const bo__tensor *y, bo__tensor *part, bool add)
{
    size_t cols = y->cols;
    const float *g = y->grad;
    for (size_t s = 0; s < y->samples; s++)
        for (size_t t = 0; t < y->tasks; t++)
            for (size_t p = 0; p < y->points; p++, g += cols) {
                float *to = part->grad + part_row(part, s, t, p) * cols;
                for (size_t j = 0; j < cols; j += BO__LANES)
                    bo__put(to + j, bo__load(g + j), add);
            }
}

static void merge_backward(bo__tape *tape, bo__node *node)
{
    merge *op = (merge *)node;
    bo__tensor *y = op->y;
    if (!y->touched)
        return;
    if (op->relu)
        merge_mask(y);
    for (size_t i = 0; i < op->count; i++) {
        bo__tensor *part = op->parts[i];
        if (!part->grad)
            continue;
        bool whole = bo__tensor_rows(part) == bo__tensor_rows(y);
        if (!whole)
            bo__tensor_open(part);
        part_backward(y, part, whole ? bo__tensor_add(part) : true);
    }
}

bo__tensor *bo__merge(bo__tape *tape, size_t count, bo__tensor *const *parts, bool relu)
{
    bo__tape_begin(tape, BO__OP_MERGE);
    assert(count > 0 && count <= BO__MERGE_MOST);
    size_t samples = 1, tasks = 1, points = 1;
    bool wants = false;
    for (size_t i = 0; i < count; i++) {
        if (!parts[i] || tape->failed)
            return NULL;
        samples = larger(samples, parts[i]->samples);
        tasks = larger(tasks, parts[i]->tasks);
        points = larger(points, parts[i]->points);
        wants = wants || bo__tape_wants(tape, parts[i], NULL);
    }
    size_t cols = parts[0]->cols;
    assert(cols % BO__LANES == 0);
    for (size_t i = 0; i < count; i++) {
        const bo__tensor *p = parts[i];
        assert(p->cols == cols && (p->samples == 1 || p->samples == samples) &&
               (p->tasks == 1 || p->tasks == tasks) && (p->points == 1 || p->points == points));
        (void)p;
    }
    bo__tensor *y = bo__tensor_new(tape, samples, tasks, points, cols, wants);
    if (!y)
        return NULL;
    merge_forward(y, count, parts, relu);
    merge *op = wants ? bo__tape_node(tape, sizeof *op, merge_backward) : NULL;
    if (op) {
        op->y = y;
        op->count = count;
        op->relu = relu;
        for (size_t i = 0; i < count; i++)
            op->parts[i] = parts[i];
    }
    return y;
}
