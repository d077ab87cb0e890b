/* test-problem.c - what bo-run optimises: boxes, noise by trial, optima, programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "parameter.h"
#include "problem.h"

static void takes_the_box_of_an_objective(void **state)
{
    bo__problem problem;
    assert_int_equal(bo__problem_builtin(&problem, "branin", 0, 0, NAN, 1, false, NULL), BO_OK);
    assert_int_equal(bo_space_dim(problem.space), 2);
    assert_string_equal(bo_space_parameter(problem.space, 1)->name, "x2");
    assert_true(bo_space_parameter(problem.space, 0)->lower == -5);
    assert_true(bo_space_parameter(problem.space, 1)->upper == 15);
    assert_string_equal(problem.title, "branin, 2 dimensions");
    assert_true(problem.noise == 0);
    /* Dixon and Szegö, 1978: the least value is 0.397887 at (π, 2.275). */
    assert_float_equal(problem.optimum, 0.397887, 1e-6);
    assert_float_equal(bo__problem_truth(&problem, (double[]){M_PI, 2.275}), 0.397887, 1e-6);
    bo__problem_free(&problem);
}

static void knows_no_optimum_of_a_maximum(void **state)
{
    bo__problem problem;
    assert_int_equal(bo__problem_builtin(&problem, "branin", 0, 0, NAN, 1, true, NULL), BO_OK);
    assert_true(isnan(problem.optimum));
    bo__problem_free(&problem);
}

static void noise_depends_on_seed_and_trial(void **state)
{
    enum { N = 400 };
    bo__problem problem;
    bo__evaluation one[N], other[1];
    double x[N], sum = 0, square = 0;
    for (size_t i = 0; i < N; i++)
        x[i] = 0.25;
    assert_int_equal(bo__problem_builtin(&problem, "sphere", 1, 0, 0.5, 7, false, NULL), BO_OK);
    assert_int_equal(bo__problem_evaluate(&problem, 1, N, x, one, NULL), BO_OK);
    /* The same trial alone, or in a batch, sees the same noise. */
    assert_int_equal(bo__problem_evaluate(&problem, 3, 1, x, other, NULL), BO_OK);
    assert_true(one[2].y == other[0].y);
    assert_true(one[2].y != one[3].y);
    for (size_t i = 0; i < N; i++) {
        double noise = one[i].y - one[i].truth;
        sum += noise;
        square += noise * noise;
    }
    /* Five standard errors: of the mean 0.5/√400, of the variance 0.25·√(2/400). */
    assert_true(fabs(sum / N) < 5 * 0.025);
    assert_true(fabs(square / N - 0.25) < 5 * 0.018);
    bo__problem_free(&problem);
}

static void brings_the_noise_of_its_prior(void **state)
{
    bo__problem problem;
    assert_int_equal(bo__problem_builtin(&problem, "gp_rbf", 1, 3, NAN, 1, false, NULL), BO_OK);
    assert_true(problem.noise == 0.02);
    bo__problem_free(&problem);
    assert_int_equal(bo__problem_builtin(&problem, "gp_rbf", 1, 3, 0, 1, false, NULL), BO_OK);
    assert_true(problem.noise == 0);
    bo__problem_free(&problem);
}

static void runs_programs(void **state)
{
    bo__problem problem;
    bo__evaluation evaluations[2];
    bo_space *space = bo_space_new();
    const double x[] = {1, 3};
    assert_int_equal(bo__parameter_add(space, "k=int:1:3", NULL), BO_OK);
    assert_int_equal(bo__problem_external(&problem, "sh -c 'test $1 = 3 && echo 9' sh {k}", space,
                                          INFINITY, NULL),
                     BO_OK);
    assert_int_equal(bo__problem_evaluate(&problem, 1, 2, x, evaluations, NULL), BO_OK);
    assert_true(isnan(evaluations[0].y) && !evaluations[0].abandoned);
    assert_string_equal(evaluations[0].reason, "exit status 1");
    assert_true(evaluations[1].y == 9 && isnan(evaluations[1].truth));
    assert_true(isnan(problem.optimum) && isnan(bo__problem_truth(&problem, x)));
    bo__problem_free(&problem);
    bo__problem_free(&(bo__problem){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_box_of_an_objective),
        cmocka_unit_test(knows_no_optimum_of_a_maximum),
        cmocka_unit_test(noise_depends_on_seed_and_trial),
        cmocka_unit_test(brings_the_noise_of_its_prior),
        cmocka_unit_test(runs_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
