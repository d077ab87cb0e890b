/* test-regrethabits.c - habits of made-up runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "regrethabits.h"

enum { POINTS = 13 };

/* x on [-2, 2], the values there, and the sd that was predicted, one suggestion after another. */
static bo__regret_record *make_run(size_t points, const double *x, const double *y, double range)
{
    bo__regret_record *r = calloc(1, sizeof *r + points * bo__regret_row(1) * sizeof(double));
    *r = (bo__regret_record){.dim = 1, .points = points, .range = range, .least = 0};
    for (size_t i = 0; i < points; i++) {
        double *row = r->row + i * bo__regret_row(1);
        row[0] = x[i];
        row[1 + BO_REGRET_Y] = row[1 + BO_REGRET_F] = y[i];
        row[1 + BO_REGRET_SD] = i ? (double)i : NAN;
    }
    return r;
}

static bo__regret_plan make_plan(size_t iterations)
{
    bo_message message;
    bo__regret_plan plan = {.functions = 1, .iterations = iterations, .init = 1};
    assert_int_equal(bo__regret_read_settings(&plan, "rbf", &message), BO_OK);
    assert_int_equal(bo__regret_read_surrogates(&plan, "gp", &message), BO_OK);
    return plan;
}

static void test_shares(void **state)
{
    /* new, the incumbent, an old one, new and best, the incumbent within half a grid step */
    const double x[] = {0, 1, 1.001, 0, -1, -1.0019}, y[] = {5, 3, 3.1, 5, 2, 2.1};
    bo__regret_plan plan = make_plan(5);
    bo__regret_record *r = make_run(6, x, y, 19);
    bo__regret_habits h = bo__regret_habits_of(&plan, r);
    assert_close(h.repeats, 3.0 / 5, 1e-12);
    assert_close(h.incumbent, 2.0 / 5, 1e-12);
    assert_close(h.sd, 3, 1e-12);
    assert_close(h.sd_end, 3, 1e-12);
    assert_true(h.stuck == 1); /* 2 of 19 */
    r->range = 21;
    assert_true(bo__regret_habits_of(&plan, r).stuck == 0);
    free(r);
}

static void test_end(void **state)
{
    double x[POINTS], y[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = -2 + 0.3 * (double)i;
        y[i] = 1;
    }
    bo__regret_plan plan = make_plan(POINTS - 1);
    bo__regret_record *r = make_run(POINTS, x, y, 1);
    bo__regret_habits h = bo__regret_habits_of(&plan, r), sum = {0};
    assert_true(h.repeats == 0 && h.incumbent == 0);
    assert_close(h.sd, 6.5, 1e-12);     /* 1 … 12 */
    assert_close(h.sd_end, 7.5, 1e-12); /* 3 … 12 */
    bo__regret_habits_add(&sum, h);
    bo__regret_habits_add(&sum, (bo__regret_habits){.repeats = 1, .incumbent = 0.5, .sd = 1.5,
                                                    .sd_end = 2.5});
    bo__regret_habits_mean(&sum, 2);
    assert_close(sum.repeats, 0.5, 1e-12);
    assert_close(sum.incumbent, 0.25, 1e-12);
    assert_close(sum.sd, 4, 1e-12);
    assert_close(sum.sd_end, 5, 1e-12);
    assert_close(sum.stuck, 0.5, 1e-12);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares), cmocka_unit_test(test_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
