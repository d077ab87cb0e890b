/* test-status.c - texts of status codes, and messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <string.h>

#include "config.h"
#include "message.h"

static const bo_status codes[] = {
#define CODE(name, value, text) name,
    BO_STATUS_LIST(CODE)
#undef CODE
};
static const size_t count = sizeof codes / sizeof *codes;

static void every_code_has_its_own_text(void **state)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(bo_status_text(codes[i])) > 3);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(codes[i], codes[j]);
            assert_string_not_equal(bo_status_text(codes[i]), bo_status_text(codes[j]));
        }
    }
}

static void signs_tell_errors_from_endings(void **state)
{
    assert_int_equal(BO_OK, 0);
    assert_true(BO_REACHED_EVALUATIONS > 0 && BO_EXHAUSTED > 0 && BO_STOPPED > 0);
    assert_true(BO_EINVAL < 0 && BO_ENOMEM < 0 && BO_ENOMODEL < 0);
}

static void unknown_codes_have_a_text(void **state)
{
    assert_string_equal(bo_status_text((bo_status)12345), "unknown status");
    assert_string_equal(bo_status_text((bo_status)-12345), "unknown status");
}

static void version_is_that_of_the_package(void **state)
{
    assert_string_equal(bo_version(), PACKAGE_VERSION);
}

static void fail_fills_the_message(void **state)
{
    bo_message message = {"old"};
    assert_int_equal(bo__fail(&message, BO_EINVAL, "x[%d] is %g", 3, 0.5), BO_EINVAL);
    assert_string_equal(message.text, "x[3] is 0.5");
}

static void fail_takes_no_message(void **state)
{
    assert_int_equal(bo__fail(NULL, BO_ENOMEM, "x"), BO_ENOMEM);
}

static void fail_cuts_what_is_too_long(void **state)
{
    char longer[2000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    bo_message message;
    assert_int_equal(bo__fail(&message, BO_EIO, "%s", longer), BO_EIO);
    assert_int_equal(strlen(message.text), sizeof message.text - 1);
    assert_memory_equal(message.text, longer, sizeof message.text - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_own_text),
        cmocka_unit_test(signs_tell_errors_from_endings),
        cmocka_unit_test(unknown_codes_have_a_text),
        cmocka_unit_test(version_is_that_of_the_package),
        cmocka_unit_test(fail_fills_the_message),
        cmocka_unit_test(fail_takes_no_message),
        cmocka_unit_test(fail_cuts_what_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
