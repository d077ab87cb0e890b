/* test-contract.c - every built-in surrogate with every acquisition: derivatives against finite
 * differences, odd numbers of odd values, several threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A surrogate without weights for a problem (BO_ENOMODEL) is passed over for that problem.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract-check.h"
#include "linalg.h"

#define TOLERANCE 1e-5 /* of derivatives in double precision */

/* The derivative of the target by column j: central differences at h and h/2, extrapolated. */
static double difference(fixture *f, double *u, size_t j, double h)
{
    double at = u[j], d[2];
    for (int i = 0; i < 2; i++) {
        double step = i ? h / 2 : h;
        u[j] = at + step;
        double up = target_at(f, u);
        u[j] = at - step;
        d[i] = (up - target_at(f, u)) / (2 * step);
    }
    u[j] = at;
    return (4 * d[1] - d[0]) / 3;
}

/* How far the gradient of m random points at once is from differences, at worst, relative to the
 * gradient's length.  The step is the best of several. */
static double gradient_error(fixture *f, size_t m)
{
    double u[8 * MOST_WIDTH], value[8], du[8 * MOST_WIDTH], worst = 0;
    for (size_t i = 0; i < m * f->width; i++)
        u[i] = 0.05 + 0.9 * bo__rng_uniform(&f->rng);
    assert_int_equal(bo__model_target(f->model, 0, m, u, value, du), BO_OK);
    for (size_t i = 0; i < m; i++) {
        double *row = u + i * f->width, *slope = du + i * f->width, norm = 0;
        double alone = target_at(f, row);
        assert_true(isfinite(value[i]));
        assert_close(value[i], alone, rounding(f, alone));
        for (size_t j = 0; j < f->width; j++)
            norm = fmax(norm, fabs(slope[j]));
        for (size_t j = 0; j < f->width; j++) {
            double error = INFINITY;
            for (double h = 1e-2; h > 5e-6; h /= 10)
                error = fmin(error, fabs(difference(f, row, j, h) - slope[j]));
            worst = fmax(worst, error / (norm + 1e-9 * (1 + fabs(alone))));
        }
    }
    return worst;
}

static void test_derivatives(void **state)
{
    const size_t counts[] = {0, 1, 2, 50};
    const bo_surrogate_type *s;
    const bo_acquisition_type *a;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++)
        for (size_t k = 0; (a = bo_acquisition_at(k)); k++)
            for (int space = 0; space < 3; space++)
                for (size_t c = 0; c < 4; c++)
                    for (size_t failed = 0; failed <= 4; failed += 4) {
                        fixture f;
                        if (is_network(s))
                            continue;
                        if (!fixture_init(&f, space == 0   ? box(1)
                                              : space == 1 ? mixed()
                                                           : box(40), s, a))
                            continue;
                        if (space == 0) /* else the sd between 50 points is rounding error */
                            f.options.noise = 0.05;
                        tell(&f, counts[c], failed);
                        bool can = ready(&f);
                        double worst = can ? gradient_error(&f, space == 2 ? 1 : 4) : 0;
                        if (!(worst < TOLERANCE))
                            fail_msg("%s, %s, space %d, n = %zu, %zu failed: off by %g", s->name,
                                     a->name, space, counts[c], failed, worst);
                        fixture_free(&f);
                    }
}

/* Believed points, collapsed mixtures and a learned output scale have derivatives too. */
static void test_derivatives_of_variants(void **state)
{
    const bo_surrogate_type *s;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++)
        for (int what = 0; what < 6; what++) {
            fixture f;
            if (!fixture_init(&f, what == 1 ? box(1) : box(2), s, NULL))
                continue;
            f.options.moment_match = what == 1;
            f.options.noise = what == 1 || what == 2 ? 0.1 : NAN;
            bo__model_free(f.model);
            f.options.output_scale = what == 3;
            f.options.kernel = what == 4 ? BO_PERIODIC : what == 5 ? BO_MATERN32 : BO_RBF;
            bo_message message;
            assert_int_equal(bo__model_new(&f.model, f.space, &f.options, 1, 16, &message), BO_OK);
            tell(&f, 12, 2);
            assert_true(ready(&f));
            double pending[2] = {0.4, 0.6};
            assert_int_equal(bo__model_believe(f.model, pending, &message), BO_OK);
            assert_int_equal(bo__model_aim(f.model, 2, &message), BO_OK);
            if (is_network(s))
                check_integrals(&f, s->name);
            double worst = is_network(s) ? 0 : gradient_error(&f, 4);
            if (!(worst < TOLERANCE))
                fail_msg("%s, variant %d: off by %g", s->name, what, worst);
            fixture_free(&f);
        }
}

/* ---- odd values, through the optimizer ---- */

static const struct odd {
    const char *name;
    double scale, offset;
    bool constant, duplicates, failures;
} odds[] = {
    {"plain", 1, 0, false, false, false},      {"huge", 1e300, 0, false, false, false},
    {"tiny", 1e-300, 0, false, false, false},  {"subnormal", 1e-310, 0, false, false, false},
    {"offset", 1e-3, 1e9, false, false, false}, {"constant", 1, 3, true, false, false},
    {"zero", 0, 0, true, false, false},        {"huge constant", 1, -1e300, true, false, false},
    {"duplicates", 1, 0, false, true, false},  {"failures", 1, 0, false, false, true},
    {"all", 1e-9, 1, false, true, true},
};

static void tell_odd(bo_optimizer *o, const struct odd *odd, size_t dim, size_t n, bo__rng *rng)
{
    double x[MOST_WIDTH];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim && !(odd->duplicates && i % 3); j++)
            x[j] = bo__rng_uniform(rng);
        double y = odd->constant ? odd->offset : odd->offset + odd->scale * smooth(dim, x);
        if (odd->failures && i % 4 == 1)
            y = i % 8 == 1 ? NAN : INFINITY;
        assert_int_equal(bo_optimizer_tell(o, x, y), BO_OK);
        if (odd->failures && i % 4 == 2)
            assert_int_equal(bo_optimizer_tell_failed(o, x), BO_OK);
    }
}

static void check_odd(const struct odd *odd, const bo_surrogate_type *s,
                      const bo_acquisition_type *a, size_t dim, size_t n)
{
    bo_options options;
    bo_options_init(&options);
    options.surrogate = s;
    options.acquisition = a;
    options.init = 1;
    options.samples = 5;
    options.threads = 1;
    options.screen = 64;
    options.starts = 2;
    bo_space *space = box(dim);
    bo_optimizer *o;
    bo_status status = bo_optimizer_new(&o, space, &options);
    if (status != BO_ENOMODEL) {
        assert_int_equal(status, BO_OK);
        bo__rng rng;
        bo__rng_init(&rng, 5, "odd", n);
        tell_odd(o, odd, dim, n, &rng);
        double x[2 * MOST_WIDTH], mean[2], sd[2], dmean[2 * MOST_WIDTH], dsd[2 * MOST_WIDTH], v[2];
        status = bo_optimizer_ask(o, 2, x);
        if (cannot_draw(status, s, a)) {
            bo_optimizer_free(o);
            bo_space_free(space);
            return;
        }
        if (status)
            fail_msg("%s, %s, %s, dim %zu, n %zu: %s", odd->name, s->name, a->name, dim, n,
                     bo_optimizer_errmsg(o));
        assert_true(memcmp(x, x + dim, dim * sizeof *x));
        assert_int_equal(bo_optimizer_predict(o, 2, x, mean, sd, dmean, dsd), BO_OK);
        assert_int_equal(bo_optimizer_acquisition(o, 2, x, v), BO_OK);
        for (size_t i = 0; i < 2; i++) {
            bool good = isfinite(mean[i]) && isfinite(sd[i]) && sd[i] >= 0 && !isnan(v[i]);
            for (size_t j = 0; j < dim; j++)
                good = good && isfinite(dmean[i * dim + j]) && isfinite(dsd[i * dim + j]);
            if (!good)
                fail_msg("%s, %s, %s, dim %zu, n %zu: mean %g sd %g value %g", odd->name, s->name,
                         a->name, dim, n, mean[i], sd[i], v[i]);
        }
    }
    bo_optimizer_free(o);
    bo_space_free(space);
}

static void test_odd_values(void **state)
{
    const size_t counts[] = {0, 1, 2, 20};
    const bo_surrogate_type *s;
    const bo_acquisition_type *a;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++)
        for (size_t k = 0; (a = bo_acquisition_at(k)); k++)
            for (size_t c = 0; c < sizeof odds / sizeof *odds; c++)
                for (size_t n = 0; n < 4; n++)
                    for (size_t dim = 1; dim <= 40; dim += 39) {
                        bool large = n % 3 == 0 && k < 2; /* 40 is slow, */
                        bool slow = s->unwarped && ((c + n) % 5 != k || (c > 1 && n < 3));
                        if ((dim == 1 || large) && !slow) /* and so are networks */
                            check_odd(&odds[c], s, a, dim, counts[n]);
                    }
}

/* ---- prediction in units of y ---- */

/* f(b) - f(a) = ∫ f' for the mean and the sd of a network along its only parameter, as for targets
 * (contract-check.h). */
static bool integrals_agree(bo_optimizer *o, double a, double b, size_t cells)
{
    double x[BATCH], mean[BATCH], sd[BATCH], d[2][BATCH], end[2][2];
    double width = (b - a) / (double)cells, sum[2] = {0}, size[2] = {0}, squares[2] = {0};
    double before[2] = {NAN, NAN};
    for (size_t i = 0; i < cells; i += BATCH) {
        for (size_t j = 0; j < BATCH; j++)
            x[j] = a + width * ((double)(i + j) + 0.5);
        assert_int_equal(bo_optimizer_predict(o, BATCH, x, mean, sd, d[0], d[1]), BO_OK);
        for (int k = 0; k < 2; k++)
            for (size_t j = 0; j < BATCH; before[k] = d[k][j++]) {
                sum[k] += width * d[k][j];
                size[k] += width * fabs(d[k][j]);
                squares[k] += isnan(before[k]) ? 0 : pow(d[k][j] - before[k], 2);
            }
    }
    x[0] = a, x[1] = b;
    assert_int_equal(bo_optimizer_predict(o, 2, x, end[0], end[1], NULL, NULL), BO_OK);
    bool agree = true;
    for (int k = 0; k < 2; k++) {
        double allowed = 4e-5 * (fabs(end[0][0]) + end[1][0]) + 1e-3 * size[k] +
                         4 * width * sqrt(squares[k] / 12);
        agree = agree && fabs(end[k][1] - end[k][0] - sum[k]) <= allowed;
    }
    return agree;
}

static void check_network_integrals(bo_optimizer *o, const char *name, int what)
{
    for (double at = 0.02; at < 90; at *= 2) {
        size_t cells = CELLS;
        while (!integrals_agree(o, at, 1.02 * at, cells) && (cells *= 4) <= MOST_CELLS)
            ;
        if (cells > MOST_CELLS)
            fail_msg("%s, case %d: from %g to %g the derivative does not add up", name, what, at,
                     1.02 * at);
    }
}

/* Far enough from a bound for differences, in the units of each parameter. */
static void test_predict_gradients(void **state)
{
    const bo_surrogate_type *s;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++)
        for (int what = 0; what < 8; what++) {
            bool warped = what & 1, maximize = what & 2, small = what & 4;
            bo_space *space = small ? bo_space_new() : mixed();
            if (small)
                bo_space_add_log_real(space, "x", 0.01, 100);
            size_t dim = bo_space_dim(space);
            bo_options options;
            bo_options_init(&options);
            options.surrogate = s;
            options.maximize = maximize;
            options.warp = warped ? BO_WARP_AUTO : BO_WARP_NONE;
            options.samples = 5;
            bo_optimizer *o;
            bo_status status = bo_optimizer_new(&o, space, &options);
            bo__rng rng;
            bo__rng_init(&rng, 8, "predict", 0);
            for (int n = 0; !status && n < 30; n++) {
                double fraction[5], x[5], u[8];
                for (size_t j = 0; j < dim; j++)
                    fraction[j] = bo__rng_uniform(&rng);
                bo__space_spread(space, fraction, x);
                bo__space_encode(space, x, u);
                double y = exp(2 * smooth(bo__space_width(space), u));
                assert_int_equal(bo_optimizer_tell(o, x, maximize ? -y : y), BO_OK);
            }
            double x[5] = {1, 0.03, 3, 2, 1}, mean, sd, dmean[5], dsd[5], at[4], sds[4];
            if (small)
                x[0] = 2;
            if (!status) {
                assert_int_equal(bo_optimizer_predict(o, 1, x, &mean, &sd, dmean, dsd), BO_OK);
                if (is_network(s)) /* differences meet corners */
                    check_network_integrals(o, s->name, what);
                for (size_t j = 0; j < dim && !is_network(s); j++) {
                    const bo_parameter *p = bo_space_parameter(space, j);
                    double best = INFINITY, best_sd = INFINITY, unit = p->log ? x[j] : 7;
                    for (double h = 1e-3 * unit; h > 1e-7 * unit && p->kind == BO_REAL; h /= 10) {
                        double xs[20];
                        for (int k = 0; k < 4; k++) {
                            memcpy(xs + k * dim, x, dim * sizeof *x);
                            xs[k * dim + j] += (k % 2 ? -1 : 1) * h * (k < 2 ? 1 : 0.5);
                        }
                        assert_int_equal(bo_optimizer_predict(o, 4, xs, at, sds, NULL, NULL), BO_OK);
                        double d = (8 * (at[2] - at[3]) - (at[0] - at[1])) / (6 * h);
                        double e = (8 * (sds[2] - sds[3]) - (sds[0] - sds[1])) / (6 * h);
                        best = fmin(best, fabs(d - dmean[j]));
                        best_sd = fmin(best_sd, fabs(e - dsd[j]));
                    }
                    double allowed = TOLERANCE * (fabs(mean) + sd) / unit;
                    if (p->kind != BO_REAL)
                        assert_true(dmean[j] == 0 && dsd[j] == 0);
                    else if (!(best < allowed && best_sd < allowed))
                        fail_msg("%s, case %d, parameter %zu: off by %g and %g", s->name, what, j,
                                 best, best_sd);
                }
                double only_mean[5], only_sd[5]; /* each may be asked for alone */
                bo_optimizer_predict(o, 1, x, &mean, &sd, only_mean, NULL);
                bo_optimizer_predict(o, 1, x, &mean, &sd, NULL, only_sd);
                assert_memory_equal(only_mean, dmean, dim * sizeof *dmean);
                assert_memory_equal(only_sd, dsd, dim * sizeof *dsd);
            } else {
                assert_int_equal(status, BO_ENOMODEL);
            }
            bo_optimizer_free(o);
            bo_space_free(space);
        }
}

/* ---- several threads on one fitted surrogate ---- */

enum { ROWS = 60, WORKERS = 4, ROUNDS = 40 };

typedef struct share {
    const bo_surrogate_type *type;
    const void *self;
    size_t K, width;
    const double *u;
    double *mean, *sd, *du;
} share;

static void *predict_all(void *context)
{
    share *p = context;
    void *work = bo__aligned(p->type->workspace(p->self, ROWS), 1);
    for (int round = 0; round < ROUNDS; round++) {
        if (p->type->predict(p->self, ROWS, p->u, p->mean, p->sd, work) ||
            p->type->pullback(p->self, ROWS, p->u, p->mean, p->sd, p->du, work))
            p->mean[0] = NAN;
    }
    free(work);
    return NULL;
}

static void test_threads(void **state)
{
    const bo_surrogate_type *s;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++)
        for (size_t dim = 1; dim <= 3; dim += 2) {
            fixture f;
            if (!fixture_init(&f, box(dim), s, NULL))
                continue;
            size_t group[3] = {0, 1, 2};
            bo_setup setup = {.width = dim, .dim = dim, .group = group, .seed = 1,
                              .options = &f.options};
            double u[30 * 3], z[30], at[ROWS * 3];
            for (size_t k = 0; k < 30 * dim; k++)
                u[k] = bo__rng_uniform(&f.rng);
            for (size_t k = 0; k < 30; k++)
                z[k] = smooth(dim, u + k * dim);
            for (size_t k = 0; k < ROWS * dim; k++)
                at[k] = bo__rng_uniform(&f.rng);
            void *self;
            bo_message message;
            assert_int_equal(s->create(&self, &setup, &message), BO_OK);
            bo_data data = {.n = 30, .u = u, .z = z, .scale = 1, .noise = NAN};
            assert_int_equal(s->fit(self, &data, &message), BO_OK);
            size_t K = s->components(self), size = ROWS * (2 * K + dim);
            double *memory = calloc((WORKERS + 1) * size, sizeof *memory);
            share shares[WORKERS + 1];
            pthread_t id[WORKERS];
            for (size_t w = 0; w <= WORKERS; w++) {
                double *mine = memory + w * size;
                shares[w] = (share){s, self, K, dim, at, mine, mine + ROWS * K,
                                    mine + 2 * ROWS * K};
            }
            for (size_t w = 0; w < WORKERS; w++)
                assert_int_equal(pthread_create(&id[w], NULL, predict_all, &shares[w]), 0);
            for (size_t w = 0; w < WORKERS; w++)
                pthread_join(id[w], NULL);
            predict_all(&shares[WORKERS]);
            assert_true(isfinite(memory[WORKERS * size]));
            for (size_t w = 0; w < WORKERS; w++)
                assert_memory_equal(memory + w * size, memory + WORKERS * size,
                                    size * sizeof *memory);
            free(memory);
            s->free(self);
            fixture_free(&f);
        }
}

/* Every type names itself, is found by its name, and takes NULL. */
static void test_tables(void **state)
{
    const bo_surrogate_type *s;
    const bo_acquisition_type *a;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++) {
        assert_ptr_equal(bo_surrogate_find(bo_surrogate_name(s)), s);
        assert_true(*bo_surrogate_summary(s) && !strchr(bo_surrogate_summary(s), '\n'));
        s->free(NULL);
        assert_true(!s->draw == !s->sample_value && !s->draw == !s->sample_free);
    }
    for (size_t i = 0; (a = bo_acquisition_at(i)); i++) {
        assert_ptr_equal(bo_acquisition_find(bo_acquisition_name(a)), a);
        assert_true(*bo_acquisition_summary(a) && !strchr(bo_acquisition_summary(a), '\n'));
    }
    assert_null(bo_surrogate_find("none"));
    assert_null(bo_acquisition_find("none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_derivatives_of_variants),
        cmocka_unit_test(test_odd_values),
        cmocka_unit_test(test_predict_gradients),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
