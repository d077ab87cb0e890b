/* test-npposterior.c - fitted neural processes against a plain double-precision version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "np-reference.h"
#include "np-weights.h"
#include "npposterior.h"
#include "rng.h"

enum { MOST = 2000 };

static const bo__npunits plain = {0, 1, 0, 1};

typedef struct problem {
    bo__npmodel model;
    float *theta;
    double *exact;
    bo__npposterior posterior;
    size_t n, samples;
    double x[MOST], y[MOST];
    void *work;
} problem;

static void make_problem(problem *p, const bo__npspec *spec, size_t n)
{
    *p = (problem){.n = n};
    assert_int_equal(bo__npmodel_init(&p->model, spec, NULL), BO_OK);
    p->theta = random_weights(&p->model, 5);
    p->exact = new_doubles(p->model.set.size);
    for (size_t i = 0; i < p->model.set.size; i++)
        p->exact[i] = p->theta[i];
    bo__npposterior_init(&p->posterior, &p->model, p->theta);
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (size_t i = 0; i < n * spec->dim_x; i++)
        p->x[i] = (float)(4 * bo__rng_uniform(&rng) - 2);
    for (size_t i = 0; i < n * spec->dim_y; i++)
        p->y[i] = (float)(0.6 * bo__rng_normal(&rng));
}

static void fit_problem(problem *p, bo__npunits units, size_t samples)
{
    p->samples = samples;
    assert_int_equal(bo__npposterior_fit(&p->posterior, p->n, p->x, p->y, units,
                                         (bo__npsampling){samples, 9, 3}, NULL), BO_OK);
    free(p->work);
    p->work = aligned_alloc(64, bo__npposterior_workspace(&p->posterior, 1000));
}

static void free_problem(problem *p)
{
    bo__npposterior_free(&p->posterior);
    bo__npmodel_free(&p->model);
    free(p->theta);
    free(p->exact);
    free(p->work);
}

/* Indices of sample s, as the posterior draws them. */
static void draws_of(const problem *p, const char *stream, size_t s, uint32_t *draws)
{
    bo__rng rng;
    bo__rng_init(&rng, 9, stream, 3);
    for (size_t i = 0; i < (s + 1) * p->n; i++) {
        uint32_t draw = (uint32_t)bo__rng_below(&rng, p->n);
        if (i >= s * p->n)
            draws[i - s * p->n] = draw;
    }
}

/* Latent variable of sample s; without samples the mean. */
static double *latent_of(const problem *p, reference r, size_t s)
{
    size_t h = p->model.spec.width;
    double *raw = ref_pooling(r, "lenc", p->n, p->x, p->y), *z = new_doubles(h);
    bo__rng rng;
    bo__rng_init(&rng, 9, "np-latent", 3);
    for (size_t i = 0; i < (s + 1) * h; i++) {
        float e = (float)bo__rng_normal(&rng);
        if (i >= s * h)
            z[i - s * h] = raw[i - s * h] + (p->samples ? ref_rho(raw[h + i - s * h]) * e : 0);
    }
    free(raw);
    return z;
}

/* Raw outputs (m × 2 dim_y) of component s at points `at`, computed plainly. */
static double *reference_at(const problem *p, size_t s, size_t m, const double *at)
{
    reference r = {&p->model, p->exact};
    const bo__npspec *spec = &p->model.spec;
    bool base = p->samples == 0;
    uint32_t pairs[MOST], residuals[MOST];
    draws_of(p, "np-pairs", s, pairs);
    draws_of(p, "np-residuals", s, residuals);
    if (spec->type->latent) {
        double *z = latent_of(p, r, s);
        double *raw = ref_decode(r, m, ref_encode(r, p->n, p->x, p->y, m, at, z), at, NULL);
        free(z);
        return raw;
    }
    if (spec->ablation == BO_ABLATE_NAIVE && !base) {
        double *y = ref_bootstrap(r, p->n, p->x, p->y, NULL, residuals);
        double *raw = ref_decode(r, m, ref_encode(r, p->n, p->x, y, m, at, NULL), at, NULL);
        free(y);
        return raw;
    }
    double *code = ref_encode(r, p->n, p->x, p->y, m, at, NULL);
    if (!spec->type->bootstrap || base)
        return ref_decode(r, m, code, at, NULL);
    double *y = ref_bootstrap(r, p->n, p->x, p->y,
                              spec->ablation == BO_ABLATE_PAIRED ? NULL : pairs, residuals);
    double *boot = ref_encode(r, p->n, p->x, y, m, at, NULL);
    free(y);
    if (spec->ablation != BO_ABLATE_ADAPTATION)
        return ref_decode(r, m, code, at, boot);
    free(code);
    return ref_decode(r, m, boot, at, NULL);
}

/* Means and sds of component s at m points against the plain ones, in float32's accuracy. */
static void check_component(problem *p, size_t s, size_t m, const double *at, const double *mean,
                            const double *sd)
{
    size_t d = p->model.spec.dim_y, stride = p->posterior.components * d;
    reference r = {&p->model, p->exact};
    double *raw = reference_at(p, s, m, at);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < d; j++) {
            size_t k = i * stride + s * d + j;
            assert_close(mean[k], raw[i * 2 * d + j], 2e-5);
            assert_close(sd[k], ref_sigma(r, raw[i * 2 * d + d + j]), 2e-5);
        }
    free(raw);
}

static void check_predictions(problem *p, size_t samples, size_t expected)
{
    enum { M = 7 };
    size_t d = p->model.spec.dim_x;
    double at[M * 4], mean[M * 100], sd[M * 100];
    for (size_t i = 0; i < M * d; i++)
        at[i] = (float)(1.9 * sin(1.3 * (double)i + 0.2));
    fit_problem(p, plain, samples);
    assert_int_equal(p->posterior.components, expected);
    size_t stride = expected * p->model.spec.dim_y;
    assert_int_equal(bo__npposterior_at(&p->posterior, M, at, stride, mean, sd, p->work), BO_OK);
    for (size_t s = 0; s < expected; s += expected > 8 ? 5 : 1)
        check_component(p, s, M, at, mean, sd);
}

static void test_parity(void **state)
{
    problem *p = malloc(sizeof *p);
    const size_t sizes[] = {1, 2, 9};
    for (size_t k = 0; bo__nptype_at(k); k++)
        for (size_t i = 0; i < 3; i++) {
            const bo__nptype *type = bo__nptype_at(k);
            bo__npspec spec = small_spec(type->name, 1 + i, 1 + (i == 2));
            make_problem(p, &spec, sizes[i]);
            check_predictions(p, 4, type->latent || type->bootstrap ? 4 : 1);
            check_predictions(p, 0, 1);
            free_problem(p);
        }
    free(p);
}

static void test_ablations(void **state)
{
    const struct {
        const char *kind;
        bo__ablation ablation;
    } cases[] = {{"cnp", BO_ABLATE_NAIVE},      {"canp", BO_ABLATE_NAIVE},
                 {"bnp", BO_ABLATE_PAIRED},     {"banp", BO_ABLATE_PAIRED},
                 {"bnp", BO_ABLATE_ADAPTATION}, {"banp", BO_ABLATE_ADAPTATION},
                 {"bnp", BO_ABLATE_BASE_LOSS}};
    problem *p = malloc(sizeof *p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bo__npspec spec = small_spec(cases[i].kind, 1, 1);
        spec.ablation = cases[i].ablation;
        make_problem(p, &spec, 6);
        check_predictions(p, 3, 3);
        check_predictions(p, 0, 1);
        free_problem(p);
    }
    free(p);
}

/* Enough points that samples are encoded in several groups. */
static void test_groups(void **state)
{
    const char *const kinds[] = {"bnp", "banp", "canp"};
    problem *p = malloc(sizeof *p);
    for (size_t i = 0; i < 3; i++) {
        bo__npspec spec = small_spec(kinds[i], 1, 1);
        if (i == 2)
            spec.ablation = BO_ABLATE_NAIVE;
        make_problem(p, &spec, i ? 300 : 1900);
        check_predictions(p, 17, 17);
        free_problem(p);
    }
    free(p);
}

/* A weighted sum of the plain version's means and sds at one point. */
static double plain_value(const problem *p, bo__npunits u, const double *at, const double *dmean,
                          const double *dsd)
{
    size_t d = p->model.spec.dim_y, dx = p->model.spec.dim_x;
    reference r = {&p->model, p->exact};
    double value = 0, inside[4];
    for (size_t j = 0; j < dx; j++)
        inside[j] = u.x_shift + u.x_scale * at[j];
    for (size_t s = 0; s < p->posterior.components; s++) {
        double *raw = reference_at(p, s, 1, inside);
        for (size_t j = 0; j < d; j++)
            value += dmean[s * d + j] * (u.y_shift + u.y_scale * raw[j]) +
                     dsd[s * d + j] * u.y_scale * ref_sigma(r, raw[d + j]);
        free(raw);
    }
    return value;
}

/* pullback against central differences of the plain version; points at kinks of a ReLU, where
 * two step sizes disagree, do not count. */
static void check_pullback(problem *p, bo__npunits units, size_t m)
{
    enum { M = 300 };
    size_t dx = p->model.spec.dim_x, stride = p->posterior.components * p->model.spec.dim_y;
    static double at[M * 2], mean[M * 40], sd[M * 40], dmean[M * 40], dsd[M * 40], du[M * 2];
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", m);
    for (size_t i = 0; i < m * dx; i++)
        at[i] = bo__rng_uniform(&rng);
    for (size_t i = 0; i < m * stride; i++) {
        dmean[i] = bo__rng_normal(&rng);
        dsd[i] = bo__rng_normal(&rng);
    }
    memset(du, 0, sizeof du);
    assert_int_equal(bo__npposterior_at(&p->posterior, m, at, stride, mean, sd, p->work), BO_OK);
    assert_int_equal(bo__npposterior_pullback(&p->posterior, m, at, stride, dmean, dsd, du,
                                              p->work), BO_OK);
    size_t counted = 0, wanted = m < 4 ? m : 4;
    for (size_t i = 0; i < wanted; i++)
        for (size_t j = 0; j < dx; j++) {
            double by[2], here[2] = {at[i * dx], at[i * dx + dx - 1]};
            for (int k = 0; k < 2; k++) {
                double step = k ? 2e-7 : 1e-6, high, low;
                here[j] = at[i * dx + j] + step;
                high = plain_value(p, units, here, dmean + i * stride, dsd + i * stride);
                here[j] = at[i * dx + j] - step;
                low = plain_value(p, units, here, dmean + i * stride, dsd + i * stride);
                here[j] = at[i * dx + j];
                by[k] = (high - low) / (2 * step);
            }
            if (fabs(by[0] - by[1]) > 1e-4 * (1 + fabs(by[0])))
                continue;
            counted++;
            assert_close(du[i * dx + j], by[1], 2e-3 * (0.1 + fabs(by[1])));
        }
    assert_true(counted >= (wanted * dx + 1) / 2);
}

static void test_pullback(void **state)
{
    const bo__npunits units = {-2, 4, 0.3, 1.7};
    problem *p = malloc(sizeof *p);
    for (size_t k = 0; k <= 6; k++)
        for (size_t dx = 1; dx <= (k < 6 ? 2 : 1); dx++) {
            bo__npspec spec = small_spec(k < 6 ? bo__nptype_at(k)->name : "banp", dx, 1);
            if (k == 6) { /* of the usual size, with more points */
                spec.width = 128;
                spec.heads = 8;
            }
            make_problem(p, &spec, k < 6 ? 6 : 20);
            /* The plain version takes model units, so the context goes in through them. */
            for (size_t i = 0; i < p->n * dx; i++)
                p->x[i] = (p->x[i] - units.x_shift) / units.x_scale;
            for (size_t i = 0; i < p->n; i++)
                p->y[i] = units.y_shift + units.y_scale * p->y[i];
            fit_problem(p, units, 3);
            for (size_t i = 0; i < p->n * dx; i++)
                p->x[i] = (float)(units.x_shift + units.x_scale * p->x[i]);
            for (size_t i = 0; i < p->n; i++)
                p->y[i] = (float)((p->y[i] - units.y_shift) / units.y_scale);
            check_pullback(p, units, 1);
            check_pullback(p, units, 3);
            check_pullback(p, units, 280); /* more than a chunk */
            free_problem(p);
        }
    free(p);
}

/* One at a time, some at a time and many at a time give the same. */
static void test_chunks(void **state)
{
    enum { M = 600, S = 20 };
    static double at[M], mean[M * S], sd[M * S], du[M], one_mean[S], one_sd[S];
    static double dmean[M * S], dsd[M * S];
    problem *p = malloc(sizeof *p);
    for (size_t k = 0; bo__nptype_at(k); k++) {
        bo__npspec spec = small_spec(bo__nptype_at(k)->name, 1, 1);
        make_problem(p, &spec, 40);
        fit_problem(p, plain, S);
        size_t K = p->posterior.components;
        assert_true(p->posterior.chunk < M);
        for (size_t i = 0; i < M; i++)
            at[i] = 4 * (double)i / M - 2;
        for (size_t i = 0; i < M * K; i++) {
            dmean[i] = cos((double)i);
            dsd[i] = 1e-60 * sin((double)i); /* far below float32 */
        }
        for (size_t i = 0; i < M; i += 2)
            for (size_t c = 0; c < K; c++)
                dmean[i * K + c] *= 1e-60;
        memset(du, 0, sizeof du);
        bo__npposterior_at(&p->posterior, M, at, K, mean, sd, p->work);
        bo__npposterior_pullback(&p->posterior, M, at, K, dmean, dsd, du, p->work);
        for (size_t i = 0; i < M; i += 37) {
            double one_du = 0, scale = i % 2 ? 1 : 1e-60;
            bo__npposterior_at(&p->posterior, 1, at + i, K, one_mean, one_sd, p->work);
            bo__npposterior_pullback(&p->posterior, 1, at + i, K, dmean + i * K, dsd + i * K,
                                     &one_du, p->work);
            for (size_t c = 0; c < K; c++) {
                assert_close(one_mean[c], mean[i * K + c], 1e-5);
                assert_close(one_sd[c], sd[i * K + c], 1e-5);
            }
            assert_close(one_du / scale, du[i] / scale, 1e-3 * (1 + fabs(one_du / scale)));
            assert_true(one_du != 0);
        }
        free_problem(p);
    }
    free(p);
}

/* Fits with value number i of x or y replaced; what fit says. */
static bo_status fit_with(problem *p, double *values, size_t i, double value, bo_message *message)
{
    double was = values[i];
    values[i] = value;
    bo_status status = bo__npposterior_fit(&p->posterior, p->n, p->x, p->y, plain,
                                           (bo__npsampling){3, 9, 3}, message);
    values[i] = was;
    return status;
}

static void test_too_large(void **state)
{
    for (size_t t = 0; bo__nptype_at(t); t++) {
        bo__npspec spec = bo__npspec_usual(bo__nptype_at(t));
        problem p;
        bo_message message;
        make_problem(&p, &spec, 5);
        assert_int_equal(fit_with(&p, p.y, 2, 1e9, &message), BO_OK);
        assert_int_equal(fit_with(&p, p.y, 2, 1e39, &message), BO_ENUMERIC);
        assert_non_null(strstr(message.text, "inputs are beyond float32"));
        assert_int_equal(fit_with(&p, p.x, 4, -1e39, &message), BO_ENUMERIC);
        if (spec.type->attention) { /* its norms take squares */
            assert_int_equal(fit_with(&p, p.y, 0, -1e30, &message), BO_ENUMERIC);
            assert_non_null(strstr(message.text, "encoding of them overflows float32"));
        }
        assert_int_equal(fit_with(&p, p.y, 0, 1, &message), BO_OK);
        free_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parity),   cmocka_unit_test(test_ablations),
        cmocka_unit_test(test_groups),   cmocka_unit_test(test_pullback),
        cmocka_unit_test(test_chunks),   cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
