/* test-climb.c - L-BFGS from one start.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "search.h"

#define WIDTH 3

typedef struct hill {
    double scale, shift; /* value = shift + scale·(-|u - top|² - (u₀ - top₀)⁴) */
    double top[WIDTH];
    size_t calls;
    double hole; /* no number where u₀ is above it */
} hill;

static bo_status climbed(void *context, size_t thread, size_t m, const double *u, double *value,
                         double *du)
{
    hill *h = context;
    h->calls++;
    double sum = 0, first = u[0] - h->top[0];
    for (size_t j = 0; j < WIDTH; j++) {
        double off = u[j] - h->top[j];
        sum -= off * off;
        if (du)
            du[j] = -2 * off * h->scale;
    }
    if (du)
        du[0] -= 4 * first * first * first * h->scale;
    *value = u[0] > h->hole ? NAN : h->shift + h->scale * (sum - first * first * first * first);
    return BO_OK;
}

static const bo__column columns[] = {{.kind = BO_COLUMN_REAL, .first = 0},
                                     {.kind = BO_COLUMN_REAL, .first = 1},
                                     {.kind = BO_COLUMN_REAL, .first = 2}};

/* Climbs in the first `free` columns from u; returns the height. */
static double climb_from(hill *h, size_t free_columns, size_t maxeval, double *u)
{
    bo__maximize_problem p = {.width = WIDTH, .blocks = 3, .columns = columns, .target = climbed,
                              .context = h, .threads = 1, .batch = 1};
    bo__search s;
    double value, before;
    assert_int_equal(bo__search_init(&s, &p), BO_OK);
    assert_true(bo__search_evaluate(&s, 0, 1, u, &value, NULL));
    before = value;
    h->calls = 0;
    bo__climb(&s, 0, free_columns, maxeval, u, &value);
    assert_true(value >= before);
    for (size_t j = 0; j < WIDTH; j++)
        assert_true(u[j] >= 0 && u[j] <= 1);
    bo__search_free(&s);
    return value;
}

/* The top, inside or on the bounds, at scales from an EI in its tail to a log far out. */
static void test_scales(void **state)
{
    double scales[] = {1e-200, 1e-12, 1, 1e6, 1e12}, shifts[] = {0, 1, -500};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            hill h = {.scale = scales[i], .shift = shifts[k] * scales[i], .hole = 2,
                      .top = {0.3, 0.9, 0.5}};
            double u[WIDTH] = {0.9, 0.1, 0.2};
            climb_from(&h, WIDTH, 100, u);
            assert_true(h.calls <= 100);
            for (size_t j = 0; j < WIDTH; j++)
                assert_close(u[j], h.top[j], 1e-3);
        }
}

static void test_bounds(void **state)
{
    hill h = {.scale = 1, .hole = 2, .top = {1.5, -0.5, 0.5}};
    for (int corner = 0; corner < 8; corner++) {
        double u[WIDTH] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
        climb_from(&h, WIDTH, 100, u);
        assert_true(u[0] == 1 && u[1] == 0);
        assert_close(u[2], 0.5, 1e-3);
    }
}

/* Columns that are not free stay to the bit, and so do all after no evaluation. */
static void test_fixed(void **state)
{
    hill h = {.scale = 1, .hole = 2, .top = {0.3, 0.9, 0.5}};
    double u[WIDTH] = {0.8, 0.123, 0};
    climb_from(&h, 1, 100, u);
    assert_close(u[0], 0.3, 1e-3);
    assert_true(u[1] == 0.123 && u[2] == 0);
    double v[WIDTH] = {0.8, 0.123, 0};
    climb_from(&h, 0, 100, v);
    climb_from(&h, WIDTH, 0, v);
    assert_true(v[0] == 0.8 && v[1] == 0.123 && v[2] == 0);
    assert_int_equal(h.calls, 0);
}

static void test_maxeval(void **state)
{
    for (size_t i = 0; i < 200; i++) {
        size_t maxeval = 1 + i % 10;
        hill h = {.scale = 1 + (double)(i % 7), .hole = 2, .top = {0.3, 0.9, -0.5}};
        double u[WIDTH] = {0.9 - 0.004 * (double)i, 0.1, 0.2};
        climb_from(&h, WIDTH, maxeval, u);
        assert_true(h.calls <= maxeval);
    }
}

/* The top lies where there is no number: the climb ends at a number, higher than it began. */
static void test_hole(void **state)
{
    hill h = {.scale = 1, .hole = 0.6, .top = {0.9, 0.5, 0.5}};
    double u[WIDTH] = {0.1, 0.1, 0.2};
    double value = climb_from(&h, WIDTH, 100, u);
    assert_true(isfinite(value) && u[0] <= 0.6 && value > -0.5);
}

/* A roof: no slope vanishes at its top, and the climb still knows when it is there. */
static bo_status roof(void *context, size_t thread, size_t m, const double *u, double *value,
                      double *du)
{
    size_t *calls = context;
    ++*calls;
    *value = u[0] < 0.637 ? 3 * u[0] : 3 * 0.637 - 7 * (u[0] - 0.637);
    if (du)
        *du = u[0] < 0.637 ? 3 : -7;
    return BO_OK;
}

static void test_kink(void **state)
{
    for (size_t i = 1; i < 20; i++) {
        size_t calls = 0;
        bo__maximize_problem p = {.width = 1, .blocks = 1, .columns = columns, .target = roof,
                                  .context = &calls, .threads = 1, .batch = 1, .screen = 128};
        bo__search s;
        double u = (double)i / 20, value = -INFINITY;
        assert_int_equal(bo__search_init(&s, &p), BO_OK);
        bool arrived = bo__climb(&s, 0, 1, 200, &u, &value);
        bo__search_free(&s);
        assert_true(!arrived || fabs(u - 0.637) < 2e-5);
        assert_close(u, 0.637, 2e-3);
        assert_true(calls < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scales),  cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_fixed),   cmocka_unit_test(test_maxeval),
        cmocka_unit_test(test_hole),    cmocka_unit_test(test_kink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
