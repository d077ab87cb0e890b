/* timepredict.h - how long a surrogate takes to read observations and to answer queries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TIMEPREDICT_H
#define BO_TIMEPREDICT_H

#include "bo.h"

/* CPU times, medians over rounds; a query in microseconds. */
typedef struct bo__timepredict {
    size_t components;
    double fit_ms;
    double screen_us; /* predict of 512 points at once, for each of them */
    double climb_us;  /* predict and pullback of one point, as a climb calls them */
} bo__timepredict;

/* A surrogate of options->surrogate with n random observations in `dim` dimensions; each of the
 * three is timed for about `seconds`. */
bo_status bo__timepredict_run(const bo_options *options, size_t dim, size_t n, double seconds,
                              bo__timepredict *out, bo_message *message);

#endif
