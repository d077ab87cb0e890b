/* test-regretrange.c - ranges of functions, against known maxima and against a search.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "check.h"
#include "regret.h"

static bo_message message;

static bo__objective *make(const bo__objective_type *type, size_t dim)
{
    bo__objective *objective;
    assert_int_equal(bo__objective_new(&objective, type, dim, 3, &message), BO_OK);
    return objective;
}

static double range_of(const char *name, size_t dim)
{
    bo__objective *objective = make(bo__objective_find(name), dim);
    double range;
    assert_int_equal(bo__regret_range(&range, objective, &message), BO_OK);
    bo__objective_free(objective);
    return range;
}

/* The largest values are in corners: Branin's at (-5, 0), Rosenbrock's where the gap between x²
 * and the next coordinate is widest, (10, -5), or (10, 10, -5) and so on. */
static void test_corners(void **state)
{
    assert_close(range_of("branin", 2), 308.12909601160663 - 0.39788735772973816, 1e-9);
    /* a -5 in the middle would cost the next term more than it brings to its own */
    double all = 0, last = 100 * 105.0 * 105 + 81;
    for (size_t dim = 2; dim <= 4; dim++) {
        assert_close(range_of("rosenbrock", dim), all + last, 1e-9 * last);
        all += 100 * 90.0 * 90 + 81;
    }
}

/* Beyond the dimensions whose corners are looked at the climbs come to one. */
static void test_many_dimensions(void **state)
{
    double sum = 100 * 105.0 * 105 + 81 + 18 * (100 * 90.0 * 90 + 81);
    assert_true(range_of("rosenbrock", 20) > 0.99 * sum);
}

/* No search finds a much higher value, in any function: one of many peaks may be missed, but a
 * thousandth of a unit does no harm. */
static void test_nothing_is_higher(void **state)
{
    for (size_t i = 0; bo__objective_at(i); i++) {
        const bo__objective_type *type = bo__objective_at(i);
        size_t dim = bo__objective_type_usual_dim(type);
        bo__objective *objective = make(type, dim);
        double range, x[64];
        assert_int_equal(bo__regret_range(&range, objective, &message), BO_OK);
        double most = bo__objective_least(objective) + range;
        const double *low = bo__objective_lower(objective), *high = bo__objective_upper(objective);
        bo__rng rng;
        bo__rng_init(&rng, 8, "test", i);
        for (size_t k = 0; k < 20000; k++) {
            for (size_t j = 0; j < dim; j++) {
                double share = dim == 1 ? (double)k / 19999 : bo__rng_uniform(&rng);
                x[j] = low[j] + share * (high[j] - low[j]);
            }
            double value = bo__objective_value(objective, x);
            if (!(value <= most + 1e-3 * range))
                fail_msg("%s: %.17g is above %.17g", bo__objective_type_name(type), value, most);
        }
        bo__objective_free(objective);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_many_dimensions),
        cmocka_unit_test(test_nothing_is_higher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
