/* test-oracle.c - the exact Gaussian process of a task, against formulas for one and two points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "oracle.h"

static void test_kernels(void **state)
{
    double a[2] = {0.3, -0.2}, b[2] = {0.7, 0.1}; /* half apart */
    bo__prior_task t = {.kind = BO_PRIOR_RBF, .scale = 0.8, .length = 0.5, .period = 0.4};
    assert_close(bo__oracle_kernel(&t, 2, a, b), 0.64 * exp(-0.5), 1e-12);
    t.kind = BO_PRIOR_MATERN52;
    double r = sqrt(5);
    assert_close(bo__oracle_kernel(&t, 2, a, b), 0.64 * (1 + r + 5.0 / 3) * exp(-r), 1e-12);
    t.kind = BO_PRIOR_PERIODIC; /* sin²(π·0.5/0.4) = ½ */
    assert_close(bo__oracle_kernel(&t, 2, a, b), 0.64 * exp(-2 * 0.5 / 0.25), 1e-12);
}

static void test_small(void **state)
{
    bo__prior_task t = {.kind = BO_PRIOR_RBF, .scale = 1, .length = 0.5};
    double x[2] = {0, 0.6}, y[2] = {0.7, -0.4}, at[1] = {0.25}, mean, sd, v = 4e-4;
    double k0 = bo__oracle_kernel(&t, 1, &x[0], at), k1 = bo__oracle_kernel(&t, 1, &x[1], at);
    double k = bo__oracle_kernel(&t, 1, &x[0], &x[1]), d = 1 + v, det = d * d - k * k;
    assert_int_equal(bo__oracle_predict(&t, 1, 1, x, y, 1, at, 0, &mean, &sd, NULL), BO_OK);
    assert_close(mean, k0 * 0.7 / d, 1e-12);
    assert_close(sd * sd, 1 + v - k0 * k0 / d, 1e-12);
    assert_int_equal(bo__oracle_predict(&t, 1, 2, x, y, 1, at, 0, &mean, &sd, NULL), BO_OK);
    double a0 = (d * y[0] - k * y[1]) / det, a1 = (d * y[1] - k * y[0]) / det;
    assert_close(mean, k0 * a0 + k1 * a1, 1e-12);
    double b0 = (d * k0 - k * k1) / det, b1 = (d * k1 - k * k0) / det;
    assert_close(sd * sd, 1 + v - k0 * b0 - k1 * b1, 1e-12);
    bo__oracle_predict(&t, 1, 2, x, y, 1, x, 0.3, &mean, &sd, NULL);
    assert_close(sd, 0.3, 0); /* clipped */
}

static void test_no_limit(void **state)
{
    bo__prior_task t = {.kind = BO_PRIOR_TNOISE, .scale = 1, .length = 0.5};
    double x = 0, y = 0, mean, sd;
    bo_message message;
    assert_int_equal(bo__oracle_predict(&t, 1, 1, &x, &y, 1, &x, 0, &mean, &sd, &message),
                     BO_EUNSUPPORTED);
    assert_non_null(strstr(message.text, "tnoise"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
