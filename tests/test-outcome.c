/* test-outcome.c - standardised and warped values, and moments of y against integrals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "outcome.h"
#include "rng.h"

#define MOST 40

static void mean_and_sd(size_t n, const double *v, double *mean, double *sd)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    for (size_t i = 0; i < n; i++)
        square += (v[i] - sum / (double)n) * (v[i] - sum / (double)n);
    *mean = sum / (double)n;
    *sd = sqrt(square / (double)(n - 1));
}

/* z has mean 0 and sd 1, keeps the order of y, and comes back. */
static void check_standard(const bo__outcome *o, size_t n, const double *y, const double *z)
{
    double mean, sd;
    mean_and_sd(n, z, &mean, &sd);
    assert_close(mean, 0, 1e-3);
    assert_close(sd, 1, 1e-3);
    for (size_t i = 0; i < n; i++) {
        assert_close(bo__outcome_z(o, y[i]), z[i], 1e-9);
        assert_close(bo__outcome_y(o, z[i]) / y[i], 1, 1e-9);
        for (size_t j = 0; j < n; j++)
            if (o->sign * y[i] < o->sign * y[j])
                assert_true(z[i] < z[j]);
    }
}

/* Scales from the least to the largest doubles, and offsets that leave few digits. */
static void test_scales(void **state)
{
    const double scales[] = {1e-305, 1e-300, 1e-100, 1e-3, 1, 1e3, 1e100, 1e300, 2e307};
    bo__rng rng;
    bo__rng_init(&rng, 1, "outcome", 0);
    for (size_t s = 0; s < 9; s++)
        for (int maximize = 0; maximize < 2; maximize++)
            for (int warp = 0; warp < 2; warp++)
                for (size_t n = 3; n <= MOST; n += 7) {
                    double y[MOST], z[MOST];
                    for (size_t i = 0; i < n; i++)
                        y[i] = scales[s] * bo__rng_normal(&rng) * (i ? 1 : 2);
                    bo__outcome o;
                    bo__outcome_fit(&o, maximize, warp ? BO_WARP_AUTO : BO_WARP_NONE, n, y, z);
                    assert_true(o.scale > 0 && isfinite(o.scale) && isfinite(o.shift));
                    check_standard(&o, n, y, z);
                }
}

/* Values that differ in their last digits only: neighbours must not fall together. */
static void test_offset(void **state)
{
    double y[8], z[8], mean, sd;
    for (size_t i = 0; i < 8; i++)
        y[i] = 1e9 + 1e-3 * (double)(i * i) + (double)i * 0x1p-23;
    bo__outcome o;
    bo__outcome_fit(&o, false, BO_WARP_NONE, 8, y, z);
    mean_and_sd(8, z, &mean, &sd);
    assert_close(mean, 0, 1e-3);
    assert_close(sd, 1, 1e-3);
    for (size_t i = 1; i < 8; i++) { /* differences are those of y, to rounding */
        double expected = (y[i] - y[i - 1]) / o.scale;
        assert_close((z[i] - z[i - 1]) / expected, 1, 1e-9);
    }
}

static void test_few(void **state)
{
    const double values[] = {0, 1, -5, 1e300, -1e300, 1e-300, 1e-310, 5e-324, 1.7e308};
    bo__outcome o;
    double z[2] = {7, 7};
    bo__outcome_fit(&o, false, BO_WARP_AUTO, 0, NULL, NULL);
    assert_true(o.shift == 0 && o.scale == 1 && !o.warped && bo__outcome_z(&o, 3) == 3);
    bo__outcome_fit(&o, true, BO_WARP_AUTO, 0, NULL, NULL);
    assert_true(bo__outcome_z(&o, 3) == -3 && bo__outcome_y(&o, -3) == 3);
    for (size_t i = 0; i < 9; i++) {
        bo__outcome_fit(&o, false, BO_WARP_AUTO, 1, &values[i], z);
        assert_true(z[0] == 0 && o.scale > 0 && isfinite(o.scale));
        for (size_t j = 0; j < 9; j++) {
            double y[2] = {values[i], values[j]};
            bo__outcome_fit(&o, false, BO_WARP_AUTO, 2, y, z);
            assert_true(isfinite(z[0]) && isfinite(z[1]) && o.scale > 0 && isfinite(o.scale));
            assert_true(fabs(z[0]) <= 2 && fabs(z[1]) <= 2);
            if (y[0] < y[1] && y[1] - y[0] > 1e-12 * fabs(y[1]))
                assert_true(z[0] < z[1]);
        }
    }
}

static void test_constant(void **state)
{
    const double values[] = {0, 3, -3, 1e300, 1e-300, 5e-324, -1.7e308, 0.1};
    for (size_t v = 0; v < 8; v++)
        for (size_t n = 1; n < 30; n++) {
            double y[30], z[30];
            for (size_t i = 0; i < n; i++)
                y[i] = values[v];
            bo__outcome o;
            bo__outcome_fit(&o, false, BO_WARP_AUTO, n, y, z);
            assert_true(o.scale > 0 && isfinite(o.scale) && !o.warped);
            for (size_t i = 0; i < n; i++)
                assert_close(z[i], 0, 1e-12);
        }
}

/* A few ulps above zero: units cannot be halved for ever. */
static void test_subnormal(void **state)
{
    for (int steps = 1; steps < 40; steps++) {
        double y[12] = {0}, z[12];
        y[5] = steps * 5e-324;
        bo__outcome o;
        bo__outcome_fit(&o, false, BO_WARP_AUTO, 12, y, z);
        for (size_t i = 0; i < 12; i++)
            assert_true(isfinite(z[i]) && z[i] <= z[5]);
    }
}

/* A long upper tail is drawn in, whichever way is up; others are left alone. */
static void long_tail(bool maximize, bo__outcome *o, double *y, double *z)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "outcome", 0);
    for (size_t i = 0; i < MOST; i++)
        y[i] = (maximize ? -1 : 1) * (3 + exp(2 * bo__rng_normal(&rng)));
    bo__outcome_fit(o, maximize, BO_WARP_AUTO, MOST, y, z);
}

static void test_warp(void **state)
{
    bo__outcome o, mirrored;
    double y[MOST], z[MOST], other[MOST], other_z[MOST];
    long_tail(false, &o, y, z);
    assert_true(o.warped);
    check_standard(&o, MOST, y, z);
    long_tail(true, &mirrored, other, other_z);
    assert_true(mirrored.warped);
    assert_memory_equal(z, other_z, sizeof z);
    double last = -INFINITY, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < MOST; i++)
        least = fmin(least, y[i]), most = fmax(most, y[i]);
    for (double t = 0; t <= 1.5; t += 0.001) { /* monotone, beyond the data too */
        double v = bo__outcome_z(&o, least + t * (most - least));
        assert_true(v > last);
        last = v;
    }
    bo__outcome_fit(&o, false, BO_WARP_NONE, MOST, y, z);
    assert_false(o.warped);
    for (size_t i = 0; i < MOST; i++)
        y[i] = -y[i]; /* a lower tail is what one looks for: it stays */
    bo__outcome_fit(&o, false, BO_WARP_AUTO, MOST, y, z);
    assert_false(o.warped);
}

typedef struct power {
    const bo__outcome *o;
    double mean, sd, centre;
    int order;
} power;

static double integrand(double t, void *context)
{
    const power *p = context;
    double y = bo__outcome_y(p->o, p->mean + p->sd * t) - p->centre;
    return exp(-t * t / 2) / sqrt(2 * M_PI) * (p->order == 1 ? y : y * y);
}

static double integrate(power *p)
{
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    gsl_function f = {integrand, p};
    double value, error;
    assert_int_equal(gsl_integration_qag(&f, -15, 15, 0, 1e-9, 1000, GSL_INTEG_GAUSS61, w, &value,
                                         &error), 0);
    gsl_integration_workspace_free(w);
    return value;
}

static void test_moments(void **state)
{
    double y[MOST], z[MOST];
    for (int maximize = 0; maximize < 2; maximize++)
        for (int warped = 0; warped < 2; warped++) {
            bo__outcome o;
            long_tail(maximize, &o, y, z);
            if (!warped)
                bo__outcome_fit(&o, maximize, BO_WARP_NONE, MOST, y, z);
            for (double mean = -2; mean <= 2; mean += 1)
                for (double sd = 0.01; sd < 1.5; sd *= 3) {
                    double y_mean, y_sd, d[2][2], up[2], down[2], unused[2][2], h = 1e-5;
                    bo__outcome_moments(&o, mean, sd, &y_mean, &y_sd, d);
                    power p = {&o, mean, sd, 0, 1};
                    double first = integrate(&p);
                    assert_close(y_mean / first, 1, 1e-8);
                    p.centre = first, p.order = 2;
                    assert_close(y_sd / sqrt(integrate(&p)), 1, 1e-7);
                    for (int by = 0; by < 2; by++) {
                        double dm = by ? 0 : h, ds = by ? h * sd : 0, step = dm + ds;
                        bo__outcome_moments(&o, mean + dm, sd + ds, &up[0], &up[1], unused);
                        bo__outcome_moments(&o, mean - dm, sd - ds, &down[0], &down[1], unused);
                        for (int of = 0; of < 2; of++) {
                            double slope = (up[of] - down[of]) / (2 * step);
                            assert_close(d[of][by], slope, 1e-6 * (fabs(slope) + fabs(y_mean)));
                        }
                    }
                }
        }
}

/* Beliefs far from all data stay finite. */
static void test_extreme_beliefs(void **state)
{
    double y[MOST], z[MOST], y_mean, y_sd, d[2][2];
    bo__outcome o;
    long_tail(false, &o, y, z);
    const double means[] = {-1e6, -100, 0, 100, 1e6}, sds[] = {0, 1e-12, 1, 100, 1e6};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            bo__outcome_moments(&o, means[i], sds[j], &y_mean, &y_sd, d);
            assert_true(isfinite(y_mean) && isfinite(y_sd) && y_sd >= 0);
            assert_true(isfinite(d[0][0]) && isfinite(d[0][1]) && isfinite(d[1][0]));
            assert_true(isfinite(d[1][1]));
            assert_true(isfinite(bo__outcome_y(&o, means[i])));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales),    cmocka_unit_test(test_offset),
        cmocka_unit_test(test_few),       cmocka_unit_test(test_constant),
        cmocka_unit_test(test_subnormal), cmocka_unit_test(test_warp),
        cmocka_unit_test(test_moments),   cmocka_unit_test(test_extreme_beliefs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
