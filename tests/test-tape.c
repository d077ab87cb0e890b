/* test-tape.c - the arena, the tape's book-keeping, and what happens when memory runs out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "ops.h"

static void test_arena(void **state)
{
    bo__arena a;
    bo__arena_init(&a);
    char *first = bo__arena_take(&a, 100), *second = bo__arena_take(&a, 1);
    assert_true((uintptr_t)first % 64 == 0 && second == first + 128);
    bo__arena_mark mark = bo__arena_here(&a);
    char *large = bo__arena_take(&a, (size_t)9 << 20); /* larger than a block */
    assert_non_null(large);
    memset(large, 1, (size_t)9 << 20);
    memset(first, 2, 100);
    bo__arena_return(&a, mark);
    assert_ptr_equal(bo__arena_take(&a, 1), second + 64);
    bo__arena_reset(&a);
    assert_ptr_equal(bo__arena_take(&a, 1), first);
    assert_ptr_equal(bo__arena_take(&a, (size_t)9 << 20), large);
    assert_null(bo__arena_take(&a, SIZE_MAX));
    bo__arena_free(&a);
    bo__arena_free(&a);
}

static void test_fixed_arena(void **state)
{
    void *memory = aligned_alloc(64, 256);
    bo__arena a;
    bo__arena_init_fixed(&a, memory, 256);
    assert_non_null(bo__arena_take(&a, 128));
    assert_non_null(bo__arena_take(&a, 64));
    assert_null(bo__arena_take(&a, 1));
    bo__arena_reset(&a);
    assert_non_null(bo__arena_take(&a, 192));
    bo__arena_free(&a);
    free(memory);
}

static void test_finite(void **state)
{
    bo__arena a;
    bo__tape tape;
    bo__arena_init(&a);
    bo__tape_init(&tape, &a, NULL, NULL);
    bo__tensor *t = bo__tensor_new(&tape, 1, 2, 3, 16, false);
    memset(t->data, 0, bo__tensor_size(t) * sizeof *t->data);
    assert_true(bo__tensor_finite(t));
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        t->data[i * 47] = bad[i];
        assert_false(bo__tensor_finite(t));
        t->data[i * 47] = 1;
    }
    bo__arena_free(&a);
}

/* Two layers in arenas of every size: the tape fails cleanly, or the result is right. */
static void test_out_of_memory(void **state)
{
    float theta[16 * 16 + 16];
    for (size_t i = 0; i < sizeof theta / sizeof *theta; i++)
        theta[i] = (float)i / 100;
    bo__weight w = {.rows = 16, .cols = 16, .stride = 16};
    bo__weight b = {.offset = 256, .rows = 16, .cols = 1, .stride = 1};
    void *memory = aligned_alloc(64, 4096);
    float right = 0;
    for (size_t size = 4096; size > 0; size -= 64) {
        bo__arena a;
        bo__arena_init_fixed(&a, memory, size);
        float dtheta[16 * 16 + 16] = {0};
        bo__tape tape;
        bo__tape_init(&tape, &a, theta, dtheta);
        bo__tensor *x = bo__tensor_new(&tape, 1, 1, 2, 16, true);
        for (size_t i = 0; x && i < 32; i++)
            x->data[i] = (float)i / 32;
        bo__tensor *y = bo__linear(&tape, bo__linear(&tape, x, w, &b, true), w, NULL, false);
        bo__tensor *z = bo__merge(&tape, 1, &y, true);
        double total = bo__total(&tape, z, 1);
        bo__tape_backward(&tape);
        assert_true(tape.failed == isnan(total));
        if (size == 4096) {
            assert_false(tape.failed);
            right = dtheta[17];
            assert_true(right != 0);
        }
        assert_true(dtheta[17] == (tape.failed ? 0 : right));
    }
    free(memory);
}

static void test_no_recording(void **state)
{
    float theta[16 * 2] = {1, 2, 3}, dtheta[16 * 2] = {0};
    bo__arena a;
    bo__arena_init(&a);
    bo__tape tape;
    bo__tape_init(&tape, &a, theta, dtheta);
    tape.recording = false;
    bo__tensor *x = bo__tensor_new(&tape, 1, 1, 2, 2, true);
    memset(x->data, 0, 4 * sizeof *x->data);
    bo__tensor *y = bo__linear(&tape, x, (bo__weight){.rows = 16, .cols = 2, .stride = 2}, NULL, false);
    assert_null(y->grad);
    assert_null(tape.last);
    bo__arena_free(&a);
}

BO__FAST static void many(size_t n, const float *x, float *exps, float *logs)
{
    for (size_t i = 0; i < n; i += BO__LANES) {
        bo__v16 v = bo__load(x + i);
        bo__store(exps + i, bo__exp16(v));
        bo__store(logs + i, bo__log16(bo__exp16(v)));
    }
}

BO__FAST static void many_log1p(size_t n, float *x)
{
    for (size_t i = 0; i < n; i += BO__LANES)
        bo__store(x + i, bo__log1p16(bo__load(x + i)));
}

static void test_log1p(void **state)
{
    enum { N = 1600 };
    float x[N], y[N];
    for (size_t i = 0; i < N; i++)
        x[i] = y[i] = i ? (float)exp(-60 + 64.0 * (double)i / N) : 0;
    many_log1p(N, y);
    assert_true(y[0] == 0);
    for (size_t i = 1; i < N; i++) {
        double right = log1p((double)x[i]);
        if (!(fabs(y[i] - right) <= 5e-7 * right))
            fail_msg("log(1 + %g) = %g, not %g", (double)x[i], (double)y[i], right);
    }
}

static void test_exp_and_log(void **state)
{
    enum { N = 1600 };
    float x[N], e[N], l[N];
    for (size_t i = 0; i < N; i++)
        x[i] = -87 + 175 * (float)i / N;
    many(N, x, e, l);
    for (size_t i = 0; i < N; i++) {
        double right = exp((double)x[i]);
        assert_true(fabs(e[i] - right) <= 2e-7 * right);
        right = log((double)e[i]);
        assert_true(fabs(l[i] - right) <= 3e-7 * fmax(fabs(right), 1));
    }
    for (size_t i = 0; i < 16; i++)
        x[i] = i ? -1e30f : -88;
    many(16, x, e, l);
    for (size_t i = 0; i < 16; i++)
        assert_true(e[i] == 0);
    for (size_t i = 0; i < 16; i++)
        x[i] = i ? -INFINITY : NAN;
    many(16, x, e, l);
    for (size_t i = 0; i < 16; i++)
        assert_true(i ? e[i] == 0 : isnan(e[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_fixed_arena),
        cmocka_unit_test(test_finite),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_no_recording),
        cmocka_unit_test(test_exp_and_log),
        cmocka_unit_test(test_log1p),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
