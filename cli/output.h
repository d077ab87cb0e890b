/* output.h - files that are never half-written, and rows of CSV and JSON lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two ways to write a file:
 *
 *   whole    bo__output_open … bo__output_commit: the text goes to a temporary file in the same
 *            folder, which takes the final name in one step when all of it is on the disk.  A
 *            crash, a full disk or bo__output_abort leaves what was there before untouched.
 *
 *   journal  bo__journal_open … bo__journal_write: for results too costly to lose.  The file
 *            begins whole with its first text (a CSV header, or nothing); the file that had the
 *            name before is kept under name~.  Then each write adds complete lines at once, so
 *            that a killed process leaves every line it wrote; bo__journal_sync returns when
 *            they would survive a power cut too.
 */
#ifndef BO_OUTPUT_H
#define BO_OUTPUT_H

#include <stdio.h>

#include "bo.h"

typedef struct bo__output bo__output;

/* *out is NULL on failure; the message names the file and the reason. */
bo_status bo__output_open(bo__output **out, const char *path, bo_message *message);
FILE *bo__output_stream(bo__output *output);

/* Both free it.  abort takes NULL. */
bo_status bo__output_commit(bo__output *output, bo_message *message);
void bo__output_abort(bo__output *output);

/* The folder of path exists and a file can be made in it; a check before long work. */
bo_status bo__output_check(const char *path, bo_message *message);

typedef struct bo__journal bo__journal;

bo_status bo__journal_open(bo__journal **out, const char *path, const char *first,
                           bo_message *message);
/* A failed write leaves the file as it was before it. */
bo_status bo__journal_write(bo__journal *journal, const char *lines, bo_message *message);
bo_status bo__journal_sync(bo__journal *journal, bo_message *message);
void bo__journal_close(bo__journal *journal); /* takes NULL */

/* One row, field by field.  The same calls make a CSV row, the CSV header (names only) or a JSON
 * object on one line. */
typedef enum bo__row_form { BO_ROW_CSV, BO_ROW_HEADER, BO_ROW_JSON } bo__row_form;

typedef struct bo__row {
    bo__row_form form;
    char *text; /* the row, ended by bo__row_end; owned, bo__row_free */
    size_t length, room, fields;
    bool broken; /* memory ran out */
} bo__row;

void bo__row_begin(bo__row *row, bo__row_form form); /* a zeroed row, or one used before */
void bo__row_text(bo__row *row, const char *name, const char *value);
void bo__row_number(bo__row *row, const char *name, double value); /* NaN: empty, or null */
void bo__row_size(bo__row *row, const char *name, size_t value);
bo_status bo__row_end(bo__row *row, bo_message *message); /* adds the newline */
void bo__row_free(bo__row *row);

/* The shortest text that reads back as the same double; returns buffer. */
enum { BO_NUMBER_ROOM = 32 };
const char *bo__number_text(char buffer[BO_NUMBER_ROOM], double value);

/* Whether path ends with the ending (".csv"), whatever the case. */
bool bo__path_ends(const char *path, const char *ending);

#endif
