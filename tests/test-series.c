/* test-series.c - tasks of a series: all its points, in any order, standardised by the context.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "series.h"

enum { N = 40 };

static void make(bo__series *s)
{
    double rows[N * 3];
    for (int i = 0; i < N; i++) {
        rows[3 * i] = 1900 + i;
        rows[3 * i + 1] = 1000 + 3 * i; /* prey */
        rows[3 * i + 2] = 7 * i;        /* predators */
    }
    assert_int_equal(bo__series_new(s, N, 3, rows, NULL), BO_OK);
}

static void test_refused(void **state)
{
    bo__series s;
    bo_message message;
    double rows[3 * N] = {0};
    assert_int_equal(bo__series_new(&s, N, 2, rows, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "3 columns"));
    assert_int_equal(bo__series_new(&s, 30, 3, rows, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "not 30"));
    bo__series_free(&s);
}

static void test_context(void **state)
{
    bo__series s;
    bo__rng rng;
    make(&s);
    bo__rng_init(&rng, 1, "test", 0);
    size_t least = N, most = 0;
    for (int i = 0; i < 2000; i++) {
        size_t context = bo__series_context(&s, &rng);
        least = context < least ? context : least;
        most = context > most ? context : most;
    }
    assert_int_equal(least, 15);
    assert_int_equal(most, N - 16);
    bo__series_free(&s);
}

static void test_moments(void **state)
{
    const float values[] = {1, 0, 2, 0, 6, 0}, same[] = {3, 3};
    double mean, sd;
    bo__series_moments(3, 2, values, &mean, &sd);
    assert_close(mean, 3, 1e-12);
    assert_close(sd, sqrt((4 + 1 + 9) / 2.0) + 1e-5, 1e-12);
    bo__series_moments(2, 1, same, &mean, &sd);
    assert_true(mean == 3 && sd == 1);
}

/* In a series of straight lines all columns are the same once they are standardised. */
static void test_task(void **state)
{
    bo__series s;
    bo__rng rng;
    make(&s);
    bo__rng_init(&rng, 1, "test", 1);
    float x[N], y[2 * N];
    uint32_t order[N];
    double sum = 0, squares = 0, low = 0, high = 0;
    enum { CONTEXT = 17 };
    bo__series_draw(&s, &rng, CONTEXT, N, x, y, order);
    for (int i = 0; i < N; i++) {
        assert_close(y[2 * i], x[i], 1e-4);
        assert_close(y[2 * i + 1], x[i], 1e-4);
        sum += i < CONTEXT ? x[i] : 0;
        squares += i < CONTEXT ? x[i] * x[i] : 0;
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
        for (int j = 0; j < i; j++)
            assert_true(x[i] != x[j]); /* no point twice */
    }
    assert_close(sum / CONTEXT, 0, 1e-5);
    assert_close(squares / (CONTEXT - 1), 1, 1e-4);
    assert_true(high - low > 2);
    bo__series_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_context),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
