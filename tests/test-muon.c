/* test-muon.c - Muon against a plain double-precision version and the singular values it is for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "muon.h"
#include "rng.h"

enum { MOST = 64 * 96 };

static void fill(bo__rng *rng, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)bo__rng_normal(rng);
}

static void singular_values(size_t rows, size_t cols, const float *a, float *values)
{
    float copy[MOST], work[MOST];
    memcpy(copy, a, rows * cols * sizeof *a);
    assert_int_equal(LAPACKE_sgesvd(LAPACK_ROW_MAJOR, 'N', 'N', (int)rows, (int)cols, copy,
                                    (int)cols, values, NULL, 1, NULL, 1, work), 0);
}

static bo__parameter matrix(size_t rows, size_t cols)
{
    return (bo__parameter){.dims = 2, .rows = rows, .cols = cols};
}

/* Lying, standing and square, with gaps to the next multiple of 16. */
static const size_t shapes[][2] = {{32, 33}, {33, 32}, {64, 64}, {40, 96}, {96, 40}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void test_singular_values(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (size_t s = 0; s < SHAPES; s++) {
        size_t rows = shapes[s][0], cols = shapes[s][1], least = rows < cols ? rows : cols;
        bo__parameter p = matrix(rows, cols);
        float g[MOST], values[96], before[96];
        float *scratch = aligned_alloc(64, bo__muon_scratch(&p) * sizeof *scratch);
        fill(&rng, rows * cols, g);
        singular_values(rows, cols, g, before);
        bo__muon_orthogonal(rows, cols, g, scratch);
        singular_values(rows, cols, g, values);
        double norm = 0;
        for (size_t i = 0; i < least; i++)
            norm += (double)before[i] * before[i];
        for (size_t i = 0; i < least; i++)
            if (values[i] > 1.3 || (before[i] > 0.01 * sqrt(norm) && values[i] < 0.6))
                fail_msg("%zu x %zu: singular value %g became %g", rows, cols,
                         (double)before[i], (double)values[i]);
        free(scratch);
    }
}

/* C = A B, or A Bᵀ, in double precision. */
static void product(size_t m, size_t n, size_t k, const double *a, const double *b, bool turned,
                    double *c)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i * k + l] * (turned ? b[j * k + l] : b[l * n + j]);
            c[i * n + j] = sum;
        }
}

/* The iteration as it is written, on u of any shape: (X Xᵀ) X and X (Xᵀ X) are the same. */
static void plain_orthogonal(size_t rows, size_t cols, double *x)
{
    static double a[96 * 96], aa[96 * 96], more[MOST];
    double norm = 0;
    for (size_t i = 0; i < rows * cols; i++)
        norm += x[i] * x[i];
    for (size_t i = 0; i < rows * cols; i++)
        x[i] /= sqrt(norm);
    for (int turn = 0; turn < 5; turn++) {
        product(rows, rows, cols, x, x, true, a);
        product(rows, rows, rows, a, a, false, aa);
        for (size_t i = 0; i < rows * rows; i++)
            a[i] = -4.7750 * a[i] + 2.0315 * aa[i];
        product(rows, cols, rows, a, x, false, more);
        for (size_t i = 0; i < rows * cols; i++)
            x[i] = 3.4445 * x[i] + more[i];
    }
}

static void plain_step(const bo__adam_options *o, size_t rows, size_t cols, size_t step,
                       const float *g, double scale, double *m, double *theta)
{
    static double u[MOST];
    size_t n = rows * cols, longest = rows > cols ? rows : cols;
    double rate = bo__adam_rate(o, step);
    for (size_t i = 0; i < n; i++) {
        m[i] = 0.95 * m[i] + scale * g[i];
        u[i] = scale * g[i] + 0.95 * m[i];
    }
    plain_orthogonal(rows, cols, u);
    for (size_t i = 0; i < n; i++)
        theta[i] -= rate * o->weight_decay * theta[i] + rate * 0.2 * sqrt((double)longest) * u[i];
}

static void compare_steps(size_t rows, size_t cols, bo__rng *rng)
{
    enum { OFFSET = 32, ROOM = MOST + 64 };
    static float theta[ROOM], first[ROOM], second[ROOM], average[ROOM], g[ROOM];
    static double plain[MOST], m[MOST], mean[MOST];
    size_t n = rows * cols;
    bo__adam_options o = {.rate = 1e-2, .weight_decay = 0.1, .average = 0.5, .steps = 40};
    bo__adam_state state = {ROOM, theta, first, second, average};
    bo__parameter p = matrix(rows, cols);
    p.offset = OFFSET;
    float *scratch = aligned_alloc(64, bo__muon_scratch(&p) * sizeof *scratch);
    for (size_t i = 0; i < ROOM; i++)
        theta[i] = first[i] = second[i] = g[i] = 0;
    fill(rng, n, theta + OFFSET);
    memcpy(average, theta, sizeof theta);
    for (size_t i = 0; i < n; i++) {
        plain[i] = mean[i] = theta[OFFSET + i];
        m[i] = 0;
    }
    for (size_t step = 0; step < 3; step++) {
        fill(rng, n, g + OFFSET);
        bo__muon_step(&o, &state, &p, step, g, 0.5, scratch);
        plain_step(&o, rows, cols, step, g + OFFSET, 0.5, m, plain);
        for (size_t i = 0; i < n; i++)
            mean[i] += (1 - bo__adam_decay(&o, step)) * (plain[i] - mean[i]);
    }
    double off = 0, off_mean = 0, behind = 0, moved = 0;
    for (size_t i = 0; i < n; i++) {
        off += pow(theta[OFFSET + i] - plain[i], 2);
        moved += pow(1e-2 * 0.2, 2);
        off_mean += pow(average[OFFSET + i] - mean[i], 2);
        behind += pow(average[OFFSET + i] - theta[OFFSET + i], 2);
        assert_true(second[OFFSET + i] == 0);
    }
    if (sqrt(off / moved) > 0.1) /* bf16: 8 bits, five turns of three products */
        fail_msg("%zu x %zu: off by %g of a step", rows, cols, sqrt(off / moved));
    if (sqrt(off_mean / moved) > 0.1 || sqrt(behind / moved) < 0.1)
        fail_msg("%zu x %zu: the average is off by %g of a step, %g behind the weights", rows, cols,
                 sqrt(off_mean / moved), sqrt(behind / moved));
    for (size_t i = 0; i < ROOM; i++)
        if (i < OFFSET || i >= OFFSET + n)
            assert_true(theta[i] == 0 && first[i] == 0);
    free(scratch);
}

static void test_steps(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 2, "test", 0);
    for (size_t s = 0; s < SHAPES; s++)
        compare_steps(shapes[s][0], shapes[s][1], &rng);
}

static void test_zero_gradient(void **state)
{
    bo__parameter p = matrix(32, 48);
    float g[32 * 48] = {0};
    float *scratch = aligned_alloc(64, bo__muon_scratch(&p) * sizeof *scratch);
    bo__muon_orthogonal(32, 48, g, scratch);
    for (size_t i = 0; i < 32 * 48; i++)
        assert_true(g[i] == 0);
    free(scratch);
}

static void test_which(void **state)
{
    bo__parameter square = matrix(128, 128), first = matrix(128, 2), last = matrix(2, 128);
    bo__parameter vector = {.dims = 1, .rows = 128, .cols = 1};
    assert_true(bo__muon_suits(&square));
    assert_false(bo__muon_suits(&first) || bo__muon_suits(&last) || bo__muon_suits(&vector));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singular_values),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_zero_gradient),
        cmocka_unit_test(test_which),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
