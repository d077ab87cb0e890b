/* test-enumerate.c - every point of a finite space or of a grid, once each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "search.h"

static double levels[3] = {0.25, 0.5, 0.75};

static const bo__column columns[] = {
    {.kind = BO_COLUMN_STEPS, .first = 0, .count = 3, .levels = levels},
    {.kind = BO_COLUMN_ONEHOT, .first = 1, .count = 2},
    {.kind = BO_COLUMN_REAL, .first = 3},
};

#define WIDTH 4

static size_t code(const double *u, size_t side)
{
    size_t level = (size_t)(u[0] * 4 + 0.5) - 1, category = u[2] == 1;
    size_t step = (size_t)(u[3] * (double)(side - 1) + 0.5);
    return (level * 2 + category) * side + step;
}

static void test_count(void **state)
{
    bo__maximize_problem p = {.width = WIDTH, .blocks = 3, .columns = columns};
    assert_int_equal(bo__enumerate_count(&p, 5), 30);
    assert_true(bo__enumerate_count(&p, 0) == SIZE_MAX); /* a real column: infinitely many */
    p.blocks = 2;
    assert_int_equal(bo__enumerate_count(&p, 0), 6);
    bo__column wide[40];
    for (size_t i = 0; i < 40; i++)
        wide[i] = columns[0];
    p.columns = wide;
    p.blocks = 40;
    assert_true(bo__enumerate_count(&p, 0) > (size_t)1 << 63); /* 3⁴⁰ just fits */
    p.blocks = 39;
    wide[0] = (bo__column){.kind = BO_COLUMN_REAL};
    assert_true(bo__enumerate_count(&p, (size_t)1 << 40) == SIZE_MAX);
}

static void test_points(void **state)
{
    bo__maximize_problem p = {.width = WIDTH, .blocks = 3, .columns = columns};
    bool seen[30] = {false};
    for (size_t i = 0; i < 30; i++) {
        double u[WIDTH];
        bo__enumerate_point(&p, 5, i, u);
        assert_true(u[1] + u[2] == 1 && u[3] >= 0 && u[3] <= 1);
        assert_false(seen[code(u, 5)]);
        seen[code(u, 5)] = true;
    }
}

static bo_status by_code(void *context, size_t thread, size_t m, const double *u, double *value,
                         double *du)
{
    for (size_t i = 0; i < m; i++)
        value[i] = (double)(code(u + i * WIDTH, 7) * 11 % 42); /* a permutation of 0 … 41 */
    return BO_OK;
}

static double limit;

static bool is_taken(void *context, const double *u)
{
    double value;
    by_code(NULL, 0, 1, u, &value, NULL);
    return value > limit;
}

/* The best that is not taken, whatever batches and threads. */
static void test_all(void **state)
{
    for (size_t batch = 1; batch < 50; batch += 8)
        for (size_t threads = 1; threads < 4; threads++)
            for (limit = -1; limit < 42; limit += 7) {
                bo__maximize_problem p = {.width = WIDTH, .blocks = 3, .columns = columns,
                                          .target = by_code, .taken = is_taken,
                                          .threads = threads, .batch = batch};
                bo__search s;
                assert_int_equal(bo__search_init(&s, &p), BO_OK);
                double u[WIDTH];
                bo__found found = {.u = u};
                assert_int_equal(bo__enumerate_all(&s, 7, 42, &found), BO_OK);
                assert_true(found.any == (limit >= 0));
                assert_true(limit < 0 || found.value == fmin(limit, 41));
                bo__search_free(&s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
