/* numbers.c - tables of numbers from CSV files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

void bo__numbers_free(bo__numbers *n)
{
    free(n->data);
    *n = (bo__numbers){0};
}

typedef struct reader {
    bo__numbers *out;
    size_t used, room; /* numbers */
    const char *path;
    size_t number; /* of the line */
    bool begun;    /* a line that counts has been seen */
    bo_message *message;
} reader;

/* What is found in a line. */
typedef struct findings {
    size_t bad;   /* the first column that is not a number, 0: none */
    size_t empty; /* the first that nothing stands in, 0: none */
    bool numeric; /* whether a column begins with a number */
} findings;

static bool keep(reader *r, double value)
{
    if (r->used == r->room) {
        size_t more = 2 * r->room + 64;
        double *data = realloc(r->out->data, more * sizeof *data);
        if (!data)
            return false;
        r->out->data = data;
        r->room = more;
    }
    r->out->data[r->used++] = value;
    return true;
}

static const char blanks[] = " \t\r\n";

/* The field at *at, which a comma, a semicolon, blanks or the end of the line end; *at becomes the
 * place of the next one, or NULL behind the last. */
static char *take_field(char **at)
{
    char *word = *at + strspn(*at, blanks), *end = word + strcspn(word, ",; \t\r\n");
    char *next = end + strspn(end, blanks);
    *at = *next == ',' || *next == ';' ? next + 1 : *next ? next : NULL;
    *end = 0;
    return word;
}

/* Reads the numbers of a line behind those that are there; false: no memory. */
static bool read_fields(reader *r, char *text, findings *f)
{
    *f = (findings){0};
    for (size_t column = 1; text; column++) {
        char *word = take_field(&text), *end;
        double value = strtod(word, &end);
        bool whole = end > word && !*end;
        if ((!whole || !isfinite(value)) && !f->bad)
            f->bad = column;
        if (!*word && !f->empty)
            f->empty = column;
        /* "2x" is meant to be a number, "nanosecond" is not */
        f->numeric = f->numeric || whole || (end > word && !isalpha((unsigned char)*word));
        if (!keep(r, value))
            return false;
    }
    return true;
}

/* A line that is neither empty nor a comment. */
static bo_status read_line(reader *r, char *text)
{
    bo__numbers *n = r->out;
    size_t before = r->used;
    bool header = !r->begun;
    findings f;
    r->begun = true;
    if (!read_fields(r, text, &f))
        return bo__fail(r->message, BO_ENOMEM, "%s: no memory for its numbers", r->path);
    header = header && !f.numeric;
    size_t bad = header ? f.empty : f.bad;
    if (bad)
        return bo__fail(r->message, BO_EFORMAT, "%s: line %zu, column %zu is %s", r->path,
                        r->number, bad, bad == f.empty ? "empty" : "not a number");
    if (header) {
        r->used = 0;
        return BO_OK;
    }
    if (n->rows > 0 && r->used - before != n->cols)
        return bo__fail(r->message, BO_EFORMAT, "%s: line %zu has %zu numbers, others have %zu",
                        r->path, r->number, r->used - before, n->cols);
    n->cols = r->used - before;
    n->rows++;
    return BO_OK;
}

/* Where the text of a line begins: behind the mark that some programs put before UTF-8. */
static char *begin(const reader *r, char *line)
{
    return line + (r->number == 1 && !strncmp(line, "\xef\xbb\xbf", 3) ? 3 : 0);
}

static bo_status read_stream(bo__numbers *n, FILE *file, const char *path, bo_message *message)
{
    reader r = {.out = n, .path = path, .message = message};
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bo_status status = BO_OK;
    while (!status && (length = getline(&line, &size, file)) >= 0) {
        r.number++;
        char *text = begin(&r, line);
        if (strlen(line) != (size_t)length)
            status = bo__fail(message, BO_EFORMAT, "%s: line %zu is no text", path, r.number);
        else if (*text != '#' && text[strspn(text, blanks)])
            status = read_line(&r, text);
    }
    int failed = ferror(file) ? errno : 0;
    free(line);
    if (!status && failed)
        status = bo__fail(message, BO_EIO, "%s: cannot read all of it: %s", path, strerror(failed));
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
