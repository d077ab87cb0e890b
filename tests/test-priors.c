/* test-priors.c - tasks have the sizes, the moments and the covariances of their prior.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "priors.h"

static bo__prior parsed(const char *names, size_t dim)
{
    bo__prior prior;
    assert_int_equal(bo__prior_parse(&prior, names, dim, NULL), BO_OK);
    return prior;
}

static void test_parse(void **state)
{
    bo__prior p = parsed("rbf,periodic", 3);
    assert_true(p.count == 2 && p.kinds[1] == BO_PRIOR_PERIODIC && p.dim == 3);
    bo_message message;
    assert_int_equal(bo__prior_parse(&p, "rb", 1, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "'rb'"));
    assert_int_equal(bo__prior_parse(&p, "", 1, &message), BO_EINVAL);
    assert_int_equal(bo__prior_parse(&p, "rbf,", 1, &message), BO_EINVAL);
    assert_int_equal(bo__prior_parse(&p, "rbf,rbf,rbf,rbf,rbf,rbf,rbf", 1, &message), BO_EINVAL);
}

static void test_series_apart(void **state)
{
    bo_message message;
    bo__prior p = parsed("predator,hare-lynx", 1);
    assert_int_equal(bo__prior_outputs(&p), 2);
    assert_int_equal(bo__prior_parse(&p, "rbf,predator", 1, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "outputs"));
    assert_int_equal(bo__prior_parse(&p, "predator", 2, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "one input"));
    p = parsed("predator", 1);
    assert_int_equal(bo__prior_points(&p), 99);
    p = parsed("rbf", 1);
    assert_true(bo__prior_points(&p) == 49 && bo__prior_outputs(&p) == 1);
}

static void test_sizes(void **state)
{
    bo__prior prior = parsed("rbf", 1);
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    size_t least = 100, most = 0, least_targets = 100, most_points = 0;
    for (int i = 0; i < 20000; i++) {
        size_t context, points;
        bo__prior_sizes(&prior, &rng, &context, &points);
        least = context < least ? context : least;
        most = context > most ? context : most;
        least_targets = points - context < least_targets ? points - context : least_targets;
        most_points = points > most_points ? points : most_points;
    }
    assert_int_equal(least, 3);
    assert_int_equal(most, 46);
    assert_int_equal(least_targets, 3);
    assert_int_equal(most_points, 49);
}

static double exact_kernel(const bo__prior_task *t, size_t dim, const float *a, const float *b)
{
    double s = t->scale * t->scale, d = 0, sines = 0;
    for (size_t c = 0; c < dim; c++) {
        d += pow((double)a[c] - b[c], 2);
        sines += pow(sin(acos(-1) * ((double)a[c] - b[c]) / t->period), 2);
    }
    double r = sqrt(d) / t->length;
    if (t->kind == BO_PRIOR_MATERN52)
        return s * (1 + sqrt(5) * r + 5 * r * r / 3) * exp(-sqrt(5) * r);
    if (t->kind == BO_PRIOR_PERIODIC)
        return s * exp(-2 * sines / (t->length * t->length));
    return s * exp(-r * r / 2);
}

static void test_kernels(void **state)
{
    const bo__prior_kind kinds[] = {BO_PRIOR_RBF, BO_PRIOR_MATERN52, BO_PRIOR_PERIODIC,
                                    BO_PRIOR_TNOISE};
    const float a[3] = {0.3f, -0.2f, 1.1f}, b[3] = {0.7f, 0.1f, 0.9f};
    const double p[3] = {a[0], a[1], a[2]}, q[3] = {b[0], b[1], b[2]};
    for (size_t i = 0; i < 4; i++)
        for (size_t dim = 1; dim <= 3; dim++) {
            bo__prior_task t = {.kind = kinds[i], .scale = 0.8, .length = 0.5, .period = 0.4};
            double gap = bo__prior_kernel(&t, dim, p, q) - exact_kernel(&t, dim, a, b);
            assert_true(fabs(gap) < 1e-12);
            assert_true(fabs(bo__prior_kernel(&t, dim, p, p) - 0.64) < 1e-12);
        }
}

/* Whitening y with the exact covariance, by a plain Cholesky, must give N(0, 1): the mean of its
 * squares over many tasks is near 1. */
static double whitened_square(const bo__prior_task *t, size_t n, size_t dim, const float *x,
                              const float *y)
{
    double l[49][49], w[49], sum = 0;
    for (size_t i = 0; i < n; i++) {
        w[i] = y[i];
        for (size_t j = 0; j <= i; j++) {
            l[i][j] = exact_kernel(t, dim, x + i * dim, x + j * dim) + (i == j ? 4e-4 : 0);
            for (size_t k = 0; k < j; k++)
                l[i][j] -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(l[i][j]) : l[i][j] / l[j][j];
            if (j < i)
                w[i] -= l[i][j] * w[j];
        }
        w[i] /= l[i][i];
        sum += w[i] * w[i] / (double)n;
    }
    return sum;
}

static double mean_whitened(const char *name, size_t dim)
{
    enum { TASKS = 400 };
    bo__prior prior = parsed(name, dim);
    float x[49 * 3], y[49], *scratch = malloc(bo__prior_scratch(&prior, 49) * sizeof *scratch);
    double sum = 0, least = 1e9, most = 0, d = (double)dim;
    for (size_t i = 0; i < TASKS; i++) {
        bo__rng rng;
        bo__rng_init(&rng, 2, "task", i);
        bo__prior_task task;
        size_t n = 3 + i % 47;
        bo__prior_draw(&prior, &rng, 1, n, x, y, scratch, &task);
        assert_true(task.scale >= 0.1 && task.scale <= 1);
        least = fmin(least, task.length);
        most = fmax(most, task.length);
        for (size_t j = 0; j < n * dim; j++)
            assert_true(x[j] >= -2 && x[j] <= 2);
        sum += whitened_square(&task, n, dim, x, y) / TASKS;
    }
    free(scratch);
    assert_true(least >= 0.1 * d && least < 0.12 * d && most > 0.58 * d && most <= 0.6 * d);
    return sum;
}

static void test_covariances(void **state)
{
    const char *const kinds[] = {"rbf", "matern52", "periodic"};
    for (size_t k = 0; k < 3; k++)
        for (size_t dim = 1; dim <= 3; dim += 2) {
            double square = mean_whitened(kinds[k], dim);
            if (!(fabs(square - 1) < 0.08)) /* about four standard errors */
                fail_msg("%s in %zu dimensions: %g", kinds[k], dim, square);
        }
}

/* The t-noise is added to every point, and has heavy tails. */
static void test_tnoise(void **state)
{
    double square = mean_whitened("tnoise", 1);
    assert_true(square > 2);
}

static void test_mixture_uses_all(void **state)
{
    bo__prior prior = parsed("rbf,matern52,periodic,tnoise", 1);
    float x[8], y[8], *scratch = malloc(bo__prior_scratch(&prior, 8) * sizeof *scratch);
    size_t seen[BO_PRIOR_KINDS] = {0};
    for (size_t i = 0; i < 400; i++) {
        bo__rng rng;
        bo__rng_init(&rng, 2, "task", i);
        bo__prior_task task;
        bo__prior_draw(&prior, &rng, 4, 8, x, y, scratch, &task);
        seen[task.kind]++;
    }
    for (size_t k = 0; k <= BO_PRIOR_TNOISE; k++)
        assert_true(seen[k] > 60);
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series_apart),
        cmocka_unit_test(test_parse),       cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_covariances), cmocka_unit_test(test_tnoise),
        cmocka_unit_test(test_mixture_uses_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
