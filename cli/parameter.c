/* parameter.c - parameters of a space from text, and their values as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parameter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "message.h"
#include "output.h"

typedef bo_status (*add_range)(bo_space *space, const char *name, double lower, double upper);

static const struct {
    const char *word;
    add_range add;
} ranges[] = {
    {"real:", bo_space_add_real},
    {"log:", bo_space_add_log_real},
    {"int:", bo_space_add_integer},
    {"logint:", bo_space_add_log_integer},
};

static bo_status fail_form(const char *text, bo_message *message)
{
    return bo__fail(message, BO_EINVAL,
                    "'%s' is not NAME=real:LOW:HIGH, NAME=log:LOW:HIGH, NAME=int:LOW:HIGH, "
                    "NAME=logint:LOW:HIGH, NAME=cat:A,B,C or NAME=bool",
                    text);
}

static bo_status add_bounds(bo_space *space, const char *name, add_range add, char *bounds,
                            const char *text, bo_message *message)
{
    double lower, upper;
    char *colon = strchr(bounds, ':');
    if (!colon)
        return fail_form(text, message);
    *colon = 0;
    if (!bo__args_read_double(bounds, &lower))
        return bo__fail(message, BO_EINVAL, "'%s': the lower bound '%s' is not a number", text,
                        bounds);
    if (!bo__args_read_double(colon + 1, &upper))
        return bo__fail(message, BO_EINVAL, "'%s': the upper bound '%s' is not a number", text,
                        colon + 1);
    bo_status status = add(space, name, lower, upper);
    return status ? bo__fail(message, status, "'%s': %s", text, bo_space_errmsg(space)) : BO_OK;
}

static bo_status add_categories(bo_space *space, const char *name, char *list, const char *text,
                                bo_message *message)
{
    size_t count = 1, i = 0;
    for (const char *c = list; *c; c++)
        count += *c == ',';
    const char **labels = malloc(count * sizeof *labels);
    if (!labels)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    for (char *rest = list, *label; (label = strsep(&rest, ","));)
        labels[i++] = label;
    bo_status status = bo_space_add_categorical(space, name, count, labels);
    free(labels);
    return status ? bo__fail(message, status, "'%s': %s", text, bo_space_errmsg(space)) : BO_OK;
}

static bo_status add_kind(bo_space *space, const char *name, char *kind, const char *text,
                          bo_message *message)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        size_t length = strlen(ranges[i].word);
        if (!strncmp(kind, ranges[i].word, length))
            return add_bounds(space, name, ranges[i].add, kind + length, text, message);
    }
    if (!strncmp(kind, "cat:", 4))
        return add_categories(space, name, kind + 4, text, message);
    if (!strcmp(kind, "bool")) {
        bo_status status = bo_space_add_boolean(space, name);
        return status ? bo__fail(message, status, "'%s': %s", text, bo_space_errmsg(space))
                      : BO_OK;
    }
    if (strspn(kind, "+-.0123456789") && strchr(kind, ':'))
        return add_bounds(space, name, bo_space_add_real, kind, text, message);
    return fail_form(text, message);
}

bo_status bo__parameter_add(bo_space *space, const char *text, bo_message *message)
{
    char *copy = strdup(text);
    if (!copy)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    char *equals = strchr(copy, '=');
    bo_status status;
    if (!equals || equals == copy) {
        status = fail_form(text, message);
    } else {
        *equals = 0;
        status = add_kind(space, copy, equals + 1, text, message);
    }
    free(copy);
    return status;
}

const char *bo__parameter_text(const bo_parameter *parameter, double value,
                               char buffer[BO_VALUE_ROOM])
{
    if (parameter->kind == BO_CATEGORICAL && value >= 0 && value < (double)parameter->count)
        return parameter->labels[(size_t)value];
    if (parameter->kind == BO_REAL)
        return bo__number_text(buffer, value);
    snprintf(buffer, BO_VALUE_ROOM, "%.0f", value);
    return buffer;
}
