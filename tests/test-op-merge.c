/* test-op-merge.c - sums with broadcast against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

static bo__tensor *op(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__merge(tape, c->inputs, in, c->numbers[0]);
}

static void reference(const op_case *c, const double *const *in, const double *theta, double *out)
{
    shape o = c->out;
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t p = 0; p < o.points; p++)
                for (size_t j = 0; j < o.cols; j++) {
                    double sum = 0;
                    for (size_t k = 0; k < c->inputs; k++)
                        sum += at(in[k], c->in[k], s, t, p, j);
                    *out++ = c->numbers[0] && sum < 0 ? 0 : sum;
                }
}

static void test_all_kinds_of_broadcast(void **state)
{
    for (size_t relu = 0; relu < 2; relu++) {
        op_case c = {.inputs = 4,
                     .in = {{3, 2, 4, 16}, {1, 2, 4, 16}, {3, 2, 1, 16}, {1, 2, 1, 16}},
                     .out = {3, 2, 4, 16}, .op = op, .reference = reference,
                     .numbers = {relu}};
        check_op(&c, relu);
        op_case d = {.inputs = 3, .in = {{1, 2, 4, 32}, {1, 1, 1, 32}, {3, 2, 1, 32}},
                     .out = {3, 2, 4, 32}, .op = op, .reference = reference,
                     .numbers = {relu}};
        check_op(&d, 2 + relu);
    }
}

static void test_one_part(void **state)
{
    op_case c = {.inputs = 1, .in = {{2, 2, 3, 16}}, .out = {2, 2, 3, 16}, .op = op,
                 .reference = reference, .numbers = {1}};
    check_op(&c, 5);
}

static void test_part_without_derivative(void **state)
{
    op_case c = {.inputs = 2, .in = {{2, 2, 3, 16}, {1, 2, 3, 16}}, .fixed = {false, true},
                 .out = {2, 2, 3, 16}, .op = op, .reference = reference};
    check_op(&c, 6);
}

static void test_nan_stays(void **state)
{
    bo__arena arena;
    bo__tape tape;
    bo__arena_init(&arena);
    bo__tape_init(&tape, &arena, NULL, NULL);
    tape.recording = false;
    bo__tensor *part = bo__tensor_new(&tape, 1, 1, 1, 16, false);
    for (size_t j = 0; j < 16; j++)
        part->data[j] = j % 3 == 0 ? NAN : j % 3 == 1 ? -1 : 1;
    bo__tensor *y = bo__merge(&tape, 1, &part, true);
    for (size_t j = 0; j < 16; j++)
        assert_true(j % 3 == 0 ? isnan(y->data[j]) : y->data[j] == (j % 3 == 1 ? 0 : 1));
    bo__arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_of_broadcast),
        cmocka_unit_test(test_one_part),
        cmocka_unit_test(test_part_without_derivative),
        cmocka_unit_test(test_nan_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
