/* test-gpminimum.c - the minimum of a drawn function against a larger search of another kind.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <nlopt.h>
#include <stdio.h>

#include "check.h"
#include "gpprior.h"

static const bo_kernel kernels[] = {BO_RBF, BO_MATERN52, BO_PERIODIC};
static const double lower[6] = {-2, -2, -2, -2, -2, -2}, upper[6] = {2, 2, 2, 2, 2, 2};

static double descent_value(unsigned dim, const double *x, double *dx, void *data)
{
    return bo__gpprior_value(data, x, dx);
}

/* The least value over random points, with a descent from every one that looks promising: less
 * than s above the best so far. */
static double search(const bo__gpprior *draw, size_t dim, size_t points, uint64_t seed)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "other search", dim);
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)dim);
    nlopt_set_lower_bounds(opt, lower);
    nlopt_set_upper_bounds(opt, upper);
    nlopt_set_min_objective(opt, descent_value, (void *)draw);
    nlopt_set_vector_storage(opt, 10);
    nlopt_set_maxeval(opt, 100);
    double best = INFINITY, margin = bo__gpprior_parameters(draw)->scale;
    for (size_t i = 0; i < points; i++) {
        double x[6], value;
        for (size_t j = 0; j < dim; j++)
            x[j] = -2 + 4 * bo__rng_uniform(&rng);
        value = bo__gpprior_value(draw, x, NULL);
        if (value < best + margin)
            nlopt_optimize(opt, x, &value);
        best = fmin(best, value);
    }
    nlopt_destroy(opt);
    return best;
}

static void check_minimum(bo_kernel kernel, size_t dim, uint64_t seed, size_t points)
{
    bo__gpprior *draw;
    double argmin[6], least;
    assert_int_equal(bo__gpprior_new(&draw, kernel, dim, seed, NULL), BO_OK);
    assert_int_equal(bo__gpprior_minimize(draw, lower, upper, argmin, &least, NULL), BO_OK);
    assert_true(bo__gpprior_value(draw, argmin, NULL) == least);
    for (size_t j = 0; j < dim; j++)
        assert_true(argmin[j] >= -2 && argmin[j] <= 2);
    double other = search(draw, dim, points, seed + 100);
    if (other < least - 1e-9)
        fail_msg("kernel %d, dimension %zu, seed %d: %.15g is below %.15g", kernel, dim,
                 (int)seed, other, least);
    bo__gpprior_free(draw);
}

static void test_one_dimension(void **state)
{
    for (size_t k = 0; k < 3; k++)
        for (uint64_t seed = 0; seed < 10; seed++)
            check_minimum(kernels[k], 1, seed, 1000);
}

static void test_more_dimensions(void **state)
{
    for (size_t k = 0; k < 3; k++)
        for (uint64_t seed = 0; seed < 4; seed++)
            check_minimum(kernels[k], seed < 3 ? 2 : 3, seed, 2000);
}

/* Nothing better close by, to first order: the slope vanishes, or points out of the box. */
static void test_slope(void **state)
{
    for (size_t k = 0; k < 3; k++)
        for (size_t dim = 1; dim <= 2; dim++) {
            bo__gpprior *draw;
            double argmin[2], least, dx[2];
            assert_int_equal(bo__gpprior_new(&draw, kernels[k], dim, 21, NULL), BO_OK);
            assert_int_equal(bo__gpprior_minimize(draw, lower, upper, argmin, &least, NULL), 0);
            bo__gpprior_value(draw, argmin, dx);
            for (size_t j = 0; j < dim; j++) {
                if (argmin[j] == -2)
                    assert_true(dx[j] >= 0);
                else if (argmin[j] == 2)
                    assert_true(dx[j] <= 0);
                else
                    assert_close(dx[j], 0, 1e-5);
            }
            bo__gpprior_free(draw);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_dimension),
        cmocka_unit_test(test_more_dimensions),
        cmocka_unit_test(test_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
