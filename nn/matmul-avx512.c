/* matmul-avx512.c - products in vectors of sixteen numbers, in float32 and in bf16.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A piece of C, 6 rows by 64 columns, is in 24 registers while the inner dimension goes by: four
 * vectors of a row of B, and the six numbers of a column of A, one after the other in all lanes.
 * In float32 only a transposed B is copied first; everything else is read where it stands.
 *
 * In bf16 (CPUs with AVX512_BF16) one instruction does two inner steps: a lane holds the two
 * numbers of a pair, k = 2p and 2p + 1, and a·b of both is added to the lane's sum.  Both sides are
 * packed into pairs first, unless B came with them; a buffer of pairs is declared float, one pair a
 * float.
 *
 * Every element is the sum over k in order, in steps that do not depend on where it stands.
 */
#include "matmul-avx512.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "turn.h"

#define VECTOR __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define VECTOR_INLINE static inline __attribute__((always_inline)) VECTOR

enum {
    SIDE = 16,      /* numbers of a vector */
    ROWS = 6,       /* of a piece */
    VECS = 4,       /* of a piece's row */
    BLOCK = 128,    /* columns of B, and rows of A, that are packed at a time */
    BLOCK_K = 256,  /* inner dimension of a packed block */
};

bool bo__avx512_ready(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

bool bo__avx512_has_bf16(void)
{
    return bo__avx512_ready() && __builtin_cpu_supports("avx512bf16");
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- one piece of C ---------------------------------------------------------------------- */

/* A's number (i, p) is a[i · ai + p · ap]; B's row p is at b + p · bp; p < depth. */
typedef struct work {
    const float *a, *b;
    size_t ai, ap, bp, depth;
    float *c;
    size_t c_stride;
    const float *bias;
    bool add, relu;
    __mmask16 edge; /* lanes of the last vector of a row */
} work;

VECTOR_INLINE __m512 multiply_add(__m512 a, __m512 b, __m512 sum, bool pairs)
{
    return pairs ? _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b) : _mm512_fmadd_ps(a, b, sum);
}

VECTOR_INLINE void piece(const work *w, size_t rows, size_t vecs, bool pairs)
{
    __m512 sum[ROWS][VECS], right[VECS];
    __mmask16 lanes[VECS] = {0xffff, 0xffff, 0xffff, 0xffff};
    lanes[vecs - 1] = w->edge;
#pragma GCC unroll 6
    for (size_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (size_t v = 0; v < vecs; v++)
            sum[i][v] = w->add ? _mm512_maskz_loadu_ps(lanes[v],
                                                       w->c + i * w->c_stride + v * SIDE)
                               : _mm512_setzero_ps();
    const float *a = w->a, *b = w->b;
    for (size_t p = 0; p < w->depth; p++, a += w->ap, b += w->bp) {
#pragma GCC unroll 4
        for (size_t v = 0; v < vecs; v++)
            right[v] = v + 1 < vecs ? _mm512_loadu_ps(b + v * SIDE)
                                    : _mm512_maskz_loadu_ps(w->edge, b + v * SIDE);
#pragma GCC unroll 6
        for (size_t i = 0; i < rows; i++) {
            __m512 left = _mm512_set1_ps(a[i * w->ai]);
#pragma GCC unroll 4
            for (size_t v = 0; v < vecs; v++)
                sum[i][v] = multiply_add(left, right[v], sum[i][v], pairs);
        }
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < vecs; v++) {
        __m512 bias = w->bias ? _mm512_maskz_loadu_ps(lanes[v], w->bias + v * SIDE)
                              : _mm512_setzero_ps();
#pragma GCC unroll 6
        for (size_t i = 0; i < rows; i++) {
            __m512 y = w->bias ? _mm512_add_ps(sum[i][v], bias) : sum[i][v];
            y = w->relu ? _mm512_max_ps(_mm512_setzero_ps(), y) : y; /* NaN stays */
            _mm512_mask_storeu_ps(w->c + i * w->c_stride + v * SIDE, lanes[v], y);
        }
    }
}

/* The same with numbers that are not constants. */
#define PIECE_OF(rows)                                                                           \
    case rows:                                                                                   \
        vecs == 4   ? piece(w, rows, 4, pairs)                                                   \
        : vecs == 3 ? piece(w, rows, 3, pairs)                                                   \
        : vecs == 2 ? piece(w, rows, 2, pairs)                                                   \
                    : piece(w, rows, 1, pairs);                                                  \
        break;
VECTOR_INLINE void any_piece(const work *w, size_t rows, size_t vecs, bool pairs)
{
    switch (rows) {
        PIECE_OF(6)
        PIECE_OF(5)
        PIECE_OF(4)
        PIECE_OF(3)
        PIECE_OF(2)
        PIECE_OF(1)
    }
}

VECTOR static void piece_float32(const work *w, size_t rows, size_t vecs)
{
    any_piece(w, rows, vecs, false);
}

VECTOR static void piece_bf16(const work *w, size_t rows, size_t vecs)
{
    any_piece(w, rows, vecs, true);
}

/* ---- packing ----------------------------------------------------------------------------- */

/* Lanes of columns from … end - 1, at most sixteen. */
VECTOR_INLINE __mmask16 lanes_of(size_t from, size_t end)
{
    return from >= end ? 0 : end - from >= SIDE ? 0xffff : (__mmask16)((1u << (end - from)) - 1);
}

/* Pairs (x0, x1), lane by lane. */
VECTOR_INLINE __m512 pairs_of(__m512 x0, __m512 x1)
{
    const __m512i order = _mm512_add_epi16(_mm512_set1_epi32(16 << 16), _mm512_set_epi32(
        0xf000f, 0xe000e, 0xd000d, 0xc000c, 0xb000b, 0xa000a, 0x90009, 0x80008, 0x70007, 0x60006,
        0x50005, 0x40004, 0x30003, 0x20002, 0x10001, 0));
    return (__m512)_mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(x1, x0));
}

/* out[p][j] = pair (x[2p][j], x[2p + 1][j]): the inner dimension runs down the rows.  Rows of `out`
 * are `wide` apart and filled up to a whole vector unless edge; the last one has zeros for the
 * second of a pair if k is odd. */
VECTOR_INLINE void pack_rows(const float *x, size_t stride, size_t k, size_t cols, float *out,
                             size_t wide, bool edge)
{
    for (size_t p = 0; 2 * p < k; p++, x += 2 * stride)
        for (size_t j = 0; j < cols; j += SIDE) {
            __mmask16 some = lanes_of(j, cols), both = 2 * p + 1 < k ? some : 0;
            __m512 x1 = _mm512_maskz_loadu_ps(both, x + (both ? stride : 0) + j);
            __m512 pairs = pairs_of(_mm512_maskz_loadu_ps(some, x + j), x1);
            _mm512_mask_storeu_ps(out + p * wide + j, edge ? some : 0xffff, pairs);
        }
}

VECTOR static void pack_down(const float *x, size_t stride, size_t k, size_t cols, float *out)
{
    pack_rows(x, stride, k, cols, out, BLOCK, false);
}

VECTOR void bo__avx512_pair(size_t rows, size_t cols, const float *x, size_t stride, float *out)
{
    pack_rows(x, stride, rows, cols, out, stride, true);
}

/* out[i][p] = pair (x[i][2p], x[i][2p + 1]): the inner dimension runs along the rows.  Rows of
 * `out` are BLOCK_K / 2 long. */
VECTOR static void pack_along(const float *x, size_t stride, size_t rows, size_t k, float *out)
{
    for (size_t i = 0; i < rows; i++, x += stride, out += BLOCK_K / 2)
        for (size_t j = 0; j < k; j += 2 * SIDE) {
            __m512 x0 = _mm512_maskz_loadu_ps(lanes_of(j, k), x + j);
            __mmask16 more = lanes_of(j + SIDE, k);
            __m512 x1 = _mm512_maskz_loadu_ps(more, x + (more ? j + SIDE : 0));
            _mm512_storeu_ps(out + j / 2, (__m512)_mm512_cvtne2ps_pbh(x1, x0));
        }
}

/* ---- all pieces -------------------------------------------------------------------------- */

/* Buffers of one product.  Sides with the inner dimension down are packed in rows of BLOCK, a left
 * one with it along the rows in rows of BLOCK_K / 2. */
typedef struct buffers {
    float right[BLOCK_K * BLOCK], left[BLOCK * BLOCK_K / 2], pairs[BLOCK * BLOCK_K / 2];
} buffers;

/* A block of B: columns n0 …, inner indices k0 …; as work.b. */
static void take_right(const bo__product *p, size_t n0, size_t k0, bool pairs, buffers *at,
                       work *w)
{
    size_t cols = least(BLOCK, p->n - n0), k = least(BLOCK_K, p->k - k0);
    w->b = at->right;
    w->bp = BLOCK;
    if (!p->b.transposed) {
        const float *x = p->b.data + k0 * p->b.stride + n0;
        bool packed = pairs && p->b_pairs;
        if (pairs && !packed) {
            pack_down(x, p->b.stride, k, cols, at->right);
            return;
        }
        w->b = packed ? p->b_pairs + k0 / 2 * p->b.stride + n0 : x;
        w->bp = p->b.stride;
        return;
    }
    const float *x = p->b.data + n0 * p->b.stride + k0;
    if (!pairs) {
        bo__turn(cols, k, x, p->b.stride, at->right, BLOCK);
        return;
    }
    pack_along(x, p->b.stride, cols, k, at->pairs);
    bo__turn(cols, (k + 1) / 2, at->pairs, BLOCK_K / 2, at->right, BLOCK);
}

/* Rows m0 … of A. */
static void take_left(const bo__product *p, size_t m0, size_t k0, bool pairs, buffers *at,
                      work *w)
{
    size_t rows = least(BLOCK, p->m - m0), k = least(BLOCK_K, p->k - k0);
    const float *x = p->a.transposed ? p->a.data + k0 * p->a.stride + m0
                                     : p->a.data + m0 * p->a.stride + k0;
    w->a = x;
    w->ai = p->a.transposed ? 1 : p->a.stride;
    w->ap = p->a.transposed ? p->a.stride : 1;
    if (!pairs)
        return;
    w->a = at->left;
    w->ai = p->a.transposed ? 1 : BLOCK_K / 2;
    w->ap = p->a.transposed ? BLOCK : 1;
    if (p->a.transposed)
        pack_down(x, p->a.stride, k, rows, at->left);
    else
        pack_along(x, p->a.stride, rows, k, at->left);
}

/* rows × cols numbers of C from m0, n0 on; w has A and B. */
static void block(const bo__product *p, size_t m0, size_t n0, work w, bool pairs)
{
    size_t rows = least(BLOCK, p->m - m0), cols = least(BLOCK, p->n - n0);
    const float *a = w.a, *b = w.b;
    w.c_stride = p->c_stride;
    for (size_t j = 0; j < cols; j += VECS * SIDE) {
        size_t some = least(VECS * SIDE, cols - j), vecs = (some + SIDE - 1) / SIDE;
        w.edge = (__mmask16)(0xffffu >> (vecs * SIDE - some));
        w.b = b + j;
        w.bias = p->bias ? p->bias + n0 + j : NULL;
        for (size_t i = 0; i < rows; i += ROWS) {
            w.a = a + i * w.ai;
            w.c = p->c + (m0 + i) * p->c_stride + n0 + j;
            (pairs ? piece_bf16 : piece_float32)(&w, least(ROWS, rows - i), vecs);
        }
    }
}

void bo__avx512_multiply(const bo__product *p, bool pairs)
{
    buffers at;
    bo__product part = *p;
    for (size_t n0 = 0; n0 < p->n; n0 += BLOCK)
        for (size_t k0 = 0; k0 < p->k; k0 += BLOCK_K) {
            bool last = k0 + BLOCK_K >= p->k;
            size_t k = least(BLOCK_K, p->k - k0);
            work w = {.depth = pairs ? (k + 1) / 2 : k, .add = p->add || k0 > 0,
                      .relu = p->relu && last};
            part.bias = last ? p->bias : NULL;
            take_right(p, n0, k0, pairs, &at, &w);
            for (size_t m0 = 0; m0 < p->m; m0 += BLOCK) {
                take_left(p, m0, k0, pairs, &at, &w);
                block(&part, m0, n0, w, pairs);
            }
        }
}

#else

bool bo__avx512_ready(void)
{
    return false;
}

bool bo__avx512_has_bf16(void)
{
    return false;
}

void bo__avx512_multiply(const bo__product *p, bool pairs)
{
}

void bo__avx512_pair(size_t rows, size_t cols, const float *x, size_t stride, float *out)
{
}

#endif
