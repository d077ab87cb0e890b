/* test-bench-lists.c - lists on the command line of bo-bench.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "bench.h"
#include "check.h"

static void test_functions(void **state)
{
    bo__bench_functions f;
    assert_int_equal(bo__bench_read_functions(&f, "branin,levy:7,rosenbrock", NULL), BO_OK);
    assert_int_equal(f.count, 3);
    assert_string_equal(bo__objective_type_name(f.task[1].type), "levy");
    assert_int_equal(f.task[0].dim, 2);
    assert_int_equal(f.task[1].dim, 7);
    assert_int_equal(f.task[2].dim, 4);
}

static void refuse(const char *list, const char *word)
{
    bo__bench_functions f;
    bo_message message = {""};
    assert_int_equal(bo__bench_read_functions(&f, list, &message), BO_EINVAL);
    if (!strstr(message.text, word))
        fail_msg("'%s': '%s' does not say '%s'", list, message.text, word);
}

static void test_bad_functions(void **state)
{
    char many[1024] = "", *end = many;
    for (int i = 0; i < 100; i++)
        end = stpcpy(end, "sphere,");
    refuse("brainin", "'branin'");
    refuse("qqqqqqqqqq", "bo-run --list");
    refuse("branin:3", "dimension 2, not 3");
    refuse("rosenbrock:1", "2 or more");
    refuse("levy:0", "'0' is not a dimension");
    refuse("levy:-1", "dimension");
    refuse("levy:", "dimension");
    refuse("", "no function");
    refuse("branin,,levy", "no function ''");
    refuse(many, "more than 64");
}

static void test_sizes(void **state)
{
    size_t n[3], count;
    bo_message message;
    assert_int_equal(bo__bench_read_sizes(n, 3, &count, "10,25,400", NULL), BO_OK);
    assert_int_equal(count, 3);
    assert_true(n[0] == 10 && n[1] == 25 && n[2] == 400);
    assert_int_equal(bo__bench_read_sizes(n, 3, &count, "1,2,3,4", &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "more than 3"));
    assert_int_equal(bo__bench_read_sizes(n, 3, &count, "1,0", &message), BO_EINVAL);
    assert_int_equal(bo__bench_read_sizes(n, 3, &count, "", &message), BO_EINVAL);
    assert_int_equal(bo__bench_read_sizes(n, 3, &count, "7x", &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "'7x'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_bad_functions),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
