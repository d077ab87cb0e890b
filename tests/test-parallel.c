/* test-parallel.c - every turn of a loop is run once, on threads within bounds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "crew.h"
#include "parallel.h"

enum { TURNS = 1000 };

typedef struct record {
    atomic_int runs[TURNS];
    size_t threads;
    atomic_int strays; /* thread numbers out of range */
} record;

static void note(void *context, size_t thread, size_t turn)
{
    record *r = context;
    atomic_fetch_add(&r->runs[turn], 1);
    if (thread >= r->threads)
        atomic_fetch_add(&r->strays, 1);
}

static void each_turn_runs_once(size_t threads, size_t turns)
{
    record r = {.threads = threads ? threads : 1};
    bo__parallel_for(threads, turns, note, &r);
    for (size_t i = 0; i < TURNS; i++)
        assert_int_equal(atomic_load(&r.runs[i]), i < turns);
    assert_int_equal(atomic_load(&r.strays), 0);
}

static void turns_run_once_for_any_number_of_threads(void **state)
{
    static const size_t threads[] = {0, 1, 2, 3, 8, 33}, turns[] = {0, 1, 2, 7, TURNS};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (size_t j = 0; j < sizeof turns / sizeof *turns; j++)
            each_turn_runs_once(threads[i], turns[j]);
}

/* Every thread waits until all have come: passes only when the turns really run at once. */
static void meet(void *context, size_t thread, size_t turn)
{
    pthread_barrier_wait(context);
}

static void threads_run_at_once(void **state)
{
    pthread_barrier_t barrier;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 3), 0);
    bo__parallel_for(3, 3, meet, &barrier);
    pthread_barrier_destroy(&barrier);
}

typedef struct owner {
    pthread_t caller;
    atomic_int elsewhere;
} owner;

static void note_thread(void *context, size_t thread, size_t turn)
{
    owner *o = context;
    if (thread != 0 || !pthread_equal(pthread_self(), o->caller))
        atomic_fetch_add(&o->elsewhere, 1);
}

static void one_thread_is_the_callers(void **state)
{
    owner o = {.caller = pthread_self()};
    bo__parallel_for(1, 100, note_thread, &o);
    assert_int_equal(atomic_load(&o.elsewhere), 0);
}

/* Loops within loops, as when a thread of the user's runs an optimizer. */
static void nest(void *context, size_t thread, size_t turn)
{
    record *r = context;
    bo__parallel_for(2, TURNS, note, r);
}

static void loops_nest(void **state)
{
    record r = {.threads = 2};
    bo__parallel_for(4, 5, nest, &r);
    for (size_t i = 0; i < TURNS; i++)
        assert_int_equal(atomic_load(&r.runs[i]), 5);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Many loops by the same threads, one upon the other, and after they have fallen asleep. */
static void crew_runs_each_turn_once(size_t threads)
{
    static const size_t turns[] = {0, 1, 2, 7, TURNS};
    bo__crew *crew = bo__crew_new(threads);
    assert_non_null(crew);
    record r = {.threads = threads ? threads : 1};
    int runs[TURNS] = {0};
    for (size_t loop = 0; loop < 500; loop++) {
        size_t n = turns[loop % (sizeof turns / sizeof *turns)];
        if (loop % 100 == 99)
            sleep_ms(5);
        bo__crew_for(crew, n, note, &r);
        for (size_t i = 0; i < TURNS; i++) {
            runs[i] += i < n;
            assert_int_equal(atomic_load(&r.runs[i]), runs[i]);
        }
    }
    assert_int_equal(atomic_load(&r.strays), 0);
    bo__crew_free(crew);
}

static void a_crew_runs_each_turn_once(void **state)
{
    static const size_t threads[] = {0, 1, 2, 3, 8, 33};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        crew_runs_each_turn_once(threads[i]);
}

static void a_crew_runs_at_once(void **state)
{
    pthread_barrier_t barrier;
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 3), 0);
    bo__crew *crew = bo__crew_new(3);
    assert_non_null(crew);
    for (int loop = 0; loop < 20; loop++) {
        bo__crew_for(crew, 3, meet, &barrier);
        sleep_ms(loop % 2);
    }
    bo__crew_free(crew);
    pthread_barrier_destroy(&barrier);
}

static void a_crew_of_one_is_the_caller(void **state)
{
    owner o = {.caller = pthread_self()};
    bo__crew *crew = bo__crew_new(1);
    assert_non_null(crew);
    bo__crew_for(crew, 100, note_thread, &o);
    bo__crew_free(crew);
    assert_int_equal(atomic_load(&o.elsewhere), 0);
    bo__crew_free(NULL);
}

static void cores_follow_the_affinity(void **state)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all))
        skip();
    assert_int_equal(bo__parallel_cores(), CPU_COUNT(&all));
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(bo__parallel_cores(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void no_more_threads_than_have_work(void **state)
{
    size_t cores = bo__parallel_cores();
    assert_int_equal(bo__parallel_threads(0, SIZE_MAX), cores);
    assert_int_equal(bo__parallel_threads(3, 100), 3);
    assert_int_equal(bo__parallel_threads(100000, 4), 4);
    assert_int_equal(bo__parallel_threads(0, 1), 1);
    assert_int_equal(bo__parallel_threads(5, 0), 1);
    assert_true(bo__parallel_threads(100000, 100000) <= (cores > 256 ? cores : 256));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_run_once_for_any_number_of_threads),
        cmocka_unit_test(threads_run_at_once),
        cmocka_unit_test(one_thread_is_the_callers),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(a_crew_runs_each_turn_once),
        cmocka_unit_test(a_crew_runs_at_once),
        cmocka_unit_test(a_crew_of_one_is_the_caller),
        cmocka_unit_test(cores_follow_the_affinity),
        cmocka_unit_test(no_more_threads_than_have_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
