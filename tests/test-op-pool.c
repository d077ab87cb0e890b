/* test-op-pool.c - weighted sums over points, and slices, against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

static bo__tensor *pool(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__pool(tape, in[0], c->inputs > 1 ? in[1] : NULL, 0.25f);
}

static void pool_reference(const op_case *c, const double *const *in, const double *theta,
                           double *out)
{
    shape o = c->out;
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t j = 0; j < o.cols; j++) {
                double sum = 0;
                for (size_t p = 0; p < c->in[0].points; p++)
                    sum += 0.25 * at(in[0], c->in[0], s, t, p, j) *
                           (c->inputs > 1 ? at(in[1], c->in[1], s, t, p, 0) : 1);
                *out++ = sum;
            }
}

static void test_pool(void **state)
{
    op_case c = {.inputs = 1, .in = {{2, 3, 5, 18}}, .out = {2, 3, 1, 18}, .op = pool,
                 .reference = pool_reference};
    check_op(&c, 1);
    op_case one = {.inputs = 1, .in = {{2, 3, 5, 1}}, .out = {2, 3, 1, 1}, .op = pool,
                   .reference = pool_reference};
    check_op(&one, 2);
}

static void test_weighted_pool(void **state)
{
    op_case c = {.inputs = 2, .in = {{1, 3, 5, 16}, {4, 3, 5, 1}}, .fixed = {false, true},
                 .out = {4, 3, 1, 16}, .op = pool, .reference = pool_reference};
    check_op(&c, 3);
}

static bo__tensor *slice(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__slice(tape, in[0], c->numbers[0], c->out.points);
}

static void slice_reference(const op_case *c, const double *const *in, const double *theta,
                            double *out)
{
    shape o = c->out;
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t p = 0; p < o.points; p++)
                for (size_t j = 0; j < o.cols; j++)
                    *out++ = at(in[0], c->in[0], s, t, c->numbers[0] + p, j);
}

static void test_slice(void **state)
{
    for (size_t first = 0; first < 3; first++) {
        op_case c = {.inputs = 1, .in = {{2, 3, 6, 5}}, .out = {2, 3, 4, 5}, .op = slice,
                     .reference = slice_reference, .numbers = {first}};
        check_op(&c, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_weighted_pool),
        cmocka_unit_test(test_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
