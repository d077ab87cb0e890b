/* test-pool.c - the pool of processes: every item once, whatever its workers do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pool.h"

enum { ITEMS = 60, BIG = 300000 };

typedef struct job {
    size_t next, waits, polls, stop_after;
    size_t size; /* of a result, in numbers */
    int seen[ITEMS], lost[ITEMS], signal[ITEMS];
    bool wrong;
    double result[BIG];
    int bad;   /* items that are a multiple of it die; 0: none */
    bool none; /* they return nothing instead */
    bool quiet; /* they leave instead */
} job;

static bo__pool_next next(void *data, size_t *item)
{
    job *j = data;
    if (j->waits && j->next == ITEMS / 2) {
        j->waits--;
        return BO_POOL_WAIT;
    }
    *item = j->next;
    return j->next < ITEMS ? (j->next++, BO_POOL_ITEM) : BO_POOL_OVER;
}

static const void *work(void *data, size_t item, size_t *size)
{
    job *j = data;
    if (j->bad && item % (size_t)j->bad == 0) {
        if (j->none)
            return NULL;
        if (j->quiet)
            _exit(3);
        raise(SIGKILL);
    }
    for (size_t i = 0; i < j->size; i++)
        j->result[i] = (double)(item * 1000 + i);
    *size = j->size * sizeof *j->result;
    return j->result;
}

static void done(void *data, size_t item, const void *result, size_t size, int killed)
{
    job *j = data;
    const double *v = result;
    j->seen[item]++;
    j->signal[item] = killed;
    if (!result) {
        j->lost[item]++;
        return;
    }
    j->wrong |= size != j->size * sizeof *v;
    for (size_t i = 0; !j->wrong && i < j->size; i++)
        j->wrong |= v[i] != (double)(item * 1000 + i);
}

static bool look(void *data)
{
    job *j = data;
    j->polls++;
    return j->stop_after && j->polls > j->stop_after;
}

static job j;

static bo_status run(size_t jobs)
{
    bo_message message;
    bo__pool pool = {.jobs = jobs, .data = &j, .next = next, .work = work, .done = done,
                     .poll = look, .wait = 5};
    return bo__pool_run(&pool, &message);
}

static void check_all(int lost_every, int signal_number)
{
    assert_false(j.wrong);
    for (int i = 0; i < ITEMS; i++) {
        bool lost = lost_every && i % lost_every == 0;
        assert_int_equal(j.seen[i], 1);
        assert_int_equal(j.lost[i], lost);
        assert_int_equal(j.signal[i], lost ? signal_number : 0);
    }
}

static void test_every_item_once(void **state)
{
    for (size_t jobs = 1; jobs <= 4; jobs += 3) {
        memset(&j, 0, sizeof j);
        j.size = 7;
        assert_int_equal(run(jobs), BO_OK);
        check_all(0, 0);
    }
}

/* Results larger than what a socket holds at once. */
static void test_big_results(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = BIG;
    assert_int_equal(run(3), BO_OK);
    check_all(0, 0);
}

static void test_more_jobs_than_items(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = 1;
    j.next = ITEMS - 2;
    assert_int_equal(run(9), BO_OK);
    assert_int_equal(j.seen[ITEMS - 1] + j.seen[ITEMS - 2], 2);
    assert_int_equal(j.seen[0], 0);
}

static void test_a_crash_costs_one_item(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = 3;
    j.bad = 7;
    assert_int_equal(run(3), BO_OK);
    check_all(7, SIGKILL);
}

static void test_a_worker_that_leaves(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = 3;
    j.bad = 5;
    j.quiet = true;
    assert_int_equal(run(2), BO_OK);
    check_all(5, 0);
}

static void test_no_result(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = 3;
    j.bad = 4;
    j.none = true;
    assert_int_equal(run(2), BO_OK);
    check_all(4, 0);
}

static void test_waiting_for_items(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = 1;
    j.waits = 5;
    assert_int_equal(run(2), BO_OK);
    check_all(0, 0);
    assert_int_equal(j.waits, 0);
}

static void test_stop(void **state)
{
    memset(&j, 0, sizeof j);
    j.size = 1;
    j.stop_after = 3;
    assert_int_equal(run(2), BO_STOPPED);
    assert_int_equal(j.seen[ITEMS - 1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_once),     cmocka_unit_test(test_big_results),
        cmocka_unit_test(test_more_jobs_than_items), cmocka_unit_test(test_a_crash_costs_one_item),
        cmocka_unit_test(test_a_worker_that_leaves), cmocka_unit_test(test_no_result),
        cmocka_unit_test(test_waiting_for_items),    cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
