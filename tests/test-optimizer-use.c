/* test-optimizer-use.c - the optimizer at work: it finds minima, takes types of one's own, and
 * refuses what it cannot use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "optimizer-check.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed_optimum),
        cmocka_unit_test(test_branin),
        cmocka_unit_test(test_hartmann),
        cmocka_unit_test(test_own_types),
        cmocka_unit_test(test_own_refusals),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_options_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
