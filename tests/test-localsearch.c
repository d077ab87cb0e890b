/* test-localsearch.c - ascent over discrete columns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "rng.h"
#include "search.h"

/* A real column, a category of three, six levels, 200 levels. */
#define WIDTH 6
static double few[6], many[200];

static const bo__column columns[] = {
    {.kind = BO_COLUMN_REAL, .first = 0},
    {.kind = BO_COLUMN_ONEHOT, .first = 1, .count = 3},
    {.kind = BO_COLUMN_STEPS, .first = 4, .count = 6, .levels = few},
    {.kind = BO_COLUMN_STEPS, .first = 5, .count = 200, .levels = many},
};

static double height(const double *u)
{
    double category = u[1] * 0.3 + u[2] * 0.9 - u[3] * u[4];
    return category + cos(9 * u[4] + 2 * u[2]) - 3 * (u[5] - 0.77) * (u[5] - 0.77) - u[0];
}

static bo_status heights(void *context, size_t thread, size_t m, const double *u, double *value,
                         double *du)
{
    size_t *most = context;
    *most = m > *most ? m : *most;
    for (size_t i = 0; i < m; i++)
        value[i] = height(u + i * WIDTH);
    return BO_OK;
}

static double taken_level = -1;

static bool is_taken(void *context, const double *u)
{
    return u[4] == taken_level;
}

static void walk_from(size_t batch, double *u, double *value, double *best, bo__found *found)
{
    size_t most = 0;
    for (size_t i = 0; i < 6; i++)
        few[i] = (double)i / 5;
    for (size_t i = 0; i < 200; i++)
        many[i] = (double)i / 199;
    bo__maximize_problem p = {.width = WIDTH, .blocks = 4, .columns = columns, .target = heights,
                              .context = &most, .taken = is_taken, .threads = 1, .batch = batch};
    bo__search s;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    *value = height(u);
    double before = *value;
    *found = (bo__found){.u = best};
    bool moved = bo__local_search(&s, 0, u, value, found);
    assert_true(moved == (*value > before) && *value == height(u) && most <= batch);
    bo__search_free(&s);
}

/* Ends where no change of one block improves, whatever the batch; the real column stays. */
static void test_top(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 100; i++) {
        double u[2][WIDTH] = {{0.25}}, value, best[WIDTH];
        bo__found found;
        walk_from(1, u[0], &value, best, &found); /* fills the levels */
        for (size_t b = 1; b < 4; b++)
            bo__column_set(&columns[b], bo__rng_below(&rng, columns[b].count), u[0]);
        memcpy(u[1], u[0], sizeof u[0]);
        walk_from(7, u[0], &value, best, &found);
        walk_from(1000, u[1], &value, best, &found);
        assert_memory_equal(u[0], u[1], sizeof u[0]);
        assert_true(u[0][0] == 0.25);
        for (size_t b = 1; b < 4; b++)
            for (size_t k = 0; k < columns[b].count; k++) {
                double other[WIDTH];
                memcpy(other, u[0], sizeof other);
                bo__column_set(&columns[b], k, other);
                assert_true(height(other) <= value);
            }
        assert_true(found.any && found.value <= value);
    }
}

/* Walks across taken points but does not keep them. */
static void test_taken(void **state)
{
    double u[WIDTH] = {0.25, 1, 0, 0, 0, 0}, value, best[WIDTH];
    bo__found found;
    walk_from(16, u, &value, best, &found);
    taken_level = u[4];
    double again[WIDTH] = {0.25, 1, 0, 0, 0, 0};
    walk_from(16, again, &value, best, &found);
    assert_memory_equal(again, u, sizeof u);
    assert_true(found.any && best[4] != taken_level && found.value < value);
    assert_true(found.value == height(best));
    taken_level = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
