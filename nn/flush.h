/* flush.h - arithmetic in which the tiniest numbers count as 0.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A weight whose gradient stays 0 (its unit is dead) has a momentum that decays towards 1e-45 and
 * stays there.  On Intel's CPUs an operation on a number below 1e-38 takes over a hundred cycles, and
 * a few such numbers in a matrix make training several times slower.
 */
#ifndef BO_FLUSH_H
#define BO_FLUSH_H

#if defined(__SSE__)

#include <xmmintrin.h>

/* For this thread, until the end, which wants what the beginning gave. */
static inline unsigned bo__flush_begin(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* flush to zero, denormals are zero */
    return before;
}

static inline void bo__flush_end(unsigned before)
{
    _mm_setcsr(before);
}

#else

static inline unsigned bo__flush_begin(void)
{
    return 0;
}

static inline void bo__flush_end(unsigned before)
{
    (void)before;
}

#endif

#endif
