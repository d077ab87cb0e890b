/* test-words.c - splitting a command into words, and putting values in place of names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "parameter.h"
#include "words.h"

/* The words joined by '|'. */
static const char *join(char **words)
{
    static char text[256];
    *text = 0;
    for (size_t i = 0; words[i]; i++)
        strcat(strcat(text, i ? "|" : ""), words[i]);
    bo__words_free(words);
    return text;
}

static const char *split(const char *text)
{
    static bo_message message;
    char **words;
    return bo__words_split(&words, text, &message) ? message.text : join(words);
}

static void splits_as_a_shell_does(void **state)
{
    assert_string_equal(split("a b  c"), "a|b|c");
    assert_string_equal(split("  sh -c 'echo \"x y\" \\n' "), "sh|-c|echo \"x y\" \\n");
    assert_string_equal(split("\"a \\\"b\\\" \\x\" c\\ d"), "a \"b\" \\x|c d");
    assert_string_equal(split("a''b \"\""), "ab|");
    assert_string_equal(split("a 'b"), "'a 'b' has an unfinished ' quote");
    assert_string_equal(split(" \t\n"), "the command is empty");
}

static bo_space *make_space(void)
{
    bo_space *space = bo_space_new();
    assert_int_equal(bo__parameter_add(space, "rate=log:1e-5:1", NULL), BO_OK);
    assert_int_equal(bo__parameter_add(space, "kind=cat:a b,c;d", NULL), BO_OK);
    return space;
}

static void fills_in_values(void **state)
{
    bo_space *space = make_space();
    char **words;
    const double x[] = {0.001, 1};
    assert_int_equal(bo__words_split(&words, "p --r={rate} {kind}{kind} '{{rate} {\"j\": {rate}}'",
                                     NULL),
                     BO_OK);
    assert_int_equal(bo__words_check(words, space, NULL), BO_OK);
    assert_string_equal(join(bo__words_fill(words, space, x)),
                        "p|--r=0.001|c;dc;d|{rate} {\"j\": 0.001}");
    bo__words_free(words);
    bo_space_free(space);
}

static void names_unknown_placeholders(void **state)
{
    bo_space *space = make_space();
    bo_message message;
    char **words;
    assert_int_equal(bo__words_split(&words, "p {ratte}", NULL), BO_OK);
    assert_int_equal(bo__words_check(words, space, &message), BO_EINVAL);
    assert_string_equal(message.text, "{ratte} names no parameter (there are: rate, kind); write "
                                      "{{ for a brace");
    bo__words_free(words);
    bo__words_free(NULL);
    bo_space_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_as_a_shell_does),
        cmocka_unit_test(fills_in_values),
        cmocka_unit_test(names_unknown_placeholders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
