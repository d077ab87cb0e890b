/* test-acquisition.c - the table of acquisitions, and the collapse of mixtures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mixture-check.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <string.h>

static void test_table(void **state)
{
    const char *names[] = {"logei", "ei", "pi", "lcb", "thompson"};
    for (size_t i = 0; i < 5; i++) {
        const bo_acquisition_type *type = bo_acquisition_at(i);
        assert_non_null(type);
        assert_string_equal(bo_acquisition_name(type), names[i]);
        assert_ptr_equal(bo_acquisition_find(names[i]), type);
        assert_true(strlen(bo_acquisition_summary(type)) > 10);
        assert_null(strchr(bo_acquisition_summary(type), '\n'));
        assert_true(type->draws == !strcmp(names[i], "thompson"));
    }
    assert_null(bo_acquisition_at(5));
    assert_null(bo_acquisition_at((size_t)-1));
    assert_null(bo_acquisition_find("ucb"));
    assert_null(bo_acquisition_find(NULL));
    assert_null(bo_acquisition_name(NULL));
    assert_null(bo_acquisition_summary(NULL));
}

typedef struct moment {
    const mixture *g;
    int power;
} moment;

static double moment_density(double z, void *data)
{
    const moment *m = data;
    double sum = 0;
    for (size_t k = 0; k < m->g->K; k++)
        sum += gsl_ran_gaussian_pdf(z - m->g->mean[k], m->g->sd[k]);
    return sum / (double)m->g->K * (m->power == 2 ? z * z : z);
}

static double integrated(const mixture *g, int power)
{
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(2000);
    moment m = {g, power};
    gsl_function f = {moment_density, &m};
    double value, error;
    gsl_integration_qag(&f, -40, 40, 1e-11, 1e-11, 2000, 6, work, &value, &error);
    gsl_integration_workspace_free(work);
    return value;
}

static void test_collapse(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 40; i++) {
        mixture g = mixture_random(&rng, 1);
        double mean, sd, first = integrated(&g, 1), second = integrated(&g, 2);
        bo__mixture_collapse(g.K, g.mean, g.sd, &mean, &sd);
        assert_near(mean, first, 1e-9, 1e-9);
        assert_near(sd, sqrt(second - first * first), 1e-8, 1e-8);
    }
}

/* A smooth function of the collapsed mixture, by every component. */
static double of_collapse(const mixture *g)
{
    double mean, sd;
    bo__mixture_collapse(g->K, g->mean, g->sd, &mean, &sd);
    return sin(mean) + 3 * mean * log(sd);
}

static double difference(mixture *g, double *p)
{
    double at = *p, h = 1e-5;
    *p = at + h;
    double up = of_collapse(g);
    *p = at - h;
    double down = of_collapse(g);
    *p = at;
    return (up - down) / (2 * h);
}

static void test_pullback(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", 0);
    for (int i = 0; i < 200; i++) {
        mixture g = mixture_random(&rng, 1);
        double mean, sd, dmean[MOST], dsd[MOST];
        bo__mixture_collapse(g.K, g.mean, g.sd, &mean, &sd);
        bo__mixture_pullback(g.K, g.mean, g.sd, mean, sd, cos(mean) + 3 * log(sd), 3 * mean / sd,
                             dmean, dsd);
        for (size_t k = 0; k < g.K; k++) {
            assert_near(dmean[k], difference(&g, &g.mean[k]), 1e-6, 1e-6);
            assert_near(dsd[k], difference(&g, &g.sd[k]), 1e-6, 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_pullback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
