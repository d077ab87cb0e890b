/* test-timepredict.c - times are taken of every kind of surrogate, and failures are told.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "np-weights.h"
#include "timepredict.h"

static void test_times(void **state)
{
    char *folder = new_models_folder();
    bo__npspec spec = small_spec("bnp", 2, 1);
    write_model(folder, "bnp-sharp-2d", &spec, 1);
    const char *const names[] = {"gp", "bnp"};
    const size_t components[] = {1, 7};
    for (size_t i = 0; i < 2; i++) {
        bo__timepredict t;
        bo_options options;
        bo_options_init(&options);
        options.samples = 7;
        options.surrogate = bo_surrogate_find(names[i]);
        assert_int_equal(bo__timepredict_run(&options, 2, 9, 1e-4, &t, NULL), BO_OK);
        assert_int_equal(t.components, components[i]);
        assert_true(t.fit_ms > 0 && t.screen_us > 0 && t.climb_us > 0 && isfinite(t.fit_ms));
    }
    remove_folder(folder);
}

static void test_failure(void **state)
{
    bo__timepredict t;
    bo_message message;
    bo_options options;
    bo_options_init(&options);
    options.surrogate = bo_surrogate_find("cnp");
    options.model = "no-such-file";
    assert_int_equal(bo__timepredict_run(&options, 1, 9, 1e-4, &t, &message), BO_EIO);
    assert_non_null(strstr(message.text, "no-such-file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
