/* message.h - one way to report an error with its particulars.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MESSAGE_H
#define BO_MESSAGE_H

#include "bo.h"

/* Writes the formatted text to message (which may be NULL) and returns status, so that an error
 * is one line: return bo__fail(message, BO_EINVAL, "…", …); */
__attribute__((format(printf, 3, 4))) bo_status bo__fail(bo_message *message, bo_status status,
                                                         const char *format, ...);

#endif
