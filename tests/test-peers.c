/* test-peers.c - the table of other systems' figures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "peers.h"

#include <math.h>

#include "check.h"
#include "objective.h"

static void test_tasks(void **state)
{
    for (size_t i = 0; bo__peer_task_at(i); i++) {
        const bo__peer_task *task = bo__peer_task_at(i);
        const bo__objective_type *type = bo__objective_find(task->function);
        assert_non_null(type);
        assert_int_equal(bo__objective_type_usual_dim(type), task->dim);
        assert_int_equal(bo__peer_task_find(task->function, task->dim), i);
    }
    assert_null(bo__peer_task_at(BO_PEER_TASKS));
    assert_int_equal(bo__peer_task_find("levy", 5), BO_PEER_TASKS);
    assert_int_equal(bo__peer_task_find("sphere", 2), BO_PEER_TASKS);
}

/* The figures to beat. */
static void test_best(void **state)
{
    const double best[BO_PEER_TASKS] = {4.7e-5, 2.3e-5, 3.7, 0.099, 2.7};
    for (size_t i = 0; i < BO_PEER_TASKS; i++)
        assert_close(bo__peer_best(i)->median[i], best[i], 0);
}

static void test_suggest(void **state)
{
    assert_close(bo__peer_suggest_ms(10), 2.5, 0);
    assert_close(bo__peer_suggest_ms(400), 3500, 0);
    assert_true(isnan(bo__peer_suggest_ms(11)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_suggest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
