/* test-sobol.c - the sequence is GSL's own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_qrng.h>

#include "check.h"
#include "sobol.h"

static void test_same_as_gsl(void **state)
{
    for (size_t dim = 1; dim <= BO__SOBOL_DIMENSIONS; dim += 13) {
        gsl_qrng *theirs = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)dim);
        bo__sobol *ours = bo__sobol_new(dim);
        assert_non_null(ours);
        double a[BO__SOBOL_DIMENSIONS], b[BO__SOBOL_DIMENSIONS];
        for (int i = 0; i < 300; i++) {
            gsl_qrng_get(theirs, a);
            bo__sobol_next(ours, b);
            assert_memory_equal(a, b, dim * sizeof *a);
        }
        gsl_qrng_free(theirs);
        bo__sobol_free(ours);
    }
    bo__sobol_free(NULL);
}

static void test_largest(void **state)
{
    assert_int_equal(gsl_qrng_sobol->max_dimension, BO__SOBOL_DIMENSIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_gsl),
        cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
