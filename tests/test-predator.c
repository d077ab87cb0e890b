/* test-predator.c - simulated predators and prey: their events, their laws, and the pool.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "predator.h"

enum { MOST = BO__PREDATOR_MOST };

static void test_sizes(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    size_t least = 100, most = 0, fewest = 100, points = 0;
    for (int i = 0; i < 50000; i++) {
        size_t context, n;
        bo__predator_sizes(&rng, &context, &n);
        least = context < least ? context : least;
        most = context > most ? context : most;
        fewest = n - context < fewest ? n - context : fewest;
        points = n > points ? n : points;
    }
    assert_int_equal(least, 15);
    assert_int_equal(most, 84);
    assert_int_equal(fewest, 15);
    assert_int_equal(points, 99);
}

/* What the rates say of one series: with sum r of the rates before an event, r·dt is exponential
 * with mean 1, and the shares of the four events add up to those of their rates. */
typedef struct tally {
    double wait, count, seen[4], expected[4];
} tally;

static void add_event(tally *t, const bo__series *s, size_t i)
{
    double X = s->y[2 * i], Y = s->y[2 * i + 1];
    double rates[4] = {0.01 * X * Y, 0.5 * X, Y, 0.01 * X * Y}, sum = 0;
    double dX = s->y[2 * i + 2] - X, dY = s->y[2 * i + 3] - Y;
    assert_true(fabs(dX) + fabs(dY) == 1);
    assert_true(X > 0 && Y > 0);
    assert_true(s->x[i + 1] >= s->x[i]);
    for (int k = 0; k < 4; k++)
        sum += rates[k];
    for (int k = 0; k < 4; k++)
        t->expected[k] += rates[k] / sum;
    t->seen[dX > 0 ? 0 : dX < 0 ? 1 : dY > 0 ? 2 : 3]++;
    t->wait += sum * ((double)s->x[i + 1] - s->x[i]);
    t->count++;
}

static void test_events(void **state)
{
    enum { SERIES = 30, ROOM = BO__PREDATOR_POINTS };
    bo__series s = {.x = malloc(ROOM * sizeof(float)), .y = malloc(2 * ROOM * sizeof(float))};
    tally t = {0};
    double X = 0, Y = 0;
    for (int k = 0; k < SERIES; k++) {
        bo__rng rng;
        bo__rng_init(&rng, 1, "test", (uint64_t)k);
        bo__predator_simulate(&rng, &s);
        assert_true(s.n >= MOST && s.n <= ROOM);
        assert_true(s.n == ROOM || s.y[2 * s.n - 2] == 0 || s.y[2 * s.n - 1] == 0);
        X += s.y[0] / SERIES;
        Y += s.y[1] / SERIES;
        for (size_t i = 0; i + 1 < s.n; i++)
            add_event(&t, &s, i);
    }
    assert_close(X, 49.5, 0.8); /* rounded down; four standard errors */
    assert_close(Y, 99.5, 0.8);
    assert_close(t.wait / t.count, 1, 0.02);
    for (int k = 0; k < 4; k++)
        assert_close(t.seen[k] / t.count, t.expected[k] / t.count, 4 / sqrt(t.count));
    free(s.x);
    free(s.y);
}

static void pool_task(bo__predator_pool *pool, uint64_t task, float *x, float *y, float *scratch)
{
    bo__rng rng;
    bo__rng_init(&rng, 4, "task", task);
    bo__predator_pool_draw(pool, task, &rng, 20, MOST, x, y, scratch);
}

/* A task of the pool does not depend on those before it, and series change in time. */
static void test_pool_has_no_memory(void **state)
{
    float x[3][MOST], y[3][2 * MOST], *scratch = malloc(BO__PREDATOR_SCRATCH * sizeof *scratch);
    bo__predator_pool *a = bo__predator_pool_new(1), *b = bo__predator_pool_new(1);
    bo__predator_pool *c = bo__predator_pool_new(2);
    for (uint64_t task = 0; task < 30; task++)
        pool_task(a, task, x[0], y[0], scratch);
    for (uint64_t task = 100000; task < 100030; task++) {
        pool_task(a, task, x[0], y[0], scratch);
        pool_task(b, task, x[1], y[1], scratch);
        pool_task(c, task, x[2], y[2], scratch);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        assert_true(memcmp(y[0], y[2], sizeof y[0]));
    }
    pool_task(a, 3, x[0], y[0], scratch); /* back again */
    pool_task(b, 3, x[1], y[1], scratch);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    bo__predator_pool_free(a);
    bo__predator_pool_free(b);
    bo__predator_pool_free(c);
    bo__predator_pool_free(NULL);
    free(scratch);
}

enum { TASKS = 60, THREADS = 3 };
static float shared[THREADS][TASKS][2 * MOST];
static bo__predator_pool *pool_of_all;

static void *draw_all(void *argument)
{
    size_t me = *(size_t *)argument;
    float x[MOST], *scratch = malloc(BO__PREDATOR_SCRATCH * sizeof *scratch);
    for (size_t i = 0; i < TASKS; i++) {
        size_t task = (i * (me + 1)) % TASKS; /* 60 and 1, 2, 3: an order of its own */
        pool_task(pool_of_all, 12780 + task, x, shared[me][task], scratch);
    }
    free(scratch);
    return NULL;
}

/* Across a change of series, threads in different orders get the same tasks. */
static void test_pool_in_threads(void **state)
{
    pthread_t threads[THREADS];
    size_t me[THREADS];
    pool_of_all = bo__predator_pool_new(1);
    for (size_t i = 0; i < THREADS; i++) {
        me[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, draw_all, &me[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 1; i < THREADS; i++)
        for (size_t task = 0; task < TASKS; task += i + 1)
            assert_memory_equal(shared[i][task], shared[0][task], sizeof shared[0][0]);
    bo__predator_pool_free(pool_of_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_pool_has_no_memory),
        cmocka_unit_test(test_pool_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
