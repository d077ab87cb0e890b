/* test-pi.c - probability of improvement against numerical integration and differences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mixture-check.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

static const bo_acquisition_type *const probability = &bo__acquisition_pi;

static double density(double z, void *data)
{
    const mixture *g = data;
    double sum = 0;
    for (size_t k = 0; k < g->K; k++)
        sum += gsl_ran_gaussian_pdf(z - g->mean[k], g->sd[k]);
    return sum / (double)g->K;
}

static void test_integral(void **state)
{
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(2000);
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 200; i++) {
        mixture g = mixture_random(&rng, i % 5 - 2);
        bo_acquisition_state s = {.best = 0.25, .xi = i % 2 ? 0.1 : 0};
        gsl_function f = {density, &g};
        double expected, error;
        gsl_integration_qag(&f, -45, s.best - s.xi, 1e-14, 1e-11, 2000, 6, work, &expected, &error);
        double value = probability->value(&s, g.K, g.mean, g.sd, NULL, NULL);
        assert_near(value, expected, 1e-9, 1e-12);
    }
    gsl_integration_workspace_free(work);
}

static void test_derivatives(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", 0);
    for (int i = 0; i < 500; i++) {
        mixture g = mixture_random(&rng, i % 9 - 2);
        bo_acquisition_state s = {.best = -0.5, .xi = 0.01 * (i % 3)};
        check_derivatives(probability, &s, &g, 1e-8, 1e-9);
    }
}

static void test_limits(void **state)
{
    bo_acquisition_state s = {.best = 1, .xi = 0.5};
    double sds[] = {0, 5e-324, 1e-300, 1e-30}, means[] = {-2, 0.25, 0.75, 3};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            double dmean, dsd;
            double v = probability->value(&s, 1, &means[j], &sds[i], &dmean, &dsd);
            assert_true(v == (means[j] < 0.5));
            assert_true(dmean == 0 && dsd == 0);
        }
    double nan = NAN, one = 1, edge = 0.5, zero = 0;
    assert_true(isnan(probability->value(&s, 1, &nan, &one, NULL, NULL)));
    assert_true(isnan(probability->value(&s, 1, &one, &nan, NULL, NULL)));
    assert_true(probability->value(&s, 1, &edge, &zero, NULL, NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integral),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
