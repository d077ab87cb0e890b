/* test-logei.c - log expected improvement against integration, asymptotics and differences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mixture-check.h"

#include <gsl/gsl_integration.h>

static const bo_acquisition_type *const logei = &bo__acquisition_logei;

typedef struct integrand {
    double t;
} integrand;

/* E max(t - Z, 0)/φ(t) = ∫ v·exp(t·v - v²/2) dv over v > 0: stays in range at any t < 0. */
static double scaled_gain(double v, void *data)
{
    double t = ((const integrand *)data)->t;
    return v * exp(t * v - 0.5 * v * v);
}

/* log h; above 1 by h(t) = t + h(-t). */
static double integrated(double t)
{
    if (t > 1)
        return log(t + exp(integrated(-t)));
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(1000);
    integrand i = {t};
    gsl_function f = {scaled_gain, &i};
    double end = t < -4 ? -60 / t : 14 + t, part, error;
    gsl_integration_qag(&f, 0, end, 0, 1e-12, 1000, 6, work, &part, &error);
    gsl_integration_workspace_free(work);
    return log(part) - 0.5 * t * t - 0.5 * log(2 * M_PI);
}

static void test_integral(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 300; i++) {
        mixture g = mixture_random(&rng, i % 13 - 2);
        bo_acquisition_state s = {.best = 0.25, .xi = i % 2 ? 0.1 : 0};
        double part[MOST], top = -INFINITY, sum = 0;
        for (size_t k = 0; k < g.K; k++) {
            part[k] = log(g.sd[k]) + integrated((s.best - s.xi - g.mean[k]) / g.sd[k]);
            top = fmax(top, part[k]);
        }
        for (size_t k = 0; k < g.K; k++)
            sum += exp(part[k] - top);
        double value = logei->value(&s, g.K, g.mean, g.sd, NULL, NULL);
        assert_near(value, top + log(sum / (double)g.K), 1e-10, 1e-10);
    }
}

/* log h(t) = -t²/2 - log√(2π) - 2·log|t| + log(1 - 3/t² + 15/t⁴ - …). */
static void test_far_tail(void **state)
{
    double distances[] = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e12, 1e100, 1e150};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        bo_acquisition_state s = {.best = -distances[i]};
        double mean = 0, sd = 1, dmean, dsd, x = distances[i], w = 1 / (x * x);
        double value = logei->value(&s, 1, &mean, &sd, &dmean, &dsd);
        double series = -3 * w * (1 - 5 * w * (1 - 7 * w));
        double expected = -0.5 * x * x - 0.5 * log(2 * M_PI) - 2 * log(x) + log1p(series);
        assert_near(value, expected, 1e-14, 0);
        /* (log h)' = |t| + 2/|t| - …, and 1 + |t|·(log h)' by the sd */
        assert_near(-dmean, x * (1 + 2 * w * (1 - 3 * w)), 1e-11, 0);
        assert_near(dsd, x * x * (1 + 3 * w * (1 - 2 * w)), 1e-11, 0);
    }
}

static void test_derivatives(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", 0);
    for (int i = 0; i < 1000; i++) {
        mixture g = mixture_random(&rng, i % 25 - 5);
        bo_acquisition_state s = {.best = -0.5, .xi = 0.01 * (i % 3)};
        check_derivatives(logei, &s, &g, 1e-8, 1e-8);
    }
}

/* Where EI itself is a normal number the two must agree, derivatives too: dEI = EI·dLogEI. */
static void test_against_ei(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 3, "test", 0);
    for (int i = 0; i < 1000; i++) {
        mixture g = mixture_random(&rng, 5 * bo__rng_normal(&rng));
        bo_acquisition_state s = {.best = -0.5};
        double da[MOST], db[MOST], ea[MOST], eb[MOST];
        double ei = bo__acquisition_ei.value(&s, g.K, g.mean, g.sd, ea, eb);
        double value = logei->value(&s, g.K, g.mean, g.sd, da, db);
        if (ei < 1e-280)
            continue;
        assert_near(value, log(ei), 1e-13, 1e-13);
        for (size_t k = 0; k < g.K; k++) {
            assert_near(ei * da[k], ea[k], 3e-12, 1e-290);
            assert_near(ei * db[k], eb[k], 3e-12, 1e-290);
        }
    }
}

/* No -∞ and no NaN where mixtures mix near and far parts, or all are far. */
static void test_finite(void **state)
{
    double mean[4] = {1e8, 3, 1e6, 1e3}, sd[4] = {1, 1e-8, 1e-3, 1}, dmean[4], dsd[4];
    bo_acquisition_state s = {.best = 0};
    for (int far = 0; far < 2; far++) {
        mean[3] = far ? 1e9 : 1e3;
        assert_true(isfinite(logei->value(&s, 4, mean, sd, dmean, dsd)));
        for (int k = 0; k < 4; k++)
            assert_true(isfinite(dmean[k]) && isfinite(dsd[k]) && dmean[k] <= 0 && dsd[k] >= 0);
    }
}

static void test_limits(void **state)
{
    bo_acquisition_state s = {.best = 1, .xi = 0.5};
    double sds[] = {0, 5e-324, 1e-300, 1e-30}, dmean[2], dsd[2];
    for (size_t i = 0; i < 4; i++) {
        double gain[] = {-2}, loss[] = {3};
        assert_near(logei->value(&s, 1, gain, &sds[i], dmean, dsd), log(2.5), 1e-15, 0);
        assert_near(dmean[0], -0.4, 1e-15, 0);
        assert_true(dsd[0] == 0);
        double v = logei->value(&s, 1, loss, &sds[i], dmean, dsd);
        assert_true(sds[i] > 1e-100 ? v < -1e55 : v == -INFINITY);
        assert_true(!isnan(dmean[0]) && !isnan(dsd[0]));
        /* one certain part, one part without hope: log(2.5/2) */
        double both[] = {3, -2}, sd[] = {sds[i], sds[i]};
        assert_near(logei->value(&s, 2, both, sd, dmean, dsd), log(1.25), 1e-14, 0);
        assert_near(dmean[1], -0.4, 1e-14, 0);
        assert_true(dmean[0] == 0 && dsd[0] == 0 && dsd[1] == 0);
    }
    double nan = NAN, one = 1;
    assert_true(isnan(logei->value(&s, 1, &nan, &one, NULL, NULL)));
    assert_true(isnan(logei->value(&s, 1, &one, &nan, NULL, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integral),    cmocka_unit_test(test_far_tail),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_against_ei),
        cmocka_unit_test(test_finite),      cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
