/* test-objective.c - every objective in several dimensions: its box, its optimum, its noise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "objective.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static bo__objective *make(const char *name, size_t dim, uint64_t seed)
{
    bo__objective *objective;
    bo_message message = {""};
    const bo__objective_type *type = bo__objective_find(name);
    assert_non_null(type);
    if (bo__objective_new(&objective, type, dim, seed, &message))
        fail_msg("%s: %s", name, message.text);
    return objective;
}

/* Calls check for every type in the dimensions among 1 … 7 it has. */
static void for_each(void (*check)(const bo__objective *objective, const char *name))
{
    for (size_t i = 0; bo__objective_at(i); i++) {
        const bo__objective_type *type = bo__objective_at(i);
        const char *name = bo__objective_type_name(type);
        size_t most = bo__objective_type_most_dim(type);
        for (size_t dim = bo__objective_type_least_dim(type); dim <= 7 && dim <= most; dim++) {
            if (strncmp(name, "gp_", 3) == 0 && dim > 2)
                break; /* test-gpminimum has the larger ones */
            bo__objective *objective = make(name, dim, 5);
            assert_int_equal(bo__objective_dim(objective), dim);
            check(objective, name);
            bo__objective_free(objective);
        }
    }
}

static void random_point(const bo__objective *objective, bo__rng *rng, double *x)
{
    for (size_t j = 0; j < bo__objective_dim(objective); j++) {
        double low = bo__objective_lower(objective)[j], high = bo__objective_upper(objective)[j];
        x[j] = low + (high - low) * bo__rng_uniform(rng);
    }
}

static void check_optimum(const bo__objective *objective, const char *name)
{
    const double *argmin = bo__objective_argmin(objective);
    assert_non_null(argmin);
    for (size_t j = 0; j < bo__objective_dim(objective); j++) {
        assert_true(argmin[j] >= bo__objective_lower(objective)[j]);
        assert_true(argmin[j] <= bo__objective_upper(objective)[j]);
        assert_true(bo__objective_lower(objective)[j] < bo__objective_upper(objective)[j]);
    }
    double least = bo__objective_least(objective);
    assert_true(bo__objective_value(objective, argmin) == least);
}

static void test_optimum_is_a_value(void **state)
{
    for_each(check_optimum);
}

static double nlopt_value(unsigned dim, const double *x, double *gradient, void *data)
{
    double value = bo__objective_value(data, x);
    assert_true(isfinite(value));
    return value;
}

/* 2,000 random points, and COBYLA from the best of them and from beside the optimum. */
static void check_nothing_below(const bo__objective *objective, const char *name)
{
    size_t dim = bo__objective_dim(objective);
    double least = bo__objective_least(objective), best = INFINITY, x[7], start[2][7], value;
    bo__rng rng;
    bo__rng_init(&rng, 11, "test", 0);
    for (int i = 0; i < 2000; i++) {
        random_point(objective, &rng, x);
        value = bo__objective_value(objective, x);
        assert_true(isfinite(value));
        if (value < best) {
            best = value;
            memcpy(start[0], x, sizeof x);
        }
    }
    for (size_t j = 0; j < dim; j++)
        start[1][j] = bo__objective_argmin(objective)[j] + 1e-3 * (bo__rng_uniform(&rng) - 0.5);
    nlopt_opt opt = nlopt_create(NLOPT_LN_COBYLA, (unsigned)dim);
    nlopt_set_lower_bounds(opt, bo__objective_lower(objective));
    nlopt_set_upper_bounds(opt, bo__objective_upper(objective));
    nlopt_set_min_objective(opt, nlopt_value, (void *)objective);
    nlopt_set_maxeval(opt, 2000);
    nlopt_set_xtol_rel(opt, 1e-12);
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < dim; j++) {
            start[i][j] = fmax(start[i][j], bo__objective_lower(objective)[j]);
            start[i][j] = fmin(start[i][j], bo__objective_upper(objective)[j]);
        }
        nlopt_optimize(opt, start[i], &value);
        best = fmin(best, value);
    }
    nlopt_destroy(opt);
    if (best < least - 1e-11 * fmax(1, fabs(least)))
        fail_msg("%s in %zu dimensions: %.17g is below %.17g", name, dim, best, least);
}

static void test_nothing_lies_below(void **state)
{
    for_each(check_nothing_below);
}

static void check_corners(const bo__objective *objective, const char *name)
{
    size_t dim = bo__objective_dim(objective);
    double x[7];
    for (size_t corner = 0; corner < (size_t)1 << dim; corner++) {
        for (size_t j = 0; j < dim; j++)
            x[j] = corner >> j & 1 ? bo__objective_upper(objective)[j]
                                   : bo__objective_lower(objective)[j];
        double value = bo__objective_value(objective, x);
        assert_true(isfinite(value));
        assert_true(value >= bo__objective_least(objective));
    }
}

static void test_corners_are_finite(void **state)
{
    for_each(check_corners);
}

/* Literature; the dimension is the one the number is for. */
static void test_least_values(void **state)
{
    static const struct {
        const char *name;
        size_t dim;
        double least, tolerance;
    } known[] = {
        {"ackley", 6, 0, 1e-15},
        {"ackley_shifted", 5, 0, 1e-15},
        {"beale", 2, 0, 0},
        {"booth", 2, 0, 0},
        {"branin", 2, 0.39788735772973816, 1e-15},
        {"bukin6", 2, 0, 0},
        {"camel3", 2, 0, 0},
        {"camel6", 2, -1.0316284534898774, 1e-15},
        {"colville", 4, 0, 0},
        {"cosines", 2, -1.6, 1e-15},
        {"cross_in_tray", 2, -2.06261187082274, 1e-14},
        {"dixon_price", 6, 0, 1e-29},
        {"dropwave", 2, -1, 0},
        {"easom", 2, -1, 0},
        {"eggholder", 2, -959.640662720851, 1e-12},
        {"forrester", 1, -6.020740055767083, 1e-14},
        {"goldstein_price", 2, 3, 0},
        {"gramacy_lee", 1, -0.869011134989500, 1e-14},
        {"griewank", 9, 0, 0},
        {"hartmann3", 3, -3.862779787332663, 1e-14},
        {"hartmann6", 6, -3.322368011415515, 1e-14},
        {"holder_table", 2, -19.208502567886732, 1e-13},
        {"levy", 4, 0, 0},
        {"mccormick", 2, -1.913222954981037, 1e-14},
        {"michalewicz", 10, -9.66015171564135, 1e-13},
        {"rastrigin", 4, 0, 0},
        {"rosenbrock", 4, 0, 0},
        {"schwefel", 10, 0, 1e-11},
        {"shekel", 4, -10.536443153483528, 1e-13},
        {"shubert", 2, -186.7309088310239, 1e-12},
        {"sphere", 3, 0, 0},
        {"styblinski_tang", 4, -156.66466281508566, 1e-12},
        {"sum_of_squares", 3, 0, 0},
        {"zakharov", 3, 0, 0},
    };
    size_t fixed = 0;
    for (size_t i = 0; bo__objective_at(i); i++)
        fixed += strncmp(bo__objective_type_name(bo__objective_at(i)), "gp_", 3) != 0;
    assert_int_equal(fixed, sizeof known / sizeof *known);
    for (size_t i = 0; i < fixed; i++) {
        bo__objective *objective = make(known[i].name, known[i].dim, 0);
        assert_close(bo__objective_least(objective), known[i].least, known[i].tolerance);
        assert_true(bo__objective_noise(objective) == 0);
        bo__objective_prior prior;
        assert_false(bo__objective_prior_of(objective, &prior));
        bo__objective_free(objective);
    }
}

static void test_table(void **state)
{
    size_t count = 0;
    for (; bo__objective_at(count); count++) {
        const bo__objective_type *type = bo__objective_at(count);
        assert_ptr_equal(bo__objective_find(bo__objective_type_name(type)), type);
        assert_true(strlen(bo__objective_type_summary(type)) > 10);
        assert_true(strlen(bo__objective_type_summary(type)) < 70);
        bo__objective *objective = make(bo__objective_type_name(type), 0, 0);
        assert_int_equal(bo__objective_dim(objective), bo__objective_type_usual_dim(type));
        bo__objective_free(objective);
    }
    assert_true(count > 30);
    assert_null(bo__objective_find("brainin"));
    assert_null(bo__objective_find(""));
    assert_null(bo__objective_at(count + 1));
}

static void test_dimension_errors(void **state)
{
    bo__objective *objective;
    bo_message message;
    bo_status status =
        bo__objective_new(&objective, bo__objective_find("branin"), 3, 0, &message);
    assert_int_equal(status, BO_EINVAL);
    assert_null(objective);
    assert_string_equal(message.text, "objective branin has dimension 2, not 3");
    status = bo__objective_new(&objective, bo__objective_find("rosenbrock"), 1, 0, &message);
    assert_int_equal(status, BO_EINVAL);
    assert_string_equal(message.text,
                        "objective rosenbrock takes a dimension of 2 or more, not 1");
    bo__objective_free(NULL);
}

static void test_seeds(void **state)
{
    double x[2] = {0.3, -1.1};
    bo__objective *one = make("gp_rbf", 2, 7), *same = make("gp_rbf", 2, 7),
                  *other = make("gp_rbf", 2, 8), *noisy = make("gp_rbf_tnoise", 2, 7);
    double value = bo__objective_value(one, x);
    assert_true(bo__objective_value(same, x) == value);
    assert_true(bo__objective_least(same) == bo__objective_least(one));
    assert_true(bo__objective_value(other, x) != value);
    assert_true(bo__objective_value(noisy, x) == value); /* the noise is apart */
    assert_true(bo__objective_noise(one) == 0.02);
    bo__objective_prior prior;
    assert_true(bo__objective_prior_of(one, &prior));
    assert_int_equal(prior.kernel, BO_RBF);
    assert_true(prior.scale >= 0.1 && prior.scale <= 1);
    assert_true(prior.lengthscale >= 0.1 && prior.lengthscale <= 0.6);
    assert_true(isnan(prior.period));
    bo__objective_free(one);
    bo__objective_free(same);
    bo__objective_free(other);
    bo__objective_free(noisy);
}

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Kolmogorov's distance of n sorted values from a distribution. */
static double distance(size_t n, const double *sorted, double (*cdf)(double))
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double p = cdf(sorted[i]);
        most = fmax(most, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
    }
    return most;
}

static double normal_cdf(double v)
{
    return gsl_cdf_gaussian_P(v, 0.3);
}

/* γ·T with γ ~ U(0, 0.15): the mean of the cdf of T over γ, by the midpoint rule. */
static double tnoise_cdf(double v)
{
    double sum = 0;
    for (int i = 0; i < 400; i++)
        sum += gsl_cdf_tdist_P(v / (0.15 * (i + 0.5) / 400), 2.1);
    return sum / 400;
}

static void test_noise(void **state)
{
    enum { N = 4000 };
    static double residual[N];
    double x[1] = {0.4};
    bo__rng rng;
    bo__rng_init(&rng, 3, "noise", 0);
    bo__objective *sure = make("forrester", 1, 0), *heavy = make("gp_rbf_tnoise", 1, 1);
    assert_true(bo__objective_observe(sure, x, 0, &rng) == bo__objective_value(sure, x));
    for (int i = 0; i < N; i++)
        residual[i] = bo__objective_observe(sure, x, 0.3, &rng) - bo__objective_value(sure, x);
    qsort(residual, N, sizeof *residual, compare);
    assert_true(distance(N, residual, normal_cdf) < 1.63 / sqrt(N)); /* 1 % level */
    for (int i = 0; i < N; i++)
        residual[i] = bo__objective_observe(heavy, x, 0, &rng) - bo__objective_value(heavy, x);
    qsort(residual, N, sizeof *residual, compare);
    assert_true(distance(N, residual, tnoise_cdf) < 1.63 / sqrt(N));
    assert_true(distance(N, residual, normal_cdf) > 0.2); /* the test can tell them apart */
    bo__objective_free(sure);
    bo__objective_free(heavy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_dimension_errors),
        cmocka_unit_test(test_optimum_is_a_value),
        cmocka_unit_test(test_least_values),
        cmocka_unit_test(test_corners_are_finite),
        cmocka_unit_test(test_nothing_lies_below),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
