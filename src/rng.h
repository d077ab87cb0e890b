/* rng.h - random streams: small generators seeded by (seed, name, index).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every use of randomness takes a stream of its own, named after what it is for, so that adding
 * one use does not shift another, and work can be shared out over threads by index.
 */
#ifndef BO_RNG_H
#define BO_RNG_H

#include <stddef.h>
#include <stdint.h>

/* The whole state; copy it to save or fork a stream. */
typedef struct bo__rng {
    uint64_t s[4];
    double spare; /* second normal of a pair; NAN when there is none */
} bo__rng;

void bo__rng_init(bo__rng *rng, uint64_t seed, const char *stream, uint64_t index);
uint64_t bo__rng_bits(bo__rng *rng);
double bo__rng_uniform(bo__rng *rng);             /* in [0, 1) */
double bo__rng_normal(bo__rng *rng);              /* N(0, 1) */
double bo__rng_gamma(bo__rng *rng, double shape); /* scale 1, shape > 0 */
size_t bo__rng_below(bo__rng *rng, size_t n);     /* in 0 … n-1, without bias; n > 0 */
void bo__rng_shuffle(bo__rng *rng, size_t n, size_t *items);

#endif
