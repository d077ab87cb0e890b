/* test-args.c - the option table: what is accepted, what is refused and in which words, the help.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "message.h"

static struct {
    bool flag;
    const char *text;
    size_t size;
    uint64_t seed;
    double number, share;
    int choice;
    char called[64];
    char operands[64];
    char library[64];
} got;

static const char *const colours[] = {"red", "green", "blue", NULL};

static bo_status note_call(void *target, const char *value, bo_message *message)
{
    if (!strcmp(value, "bad"))
        return bo__fail(message, BO_EINVAL, "'%s' will not do", value);
    strncat(target, value, 20);
    return BO_OK;
}

static const bo__arg table[] = {
    {.name = "flag", .kind = BO_ARG_FLAG, .target = &got.flag, .group = "first",
     .help = "A flag."},
    {.name = "text", .value = "TEXT", .kind = BO_ARG_TEXT, .target = &got.text, .group = "first",
     .help = "Some text."},
    {.name = "size", .value = "N", .kind = BO_ARG_SIZE, .target = &got.size, .group = "second",
     .least = 1, .most = 9, .help = "A size."},
    {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &got.seed, .group = "second",
     .help = "A seed."},
    {.name = "number", .value = "X", .kind = BO_ARG_DOUBLE, .target = &got.number,
     .group = "second", .help = "A number."},
    {.name = "share", .value = "X", .kind = BO_ARG_DOUBLE, .target = &got.share,
     .group = "second", .above = true, .help = "Above zero."},
    {.name = "colour", .value = "NAME", .kind = BO_ARG_CHOICE, .target = &got.choice,
     .choices = colours, .group = "second", .help = "A colour."},
    {.name = "call", .value = "X", .kind = BO_ARG_CALL, .target = got.called, .call = note_call,
     .group = "first", .help = "Calls."},
    {.name = NULL}};

static const bo_option_info library[] = {
    {"kernel", "NAME", "The kernel.", "surrogate"},
    {"output_scale", NULL, "Learn it.", "surrogate"},
    {"seed", "N", "The library's seed, hidden by ours.", "hiding"},
};

static const bo_option_info *describe(size_t i)
{
    return i < sizeof library / sizeof *library ? &library[i] : NULL;
}

static bo_status set(bo_options *options, const char *name, const char *value,
                     bo_message *message)
{
    if (!strcmp(value, "bad"))
        return bo__fail(message, BO_EINVAL, "no such kernel");
    snprintf(got.library, sizeof got.library, "%s=%s", name, value);
    return BO_OK;
}

static char *out_text, *err_text;

/* Parses the words (ended by NULL); the texts printed are in out_text and err_text. */
static int parse(bool operands, const char *const *words)
{
    char *argv[16] = {"prog"};
    int argc = 1;
    size_t out_size, err_size;
    free(out_text);
    free(err_text);
    memset(&got, 0, sizeof got);
    got.number = NAN;
    got.share = 0.25;
    got.choice = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    FILE *out = open_memstream(&out_text, &out_size), *err = open_memstream(&err_text, &err_size);
    bo__command command = {.name = "prog",
                           .purpose = "Tests the table.",
                           .usage = "[options]\n--list",
                           .examples = "  prog --flag\n",
                           .notes = "Note one.\n\nNote two.",
                           .args = table,
                           .describe = describe,
                           .set = set,
                           .operand = operands ? note_call : NULL,
                           .operand_target = got.operands,
                           .out = out,
                           .err = err};
    int done = bo__args_parse(&command, argc, argv);
    fclose(out);
    fclose(err);
    return done;
}

#define PARSE(...) parse(false, (const char *const[]){__VA_ARGS__, NULL})
#define assert_said(text) assert_non_null(strstr(err_text, text))

static void reads_every_kind(void **state)
{
    assert_int_equal(PARSE("--flag", "--text", "a b", "--size=7", "--seed",
                           "18446744073709551615", "--number", "-1e-3", "--colour=blue", "--call",
                           "x", "--call=y"),
                     -1);
    assert_true(got.flag);
    assert_string_equal(got.text, "a b");
    assert_int_equal(got.size, 7);
    assert_true(got.seed == UINT64_MAX);
    assert_true(got.number == -1e-3);
    assert_int_equal(got.choice, 2);
    assert_string_equal(got.called, "xy");
    assert_string_equal(err_text, "");
}

static void passes_library_options(void **state)
{
    assert_int_equal(PARSE("--kernel", "rbf"), -1);
    assert_string_equal(got.library, "kernel=rbf");
    assert_int_equal(PARSE("--output-scale"), -1);
    assert_string_equal(got.library, "output_scale=true");
    assert_int_equal(PARSE("--seed", "5"), -1);
    assert_int_equal(got.seed, 5);
    assert_string_equal(got.library, "");
    assert_int_equal(PARSE("--kernel", "bad"), 2);
    assert_said("prog: option '--kernel': no such kernel");
}

static void takes_operands_when_asked(void **state)
{
    assert_int_equal(parse(true, (const char *const[]){"a", "--flag", "--", "-b", NULL}), -1);
    assert_string_equal(got.operands, "a-b");
    assert_int_equal(parse(true, (const char *const[]){"bad", NULL}), 2);
    assert_said("will not do");
    assert_int_equal(PARSE("stray"), 2);
    assert_said("unexpected argument 'stray'");
}

static void suggests_the_nearest(void **state)
{
    assert_int_equal(PARSE("--colur", "red"), 2);
    assert_said("unknown option '--colur'; did you mean '--colour'?");
    assert_int_equal(PARSE("--kernle=rbf"), 2);
    assert_said("did you mean '--kernel'?");
    assert_int_equal(PARSE("--num"), 2);
    assert_said("did you mean '--number'?");
    assert_int_equal(PARSE("--zzzzzz"), 2);
    assert_null(strstr(err_text, "did you mean"));
    assert_said("Try 'prog --help'.");
    assert_int_equal(PARSE("-x"), 2);
    assert_said("'-x'");
}

static void names_bad_values(void **state)
{
    assert_int_equal(PARSE("--size", "0"), 2);
    assert_said("option '--size': '0' is not a whole number from 1 to 9");
    assert_int_equal(PARSE("--size", "-1"), 2);
    assert_said("'-1'");
    assert_int_equal(PARSE("--size", "3x"), 2);
    assert_said("'3x'");
    assert_int_equal(PARSE("--size", ""), 2);
    assert_int_equal(PARSE("--seed", "18446744073709551616"), 2);
    assert_int_equal(PARSE("--number", "nan"), 2);
    assert_said("option '--number': 'nan' is not a number");
    assert_int_equal(PARSE("--number", "1e999"), 2);
    assert_int_equal(PARSE("--share", "0"), 2);
    assert_said("is not a number above 0");
    assert_int_equal(PARSE("--colour", "pink"), 2);
    assert_said("option '--colour': 'pink' is not one of red, green, blue");
    assert_int_equal(PARSE("--call", "bad"), 2);
    assert_said("option '--call': 'bad' will not do");
    assert_int_equal(PARSE("--flag=yes"), 2);
    assert_said("option '--flag' takes no value, but got 'yes'");
    assert_int_equal(PARSE("--text"), 2);
    assert_said("option '--text' needs a value: --text TEXT");
}

static void helps(void **state)
{
    setenv("COLUMNS", "60", 1);
    assert_int_equal(PARSE("--seed", "77", "--help"), 0);
    unsetenv("COLUMNS");
    assert_non_null(strstr(out_text, "Usage: prog [options]\n       prog --list\n"));
    assert_non_null(strstr(out_text, "Tests the table.\n"));
    assert_non_null(strstr(out_text, "\nExamples:\n  prog --flag\n"));
    assert_non_null(strstr(out_text, "\nFirst:\n  --flag"));
    assert_non_null(strstr(out_text, "A colour (default green)."));
    assert_non_null(strstr(out_text, "A seed (default 0)."));
    assert_non_null(strstr(out_text, "\nSurrogate:\n  --kernel NAME"));
    assert_non_null(strstr(out_text, "\nNote one.\n\nNote two.\n"));
    assert_null(strstr(out_text, "hidden by ours"));
    assert_null(strstr(out_text, "Hiding"));
    for (const bo__arg *arg = table; arg->name; arg++) {
        char option[32];
        snprintf(option, sizeof option, "\n  --%s", arg->name);
        char *first = strstr(out_text, option);
        assert_non_null(first);
        assert_null(strstr(first + 1, option));
    }
    for (char *line = strtok(out_text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 60);
    assert_int_equal(PARSE("--version"), 0);
    assert_non_null(strstr(out_text, bo_version()));
}

static void wraps_by_characters(void **state)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    bo__args_wrap(stream, "éééé éééé éééé", 0, 2, 9);
    fclose(stream);
    assert_string_equal(text, "éééé éééé\n  éééé");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),     cmocka_unit_test(passes_library_options),
        cmocka_unit_test(suggests_the_nearest), cmocka_unit_test(takes_operands_when_asked),
        cmocka_unit_test(names_bad_values),     cmocka_unit_test(helps),
        cmocka_unit_test(wraps_by_characters),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(out_text);
    free(err_text);
    return failed;
}
