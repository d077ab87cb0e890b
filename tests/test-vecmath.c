/* test-vecmath.c - bo__exp, bo__log1p_share and bo__sincos against the C library's long double
 * functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "rng.h"
#include "vecmath.h"

/* In units in the last place of the true value. */
static double error_at(double x)
{
    long double truth = expl((long double)x);
    int exponent;
    frexpl(truth, &exponent);
    return (double)(fabsl((long double)bo__exp(x) - truth) / ldexpl(1, exponent - 53));
}

/* Dense where kernels look, and over all the range, with the points between two powers of two
 * where the reduced argument is largest. */
static void test_error(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "vecmath", 0);
    double most = 0;
    for (int i = 0; i < 400000; i++) {
        double u = bo__rng_uniform(&rng);
        most = fmax(most, error_at(i % 2 ? -708 + u * 1417 : -20 * u));
    }
    for (int k = -1021; k < 1022; k++)
        for (double off = -1e-9; off <= 1e-9; off += 5e-10)
            most = fmax(most, error_at(((double)k + 0.5 + off) * M_LN2));
    printf("largest error: %.3f ulp\n", most);
    assert_true(most < 1.3); /* as vecmath.h says */
}

static void test_exact(void **state)
{
    assert_true(bo__exp(0) == 1);
    assert_true(bo__exp(-0.0) == 1);
    assert_true(bo__exp(-1e-300) == 1);
    assert_close(bo__exp(1), M_E, 1e-15);
}

static void test_ends(void **state)
{
    assert_true(bo__exp(-708) > 0 && bo__exp(-708) < 4e-308);
    assert_true(bo__exp(-709) == bo__exp(-708));
    assert_true(bo__exp(-1e300) == bo__exp(-708));
    assert_true(bo__exp(-INFINITY) == bo__exp(-708));
    assert_true(isfinite(bo__exp(709)));
    assert_true(isnan(bo__exp(NAN)));
}

static void test_log1p(void **state)
{
    for (int i = 0; i <= 100000; i++) {
        double e = i % 2 ? i / 1e5 : exp(-i / 150.0), truth = (double)log1pl((long double)e);
        assert_close(bo__log1p_share(e), truth, 4 * DBL_EPSILON * truth);
    }
    assert_true(isnan(bo__log1p_share(NAN)));
}

static void test_monotone(void **state)
{
    double last = 0;
    for (double x = -708; x <= 709; x += 0x1p-6) {
        assert_true(bo__exp(x) > last);
        last = bo__exp(x);
    }
}

static double sincos_error(double x)
{
    double s, c;
    bo__sincos(x, &s, &c);
    return fmax((double)fabsl((long double)s - sinl((long double)x)),
                (double)fabsl((long double)c - cosl((long double)x)));
}

/* All quadrants, both signs, small and large, and the points between two quadrants. */
static void test_sincos(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "vecmath", 0);
    double most = 0, s, c;
    for (int i = 0; i < 400000; i++) {
        double size = i % 3 == 0 ? 7 : i % 3 == 1 ? 1e3 : 1e7;
        most = fmax(most, sincos_error(size * (2 * bo__rng_uniform(&rng) - 1)));
    }
    for (int k = -4000; k < 4000; k++)
        for (double off = -1e-9; off <= 1e-9; off += 5e-10)
            most = fmax(most, sincos_error(((double)k / 2 + off) * M_PI_2));
    printf("largest error: %.3g\n", most);
    assert_true(most < 3e-16); /* as vecmath.h says */
    bo__sincos(0, &s, &c);
    assert_true(s == 0 && c == 1);
    bo__sincos(NAN, &s, &c);
    assert_true(isnan(s) && isnan(c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_log1p),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_sincos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
