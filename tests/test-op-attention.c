/* test-op-attention.c - attention against plain loops, alone and with counts of keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

/* Inputs q, k, v and, when there are four, counts; numbers: heads. */
static bo__tensor *op(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    for (size_t i = 0; c->inputs > 3 && i < bo__tensor_size(in[3]); i++)
        in[3]->data[i] = (float)(i * 7 % 4); /* 0 … 3 draws */
    bo__tensor *w = bo__attention_weights(tape, in[0], in[1], c->inputs > 3 ? in[3] : NULL,
                                          c->numbers[0]);
    return bo__attention_apply(tape, w, in[2], c->numbers[0]);
}

static double count_at(const op_case *c, size_t s, size_t t, size_t j)
{
    if (c->inputs < 4)
        return 1;
    shape h = c->in[3];
    return (double)((((h.samples == 1 ? 0 : s) * h.tasks + t) * h.points + j) * 7 % 4);
}

/* y_i of one head; w is scratch for the keys. */
static void attend(const op_case *c, const double *const *in, size_t s, size_t t, size_t i,
                   size_t head, double *w, double *y)
{
    size_t cols = c->in[0].cols, width = cols / c->numbers[0], n = c->in[1].points;
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        double dot = 0;
        for (size_t d = head * width; d < (head + 1) * width; d++)
            dot += at(in[0], c->in[0], s, t, i, d) * at(in[1], c->in[1], s, t, j, d);
        w[j] = count_at(c, s, t, j) * exp(dot / sqrt((double)cols));
        sum += w[j];
    }
    for (size_t d = 0; d < width; d++) {
        y[d] = 0;
        for (size_t j = 0; j < n; j++)
            y[d] += w[j] / sum * at(in[2], c->in[2], s, t, j, head * width + d);
    }
}

static void reference(const op_case *c, const double *const *in, const double *theta, double *out)
{
    shape o = c->out;
    double *w = malloc(c->in[1].points * sizeof *w);
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t i = 0; i < o.points; i++)
                for (size_t h = 0; h < c->numbers[0]; h++) {
                    attend(c, in, s, t, i, h, w, out);
                    out += o.cols / c->numbers[0];
                }
    free(w);
}

static void check(shape q, shape k, shape v, shape counts, shape out, size_t heads)
{
    op_case c = {.inputs = counts.tasks ? 4 : 3, .in = {q, k, v, counts},
                 .fixed = {false, false, false, true}, .out = out, .op = op,
                 .reference = reference, .numbers = {heads}};
    check_op(&c, q.points * 100 + k.points);
}

static void test_sizes(void **state)
{
    const size_t queries[] = {1, 3, 8, 13}, keys[] = {1, 4, 16, 19};
    for (size_t i = 0; i < 4; i++)
        check((shape){1, 2, queries[i], 32}, (shape){1, 2, keys[i], 32},
              (shape){1, 2, keys[i], 32}, (shape){0}, (shape){1, 2, queries[i], 32}, 2);
    check((shape){1, 1, 4, 32}, (shape){1, 1, 5, 32}, (shape){1, 1, 5, 32}, (shape){0},
          (shape){1, 1, 4, 32}, 1);
}

static void test_weights_shared_by_samples(void **state)
{
    check((shape){1, 2, 4, 32}, (shape){1, 2, 5, 32}, (shape){3, 2, 5, 32}, (shape){0},
          (shape){3, 2, 4, 32}, 2);
    check((shape){1, 2, 4, 16}, (shape){3, 2, 5, 16}, (shape){1, 2, 5, 16}, (shape){0},
          (shape){3, 2, 4, 16}, 1);
}

static void test_counts(void **state)
{
    check((shape){1, 2, 4, 32}, (shape){1, 2, 6, 32}, (shape){1, 2, 6, 32}, (shape){3, 2, 6, 1},
          (shape){3, 2, 4, 32}, 2);
}

/* Scores far apart: the softmax must neither overflow nor lose the largest. */
static void test_large_scores(void **state)
{
    op_case c = {.inputs = 3, .in = {{1, 1, 3, 16}, {1, 1, 4, 16}, {1, 1, 4, 16}},
                 .out = {1, 1, 3, 16}, .op = op, .reference = reference, .numbers = {1}};
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 1);
    bo__arena arena;
    bo__arena_init(&arena);
    bo__tape tape;
    bo__tape_init(&tape, &arena, NULL, NULL);
    double *in[3], out[48];
    bo__tensor *tensors[3];
    for (size_t k = 0; k < 3; k++) {
        in[k] = random_doubles(&rng, shape_size(c.in[k]), 10);
        tensors[k] = bo__tensor_new(&tape, 1, 1, c.in[k].points, 16, false);
        for (size_t i = 0; i < shape_size(c.in[k]); i++)
            tensors[k]->data[i] = (float)in[k][i];
    }
    bo__tensor *y = op(&tape, tensors, &c);
    reference(&c, (const double *const *)in, NULL, out);
    for (size_t i = 0; i < 48; i++)
        assert_true(fabs(y->data[i] - out[i]) <= 2e-4 * (1 + fabs(out[i])));
    for (size_t k = 0; k < 3; k++)
        free(in[k]);
    bo__arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_weights_shared_by_samples),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_large_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
