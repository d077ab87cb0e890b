/* test-statistics.c - against values worked out by hand, tables, and plain counting.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "statistics.h"

#include <math.h>
#include <string.h>

#include "check.h"

static void test_mean(void **state)
{
    const double v[] = {2, 4, 4, 4, 5, 5, 7, 9};
    assert_close(bo__mean(8, v), 5, 1e-15);
    assert_close(bo__standard_error(8, v), sqrt(32.0 / 7 / 8), 1e-15);
    assert_true(isnan(bo__mean(0, v)));
    assert_true(isnan(bo__standard_error(1, v)));
}

/* R: quantile(c(1, 2, 4, 8, 16, 32)) is 1, 2.5, 6, 14, 32. */
static void test_quartiles(void **state)
{
    const double v[] = {16, 1, 32, 4, 2, 8};
    bo__quartiles q;
    assert_int_equal(bo__quartiles_of(&q, 6, v, NULL), BO_OK);
    assert_close(q.least, 1, 0);
    assert_close(q.lower, 2.5, 1e-15);
    assert_close(q.median, 6, 1e-15);
    assert_close(q.upper, 14, 1e-14);
    assert_close(q.most, 32, 0);
    assert_int_equal(bo__quartiles_of(&q, 1, v, NULL), BO_OK);
    assert_true(q.least == 16 && q.lower == 16 && q.median == 16 && q.most == 16);
    assert_int_equal(bo__quartiles_of(&q, 0, NULL, NULL), BO_OK);
    assert_true(isnan(q.median));
    const double infinite[] = {INFINITY, 1, INFINITY, 2};
    assert_int_equal(bo__quartiles_of(&q, 4, infinite, NULL), BO_OK);
    assert_close(q.lower, 1.75, 1e-15);
    assert_true(isinf(q.median) && isinf(q.upper) && isinf(q.most));
}

static void test_sort(void **state)
{
    double v[] = {3, NAN, -1, INFINITY, 0};
    bo__sort(5, v);
    assert_true(v[0] == -1 && v[1] == 0 && v[2] == 3 && isinf(v[3]) && isnan(v[4]));
}

static bo__wilcoxon compare(size_t n, const double *a, const double *b)
{
    bo__wilcoxon test;
    assert_int_equal(bo__wilcoxon_test(&test, n, a, b, NULL), BO_OK);
    return test;
}

/* The depression scores of Hollander and Wolfe, "Nonparametric Statistical Methods", 1973, as in
 * R's help of wilcox.test: V = 40, two-sided p = 0.0390625. */
static void test_exact(void **state)
{
    const double a[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double b[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    bo__wilcoxon test = compare(9, a, b);
    assert_true(test.exact);
    assert_int_equal(test.n, 9);
    assert_close(test.positive, 40, 0);
    assert_close(test.negative, 5, 0);
    assert_close(test.p, 0.0390625, 1e-15);
    assert_close(test.effect, 35.0 / 45, 1e-15);
    bo__wilcoxon turned = compare(9, b, a);
    assert_close(turned.p, test.p, 0);
    assert_close(turned.effect, -test.effect, 0);
}

/* All signs alike: p = 2/2^n.  All 2^n signs of n = 10 by counting. */
static void test_exact_by_counting(void **state)
{
    enum { N = 10 };
    double a[N], zero[N] = {0};
    for (int signs = 0; signs < 1 << N; signs += 37) {
        int sum = 0, less = 0;
        for (int i = 0; i < N; i++) {
            a[i] = signs >> i & 1 ? i + 1 : -(i + 1);
            sum += signs >> i & 1 ? i + 1 : 0;
        }
        int least = sum < 55 - sum ? sum : 55 - sum;
        for (int other = 0; other < 1 << N; other++) {
            int w = 0;
            for (int i = 0; i < N; i++)
                w += other >> i & 1 ? i + 1 : 0;
            less += w <= least;
        }
        assert_close(compare(N, a, zero).p, fmin(1, 2.0 * less / (1 << N)), 1e-15);
    }
    double rising[25], none[25] = {0};
    for (int i = 0; i < 25; i++)
        rising[i] = i + 1;
    assert_close(compare(25, rising, none).p, ldexp(1, -24), 1e-22);
    assert_close(compare(25, rising, none).effect, 1, 0);
}

/* Ties share ranks: |d| = 1, 1, 2, 3 gives 1.5, 1.5, 3, 4; zero differences are left out.
 * W+ = 8.5, W- = 1.5; mean 5, variance 4·5·9/24 - (2³-2)/48 = 7.375. */
static void test_ties(void **state)
{
    const double a[] = {1, 0, 2, 3, 7}, b[] = {0, 1, 0, 0, 7};
    bo__wilcoxon test = compare(5, a, b);
    assert_false(test.exact);
    assert_int_equal(test.n, 4);
    assert_close(test.positive, 8.5, 0);
    assert_close(test.negative, 1.5, 0);
    assert_close(test.effect, 0.7, 1e-15);
    assert_close(test.p, erfc((5 - 1.5 - 0.5) / sqrt(2 * 7.375)), 1e-15);
    assert_close(test.p, 0.2693, 1e-4); /* 2·Φ(-1.1047), from a table */
}

/* n = 30 without ties: W- = 120 by choice of signs; mean 232.5, variance 2363.75. */
static void test_normal(void **state)
{
    double a[30], b[30] = {0};
    int left = 120;
    for (int i = 30; i >= 1; i--) {
        bool minus = i <= left;
        left -= minus ? i : 0;
        a[i - 1] = minus ? -i : i;
    }
    bo__wilcoxon test = compare(30, a, b);
    assert_false(test.exact);
    assert_close(test.negative, 120, 0);
    assert_close(test.p, erfc(112 / sqrt(2 * 2363.75)), 1e-15);
    assert_close(test.p, 0.02124, 2e-5); /* 2·Φ(-2.3037) */
}

static void test_nothing_to_compare(void **state)
{
    const double same[] = {1, 2, 3};
    bo__wilcoxon test = compare(3, same, same);
    assert_int_equal(test.n, 0);
    assert_true(test.p == 1 && test.effect == 0);
    assert_true(compare(0, NULL, NULL).p == 1);
    const double bad[] = {1, NAN, 3};
    bo_message message;
    assert_int_equal(bo__wilcoxon_test(&test, 3, same, bad, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "pair 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_quartiles),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_exact_by_counting),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_nothing_to_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
