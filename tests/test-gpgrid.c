/* test-gpgrid.c - functions drawn on a grid: covariance over seeds, noise, extremes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gpgrid.h"

#include <math.h>
#include <string.h>

#include "check.h"

static const bo_kernel kernels[] = {BO_RBF, BO_MATERN52, BO_PERIODIC};

static bo__gpgrid *make(bo_kernel kernel, size_t n, bool noise, bool heavy, uint64_t seed)
{
    bo__gpgrid *grid;
    bo_message message = {""};
    if (bo__gpgrid_new(&grid, kernel, n, noise, heavy, seed, &message))
        fail_msg("%s", message.text);
    return grid;
}

/* As in the paper: 1,000 points. */
static void test_grid(void **state)
{
    for (size_t k = 0; k < 3; k++) {
        bo__gpgrid *grid = make(kernels[k], 1000, false, false, 3);
        double least = INFINITY, most = -INFINITY, step = 0;
        assert_int_equal(grid->n, 1000);
        assert_true(grid->x[0] == -2 && grid->x[999] == 2);
        for (size_t i = 0; i < grid->n; i++) {
            least = fmin(least, grid->y[i]);
            most = fmax(most, grid->y[i]);
            if (i > 0)
                step = fmax(step, fabs(grid->y[i] - grid->y[i - 1]));
        }
        assert_true(grid->least == least && grid->most == most);
        /* smooth: few sds of the slope, s/l times the kernel's own factor, between neighbours */
        double length = grid->prior.lengthscale;
        if (kernels[k] == BO_PERIODIC)
            length *= grid->prior.period / (2 * M_PI);
        assert_true(step < 6 * grid->prior.scale / length * (4.0 / 999));
        bo__objective_prior prior = bo__gpprior_choose(kernels[k], 3);
        assert_true(prior.scale == grid->prior.scale);
        assert_true(prior.lengthscale == grid->prior.lengthscale);
        bo__gpgrid_free(grid);
    }
}

/* Mean over seeds of y_i·y_j/s² - k/s², within 4 standard errors. */
static void test_covariance(void **state)
{
    enum { SEEDS = 2000, N = 41 };
    for (size_t k = 0; k < 3; k++) {
        double sum[4] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            bo__gpgrid *grid = make(kernels[k], N, false, false, seed);
            double l = grid->prior.lengthscale, s = grid->prior.scale;
            for (size_t lag = 0; lag < 4; lag++) {
                double d = 0.1 * (double)lag, r = d / l, c = exp(-r * r / 2);
                if (kernels[k] == BO_MATERN52)
                    c = (1 + sqrt(5) * r + 5 * r * r / 3) * exp(-sqrt(5) * r);
                if (kernels[k] == BO_PERIODIC)
                    c = exp(-2 * pow(sin(M_PI * d / grid->prior.period), 2) / (l * l));
                sum[lag] += grid->y[20] * grid->y[20 + lag] / (s * s) - c;
            }
            bo__gpgrid_free(grid);
        }
        for (size_t lag = 0; lag < 4; lag++)
            assert_close(sum[lag] / SEEDS, 0, 4 * sqrt(2.0 / SEEDS));
    }
}

static void test_noise(void **state)
{
    enum { N = 1000 };
    bo__gpgrid *plain = make(BO_RBF, N, false, false, 8), *noisy = make(BO_RBF, N, true, false, 8),
               *heavy = make(BO_RBF, N, true, true, 8), *again = make(BO_RBF, N, true, true, 8);
    double squares = 0;
    size_t far = 0;
    for (size_t i = 0; i < N; i++) {
        squares += pow(noisy->y[i] - plain->y[i], 2);
        far += fabs(heavy->y[i] - noisy->y[i]) > 0.15;
    }
    assert_close(sqrt(squares / N), 0.02, 4 * 0.02 / sqrt(2.0 * N));
    assert_in_range(far, 136, 234); /* P(|γT| > 0.15) = 0.185: within 4 sds */
    assert_memory_equal(heavy->y, again->y, N * sizeof(double));
    bo__gpgrid_free(plain);
    bo__gpgrid_free(noisy);
    bo__gpgrid_free(heavy);
    bo__gpgrid_free(again);
}

static void test_errors(void **state)
{
    bo__gpgrid *grid;
    bo_message message;
    assert_int_equal(bo__gpgrid_new(&grid, BO_RBF, 1, true, false, 0, &message), BO_EINVAL);
    assert_null(grid);
    assert_non_null(strstr(message.text, "not 1"));
    assert_int_equal(bo__gpgrid_new(&grid, BO_MATERN32, 9, true, false, 0, &message), BO_EINVAL);
    bo__gpgrid_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_covariance),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
