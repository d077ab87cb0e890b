/* test-minimize.c - whole runs: when they stop, and what they say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "check.h"

typedef struct record {
    size_t calls;
    double sign, least;
    size_t fail_from, fail_to; /* calls that fail */
} record;

static double bowl(size_t dim, const double *x, void *data)
{
    record *l = data;
    double y = 1;
    for (size_t j = 0; j < dim; j++)
        y += pow(x[j] - 0.3, 2);
    l->calls++;
    if (l->calls >= l->fail_from && l->calls < l->fail_to)
        return l->calls % 2 ? NAN : -INFINITY;
    y *= l->sign;
    l->least = fmin(l->least, y);
    return y;
}

static double never(size_t dim, const double *x, void *data)
{
    ++*(size_t *)data;
    return NAN;
}

static record fresh(void)
{
    return (record){.sign = 1, .least = INFINITY};
}

static bo_space *square(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_real(s, "x", 0, 1);
    bo_space_add_real(s, "y", 0, 1);
    return s;
}

static bo_stop no_stop(void)
{
    bo_stop stop;
    bo_stop_init(&stop);
    stop.evaluations = 0;
    return stop;
}

static void test_evaluations(void **state)
{
    bo_space *s = square();
    for (size_t n = 1; n <= 13; n += 6) {
        record l = fresh();
        bo_stop stop = no_stop();
        double x[2], y, again;
        stop.evaluations = n;
        assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, x, &y, NULL),
                         BO_REACHED_EVALUATIONS);
        assert_int_equal(l.calls, n);
        assert_true(y == l.least);
        record other = fresh();
        again = bowl(2, x, &other);
        assert_true(again == y);
    }
    record l = fresh();
    assert_int_equal(bo_minimize(bowl, &l, s, NULL, NULL, NULL, NULL, NULL),
                     BO_REACHED_EVALUATIONS); /* nothing but defaults */
    assert_int_equal(l.calls, 100);
    bo_space_free(s);
}

static void test_target(void **state)
{
    bo_space *s = square();
    for (int maximize = 0; maximize < 2; maximize++) {
        record l = fresh();
        l.sign = maximize ? -1 : 1;
        bo_stop stop = no_stop();
        stop.target = l.sign * 1.01;
        double x[2], y;
        assert_int_equal((maximize ? bo_maximize : bo_minimize)(bowl, &l, s, &stop, NULL, x, &y,
                                                                NULL), BO_REACHED_TARGET);
        assert_true(l.calls > 1 && l.calls < 40);
        assert_true(l.sign * y <= 1.01 && l.sign * y >= 1);
    }
    bo_space_free(s);
}

static double flat(size_t dim, const double *x, void *data)
{
    ++*(size_t *)data;
    return 5;
}

static void test_patience(void **state)
{
    bo_space *s = square();
    size_t calls = 0;
    bo_stop stop = no_stop();
    stop.patience = 7;
    double y;
    assert_int_equal(bo_minimize(flat, &calls, s, &stop, NULL, NULL, &y, NULL),
                     BO_REACHED_PATIENCE);
    assert_int_equal(calls, 8);
    assert_true(y == 5);
    calls = 0; /* failures are no improvement */
    assert_int_equal(bo_minimize(never, &calls, s, &stop, NULL, NULL, &y, NULL), BO_EEMPTY);
    assert_int_equal(calls, 7);
    bo_space_free(s);
}

/* The clock: at once with no time at all; a run of many evaluations ends too. */
static void test_seconds(void **state)
{
    bo_space *s = square();
    record l = fresh();
    bo_stop stop = no_stop();
    bo_message message;
    stop.seconds = 0;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, &message), BO_EEMPTY);
    assert_int_equal(l.calls, 0);
    stop.seconds = 0.05;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, &message),
                     BO_REACHED_SECONDS);
    assert_true(l.calls > 0);
    bo_space_free(s);
}

typedef struct watch {
    size_t calls, stop_at;
    double last;
} watch;

static bool look(const bo_optimizer *o, void *data)
{
    watch *w = data;
    w->calls++;
    assert_int_equal(bo_optimizer_count(o), w->calls); /* after each evaluation */
    bo_trial t;
    assert_int_equal(bo_optimizer_trial(o, w->calls - 1, &t), BO_OK);
    assert_true(t.state != BO_PENDING);
    w->last = t.y;
    return w->calls == w->stop_at;
}

static void test_callback(void **state)
{
    bo_space *s = square();
    record l = fresh();
    watch w = {.stop_at = 9};
    bo_stop stop = no_stop();
    stop.callback = look;
    stop.callback_data = &w;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, NULL), BO_STOPPED);
    assert_true(w.calls == 9 && l.calls == 9);
    l = fresh(), w = (watch){0};
    stop.evaluations = 5;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, NULL),
                     BO_REACHED_EVALUATIONS);
    assert_int_equal(w.calls, 5);
    l = fresh(), w = (watch){0}; /* it sees the one that reached the target too */
    stop.evaluations = 0, stop.target = 1.05;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, NULL), BO_REACHED_TARGET);
    assert_int_equal(w.calls, l.calls);
    assert_true(w.last <= 1.05);
    bo_space_free(s);
}

static void test_all_fail(void **state)
{
    bo_space *s = square();
    size_t calls = 0;
    bo_stop stop = no_stop();
    stop.evaluations = 12;
    bo_message message = {"?"};
    double x[2] = {7, 7}, y = 7;
    assert_int_equal(bo_minimize(never, &calls, s, &stop, NULL, x, &y, &message), BO_EEMPTY);
    assert_int_equal(calls, 12);
    assert_non_null(strstr(message.text, "12"));
    assert_true(x[0] == 7 && y == 7);
    assert_int_equal(bo_minimize(never, &calls, s, &stop, NULL, x, &y, NULL), BO_EEMPTY);
    bo_space_free(s);
}

/* Failures in the middle and at the end: the best of before stays. */
static void test_some_fail(void **state)
{
    bo_space *s = square();
    const size_t ranges[][2] = {{1, 8}, {5, 12}, {15, 100}};
    for (int i = 0; i < 3; i++) {
        record l = fresh();
        l.fail_from = ranges[i][0], l.fail_to = ranges[i][1];
        bo_stop stop = no_stop();
        stop.evaluations = 20;
        double x[2], y;
        assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, x, &y, NULL),
                         BO_REACHED_EVALUATIONS);
        assert_true(y == l.least && l.calls == 20);
    }
    bo_space_free(s);
}

static void test_maximize(void **state)
{
    bo_space *s = square();
    bo_options options;
    bo_options_init(&options);
    options.maximize = true;
    bo_stop stop = no_stop();
    stop.evaluations = 25;
    double x[3][2], y[3];
    record l = fresh();
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, x[0], &y[0], NULL), 1);
    l.sign = -1;
    assert_int_equal(bo_maximize(bowl, &l, s, &stop, NULL, x[1], &y[1], NULL), 1);
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, &options, x[2], &y[2], NULL), 1);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
    assert_true(y[0] == -y[1] && y[0] == -y[2]);
    assert_true(y[0] < 1.001);
    bo_space_free(s);
}

static void test_exhausted(void **state)
{
    bo_space *s = bo_space_new();
    bo_space_add_boolean(s, "a");
    bo_space_add_integer(s, "b", 1, 4);
    record l = fresh();
    double x[2], y;
    assert_int_equal(bo_minimize(bowl, &l, s, NULL, NULL, x, &y, NULL), BO_EXHAUSTED);
    assert_int_equal(l.calls, 8);
    assert_true(x[0] == 0 && x[1] == 1 && y == l.least);
    bo_space_free(s);
}

static void test_box(void **state)
{
    const double lower[3] = {-1, 0, 0.2}, upper[3] = {1, 0.5, 2};
    record l = fresh();
    double x[3], y;
    bo_message message;
    assert_int_equal(bo_minimize_box(bowl, &l, 3, lower, upper, 30, x, &y, &message),
                     BO_REACHED_EVALUATIONS);
    assert_true(l.calls == 30 && y == l.least && y < 1.05);
    assert_int_equal(bo_minimize_box(bowl, &l, 3, upper, lower, 30, x, &y, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "'x1'"));
    assert_int_equal(bo_minimize_box(bowl, &l, 0, lower, upper, 30, x, &y, &message), BO_EINVAL);
    assert_int_equal(bo_minimize_box(bowl, &l, 3, lower, upper, 0, x, &y, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "stop"));
    assert_int_equal(bo_minimize_box(NULL, NULL, 3, lower, upper, 5, x, &y, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "objective"));
}

static void test_bad_arguments(void **state)
{
    bo_space *s = square();
    record l = fresh();
    bo_message message;
    bo_stop stop = no_stop();
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "when to stop"));
    stop.seconds = NAN;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "seconds"));
    stop.seconds = -1;
    assert_int_equal(bo_minimize(bowl, &l, s, &stop, NULL, NULL, NULL, NULL), BO_EINVAL);
    assert_int_equal(bo_minimize(bowl, &l, NULL, NULL, NULL, NULL, NULL, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "space"));
    bo_options options;
    bo_options_init(&options);
    options.noise = -1;
    assert_int_equal(bo_minimize(bowl, &l, s, NULL, &options, NULL, NULL, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "noise"));
    assert_int_equal(l.calls, 0);
    bo_space_free(s);
}

/* Runs one after another on one optimizer: the second goes on where the first ended, and counts
 * its own evaluations. */
static void test_run_twice(void **state)
{
    bo_space *s = square();
    bo_optimizer *o;
    assert_int_equal(bo_optimizer_new(&o, s, NULL), BO_OK);
    record l = fresh();
    bo_stop stop = no_stop();
    stop.evaluations = 10;
    assert_int_equal(bo_optimizer_run(o, bowl, &l, &stop), BO_REACHED_EVALUATIONS);
    assert_int_equal(bo_optimizer_run(o, bowl, &l, &stop), BO_REACHED_EVALUATIONS);
    assert_int_equal(bo_optimizer_count(o), 20);
    record whole = fresh();
    double x[2], y[2];
    bo_optimizer_best(o, x, &y[0]);
    stop.evaluations = 20;
    bo_minimize(bowl, &whole, s, &stop, NULL, x, &y[1], NULL);
    assert_true(y[0] == y[1]); /* as if in one go */
    bo_optimizer_free(o);
    bo_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluations), cmocka_unit_test(test_target),
        cmocka_unit_test(test_patience),    cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_callback),    cmocka_unit_test(test_all_fail),
        cmocka_unit_test(test_some_fail),   cmocka_unit_test(test_maximize),
        cmocka_unit_test(test_exhausted),   cmocka_unit_test(test_box),
        cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_run_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
