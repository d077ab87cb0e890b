/* test-trials.c - the list of trials.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "trials.h"

/* Trial i is at x = (i, -i), u = (i/100, 0, 1). */
static void add(bo__trials *t, size_t i, bo_state state, double y)
{
    double v = (double)i, x[2] = {v, -v}, u[3] = {v / 100, 0, 1};
    bo_trial *trial;
    assert_int_equal(bo__trials_add(t, x, u, &trial), BO_OK);
    assert_true(trial->state == BO_PENDING && isnan(trial->y) && !trial->suggested);
    assert_true(isnan(trial->mean) && isnan(trial->sd) && isnan(trial->acquisition));
    trial->state = state;
    trial->y = y;
}

static void check_links(const bo__trials *t)
{
    for (size_t i = 0; i < t->count; i++) {
        assert_ptr_equal(t->trial[i].x, t->x + i * t->dim);
        assert_true(t->trial[i].x[1] == -t->trial[i].x[0]);
        assert_true(t->u[i * t->width] == t->trial[i].x[0] / 100);
    }
}

static void test_add_and_remove(void **state)
{
    bo__trials t;
    bo__trials_init(&t, 2, 3);
    assert_int_equal(bo__trials_best(&t, false), SIZE_MAX);
    for (size_t i = 0; i < 300; i++)
        add(&t, i, BO_DONE, (double)i);
    check_links(&t);
    const size_t gone[] = {299, 0, 100, 200};
    for (size_t i = 0; i < 4; i++) {
        bo__trials_remove(&t, gone[i] < t.count ? gone[i] : t.count - 1);
        assert_int_equal(t.count, 299 - i);
        check_links(&t);
    }
    double first[2] = {0, 0}, second[2] = {1, -1};
    assert_int_equal(bo__trials_find(&t, first, false), SIZE_MAX);
    assert_int_equal(bo__trials_find(&t, second, false), 0);
    while (t.count)
        bo__trials_remove(&t, t.count / 2);
    add(&t, 5, BO_PENDING, NAN);
    check_links(&t);
    bo__trials_clear(&t);
    assert_int_equal(t.count, 0);
    bo__trials_clear(&t);
}

static void test_find(void **state)
{
    bo__trials t;
    bo__trials_init(&t, 2, 3);
    add(&t, 3, BO_DONE, 1);
    add(&t, 4, BO_PENDING, NAN);
    add(&t, 3, BO_PENDING, NAN);
    add(&t, 3, BO_FAILED, NAN);
    double three[2] = {3, -3}, near_three[2] = {3, nextafter(-3, 0)}, zero[2] = {-0.0, 0.0};
    assert_int_equal(bo__trials_find(&t, three, false), 0);
    assert_int_equal(bo__trials_find(&t, three, true), 2);
    assert_int_equal(bo__trials_find(&t, near_three, false), SIZE_MAX);
    add(&t, 0, BO_DONE, 0); /* 0 and -0 are one point */
    assert_int_equal(bo__trials_find(&t, zero, false), 4);
    assert_int_equal(bo__trials_distinct(&t), 3);
    bo__trials_clear(&t);
}

static void test_count_and_gather(void **state)
{
    bo__trials t;
    bo__trials_init(&t, 2, 3);
    for (size_t i = 0; i < 9; i++)
        add(&t, i, (bo_state)(i % 3), i % 3 == BO_DONE ? (double)i : NAN);
    for (int s = BO_PENDING; s <= BO_FAILED; s++)
        assert_int_equal(bo__trials_count(&t, (bo_state)s), 3);
    double u[9], y[3];
    bo__trials_gather(&t, BO_DONE, u, y);
    assert_true(y[0] == 1 && y[1] == 4 && y[2] == 7);
    assert_true(u[0] == 0.01 && u[3] == 0.04 && u[6] == 0.07 && u[8] == 1);
    bo__trials_gather(&t, BO_FAILED, u, NULL);
    assert_true(u[0] == 0.02 && u[3] == 0.05 && u[6] == 0.08);
    bo__trials_clear(&t);
}

/* The first of equals; failed and pending ones never. */
static void test_best(void **state)
{
    bo__trials t;
    bo__trials_init(&t, 2, 3);
    add(&t, 0, BO_FAILED, NAN);
    add(&t, 1, BO_PENDING, NAN);
    assert_int_equal(bo__trials_best(&t, false), SIZE_MAX);
    add(&t, 2, BO_DONE, 5);
    add(&t, 3, BO_DONE, -1);
    add(&t, 4, BO_DONE, 5);
    add(&t, 5, BO_DONE, -1);
    assert_int_equal(bo__trials_best(&t, false), 3);
    assert_int_equal(bo__trials_best(&t, true), 2);
    bo__trials_clear(&t);
}

static void test_reserve(void **state)
{
    bo__trials t;
    bo__trials_init(&t, 2, 3);
    add(&t, 7, BO_DONE, 1);
    assert_int_equal(bo__trials_reserve(&t, SIZE_MAX), BO_ENOMEM);
    assert_int_equal(bo__trials_reserve(&t, SIZE_MAX / 2 - 1), BO_ENOMEM);
    assert_int_equal(bo__trials_reserve(&t, SIZE_MAX / 1000), BO_ENOMEM);
    check_links(&t);
    assert_int_equal(bo__trials_reserve(&t, 1000), BO_OK);
    const double *x = t.x;
    for (size_t i = 0; i < 1000; i++)
        add(&t, i, BO_DONE, 1);
    assert_ptr_equal(x, t.x); /* reserved means that nothing moves */
    bo__trials_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_remove), cmocka_unit_test(test_find),
        cmocka_unit_test(test_count_and_gather), cmocka_unit_test(test_best),
        cmocka_unit_test(test_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
