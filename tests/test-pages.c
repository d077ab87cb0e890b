/* test-pages.c - memory in large pages: aligned, all of it usable, and refused when too much.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, (1 << 19) - 1, 1 << 19, (1 << 21) - 1,
                               (1 << 21) + 1, 5000001};
enum { COUNT = sizeof sizes / sizeof *sizes };

static void all_of_it_is_ours(void **state)
{
    unsigned char *p[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        p[i] = bo__pages_new(sizes[i]);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 64, 0);
        memset(p[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(p[i][j], i + 1);
        free(p[i]);
    }
}

static void zeros_are_zero(void **state)
{
    for (int round = 0; round < 2; round++) /* memory that was used before, too */
        for (size_t i = 0; i < COUNT; i++) {
            size_t count = sizes[i] / 4, whole = (count + 15) / 16 * 16;
            float *x = bo__pages_zeros(count);
            assert_non_null(x);
            for (size_t j = 0; j < whole; j++)
                assert_true(x[j] == 0);
            memset(x, 0xff, whole * sizeof *x);
            free(x);
        }
}

static void too_much_is_refused(void **state)
{
    assert_null(bo__pages_new(SIZE_MAX));
    assert_null(bo__pages_new(SIZE_MAX / 2 - 1));
    assert_null(bo__pages_zeros(SIZE_MAX));
    assert_null(bo__pages_zeros(SIZE_MAX / 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_is_ours),
        cmocka_unit_test(zeros_are_zero),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
