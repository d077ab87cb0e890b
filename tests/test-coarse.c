/* test-coarse.c - the best point of a grid on a line, with few evaluations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "maximize-check.h"

/* Sums of three waves, the shortest of them thirteen strides of 4 in 1000 long. */
static double phase[3];

static double waves(size_t width, const double *u, double *du)
{
    double sum = du[0] = 0;
    for (int i = 0; i < 3; i++)
        sum += sin(40.0 * (i + 1) * u[0] + phase[i]) / (i + 1);
    return sum;
}

static void same_as_looking_at_all(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 7, "coarse", 0);
    for (int turn = 0; turn < 200; turn++) {
        for (int i = 0; i < 3; i++)
            phase[i] = 6.3 * bo__rng_uniform(&rng);
        subject s = {.f = waves, .width = 1, .batch = 7, .threads = 1 + (size_t)turn % 2};
        bo__column columns[WIDEST];
        bo__maximize_problem p = real_problem(&s, columns);
        double all, few;
        p.grid = 1000;
        double best = solve(&p, 1, &all);
        atomic_store(&s.calls, 0);
        p.stride = 4;
        assert_true(solve(&p, 1, &few) == best && few == all);
        assert_true(atomic_load(&s.calls) < 310);
    }
}

/* High only within two points of u = 0.5005…, point 500. */
static double needle(size_t width, const double *u, double *du)
{
    double away = fabs(u[0] * 999 - 501);
    du[0] = 0;
    return away < 1.5 ? 2 - away : -fabs(u[0] - 0.1);
}

static void looks_around_anchors(void **state)
{
    subject s = {.f = needle, .width = 1, .batch = 50};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    double u, anchor = 503 / 999.0;
    p.grid = 1000;
    p.stride = 8;
    solve(&p, 1, &u);
    assert_close(u, 0.1, 1 / 999.0); /* between two points of the first look */
    p.anchors = 1;
    p.anchor = &anchor;
    assert_true(solve(&p, 1, &u) == 2);
    assert_close(u, 501 / 999.0, 1e-12);
}

/* Strides as long as the grid, short grids: every point is a point of it, the ends included. */
static void odd_sizes(void **state)
{
    const size_t sides[] = {2, 3, 7, 100}, strides[] = {2, 5, 99, 1000};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            subject s = {.f = forrester, .width = 1};
            bo__column columns[WIDEST];
            bo__maximize_problem p = real_problem(&s, columns);
            double u;
            p.grid = sides[i];
            p.stride = strides[j];
            solve(&p, 1, &u);
            double at = u * (double)(sides[i] - 1);
            assert_close(at, round(at), 1e-9);
        }
}

static void more_parameters_are_refused(void **state)
{
    subject s = {.f = branin, .width = 2};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    double u[2], value;
    bo_message message = {""};
    p.grid = 10;
    p.stride = 2;
    assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "grid-stride"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_looking_at_all),
        cmocka_unit_test(looks_around_anchors),
        cmocka_unit_test(odd_sizes),
        cmocka_unit_test(more_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
