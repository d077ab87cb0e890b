/* test-parameter.c - parameters from text, and their values as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "parameter.h"

static void reads_every_kind(void **state)
{
    static const struct {
        const char *text;
        bo_kind kind;
        bool log;
        double lower, upper;
    } cases[] = {
        {"a=real:-1.5:2", BO_REAL, false, -1.5, 2},  {"b=-3:4e1", BO_REAL, false, -3, 40},
        {"c=log:1e-5:1e-1", BO_REAL, true, 1e-5, 0.1}, {"d=int:-2:8", BO_INTEGER, false, -2, 8},
        {"e=logint:1:512", BO_INTEGER, true, 1, 512},  {"f=cat:x,y,z", BO_CATEGORICAL, false, 0, 2},
        {"g=bool", BO_BOOLEAN, false, 0, 1},
    };
    bo_space *space = bo_space_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(bo__parameter_add(space, cases[i].text, NULL), BO_OK);
        const bo_parameter *parameter = bo_space_parameter(space, i);
        assert_int_equal(parameter->name[0], cases[i].text[0]);
        assert_int_equal(parameter->kind, cases[i].kind);
        assert_int_equal(parameter->log, cases[i].log);
        assert_true(parameter->lower == cases[i].lower && parameter->upper == cases[i].upper);
    }
    assert_string_equal(bo_space_parameter(space, 5)->labels[1], "y");
    bo_space_free(space);
}

static void refuses_the_rest(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "is not NAME=real:LOW:HIGH"},
        {"a", "is not NAME=real:LOW:HIGH"},
        {"=real:0:1", "is not NAME=real:LOW:HIGH"},
        {"a=reel:0:1", "is not NAME=real:LOW:HIGH"},
        {"a=real:0", "is not NAME=real:LOW:HIGH"},
        {"a=real:x:1", "the lower bound 'x' is not a number"},
        {"a=real:0:1:2", "the upper bound '1:2' is not a number"},
        {"a=real:2:1", "'a=real:2:1': "},
        {"a=log:0:1", "'a=log:0:1': "},
        {"a=int:0.5:1", "'a=int:0.5:1': "},
        {"a=cat:", "'a=cat:': "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bo_space *space = bo_space_new();
        bo_message message = {""};
        assert_int_equal(bo__parameter_add(space, cases[i].text, &message), BO_EINVAL);
        assert_non_null(strstr(message.text, cases[i].part));
        assert_int_equal(bo_space_dim(space), 0);
        bo_space_free(space);
    }
}

static void shows_values(void **state)
{
    const char *const labels[] = {"adam", "sgd"};
    const bo_parameter real = {.kind = BO_REAL}, whole = {.kind = BO_INTEGER},
                       truth = {.kind = BO_BOOLEAN},
                       choice = {.kind = BO_CATEGORICAL, .count = 2, .labels = labels};
    char buffer[BO_VALUE_ROOM];
    assert_string_equal(bo__parameter_text(&real, 0.1, buffer), "0.1");
    assert_string_equal(bo__parameter_text(&whole, -12, buffer), "-12");
    assert_string_equal(bo__parameter_text(&truth, 1, buffer), "1");
    assert_string_equal(bo__parameter_text(&choice, 1, buffer), "sgd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(shows_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
