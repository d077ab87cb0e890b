/* args.c - command lines from one table: parsing.  The help is in help.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An unknown option is answered with the nearest known one by the optimal string alignment
 * distance (insertions, deletions, substitutions and swaps of neighbours, Damerau 1964).
 */
#include "args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Longest name that is compared; longer ones have no near neighbour anyway. */
enum { LONGEST = 48 };

bool bo__args_read_double(const char *text, double *value)
{
    char *end;
    if (!*text || isspace((unsigned char)*text))
        return false;
    double v = strtod(text, &end);
    if (*end || !isfinite(v))
        return false;
    *value = v;
    return true;
}

bool bo__args_read_uint64(const char *text, uint64_t *value)
{
    if (!*text || text[strspn(text, "0123456789")])
        return false;
    errno = 0;
    unsigned long long v = strtoull(text, NULL, 10);
    if (errno || v > UINT64_MAX)
        return false;
    *value = v;
    return true;
}

bool bo__args_read_size(const char *text, size_t *value)
{
    uint64_t v;
    if (!bo__args_read_uint64(text, &v) || v > SIZE_MAX)
        return false;
    *value = (size_t)v;
    return true;
}

static size_t least3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Optimal string alignment distance; rows are kept for the last two characters of a. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = rows[i % 3], *last = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            now[j] = least3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return rows[la % 3][lb];
}

const char *bo__args_nearest(const char *text, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(text), least = length / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t far = distance(text, names[i]);
        if (length >= 3 && !strncmp(text, names[i], length))
            far = 0; /* a beginning of the name is as good as the name */
        if (far < least || (far == least && !nearest)) {
            least = far;
            nearest = names[i];
        }
    }
    return nearest;
}

static FILE *error_stream(const bo__command *command)
{
    return command->err ? command->err : stderr;
}

int bo__args_error(const bo__command *command, const char *format, ...)
{
    FILE *err = error_stream(command);
    va_list list;
    fprintf(err, "%s: ", command->name);
    va_start(list, format);
    vfprintf(err, format, list);
    va_end(list);
    fprintf(err, "\nTry '%s --help'.\n", command->name);
    return 2;
}

/* Hyphens and underscores are the same, as in bo_options_set. */
static bool same_name(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char ca = a[i] == '_' ? '-' : a[i], cb = b[i] == '_' ? '-' : b[i];
        if (ca != cb || !ca)
            return false;
    }
    return !b[length];
}

static const bo__arg *find_own(const bo__command *command, const char *name, size_t length)
{
    for (const bo__arg *arg = command->args; arg->name; arg++)
        if (same_name(name, arg->name, length))
            return arg;
    return NULL;
}

static const bo_option_info *find_library(const bo__command *command, const char *name,
                                          size_t length)
{
    const bo_option_info *info;
    for (size_t i = 0; command->describe && (info = command->describe(i)); i++)
        if (same_name(name, info->name, length))
            return info;
    return NULL;
}

static int unknown_option(const bo__command *command, const char *text, size_t length)
{
    enum { MOST = 256 };
    const char *names[MOST] = {"help", "version"};
    char name[LONGEST + 1];
    size_t count = 2;
    const bo_option_info *info;
    for (const bo__arg *arg = command->args; arg->name && count < MOST; arg++)
        names[count++] = arg->name;
    for (size_t i = 0; command->describe && (info = command->describe(i)) && count < MOST; i++)
        names[count++] = info->name;
    snprintf(name, sizeof name, "%.*s", (int)(length < LONGEST ? length : LONGEST), text);
    const char *near = bo__args_nearest(name, names, count);
    if (near)
        return bo__args_error(command, "unknown option '--%.*s'; did you mean '--%s'?",
                              (int)length, text, near);
    return bo__args_error(command, "unknown option '--%.*s'", (int)length, text);
}

static int bad_value(const bo__command *command, const char *name, const char *value,
                     const char *expected)
{
    return bo__args_error(command, "option '--%s': '%s' is not %s", name, value, expected);
}

/* A range of which only one end is given has no other. */
static bool has_range(const bo__arg *arg)
{
    return arg->least != 0 || arg->most != 0 || arg->above;
}

static double upper_end(const bo__arg *arg)
{
    return arg->most > arg->least ? arg->most : INFINITY;
}

static bool in_range(const bo__arg *arg, double value)
{
    return !has_range(arg) ||
           ((arg->above ? value > arg->least : value >= arg->least) && value <= upper_end(arg));
}

/* "a number above 0", "a whole number from 1 to 40": what the option wants, for the message. */
static const char *expectation(const bo__arg *arg, const char *what, char *buffer, size_t room)
{
    if (!has_range(arg))
        return what;
    if (upper_end(arg) == INFINITY)
        snprintf(buffer, room, "%s %s %.15g", what, arg->above ? "above" : "of at least",
                 arg->least);
    else
        snprintf(buffer, room, "%s %s %.15g %s %.15g", what, arg->above ? "above" : "from",
                 arg->least, arg->above ? "and at most" : "to", arg->most);
    return buffer;
}

static int set_number(const bo__command *command, const bo__arg *arg, const char *value)
{
    char wanted[128];
    bool real = arg->kind == BO_ARG_DOUBLE;
    double number = 0;
    uint64_t whole = 0;
    bool good = real ? bo__args_read_double(value, &number) : bo__args_read_uint64(value, &whole);
    if (!real)
        number = (double)whole;
    if (!good || !in_range(arg, number) ||
        (arg->kind == BO_ARG_SIZE && whole > SIZE_MAX))
        return bad_value(command, arg->name, value,
                         expectation(arg, real ? "a number" : "a whole number", wanted,
                                     sizeof wanted));
    if (arg->kind == BO_ARG_DOUBLE)
        *(double *)arg->target = number;
    else if (arg->kind == BO_ARG_SIZE)
        *(size_t *)arg->target = (size_t)whole;
    else
        *(uint64_t *)arg->target = whole;
    return -1;
}

static int set_choice(const bo__command *command, const bo__arg *arg, const char *value)
{
    char wanted[512];
    size_t used = (size_t)snprintf(wanted, sizeof wanted, "one of");
    for (int i = 0; arg->choices[i]; i++) {
        if (!strcmp(value, arg->choices[i])) {
            *(int *)arg->target = i;
            return -1;
        }
        if (used < sizeof wanted)
            used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s %s", i ? "," : "",
                                     arg->choices[i]);
    }
    return bad_value(command, arg->name, value, wanted);
}

static int set_call(const bo__command *command, const bo__arg *arg, const char *value)
{
    bo_message message = {""};
    bo_status status = arg->call(arg->target, value, &message);
    if (status >= 0)
        return -1;
    return bo__args_error(command, "option '--%s': %s", arg->name,
                          *message.text ? message.text : bo_status_text(status));
}

static int set_own(const bo__command *command, const bo__arg *arg, const char *value)
{
    switch (arg->kind) {
    case BO_ARG_FLAG:
        *(bool *)arg->target = true;
        return -1;
    case BO_ARG_TEXT:
        *(const char **)arg->target = value;
        return -1;
    case BO_ARG_SIZE:
    case BO_ARG_UINT64:
    case BO_ARG_DOUBLE:
        return set_number(command, arg, value);
    case BO_ARG_CHOICE:
        return set_choice(command, arg, value);
    case BO_ARG_CALL:
        return set_call(command, arg, value);
    }
    return -1;
}

static int set_library(const bo__command *command, const bo_option_info *info, const char *value)
{
    bo_message message = {""};
    bo_status status =
        command->set(command->options, info->name, value ? value : "true", &message);
    if (status >= 0)
        return -1;
    return bo__args_error(command, "option '--%s': %s", info->name,
                          *message.text ? message.text : bo_status_text(status));
}

/* One option at argv[*i]; *i moves on when the value is the next word. */
static int parse_option(const bo__command *command, int argc, char **argv, int *i)
{
    const char *text = argv[*i] + 2;
    size_t length = strcspn(text, "=");
    const char *value = text[length] ? text + length + 1 : NULL;
    const bo__arg *own = find_own(command, text, length);
    const bo_option_info *info = own ? NULL : find_library(command, text, length);
    if (!own && !info)
        return unknown_option(command, text, length);
    const char *wanted = own ? own->value : info->value;
    if (!wanted && value)
        return bo__args_error(command, "option '--%.*s' takes no value, but got '%s'",
                              (int)length, text, value);
    if (wanted && !value) {
        if (*i + 1 >= argc)
            return bo__args_error(command, "option '--%s' needs a value: --%s %s", text, text,
                                  wanted);
        value = argv[++*i];
    }
    return own ? set_own(command, own, value) : set_library(command, info, value);
}

static int parse_operand(const bo__command *command, const char *text)
{
    bo_message message = {""};
    if (!command->operand)
        return bo__args_error(command, "unexpected argument '%s'", text);
    bo_status status = command->operand(command->operand_target, text, &message);
    if (status >= 0)
        return -1;
    return bo__args_error(command, "'%s': %s", text,
                          *message.text ? message.text : bo_status_text(status));
}

/* Help and version come first, while the targets still hold the defaults. */
static bool parse_help(const bo__command *command, int argc, char **argv)
{
    FILE *out = command->out ? command->out : stdout;
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            bo__args_help(command, out, bo__args_width(out));
            return true;
        }
        if (!strcmp(argv[i], "--version")) {
            fprintf(out, "%s %s\n", command->name, bo_version());
            return true;
        }
    }
    return false;
}

int bo__args_parse(const bo__command *command, int argc, char **argv)
{
    bool only_operands = false;
    int done = -1;
    if (parse_help(command, argc, argv))
        return 0;
    for (int i = 1; i < argc && done < 0; i++) {
        if (only_operands || argv[i][0] != '-' || !argv[i][1])
            done = parse_operand(command, argv[i]);
        else if (!strcmp(argv[i], "--"))
            only_operands = true;
        else if (argv[i][1] == '-')
            done = parse_option(command, argc, argv, &i);
        else
            done = bo__args_error(command, "unknown option '%s'; options begin with two hyphens",
                                  argv[i]);
    }
    return done;
}
