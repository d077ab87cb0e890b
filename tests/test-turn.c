/* test-turn.c - transposed copies against their definition.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <stdlib.h>

#include "turn.h"

/* All sizes around a square of sixteen; `spare` numbers behind the rows of either side. */
static void try(size_t rows, size_t cols, size_t spare)
{
    size_t stride = cols + spare, wide = rows + spare, end = (rows + 15) / 16 * 16;
    float *x = malloc(rows * stride * sizeof *x), *out = malloc(cols * wide * sizeof *out);
    assert_non_null(x);
    assert_non_null(out);
    for (size_t i = 0; i < rows * stride; i++)
        x[i] = (float)i + 1;
    for (size_t i = 0; i < cols * wide; i++)
        out[i] = -1;
    bo__turn(rows, cols, x, stride, out, wide);
    for (size_t c = 0; c < cols; c++)
        for (size_t j = 0; j < wide; j++) {
            float want = j < rows ? x[j * stride + c] : j < end ? 0 : -1;
            assert_true(out[c * wide + j] == want);
        }
    free(x);
    free(out);
}

static void squares_and_edges(void **state)
{
    for (size_t rows = 1; rows < 40; rows += 1 + rows / 7)
        for (size_t cols = 1; cols < 40; cols += 1 + cols / 7)
            for (size_t spare = 0; spare < 40; spare += 13)
                try(rows, cols, spare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_and_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
