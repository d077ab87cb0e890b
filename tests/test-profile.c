/* test-profile.c - time is counted where it was spent.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <string.h>
#include <time.h>

#include "profile.h"

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spend(double seconds)
{
    for (double end = cpu() + seconds; cpu() < end;)
        ;
}

static void time_goes_to_who_began_last(void **state)
{
    bo__profile p = {0};
    double begin = cpu();
    bo__profile_begin(&p, BO__OP_LINEAR, BO__FORWARD);
    spend(2e-3);
    bo__profile_begin(&p, BO__OP_NORM, BO__BACKWARD);
    spend(1e-3);
    bo__profile_begin(&p, BO__OP_OTHER, BO__FORWARD);
    double most = cpu() - begin;
    assert_true(p.seconds[BO__OP_LINEAR][BO__FORWARD] >= 2e-3);
    assert_true(p.seconds[BO__OP_NORM][BO__BACKWARD] >= 1e-3);
    assert_true(p.seconds[BO__OP_NORM][BO__FORWARD] == 0);
    assert_true(bo__profile_total(&p) >= 3e-3 && bo__profile_total(&p) <= most);
}

static void profiles_add_up(void **state)
{
    bo__profile a = {0}, b = {0};
    a.seconds[BO__OP_POOL][BO__FORWARD] = 1;
    b.seconds[BO__OP_POOL][BO__FORWARD] = 2;
    b.seconds[BO__OP_TASKS][BO__BACKWARD] = 4;
    bo__profile_add(&a, &b);
    assert_true(a.seconds[BO__OP_POOL][BO__FORWARD] == 3);
    assert_true(bo__profile_total(&a) == 7);
}

static void operators_have_texts(void **state)
{
    for (bo__op op = 0; op < BO__OP_COUNT; op++)
        assert_true(bo__op_text(op) && strlen(bo__op_text(op)) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_goes_to_who_began_last),
        cmocka_unit_test(profiles_add_up),
        cmocka_unit_test(operators_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
