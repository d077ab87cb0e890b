/* rng.c - xoshiro256++ (Blackman and Vigna, 2019) behind named streams.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The state of a stream is filled by SplitMix64 from a hash of (seed, name, index).  Normals are
 * made by the polar method of Marsaglia, gammas by Marsaglia and Tsang (2000).
 */
#include "rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t v = (*state += 0x9e3779b97f4a7c15u);
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
}

void bo__rng_init(bo__rng *rng, uint64_t seed, const char *stream, uint64_t index)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a over the name */
    for (const char *c = stream; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    uint64_t state = seed;
    state = splitmix(&state) ^ hash;
    state = splitmix(&state) ^ index;
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix(&state);
    rng->spare = NAN;
}

static uint64_t rotate(uint64_t v, int by)
{
    return (v << by) | (v >> (64 - by));
}

uint64_t bo__rng_bits(bo__rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double bo__rng_uniform(bo__rng *rng)
{
    return (double)(bo__rng_bits(rng) >> 11) * 0x1p-53;
}

double bo__rng_normal(bo__rng *rng)
{
    if (!isnan(rng->spare)) {
        double v = rng->spare;
        rng->spare = NAN;
        return v;
    }
    double a, b, r;
    do {
        a = 2 * bo__rng_uniform(rng) - 1;
        b = 2 * bo__rng_uniform(rng) - 1;
        r = a * a + b * b;
    } while (r >= 1 || r == 0);
    double f = sqrt(-2 * log(r) / r);
    rng->spare = b * f;
    return a * f;
}

double bo__rng_gamma(bo__rng *rng, double shape)
{
    if (shape < 1) { /* boost: G(a) = G(a + 1) · U^(1/a) */
        double u = 1 - bo__rng_uniform(rng);
        return bo__rng_gamma(rng, shape + 1) * pow(u, 1 / shape);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = bo__rng_normal(rng), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = 1 - bo__rng_uniform(rng);
        if (log(u) < 0.5 * x * x + d * (1 - v + log(v)))
            return d * v;
    }
}

size_t bo__rng_below(bo__rng *rng, size_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, v;
    do
        v = bo__rng_bits(rng);
    while (v >= limit);
    return (size_t)(v % n);
}

void bo__rng_shuffle(bo__rng *rng, size_t n, size_t *items)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = bo__rng_below(rng, i), t = items[i - 1];
        items[i - 1] = items[j];
        items[j] = t;
    }
}
