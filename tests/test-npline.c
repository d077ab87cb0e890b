/* test-npline.c - tabulated answers against the layers themselves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>

#include "np-weights.h"
#include "npposterior.h"
#include "rng.h"

enum { N = 12, M = 500, S = 9 };

typedef struct problem {
    bo__npmodel model;
    float *theta;
    bo__npposterior posterior;
    size_t K;
    void *work;
} problem;

static void make_problem(problem *p, const char *kind, bo__npunits units)
{
    *p = (problem){.K = 0};
    bo__npspec spec = small_spec(kind, 1, 1);
    double x[N], y[N];
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (size_t i = 0; i < N; i++) {
        x[i] = bo__rng_uniform(&rng);
        y[i] = bo__rng_normal(&rng);
    }
    assert_int_equal(bo__npmodel_init(&p->model, &spec, NULL), BO_OK);
    p->theta = random_weights(&p->model, 5);
    bo__npposterior_init(&p->posterior, &p->model, p->theta);
    assert_int_equal(bo__npposterior_fit(&p->posterior, N, x, y, units,
                                         (bo__npsampling){S, 9, 3}, NULL), BO_OK);
    p->K = p->posterior.components;
    p->work = aligned_alloc(64, bo__npposterior_workspace(&p->posterior, M));
}

static void free_problem(problem *p)
{
    bo__npposterior_free(&p->posterior);
    bo__npmodel_free(&p->model);
    free(p->theta);
    free(p->work);
}

/* What it says at m points, and the pullback of given adjoints. */
static void ask(const problem *p, size_t m, const double *x, double *mean, double *sd, double *dx)
{
    static double dmean[M * S], dsd[M * S];
    for (size_t i = 0; i < m * p->K; i++) {
        dmean[i] = cos((double)i);
        dsd[i] = sin(1.7 * (double)i);
    }
    memset(dx, 0, m * sizeof *dx);
    assert_int_equal(bo__npposterior_at(&p->posterior, m, x, p->K, mean, sd, p->work), BO_OK);
    assert_int_equal(bo__npposterior_pullback(&p->posterior, m, x, p->K, dmean, dsd, dx, p->work),
                     BO_OK);
}

/* Between kinks values and slopes are those of the layers, to float32's accuracy; a point in
 * fifty may fall so close to a kink that its slope is that of the other side. */
static void test_same_as_layers(void **state)
{
    static const char *const kinds[] = {"cnp", "np", "bnp"};
    static double x[M], mean[2][M * S], sd[2][M * S], dx[2][M];
    const bo__npunits units = {-2, 4, 0.3, 1.7};
    for (size_t k = 0; k < 3; k++) {
        problem p;
        make_problem(&p, kinds[k], units);
        for (size_t i = 0; i < M; i++)
            x[i] = (double)i / (M - 1);
        assert_int_equal(p.posterior.line.samples, 0);
        ask(&p, M, x, mean[0], sd[0], dx[0]);
        assert_int_equal(bo__npposterior_tabulate(&p.posterior, 0, 1), BO_OK);
        assert_int_equal(p.posterior.line.samples, p.K);
        ask(&p, M, x, mean[1], sd[1], dx[1]);
        size_t wrong = 0;
        for (size_t i = 0; i < M * p.K; i++) {
            assert_close(mean[0][i], mean[1][i], 1e-5);
            assert_close(sd[0][i], sd[1][i], 1e-5);
        }
        for (size_t i = 0; i < M; i++)
            wrong += !(fabs(dx[0][i] - dx[1][i]) < 1e-3 * (1 + fabs(dx[0][i])));
        assert_true(wrong <= M / 50);
        free_problem(&p);
    }
}

/* Pieces rise in x, meet, and are more than those of the first layer alone. */
static void test_continuous(void **state)
{
    problem p;
    make_problem(&p, "np", (bo__npunits){-2, 4, 0, 1});
    assert_int_equal(bo__npposterior_tabulate(&p.posterior, 0, 1), BO_OK);
    const bo__npline *line = &p.posterior.line;
    for (size_t i = 0; i + 1 < line->pieces; i++) {
        const bo__npline_piece *a = &line->piece[i], *b = a + 1;
        if (isinf(a->x) || isinf(b->x))
            continue;
        assert_true(b->x >= a->x);
        assert_close(a->mean + a->dmean * (b->x - a->x), b->mean, 1e-5);
        assert_close(a->r + a->dr * (b->x - a->x), b->r, 1e-5);
    }
    assert_true(line->pieces > S * p.model.spec.width / 2);
    free_problem(&p);
}

/* Outside the table the layers answer; a new fit empties it; attention has none. */
static void test_borders(void **state)
{
    problem p;
    double mean[S], sd[S], again[S], x = 1.25, y = 2, nan = NAN;
    make_problem(&p, "np", (bo__npunits){-2, 4, 0, 1});
    bo__npposterior_at(&p.posterior, 1, &x, p.K, mean, sd, p.work);
    assert_int_equal(bo__npposterior_tabulate(&p.posterior, 0, 1), BO_OK);
    bo__npposterior_at(&p.posterior, 1, &x, p.K, again, sd, p.work);
    assert_memory_equal(mean, again, sizeof mean);
    assert_int_equal(bo__npposterior_at(&p.posterior, 1, &nan, p.K, again, sd, p.work), BO_OK);
    assert_int_equal(bo__npposterior_fit(&p.posterior, 1, &x, &y, (bo__npunits){-2, 4, 0, 1},
                                         (bo__npsampling){S, 9, 3}, NULL), BO_OK);
    assert_int_equal(p.posterior.line.samples, 0);
    free_problem(&p);
    make_problem(&p, "anp", (bo__npunits){-2, 4, 0, 1});
    assert_false(bo__npline_serves(&p.model));
    assert_int_equal(bo__npposterior_tabulate(&p.posterior, 0, 1), BO_OK);
    assert_int_equal(p.posterior.line.samples, 0);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_layers),
        cmocka_unit_test(test_continuous),
        cmocka_unit_test(test_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
