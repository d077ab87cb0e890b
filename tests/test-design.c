/* test-design.c - initial points: even, repeatable, in any order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "design.h"
#include "space.h"

static bo_space *box(size_t dim)
{
    bo_space *s = bo_space_new();
    for (size_t j = 0; j < dim; j++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", j);
        assert_int_equal(bo_space_add_real(s, name, 0, 1), BO_OK);
    }
    return s;
}

static void test_size(void **state)
{
    assert_int_equal(bo__design_size(1), 4);
    assert_int_equal(bo__design_size(6), 14);
    assert_int_equal(bo__design_size(100), 20);
}

/* Warnock's formula for the squared L2 star discrepancy of n points in dim dimensions. */
static double discrepancy(size_t n, size_t dim, const double *x)
{
    double sum = pow(1.0 / 3, (double)dim);
    for (size_t i = 0; i < n; i++) {
        double product = 1;
        for (size_t k = 0; k < dim; k++)
            product *= (1 - x[i * dim + k] * x[i * dim + k]) / 2;
        sum -= 2 * product / (double)n;
        for (size_t j = 0; j < n; j++) {
            product = 1;
            for (size_t k = 0; k < dim; k++)
                product *= 1 - fmax(x[i * dim + k], x[j * dim + k]);
            sum += product / (double)(n * n);
        }
    }
    return sum;
}

static void test_fills_space(void **state)
{
    for (size_t dim = 1; dim <= 5; dim += 2) {
        bo_space *s = box(dim);
        size_t n = 32;
        double x[32 * 5], design = 0, d = (double)dim;
        for (uint64_t seed = 0; seed < 20; seed++) {
            for (size_t i = 0; i < n; i++)
                assert_int_equal(bo__design_point(s, seed, n, i, x + i * dim), BO_OK);
            design += discrepancy(n, dim, x) / 20;
        }
        double random = (pow(2, -d) - pow(3, -d)) / (double)n; /* what random points give */
        assert_true(design < 0.7 * random);
        bo_space_free(s);
    }
}

/* The same seed, any order, another seed: with Sobol's sequence and with hypercubes. */
static void test_repeatable(void **state)
{
    for (size_t dim = 2; dim <= 50; dim += 48) {
        bo_space *s = box(dim);
        double x[10 * 50], again[50];
        for (size_t i = 0; i < 10; i++)
            bo__design_point(s, 7, 4, i, x + i * dim);
        for (size_t i = 10; i-- > 0;) {
            bo__design_point(s, 7, 4, i, again);
            assert_memory_equal(again, x + i * dim, dim * sizeof *x);
            bo__design_point(s, 8, 4, i, again);
            for (size_t j = 0; j < dim; j++)
                assert_true(again[j] != x[i * dim + j]);
        }
        bo_space_free(s);
    }
}

/* Above 40 dimensions every `count` points have one in each of count slices, in every
 * dimension, and dimensions are not alike. */
static void test_many_dimensions(void **state)
{
    enum { DIM = 60, N = 8 };
    bo_space *s = box(DIM);
    double x[2 * N][DIM];
    for (size_t i = 0; i < 2 * N; i++)
        assert_int_equal(bo__design_point(s, 3, N, i, x[i]), BO_OK);
    size_t alike = 0;
    for (size_t j = 0; j < DIM; j++)
        for (size_t half = 0; half < 2; half++) {
            unsigned seen = 0;
            for (size_t i = half * N; i < (half + 1) * N; i++) {
                assert_true(x[i][j] >= 0 && x[i][j] < 1);
                seen |= 1u << (size_t)(x[i][j] * N);
            }
            assert_int_equal(seen, (1u << N) - 1);
            alike += (size_t)(x[half * N][j] * N) == (size_t)(x[half * N][0] * N);
        }
    assert_true(alike < DIM);
    assert_int_equal(bo__design_point(s, 3, 0, 5, x[0]), BO_OK); /* no count: still a point */
    assert_int_equal(bo__space_check(s, x[0], NULL), BO_OK);
    bo_space_free(s);
}

/* The border between the two, and discrete parameters of each kind. */
static void test_border(void **state)
{
    for (size_t dim = 39; dim <= 42; dim++) {
        bo_space *s = box(dim);
        double x[42];
        for (size_t i = 0; i < 100; i++) {
            assert_int_equal(bo__design_point(s, 3, 20, i, x), BO_OK);
            assert_int_equal(bo__space_check(s, x, NULL), BO_OK);
        }
        bo_space_free(s);
    }
}

static void test_integers_equally_often(void **state)
{
    const char *const labels[] = {"a", "b", "c", "d", "e"};
    bo_space *s = bo_space_new();
    bo_space_add_integer(s, "i", 0, 3);
    bo_space_add_categorical(s, "c", 5, labels);
    bo_space_add_boolean(s, "b");
    bo_space_add_log_integer(s, "l", 1, 100);
    enum { N = 1000 };
    double counts[3][5] = {{0}}, low = 0, x[4];
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(bo__design_point(s, 1, N, i, x), BO_OK);
        assert_int_equal(bo__space_check(s, x, NULL), BO_OK);
        for (size_t j = 0; j < 3; j++)
            counts[j][(size_t)x[j]] += 1.0 / N;
        low += (x[3] <= 10) / (double)N;
    }
    for (size_t k = 0; k < 5; k++) {
        assert_close(counts[0][k], k < 4 ? 0.25 : 0, 0.01);
        assert_close(counts[1][k], 0.2, 0.01);
        assert_close(counts[2][k], k < 2 ? 0.5 : 0, 0.01);
    }
    assert_close(low, log(10.5) / log(100), 0.01); /* evenly on the log scale */
    bo_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size),            cmocka_unit_test(test_fills_space),
        cmocka_unit_test(test_repeatable),      cmocka_unit_test(test_many_dimensions),
        cmocka_unit_test(test_border),          cmocka_unit_test(test_integers_equally_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
