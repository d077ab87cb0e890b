/* test-op-norm.c - layer normalisation of a sum against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

static bo__tensor *op(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    size_t n = c->out.cols;
    return bo__norm(tape, in[0], in[1], (bo__weight){0, n, 1, 1, 0, 0},
                    (bo__weight){n, n, 1, 1, 0, 0});
}

static void reference(const op_case *c, const double *const *in, const double *theta, double *out)
{
    shape o = c->out;
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t p = 0; p < o.points; p++, out += o.cols) {
                double mean = 0, variance = 0;
                for (size_t j = 0; j < o.cols; j++) {
                    out[j] = at(in[0], c->in[0], s, t, p, j) + at(in[1], c->in[1], s, t, p, j);
                    mean += out[j] / (double)o.cols;
                }
                for (size_t j = 0; j < o.cols; j++)
                    variance += (out[j] - mean) * (out[j] - mean) / (double)o.cols;
                for (size_t j = 0; j < o.cols; j++)
                    out[j] = theta[j] * (out[j] - mean) / sqrt(variance + 1e-5) +
                             theta[o.cols + j];
            }
}

static void test_norm(void **state)
{
    op_case c = {.inputs = 2, .in = {{2, 2, 3, 32}, {2, 2, 3, 32}}, .out = {2, 2, 3, 32},
                 .theta = 64, .op = op, .reference = reference};
    check_op(&c, 1);
}

static void test_full_width(void **state)
{
    op_case c = {.inputs = 2, .in = {{1, 2, 2, 128}, {2, 2, 2, 128}}, .out = {2, 2, 2, 128},
                 .theta = 256, .op = op, .reference = reference};
    check_op(&c, 3);
}

static void test_first_shared_by_samples(void **state)
{
    op_case c = {.inputs = 2, .in = {{1, 2, 3, 16}, {3, 2, 3, 16}}, .out = {3, 2, 3, 16},
                 .theta = 32, .op = op, .reference = reference};
    check_op(&c, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norm),
        cmocka_unit_test(test_full_width),
        cmocka_unit_test(test_first_shared_by_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
