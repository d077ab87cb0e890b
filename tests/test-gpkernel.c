/* test-gpkernel.c - kernels against formulas written with the C library, and their sums.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "gpkernel.h"
#include "rng.h"

static const bo_kernel kernels[] = {BO_RBF, BO_MATERN52, BO_MATERN32, BO_PERIODIC};

static long double by_hand(bo_kernel kernel, long double t)
{
    long double r5 = sqrtl(5 * t), r3 = sqrtl(3 * t);
    return kernel == BO_MATERN52   ? (1 + r5 + r5 * r5 / 3) * expl(-r5)
           : kernel == BO_MATERN32 ? (1 + r3) * expl(-r3)
                                   : expl(-t / 2);
}

/* dk/dt in closed form where differences cannot tell. */
static long double slope_by_hand(bo_kernel kernel, long double t)
{
    long double r5 = sqrtl(5 * t), r3 = sqrtl(3 * t);
    return kernel == BO_MATERN52   ? -5.0L / 6 * (1 + r5) * expl(-r5)
           : kernel == BO_MATERN32 ? -1.5L * expl(-r3)
                                   : -0.5L * expl(-t / 2);
}

static void test_values(void **state)
{
    enum { N = 101 };
    bo__rng rng;
    bo__rng_init(&rng, 1, "kernel", 0);
    for (size_t c = 0; c < 4; c++) {
        double t[N], k[N], dk[N], alone[N], shared[N], slopes[N];
        for (size_t i = 0; i < N; i++)
            t[i] = i == 0 ? 0 : i == 1 ? 1e-300 : exp(12 * bo__rng_uniform(&rng) - 8);
        bo__kernel_apply(kernels[c], N, t, k, dk);
        bo__kernel_apply(kernels[c], N, t, alone, NULL);
        memcpy(shared, t, sizeof t);
        bo__kernel_apply(kernels[c], N, shared, shared, slopes); /* t and k in one array */
        for (size_t i = 0; i < N; i++) {
            double truth = (double)by_hand(kernels[c], t[i]);
            assert_close(k[i] / truth, 1, 1e-14);
            assert_close(dk[i] / (double)slope_by_hand(kernels[c], t[i]), 1, 1e-14);
            assert_close(alone[i], k[i], 1e-15);
            assert_true(shared[i] == k[i] && slopes[i] == dk[i]);
            assert_true(k[i] <= 1 && k[i] > 0);
            long double h = (long double)t[i] * 1e-5L; /* the slope is the value's slope */
            if (t[i] > 1e-3) {
                long double d = (by_hand(kernels[c], t[i] + h) - by_hand(kernels[c], t[i] - h)) /
                                (2 * h);
                assert_close(dk[i] / (double)d, 1, 1e-7);
            }
        }
        assert_true(k[0] == 1);
    }
}

/* Far away the value is nothing, whatever the distance; never infinite or NaN. */
static void test_far(void **state)
{
    const double t[] = {1e4, 1e6, 1e9, 1e12};
    for (size_t c = 0; c < 4; c++) {
        double k[4], dk[4];
        bo__kernel_apply(kernels[c], 4, t, k, dk);
        for (size_t i = 0; i < 4; i++)
            assert_true(k[i] >= 0 && k[i] < 1e-60 && fabs(dk[i]) < 1e-60);
    }
}

static void test_sums(void **state)
{
    enum { LD = 40, F = 5, STEP = 3 };
    bo__rng rng;
    bo__rng_init(&rng, 2, "kernel", 0);
    double st[F * LD], s[F * STEP], weight[LD], t[LD], moments[F], differences[F];
    for (size_t n = 0; n <= LD; n += n < 18 ? 1 : 11) {
        for (size_t i = 0; i < F * LD; i++)
            st[i] = bo__rng_normal(&rng);
        for (size_t i = 0; i < F * STEP; i++)
            s[i] = i % STEP ? NAN : bo__rng_normal(&rng);
        for (size_t i = 0; i < LD; i++)
            weight[i] = bo__rng_normal(&rng), t[i] = -7;
        for (size_t f = 0; f < F; f++)
            moments[f] = differences[f] = (double)f; /* added to what is there */
        bo__kernel_distances(n, F, st, LD, s, STEP, t);
        bo__kernel_moments(n, F, st, LD, s, STEP, weight, moments);
        bo__kernel_differences(n, F, st, LD, s, STEP, weight, differences);
        for (size_t i = 0; i < LD; i++) {
            double sum = 0;
            for (size_t f = 0; f < F; f++)
                sum += pow(st[f * LD + i] - s[f * STEP], 2);
            assert_close(t[i], i < n ? sum : -7, 1e-12);
        }
        for (size_t f = 0; f < F; f++) {
            double square = (double)f, plain = (double)f;
            for (size_t i = 0; i < n; i++) {
                square += weight[i] * pow(st[f * LD + i] - s[f * STEP], 2);
                plain += weight[i] * (s[f * STEP] - st[f * LD + i]);
            }
            assert_close(moments[f], square, 1e-11);
            assert_close(differences[f], plain, 1e-11);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
