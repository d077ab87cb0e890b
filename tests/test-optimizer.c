/* test-optimizer.c - properties of ask and tell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "check.h"

static const char *const labels[] = {"a", "b", "c"};

static bo_space *square(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_real(s, "x", 0, 1);
    bo_space_add_real(s, "y", 0, 1);
    return s;
}

static bo_space *mixed(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_real(s, "r", -1, 1);
    bo_space_add_log_real(s, "l", 1e-3, 10);
    bo_space_add_integer(s, "i", 0, 20);
    bo_space_add_log_integer(s, "j", 1, 1000);
    bo_space_add_categorical(s, "c", 3, labels);
    bo_space_add_boolean(s, "b");
    return s;
}

static bo_space *small_space(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_integer(s, "i", -1, 1);
    bo_space_add_boolean(s, "b");
    bo_space_add_categorical(s, "c", 3, labels);
    return s;
}

/* 0 at (0.3, 0.1, 7, 30, "b", true), each parameter for itself. */
static double separable(const double *x)
{
    return pow(x[0] - 0.3, 2) + 0.2 * pow(log10(x[1]) + 1, 2) + 0.01 * pow(x[2] - 7, 2) +
           0.2 * pow(log10(x[3] / 30), 2) + (x[4] != 1) * 0.3 + (x[5] != 1) * 0.3;
}

static double bowl(const double *x)
{
    return pow(x[0] - 0.7, 2) + pow(x[1] - 0.2, 2) + 0.3 * sin(8 * x[0]);
}

static bo_optimizer *make(bo_space *space, const bo_options *options)
{
    bo_optimizer *o;
    bo_status status = bo_optimizer_new(&o, space, options);
    if (status)
        fail_msg("%s", bo_optimizer_errmsg(o));
    bo_space_free(space); /* it was copied */
    return o;
}

static void ask(bo_optimizer *o, size_t q, double *x)
{
    bo_status status = bo_optimizer_ask(o, q, x);
    if (status)
        fail_msg("ask: %d, %s", status, bo_optimizer_errmsg(o));
}

static void assert_distinct(const bo_optimizer *o)
{
    size_t n = bo_optimizer_count(o), dim = bo_space_dim(bo_optimizer_space(o));
    bo_trial a, b;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            bo_optimizer_trial(o, i, &a);
            bo_optimizer_trial(o, j, &b);
            assert_true(memcmp(a.x, b.x, dim * sizeof *a.x));
        }
}

/* ---- repeatable ---- */

typedef struct history {
    bo_options options;
    double x[30 * 6], y[30];
} history;

/* Singles and pairs, a pending one left behind, some failures. */
static void *record(void *context)
{
    history *h = context;
    bo_optimizer *o = make(mixed(), &h->options);
    for (size_t i = 0; i < 24; i += 3) {
        ask(o, 1, h->x + i * 6);
        ask(o, 2, h->x + (i + 1) * 6);
        for (size_t k = i; k < i + 3; k++) {
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
            h->options.screen = k ? 64 : 0; /* draws are slow */
            h->options.starts = k ? 3 : 0;
            record(h);
            assert_memory_equal(h->x, a.x, sizeof a.x);
            assert_memory_equal(h->y, a.y, sizeof a.y);
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

/* ---- it optimises ---- */

static void test_mixed_optimum(void **state)
{
    double sum = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        bo_options options;
        bo_options_init(&options);
        options.seed = seed;
        bo_optimizer *o = make(mixed(), &options);
        double x[6], y;
        for (int i = 0; i < 60; i++) {
            ask(o, 1, x);
            assert_int_equal(bo_optimizer_tell(o, x, separable(x)), BO_OK);
        }
        assert_distinct(o);
        bo_optimizer_best(o, x, &y);
        assert_true(x[4] == 1 && x[5] == 1 && fabs(x[2] - 7) <= 1);
        sum += y / 3;
        bo_optimizer_free(o);
    }
    assert_true(sum < 0.02);
}

static double branin(size_t dim, const double *x, void *data)
{
    double b = 5.1 / (4 * M_PI * M_PI), c = 5 / M_PI, t = 1 / (8 * M_PI);
    return pow(x[1] - b * x[0] * x[0] + c * x[0] - 6, 2) + 10 * (1 - t) * cos(x[0]) + 10;
}

static double hartmann6(size_t dim, const double *x, void *data)
{
    const double alpha[4] = {1, 1.2, 3, 3.2};
    const double a[4][6] = {{10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14},
                            {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
    const double p[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                            {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                            {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                            {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double inner = 0;
        for (int j = 0; j < 6; j++)
            inner += a[i][j] * pow(x[j] - p[i][j], 2);
        sum -= alpha[i] * exp(-inner);
    }
    return sum;
}

static int by_size(const void *a, const void *b)
{
    double l = *(const double *)a, r = *(const double *)b;
    return (l > r) - (l < r);
}

/* The median regret over five seeds. */
static double median_regret(bo_objective f, size_t dim, const double *lower, const double *upper,
                            size_t evaluations, double least)
{
    double regret[5], x[6], y;
    for (uint64_t seed = 0; seed < 5; seed++) {
        bo_options options;
        bo_stop stop;
        bo_options_init(&options);
        bo_stop_init(&stop);
        options.seed = seed;
        stop.evaluations = evaluations;
        bo_space *s = bo_space_new();
        for (size_t j = 0; j < dim; j++) {
            char name[8];
            snprintf(name, sizeof name, "x%zu", j);
            bo_space_add_real(s, name, lower[j], upper[j]);
        }
        assert_int_equal(bo_minimize(f, NULL, s, &stop, &options, x, &y, NULL),
                         BO_REACHED_EVALUATIONS);
        bo_space_free(s);
        regret[seed] = y - least;
    }
    qsort(regret, 5, sizeof *regret, by_size);
    return regret[2];
}

static void test_branin(void **state)
{
    const double lower[2] = {-5, 0}, upper[2] = {10, 15};
    double regret = median_regret(branin, 2, lower, upper, 30, 0.397887);
    printf("branin: %g\n", regret);
    assert_true(regret < 0.02);
}

static void test_hartmann(void **state)
{
    const double lower[6] = {0}, upper[6] = {1, 1, 1, 1, 1, 1};
    double regret = median_regret(hartmann6, 6, lower, upper, 60, -3.32237);
    printf("hartmann6: %g\n", regret);
    assert_true(regret < 0.2);
}

/* ---- own types ---- */

/* A weighted mean of what is near, less sure where nothing is, with two components. */
typedef struct kernel_mean {
    size_t width, n;
    double *u, *z;
    double spread;
} kernel_mean;

static void own_free(void *self)
{
    kernel_mean *k = self;
    if (k)
        free(k->u), free(k->z);
    free(k);
}

static bo_status own_create(void **self, const bo_setup *setup, bo_message *message)
{
    kernel_mean *k = *self = calloc(1, sizeof *k);
    if (!k)
        return BO_ENOMEM;
    k->width = setup->width;
    k->spread = setup->options->surrogate_data ? *(double *)setup->options->surrogate_data : 0.1;
    return BO_OK;
}

static bo_status own_fit(void *self, const bo_data *data, bo_message *message)
{
    kernel_mean *k = self;
    free(k->u), free(k->z);
    k->n = data->n;
    k->u = malloc((data->n * k->width + 1) * sizeof *k->u);
    k->z = malloc((data->n + 1) * sizeof *k->z);
    if (!k->u || !k->z)
        return BO_ENOMEM;
    if (data->n) {
        memcpy(k->u, data->u, data->n * k->width * sizeof *k->u);
        memcpy(k->z, data->z, data->n * sizeof *k->z);
    }
    return BO_OK;
}

static size_t own_components(const void *self)
{
    return 2;
}

static size_t own_workspace(const void *self, size_t m)
{
    return 0;
}

/* Mean and sd at u; their gradients unless NULL. */
static void own_at(const kernel_mean *k, const double *u, double *mean, double *sd, double *dmean,
                   double *dsd)
{
    double total = 1e-3, sum = 0;
    for (int pass = 0; pass < (dmean ? 2 : 1); pass++)
        for (size_t i = 0; i < k->n; i++) {
            double square = 0;
            for (size_t j = 0; j < k->width; j++)
                square += pow(u[j] - k->u[i * k->width + j], 2);
            double w = exp(-20 * square);
            if (!pass)
                total += w, sum += w * k->z[i];
            for (size_t j = 0; pass && j < k->width; j++) {
                double dw = -40 * w * (u[j] - k->u[i * k->width + j]);
                dmean[j] += dw * (k->z[i] - sum / total) / total;
                dsd[j] -= dw / ((1 + total) * (1 + total));
            }
        }
    *mean = sum / total;
    *sd = 1 / (1 + total);
}

static bo_status own_predict(const void *self, size_t m, const double *u, double *mean, double *sd,
                             void *work)
{
    const kernel_mean *k = self;
    for (size_t i = 0; i < m; i++) {
        own_at(k, u + i * k->width, mean + 2 * i, sd + 2 * i, NULL, NULL);
        mean[2 * i + 1] = mean[2 * i] + k->spread;
        mean[2 * i] -= k->spread;
        sd[2 * i + 1] = sd[2 * i];
    }
    return BO_OK;
}

static bo_status own_pullback(const void *self, size_t m, const double *u, const double *dmean,
                              const double *dsd, double *du, void *work)
{
    const kernel_mean *k = self;
    for (size_t i = 0; i < m; i++) {
        double a[8] = {0}, b[8] = {0}, mean, sd;
        own_at(k, u + i * k->width, &mean, &sd, a, b);
        for (size_t j = 0; j < k->width; j++)
            du[i * k->width + j] = a[j] * (dmean[2 * i] + dmean[2 * i + 1]) +
                                   b[j] * (dsd[2 * i] + dsd[2 * i + 1]);
    }
    return BO_OK;
}

static const bo_surrogate_type own_surrogate = {
    .name = "own", .summary = "a weighted mean", .create = own_create, .free = own_free,
    .fit = own_fit, .components = own_components, .workspace = own_workspace,
    .predict = own_predict, .pullback = own_pullback};

static double own_value(const bo_acquisition_state *s, size_t K, const double *mean,
                        const double *sd, double *dmean, double *dsd)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        sum += (1.5 * sd[k] - mean[k]) / (double)K;
        if (dmean)
            dmean[k] = -1 / (double)K, dsd[k] = 1.5 / (double)K;
    }
    return sum;
}

static const bo_acquisition_type own_acquisition = {
    .name = "own", .summary = "mean and sd", .scale = BO_SCALE_Z, .value = own_value};

static void test_own_types(void **state)
{
    double spread = 0.05, x[2], y;
    for (int what = 0; what < 4; what++) {
        bo_options options;
        bo_options_init(&options);
        options.surrogate = what != 1 ? &own_surrogate : NULL;
        options.surrogate_data = &spread;
        options.acquisition = what == 0 ? NULL : what == 3 ? bo_acquisition_find("thompson")
                                                           : &own_acquisition;
        bo_optimizer *o = make(square(), &options);
        for (int i = 0; i < 40; i++) {
            ask(o, 1, x);
            bo_optimizer_tell(o, x, x[1] > 0.95 ? NAN : bowl(x));
        }
        assert_distinct(o);
        assert_int_equal(bo_optimizer_best(o, x, &y), BO_OK);
        assert_true(y < 0.05);
        double mean, sd, dmean[2], dsd[2], up, down, unused, moved[2] = {0.4, 0.6};
        assert_int_equal(bo_optimizer_predict(o, 1, moved, &mean, &sd, dmean, dsd), BO_OK);
        moved[0] = 0.4 + 1e-5;
        bo_optimizer_predict(o, 1, moved, &up, &unused, NULL, NULL);
        moved[0] = 0.4 - 1e-5;
        bo_optimizer_predict(o, 1, moved, &down, &unused, NULL, NULL);
        assert_close(dmean[0], (up - down) / 2e-5, 1e-5);
        bo_optimizer_free(o);
    }
}

/* Thompson sampling of a surrogate that can draw nothing is refused, with the reason. */
static size_t one_component(const void *self)
{
    return 1;
}

static bo_status one_predict(const void *self, size_t m, const double *u, double *mean, double *sd,
                             void *work)
{
    for (size_t i = 0; i < m; i++)
        mean[i] = 0, sd[i] = 1;
    return BO_OK;
}

static bo_status broken_fit(void *self, const bo_data *data, bo_message *message)
{
    snprintf(message->text, sizeof message->text, "the fit is broken");
    return data->n > 3 ? BO_ENUMERIC : BO_OK;
}

static void test_own_refusals(void **state)
{
    bo_surrogate_type type = own_surrogate;
    type.components = one_component;
    type.predict = one_predict;
    bo_options options;
    bo_options_init(&options);
    options.surrogate = &type;
    options.acquisition = bo_acquisition_find("thompson");
    options.init = 1;
    bo_optimizer *o = make(square(), &options);
    double x[2 * 2];
    ask(o, 1, x);
    bo_optimizer_tell(o, x, 1);
    assert_int_equal(bo_optimizer_ask(o, 2, x), BO_EUNSUPPORTED);
    assert_non_null(strstr(bo_optimizer_errmsg(o), "own"));
    assert_int_equal(bo_optimizer_count(o), 1);
    bo_optimizer_free(o);
    type.fit = broken_fit;
    options.acquisition = NULL;
    o = make(square(), &options);
    for (int i = 0; i < 4; i++) {
        ask(o, 1, x);
        bo_optimizer_tell(o, x, i);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bo_optimizer_ask(o, 1, x), BO_ENUMERIC);
        assert_non_null(strstr(bo_optimizer_errmsg(o), "broken"));
        assert_int_equal(bo_optimizer_count(o), 4);
    }
    bo_optimizer_free(o);
}

/* ---- refusals ---- */

static void test_bad_calls(void **state)
{
    bo_optimizer *o = make(mixed(), NULL);
    double x[6], y, bad[6], mean, sd;
    bo_trial trial;
    assert_int_equal(bo_optimizer_best(o, x, &y), BO_EEMPTY);
    assert_int_equal(bo_optimizer_best_mean(o, x, &y, &sd), BO_EEMPTY);
    assert_int_equal(bo_optimizer_ask(o, 0, x), BO_EINVAL);
    assert_int_equal(bo_optimizer_ask(o, 1, NULL), BO_EINVAL);
    assert_int_equal(bo_optimizer_trial(o, 0, &trial), BO_EINVAL);
    ask(o, 1, x);
    for (size_t j = 0; j < 6; j++) {
        const char *name = bo_space_parameter(bo_optimizer_space(o), j)->name;
        for (int what = 0; what < 3; what++) {
            memcpy(bad, x, sizeof x);
            bad[j] = what == 0 ? NAN : what == 1 ? 1e9 : j < 2 ? -7 : 0.5;
            bo_status status[] = {
                bo_optimizer_tell(o, bad, 1), bo_optimizer_tell_failed(o, bad),
                bo_optimizer_predict(o, 1, bad, &mean, &sd, NULL, NULL),
                bo_optimizer_acquisition(o, 1, bad, &mean)};
            for (int k = 0; k < 4; k++)
                assert_int_equal(status[k], BO_EINVAL);
            char quoted[16];
            snprintf(quoted, sizeof quoted, "'%s'", name);
            assert_non_null(strstr(bo_optimizer_errmsg(o), quoted));
        }
    }
    assert_int_equal(bo_optimizer_count(o), 1);
    assert_int_equal(bo_optimizer_tell(o, x, 1), BO_OK); /* still good */
    double more[20 * 6];
    ask(o, 20, more);
    assert_int_equal(bo_optimizer_count(o), 21);
    bo_optimizer_free(o);
    bo_optimizer_free(NULL);
}

static void refused(bo_space *s, const bo_options *options, const char *word)
{
    bo_optimizer *o;
    assert_int_equal(bo_optimizer_new(&o, s, options), BO_EINVAL);
    assert_non_null(o);
    if (!strstr(bo_optimizer_errmsg(o), word))
        fail_msg("'%s' does not say '%s'", bo_optimizer_errmsg(o), word);
    bo_optimizer_free(o);
}

static void test_bad_options(void **state)
{
    bo_space *s = square(), *empty = bo_space_new();
    refused(NULL, NULL, "space");
    refused(empty, NULL, "space");
    double length[2] = {0.3, -1};
    for (int i = 0; i < 11; i++) {
        bo_options o;
        bo_options_init(&o);
        const char *word[] = {"noise", "noise", "beta", "beta", "xi", "xi", "kernel", "screen",
                              "starts", "length-scale 2", "scale"};
        if (i < 2)
            o.noise = i ? INFINITY : -1;
        else if (i < 4)
            o.beta = i == 2 ? -1 : NAN;
        else if (i < 6)
            o.xi = i == 4 ? -1 : INFINITY;
        else if (i == 6)
            o.kernel = (bo_kernel)9;
        else if (i == 7)
            o.screen = SIZE_MAX;
        else if (i == 8)
            o.starts = SIZE_MAX;
        else
            o.lengthscales = length;
        if (i == 10)
            length[1] = 1, o.scale = 0;
        refused(s, &o, word[i]);
    }
    bo_space_free(s);
    bo_space_free(empty);
}

/* What the options point to is copied. */
static void test_options_are_copied(void **state)
{
    double length[2] = {0.3, 0.4}, x[2][2], mean[2], sd[2], at[2] = {0.5, 0.5};
    for (int spoil = 0; spoil < 2; spoil++) {
        bo_options options;
        bo_options_init(&options);
        length[0] = 0.3;
        options.lengthscales = length;
        bo_optimizer *o = make(square(), &options);
        length[0] = spoil ? NAN : 0.3;
        for (int i = 0; i < 8; i++) {
            ask(o, 1, x[spoil]);
            bo_optimizer_tell(o, x[spoil], bowl(x[spoil]));
        }
        bo_optimizer_predict(o, 1, at, &mean[spoil], &sd[spoil], NULL, NULL);
        bo_optimizer_free(o);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_true(mean[0] == mean[1] && sd[0] == sd[1]);
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
        cmocka_unit_test(test_threads_do_not_matter), cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_two_at_once),           cmocka_unit_test(test_maximise_is_minimise),
        cmocka_unit_test(test_exhausted),             cmocka_unit_test(test_exhausted_by_told),
        cmocka_unit_test(test_replicates),            cmocka_unit_test(test_batch_spreads),
        cmocka_unit_test(test_asynchronous),          cmocka_unit_test(test_forget),
        cmocka_unit_test(test_known_points),          cmocka_unit_test(test_failing_half),
        cmocka_unit_test(test_small_island),
        cmocka_unit_test(test_all_initial_fail),      cmocka_unit_test(test_mixed_optimum),
        cmocka_unit_test(test_branin),                cmocka_unit_test(test_hartmann),
        cmocka_unit_test(test_own_types),             cmocka_unit_test(test_own_refusals),
        cmocka_unit_test(test_bad_calls),             cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_options_are_copied),    cmocka_unit_test(test_predict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
