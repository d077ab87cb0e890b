/* damage.h - random damage to a weight file, for fuzzing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_DAMAGE_H
#define BO_DAMAGE_H

#include <stdbool.h>
#include <string.h>

#include "rng.h"

/* The next run of digits from *at on, within `reach`; its length goes to *count. */
static inline bool find_digits(const unsigned char *bytes, size_t reach, size_t *at, size_t *count)
{
    while (*at < reach && !(bytes[*at] >= '0' && bytes[*at] <= '9'))
        ++*at;
    for (*count = 0; *at + *count < reach; ++*count)
        if (!(bytes[*at + *count] >= '0' && bytes[*at + *count] <= '9'))
            break;
    return *count > 0;
}

/* Two numbers of the header change places, as many of their last digits as both have. */
static inline void swap_numbers(bo__rng *rng, unsigned char *bytes, size_t reach)
{
    size_t a = bo__rng_below(rng, reach), b = bo__rng_below(rng, reach), na, nb;
    if (!find_digits(bytes, reach, &a, &na) || !find_digits(bytes, reach, &b, &nb))
        return;
    for (size_t n = na < nb ? na : nb; n > 0; n--) {
        unsigned char was = bytes[a + na - n];
        bytes[a + na - n] = bytes[b + nb - n];
        bytes[b + nb - n] = was;
    }
}

/* One to four changes to the first `reach` bytes: set, made a likely character, a bit flipped, cut
 * off there or anywhere, moved over others, numbers swapped. */
static inline void damage(bo__rng *rng, unsigned char *bytes, size_t *length, size_t reach)
{
    static const char likely[] = "{}[]\",:0123456789\\eu\x00\xff F32";
    size_t changes = 1 + bo__rng_below(rng, 4);
    for (size_t i = 0; i < changes && *length > 0; i++) {
        size_t end = *length < reach ? *length : reach, at = bo__rng_below(rng, end);
        switch (bo__rng_below(rng, 6)) {
        case 0:
            bytes[at] = (unsigned char)bo__rng_bits(rng);
            break;
        case 1:
            bytes[at] = (unsigned char)likely[bo__rng_below(rng, sizeof likely - 1)];
            break;
        case 2:
            bytes[at] ^= (unsigned char)(1u << bo__rng_below(rng, 8));
            break;
        case 3:
            *length = bo__rng_below(rng, *length + 1);
            break;
        case 4:
            swap_numbers(rng, bytes, end);
            break;
        default:
            memmove(bytes + at, bytes + bo__rng_below(rng, at + 1),
                    bo__rng_below(rng, *length - at));
        }
    }
}

#endif
