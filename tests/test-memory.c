/* test-memory.c - every allocation fails once: no crash, no leak, no abort, and an honest status.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The linker puts __wrap_malloc … in the place of malloc … in all of our own objects.  Without
 * the address sanitizer, which has a malloc of its own, this program also defines malloc itself,
 * so that allocations of GSL, NLopt, OpenBLAS and the C library fail too.  With the sanitizer
 * leaks are seen at the end.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "check.h"

static atomic_long countdown; /* to the allocation that fails; 0: none does */
static atomic_long made;
static atomic_bool lasting;   /* all later ones fail too */

static bool fails(void)
{
    atomic_fetch_add(&made, 1);
    if (!atomic_load(&countdown))
        return false;
    long left = atomic_fetch_sub(&countdown, 1);
    if (left == 1 && atomic_load(&lasting))
        atomic_store(&countdown, 1);
    return left == 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define FAILS_HERE fails()
#else
#define FAILS_HERE false /* counted once, below */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
    return fails() ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}
#endif

void *__wrap_malloc(size_t size)
{
    return FAILS_HERE ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return FAILS_HERE ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return FAILS_HERE ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return FAILS_HERE ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
    return FAILS_HERE ? NULL : __real_strdup(text);
}

static void arm(long k, bool and_later)
{
    atomic_store(&lasting, and_later);
    atomic_store(&made, 0);
    atomic_store(&countdown, k);
}

static long disarm(void)
{
    atomic_store(&countdown, 0);
    return atomic_load(&made);
}

/* Fails in a corner, so that the gate has work. */
static double objective(size_t dim, const double *x, void *data)
{
    return x[0] > 0.8 ? NAN : pow(x[0] - 0.3, 2) + 0.1 * x[1] + x[2];
}

static void fill_options(bo_options *o, size_t threads, const char *acquisition)
{
    bo_options_init(o);
    o->init = 3;
    o->threads = threads;
    o->screen = 24;
    o->starts = 2;
    o->variant = "none";
    o->acquisition = bo_acquisition_find(acquisition);
}

/* All of a short run: space, optimizer, fits, suggestions. */
static bo_status run(size_t threads, const char *acquisition)
{
    const char *const labels[] = {"a", "b"};
    double x[3], y;
    bo_options options;
    bo_stop stop;
    bo_message message;
    fill_options(&options, threads, acquisition);
    bo_stop_init(&stop);
    stop.evaluations = 6;
    bo_space *space = bo_space_new();
    bo_status status = space ? BO_OK : BO_ENOMEM;
    if (!status)
        status = bo_space_add_real(space, "x", 0, 1);
    if (!status)
        status = bo_space_add_integer(space, "n", 0, 5);
    if (!status)
        status = bo_space_add_categorical(space, "c", 2, labels);
    if (!status)
        status = bo_minimize(objective, NULL, space, &stop, &options, x, &y, &message);
    bo_space_free(space);
    return status;
}

static void fail_each(size_t threads, const char *acquisition, bool and_later)
{
    assert_int_equal(run(threads, acquisition), BO_REACHED_EVALUATIONS);
    arm(0, false);
    assert_int_equal(run(threads, acquisition), BO_REACHED_EVALUATIONS);
    long all = disarm(), refused = 0;
    assert_true(all > 100);
    for (long k = 1; k <= all; k += k < 150 ? 1 : 1 + all / 100) {
        arm(k, and_later);
        bo_status status = run(threads, acquisition);
        disarm();
        if (status != BO_ENOMEM && status != BO_REACHED_EVALUATIONS)
            fail_msg("allocation %ld of %ld: %s", k, all, bo_status_text(status));
        refused += status == BO_ENOMEM;
    }
    assert_true(refused > 50);
}

static void test_one_fails(void **state)
{
    fail_each(1, "logei", false);
}

static void test_rest_fails(void **state)
{
    fail_each(1, "logei", true);
}

static void test_threads(void **state)
{
    fail_each(2, "ei", false);
}

static void test_thompson(void **state)
{
    fail_each(1, "thompson", false);
}

/* After a failure the same optimizer goes on as if nothing had happened. */
static void test_goes_on(void **state)
{
    for (long k = 1; k < 400; k += 1 + k / 20) {
        bo_options options;
        fill_options(&options, 1, "logei");
        bo_space *space = bo_space_new();
        bo_space_add_real(space, "x", 0, 1);
        bo_space_add_real(space, "y", 0, 1);
        bo_optimizer *o;
        assert_int_equal(bo_optimizer_new(&o, space, &options), BO_OK);
        double x[3 * 2], mean, sd;
        for (int i = 0; i < 5; i++) {
            assert_int_equal(bo_optimizer_ask(o, 1, x), BO_OK);
            assert_int_equal(bo_optimizer_tell(o, x, i == 1 ? NAN : x[0] + x[1]), BO_OK);
        }
        assert_int_equal(bo_optimizer_ask(o, 1, x), BO_OK); /* a pending one */
        arm(k, false);
        bo_status asked = bo_optimizer_ask(o, 2, x);
        disarm();
        assert_true(asked == BO_OK || asked == BO_ENOMEM);
        if (asked)
            assert_true(*bo_optimizer_errmsg(o));
        size_t count = bo_optimizer_count(o);
        assert_int_equal(count, asked ? 6 : 8);
        arm(k, false); /* forgets what is believed, and may fail half-way */
        bo_status predicted = bo_optimizer_predict(o, 1, x, &mean, &sd, NULL, NULL);
        disarm();
        assert_true(predicted == BO_OK || predicted == BO_ENOMEM);
        assert_int_equal(bo_optimizer_ask(o, 3, x), BO_OK);
        assert_int_equal(bo_optimizer_count(o), count + 3);
        arm(k, false);
        bo_status told = bo_optimizer_tell(o, x, 0.5);
        disarm();
        assert_int_equal(told, BO_OK); /* an asked point needs no memory */
        assert_int_equal(bo_optimizer_predict(o, 1, x, &mean, &sd, NULL, NULL), BO_OK);
        assert_true(isfinite(mean) && sd >= 0);
        assert_true(fabs(mean - 0.5) < 0.2); /* the model has what was told */
        bo_optimizer_free(o);
        bo_space_free(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_fails), cmocka_unit_test(test_rest_fails),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_thompson),
        cmocka_unit_test(test_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
