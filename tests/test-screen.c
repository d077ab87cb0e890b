/* test-screen.c - the points looked at first: evenly spread, valid, and well chosen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

static bo_status zero(void *context, size_t thread, size_t m, const double *u, double *value,
                      double *du)
{
    memset(value, 0, m * sizeof *value);
    return BO_OK;
}

static bo__maximize_problem problem(size_t width, size_t blocks, const bo__column *columns)
{
    return (bo__maximize_problem){.width = width, .blocks = blocks, .columns = columns,
                                  .target = zero, .threads = 1, .batch = 8};
}

#define POINTS 1024

/* Every sixteenth of every column holds its share: exactly in a Latin hypercube, nearly so in a
 * shifted Sobol sequence, whose cells the shift cuts. */
static void check_even(size_t width, size_t off)
{
    bo__column columns[64];
    for (size_t j = 0; j < width; j++)
        columns[j] = (bo__column){.kind = BO_COLUMN_REAL, .first = j};
    bo__maximize_problem p = problem(width, width, columns);
    bo__search s;
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", width);
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double *u = malloc(POINTS * width * sizeof *u);
    assert_int_equal(bo__screen_fill(&s, &rng, POINTS, u), BO_OK);
    for (size_t j = 0; j < width; j++) {
        size_t count[16] = {0};
        for (size_t i = 0; i < POINTS; i++) {
            double v = u[i * width + j];
            assert_true(v >= 0 && v < 1);
            count[(size_t)(16 * v)]++;
        }
        for (size_t k = 0; k < 16; k++)
            assert_true(count[k] + off >= POINTS / 16 && count[k] <= POINTS / 16 + off);
    }
    free(u);
    bo__search_free(&s);
}

static void test_even(void **state)
{
    check_even(1, 1);
    check_even(6, 2);
    check_even(40, 2);
    check_even(41, 0);
    check_even(60, 0);
}

/* Two streams give two screens, one stream the same. */
static void test_random(void **state)
{
    bo__column columns[2] = {{.kind = BO_COLUMN_REAL, .first = 0},
                             {.kind = BO_COLUMN_REAL, .first = 1}};
    bo__maximize_problem p = problem(2, 2, columns);
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double u[3][20];
    for (uint64_t i = 0; i < 3; i++) {
        bo__rng rng;
        bo__rng_init(&rng, i / 2, "test", 0);
        assert_int_equal(bo__screen_fill(&s, &rng, 10, u[i]), BO_OK);
    }
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    assert_memory_not_equal(u[0], u[2], sizeof u[0]);
    bo__search_free(&s);
}

static double levels[5] = {0, 0.1, 0.4, 0.8, 1};

static const bo__column mixed[] = {
    {.kind = BO_COLUMN_REAL, .first = 0},
    {.kind = BO_COLUMN_STEPS, .first = 1, .count = 5, .levels = levels},
    {.kind = BO_COLUMN_ONEHOT, .first = 2, .count = 3},
};

static void assert_valid(const double *u)
{
    bool level = false;
    for (size_t i = 0; i < 5; i++)
        level = level || u[1] == levels[i];
    assert_true(level && u[2] + u[3] + u[4] == 1);
    for (size_t j = 2; j < 5; j++)
        assert_true(u[j] == 0 || u[j] == 1);
}

/* Every level and every category as often as the others. */
static void test_discrete(void **state)
{
    bo__maximize_problem p = problem(5, 3, mixed);
    bo__search s;
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double u[600 * 5];
    size_t level[5] = {0}, category[3] = {0};
    assert_int_equal(bo__screen_fill(&s, &rng, 600, u), BO_OK);
    for (size_t i = 0; i < 600; i++) {
        assert_valid(u + 5 * i);
        level[bo__column_get(&mixed[1], u + 5 * i)]++;
        category[bo__column_get(&mixed[2], u + 5 * i)]++;
    }
    for (size_t k = 0; k < 5; k++)
        assert_in_range(level[k], 110, 130);
    for (size_t k = 0; k < 3; k++)
        assert_in_range(category[k], 190, 210);
    bo__search_free(&s);
}

/* Nudges: inside the cube also from a corner, at three scales, with valid discrete values. */
static void test_around(void **state)
{
    bo__maximize_problem p = problem(5, 3, mixed);
    bo__search s;
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    for (int corner = 0; corner < 2; corner++) {
        double anchor[5] = {corner, levels[3], 0, 1, 0}, u[3000 * 5], square[BO__NUDGES] = {0};
        size_t same = 0;
        bo__screen_around(&s, &rng, anchor, 3000, u);
        for (size_t i = 0; i < 3000; i++) {
            const double *row = u + 5 * i;
            assert_valid(row);
            assert_true(row[0] > 0 && row[0] < 1);
            square[i % BO__NUDGES] += (row[0] - corner) * (row[0] - corner) / 1000;
            same += !memcmp(row + 1, anchor + 1, 4 * sizeof *row);
        }
        assert_close(sqrt(square[0]), 1e-3, 1e-4);
        assert_close(sqrt(square[1]), 1e-2, 1e-3);
        assert_close(sqrt(square[2]), 1e-1, 1e-2);
        assert_in_range(same, 2000, 2999); /* most keep the discrete values, some do not */
    }
    bo__search_free(&s);
}

static void test_order(void **state)
{
    double value[] = {1, -INFINITY, 3, 1, 7, -2, 7};
    size_t order[7], expected[] = {4, 6, 2, 0, 3, 5, 1};
    assert_int_equal(bo__screen_order(7, value, order), BO_OK);
    assert_memory_equal(order, expected, sizeof expected);
}

/* A cluster of the best points and some apart: one of the cluster, then the others, then, if
 * still more are asked for, the rest of the cluster.  Points that are no numbers: never. */
static void test_pick(void **state)
{
    bo__column columns[1] = {{.kind = BO_COLUMN_REAL, .first = 0}};
    bo__maximize_problem p = problem(1, 1, columns);
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    double u[] = {0.500, 0.501, 0.502, 0.1, 0.9, 0.3}, value[] = {9, 10, 8, 2, 3, -INFINITY};
    size_t order[6], pick[6], three[] = {1, 4, 3};
    assert_int_equal(bo__screen_order(6, value, order), BO_OK);
    assert_int_equal(bo__screen_pick(&s, 6, u, value, order, 3, pick), 3);
    assert_memory_equal(pick, three, sizeof three);
    size_t picked = bo__screen_pick(&s, 6, u, value, order, 6, pick);
    assert_in_range(picked, 3, 5);
    for (size_t i = 0; i < picked; i++) {
        assert_int_not_equal(pick[i], 5);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(pick[i], pick[k]);
    }
    assert_int_equal(bo__screen_pick(&s, 6, u, value, order, 0, pick), 0);
    bo__search_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_discrete), cmocka_unit_test(test_around),
        cmocka_unit_test(test_order),  cmocka_unit_test(test_pick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
