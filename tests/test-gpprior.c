/* test-gpprior.c - drawn functions: their covariance over many seeds, their gradient.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gpprior.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const bo_kernel kernels[] = {BO_RBF, BO_MATERN52, BO_PERIODIC};

/* The kernels as they are written in gpprior.h, with s = 1. */
static double correlation(const bo__objective_prior *prior, size_t dim, const double *lag)
{
    double l = prior->lengthscale, squares = 0, exponent = 0;
    for (size_t j = 0; j < dim; j++) {
        squares += lag[j] * lag[j];
        exponent += -2 * pow(sin(M_PI * fabs(lag[j]) / prior->period), 2) / (l * l);
    }
    double r = sqrt(squares) / l;
    if (prior->kernel == BO_RBF)
        return exp(-r * r / 2);
    if (prior->kernel == BO_PERIODIC)
        return exp(exponent);
    return (1 + sqrt(5) * r + 5 * r * r / 3) * exp(-sqrt(5) * r);
}

/* A lag of `share` of the distance over which the function changes, and less along the second
 * coordinate. */
static void choose_lag(const bo__objective_prior *prior, size_t dim, double share, double *lag)
{
    double unit = prior->lengthscale;
    if (prior->kernel == BO_PERIODIC)
        unit *= prior->period / (2 * M_PI);
    for (size_t j = 0; j < dim; j++)
        lag[j] = share * unit * (j == 1 ? -0.5 : 1);
}

/* Over seeds, the mean of f(x)·f(x+lag)/s² - k(lag)/s² is 0 within 4 standard errors: the
 * variance of the product is at most 2.  Places of one function may hang together, so only
 * functions are counted. */
static void check_covariance(bo_kernel kernel, size_t dim)
{
    enum { SEEDS = 250, PLACES = 3, LAGS = 4 };
    static const double shares[LAGS] = {0, 0.5, 1.2, 3};
    double sum[LAGS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bo__gpprior *draw;
        assert_int_equal(bo__gpprior_new(&draw, kernel, dim, seed, NULL), BO_OK);
        const bo__objective_prior *prior = bo__gpprior_parameters(draw);
        for (int i = 0; i < PLACES * LAGS; i++) {
            double x[3], lag[3], share = shares[i % LAGS];
            choose_lag(prior, dim, share, lag);
            for (size_t j = 0; j < dim; j++)
                x[j] = -1.9 + 1.3 * (i / LAGS) + 0.1 * (double)j;
            double product = bo__gpprior_value(draw, x, NULL) / (prior->scale * prior->scale);
            for (size_t j = 0; j < dim; j++)
                x[j] += lag[j];
            product *= bo__gpprior_value(draw, x, NULL);
            sum[i % LAGS] += product - correlation(prior, dim, lag);
        }
        bo__gpprior_free(draw);
    }
    for (int i = 0; i < LAGS; i++)
        assert_close(sum[i] / (SEEDS * PLACES), 0, 4 * sqrt(2.0 / SEEDS));
}

static void test_covariance(void **state)
{
    for (size_t k = 0; k < 3; k++)
        for (size_t dim = 1; dim <= 3; dim++)
            check_covariance(kernels[k], dim);
}

static void test_periodic_repeats(void **state)
{
    for (size_t dim = 1; dim <= 3; dim++) {
        bo__gpprior *draw;
        assert_int_equal(bo__gpprior_new(&draw, BO_PERIODIC, dim, 4, NULL), BO_OK);
        double p = bo__gpprior_parameters(draw)->period, x[3] = {-1.7, 0.2, 0.9};
        double value = bo__gpprior_value(draw, x, NULL);
        for (size_t j = 0; j < dim; j++) {
            x[j] += 3 * p;
            assert_close(bo__gpprior_value(draw, x, NULL), value, 1e-11);
        }
        bo__gpprior_free(draw);
    }
}

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* f(x)/s is standard normal: Kolmogorov's test at the 1 % level. */
static void test_marginal(void **state)
{
    enum { N = 500 };
    double value[N], x[3] = {0.3, -0.8, 1.1};
    for (size_t k = 0; k < 3; k++) {
        for (size_t dim = 1; dim <= 3; dim += 2) {
            for (uint64_t seed = 0; seed < N; seed++) {
                bo__gpprior *draw;
                assert_int_equal(bo__gpprior_new(&draw, kernels[k], dim, 1000 + seed, NULL), 0);
                value[seed] =
                    bo__gpprior_value(draw, x, NULL) / bo__gpprior_parameters(draw)->scale;
                bo__gpprior_free(draw);
            }
            qsort(value, N, sizeof *value, compare);
            double most = 0;
            for (int i = 0; i < N; i++) {
                double p = gsl_cdf_ugaussian_P(value[i]);
                most = fmax(most, fmax(p - (double)i / N, (double)(i + 1) / N - p));
            }
            assert_true(most < 1.63 / sqrt(N));
        }
    }
}

/* s, l and p fill their ranges evenly. */
static void test_parameters(void **state)
{
    enum { N = 2000 };
    double scale = 0, length = 0, period = 0;
    for (uint64_t seed = 0; seed < N; seed++) {
        bo__objective_prior prior = bo__gpprior_choose(BO_PERIODIC, seed);
        bo__objective_prior plain = bo__gpprior_choose(BO_RBF, seed);
        assert_true(prior.scale >= 0.1 && prior.scale <= 1);
        assert_true(prior.lengthscale >= 0.1 && prior.lengthscale <= 0.6);
        assert_true(prior.period >= 0.1 && prior.period <= 0.5);
        assert_true(plain.scale == prior.scale && plain.lengthscale == prior.lengthscale);
        scale += prior.scale / N;
        length += prior.lengthscale / N;
        period += prior.period / N;
    }
    /* 4 standard errors of the mean of a uniform variable */
    assert_close(scale, 0.55, 4 * 0.9 / sqrt(12.0 * N));
    assert_close(length, 0.35, 4 * 0.5 / sqrt(12.0 * N));
    assert_close(period, 0.3, 4 * 0.4 / sqrt(12.0 * N));
}

static void test_gradient(void **state)
{
    for (size_t k = 0; k < 3; k++)
        for (size_t dim = 1; dim <= 4; dim++) {
            bo__gpprior *draw;
            double x[4] = {0.31, -1.2, 0.77, 1.9}, dx[4];
            assert_int_equal(bo__gpprior_new(&draw, kernels[k], dim, 9, NULL), BO_OK);
            double value = bo__gpprior_value(draw, x, dx);
            assert_true(value == bo__gpprior_value(draw, x, NULL));
            for (size_t j = 0; j < dim; j++) {
                /* five-point formula: (f₋₂ - 8f₋₁ + 8f₁ - f₂)/12h */
                static const double factor[5] = {1, -8, 0, 8, -1};
                double at = x[j], h = 1e-5, sum = 0;
                for (int i = 0; i < 5; i++) {
                    x[j] = at + (i - 2) * h;
                    sum += factor[i] * bo__gpprior_value(draw, x, NULL);
                }
                x[j] = at;
                assert_close(dx[j], sum / (12 * h), 1e-7 * (1 + fabs(dx[j])));
            }
            bo__gpprior_free(draw);
        }
}

static void test_errors(void **state)
{
    bo__gpprior *draw;
    bo_message message;
    assert_int_equal(bo__gpprior_new(&draw, BO_MATERN32, 1, 0, &message), BO_EINVAL);
    assert_null(draw);
    assert_non_null(strstr(message.text, "matern52"));
    assert_int_equal(bo__gpprior_new(&draw, BO_RBF, 0, 0, &message), BO_EINVAL);
    bo__gpprior_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_covariance),
        cmocka_unit_test(test_marginal),   cmocka_unit_test(test_periodic_repeats),
        cmocka_unit_test(test_gradient),   cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
