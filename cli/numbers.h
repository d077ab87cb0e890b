/* numbers.h - tables of numbers from CSV files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_NUMBERS_H
#define BO_NUMBERS_H

#include "bo.h"

typedef struct bo__numbers {
    size_t rows, cols;
    double *data; /* rows × cols */
} bo__numbers;

/* Reads lines of finite numbers with commas, semicolons or blanks between them, all of the same
 * length, none missing; "-" is standard input.  Empty lines and lines that begin with # do not
 * count.  The first that does is a header when no field of it begins with a number.  The message
 * names file, line and column. */
bo_status bo__numbers_read(bo__numbers *out, const char *path, bo_message *message);
void bo__numbers_free(bo__numbers *numbers); /* takes a zeroed one */

#endif
