/* status.c - texts of status codes, and messages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "config.h"

const char *bo_status_text(bo_status status)
{
    switch (status) {
#define BO_STATUS_CASE(name, value, text)                                                        \
    case name:                                                                                   \
        return text;
        BO_STATUS_LIST(BO_STATUS_CASE)
#undef BO_STATUS_CASE
    }
    return "unknown status";
}

const char *bo_version(void)
{
    return PACKAGE_VERSION;
}

bo_status bo__fail(bo_message *message, bo_status status, const char *format, ...)
{
    if (message) {
        va_list args;
        va_start(args, format);
        vsnprintf(message->text, sizeof message->text, format, args);
        va_end(args);
    }
    return status;
}
