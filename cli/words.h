/* words.h - a command line with {name} placeholders.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_WORDS_H
#define BO_WORDS_H

#include "bo.h"

/* Splits text into words: blanks part them, '…' keeps all as it is, "…" all but \" and \\, a
 * backslash the next character.  The list ends with NULL; free it with bo__words_free. */
bo_status bo__words_split(char ***out, const char *text, bo_message *message);
void bo__words_free(char **words); /* takes NULL */

/* Every {name} in a word names a parameter of the space: BO_EINVAL with a hint otherwise.
 * Braces around anything but a name are left alone. */
bo_status bo__words_check(char *const *words, const bo_space *space, bo_message *message);

/* The words with values in place of names; NULL when out of memory. */
char **bo__words_fill(char *const *words, const bo_space *space, const double *x);

#endif
