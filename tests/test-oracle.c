/* test-oracle.c - the exact Gaussian process of a task, against formulas for one and two points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

static void test_small(void **state)
{
    bo__prior_task t = {.kind = BO_PRIOR_RBF, .scale = 1, .length = 0.5};
    double x[2] = {0, 0.6}, y[2] = {0.7, -0.4}, at[1] = {0.25}, mean, sd, v = 4e-4;
    double k0 = bo__prior_kernel(&t, 1, &x[0], at), k1 = bo__prior_kernel(&t, 1, &x[1], at);
    double k = bo__prior_kernel(&t, 1, &x[0], &x[1]), d = 1 + v, det = d * d - k * k;
    assert_int_equal(bo__oracle_predict(&t, 1, 1, x, y, 1, at, 0, &mean, &sd, NULL), BO_OK);
    assert_close(mean, k0 * 0.7 / d, 1e-12);
    assert_close(sd * sd, 1 + v - k0 * k0 / d, 1e-12);
    assert_int_equal(bo__oracle_predict(&t, 1, 2, x, y, 1, at, 0, &mean, &sd, NULL), BO_OK);
    double a0 = (d * y[0] - k * y[1]) / det, a1 = (d * y[1] - k * y[0]) / det;
    assert_close(mean, k0 * a0 + k1 * a1, 1e-12);
    double b0 = (d * k0 - k * k1) / det, b1 = (d * k1 - k * k0) / det;
    assert_close(sd * sd, 1 + v - k0 * b0 - k1 * b1, 1e-12);
    bo__oracle_predict(&t, 1, 2, x, y, 1, x, 0.3, &mean, &sd, NULL);
    assert_close(sd, 0.3, 0); /* clipped */
}

/* Of every kernel, one target a task: (y - mean) / sd is N(0, 1), so that the mean of 600 squares
 * has a standard error of √(2/600) = 0.058. */
static double mean_square(const char *name, size_t dim)
{
    enum { TASKS = 600, MOST = 49 };
    bo__prior prior;
    assert_int_equal(bo__prior_parse(&prior, name, dim, NULL), BO_OK);
    float *room = malloc((MOST * 4 + bo__prior_scratch(&prior, MOST)) * sizeof *room);
    double sum = 0;
    for (size_t i = 0; i < TASKS; i++) {
        bo__rng rng;
        bo__rng_init(&rng, 5, "task", i);
        float *x = room, *y = room + MOST * 3;
        double points[MOST * 3], values[MOST], mean, sd;
        size_t n = 4 + i % 45;
        bo__prior_task task;
        bo__prior_draw(&prior, &rng, n - 1, n, x, y, room + MOST * 4, &task);
        for (size_t j = 0; j < n * dim; j++)
            points[j] = x[j];
        for (size_t j = 0; j < n; j++)
            values[j] = y[j];
        bo_message message = {""};
        if (bo__oracle_predict(&task, dim, n - 1, points, values, 1, points + (n - 1) * dim, 0,
                               &mean, &sd, &message))
            fail_msg("%s, %zu inputs: %s", name, dim, message.text);
        sum += pow((values[n - 1] - mean) / sd, 2) / TASKS;
    }
    free(room);
    return sum;
}

static void test_limit_of_drawn_tasks(void **state)
{
    const char *const names[] = {"rbf", "matern52", "periodic"};
    for (size_t dim = 1; dim <= 3; dim++)
        for (size_t i = 0; i < 3; i++)
            assert_close(mean_square(names[i], dim), 1, 0.2);
}

static void test_no_limit(void **state)
{
    bo__prior_task t = {.kind = BO_PRIOR_TNOISE, .scale = 1, .length = 0.5};
    double x = 0, y = 0, mean, sd;
    bo_message message;
    assert_int_equal(bo__oracle_predict(&t, 1, 1, &x, &y, 1, &x, 0, &mean, &sd, &message),
                     BO_EUNSUPPORTED);
    assert_non_null(strstr(message.text, "tnoise"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_limit_of_drawn_tasks),
        cmocka_unit_test(test_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
