/* json.h - a reader for the little JSON that weight files have in their headers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cursor over bytes that may hold anything; each function takes one thing or fails, with a
 * message that says what was expected and at which byte.
 */
#ifndef BO_JSON_H
#define BO_JSON_H

#include "bo.h"

typedef struct bo__json {
    const char *path; /* for messages */
    const unsigned char *bytes;
    size_t at, length;
    bo_message *message;
} bo__json;

/* Blanks, then this character. */
bo_status bo__json_expect(bo__json *j, char c);

/* Blanks, then true (and it is taken) if this character stands there. */
bool bo__json_accept(bo__json *j, char c);

/* A string, with its escapes resolved, in new memory that the caller frees.  Texts that hold a
 * zero character are refused. */
bo_status bo__json_string(bo__json *j, char **text);

/* An integer in 0 … SIZE_MAX. */
bo_status bo__json_size(bo__json *j, size_t *value);

/* Nothing but blanks is left. */
bo_status bo__json_end(bo__json *j);

#endif
