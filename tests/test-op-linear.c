/* test-op-linear.c - linear layers against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

/* numbers: outputs, biased, relu, columns before the block of W that is used. */
static bo__tensor *op(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    size_t out = c->numbers[0], cols = c->in[0].cols, skip = c->numbers[3];
    bo__weight w = {skip, out, cols, cols + skip, 0, 0};
    bo__weight b = {out * (cols + skip), out, 1, 1, 0, 0};
    return bo__linear(tape, in[0], w, c->numbers[1] ? &b : NULL, c->numbers[2]);
}

static void reference(const op_case *c, const double *const *in, const double *theta, double *out)
{
    size_t rows = shape_size(c->in[0]) / c->in[0].cols, cols = c->in[0].cols, n = c->numbers[0];
    size_t stride = cols + c->numbers[3];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = c->numbers[1] ? theta[n * stride + j] : 0;
            for (size_t k = 0; k < cols; k++)
                sum += in[0][i * cols + k] * theta[j * stride + c->numbers[3] + k];
            out[i * n + j] = c->numbers[2] && sum < 0 ? 0 : sum;
        }
}

static void check(size_t in, size_t out, bool biased, bool relu, size_t skip)
{
    op_case c = {.inputs = 1, .in = {{2, 3, 5, in}}, .out = {2, 3, 5, out},
                 .theta = out * (in + skip) + out, .op = op, .reference = reference,
                 .numbers = {out, biased, relu, skip}};
    check_op(&c, 10 * in + out + biased);
}

static void test_wide(void **state)
{
    check(32, 16, true, true, 0);
    check(16, 48, false, false, 0);
    check(32, 128, true, false, 0);
}

static void test_narrow_input(void **state)
{
    for (size_t in = 1; in <= 5; in++)
        check(in, 32, true, in % 2, 0);
    check(2, 16, false, true, 0);
    check(2, 17, true, true, 0);
}

static void test_narrow_output(void **state)
{
    check(16, 2, true, false, 0);
    check(16, 3, true, true, 0);
}

static void test_block_of_columns(void **state)
{
    check(16, 16, true, true, 17);
    check(1, 16, false, false, 32);
}

/* Through ReLU too, in the narrow layer and in those that are products. */
static void test_nan_stays(void **state)
{
    const size_t sizes[][2] = {{2, 16}, {2, 17}, {32, 32}};
    float theta[32 * 32 + 32] = {0};
    bo__arena arena;
    bo__tape tape;
    bo__arena_init(&arena);
    bo__tape_init(&tape, &arena, theta, NULL);
    tape.recording = false;
    for (size_t i = 0; i < 3; i++) {
        size_t in = sizes[i][0], out = sizes[i][1];
        bo__weight w = {0, out, in, in, 0, 0}, b = {out * in, out, 1, 1, 0, 0};
        bo__tensor *x = bo__tensor_new(&tape, 1, 1, 2, in, false);
        for (size_t j = 0; j < 2 * in; j++)
            x->data[j] = j ? 1 : NAN;
        bo__tensor *y = bo__linear(&tape, x, w, &b, true);
        for (size_t j = 0; j < 2 * out; j++)
            assert_true(j < out ? isnan(y->data[j]) : y->data[j] == 0);
    }
    bo__arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_narrow_input),
        cmocka_unit_test(test_narrow_output),
        cmocka_unit_test(test_block_of_columns),
        cmocka_unit_test(test_nan_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
