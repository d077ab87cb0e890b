/* test-ei.c - expected improvement against numerical integration and finite differences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mixture-check.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

typedef struct integrand {
    double a, mean, sd;
} integrand;

/* (a - z)·density, at z = a - v: the improvement v times its density. */
static double improvement(double v, void *data)
{
    const integrand *i = data;
    return v * gsl_ran_gaussian_pdf(i->a - v - i->mean, i->sd);
}

static double integrated(const mixture *g, double a)
{
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(1000);
    double sum = 0;
    for (size_t k = 0; k < g->K; k++) {
        integrand i = {a, g->mean[k], g->sd[k]};
        gsl_function f = {improvement, &i};
        double centre = fmax(a - g->mean[k], 0), part, error;
        double points[] = {0, centre + 3 * g->sd[k], centre + 12 * g->sd[k]};
        gsl_integration_qag(&f, points[0], points[1], 0, 1e-12, 1000, 6, work, &part, &error);
        sum += part;
        gsl_integration_qag(&f, points[1], points[2], 1e-300, 1e-10, 1000, 6, work, &part, &error);
        sum += part;
    }
    gsl_integration_workspace_free(work);
    return sum / (double)g->K;
}

static void test_integral(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 300; i++) {
        mixture g = mixture_random(&rng, i % 7 - 2);
        bo_acquisition_state s = {.best = 0.25, .xi = i % 2 ? 0.1 : 0};
        double value = bo__acquisition_ei.value(&s, g.K, g.mean, g.sd, NULL, NULL);
        assert_near(value, integrated(&g, s.best - s.xi), 1e-9, 1e-300);
    }
}

static void test_derivatives(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", 0);
    for (int i = 0; i < 500; i++) {
        mixture g = mixture_random(&rng, i % 9 - 2);
        bo_acquisition_state s = {.best = -0.5, .xi = 0.01 * (i % 3)};
        check_derivatives(&bo__acquisition_ei, &s, &g, 1e-8, 1e-10);
    }
}

/* sd = 0, or so small that t overflows: the limit max(best - ξ - mean, 0). */
static void test_limits(void **state)
{
    bo_acquisition_state s = {.best = 1, .xi = 0.5};
    double sds[] = {0, 5e-324, 1e-300, 1e-30}, means[] = {-2, 0.25, 0.5, 0.75, 3};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++) {
            double dmean, dsd;
            double v = bo__acquisition_ei.value(&s, 1, &means[j], &sds[i], &dmean, &dsd);
            assert_near(v, fmax(0.5 - means[j], 0), 0, sds[i]);
            assert_true(dmean == (means[j] < 0.5 ? -1 : means[j] > 0.5 ? 0 : dmean));
            assert_true(isfinite(dmean) && isfinite(dsd));
        }
    double nan = NAN, one = 1;
    assert_true(isnan(bo__acquisition_ei.value(&s, 1, &nan, &one, NULL, NULL)));
    assert_true(isnan(bo__acquisition_ei.value(&s, 1, &one, &nan, NULL, NULL)));
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
