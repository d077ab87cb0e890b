/* test-optimize.c - many runs in several processes: the same as one after the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "optimize.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { EVALUATIONS = 12, SEEDS = 3 };

static void fill(bo__bench_task task[2], bo_options *options)
{
    bo_options_init(options);
    options->init = 5;
    task[0] = (bo__bench_task){bo__objective_find("branin"), 2, EVALUATIONS};
    task[1] = (bo__bench_task){bo__objective_find("gp_rbf"), 1, EVALUATIONS - 2};
}

static void check_runs(const bo__bench_runs *runs, const bo__bench_task *task,
                       const bo_options *options)
{
    for (size_t seed = 0; seed < SEEDS; seed++) {
        double alone[EVALUATIONS], seconds, *regret = runs->regret + seed * task->evaluations;
        assert_int_equal(
            bo__bench_run(task, options, 7 + seed, NULL, NULL, alone, &seconds, NULL), BO_OK);
        assert_memory_equal(alone, regret, task->evaluations * sizeof *alone);
        assert_true(runs->seconds[seed] > 0 && seconds > 0);
        for (size_t i = 0; i < task->evaluations; i++) {
            assert_true(isfinite(regret[i]) && regret[i] >= 0);
            assert_true(i == 0 || regret[i] <= regret[i - 1]);
        }
        assert_true(seed == 0 || regret[0] != runs->regret[0]);
    }
}

static void test_processes(void **state)
{
    bo__bench_task task[2];
    bo_options options;
    fill(task, &options);
    for (size_t jobs = 1; jobs <= 3; jobs += 2) {
        bo__bench_runs *runs;
        assert_int_equal(
            bo__bench_optimize(&runs, 2, task, &options, 7, SEEDS, jobs, NULL, NULL, NULL),
            BO_OK);
        for (int t = 0; t < 2; t++) {
            assert_int_equal(runs[t].seeds, SEEDS);
            assert_int_equal(runs[t].evaluations, task[t].evaluations);
            check_runs(&runs[t], &task[t], &options);
        }
        bo__bench_runs_free(runs, 2);
    }
}

/* The regret is what an own loop sees. */
static void test_regret(void **state)
{
    bo__bench_task task[2];
    bo_options options;
    double regret[EVALUATIONS], seconds, x[2], best = INFINITY;
    fill(task, &options);
    assert_int_equal(bo__bench_run(task, &options, 4, NULL, NULL, regret, &seconds, NULL), BO_OK);
    bo__objective *branin;
    bo_space *space;
    bo_optimizer *optimizer;
    options.seed = 4;
    options.threads = 1;
    assert_int_equal(bo__objective_new(&branin, task->type, 2, 0, NULL), BO_OK);
    assert_int_equal(bo__bench_space(&space, branin, NULL), BO_OK);
    assert_string_equal(bo_space_parameter(space, 1)->name, "x2");
    assert_true(bo_space_parameter(space, 1)->upper == 15);
    assert_int_equal(bo_optimizer_new(&optimizer, space, &options), BO_OK);
    for (int i = 0; i < EVALUATIONS; i++) {
        assert_int_equal(bo_optimizer_ask(optimizer, 1, x), BO_OK);
        double y = bo__objective_value(branin, x);
        assert_int_equal(bo_optimizer_tell(optimizer, x, y), BO_OK);
        best = fmin(best, y);
        assert_true(regret[i] == best - bo__objective_least(branin));
    }
    bo_optimizer_free(optimizer);
    bo_space_free(space);
    bo__objective_free(branin);
}

static bool stop_at_once(void *data, size_t evaluations, size_t total)
{
    assert_int_equal(total, SEEDS * (2 * EVALUATIONS - 2));
    assert_true(evaluations <= total);
    ++*(int *)data;
    return true;
}

static void test_stopped(void **state)
{
    bo__bench_task task[2];
    bo_options options;
    bo__bench_runs *runs;
    int calls = 0;
    fill(task, &options);
    assert_int_equal(bo__bench_optimize(&runs, 2, task, &options, 1, SEEDS, 2, stop_at_once,
                                        &calls, NULL),
                     BO_STOPPED);
    assert_null(runs);
    assert_true(calls > 0);
}

static void test_errors(void **state)
{
    bo__bench_task task[2];
    bo_options options;
    bo__bench_runs *runs;
    bo_message message;
    fill(task, &options);
    assert_int_equal(
        bo__bench_optimize(&runs, 2, task, &options, 1, 0, 1, NULL, NULL, &message), BO_EINVAL);
    assert_null(runs);
    options.noise = -1;
    assert_int_equal(
        bo__bench_optimize(&runs, 2, task, &options, 5, 1, 2, NULL, NULL, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "seed 5"));
    assert_non_null(strstr(message.text, "noise"));
    bo__bench_runs_free(NULL, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_regret),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
