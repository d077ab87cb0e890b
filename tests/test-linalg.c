/* test-linalg.c - factorisation, inverse and products against plain loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linalg.h"
#include "rng.h"

#define MOST 60

/* A = B Bᵀ + ridge·I; what stands above the diagonal is rubbish that must not be read. */
static void make(bo__rng *rng, size_t n, double ridge, double *a)
{
    double b[MOST * MOST];
    for (size_t i = 0; i < n * n; i++)
        b[i] = bo__rng_normal(rng);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = i == j ? ridge : 0;
            for (size_t k = 0; k < n; k++)
                sum += b[i * n + k] * b[j * n + k];
            a[i * n + j] = j > i ? NAN : sum;
        }
}

static void test_cholesky(void **state)
{
    static double a[MOST * MOST], l[MOST * MOST], inverse[MOST * MOST];
    bo__rng rng;
    bo__rng_init(&rng, 1, "linalg", 0);
    for (size_t n = 0; n <= MOST; n = n < 5 ? n + 1 : n + 11) {
        make(&rng, n, 1, a);
        memcpy(l, a, n * n * sizeof *a);
        assert_true(bo__cholesky(n, l));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = 0; k <= j; k++)
                    sum += l[i * n + k] * l[j * n + k];
                assert_close(sum, a[i * n + j], 1e-11);
            }
        memcpy(inverse, l, n * n * sizeof *a);
        assert_true(bo__triangle_invert(n, inverse));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = j; k <= i; k++)
                    sum += l[i * n + k] * inverse[k * n + j];
                assert_close(sum, i == j, 1e-10);
            }
    }
}

static void test_not_positive(void **state)
{
    double a[4] = {1, 0, 2, 1}, nan[4] = {NAN, 0, 0, 1}, zero[4] = {0}, l[4], jitter;
    double singular[4] = {1, 0, 0, 0};
    assert_false(bo__cholesky(2, a));
    double b[4] = {1, 0, 2, 1};
    assert_int_equal(bo__cholesky_jitter(2, b, l, &jitter), BO_ENUMERIC);
    assert_int_equal(bo__cholesky_jitter(2, nan, l, &jitter), BO_ENUMERIC);
    assert_int_equal(bo__cholesky_jitter(2, zero, l, &jitter), BO_ENUMERIC);
    assert_false(bo__triangle_invert(2, singular));
    nan[0] = INFINITY;
    assert_int_equal(bo__cholesky_jitter(2, nan, l, &jitter), BO_ENUMERIC);
    nan[0] = 1, nan[2] = NAN; /* off the diagonal */
    assert_int_equal(bo__cholesky_jitter(2, nan, l, &jitter), BO_ENUMERIC);
}

/* Singular: all ones.  The ladder finds the least rung that works, and the factor is of A plus
 * what it says it added. */
static void test_jitter(void **state)
{
    static double a[MOST * MOST], l[MOST * MOST];
    for (double scale = 1e-200; scale < 1e250; scale *= 1e50) {
        size_t n = 20;
        double jitter = -1;
        for (size_t i = 0; i < n * n; i++)
            a[i] = scale;
        assert_int_equal(bo__cholesky_jitter(n, a, l, &jitter), BO_OK);
        assert_true(jitter > 0 && jitter <= 1.01e-9 * scale);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = 0; k <= j; k++)
                    sum += l[i * n + k] * l[j * n + k];
                assert_close(sum / scale, 1 + (i == j ? jitter / scale : 0), 1e-12);
            }
    }
    bo__rng rng;
    bo__rng_init(&rng, 2, "linalg", 0);
    double jitter = -1;
    make(&rng, 10, 1, a);
    assert_int_equal(bo__cholesky_jitter(10, a, l, &jitter), BO_OK);
    assert_true(jitter == 0);
    assert_int_equal(bo__cholesky_jitter(0, a, l, &jitter), BO_OK);
}

static void test_products(void **state)
{
    enum { LD = 23 };
    double t[LD * LD], x[LD], y[LD], z[LD];
    bo__rng rng;
    bo__rng_init(&rng, 3, "linalg", 0);
    for (size_t n = 0; n <= LD; n++) {
        for (size_t i = 0; i < LD * LD; i++)
            t[i] = i % LD > i / LD ? NAN : bo__rng_normal(&rng);
        for (size_t i = 0; i < LD; i++)
            x[i] = y[i] = z[i] = bo__rng_normal(&rng);
        bo__triangle_times(n, t, LD, y);
        bo__triangle_transposed_times(n, t, LD, z);
        for (size_t i = 0; i < LD; i++) {
            double plain = 0, transposed = 0;
            for (size_t j = 0; j <= i && i < n; j++)
                plain += t[i * LD + j] * x[j];
            for (size_t j = i; j < n; j++)
                transposed += t[j * LD + i] * x[j];
            assert_close(y[i], i < n ? plain : x[i], 1e-12);
            assert_close(z[i], i < n ? transposed : x[i], 1e-12);
        }
    }
}

static void test_aligned(void **state)
{
    for (size_t count = 0; count < 200; count += 7) {
        unsigned char *p = bo__aligned(count, 3);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < 3 * count; i++)
            assert_int_equal(p[i], 0);
        free(p);
    }
    void *nothing = bo__aligned(5, 0);
    assert_non_null(nothing);
    free(nothing);
    assert_null(bo__aligned(SIZE_MAX, 1));
    assert_null(bo__aligned(SIZE_MAX / 2, 3));
    assert_null(bo__aligned(SIZE_MAX / 8 + 1, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky), cmocka_unit_test(test_not_positive),
        cmocka_unit_test(test_jitter),   cmocka_unit_test(test_products),
        cmocka_unit_test(test_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
