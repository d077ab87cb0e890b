/* test-matmul.c - every kernel of matrix products against sums in float64.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Errors are measured against Σ |a||b|, the size that rounding errors are bounded by.
 */
#include "check.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matmul.h"
#include "rng.h"

/* What matmul.h promises; the rounding of a sum of k float32 products comes on top. */
static double bound(bo__precision precision, size_t k)
{
    double sum = 6e-8 * (double)(k + 2);
    return sum + (precision == BO__PRECISION_BF16X3 || precision == BO__PRECISION_AUTO ? 6e-5
                  : precision == BO__PRECISION_BF16                                    ? 1e-2
                                                                                       : 0);
}

static const bo__precision all[] = {BO__PRECISION_AUTO, BO__PRECISION_FLOAT32,
                                    BO__PRECISION_BF16X3, BO__PRECISION_BF16};
enum { KINDS = sizeof all / sizeof *all };

typedef struct fixture {
    bo__product p;
    float *a, *b, *c, *start, *bias;
    size_t a_size, b_size, c_size;
} fixture;

static float *numbers(size_t size, bo__rng *rng)
{
    float *x = malloc((size + 1) * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < size; i++)
        x[i] = (float)(bo__rng_normal(rng) * exp(2 * bo__rng_normal(rng))); /* few dominate */
    return x;
}

/* A product of random numbers; rows are `gap` numbers longer than need be. */
static fixture make(size_t m, size_t n, size_t k, bool ta, bool tb, size_t gap, uint64_t seed)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "matmul", m * 1000003 + n * 1009 + k);
    size_t wide_a = (ta ? m : k) + gap, wide_b = (tb ? k : n) + gap, wide_c = n + gap;
    fixture f = {.a_size = (ta ? k : m) * wide_a, .b_size = (tb ? n : k) * wide_b,
                 .c_size = m * wide_c};
    f.a = numbers(f.a_size, &rng);
    f.b = numbers(f.b_size, &rng);
    f.c = numbers(f.c_size, &rng);
    f.start = malloc((f.c_size + 1) * sizeof *f.start);
    f.bias = numbers(n, &rng);
    assert_non_null(f.start);
    memcpy(f.start, f.c, f.c_size * sizeof *f.c);
    f.p = (bo__product){.m = m, .n = n, .k = k, .a = {f.a, wide_a, ta}, .b = {f.b, wide_b, tb},
                        .c = f.c, .c_stride = wide_c};
    return f;
}

static void release(fixture *f)
{
    free(f->a);
    free(f->b);
    free(f->c);
    free(f->start);
    free(f->bias);
}

static double at(bo__matrix x, size_t i, size_t j)
{
    return x.transposed ? x.data[j * x.stride + i] : x.data[i * x.stride + j];
}

/* The element (i, j) in float64, before ReLU, and the size its error is measured against. */
static double reference(const fixture *f, size_t i, size_t j, double *size)
{
    const bo__product *p = &f->p;
    double start = p->add ? f->start[i * p->c_stride + j] : 0;
    double sum = start + (p->bias ? p->bias[j] : 0);
    *size = fabs(start) + (p->bias ? fabs(p->bias[j]) : 0);
    for (size_t l = 0; l < p->k; l++) {
        double term = at(p->a, i, l) * at(p->b, l, j);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

typedef struct expected {
    double *value, *size; /* m × n each */
} expected;

static expected expect(const fixture *f)
{
    size_t m = f->p.m, n = f->p.n;
    expected e = {malloc(m * n * sizeof *e.value), malloc(m * n * sizeof *e.size)};
    assert_non_null(e.value);
    assert_non_null(e.size);
    for (size_t i = 0; i < m * n; i++)
        e.value[i] = reference(f, i / n, i % n, &e.size[i]);
    return e;
}

static void forget(expected *e)
{
    free(e->value);
    free(e->size);
}

static void check(const fixture *f, const expected *e)
{
    const bo__product *p = &f->p;
    for (size_t i = 0; i < p->m * p->n; i++) {
        double want = p->relu && e->value[i] < 0 ? 0 : e->value[i];
        double got = p->c[i / p->n * p->c_stride + i % p->n];
        double most = bound(p->precision, p->k) * e->size[i];
        if (!(fabs(got - want) <= most))
            fail_msg("%s %zu×%zu×%zu%s%s%s at %zu, %zu: %.9g, not %.9g (allowed %.2g)",
                     bo__precision_name(p->precision), p->m, p->n, p->k,
                     p->a.transposed ? " Aᵀ" : "", p->b.transposed ? " Bᵀ" : "",
                     p->add ? " add" : "", i / p->n, i % p->n, got, want, most);
    }
    for (size_t i = 0; i < p->m; i++) /* what lies between the rows is not ours */
        for (size_t j = p->n; j < p->c_stride; j++)
            assert_true(p->c[i * p->c_stride + j] == f->start[i * p->c_stride + j]);
}

static void try(size_t m, size_t n, size_t k, bool ta, bool tb, size_t gap, bool add, bool finish)
{
    fixture f = make(m, n, k, ta, tb, gap, 1);
    f.p.add = add;
    f.p.bias = finish ? f.bias : NULL;
    f.p.relu = finish;
    expected e = expect(&f);
    for (size_t i = 0; i < KINDS; i++) {
        memcpy(f.c, f.start, f.c_size * sizeof *f.c);
        f.p.precision = all[i];
        bo__matmul(&f.p);
        check(&f, &e);
    }
    forget(&e);
    release(&f);
}

static void odd_sizes(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 33, 47, 64, 100, 127, 128, 129};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            size_t l = (i * 5 + j * 3) % COUNT; /* every pair of sizes, and a third one */
            int form = (int)(i * 3 + j);
            try(sizes[i], sizes[j], sizes[l], form & 1, form & 2, form % 3 * 5, form & 4, form % 5);
        }
}

static void forms_of_a_layer(void **state)
{
    static const size_t rows[] = {1, 17, 50, 128};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int form = 0; form < 8; form++)
            try(rows[i], 128, 128, form & 1, form & 2, form & 4, form & 4, !(form & 4));
    try(301, 256, 128, false, true, 0, false, true);
    try(301, 128, 256, false, false, 0, true, false);
    try(128, 128, 301, true, false, 0, true, false);
}

static void long_inner_dimensions(void **state)
{
    static const size_t lengths[] = {300, 1000, 1027};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int form = 0; form < 4; form++)
            try(47, 33, lengths[i], form & 1, form & 2, form, form & 2, form & 1);
}

/* The same element, bit by bit, whatever is computed beside it. */
static void an_element_depends_on_its_row_and_column(void **state)
{
    if (!bo__matmul_has_bf16()) {
        print_message("skipped: this CPU has no AMX\n");
        skip();
    }
    for (size_t i = 2; i < KINDS; i++) {
        fixture f = make(77, 128, 200, false, true, 0, 2);
        f.p.precision = all[i];
        bo__matmul(&f.p);
        for (size_t r = 0; r < 77; r++) {
            float row[128];
            bo__product one = f.p;
            one.m = 1;
            one.a.data += r * one.a.stride;
            one.c = row;
            bo__matmul(&one);
            assert_memory_equal(row, f.c + r * f.p.c_stride, sizeof row);
        }
        release(&f);
    }
}

/* A B that was packed before gives the same, bit by bit, whole or from column `first` on. */
static void check_packed(size_t m, size_t n, size_t k, size_t first)
{
    fixture f = make(m, n + first, k, false, false, 3, 6);
    float *pairs = calloc((k + 1) / 2 * f.p.b.stride, sizeof *pairs);
    float *plain = malloc(f.c_size * sizeof *plain);
    assert_non_null(pairs);
    assert_non_null(plain);
    bo__matmul_pair(k, n + first, f.b, f.p.b.stride, pairs);
    f.p.n = n;
    f.p.b.data += first;
    f.p.precision = BO__PRECISION_BF16;
    bo__matmul(&f.p);
    memcpy(plain, f.c, f.c_size * sizeof *plain);
    memcpy(f.c, f.start, f.c_size * sizeof *f.c);
    f.p.b_pairs = pairs + first;
    bo__matmul(&f.p);
    assert_memory_equal(f.c, plain, f.c_size * sizeof *plain);
    free(plain);
    free(pairs);
    release(&f);
}

static void pairs_may_be_kept(void **state)
{
    if (!bo__matmul_wants_pairs(BO__PRECISION_BF16)) {
        print_message("skipped: products on this CPU want no pairs\n");
        skip();
    }
    static const size_t sizes[] = {1, 2, 15, 16, 33, 128, 257, 600};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++)
            check_packed(7, sizes[i], sizes[j], (i + j) % 3 * 16);
}

static void *repeat(void *argument)
{
    fixture *f = argument;
    size_t bytes = f->c_size * sizeof *f->c;
    float *first = malloc(bytes);
    for (int i = 0; first && i < 50; i++) {
        memcpy(f->c, f->start, bytes);
        bo__matmul(&f->p);
        if (!i)
            memcpy(first, f->c, bytes);
        else if (memcmp(first, f->c, bytes))
            f->p.m = 0; /* the mark of a failure */
    }
    free(first);
    return NULL;
}

static void threads_agree(void **state)
{
    enum { THREADS = 4 };
    bo__matmul_single();
    for (size_t i = 0; i < KINDS; i++) {
        fixture f[THREADS];
        pthread_t id[THREADS];
        for (size_t t = 0; t < THREADS; t++) {
            f[t] = make(150, 128, 128, t & 1, t & 2, 0, 3);
            f[t].p.precision = all[i];
            assert_int_equal(pthread_create(&id[t], NULL, repeat, &f[t]), 0);
        }
        for (size_t t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(id[t], NULL), 0);
            assert_int_equal(f[t].p.m, 150);
            expected e = expect(&f[t]);
            check(&f[t], &e);
            forget(&e);
            fixture again = make(150, 128, 128, t & 1, t & 2, 0, 3);
            again.p.precision = all[i];
            bo__matmul(&again.p);
            assert_memory_equal(again.c, f[t].c, f[t].c_size * sizeof(float));
            release(&again);
            release(&f[t]);
        }
    }
}

/* C = a · B with all of A equal to a and B's diagonal equal to b, of size 40. */
static float meet_with(bo__precision precision, float a, float b, bool relu)
{
    enum { N = 40 };
    static float left[N * N], right[N * N], out[N * N];
    for (size_t i = 0; i < N * N; i++) {
        left[i] = a;
        right[i] = i % (N + 1) ? 0 : b;
    }
    bo__matmul(&(bo__product){.m = N, .n = N, .k = N, .a = {left, N, false},
                              .b = {right, N, false}, .c = out, .c_stride = N,
                              .relu = relu, .precision = precision});
    for (size_t i = 1; i < N * N; i++)
        assert_memory_equal(&out[i], &out[0], sizeof *out);
    return out[0];
}

static float meet(bo__precision precision, float a, float b)
{
    return meet_with(precision, a, b, false);
}

static void extreme_numbers(void **state)
{
    for (size_t i = 0; i < KINDS; i++) {
        bo__precision p = all[i];
        assert_true(meet(p, 0, 1) == 0);
        assert_true(meet(p, -0.0f, 1) == 0);
        assert_true(meet(p, 1, 1) == 1);
        assert_true(meet(p, 0x1p-100f, 0x1p90f) == 0x1p-10f);
        assert_true(fabsf(meet(p, 1e-41f, 1)) <= 1e-41f);        /* subnormal: kept or 0 */
        assert_close(meet(p, 1e38f, 3) / 3e38, 1, 1e-2);
        assert_true(meet(p, 1e38f, 10) == INFINITY);
        assert_false(isfinite(meet(p, FLT_MAX, 1)) && p == BO__PRECISION_BF16X3 &&
                     meet(p, FLT_MAX, 1) < 3.3e38f);
        assert_false(isfinite(meet(p, INFINITY, 1)));
        assert_false(isfinite(meet(p, 1, -INFINITY)));
        assert_true(isnan(meet(p, NAN, 1)));
        assert_true(isnan(meet(p, 1, NAN)));
        uint32_t ones = 0xffffffff;
        float odd;
        memcpy(&odd, &ones, sizeof odd); /* a NaN with every bit set */
        assert_true(isnan(meet(p, odd, 1)));
        assert_true(isnan(meet(p, 1, odd)));
        assert_true(meet_with(p, -1, 1, true) == 0 && meet_with(p, 1, 1, true) == 1);
        assert_true(isnan(meet_with(p, NAN, 1, true)));
        assert_true(isnan(meet_with(p, 1, odd, true)));
    }
}

/* The precisions are what they are called: measured on a layer's product of like numbers. */
static void errors_are_as_stated(void **state)
{
    if (!bo__matmul_has_bf16()) {
        print_message("skipped: this CPU has no AMX\n");
        skip();
    }
    static const double least[] = {1e-8, 1e-9, 1e-8, 1e-4}, most[] = {5e-6, 5e-7, 5e-6, 5e-3};
    for (size_t i = 0; i < KINDS; i++) {
        fixture f = make(256, 128, 128, false, true, 0, 4);
        f.p.precision = all[i];
        bo__rng rng;
        bo__rng_init(&rng, 5, "matmul", 0);
        for (size_t l = 0; l < f.a_size; l++)
            f.a[l] = (float)bo__rng_normal(&rng);
        for (size_t l = 0; l < f.b_size; l++)
            f.b[l] = (float)bo__rng_normal(&rng);
        bo__matmul(&f.p);
        double worst = 0;
        for (size_t r = 0; r < 256; r++)
            for (size_t c = 0; c < 128; c++) {
                double size, want = reference(&f, r, c, &size);
                worst = fmax(worst, fabs(f.c[r * f.p.c_stride + c] - want) / size);
            }
        print_message("%s: error at most %.2g of Σ|a||b|\n", bo__precision_name(all[i]), worst);
        assert_true(worst >= least[i] && worst <= most[i]);
        release(&f);
    }
}

static void precisions_have_names(void **state)
{
    for (size_t i = 0; i < KINDS; i++)
        assert_string_equal(bo__precision_names[all[i]], bo__precision_name(all[i]));
    assert_null(bo__precision_names[BO__PRECISION_MIXED + 1]);
    assert_string_equal(bo__precision_name(BO__PRECISION_BF16X3), "bf16x3");
}

int main(void)
{
    if (!bo__matmul_has_bf16())
        print_message("this CPU has no AMX: bf16x3 and bf16 are float32 here\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_sizes),
        cmocka_unit_test(forms_of_a_layer),
        cmocka_unit_test(long_inner_dimensions),
        cmocka_unit_test(an_element_depends_on_its_row_and_column),
        cmocka_unit_test(pairs_may_be_kept),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(extreme_numbers),
        cmocka_unit_test(errors_are_as_stated),
        cmocka_unit_test(precisions_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
