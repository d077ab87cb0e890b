/* test-search.c - what the parts of the maximiser share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "search.h"

/* Two real columns, three levels, a category of four, twenty levels. */
static double few[3] = {0.2, 0.5, 0.9}, many[20];

static const bo__column columns[] = {
    {.kind = BO_COLUMN_REAL, .first = 0},
    {.kind = BO_COLUMN_STEPS, .first = 1, .count = 3, .levels = few},
    {.kind = BO_COLUMN_ONEHOT, .first = 2, .count = 4},
    {.kind = BO_COLUMN_REAL, .first = 6},
    {.kind = BO_COLUMN_STEPS, .first = 7, .count = 20, .levels = many},
};

#define WIDTH 8

/* The sum of the row; NaN where column 0 is above 0.9; fails where it is above 0.95. */
static bo_status sum_rows(void *context, size_t thread, size_t m, const double *u, double *value,
                          double *du)
{
    for (size_t i = 0; i < m; i++) {
        if (u[i * WIDTH] > 0.95)
            return BO_EIO;
        value[i] = u[i * WIDTH] > 0.9 ? NAN : 0;
        for (size_t j = 0; j < WIDTH; j++)
            value[i] += u[i * WIDTH + j];
    }
    return BO_OK;
}

static bo__maximize_problem problem(void)
{
    for (size_t i = 0; i < 20; i++)
        many[i] = (double)i / 19;
    return (bo__maximize_problem){.width = WIDTH, .blocks = 5, .columns = columns,
                                  .target = sum_rows, .threads = 2, .batch = 3};
}

static void test_columns(void **state)
{
    bo__maximize_problem p = problem();
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    assert_int_equal(s.reals, 2);
    assert_int_equal(s.movables, 3); /* the twenty levels are relaxed, the three are not */
    size_t movable[] = {0, 6, 7}, discrete[] = {1, 2, 4};
    assert_memory_equal(s.movable, movable, sizeof movable);
    assert_int_equal(s.discretes, 3);
    assert_memory_equal(s.discrete, discrete, sizeof discrete);
    bo__search_free(&s);
}

static void test_get_and_set(void **state)
{
    problem();
    double u[WIDTH] = {0};
    for (size_t b = 1; b < 5; b++)
        for (size_t i = 0; i < columns[b].count; i++) {
            bo__column_set(&columns[b], i, u);
            assert_int_equal(bo__column_get(&columns[b], u), i);
        }
    bo__column_set(&columns[2], 1, u);
    assert_true(u[2] == 0 && u[3] == 1 && u[4] == 0 && u[5] == 0);
}

/* The nearest level, against a look at all of them. */
static void test_nearest(void **state)
{
    problem();
    double u[WIDTH] = {0};
    for (int i = 0; i <= 1000; i++)
        for (size_t b = 1; b < 5; b += 3) {
            const bo__column *c = &columns[b];
            u[c->first] = i / 1000.0;
            size_t nearest = 0;
            for (size_t k = 1; k < c->count; k++)
                if (fabs(u[c->first] - c->levels[k]) < fabs(u[c->first] - c->levels[nearest]))
                    nearest = k;
            double got = c->levels[bo__column_get(c, u)];
            assert_close(fabs(u[c->first] - got), fabs(u[c->first] - c->levels[nearest]), 1e-15);
        }
    double one = 0.7;
    bo__column single = {.kind = BO_COLUMN_STEPS, .first = 0, .count = 1, .levels = &one};
    assert_int_equal(bo__column_get(&single, u), 0);
}

static void test_snap(void **state)
{
    bo__maximize_problem p = problem();
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double u[WIDTH] = {0.33, 0.5, 0, 1, 0, 0, 0.44, 0.123}, snapped[WIDTH];
    memcpy(snapped, u, sizeof u);
    bo__search_snap(&s, snapped);
    assert_true(snapped[7] == many[2]);
    assert_memory_equal(snapped, u, 7 * sizeof *u);
    bo__search_free(&s);
}

static void test_evaluate(void **state)
{
    bo__maximize_problem p = problem();
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double u[10 * WIDTH] = {0}, value[10];
    for (size_t i = 0; i < 10; i++)
        u[i * WIDTH] = 0.92; /* NaN everywhere */
    assert_int_equal(bo__search_evaluate_all(&s, 10, u, value), BO_OK);
    for (size_t i = 0; i < 10; i++)
        assert_true(value[i] == -INFINITY);
    assert_false(atomic_load(&s.number));
    for (size_t i = 0; i < 9; i++)
        u[i * WIDTH] = 0.01 * (double)i;
    assert_int_equal(bo__search_evaluate_all(&s, 10, u, value), BO_OK);
    for (size_t i = 0; i < 9; i++)
        assert_true(value[i] == u[i * WIDTH]);
    assert_true(value[9] == -INFINITY && atomic_load(&s.number) && !bo__search_failed(&s));
    u[4 * WIDTH] = 1;
    assert_int_equal(bo__search_evaluate_all(&s, 10, u, value), BO_EIO);
    assert_true(bo__search_failed(&s));
    bo__search_free(&s);
}

static bool first_is_half(void *context, const double *u)
{
    return u[0] == 0.5;
}

static void test_offer(void **state)
{
    bo__maximize_problem p = problem();
    p.taken = first_is_half;
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double best[WIDTH], u[WIDTH] = {0.5};
    bo__found found = {.u = best};
    bo__search_offer(&s, &found, u, 3);
    assert_false(found.any); /* taken */
    u[0] = 0.25;
    bo__search_offer(&s, &found, u, -INFINITY);
    assert_true(found.any && found.value == -INFINITY && best[0] == 0.25);
    u[0] = 0.1;
    bo__search_offer(&s, &found, u, 1);
    u[0] = 0.2; /* a tie stays with the first */
    bo__search_offer(&s, &found, u, 1);
    assert_true(found.value == 1 && best[0] == 0.1);
    bo__search_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),  cmocka_unit_test(test_get_and_set),
        cmocka_unit_test(test_nearest),  cmocka_unit_test(test_snap),
        cmocka_unit_test(test_evaluate), cmocka_unit_test(test_offer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
