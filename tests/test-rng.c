/* test-rng.c - the random streams: reference bits, repeatability, independence, moments.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statistics of N draws are compared with their exact values within five standard errors; the
 * seeds are fixed, so that a pass stays a pass.
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "rng.h"

enum { N = 200000 };

/* The first outputs of xoshiro256++ from the state {1, 2, 3, 4}: worked out by hand from the
 * definition, result = rotl(s0 + s3, 23) + s0. */
static void bits_are_those_of_xoshiro(void **state)
{
    bo__rng rng = {.s = {1, 2, 3, 4}, .spare = NAN};
    assert_true(bo__rng_bits(&rng) == (5ull << 23) + 1);
    /* s becomes {7, 0, 262146, 6·2^45}: s0 + s3 rotated left by 23 is 7·2^23 + 6·2^4. */
    assert_true(rng.s[0] == 7 && rng.s[1] == 0 && rng.s[2] == 262146 && rng.s[3] == 6ull << 45);
    assert_true(bo__rng_bits(&rng) == (7ull << 23) + (6ull << 4) + 7);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
    bo__rng a, b;
    bo__rng_init(&a, 7, "design", 3);
    bo__rng_init(&b, 7, "design", 3);
    for (int i = 0; i < 1000; i++) {
        double v = bo__rng_normal(&a), w = bo__rng_normal(&b);
        assert_memory_equal(&v, &w, sizeof v);
        assert_true(bo__rng_bits(&a) == bo__rng_bits(&b));
    }
}

static void a_copy_continues_alike(void **state)
{
    bo__rng a;
    bo__rng_init(&a, 7, "fork", 0);
    bo__rng_normal(&a); /* leaves a spare behind, which must be copied too */
    bo__rng b = a;
    for (int i = 0; i < 100; i++)
        assert_true(bo__rng_normal(&a) == bo__rng_normal(&b));
}

/* Correlation of the uniforms of two streams: 0 ± 1/√N. */
static double correlation(bo__rng a, bo__rng b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (bo__rng_uniform(&a) - 0.5) * (bo__rng_uniform(&b) - 0.5);
    return 12 * sum / N;
}

static void streams_are_independent(void **state)
{
    bo__rng base, others[6];
    bo__rng_init(&base, 1, "fit", 0);
    bo__rng_init(&others[0], 2, "fit", 0);
    bo__rng_init(&others[1], 1, "fit", 1);
    bo__rng_init(&others[2], 1, "fiu", 0);
    bo__rng_init(&others[3], 0, "fit", 1);
    bo__rng_init(&others[4], 1, "", 0);
    bo__rng_init(&others[5], 1, "fitfit", 0);
    for (int i = 0; i < 6; i++) {
        assert_memory_not_equal(base.s, others[i].s, sizeof base.s);
        assert_close(correlation(base, others[i]), 0, 5 / sqrt(N));
    }
}

/* Streams of neighbouring seeds and indices, first number of each: uniform as well. */
static void first_numbers_of_many_streams_are_uniform(void **state)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        bo__rng rng;
        bo__rng_init(&rng, (uint64_t)(i / 400), "first", (uint64_t)(i % 400));
        double u = bo__rng_uniform(&rng);
        sum += u;
        squares += u * u;
    }
    assert_close(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    assert_close(squares / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
}

static void uniforms_stay_below_one(void **state)
{
    /* s0 + s3 = 2^64 - 1 and s0 = 0: all bits set, the largest uniform. */
    bo__rng rng = {.s = {0, 1, 2, UINT64_MAX}, .spare = NAN};
    double u = bo__rng_uniform(&rng);
    assert_true(u < 1);
    assert_close(u, 1 - 0x1p-53, 0);
}

static void uniform_moments(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 11, "uniform", 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double u = bo__rng_uniform(&rng);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
    }
    assert_close(sum / N, 0.5, 5 * sqrt(1.0 / 12 / N));
    assert_close(squares / N, 1.0 / 3, 5 * sqrt(4.0 / 45 / N));
}

/* E z = 0, E z² = 1, E z³ = 0, E z⁴ = 3, with variances 1, 2, 15, 96; P(z < -1) = 0.158655. */
static void normal_moments(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 12, "normal", 0);
    double m[4] = {0}, below = 0;
    for (int i = 0; i < N; i++) {
        double z = bo__rng_normal(&rng), p = 1;
        for (int k = 0; k < 4; k++)
            m[k] += (p *= z) / N;
        below += z < -1;
    }
    assert_close(m[0], 0, 5 * sqrt(1.0 / N));
    assert_close(m[1], 1, 5 * sqrt(2.0 / N));
    assert_close(m[2], 0, 5 * sqrt(15.0 / N));
    assert_close(m[3], 3, 5 * sqrt(96.0 / N));
    assert_close(below / N, 0.15865525393145707, 5 * sqrt(0.1335 / N));
}

/* The two normals of a pair are independent: E z1 z2 = 0 with variance 1, and of squares. */
static void normals_of_a_pair_are_independent(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 13, "pairs", 0);
    double product = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double a = bo__rng_normal(&rng), b = bo__rng_normal(&rng);
        product += a * b / N;
        squares += (a * a - 1) * (b * b - 1) / N;
    }
    assert_close(product, 0, 5 * sqrt(1.0 / N));
    assert_close(squares, 0, 5 * sqrt(4.0 / N));
}

/* Gamma(a): mean a, variance a, fourth central moment 3a² + 6a. */
static void gamma_moments(void **state)
{
    static const double shapes[] = {0.1, 0.5, 1, 1.5, 4, 50};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        double a = shapes[s], mean = 0, variance = 0;
        bo__rng rng;
        bo__rng_init(&rng, 14, "gamma", s);
        for (int i = 0; i < N; i++) {
            double g = bo__rng_gamma(&rng, a);
            assert_true(g >= 0 && isfinite(g));
            mean += g / N;
            variance += (g - a) * (g - a) / N;
        }
        assert_close(mean, a, 5 * sqrt(a / N));
        assert_close(variance, a, 5 * sqrt((2 * a * a + 6 * a) / N));
    }
}

/* Chi-square of the counts has mean n - 1 and variance 2(n - 1). */
static void below_is_unbiased(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 7, 100};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s], counts[100] = {0};
        bo__rng rng;
        bo__rng_init(&rng, 15, "below", s);
        for (int i = 0; i < N; i++) {
            size_t v = bo__rng_below(&rng, n);
            assert_true(v < n);
            counts[v]++;
        }
        double expected = (double)N / (double)n, chi = 0;
        for (size_t i = 0; i < n; i++)
            chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
        assert_true(chi <= (double)(n - 1) + 5 * sqrt(2.0 * (double)(n - 1)));
    }
}

/* For n = 3·2^62 a plain remainder would give the values below 2^62 twice as often: half of all
 * in place of a third. */
static void below_is_unbiased_for_huge_ranges(void **state)
{
    size_t n = (size_t)3 << 62, low = 0;
    bo__rng rng;
    bo__rng_init(&rng, 16, "huge", 0);
    for (int i = 0; i < N; i++)
        low += bo__rng_below(&rng, n) < (size_t)1 << 62;
    assert_close((double)low / N, 1.0 / 3, 5 * sqrt(2.0 / 9 / N));
}

static void shuffles_are_permutations_and_even(void **state)
{
    size_t counts[24] = {0};
    bo__rng rng;
    bo__rng_init(&rng, 17, "shuffle", 0);
    for (int i = 0; i < N; i++) {
        size_t items[4] = {0, 1, 2, 3}, seen = 0;
        bo__rng_shuffle(&rng, 4, items);
        for (int k = 0; k < 4; k++)
            seen |= (size_t)1 << items[k];
        assert_int_equal(seen, 15);
        /* Number of the permutation, by its Lehmer code. */
        size_t code = 0;
        for (size_t k = 0; k < 4; k++) {
            size_t smaller = 0;
            for (size_t l = k + 1; l < 4; l++)
                smaller += items[l] < items[k];
            code = code * (4 - k) + smaller;
        }
        counts[code]++;
    }
    double expected = N / 24.0, chi = 0;
    for (int i = 0; i < 24; i++)
        chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    assert_true(chi <= 23 + 5 * sqrt(46.0));
    bo__rng_shuffle(&rng, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_xoshiro),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers),
        cmocka_unit_test(a_copy_continues_alike),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(first_numbers_of_many_streams_are_uniform),
        cmocka_unit_test(uniforms_stay_below_one),
        cmocka_unit_test(uniform_moments),
        cmocka_unit_test(normal_moments),
        cmocka_unit_test(normals_of_a_pair_are_independent),
        cmocka_unit_test(gamma_moments),
        cmocka_unit_test(below_is_unbiased),
        cmocka_unit_test(below_is_unbiased_for_huge_ranges),
        cmocka_unit_test(shuffles_are_permutations_and_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
