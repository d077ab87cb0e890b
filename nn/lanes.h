/* lanes.h - sixteen float32 numbers at a time, and exp and log of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Written in GCC's vector extension: the compiler splits a vector of sixteen into what the CPU
 * has.  Functions marked BO__FAST are compiled three times, for AVX-512, AVX2 and any x86-64, and
 * the loader picks one; helpers they call must be inlined into them (BO__INLINE).  The build
 * passes -Wno-psabi: vectors are passed between inlined functions only.
 *
 * exp: x = n·ln 2 + r with |r| ≤ ½ ln 2 (Cody and Waite), 2ⁿ put together from its bits, e^r by a
 * Taylor polynomial of degree 7; relative error below 2e-7 on [-87, 88], 0 below.
 * log: x = 2ᵉ·m with m in [√½, √2); log m = 2·artanh((m-1)/(m+1)) by its series to the 11th
 * power; relative error below 3e-7 for positive normal x (absolute near 1).
 * exp of NaN is NaN, so that what overflowed is seen in the end.
 */
#ifndef BO_LANES_H
#define BO_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BO__LANES 16

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                           \
    !defined(__SANITIZE_THREAD__)
#define BO__FAST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BO__FAST
#endif
#define BO__INLINE static inline __attribute__((always_inline))

typedef float bo__v16 __attribute__((vector_size(64)));
typedef int32_t bo__i16 __attribute__((vector_size(64)));
typedef float bo__v16u __attribute__((vector_size(64), aligned(4), may_alias));

BO__INLINE bo__v16 bo__load(const float *p)
{
    return *(const bo__v16u *)p;
}

BO__INLINE void bo__store(float *p, bo__v16 v)
{
    *(bo__v16u *)p = v;
}

/* The first `count` numbers at p, and zeros; with 16 or more, all sixteen. */
BO__INLINE bo__v16 bo__load_some(const float *p, size_t count)
{
    if (count >= BO__LANES)
        return bo__load(p);
    float edge[BO__LANES] = {0};
    memcpy(edge, p, count * sizeof *p);
    return bo__load(edge);
}

BO__INLINE void bo__store_some(float *p, bo__v16 v, size_t count)
{
    if (count >= BO__LANES) {
        bo__store(p, v);
        return;
    }
    float edge[BO__LANES];
    bo__store(edge, v);
    memcpy(p, edge, count * sizeof *p);
}

BO__INLINE bo__v16 bo__splat(float a)
{
    return a - (bo__v16){0};
}

/* Stores v, or adds it to what is there. */
BO__INLINE void bo__put(float *p, bo__v16 v, int add)
{
    bo__store(p, add ? bo__load(p) + v : v);
}

/* v where y > 0, else 0. */
BO__INLINE bo__v16 bo__where_positive(bo__v16 y, bo__v16 v)
{
    return (bo__v16)((bo__i16)v & (y > 0));
}

/* max(0, v); NaN stays NaN. */
BO__INLINE bo__v16 bo__relu16(bo__v16 v)
{
    return (bo__v16)((bo__i16)v & ~(v <= 0));
}

/* a where the mask is set, else b. */
BO__INLINE bo__v16 bo__choose(bo__i16 mask, bo__v16 a, bo__v16 b)
{
    return (bo__v16)((mask & (bo__i16)a) | (~mask & (bo__i16)b));
}

/* b when one of them is NaN. */
BO__INLINE bo__v16 bo__max16(bo__v16 a, bo__v16 b)
{
    return bo__choose(a > b, a, b);
}

BO__INLINE float bo__sum16(bo__v16 v)
{
    typedef float v8 __attribute__((vector_size(32)));
    typedef float v4 __attribute__((vector_size(16)));
    v8 a = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
           __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    v4 b = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    return (b[0] + b[2]) + (b[1] + b[3]);
}

BO__INLINE float bo__largest16(bo__v16 v)
{
    v = bo__max16(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5,
                                             6, 7));
    v = bo__max16(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2,
                                             3));
    float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
}

/* Element (i, j) of sixteen rows of sixteen becomes element (j, i): pairs of rows exchange halves
 * of blocks of 8, 4, 2 and 1. */
#define BO__EXCHANGE(step)                                                                       \
    for (int i = 0; i < 16; i++)                                                                 \
        if (!(i & step)) {                                                                       \
            bo__v16 a = r[i], b = r[i + step];                                                   \
            r[i] = __builtin_shufflevector(a, b, BO__LOW##step);                                 \
            r[i + step] = __builtin_shufflevector(a, b, BO__HIGH##step);                         \
        }
#define BO__LOW8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define BO__HIGH8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define BO__LOW4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define BO__HIGH4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define BO__LOW2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define BO__HIGH2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define BO__LOW1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define BO__HIGH1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
BO__INLINE void bo__transpose16(bo__v16 r[16])
{
#pragma GCC unroll 16
    BO__EXCHANGE(8)
#pragma GCC unroll 16
    BO__EXCHANGE(4)
#pragma GCC unroll 16
    BO__EXCHANGE(2)
#pragma GCC unroll 16
    BO__EXCHANGE(1)
}

BO__INLINE bo__v16 bo__exp16(bo__v16 x)
{
    bo__i16 alive = ~(x <= bo__splat(-87.3f));
    x = bo__max16(bo__splat(-87.3f), x);
    x = -bo__max16(bo__splat(-88.3f), -x);
    bo__v16 shifted = x * 1.44269504088896f + 12582912.0f; /* 1.5·2²³: rounds to an integer */
    bo__v16 n = shifted - 12582912.0f;
    bo__v16 r = x - n * 0.693359375f + n * 2.12194440e-4f; /* ln 2 in two parts */
    bo__v16 p = r * (1.0f / 5040) + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * (r * r) + r + 1.0f;
    bo__i16 power = ((bo__i16)shifted << 23) + (127 << 23); /* the low bits of shifted are n */
    return (bo__v16)((bo__i16)(p * (bo__v16)power) & alive);
}

BO__INLINE bo__v16 bo__log16(bo__v16 x)
{
    bo__i16 bits = (bo__i16)x - 0x3f3504f3; /* √½ */
    bo__i16 e = bits >> 23;
    bo__v16 m = (bo__v16)((bits & 0x007fffff) + 0x3f3504f3);
    bo__v16 f = m - 1.0f, s = f / (f + 2.0f), q = s * s;
    bo__v16 p = q * (2.0f / 11) + 2.0f / 9;
    p = p * q + 2.0f / 7;
    p = p * q + 2.0f / 5;
    p = p * q + 2.0f / 3;
    bo__v16 n = __builtin_convertvector(e, bo__v16);
    return n * 0.693359375f + (s * 2.0f + (s * q * p - n * 2.12194440e-4f));
}

/* log (1 + x) for x ≥ 0, to a relative error below 5e-7 (Kahan): what 1 + x loses is put back. */
BO__INLINE bo__v16 bo__log1p16(bo__v16 x)
{
    bo__v16 u = 1.0f + x, gone = u - 1.0f;
    bo__i16 lost = gone == 0;
    return bo__choose(lost, x, bo__log16(u) * (x / bo__choose(lost, bo__splat(1), gone)));
}

#endif
