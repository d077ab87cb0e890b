/* space.c - parameters, and the conversion between a user's point x and the unit cube's u.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   real         u = (x - lower) / (upper - lower)         the same of logarithms for log scale
 *   integer      the same; only those u that are an integer's
 *   boolean      u = x
 *   categorical  one column per category: 1 for the chosen one, else 0
 */
#include "space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Integers with more values than this are searched as reals and rounded: neighbouring values are
 * then closer than anything a surrogate can tell apart. */
#define MOST_LEVELS 65536

/* Beyond it doubles skip integers. */
#define MOST_INTEGER 9007199254740992.0

struct bo_space {
    size_t dim;
    bo_parameter *parameters; /* names and labels are owned */
    bo__column *columns;      /* made on demand; levels are owned */
    bo_message message;
};

bo_space *bo_space_new(void)
{
    return calloc(1, sizeof(bo_space));
}

static void parameter_clear(bo_parameter *p)
{
    free((char *)p->name);
    for (size_t i = 0; p->labels && i < p->count; i++)
        free((char *)p->labels[i]);
    free((void *)p->labels);
}

static void drop_columns(bo_space *space)
{
    for (size_t i = 0; space->columns && i < space->dim; i++)
        free((double *)space->columns[i].levels);
    free(space->columns);
    space->columns = NULL;
}

void bo_space_free(bo_space *space)
{
    if (!space)
        return;
    drop_columns(space);
    for (size_t i = 0; i < space->dim; i++)
        parameter_clear(&space->parameters[i]);
    free(space->parameters);
    free(space);
}

const char *bo_space_errmsg(const bo_space *space)
{
    return space->message.text;
}

size_t bo_space_dim(const bo_space *space)
{
    return space->dim;
}

const bo_parameter *bo_space_parameter(const bo_space *space, size_t i)
{
    return i < space->dim ? &space->parameters[i] : NULL;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* Adds a parameter whose numbers are valid; the name and labels are copied. */
static bo_status add(bo_space *space, const bo_parameter *p, const char *const *labels)
{
    bo_message *message = &space->message;
    if (!p->name || !*p->name)
        return bo__fail(message, BO_EINVAL, "parameter %zu has no name", space->dim + 1);
    for (size_t i = 0; i < space->dim; i++)
        if (!strcmp(space->parameters[i].name, p->name))
            return bo__fail(message, BO_EINVAL, "there are two parameters named '%s'", p->name);
    bo_parameter *grown = realloc(space->parameters, (space->dim + 1) * sizeof *grown);
    if (!grown)
        return bo__fail(message, BO_ENOMEM, "no memory for parameter '%s'", p->name);
    space->parameters = grown;
    bo_parameter new = *p;
    new.name = copy_text(p->name);
    new.labels = NULL;
    bool good = new.name;
    if (labels) {
        const char **copies = calloc(p->count, sizeof *copies);
        new.labels = copies;
        good = good && copies;
        for (size_t i = 0; copies && i < p->count; i++)
            good = (copies[i] = copy_text(labels[i])) && good;
    }
    if (!good) {
        parameter_clear(&new);
        return bo__fail(message, BO_ENOMEM, "no memory for parameter '%s'", p->name);
    }
    drop_columns(space);
    grown[space->dim++] = new;
    return BO_OK;
}

static bo_status add_number(bo_space *space, const char *name, double lower, double upper,
                            bo_kind kind, bool log_scale)
{
    const char *shown = name ? name : "";
    bo_message *message = &space->message;
    if (!isfinite(lower) || !isfinite(upper))
        return bo__fail(message, BO_EINVAL,
                        "parameter '%s' has bounds %g and %g; finite numbers were expected", shown,
                        lower, upper);
    if (!(lower < upper))
        return bo__fail(message, BO_EINVAL,
                        "parameter '%s' has bounds %g and %g; the lower must be less than the upper",
                        shown, lower, upper);
    if (!isfinite(upper - lower))
        return bo__fail(message, BO_EINVAL, "parameter '%s' has bounds %g and %g; too far apart",
                        shown, lower, upper);
    if (log_scale && lower <= 0)
        return bo__fail(message, BO_EINVAL,
                        "parameter '%s' is on a log scale with lower bound %g; it must be positive",
                        shown, lower);
    if (kind == BO_INTEGER && (lower != floor(lower) || upper != floor(upper) ||
                               fabs(lower) > MOST_INTEGER || fabs(upper) > MOST_INTEGER))
        return bo__fail(message, BO_EINVAL,
                        "parameter '%s' is an integer with bounds %.17g and %.17g; whole numbers "
                        "within ±2^53 were expected",
                        shown, lower, upper);
    size_t count = kind == BO_INTEGER ? (size_t)(upper - lower) + 1 : 0;
    bo_parameter p = {.name = name, .kind = kind, .log = log_scale,
                      .lower = lower, .upper = upper, .count = count};
    return add(space, &p, NULL);
}

bo_status bo_space_add_real(bo_space *space, const char *name, double lower, double upper)
{
    return add_number(space, name, lower, upper, BO_REAL, false);
}

bo_status bo_space_add_log_real(bo_space *space, const char *name, double lower, double upper)
{
    return add_number(space, name, lower, upper, BO_REAL, true);
}

bo_status bo_space_add_integer(bo_space *space, const char *name, double lower, double upper)
{
    return add_number(space, name, lower, upper, BO_INTEGER, false);
}

bo_status bo_space_add_log_integer(bo_space *space, const char *name, double lower, double upper)
{
    return add_number(space, name, lower, upper, BO_INTEGER, true);
}

bo_status bo_space_add_boolean(bo_space *space, const char *name)
{
    bo_parameter p = {.name = name, .kind = BO_BOOLEAN, .lower = 0, .upper = 1, .count = 2};
    return add(space, &p, NULL);
}

bo_status bo_space_add_categorical(bo_space *space, const char *name, size_t count,
                                   const char *const *labels)
{
    bo_message *message = &space->message;
    const char *shown = name ? name : "";
    if (count < 2)
        return bo__fail(message, BO_EINVAL,
                        "parameter '%s' has %zu categories; at least 2 were expected", shown, count);
    if (!labels)
        return bo__fail(message, BO_EINVAL, "parameter '%s' has no labels", shown);
    for (size_t i = 0; i < count; i++) {
        if (!labels[i] || !*labels[i])
            return bo__fail(message, BO_EINVAL, "category %zu of parameter '%s' has no label",
                            i + 1, shown);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(labels[i], labels[j]))
                return bo__fail(message, BO_EINVAL,
                                "parameter '%s' has two categories labelled '%s'", shown,
                                labels[i]);
    }
    bo_parameter p = {.name = name, .kind = BO_CATEGORICAL, .lower = 0,
                      .upper = (double)(count - 1), .count = count};
    return add(space, &p, labels);
}

bo_space *bo__space_copy(const bo_space *space)
{
    bo_space *copy = bo_space_new();
    for (size_t i = 0; copy && i < space->dim; i++)
        if (add(copy, &space->parameters[i], space->parameters[i].labels)) {
            bo_space_free(copy);
            return NULL;
        }
    return copy;
}

static size_t parameter_width(const bo_parameter *p)
{
    return p->kind == BO_CATEGORICAL ? p->count : 1;
}

size_t bo__space_width(const bo_space *space)
{
    size_t width = 0;
    for (size_t i = 0; i < space->dim; i++)
        width += parameter_width(&space->parameters[i]);
    return width;
}

void bo__space_groups(const bo_space *space, size_t *group)
{
    for (size_t i = 0; i < space->dim; i++)
        for (size_t c = 0; c < parameter_width(&space->parameters[i]); c++)
            *group++ = i;
}

double bo__space_size(const bo_space *space)
{
    double size = 1;
    for (size_t i = 0; i < space->dim; i++)
        size *= space->parameters[i].count ? (double)space->parameters[i].count : INFINITY;
    return size;
}

/* ---- conversions of one number ---- */

/* log(x / lower), also where the two are so close that their logarithms round to the same. */
static double log_ratio(double x, double lower)
{
    return x / 2 < lower ? log1p((x - lower) / lower) : log(x) - log(lower);
}

static double number_encode(const bo_parameter *p, double x)
{
    if (p->log)
        return log_ratio(x, p->lower) / log_ratio(p->upper, p->lower);
    return (x - p->lower) / (p->upper - p->lower);
}

static double log_decode(const bo_parameter *p, double u)
{
    double exponent = u * log_ratio(p->upper, p->lower);
    return exponent < 1 ? p->lower + p->lower * expm1(exponent) : exp(log(p->lower) + exponent);
}

static double number_decode(const bo_parameter *p, double u)
{
    double x = p->log ? log_decode(p, u) : p->lower + u * (p->upper - p->lower);
    if (p->kind != BO_REAL)
        x = round(x);
    return fmin(fmax(x, p->lower), p->upper);
}

void bo__space_encode(const bo_space *space, const double *x, double *u)
{
    for (size_t i = 0; i < space->dim; i++) {
        const bo_parameter *p = &space->parameters[i];
        if (p->kind == BO_CATEGORICAL) {
            for (size_t c = 0; c < p->count; c++)
                u[c] = (double)c == x[i];
        } else {
            *u = number_encode(p, x[i]);
        }
        u += parameter_width(p);
    }
}

static double parameter_decode(const bo_parameter *p, const double *u)
{
    if (p->kind != BO_CATEGORICAL)
        return number_decode(p, *u);
    size_t chosen = 0;
    for (size_t c = 1; c < p->count; c++)
        if (u[c] > u[chosen])
            chosen = c;
    return (double)chosen;
}

void bo__space_decode(const bo_space *space, const double *u, double *x)
{
    for (size_t i = 0; i < space->dim; i++) {
        x[i] = parameter_decode(&space->parameters[i], u);
        u += parameter_width(&space->parameters[i]);
    }
}

bool bo__space_decodes_to(const bo_space *space, const double *u, const double *x)
{
    for (size_t i = 0; i < space->dim; i++) {
        if (parameter_decode(&space->parameters[i], u) != x[i])
            return false;
        u += parameter_width(&space->parameters[i]);
    }
    return true;
}

void bo__space_spread(const bo_space *space, const double *fraction, double *x)
{
    for (size_t i = 0; i < space->dim; i++) {
        const bo_parameter *p = &space->parameters[i];
        if (p->kind == BO_REAL || p->log)
            x[i] = number_decode(p, fraction[i]);
        else
            x[i] = fmin(p->lower + floor(fraction[i] * (double)p->count), p->upper);
    }
}

void bo__space_slopes(const bo_space *space, const double *x, const double *du, double *dx)
{
    for (size_t i = 0; i < space->dim; i++) {
        const bo_parameter *p = &space->parameters[i];
        dx[i] = 0;
        if (p->kind == BO_REAL)
            dx[i] = *du / (p->log ? x[i] * log_ratio(p->upper, p->lower) : p->upper - p->lower);
        du += parameter_width(p);
    }
}

bo_status bo__space_check(const bo_space *space, const double *x, bo_message *message)
{
    for (size_t i = 0; i < space->dim; i++) {
        const bo_parameter *p = &space->parameters[i];
        if (isnan(x[i]) || x[i] < p->lower || x[i] > p->upper)
            return bo__fail(message, BO_EINVAL,
                            "parameter '%s' is %.17g; a value from %.17g to %.17g was expected",
                            p->name, x[i], p->lower, p->upper);
        if (p->kind != BO_REAL && x[i] != round(x[i]))
            return bo__fail(message, BO_EINVAL,
                            "parameter '%s' is %.17g; a whole number was expected", p->name, x[i]);
    }
    return BO_OK;
}

/* ---- what the maximiser needs to know ---- */

static const double *make_levels(const bo_parameter *p)
{
    double *levels = malloc(p->count * sizeof *levels);
    for (size_t k = 0; levels && k < p->count; k++)
        levels[k] = number_encode(p, p->lower + (double)k);
    return levels;
}

bo_status bo__space_columns(bo_space *space, const bo__column **columns)
{
    if (!space->columns) {
        space->columns = calloc(space->dim, sizeof *space->columns);
        if (!space->columns)
            return BO_ENOMEM;
        size_t first = 0;
        for (size_t i = 0; i < space->dim; i++) {
            const bo_parameter *p = &space->parameters[i];
            bo__column *c = &space->columns[i];
            c->first = first;
            c->count = p->count;
            c->kind = p->kind == BO_CATEGORICAL                    ? BO_COLUMN_ONEHOT
                      : p->kind == BO_REAL || p->count > MOST_LEVELS ? BO_COLUMN_REAL
                                                                   : BO_COLUMN_STEPS;
            if (c->kind == BO_COLUMN_STEPS && !(c->levels = make_levels(p))) {
                drop_columns(space);
                return BO_ENOMEM;
            }
            first += parameter_width(p);
        }
    }
    *columns = space->columns;
    return BO_OK;
}
