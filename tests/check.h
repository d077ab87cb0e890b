/* check.h - cmocka with the headers it wants first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_CHECK_H
#define BO_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* |a - b| <= tolerance, with both values shown when it does not hold; NaN never holds. */
#define assert_close(a, b, tolerance)                                                            \
    do {                                                                                         \
        double close_a = (a), close_b = (b), close_by = (tolerance);                             \
        double close_gap = close_a - close_b;                                                    \
        if (!(close_gap <= close_by && -close_gap <= close_by))                                  \
            fail_msg("%s = %.17g, %s = %.17g, differ by more than %g", #a, close_a, #b, close_b, \
                     close_by);                                                                  \
    } while (0)

#endif
