/* vecmath.h - functions that the compiler can put into vector loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_VECMATH_H
#define BO_VECMATH_H

#include <stdint.h>
#include <string.h>

/* Several versions of a hot loop, the best of which is chosen when the program is loaded, so that
 * default binaries run on any x86-64 and still use what the CPU has.  Sanitizers are not ready yet
 * when that choice is made. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BO_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BO_CLONES
#endif

/* exp(x) for x <= 709; below -708 the result is that of -708.  The error is under 1.3
 * units in the last place (measured: 1.17 at 20 million points; tests/test-vecmath.c).
 * x = k·ln 2 + r with |r| <= ln 2 / 2, exp(r) by its Taylor polynomial of degree 13 (remainder
 * 4e-18), 2^k put together from bits.  No branches, so that loops over it vectorise. */
static inline double bo__exp(double x)
{
    const double shifter = 0x1.8p52; /* adding it rounds to an integer, kept in the low bits */
    x = x < -708 ? -708 : x;
    double shifted = x * 0x1.71547652b82fep0 + shifter;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    double k = shifted - shifter;
    double r = x - k * 0x1.62e42fefa38p-1 - k * 0x1.ef35793c7673p-45; /* ln 2 in two parts */
    double p = 1.0 / 6227020800;
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    bits = (bits + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/* Sine and cosine of x, for |x| < 1e7, with an error under 3e-16.
 * x = k·π/2 + r with |r| <= π/4; sin r and cos r by their Taylor polynomials of degree 17 and 18
 * (remainders 1e-19 and 1e-20); k mod 4 tells which is which and their signs.  No branches. */
static inline void bo__sincos(double x, double *sine, double *cosine)
{
    const double shifter = 0x1.8p52;
    double shifted = x * 0x1.45f306dc9c883p-1 + shifter;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    double k = shifted - shifter;
    /* π/2 in three parts; products of k < 2^24 with the first two are exact */
    double r = x - k * 0x1.921fb54p0 - k * 0x1.10b461p-30 - k * 0x1.a62633145c06ep-58;
    double t = r * r, s = 1.0 / 355687428096000, c = -1.0 / 6402373705728000;
    s = s * t - 1.0 / 1307674368000;
    s = s * t + 1.0 / 6227020800;
    s = s * t - 1.0 / 39916800;
    s = s * t + 1.0 / 362880;
    s = s * t - 1.0 / 5040;
    s = s * t + 1.0 / 120;
    s = s * t - 1.0 / 6;
    s = s * t * r + r;
    c = c * t + 1.0 / 20922789888000;
    c = c * t - 1.0 / 87178291200;
    c = c * t + 1.0 / 479001600;
    c = c * t - 1.0 / 3628800;
    c = c * t + 1.0 / 40320;
    c = c * t - 1.0 / 720;
    c = c * t + 1.0 / 24;
    c = c * t - 0.5;
    c = c * t + 1;
    double a = bits & 1 ? c : s, b = bits & 1 ? s : c;
    *sine = bits & 2 ? -a : a;
    *cosine = (bits + 1) & 2 ? -b : b;
}

/* log(1 + e) for 0 <= e <= 1: 2·artanh(s) with s = e/(2 + e) <= 1/3, by its series to s^33 (the
 * next term is 5e-18 of the first). */
static inline double bo__log1p_share(double e)
{
    double s = e / (2 + e), q = s * s, p = 1.0 / 33;
    p = p * q + 1.0 / 31;
    p = p * q + 1.0 / 29;
    p = p * q + 1.0 / 27;
    p = p * q + 1.0 / 25;
    p = p * q + 1.0 / 23;
    p = p * q + 1.0 / 21;
    p = p * q + 1.0 / 19;
    p = p * q + 1.0 / 17;
    p = p * q + 1.0 / 15;
    p = p * q + 1.0 / 13;
    p = p * q + 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    p = p * q + 1;
    return 2 * s * p;
}

#endif
