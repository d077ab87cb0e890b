/* test-model.c - surrogate, acquisition and gate together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acquisition.h"
#include "check.h"
#include "model.h"
#include "rng.h"
#include "space.h"

enum { BATCH = 8 };

typedef struct fixture {
    bo_space *space;
    bo_options options;
    bo__trials trials;
    bo__model *model;
    bo__rng rng;
} fixture;

static double bowl(const double *u)
{
    return pow(u[0] - 0.4, 2) + pow(u[1] - 0.6, 2);
}

static void add(fixture *f, double a, double b, bo_state state, double y)
{
    double u[2] = {a, b};
    bo_trial *t;
    assert_int_equal(bo__trials_add(&f->trials, u, u, &t), BO_OK);
    t->state = state;
    t->y = y;
}

/* The unit square, so that x = u.  n told points; failing ones where u0 > 0.5 when wanted. */
static void fixture_init(fixture *f, const char *acquisition, size_t n, bool failing)
{
    *f = (fixture){.space = bo_space_new()};
    bo_space_add_real(f->space, "x", 0, 1);
    bo_space_add_real(f->space, "y", 0, 1);
    bo_options_init(&f->options);
    f->options.acquisition = bo_acquisition_find(acquisition);
    bo__trials_init(&f->trials, 2, 2);
    bo__rng_init(&f->rng, 1, "model", 0);
    for (size_t i = 0; i < n; i++) {
        double u[2] = {bo__rng_uniform(&f->rng) * 0.5, bo__rng_uniform(&f->rng)};
        add(f, u[0], u[1], BO_DONE, bowl(u));
        if (failing)
            add(f, 0.5 + u[0], u[1], BO_FAILED, NAN);
    }
}

static void ready(fixture *f)
{
    bo_message message;
    assert_int_equal(bo__model_new(&f->model, f->space, &f->options, 2, BATCH, &message), BO_OK);
    assert_int_equal(bo__model_fit(f->model, &f->trials, false, false, &message), BO_OK);
    assert_int_equal(bo__model_aim(f->model, 0, &message), BO_OK);
}

static void fixture_free(fixture *f)
{
    bo__model_free(f->model);
    bo__trials_clear(&f->trials);
    bo_space_free(f->space);
}

static double target(fixture *f, double a, double b)
{
    double u[2] = {a, b}, value;
    assert_int_equal(bo__model_target(f->model, 0, 1, u, &value, NULL), BO_OK);
    return value;
}

/* log p of the gate: what a model with failures and one without differ by. */
static double log_gate(const char *acquisition, double a, double b)
{
    fixture with, without;
    fixture_init(&with, acquisition, 12, true);
    fixture_init(&without, acquisition, 12, false);
    ready(&with), ready(&without);
    double v = target(&with, a, b), w = target(&without, a, b);
    fixture_free(&with), fixture_free(&without);
    return with.options.acquisition->scale == BO_SCALE_POSITIVE ? log(v / w) : v - w;
}

/* The same probability, whatever the scale of the acquisition. */
static void test_gate_is_one(void **state)
{
    const double at[][2] = {{0.1, 0.4}, {0.45, 0.2}, {0.55, 0.7}, {0.9, 0.5}};
    const char *others[] = {"ei", "pi", "lcb"};
    for (size_t i = 0; i < 4; i++) {
        double p = log_gate("logei", at[i][0], at[i][1]);
        assert_true(p < 0);
        for (size_t k = 0; k < 3; k++)
            assert_close(log_gate(others[k], at[i][0], at[i][1]), p, 1e-6 * (1 + fabs(p)));
    }
}

static void test_gate_steers(void **state)
{
    for (double y = 0.1; y < 1; y += 0.2) {
        assert_true(log_gate("logei", 0.1, y) > -2);
        assert_true(log_gate("logei", 0.9, y) < log_gate("logei", 0.1, y) - 6);
        assert_true(log_gate("logei", 0.75, y) < log_gate("logei", 0.5, y));
    }
}

/* Nothing but failures: less where they are than far from them. */
static void test_only_failures(void **state)
{
    fixture f;
    fixture_init(&f, "logei", 0, false);
    for (double y = 0; y <= 1; y += 0.25)
        add(&f, 0.1, y, BO_FAILED, NAN);
    ready(&f);
    assert_true(target(&f, 0.9, 0.5) > target(&f, 0.15, 0.5) + 0.5);
    bo_message message;
    assert_int_equal(bo__model_believe_failed(f.model, &f.trials, &message), BO_OK);
    assert_int_equal(bo__model_aim(f.model, 0, &message), BO_OK);
    assert_true(target(&f, 0.9, 0.5) > target(&f, 0.1, 0.5) + 2);
    fixture_free(&f);
}

/* A believed point: the mean stays as it was, the doubt there goes. */
static void test_believe(void **state)
{
    fixture f;
    fixture_init(&f, "logei", 15, false);
    ready(&f);
    double u[2 * 2] = {0.8, 0.2, 0.3, 0.9}, mean[2], sd[2], mean2[2], sd2[2];
    bo_message message;
    bo__model_predict(f.model, 2, u, mean, sd, NULL, NULL);
    double before = target(&f, 0.8, 0.2);
    assert_int_equal(bo__model_believe(f.model, u, &message), BO_OK);
    assert_int_equal(bo__model_aim(f.model, 0, &message), BO_OK);
    bo__model_predict(f.model, 2, u, mean2, sd2, NULL, NULL);
    assert_close(mean2[0], mean[0], 1e-4);
    assert_close(mean2[1], mean[1], 1e-4);
    assert_true(sd2[0] < 0.1 * sd[0] && sd2[1] <= sd[1] * (1 + 1e-9));
    assert_true(target(&f, 0.8, 0.2) < before);
    assert_int_equal(bo__model_fit(f.model, &f.trials, true, false, &message), BO_OK); /* forgotten */
    bo__model_predict(f.model, 2, u, mean2, sd2, NULL, NULL);
    assert_close(mean2[0], mean[0], 1e-9);
    assert_close(sd2[0], sd[0], 1e-9);
    fixture_free(&f);
}

/* Failed ones are believed with what is expected there, and are no incumbents. */
static void test_believe_failed(void **state)
{
    fixture f;
    fixture_init(&f, "ei", 10, true);
    ready(&f);
    double u[2] = {0.52, 0.61}, mean, sd, mean2, sd2, plain = target(&f, 0.2, 0.6);
    bo_message message;
    bo__model_predict(f.model, 1, u, &mean, &sd, NULL, NULL);
    assert_int_equal(bo__model_believe_failed(f.model, &f.trials, &message), BO_OK);
    assert_int_equal(bo__model_aim(f.model, 0, &message), BO_OK);
    bo__model_predict(f.model, 1, u, &mean2, &sd2, NULL, NULL);
    assert_close(mean2, mean, 1e-3);
    assert_true(sd2 < sd);
    assert_true(target(&f, 0.2, 0.6) <= plain * (1 + 1e-6) + 1e-12);
    fixture_free(&f);
}

/* EI by the formula's own file, with the incumbent that the rules say. */
static double expected(fixture *f, double best, double a, double b)
{
    double u[2] = {a, b}, mean, sd;
    bo_acquisition_state s = {.best = best, .xi = f->options.xi};
    assert_int_equal(bo__model_predict(f->model, 1, u, &mean, &sd, NULL, NULL), BO_OK);
    return bo__acquisition_ei.value(&s, 1, &mean, &sd, NULL, NULL);
}

static void test_incumbent(void **state)
{
    for (int noisy = 0; noisy < 2; noisy++) {
        fixture f;
        fixture_init(&f, "ei", 12, false);
        f.options.noise = noisy ? 0.2 : 0;
        f.options.xi = 0.01;
        ready(&f);
        double best = INFINITY, sd, mean;
        for (size_t i = 0; i < 12; i++) {
            double z = bo__outcome_z(bo__model_outcome(f.model), f.trials.trial[i].y);
            bo__model_predict(f.model, 1, f.trials.u + 2 * i, &mean, &sd, NULL, NULL);
            best = fmin(best, noisy ? mean : z);
        }
        assert_close(target(&f, 0.9, 0.9), expected(&f, best, 0.9, 0.9), 1e-12);
        assert_close(target(&f, 0.3, 0.5), expected(&f, best, 0.3, 0.5), 1e-12);
        double pending[2] = {0.45, 0.6}; /* the bowl's bottom: believed to be better */
        bo_message message;
        bo__model_predict(f.model, 1, pending, &mean, &sd, NULL, NULL);
        assert_int_equal(bo__model_believe(f.model, pending, &message), BO_OK);
        assert_int_equal(bo__model_aim(f.model, 0, &message), BO_OK);
        if (!noisy)
            best = fmin(best, mean);
        if (!noisy)
            assert_close(target(&f, 0.9, 0.9), expected(&f, best, 0.9, 0.9), 1e-12);
        fixture_free(&f);
    }
}

/* A known noise has a meaning in y only where y is not bent. */
static void test_warp_and_noise(void **state)
{
    for (int what = 0; what < 3; what++) {
        fixture f;
        fixture_init(&f, "logei", 0, false);
        for (size_t i = 0; i < 30; i++) {
            double a = bo__rng_uniform(&f.rng), b = bo__rng_uniform(&f.rng);
            add(&f, a, b, BO_DONE, exp(8 * a));
        }
        f.options.noise = what == 0 ? NAN : what == 1 ? 0 : 1;
        ready(&f);
        assert_int_equal(bo__model_outcome(f.model)->warped, what < 2);
        fixture_free(&f);
    }
}

/* Rows beyond a batch, and rows one by one, agree; NULL derivatives are not touched. */
static void test_batches(void **state)
{
    enum { M = 3 * BATCH + 1 };
    fixture f;
    fixture_init(&f, "logei", 15, false);
    ready(&f);
    double u[2 * M], mean[M], sd[M], dmean[2 * M], dsd[2 * M], m1, s1, dm[2], ds[2];
    for (size_t i = 0; i < 2 * M; i++)
        u[i] = bo__rng_uniform(&f.rng);
    assert_int_equal(bo__model_predict(f.model, M, u, mean, sd, dmean, dsd), BO_OK);
    for (size_t i = 0; i < M; i++) {
        assert_int_equal(bo__model_predict(f.model, 1, u + 2 * i, &m1, &s1, dm, ds), BO_OK);
        assert_close(mean[i], m1, 1e-9);
        assert_close(sd[i], s1, 1e-7);
        for (size_t j = 0; j < 2; j++) {
            assert_close(dmean[2 * i + j], dm[j], 1e-7);
            assert_close(dsd[2 * i + j], ds[j], 1e-5 * (1 + fabs(ds[j])));
        }
    }
    fixture_free(&f);
}

/* A second fit to the same with kept hyperparameters changes nothing. */
static void test_keep(void **state)
{
    fixture f;
    fixture_init(&f, "logei", 15, true);
    ready(&f);
    double before = target(&f, 0.3, 0.3);
    bo_message message;
    assert_int_equal(bo__model_fit(f.model, &f.trials, true, false, &message), BO_OK);
    assert_int_equal(bo__model_aim(f.model, 0, &message), BO_OK);
    assert_close(target(&f, 0.3, 0.3), before, 1e-9 * fabs(before));
    fixture_free(&f);
}

/* Turns draw different functions, the same turn the same. */
static void test_thompson_turns(void **state)
{
    fixture f;
    fixture_init(&f, "thompson", 6, false);
    ready(&f);
    bo_message message;
    double first = target(&f, 0.9, 0.1);
    assert_int_equal(bo__model_aim(f.model, 1, &message), BO_OK);
    assert_true(target(&f, 0.9, 0.1) != first);
    assert_int_equal(bo__model_aim(f.model, 0, &message), BO_OK);
    assert_true(target(&f, 0.9, 0.1) == first);
    fixture_free(&f);
    bo__model_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate_is_one),    cmocka_unit_test(test_gate_steers),
        cmocka_unit_test(test_only_failures),  cmocka_unit_test(test_believe),
        cmocka_unit_test(test_believe_failed), cmocka_unit_test(test_incumbent),
        cmocka_unit_test(test_warp_and_noise), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_keep),           cmocka_unit_test(test_thompson_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
