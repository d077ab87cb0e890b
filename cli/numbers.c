/* numbers.c - tables of numbers from CSV files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static const char between[] = ",; \t\r\n";

void bo__numbers_free(bo__numbers *n)
{
    free(n->data);
    *n = (bo__numbers){0};
}

static bool grow(bo__numbers *n, size_t used, size_t *room)
{
    if (used < *room)
        return true;
    size_t more = 2 * *room + 64;
    double *data = realloc(n->data, more * sizeof *data);
    if (!data)
        return false;
    n->data = data;
    *room = more;
    return true;
}

/* Reads the numbers of a line behind those that are there; *bad is the column of the first thing
 * that is none, or 0. */
static bool read_line(bo__numbers *n, size_t *used, size_t *room, char *line, size_t *bad)
{
    size_t column = 0;
    char *rest = NULL;
    *bad = 0;
    for (char *word = strtok_r(line, between, &rest); word;
         word = strtok_r(NULL, between, &rest)) {
        char *end;
        double value = strtod(word, &end);
        column++;
        if ((*end || !isfinite(value)) && !*bad)
            *bad = column;
        if (!grow(n, *used, room))
            return false;
        n->data[(*used)++] = value;
    }
    return true;
}

static bo_status read_stream(bo__numbers *n, FILE *file, const char *path, bo_message *message)
{
    char *line = NULL;
    size_t size = 0, used = 0, room = 0, number = 0;
    bo_status status = BO_OK;
    while (!status && getline(&line, &size, file) >= 0) {
        size_t before = used, bad;
        number++;
        if (line[0] == '#')
            continue;
        if (!read_line(n, &used, &room, line, &bad))
            status = bo__fail(message, BO_ENOMEM, "%s: no memory for its numbers", path);
        else if (bad && n->rows == 0 && before == 0 && number == 1)
            used = 0; /* the header */
        else if (bad)
            status = bo__fail(message, BO_EFORMAT, "%s: line %zu, column %zu is not a number",
                              path, number, bad);
        else if (used > before && n->rows > 0 && used - before != n->cols)
            status = bo__fail(message, BO_EFORMAT, "%s: line %zu has %zu numbers, others have %zu",
                              path, number, used - before, n->cols);
        else if (used > before) {
            n->cols = used - before;
            n->rows++;
        }
    }
    free(line);
    if (!status && ferror(file))
        status = bo__fail(message, BO_EIO, "%s: cannot read all of it", path);
    if (!status && n->rows == 0)
        status = bo__fail(message, BO_EFORMAT, "%s: has no numbers", path);
    return status;
}

bo_status bo__numbers_read(bo__numbers *out, const char *path, bo_message *message)
{
    *out = (bo__numbers){0};
    FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!file)
        return bo__fail(message, BO_EIO, "%s: %s", path, strerror(errno));
    bo_status status = read_stream(out, file, path, message);
    if (file != stdin)
        fclose(file);
    if (status)
        bo__numbers_free(out);
    return status;
}
