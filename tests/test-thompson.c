/* test-thompson.c - Thompson sampling: the drawn function with its sign turned.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mixture-check.h"

static void test_value(void **state)
{
    bo_acquisition_state s = {.best = 1, .beta = 2, .xi = 3};
    double mean = 0.75, sd = 0, dmean = 5, dsd = 5;
    assert_true(bo__acquisition_thompson.draws);
    assert_true(bo__acquisition_thompson.value(&s, 1, &mean, &sd, &dmean, &dsd) == -0.75);
    assert_true(dmean == -1 && dsd == 0);
    assert_true(bo__acquisition_thompson.value(&s, 1, &mean, &sd, NULL, NULL) == -0.75);
}

static void test_derivatives(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 50; i++) {
        mixture g = mixture_random(&rng, 1);
        bo_acquisition_state s = {.best = 0};
        check_derivatives(&bo__acquisition_thompson, &s, &g, 1e-9, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
