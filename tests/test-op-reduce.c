/* test-op-reduce.c - log-mean-exp, combinations and totals against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

static bo__tensor *log_mean(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__log_mean_exp(tape, in[0]);
}

static void log_mean_reference(const op_case *c, const double *const *in, const double *theta,
                               double *out)
{
    size_t n = shape_size(c->out);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t s = 0; s < c->in[0].samples; s++)
            sum += exp(in[0][s * n + i]) / (double)c->in[0].samples;
        out[i] = log(sum);
    }
}

static void test_log_mean_exp(void **state)
{
    for (size_t samples = 1; samples <= 5; samples += 2) {
        op_case c = {.inputs = 1, .in = {{samples, 2, 3, 1}}, .out = {1, 2, 3, 1},
                     .op = log_mean, .reference = log_mean_reference, .scale = 3};
        check_op(&c, samples);
    }
}

static const float coefficient[] = {1, 0.5f, -2};

static bo__tensor *combine(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__combine(tape, 3, in, coefficient);
}

static void combine_reference(const op_case *c, const double *const *in, const double *theta,
                              double *out)
{
    for (size_t i = 0; i < shape_size(c->out); i++)
        out[i] = in[0][i] + 0.5 * in[1][i] - 2 * in[2][i];
}

static void test_combine(void **state)
{
    op_case c = {.inputs = 3, .in = {{2, 3, 1, 1}, {2, 3, 1, 1}, {2, 3, 1, 1}},
                 .fixed = {false, true, false}, .out = {2, 3, 1, 1}, .op = combine,
                 .reference = combine_reference};
    check_op(&c, 1);
}

/* Far below and above what exp can hold. */
static void test_large_logs(void **state)
{
    float data[] = {-1000, 500, -1001, 502};
    bo__arena arena;
    bo__arena_init(&arena);
    bo__tape tape;
    bo__tape_init(&tape, &arena, NULL, NULL);
    bo__tensor x = {2, 1, 2, 1, data, NULL, false};
    bo__tensor *y = bo__log_mean_exp(&tape, &x);
    assert_true(fabs(y->data[0] - (-1000 + log((1 + exp(-1)) / 2))) < 1e-3);
    assert_true(fabs(y->data[1] - (502 + log((1 + exp(-2)) / 2))) < 1e-3);
    bo__arena_free(&arena);
}

static void test_total(void **state)
{
    bo__arena arena;
    bo__arena_init(&arena);
    bo__tape tape;
    bo__tape_init(&tape, &arena, NULL, NULL);
    bo__tensor *x = bo__tensor_new(&tape, 1, 1, 3, 1, true);
    for (size_t i = 0; i < 3; i++)
        x->data[i] = (float)i + 1;
    assert_true(bo__total(&tape, x, 0.5f) == 3);
    assert_true(bo__total(&tape, x, 0.25f) == 1.5);
    for (size_t i = 0; i < 3; i++)
        assert_true(x->grad[i] == 0.75f);
    bo__arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_mean_exp),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_large_logs),
        cmocka_unit_test(test_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
