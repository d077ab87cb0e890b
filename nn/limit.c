/* limit.c - what a core could multiply, if nothing ever had to wait for a number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Twelve sums (four of tiles), none of which waits for another, take longer to come round than any
 * of these instructions takes, and fit in the registers of all of these CPUs.
 */
#include "limit.h"

#include <math.h>

#include "matmul-amx.h"
#include "matmul-avx512.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <stdint.h>
#include <time.h>

enum { ROUNDS = 20000, TRIES = 9, SUMS = 12, TILE = 16 };

typedef double turns(void); /* runs ROUNDS rounds; returns how many operations that were */

__attribute__((target("avx512f"))) static double turns_avx512(void)
{
    __m512 sum[SUMS] = {0}, x = _mm512_set1_ps(0.5F);
    __asm__ volatile("" : "+v"(x));
    for (int i = 0; i < SUMS; i++) /* whose numbers the compiler must not know to be equal */
        __asm__ volatile("" : "+v"(sum[i]));
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 12
        for (int i = 0; i < SUMS; i++)
            sum[i] = _mm512_fmadd_ps(x, x, sum[i]);
    for (int i = 0; i < SUMS; i++)
        __asm__ volatile("" : "+v"(sum[i]));
    return 2.0 * 16 * SUMS * ROUNDS;
}

__attribute__((target("avx512f,avx512bf16"))) static double turns_bf16(void)
{
    __m512 sum[SUMS] = {0}, x = _mm512_set1_ps(0.5F);
    __asm__ volatile("" : "+v"(x));
    for (int i = 0; i < SUMS; i++) /* whose numbers the compiler must not know to be equal */
        __asm__ volatile("" : "+v"(sum[i]));
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 12
        for (int i = 0; i < SUMS; i++)
            sum[i] = _mm512_dpbf16_ps(sum[i], (__m512bh)x, (__m512bh)x);
    for (int i = 0; i < SUMS; i++)
        __asm__ volatile("" : "+v"(sum[i]));
    return 2.0 * 32 * SUMS * ROUNDS;
}

__attribute__((target("avx2,fma"))) static double turns_avx2(void)
{
    __m256 sum[SUMS] = {0}, x = _mm256_set1_ps(0.5F);
    __asm__ volatile("" : "+x"(x));
    for (int i = 0; i < SUMS; i++) /* whose numbers the compiler must not know to be equal */
        __asm__ volatile("" : "+x"(sum[i]));
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 12
        for (int i = 0; i < SUMS; i++)
            sum[i] = _mm256_fmadd_ps(x, x, sum[i]);
    for (int i = 0; i < SUMS; i++)
        __asm__ volatile("" : "+x"(sum[i]));
    return 2.0 * 8 * SUMS * ROUNDS;
}

__attribute__((target("amx-tile,amx-bf16"))) static double turns_amx(void)
{
    struct {
        uint8_t palette, start, zero[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shapes __attribute__((aligned(64))) = {.palette = 1};
    for (int i = 0; i < 6; i++) {
        shapes.bytes[i] = TILE * sizeof(uint32_t);
        shapes.rows[i] = TILE;
    }
    __asm__ volatile("" ::: "memory");
    _tile_loadconfig(&shapes);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (int round = 0; round < ROUNDS; round++) {
        _tile_dpbf16ps(0, 4, 5);
        _tile_dpbf16ps(1, 4, 5);
        _tile_dpbf16ps(2, 4, 5);
        _tile_dpbf16ps(3, 4, 5);
    }
    _tile_release();
    return 2.0 * TILE * TILE * 2 * TILE * 4 * ROUNDS;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double fastest(turns *run)
{
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        double begin = seconds(), operations = run();
        best = fmax(best, operations / (seconds() - begin));
    }
    return best;
}

double bo__limit(bo__precision precision)
{
    bool coarse = precision == BO__PRECISION_BF16 || precision == BO__PRECISION_MIXED;
    bool split = precision == BO__PRECISION_BF16X3 || precision == BO__PRECISION_AUTO;
    if ((coarse || split) && bo__amx_ready())
        return fastest(turns_amx) / (split ? 3 : 1);
    if (coarse && bo__matmul_has_bf16())
        return fastest(turns_bf16);
    if (bo__avx512_ready())
        return fastest(turns_avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return fastest(turns_avx2);
    return NAN;
}

#else

double bo__limit(bo__precision precision)
{
    return NAN;
}

#endif
