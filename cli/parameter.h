/* parameter.h - parameters of a space from text, and their values as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     lr=log:1e-5:1e-1    kind=cat:a,b,c    depth=int:1:8    width=logint:8:512
 *     x=real:-1:1         flag=bool         x=-1:1 (a real one)
 */
#ifndef BO_PARAMETER_H
#define BO_PARAMETER_H

#include "bo.h"

/* Adds the parameter that text describes. */
bo_status bo__parameter_add(bo_space *space, const char *text, bo_message *message);

/* A value as commands and files show it: the number, the label of the category, 0 or 1.  Returns
 * buffer or the label. */
enum { BO_VALUE_ROOM = 32 };
const char *bo__parameter_text(const bo_parameter *parameter, double value,
                               char buffer[BO_VALUE_ROOM]);

#endif
