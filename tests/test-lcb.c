/* test-lcb.c - the lower confidence bound against the mixture's moments and differences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mixture-check.h"

static const bo_acquisition_type *const lcb = &bo__acquisition_lcb;

/* Var z = E z² - (E z)², another road than the one the library takes. */
static void test_moments(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 500; i++) {
        mixture g = mixture_random(&rng, 0);
        double first = 0, second = 0;
        for (size_t k = 0; k < g.K; k++) {
            first += g.mean[k] / (double)g.K;
            second += (g.mean[k] * g.mean[k] + g.sd[k] * g.sd[k]) / (double)g.K;
        }
        bo_acquisition_state s = {.beta = 2.5, .best = -7};
        double expected = -(first - 2.5 * sqrt(second - first * first));
        assert_near(lcb->value(&s, g.K, g.mean, g.sd, NULL, NULL), expected, 1e-11, 1e-11);
    }
}

static void test_derivatives(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", 0);
    for (int i = 0; i < 500; i++) {
        mixture g = mixture_random(&rng, 1);
        bo_acquisition_state s = {.beta = 0.5 * (i % 5)};
        check_derivatives(lcb, &s, &g, 1e-8, 1e-9);
    }
}

static void test_limits(void **state)
{
    bo_acquisition_state s = {.beta = 2};
    double mean[] = {3, 3}, sd[] = {0, 0}, dmean[2], dsd[2];
    assert_true(lcb->value(&s, 1, mean, sd, dmean, dsd) == -3);
    assert_true(dmean[0] == -1 && dsd[0] == 2);
    assert_true(lcb->value(&s, 2, mean, sd, dmean, dsd) == -3);
    assert_true(dmean[0] == -0.5 && dsd[0] == 1);
    sd[0] = 1e-300;
    assert_true(lcb->value(&s, 1, mean, sd, NULL, NULL) == -3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
