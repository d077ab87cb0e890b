/* test-external.c - programs as functions: values, failures, several at once, none left behind.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "external.h"
#include "parameter.h"

static bo_space *space;

static int make_space(void **state)
{
    space = bo_space_new();
    return !space || bo__parameter_add(space, "x=0:10", NULL) ||
           bo__parameter_add(space, "my-kind=cat:a b,$(c)", NULL);
}

static int free_space(void **state)
{
    bo_space_free(space);
    return 0;
}

/* Runs the command at one point. */
static bo__external_result run(const char *command, double timeout)
{
    bo__external *external;
    bo__external_result result = {.y = -1};
    bo_message message = {""};
    const double x[] = {2.5, 1};
    assert_int_equal(bo__external_new(&external, command, space, timeout, &message), BO_OK);
    assert_int_equal(bo__external_run(external, 7, 1, x, &result, &message), BO_OK);
    bo__external_free(external);
    return result;
}

static void assert_fails(const char *command, double timeout, const char *reason)
{
    bo__external_result result = run(command, timeout);
    assert_true(isnan(result.y));
    assert_false(result.abandoned);
    assert_string_equal(result.reason, reason);
}

static void takes_the_last_line(void **state)
{
    assert_true(run("echo 3", INFINITY).y == 3);
    assert_true(run("printf 'log\\n 1e-3 \\n\\n  \\n'", INFINITY).y == 1e-3);
    assert_true(run("printf '9\\n-4.5'", INFINITY).y == -4.5);
    assert_true(run("echo {x}", INFINITY).y == 2.5);
}

static void values_are_single_arguments(void **state)
{
    /* The label is never seen by a shell: as an argument and in the environment it is plain. */
    assert_true(run("sh -c 'test \"$1\" = \"\\$(c)\" && echo 1' sh {my-kind}", INFINITY).y == 1);
    assert_true(run("sh -c 'test \"$BO_my_kind\" = \"\\$(c)\" && echo $BO_x'", INFINITY).y == 2.5);
    assert_true(run("sh -c 'echo $BO_TRIAL'", INFINITY).y == 7);
}

static void knows_failures(void **state)
{
    assert_fails("true", INFINITY, "printed nothing");
    assert_fails("echo 1 2", INFINITY, "its last line is not a finite number: 1 2");
    assert_fails("echo nan", INFINITY, "its last line is not a finite number: nan");
    assert_fails("sh -c 'echo 1; echo oh no >&2; exit 3'", INFINITY, "exit status 3: oh no");
    assert_fails("sh -c 'kill -9 $$'", INFINITY, "ended by signal 9");
    assert_fails("sleep 100", 0.05, "took longer than 0.05 s");
}

static void ends_what_does_not_listen(void **state)
{
    /* Ignores SIGTERM, and its child would hold the pipe open for long. */
    bo__external_result result = run("sh -c 'trap \"\" TERM; sleep 100 & wait; sleep 100'", 0.05);
    assert_string_equal(result.reason, "took longer than 0.05 s");
    assert_true(result.seconds < 60);
}

static void says_what_cannot_be_run(void **state)
{
    bo__external *external;
    bo__external_result results[2];
    bo_message message;
    const double x[] = {1, 0, 2, 0};
    assert_int_equal(bo__external_new(&external, "./no-such-program {x}", space, INFINITY, NULL),
                     BO_OK);
    assert_int_equal(bo__external_run(external, 1, 2, x, results, &message), BO_EIO);
    assert_string_equal(message.text,
                        "cannot run './no-such-program': No such file or directory");
    bo__external_free(external);
    assert_int_equal(bo__external_new(&external, "p {y}", space, INFINITY, &message), BO_EINVAL);
    assert_null(external);
    assert_non_null(strstr(message.text, "{y}"));
}

static void runs_several_at_once(void **state)
{
    /* Each waits for a file that the other makes: they must run at the same time. */
    enum { Q = 2 };
    bo__external *external;
    bo__external_result results[Q];
    bo_message message = {""};
    const double x[] = {1, 0, 2, 0};
    const char *command =
        "sh -c 'd=external-meet; mkdir -p $d; : >$d/$1; i=0; "
        "while [ ! -e $d/$((3 - $1)) ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done; "
        "[ -e $d/$((3 - $1)) ] && echo $1; sleep 0.2; rm -rf $d' sh {x}";
    assert_int_equal(bo__external_new(&external, command, space, 60, &message), BO_OK);
    assert_int_equal(bo__external_run(external, 1, Q, x, results, &message), BO_OK);
    for (size_t i = 0; i < Q; i++)
        assert_true(results[i].y == x[2 * i]);
    bo__external_free(external);
    bo__external_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_last_line),       cmocka_unit_test(values_are_single_arguments),
        cmocka_unit_test(knows_failures),            cmocka_unit_test(ends_what_does_not_listen),
        cmocka_unit_test(says_what_cannot_be_run),   cmocka_unit_test(runs_several_at_once),
    };
    return cmocka_run_group_tests(tests, make_space, free_space);
}
