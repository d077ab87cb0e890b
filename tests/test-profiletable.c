/* test-profiletable.c - the table of a profile.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiletable.h"

static void lines_are_sorted_and_shares_add_up(void **state)
{
    bo__profile p = {0};
    p.seconds[BO__OP_NORM][BO__FORWARD] = 1;
    p.seconds[BO__OP_LINEAR][BO__FORWARD] = 2;
    p.seconds[BO__OP_LINEAR][BO__BACKWARD] = 4;
    p.seconds[BO__OP_TASKS][BO__FORWARD] = 3;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    bo__profile_print(stream, &p, 10);
    fclose(stream);
    const char *linear = strstr(text, "linear layers"), *tasks = strstr(text, "drawing tasks");
    const char *norm = strstr(text, "layer norm");
    assert_true(linear && tasks && norm && linear < tasks && tasks < norm);
    assert_non_null(strstr(linear, "200.000    400.000   60.0%"));
    assert_non_null(strstr(tasks, "300.000      0.000   30.0%"));
    assert_non_null(strstr(norm, "10.0%"));
    assert_null(strstr(text, "Gaussians")); /* took no time */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_sorted_and_shares_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
