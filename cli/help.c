/* help.c - the --help text of a command, from its table of options.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two columns, wrapped to the width of the terminal: option and placeholder on the left, help
 * with the default on the right.  Widths count characters, not bytes (UTF-8).
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "args.h"

/* Left column: wide enough for "--acquisition NAME"; longer options get a line of their own. */
enum { LEFT = 24, NARROWEST = 40, WIDEST = 100 };

size_t bo__args_width(FILE *stream)
{
    struct winsize size;
    int fd = fileno(stream);
    if (fd >= 0 && isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    size_t width;
    if (columns && bo__args_read_size(columns, &width) && width)
        return width;
    return 80;
}

static size_t characters(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

void bo__args_wrap(FILE *stream, const char *text, size_t column, size_t indent, size_t width)
{
    bool fresh = true; /* nothing on this line yet */
    while (*text) {
        size_t bytes = strcspn(text, " \n"), wide = characters(text, bytes);
        if (!fresh && column + 1 + wide > width) {
            fprintf(stream, "\n%*s", (int)indent, "");
            column = indent;
            fresh = true;
        }
        fprintf(stream, "%s%.*s", fresh ? "" : " ", (int)bytes, text);
        column += wide + !fresh;
        fresh = false;
        text += bytes;
        text += strspn(text, " \n");
    }
}

/* The default of a typed option, "" when there is none to show. */
static void print_default(char *buffer, size_t room, const bo__arg *arg)
{
    *buffer = 0;
    if (arg->kind == BO_ARG_TEXT && *(const char **)arg->target)
        snprintf(buffer, room, "%s", *(const char **)arg->target);
    else if (arg->kind == BO_ARG_SIZE && *(size_t *)arg->target)
        snprintf(buffer, room, "%zu", *(size_t *)arg->target);
    else if (arg->kind == BO_ARG_UINT64)
        snprintf(buffer, room, "%" PRIu64, *(uint64_t *)arg->target);
    else if (arg->kind == BO_ARG_DOUBLE && isfinite(*(double *)arg->target))
        snprintf(buffer, room, "%.15g", *(double *)arg->target);
    else if (arg->kind == BO_ARG_CHOICE && *(int *)arg->target >= 0)
        snprintf(buffer, room, "%s", arg->choices[*(int *)arg->target]);
}

/* One entry; the help may be any length, the default is appended. */
static void print_option(FILE *stream, const char *name, const char *value, const char *help,
                         const char *standard, size_t width)
{
    char left[128], right[2048];
    size_t length = strlen(help);
    bool dot = *standard && length && help[length - 1] == '.'; /* it comes after the default */
    int used = snprintf(left, sizeof left, "  --%s%s%s", name, value ? " " : "",
                        value ? value : "");
    snprintf(right, sizeof right, "%.*s%s%s%s%s", (int)(length - dot), help,
             *standard ? " (default " : "", standard, *standard ? ")" : "", dot ? "." : "");
    fputs(left, stream);
    if (used + 2 > LEFT)
        fprintf(stream, "\n%*s", LEFT, "");
    else
        fprintf(stream, "%*s", LEFT - used, "");
    bo__args_wrap(stream, right, LEFT, LEFT, width);
    fputc('\n', stream);
}

static bool hidden(const bo__command *command, const char *name)
{
    for (const bo__arg *arg = command->args; arg->name; arg++)
        if (!strcmp(arg->name, name))
            return true;
    return false;
}

static void print_group(const bo__command *command, FILE *stream, const char *group, size_t width)
{
    const bo_option_info *info;
    fprintf(stream, "\n%c%s:\n", toupper((unsigned char)group[0]), group + 1);
    for (const bo__arg *arg = command->args; arg->name; arg++)
        if (!strcmp(arg->group, group)) {
            char standard[256];
            print_default(standard, sizeof standard, arg);
            print_option(stream, arg->name, arg->value, arg->help, standard, width);
        }
    for (size_t i = 0; command->describe && (info = command->describe(i)); i++)
        if (!strcmp(info->group, group) && !hidden(command, info->name))
            print_option(stream, info->name, info->value, info->help, "", width);
}

/* True when no option before this one has its group; own options count as before the library's. */
static bool opens_group(const bo__command *command, const bo__arg *own, size_t library,
                        const char *group)
{
    for (const bo__arg *arg = command->args; arg->name && arg != own; arg++)
        if (!strcmp(arg->group, group))
            return false;
    for (size_t i = 0; i < library; i++)
        if (!strcmp(command->describe(i)->group, group) &&
            !hidden(command, command->describe(i)->name))
            return false;
    return true;
}

static void print_groups(const bo__command *command, FILE *stream, size_t width)
{
    const bo_option_info *info;
    for (const bo__arg *arg = command->args; arg->name; arg++)
        if (opens_group(command, arg, 0, arg->group))
            print_group(command, stream, arg->group, width);
    for (size_t i = 0; command->describe && (info = command->describe(i)); i++)
        if (!hidden(command, info->name) && opens_group(command, NULL, i, info->group))
            print_group(command, stream, info->group, width);
    fprintf(stream, "\nHelp:\n");
    print_option(stream, "help", NULL, "This text.", "", width);
    print_option(stream, "version", NULL, "The version.", "", width);
}

static void print_usage(const bo__command *command, FILE *stream)
{
    const char *line = command->usage;
    for (bool first = true; line; first = false) {
        const char *end = strchr(line, '\n');
        int length = end ? (int)(end - line) : (int)strlen(line);
        fprintf(stream, "%s %s %.*s\n", first ? "Usage:" : "      ", command->name, length, line);
        line = end ? end + 1 : NULL;
    }
}

static void print_paragraphs(const char *text, FILE *stream, size_t width)
{
    while (text && *text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char *paragraph = strndup(text, length);
        fputc('\n', stream);
        if (paragraph)
            bo__args_wrap(stream, paragraph, 0, 0, width);
        fputc('\n', stream);
        free(paragraph);
        text = end ? end + 2 : NULL;
    }
}

void bo__args_help(const bo__command *command, FILE *stream, size_t width)
{
    width = width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
    print_usage(command, stream);
    print_paragraphs(command->purpose, stream, width);
    if (command->examples)
        fprintf(stream, "\nExamples:\n%s", command->examples);
    print_groups(command, stream, width);
    print_paragraphs(command->notes, stream, width);
}
