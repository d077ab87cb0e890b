/* test-optimizer.c - properties of ask and tell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <pthread.h>

#include "optimizer-check.h"

/* ---- repeatable ---- */

typedef struct history {
    bo_options options;
    double x[30 * 6], y[30];
    size_t look; /* after each so many points told or asked; 0: never */
} history;

/* Everything that looks at the model. */
static void look(bo_optimizer *o, const double *x)
{
    double mean, sd, value;
    assert_int_equal(bo_optimizer_predict(o, 1, x, &mean, &sd, NULL, NULL), BO_OK);
    assert_int_equal(bo_optimizer_acquisition(o, 1, x, &value), BO_OK);
    bo_status status = bo_optimizer_best_mean(o, NULL, &mean, &sd);
    assert_true(status == BO_OK || status == BO_EEMPTY);
}

/* Singles and pairs, a pending one left behind, some failures. */
static void *record(void *context)
{
    history *h = context;
    bo_optimizer *o = make(mixed(), &h->options);
    for (size_t i = 0; i < 24; i += 3) {
        ask(o, 1, h->x + i * 6);
        ask(o, 2, h->x + (i + 1) * 6);
        for (size_t k = i; k < i + 3; k++) {
            if (h->look && k % h->look == 0)
                look(o, h->x + k * 6);
            h->y[k] = separable(h->x + k * 6);
            if (k != 9)
                bo_optimizer_tell(o, h->x + k * 6, k % 7 == 5 ? NAN : h->y[k]);
        }
    }
    bo_optimizer_free(o);
    return NULL;
}

static void history_init(history *h, uint64_t seed, size_t threads)
{
    memset(h, 0, sizeof *h);
    bo_options_init(&h->options);
    h->options.seed = seed;
    h->options.threads = threads;
    h->options.init = 5;
}

static void test_threads_do_not_matter(void **state)
{
    static history a, b;
    const size_t threads[] = {1, 2, 5, 100000}; /* the last is cut to what makes sense */
    const char *acquisitions[] = {"logei", "thompson"};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 4; i += k ? 2 : 1) {
            history *h = i ? &b : &a;
            history_init(h, 4, threads[i]);
            h->options.acquisition = bo_acquisition_find(acquisitions[k]);
            record(h);
            assert_memory_equal(h->x, a.x, sizeof a.x);
            assert_memory_equal(h->y, a.y, sizeof a.y);
        }
}

/* Looking at predictions at any time, also before there is anything to suggest from, changes
 * nothing of what is asked. */
static void test_looking_changes_nothing(void **state)
{
    static history plain, looked;
    for (int often = 1; often < 4; often++) {
        history_init(&plain, 5, 2), history_init(&looked, 5, 2);
        looked.look = often;
        record(&plain), record(&looked);
        assert_memory_equal(plain.x, looked.x, sizeof plain.x);
    }
}

static void test_seeds_differ(void **state)
{
    static history a, b;
    history_init(&a, 1, 1), history_init(&b, 2, 1);
    record(&a), record(&b);
    size_t same = 0;
    for (size_t i = 0; i < 24; i++)
        same += a.x[6 * i] == b.x[6 * i];
    assert_true(same < 3);
}

static void test_two_at_once(void **state)
{
    static history alone[2], together[2];
    pthread_t id[2];
    for (uint64_t i = 0; i < 2; i++) {
        history_init(&alone[i], i, 2), history_init(&together[i], i, 2);
        record(&alone[i]);
    }
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&id[i], NULL, record, &together[i]), 0);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(id[i], NULL);
        assert_memory_equal(alone[i].x, together[i].x, sizeof alone[i].x);
    }
}

static void test_maximise_is_minimise(void **state)
{
    for (int warp = 0; warp < 2; warp++) {
        bo_options options;
        bo_options_init(&options);
        options.warp = warp ? BO_WARP_AUTO : BO_WARP_NONE;
        bo_optimizer *down = make(square(), &options);
        options.maximize = true;
        bo_optimizer *up = make(square(), &options);
        for (int i = 0; i < 15; i++) {
            double a[2], b[2], y, z;
            ask(down, 1, a), ask(up, 1, b);
            assert_memory_equal(a, b, sizeof a);
            bo_optimizer_tell(down, a, exp(3 * bowl(a)));
            bo_optimizer_tell(up, b, -exp(3 * bowl(b)));
            bo_optimizer_best(down, a, &y), bo_optimizer_best(up, b, &z);
            assert_memory_equal(a, b, sizeof a);
            assert_true(y == -z);
            double mean[2], sd[2];
            bo_optimizer_predict(down, 1, a, &mean[0], &sd[0], NULL, NULL);
            bo_optimizer_predict(up, 1, a, &mean[1], &sd[1], NULL, NULL);
            assert_true(mean[0] == -mean[1] && sd[0] == sd[1]);
        }
        bo_optimizer_free(down);
        bo_optimizer_free(up);
    }
}

/* ---- distinct points ---- */

static void test_exhausted(void **state)
{
    for (size_t q = 1; q <= 6; q += 5) {
        bo_options options;
        bo_options_init(&options);
        bo_optimizer *o = make(small_space(), &options);
        double x[20 * 3];
        assert_int_equal(bo_optimizer_ask(o, 19, x), BO_EXHAUSTED);
        assert_int_equal(bo_optimizer_count(o), 0);
        for (size_t i = 0; i < 18; i += q) {
            ask(o, q, x);
            for (size_t k = 0; k < q && i % 2 == 0; k++) /* the others stay pending */
                bo_optimizer_tell(o, x + 3 * k, x[3 * k] == 1 ? NAN : x[3 * k] + x[3 * k + 2]);
        }
        assert_distinct(o);
        assert_int_equal(bo_optimizer_ask(o, 1, x), BO_EXHAUSTED);
        assert_non_null(strstr(bo_optimizer_errmsg(o), "18"));
        assert_int_equal(bo_optimizer_count(o), 18);
        bo_trial pending;
        for (size_t i = 0; i < 18; i++) { /* one that is given up may be asked for again */
            bo_optimizer_trial(o, i, &pending);
            if (pending.state == BO_PENDING)
                break;
        }
        if (pending.state == BO_PENDING) {
            double given_up[3];
            memcpy(given_up, pending.x, sizeof given_up);
            assert_int_equal(bo_optimizer_forget(o, given_up), BO_OK);
            ask(o, 1, x);
            assert_memory_equal(x, given_up, sizeof given_up);
        }
        bo_optimizer_free(o);
    }
}

/* What was told twice counts once. */
static void test_exhausted_by_told(void **state)
{
    bo_space *s = bo_space_new();
    bo_space_add_integer(s, "i", 1, 3);
    bo_optimizer *o = make(s, NULL);
    double x = 2, y[3];
    for (int i = 0; i < 5; i++)
        assert_int_equal(bo_optimizer_tell(o, &x, i), BO_OK);
    ask(o, 2, y);
    assert_true(y[0] + y[1] == 4 && y[0] != y[1]);
    assert_int_equal(bo_optimizer_ask(o, 1, y), BO_EXHAUSTED);
    bo_optimizer_free(o);
}

static void test_replicates(void **state)
{
    bo_options options;
    bo_options_init(&options);
    options.replicates = true;
    options.noise = 0.5;
    bo_optimizer *o = make(small_space(), &options);
    double x[3];
    for (int i = 0; i < 40; i++) {
        ask(o, 1, x);
        bo_optimizer_tell(o, x, x[0] + (i % 2 ? 0.5 : -0.5));
    }
    assert_int_equal(bo_optimizer_count(o), 40);
    bo_optimizer_free(o);
}

/* A batch after some data: distinct, and not a heap. */
static void test_batch_spreads(void **state)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        bo_options options;
        bo_options_init(&options);
        options.seed = seed;
        bo_optimizer *o = make(square(), &options);
        double x[12 * 2], least = INFINITY;
        ask(o, 8, x);
        for (size_t i = 0; i < 8; i++)
            bo_optimizer_tell(o, x + 2 * i, bowl(x + 2 * i));
        ask(o, 6, x);
        assert_distinct(o);
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < i; j++)
                least = fmin(least, hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]));
        assert_true(least > 0.01);
        bo_optimizer_free(o);
    }
}

/* Workers that finish in any order; what is pending is never asked for again. */
static void test_asynchronous(void **state)
{
    bo_optimizer *o = make(square(), NULL);
    double running[4][2];
    for (size_t i = 0; i < 4; i++)
        ask(o, 1, running[i]);
    for (size_t i = 0; i < 26; i++) {
        size_t done = (i * 7 + i / 3) % 4;
        assert_int_equal(bo_optimizer_tell(o, running[done], bowl(running[done])), BO_OK);
        ask(o, 1, running[done]);
    }
    assert_int_equal(bo_optimizer_count(o), 30);
    assert_distinct(o);
    double y;
    assert_int_equal(bo_optimizer_best(o, NULL, &y), BO_OK);
    assert_true(y < -0.05); /* the least is -0.08 */
    size_t pending = 0;
    for (size_t i = 0; i < 30; i++) {
        bo_trial t;
        assert_int_equal(bo_optimizer_trial(o, i, &t), BO_OK);
        pending += t.state == BO_PENDING;
        assert_true(isnan(t.y) == (t.state == BO_PENDING));
        assert_true(t.suggested == (i >= 6)); /* 2·(dim + 1) initial points */
        assert_true(isnan(t.mean) != t.suggested && isnan(t.acquisition) != t.suggested);
    }
    assert_int_equal(pending, 4);
    bo_optimizer_free(o);
}

static void test_forget(void **state)
{
    bo_optimizer *o = make(square(), NULL);
    double x[10 * 2], other[2] = {0.123, 0.456};
    ask(o, 10, x);
    assert_int_equal(bo_optimizer_forget(o, other), BO_EINVAL);
    assert_non_null(strstr(bo_optimizer_errmsg(o), "not pending"));
    for (size_t i = 0; i < 10; i += 2)
        assert_int_equal(bo_optimizer_forget(o, x + 2 * i), BO_OK);
    assert_int_equal(bo_optimizer_forget(o, x), BO_EINVAL);
    assert_int_equal(bo_optimizer_count(o), 5);
    bo_optimizer_tell(o, x + 2, 1);
    assert_int_equal(bo_optimizer_forget(o, x + 2), BO_EINVAL); /* told is told */
    ask(o, 3, x);
    assert_distinct(o);
    bo_optimizer_free(o);
}

/* Known points stand in for the initial design. */
static void test_known_points(void **state)
{
    bo_optimizer *o = make(square(), NULL);
    double x[2], y;
    for (int i = 0; i < 6; i++) {
        x[0] = 0.1 + 0.15 * i, x[1] = 0.9 - 0.13 * i;
        assert_int_equal(bo_optimizer_tell(o, x, bowl(x)), BO_OK);
    }
    assert_int_equal(bo_optimizer_best(o, x, &y), BO_OK);
    assert_true(y == bowl(x));
    ask(o, 1, x);
    bo_trial t;
    bo_optimizer_trial(o, 0, &t);
    assert_false(t.suggested);
    bo_optimizer_trial(o, 6, &t);
    assert_true(t.suggested && isfinite(t.mean) && t.sd > 0);
    bo_optimizer_free(o);
}

/* ---- failures ---- */

static void test_failing_half(void **state)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        bo_options options;
        bo_options_init(&options);
        options.seed = seed;
        bo_optimizer *o = make(square(), &options);
        double x[2], y;
        int failed = 0;
        for (int i = 0; i < 40; i++) {
            ask(o, 1, x);
            bool fails = x[0] > 0.5;
            failed += fails;
            bo_optimizer_tell(o, x, fails ? NAN : pow(x[0] - 0.3, 2) + pow(x[1] - 0.3, 2));
        }
        assert_true(failed < 10);
        assert_int_equal(bo_optimizer_best(o, NULL, &y), BO_OK);
        assert_true(y < 1e-4);
        bo_optimizer_free(o);
    }
}

/* A fourteenth of the square works: it must be found, and then the best of it. */
static void test_small_island(void **state)
{
    bo_optimizer *o = make(square(), NULL);
    double x[2], y;
    for (int i = 0; i < 40; i++) {
        ask(o, 1, x);
        bool fails = hypot(x[0] - 0.7, x[1] - 0.7) > 0.15;
        bo_optimizer_tell(o, x, fails ? NAN : hypot(x[0] - 0.75, x[1] - 0.65));
    }
    assert_int_equal(bo_optimizer_best(o, NULL, &y), BO_OK);
    assert_true(y < 0.02);
    bo_optimizer_free(o);
}

/* Nothing but failures at first, told in three ways: the search goes on and finds what works. */
static void test_all_initial_fail(void **state)
{
    bo_optimizer *o = make(square(), NULL);
    double x[2], y;
    int worked = 0;
    for (int i = 0; i < 40; i++) {
        ask(o, 1, x);
        if (i >= 6 && x[0] < 0.6) {
            bo_optimizer_tell(o, x, x[0]);
            worked++;
        } else if (i % 3 == 0) {
            bo_optimizer_tell_failed(o, x);
        } else {
            bo_optimizer_tell(o, x, i % 3 == 1 ? -INFINITY : NAN);
        }
        assert_int_equal(bo_optimizer_best(o, NULL, &y), worked ? BO_OK : BO_EEMPTY);
    }
    assert_true(worked > 20);
    assert_distinct(o);
    bo_optimizer_free(o);
}

/* The belief: it knows what it was told, and what is pending does not disturb it. */
static void test_predict(void **state)
{
    bo_optimizer *o = make(square(), NULL);
    double x[12 * 2], mean[12], sd[12], again[12], value[12];
    ask(o, 12, x);
    for (size_t i = 0; i < 12; i++)
        bo_optimizer_tell(o, x + 2 * i, 100 + 10 * bowl(x + 2 * i));
    assert_int_equal(bo_optimizer_predict(o, 12, x, mean, sd, NULL, NULL), BO_OK);
    for (size_t i = 0; i < 12; i++)
        assert_close(mean[i], 100 + 10 * bowl(x + 2 * i), 0.5);
    double pending[3 * 2], far[2] = {0.01, 0.99};
    ask(o, 3, pending);
    assert_int_equal(bo_optimizer_predict(o, 12, x, again, sd, NULL, NULL), BO_OK);
    assert_memory_equal(mean, again, sizeof mean);
    assert_int_equal(bo_optimizer_acquisition(o, 3, pending, value), BO_OK);
    assert_int_equal(bo_optimizer_acquisition(o, 1, far, value + 3), BO_OK);
    assert_int_equal(bo_optimizer_count(o), 15);
    double best[2], least, y;
    assert_int_equal(bo_optimizer_best_mean(o, best, &least, &y), BO_OK);
    for (size_t i = 0; i < 12; i++)
        assert_true(least <= mean[i]);
    assert_int_equal(bo_optimizer_predict(o, 0, x, mean, sd, NULL, NULL), BO_OK);
    bo_optimizer_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_maximise_is_minimise),
        cmocka_unit_test(test_exhausted),
        cmocka_unit_test(test_exhausted_by_told),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_batch_spreads),
        cmocka_unit_test(test_asynchronous),
        cmocka_unit_test(test_forget),
        cmocka_unit_test(test_known_points),
        cmocka_unit_test(test_failing_half),
        cmocka_unit_test(test_small_island),
        cmocka_unit_test(test_all_initial_fail),
        cmocka_unit_test(test_predict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
