/* test-op-gaussian.c - likelihoods, draws and divergences against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ops-check.h"

/* numbers: sigmoid. */
static bo__deviation form_of(const op_case *c)
{
    return (bo__deviation){.sigmoid = c->numbers[0], .floor = 0.1f};
}

static double sigma_of(const op_case *c, double r)
{
    double f = 0.1f;
    return f + (1 - f) * (c->numbers[0] ? 1 / (1 + exp(-r)) : log1p(exp(r)));
}

static bo__tensor *log_normal(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__log_normal(tape, in[0], in[1], form_of(c));
}

static void log_normal_reference(const op_case *c, const double *const *in, const double *theta,
                                 double *out)
{
    shape o = c->out;
    size_t d = c->in[1].cols;
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t p = 0; p < o.points; p++) {
                double sum = 0;
                for (size_t j = 0; j < d; j++) {
                    double sigma = sigma_of(c, at(in[0], c->in[0], s, t, p, d + j));
                    double e = (at(in[1], c->in[1], s, t, p, j) -
                                at(in[0], c->in[0], s, t, p, j)) / sigma;
                    sum += -e * e / 2 - log(sigma) - log(2 * acos(-1)) / 2;
                }
                *out++ = sum;
            }
}

static void test_log_normal(void **state)
{
    for (size_t sigmoid = 0; sigmoid < 2; sigmoid++) {
        op_case c = {.inputs = 2, .in = {{3, 2, 4, 2}, {1, 2, 4, 1}}, .fixed = {false, true},
                     .out = {3, 2, 4, 1}, .op = log_normal, .reference = log_normal_reference,
                     .numbers = {sigmoid}};
        check_op(&c, sigmoid);
        op_case d = {.inputs = 2, .in = {{1, 2, 1, 10}, {3, 2, 1, 5}}, .out = {3, 2, 1, 1},
                     .op = log_normal, .reference = log_normal_reference, .numbers = {sigmoid}};
        check_op(&d, 2 + sigmoid);
        op_case wide = {.inputs = 2, .in = {{1, 2, 1, 64}, {3, 2, 1, 32}}, .out = {3, 2, 1, 1},
                        .op = log_normal, .reference = log_normal_reference,
                        .numbers = {sigmoid}};
        check_op(&wide, 4 + sigmoid);
        static const size_t points[] = {1, 7, 8, 9, 16, 23, 33}; /* around whole vectors */
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            size_t n = points[i];
            op_case column = {.inputs = 2, .in = {{2, 1, n, 2}, {1, 1, n, 1}}, .out = {2, 1, n, 1},
                              .op = log_normal, .reference = log_normal_reference,
                              .numbers = {sigmoid}};
            check_op(&column, 6 + sigmoid);
        }
    }
}

static bo__tensor *draw(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__reparameterise(tape, in[0], in[1], form_of(c));
}

static void draw_reference(const op_case *c, const double *const *in, const double *theta,
                           double *out)
{
    shape o = c->out;
    for (size_t s = 0; s < o.samples; s++)
        for (size_t t = 0; t < o.tasks; t++)
            for (size_t p = 0; p < o.points; p++)
                for (size_t j = 0; j < o.cols; j++)
                    *out++ = at(in[0], c->in[0], s, t, p, j) +
                             sigma_of(c, at(in[0], c->in[0], s, t, p, o.cols + j)) *
                                 at(in[1], c->in[1], s, t, p, j);
}

static void test_reparameterise(void **state)
{
    for (size_t cols = 5; cols <= 32; cols += 27) {
        op_case c = {.inputs = 2, .in = {{1, 2, 1, 2 * cols}, {3, 2, 1, cols}},
                     .fixed = {false, true}, .out = {3, 2, 1, cols}, .op = draw,
                     .reference = draw_reference, .numbers = {1}};
        check_op(&c, cols);
    }
}

static bo__tensor *divergence(bo__tape *tape, bo__tensor **in, const op_case *c)
{
    return bo__divergence(tape, in[0], in[1], form_of(c));
}

static void divergence_reference(const op_case *c, const double *const *in, const double *theta,
                                 double *out)
{
    size_t d = c->in[0].cols / 2;
    for (size_t i = 0; i < shape_size(c->out); i++) {
        const double *q = in[0] + i * 2 * d, *p = in[1] + i * 2 * d;
        out[i] = 0;
        for (size_t j = 0; j < d; j++) {
            double sq = sigma_of(c, q[d + j]), sp = sigma_of(c, p[d + j]);
            out[i] += log(sp / sq) + (sq * sq + (q[j] - p[j]) * (q[j] - p[j])) / (2 * sp * sp) -
                      0.5;
        }
    }
}

static void test_divergence(void **state)
{
    op_case c = {.inputs = 2, .in = {{1, 3, 1, 12}, {1, 3, 1, 12}}, .out = {1, 3, 1, 1},
                 .op = divergence, .reference = divergence_reference, .numbers = {1}};
    check_op(&c, 9);
}

/* Raw numbers that a network in training may well give. */
static void test_extremes(void **state)
{
    float data[] = {0, -200, 0, 200, 1e4f, -30, 0, 30}, mu[4], sigma[4];
    bo__tensor raw = {1, 1, 4, 2, data, NULL, false};
    bo__gaussian_read(&raw, (bo__deviation){.floor = 0.1f}, mu, sigma);
    assert_true(sigma[0] == 0.1f);
    assert_true(fabsf(sigma[1] - 180.1f) < 1e-4f);
    assert_true(mu[2] == 1e4f && fabsf(sigma[2] - 0.1f) < 1e-6f);
    assert_true(fabsf(sigma[3] - 27.1f) < 1e-5f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_normal),
        cmocka_unit_test(test_reparameterise),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
