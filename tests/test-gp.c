/* test-gp.c - the exact GP against a plain reference, finite differences and edge cases.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "check.h"
#include "gpmodel.h"
#include "linalg.h"
#include "rng.h"

static const bo_kernel kernels[] = {BO_RBF, BO_MATERN52, BO_MATERN32, BO_PERIODIC};

#define MOST_WIDTH 40

typedef struct fixture {
    bo_options options;
    size_t group[MOST_WIDTH];
    double length[MOST_WIDTH];
    bo_setup setup;
    void *gp;
} fixture;

static void setup_gp(fixture *f, size_t width, bo_kernel kernel, bool oracle)
{
    bo_options_init(&f->options);
    f->options.kernel = kernel;
    for (size_t j = 0; j < width; j++) {
        f->group[j] = j;
        f->length[j] = 0.3 + 0.1 * (double)j;
    }
    if (oracle) {
        f->options.lengthscales = f->length;
        f->options.scale = 1.3;
        f->options.mean = 0.2;
        f->options.period = 0.7;
    }
    f->setup = (bo_setup){.width = width, .dim = width, .group = f->group, .seed = 5,
                          .options = &f->options};
    bo_message message;
    assert_int_equal(bo__surrogate_gp.create(&f->gp, &f->setup, &message), BO_OK);
}

static bo_status fit(fixture *f, size_t n, const double *u, const double *z, double noise, bool keep)
{
    bo_message message;
    bo_data data = {.n = n, .u = u, .z = z, .shift = 0, .scale = 1, .noise = noise, .keep = keep};
    return bo__surrogate_gp.fit(f->gp, &data, &message);
}

static void predict(const fixture *f, size_t m, const double *u, double *mean, double *sd)
{
    void *work = bo__aligned(bo__surrogate_gp.workspace(f->gp, m), 1);
    assert_int_equal(bo__surrogate_gp.predict(f->gp, m, u, mean, sd, work), BO_OK);
    free(work);
}

static void fill(bo__rng *rng, size_t n, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = bo__rng_uniform(rng);
}

/* A smooth function of the rows of u. */
static void values(size_t n, size_t width, const double *u, double *z)
{
    for (size_t i = 0; i < n; i++) {
        z[i] = 0;
        for (size_t j = 0; j < width; j++)
            z[i] += sin(5 * u[i * width + j] + (double)j) / (1 + (double)j);
    }
}

/* The kernels written down as in a book, for the oracle of the fixture. */
static double kernel_by_hand(bo_kernel kernel, size_t width, const double *a, const double *b,
                             const double *length, double period)
{
    double t = 0;
    for (size_t j = 0; j < width; j++) {
        double d = a[j] - b[j];
        if (kernel == BO_PERIODIC)
            t += 2 * pow(sin(M_PI * fabs(d) / period), 2) / (length[j] * length[j]);
        else
            t += d * d / (length[j] * length[j]);
    }
    double r = sqrt(t);
    switch (kernel) {
    case BO_RBF:
        return exp(-t / 2);
    case BO_PERIODIC:
        return exp(-t);
    case BO_MATERN52:
        return (1 + sqrt(5) * r + 5 * t / 3) * exp(-sqrt(5) * r);
    case BO_MATERN32:
        return (1 + sqrt(3) * r) * exp(-sqrt(3) * r);
    }
    return NAN;
}

/* Solves A X = B by Gauss-Jordan with pivoting; A is n × n, B n × m; both are used up. */
static void solve(size_t n, size_t m, double *a, double *b)
{
    for (size_t c = 0; c < n; c++) {
        size_t p = c;
        for (size_t r = c + 1; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[p * n + c]))
                p = r;
        for (size_t j = 0; j < n; j++) {
            double t = a[c * n + j];
            a[c * n + j] = a[p * n + j];
            a[p * n + j] = t;
        }
        for (size_t j = 0; j < m; j++) {
            double t = b[c * m + j];
            b[c * m + j] = b[p * m + j];
            b[p * m + j] = t;
        }
        for (size_t r = 0; r < n; r++) {
            if (r == c)
                continue;
            double factor = a[r * n + c] / a[c * n + c];
            for (size_t j = 0; j < n; j++)
                a[r * n + j] -= factor * a[c * n + j];
            for (size_t j = 0; j < m; j++)
                b[r * m + j] -= factor * b[c * m + j];
        }
    }
    for (size_t r = 0; r < n; r++)
        for (size_t j = 0; j < m; j++)
            b[r * m + j] /= a[r * n + r];
}

static void test_posterior_by_hand(void **state)
{
    enum { N = 12, W = 3, M = 7 };
    bo__rng rng;
    bo__rng_init(&rng, 1, "test-gp", 0);
    double u[N * W], z[N], at[M * W], mean[M], sd[M];
    fill(&rng, N * W, u);
    fill(&rng, M * W, at);
    values(N, W, u, z);
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        setup_gp(&f, W, kernels[k], true);
        assert_int_equal(fit(&f, N, u, z, 0.1, false), BO_OK);
        predict(&f, M, at, mean, sd);
        for (size_t q = 0; q < M; q++) {
            double a[N * N], b[N * 2], cross[N], v = 1.3 * 1.3;
            for (size_t i = 0; i < N; i++) {
                for (size_t j = 0; j < N; j++)
                    a[i * N + j] = v * kernel_by_hand(kernels[k], W, u + i * W, u + j * W, f.length,
                                                      0.7) + (i == j ? 0.01 : 0);
                cross[i] = v * kernel_by_hand(kernels[k], W, u + i * W, at + q * W, f.length, 0.7);
                b[2 * i] = z[i] - 0.2;
                b[2 * i + 1] = cross[i];
            }
            solve(N, 2, a, b);
            double m = 0.2, s = v;
            for (size_t i = 0; i < N; i++) {
                m += cross[i] * b[2 * i];
                s -= cross[i] * b[2 * i + 1];
            }
            assert_close(mean[q], m, 1e-9);
            assert_close(sd[q], sqrt(s), 1e-8);
        }
        bo__surrogate_gp.free(f.gp);
    }
}

static void test_objective_gradient(void **state)
{
    enum { N = 15, W = 3 };
    bo__rng rng;
    bo__rng_init(&rng, 2, "test-gp", 0);
    double u[N * W], z[N];
    fill(&rng, N * W, u);
    values(N, W, u, z);
    for (size_t k = 0; k < 4; k++)
        for (int scale = 0; scale < 2; scale++)
            for (int given = 0; given < 2; given++) {
                fixture f;
                setup_gp(&f, W, kernels[k], false);
                bo__gp *gp = f.gp;
                gp->learn_scale = scale;
                assert_int_equal(fit(&f, N, u, z, given ? 0.05 : NAN, false), BO_OK);
                double theta[2 * W + 2], d[2 * W + 2], unused[2 * W + 2];
                size_t params = bo__gp_params(gp);
                for (size_t i = 0; i < params; i++)
                    theta[i] = -1 + bo__rng_uniform(&rng);
                double value = bo__gp_objective(gp, theta, d);
                assert_true(isfinite(value));
                assert_close(bo__gp_objective(gp, theta, NULL), value, 1e-12);
                for (size_t i = 0; i < params; i++) {
                    double h = 1e-5, keep = theta[i];
                    theta[i] = keep + h;
                    double up = bo__gp_objective(gp, theta, unused);
                    theta[i] = keep - h;
                    double down = bo__gp_objective(gp, theta, unused);
                    theta[i] = keep;
                    assert_close(d[i], (up - down) / (2 * h), 2e-6);
                }
                bo__surrogate_gp.free(f.gp);
            }
}

/* The fit must be a minimum: no small step in any direction is better. */
static void test_fit_is_minimum(void **state)
{
    enum { N = 30, W = 2 };
    bo__rng rng;
    bo__rng_init(&rng, 3, "test-gp", 0);
    double u[N * W], z[N];
    fill(&rng, N * W, u);
    values(N, W, u, z);
    fixture f;
    setup_gp(&f, W, BO_MATERN52, false);
    assert_int_equal(fit(&f, N, u, z, NAN, false), BO_OK);
    bo__gp *gp = f.gp;
    double theta[W + 1], best = bo__gp_objective(gp, gp->theta, NULL);
    for (int trial = 0; trial < 200; trial++) {
        for (size_t i = 0; i < W + 1; i++)
            theta[i] = gp->theta[i] + 0.3 * bo__rng_normal(&rng);
        theta[W] = fmax(theta[W], log(2e-9)); /* the bound of the noise */
        assert_true(bo__gp_objective(gp, theta, NULL) > best - 0.02);
    }
    bo__surrogate_gp.free(f.gp);
}

/* n points at once and one after another with kept hyperparameters are the same. */
static void test_append(void **state)
{
    enum { N = 40, W = 2, M = 9 };
    bo__rng rng;
    bo__rng_init(&rng, 4, "test-gp", 0);
    double u[N * W], z[N], at[M * W], mean[2][M], sd[2][M];
    fill(&rng, N * W, u);
    fill(&rng, M * W, at);
    values(N, W, u, z);
    memcpy(u + 35 * W, u + 3 * W, W * sizeof *u); /* a duplicate among the appended */
    z[35] = z[3];
    fixture f;
    setup_gp(&f, W, BO_RBF, false);
    assert_int_equal(fit(&f, 20, u, z, NAN, false), BO_OK);
    for (size_t n = 21; n <= N; n++)
        assert_int_equal(fit(&f, n, u, z, NAN, true), BO_OK);
    predict(&f, M, at, mean[0], sd[0]);
    double other[N * W]; /* another order: not an extension, so it is factorised anew */
    double other_z[N];
    for (size_t i = 0; i < N; i++) {
        memcpy(other + i * W, u + (N - 1 - i) * W, W * sizeof *u);
        other_z[i] = z[N - 1 - i];
    }
    assert_int_equal(fit(&f, N, other, other_z, NAN, true), BO_OK);
    predict(&f, M, at, mean[1], sd[1]);
    for (size_t i = 0; i < M; i++) {
        assert_close(mean[0][i], mean[1][i], 1e-6);
        assert_close(sd[0][i], sd[1][i], 1e-5);
    }
    bo__surrogate_gp.free(f.gp);
}

/* A fit to look at a prediction leaves no trace in the next; one that keeps takes it over. */
static void test_peek(void **state)
{
    enum { N = 12, W = 2 };
    bo__rng rng;
    bo__rng_init(&rng, 8, "test-gp", 0);
    double u[N * W], z[N], theta[3][W + 1];
    fill(&rng, N * W, u);
    values(N, W, u, z);
    for (int what = 0; what < 3; what++) {
        fixture f;
        setup_gp(&f, W, BO_MATERN52, false);
        assert_int_equal(fit(&f, 4, u, z, NAN, false), BO_OK);
        bo_data data = {.n = 8, .u = u, .z = z, .scale = 1, .noise = NAN, .peek = true};
        if (what)
            assert_int_equal(bo__surrogate_gp.fit(f.gp, &data, NULL), BO_OK);
        if (what == 2)
            assert_int_equal(fit(&f, 8, u, z, NAN, true), BO_OK);
        assert_int_equal(fit(&f, N, u, z, NAN, false), BO_OK);
        assert_int_equal(((bo__gp *)f.gp)->params, W + 1);
        memcpy(theta[what], ((bo__gp *)f.gp)->theta, sizeof theta[what]);
        bo__surrogate_gp.free(f.gp);
    }
    assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
    assert_memory_not_equal(theta[0], theta[2], sizeof theta[0]);
}

/* One-hot columns share a length-scale, so all pairs of categories are equally alike. */
static void test_categories(void **state)
{
    size_t group[4] = {0, 1, 1, 1};
    bo_options options;
    bo_options_init(&options);
    bo_setup setup = {.width = 4, .dim = 2, .group = group, .seed = 1, .options = &options};
    void *gp;
    assert_int_equal(bo__surrogate_gp.create(&gp, &setup, NULL), BO_OK);
    double u[] = {0, 1, 0, 0, 0.5, 0, 1, 0, 1, 0, 0, 1, 0.2, 1, 0, 0}, z[] = {0, 1, -1, 0.3};
    bo_data data = {.n = 4, .u = u, .z = z, .scale = 1, .noise = NAN};
    assert_int_equal(bo__surrogate_gp.fit(gp, &data, NULL), BO_OK);
    assert_int_equal(((bo__gp *)gp)->params, 3);
    assert_close(((bo__gp *)gp)->inverse[1], ((bo__gp *)gp)->inverse[3], 0);
    bo__surrogate_gp.free(gp);
}

/* Draws have the posterior's mean and sd. */
static void test_draws(void **state)
{
    enum { N = 6, W = 2, M = 5, DRAWS = 4000 };
    bo__rng rng;
    bo__rng_init(&rng, 6, "test-gp", 0);
    double u[N * W], z[N], at[M * W], mean[M], sd[M], value[M], slope[M * W];
    fill(&rng, N * W, u);
    fill(&rng, M * W, at);
    values(N, W, u, z);
    for (size_t k = 0; k < 4; k++) {
        fixture f;
        setup_gp(&f, W, kernels[k], true);
        assert_int_equal(fit(&f, N, u, z, 0.2, false), BO_OK);
        predict(&f, M, at, mean, sd);
        double sum[M] = {0}, square[M] = {0};
        for (uint64_t seed = 0; seed < DRAWS; seed++) {
            void *sample;
            assert_int_equal(bo__surrogate_gp.draw(f.gp, seed, &sample), BO_OK);
            assert_int_equal(bo__surrogate_gp.sample_value(sample, M, at, value, NULL), BO_OK);
            for (size_t i = 0; i < M; i++) {
                sum[i] += value[i] / DRAWS;
                square[i] += value[i] * value[i] / DRAWS;
            }
            if (seed < 3) { /* the gradient */
                double h = 1e-6, up[M], down[M], moved[M * W];
                bo__surrogate_gp.sample_value(sample, M, at, value, slope);
                for (size_t j = 0; j < W; j++) {
                    for (int side = -1; side <= 1; side += 2) {
                        memcpy(moved, at, sizeof at);
                        for (size_t i = 0; i < M; i++)
                            moved[i * W + j] += side * h;
                        bo__surrogate_gp.sample_value(sample, M, moved, side > 0 ? up : down, NULL);
                    }
                    for (size_t i = 0; i < M; i++)
                        assert_close(slope[i * W + j], (up[i] - down[i]) / (2 * h), 1e-5);
                }
            }
            bo__surrogate_gp.sample_free(sample);
        }
        for (size_t i = 0; i < M; i++) { /* five standard errors */
            assert_true(fabs(sum[i] - mean[i]) < 5 * sd[i] / sqrt(DRAWS));
            double variance = square[i] - sum[i] * sum[i];
            assert_true(fabs(variance / (sd[i] * sd[i]) - 1) < 5 * sqrt(2.0 / DRAWS));
        }
        bo__surrogate_gp.free(f.gp);
    }
}

static void test_odd_data(void **state)
{
    enum { N = 10, W = 2 };
    double u[N * W], z[N], at[W] = {0.3, 0.9}, mean, sd;
    for (size_t k = 0; k < 4; k++)
        for (int what = 0; what < 5; what++)
            for (size_t n = 0; n <= N; n++) {
                bo__rng rng;
                bo__rng_init(&rng, 7, "test-gp", n);
                fill(&rng, N * W, u);
                values(N, W, u, z);
                for (size_t i = 0; i < N; i++) {
                    if (what == 1) /* the same point again and again */
                        memcpy(u + i * W, u, W * sizeof *u);
                    if (what == 2) /* a constant */
                        z[i] = 0;
                    if (what == 3) /* an outlier */
                        z[i] = i ? 0 : 1e6;
                    if (what == 4) /* tiny */
                        z[i] *= 1e-200;
                }
                fixture f;
                setup_gp(&f, W, kernels[k], false);
                assert_int_equal(fit(&f, n, u, z, NAN, false), BO_OK);
                predict(&f, 1, at, &mean, &sd);
                assert_true(isfinite(mean) && isfinite(sd) && sd > 0);
                bo__surrogate_gp.free(f.gp);
            }
}

static void test_bad_oracle(void **state)
{
    fixture f = {0};
    bo_options_init(&f.options);
    double length[1] = {-1};
    f.options.lengthscales = length;
    f.setup = (bo_setup){.width = 1, .dim = 1, .group = f.group, .options = &f.options};
    bo_message message;
    assert_int_equal(bo__surrogate_gp.create(&f.gp, &f.setup, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "length-scale 1 is -1"));
    bo__surrogate_gp.free(f.gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_posterior_by_hand), cmocka_unit_test(test_objective_gradient),
        cmocka_unit_test(test_fit_is_minimum),    cmocka_unit_test(test_append),
        cmocka_unit_test(test_peek),              cmocka_unit_test(test_categories),
        cmocka_unit_test(test_draws),             cmocka_unit_test(test_odd_data),
        cmocka_unit_test(test_bad_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
