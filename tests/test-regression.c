/* test-regression.c - scores of models on tasks, and the limits that are known for them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "np-weights.h"
#include "regression.h"

static bo__regression_plan plan_of(bo__prior_kind kernel, size_t tasks)
{
    return (bo__regression_plan){.prior = {.count = 1, .kinds = {kernel}, .dim = 1}, .seed = 3,
                                 .tasks = tasks, .samples = 5, .threads = 1};
}

/* Measured elsewhere, on 6000 tasks: 1.511, 1.116, 1.187; clipped at 0.1: 0.952, 0.753, 0.764. */
static void test_limits(void **state)
{
    const double right[3][2] = {{1.511, 0.952}, {1.116, 0.753}, {1.187, 0.764}};
    for (int kernel = 0; kernel < 3; kernel++)
        for (int clipped = 0; clipped < 2; clipped++) {
            bo__regression_plan plan = plan_of((bo__prior_kind)kernel, 960);
            bo__predictor oracle = {.floor = clipped ? 0.1 : 0};
            bo__regression_result r;
            assert_int_equal(bo__regression(&oracle, &plan, &r, NULL), BO_OK);
            assert_int_equal(r.tasks, 960);
            assert_true(r.error[BO_TARGET] > 0.005 && r.error[BO_TARGET] < 0.05);
            double both = hypot(r.error[BO_TARGET], r.error[BO_TARGET] * sqrt(960.0 / 6000));
            assert_close(r.mean[BO_TARGET], right[kernel][clipped], 3 * both);
            if (!clipped) /* what is drawn from the prior is calibrated: only counting noise */
                assert_true(r.mean[BO_CALIBRATION] < 0.02);
            else
                assert_true(r.mean[BO_CALIBRATION] > 0.04);
        }
}

/* One group by hand, for a model with one component. */
static void check_by_hand(bo__regression_plan plan)
{
    enum { G = BO_REGRESSION_GROUP, N = 100 };
    size_t d = bo__prior_outputs(&plan.prior);
    bo__npmodel model;
    bo__npspec spec = small_spec("canp", 1, d);
    assert_int_equal(bo__npmodel_init(&model, &spec, NULL), BO_OK);
    float *theta = random_weights(&model, 1);
    bo__npposterior p;
    bo__npposterior_init(&p, &model, theta);
    double x[N], y[2 * N], mean[2 * N], sd[2 * N], context = 0, target = 0, sharp = 0, below[9] = {0};
    double targets = 0, ce = 0;
    for (size_t t = 0; t < G; t++) {
        bo__regression_task task = {.x = x, .y = y};
        assert_int_equal(bo__regression_draw(&plan.prior, 3, t, &task, NULL), BO_OK);
        assert_true(task.context >= 3 && task.n <= N && task.n >= task.context + 3);
        assert_true(task.n <= bo__prior_points(&plan.prior));
        bo__npposterior_fit(&p, task.context, x, y, (bo__npunits){0, 1, 0, 1},
                            (bo__npsampling){0}, NULL);
        void *work = aligned_alloc(64, bo__npposterior_workspace(&p, task.n));
        bo__npposterior_at(&p, task.n, x, d, mean, sd, work);
        free(work);
        for (size_t i = 0; i < task.n * d; i++) {
            double e = (y[i] - mean[i]) / sd[i], count = (double)(task.n - task.context);
            double value = -e * e / 2 - log(sd[i]) - 0.918938533204672742;
            if (i < task.context * d) {
                context += value / (double)task.context / G;
                continue;
            }
            target += value / count / G;
            sharp += sd[i] * sd[i] / count / G / (double)d;
            targets++;
            for (int l = 0; l < 9; l++) /* y below the quantile: Φ(e) below p */
                below[l] += erfc(-e / M_SQRT2) / 2 <= 0.1 * (l + 1);
        }
    }
    for (int l = 0; l < 9; l++)
        ce += pow(0.1 * (l + 1) - below[l] / targets, 2);
    const bo__npmodel *models[] = {&model};
    const float *thetas[] = {theta};
    bo__predictor predictor = {.count = 1, .models = models, .theta = thetas};
    bo__regression_result r;
    assert_int_equal(bo__regression(&predictor, &plan, &r, NULL), BO_OK);
    assert_close(r.mean[BO_CONTEXT], context, 1e-9);
    assert_close(r.mean[BO_TARGET], target, 1e-9);
    assert_close(r.mean[BO_SHARPNESS], sharp, 1e-9);
    assert_close(r.mean[BO_CALIBRATION], ce, 1e-9);
    assert_true(isnan(r.error[BO_TARGET])); /* of a single group */
    bo__npposterior_free(&p);
    bo__npmodel_free(&model);
    free(theta);
}

static void test_by_hand(void **state)
{
    float x[80], y[160];
    for (int i = 0; i < 80; i++) {
        x[i] = (float)i;
        y[2 * i] = sinf(x[i]);
        y[2 * i + 1] = x[i] * cosf(x[i]);
    }
    bo__series series = {80, x, y};
    for (int kind = 0; kind < BO_PRIOR_KINDS; kind++) {
        bo__regression_plan plan = plan_of((bo__prior_kind)kind, BO_REGRESSION_GROUP);
        plan.prior.series = &series;
        check_by_hand(plan);
    }
}

/* Two components of two outputs: the density of both outputs, averaged over components. */
static void test_log_density(void **state)
{
    const double mean[] = {0, 1, 2, 3}, sd[] = {1, 2, 0.5, 1}, y[] = {0.5, 2};
    double p1 = exp(-0.125 - 0.125) / (1 * 2), p2 = exp(-4.5 - 0.5) / (0.5 * 1);
    assert_close(bo__mixture_log_density(2, 2, mean, sd, y), log((p1 + p2) / 2 / (2 * M_PI)),
                 1e-12);
}

static bool stop_soon(void *data, size_t tasks)
{
    *(size_t *)data = tasks;
    return tasks >= 32;
}

/* A mixture of two models with samples: the same on any number of threads; stops when told. */
static void test_mixture(void **state)
{
    bo__npmodel model[2];
    bo__npspec specs[2] = {small_spec("banp", 1, 1), small_spec("np", 1, 1)};
    const bo__npmodel *models[2] = {&model[0], &model[1]};
    float *theta[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(bo__npmodel_init(&model[i], &specs[i], NULL), BO_OK);
        theta[i] = random_weights(&model[i], 4);
    }
    bo__predictor two = {.count = 2, .models = models, .theta = (const float *const *)theta};
    assert_int_equal(bo__predictor_components(&two, 5), 10);
    assert_int_equal(bo__predictor_components(&two, 0), 2);
    bo__regression_plan plan = plan_of(BO_PRIOR_TNOISE, 90);
    bo__regression_result a, b;
    assert_int_equal(bo__regression(&two, &plan, &a, NULL), BO_OK);
    assert_int_equal(a.tasks, 96);
    plan.threads = 3;
    assert_int_equal(bo__regression(&two, &plan, &b, NULL), BO_OK);
    assert_memory_equal(&a, &b, sizeof a);
    size_t seen = 0;
    plan.progress = stop_soon;
    plan.progress_data = &seen;
    plan.threads = 1;
    assert_int_equal(bo__regression(&two, &plan, &b, NULL), BO_STOPPED);
    assert_int_equal(seen, 32);
    bo_message message;
    plan.prior.dim = 2;
    assert_int_equal(bo__regression(&two, &plan, &b, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "inputs"));
    plan.prior = (bo__prior){.count = 1, .kinds = {BO_PRIOR_PREDATOR}, .dim = 1};
    assert_int_equal(bo__regression(&two, &plan, &b, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "--prior predator"));
    for (int i = 0; i < 2; i++) {
        bo__npmodel_free(&model[i]);
        free(theta[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_log_density),
        cmocka_unit_test(test_mixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
