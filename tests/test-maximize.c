/* test-maximize.c - the maximiser on functions whose maxima are known, or found by brute force.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "maximize-check.h"

/* ---- real columns ---- */

static void test_known_maxima(void **state)
{
    static const struct {
        double (*f)(size_t, const double *, double *);
        size_t width;
        double best, tolerance;
    } known[] = {
        {forrester, 1, 6.020740055, 1e-6}, {branin, 2, -0.397887358, 1e-6},
        {hartmann6, 6, 3.322368011, 1e-5}, {corner, 1, 0, 1e-9},
        {corner, 2, 0, 1e-9},              {corner, 6, 0, 1e-9},
        {corner, 40, 0, 1e-6},             {corner, 60, 0, 1e-6},
        {steep, 1, 5, 1e-4},               {steep, 6, 5, 1e-3},
        {steep, 60, 5, 1e-2},              {shallow, 6, 1e-12, 1e-18},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            subject s = {.f = known[i].f, .width = known[i].width};
            bo__column columns[WIDEST];
            bo__maximize_problem p = real_problem(&s, columns);
            double u[WIDEST], du[WIDEST], value = solve(&p, seed, u);
            assert_true(value == s.f(s.width, u, du));
            assert_close(value, known[i].best, known[i].tolerance);
        }
}

/* A narrow peak at the anchor's side: found from the anchor, hardly from the screen. */
static double needle(size_t width, const double *u, double *du)
{
    double e = 0, wide = 0;
    for (size_t j = 0; j < width; j++) {
        e += (u[j] - 0.71) * (u[j] - 0.71) / 4e-4;
        wide += (u[j] - 0.2) * (u[j] - 0.2);
    }
    for (size_t j = 0; j < width; j++)
        du[j] = -4 * exp(-e) * (u[j] - 0.71) / 4e-4 - 2 * (u[j] - 0.2) * exp(-wide);
    return 2 * exp(-e) + exp(-wide);
}

static void test_anchor(void **state)
{
    double anchor[6];
    for (size_t j = 0; j < 6; j++)
        anchor[j] = j % 2 ? 0.7 : 0.72;
    for (uint64_t seed = 0; seed < 10; seed++) {
        subject s = {.f = needle, .width = 6};
        bo__column columns[WIDEST];
        bo__maximize_problem p = real_problem(&s, columns);
        p.anchors = 1;
        p.anchor = anchor;
        double u[6];
        assert_true(solve(&p, seed, u) > 2);
    }
}

/* Anchors in corners and with the space's ends as values. */
static void test_anchor_on_bounds(void **state)
{
    double anchors[2 * 3] = {0, 0, 0, 1, 1, 1};
    subject s = {.f = corner, .width = 3};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    p.anchors = 2;
    p.anchor = anchors;
    p.screen = 1;
    p.starts = 1;
    double u[3];
    assert_close(solve(&p, 1, u), 0, 1e-9);
}

static void test_not_a_number(void **state)
{
    subject s = {.f = cliff, .width = 1};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    double u[1], value;
    assert_close(solve(&p, 1, u), 0.5, 1e-2);
    s.f = nowhere;
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    bo_message message = {""};
    assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_ENUMERIC);
    assert_true(strstr(message.text, "not a number") != NULL);
}

static bo_status broken(void *context, size_t thread, size_t m, const double *u, double *value,
                        double *du)
{
    subject *s = context;
    if (atomic_fetch_add(&s->calls, m) > s->taken_rows) /* fails after so many rows */
        return BO_ENOMEM;
    s->calls -= m;
    return evaluate(context, thread, m, u, value, du);
}

static void test_target_fails(void **state)
{
    size_t after[] = {0, 100, 520, 560, 600};
    for (size_t i = 0; i < 5; i++) {
        subject s = {.f = hartmann6, .width = 6, .taken_rows = after[i]};
        bo__column columns[WIDEST];
        bo__maximize_problem p = real_problem(&s, columns);
        p.target = broken;
        double u[6], value;
        bo__rng rng;
        bo__rng_init(&rng, 1, "test", 0);
        bo_message message = {""};
        assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_ENOMEM);
        assert_true(strlen(message.text) > 0);
    }
}

/* ---- the same whatever the threads ---- */

static void test_threads(void **state)
{
    for (size_t width = 1; width <= 6; width += 5) {
        double u[4][6] = {{0}}, value[4], anchor[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
        for (size_t t = 0; t < 4; t++) {
            subject s = {.f = width == 1 ? forrester : hartmann6, .width = width,
                         .threads = (size_t[]){1, 2, 5, 1}[t]};
            bo__column columns[WIDEST];
            bo__maximize_problem p = real_problem(&s, columns);
            p.anchors = 1;
            p.anchor = anchor;
            value[t] = solve(&p, 9, u[t]);
            assert_true(value[t] == value[0]);
            assert_memory_equal(u[t], u[0], sizeof u[0]);
        }
    }
}

/* Real space, and the maximum is taken: another good point comes. */
static void test_taken_real(void **state)
{
    subject s = {.f = branin, .width = 2};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    double taken[20 * 2], u[2];
    s.taken = taken;
    p.taken = is_taken;
    for (size_t i = 0; i < 20; i++) {
        double value = solve(&p, 5, u); /* the same stream each time, so the same climbs */
        assert_false(is_taken(&s, u));
        assert_true(value > (i < 3 ? -0.4 : -10));
        memcpy(taken + 2 * s.taken_rows++, u, sizeof u);
    }
}

/* No screen, no starts, one evaluation: whatever is asked for, a point comes. */
static void test_small_numbers(void **state)
{
    for (size_t screen = 0; screen < 3; screen++)
        for (size_t starts = 0; starts < 3; starts++)
            for (size_t maxeval = 0; maxeval < 3; maxeval++) {
                subject s = {.f = hartmann6, .width = 6, .batch = 1};
                bo__column columns[WIDEST];
                bo__maximize_problem p = real_problem(&s, columns);
                p.screen = screen;
                p.starts = starts;
                p.maxeval = maxeval;
                double u[6], du[6];
                assert_true(solve(&p, 1, u) == hartmann6(6, u, du));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_maxima),
        cmocka_unit_test(test_anchor),
        cmocka_unit_test(test_anchor_on_bounds),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_target_fails),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_taken_real),
        cmocka_unit_test(test_small_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
