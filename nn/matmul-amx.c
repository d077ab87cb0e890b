/* matmul-amx.c - products of bf16 numbers in the tiles of newer Intel CPUs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tile register holds 16 rows of 64 bytes.  One instruction adds to a tile of 16 × 16 float32
 * the product of a left tile, 16 rows of 32 bf16, and a right tile, whose row p holds for each of
 * 16 columns the two bf16 that meet the left's numbers 2p and 2p + 1.
 *
 * The inner dimension may be put in any order so long as both sides have the same: here the pair
 * p of a block of 32 is made of k = p and k = p + 16.  Then making pairs works lane by lane, from
 * two neighbouring vectors of a row or from two rows, sixteen apart, of the matrix in memory.
 *
 * Split ("bf16x3"): x = h + l + e with h = x rounded to 8 bits, l = x - h rounded to 8 bits, so
 * that |l| ≤ 2⁻⁸|x| and |e| ≤ 1.4·2⁻¹⁶|x|; of (h + l)(h' + l') the small l·l' is left out.  The
 * error is at most 3.8·2⁻¹⁶ |x||x'| = 5.8e-5 |x||x'|, and far less in a sum, where it has either
 * sign.
 *
 * Order of work: a block of B of at most 256 × 128 is packed into tiles, 128 kB that stay in the
 * second-level cache; then A goes by in strips of 32 rows, which are packed for the first-level
 * cache.  Four tiles of C are in registers at a time.  The next strip is packed between the
 * products of the current one, since those keep another unit of the CPU busy.
 */
#include "matmul-amx.h"

#if defined(__x86_64__) && defined(__GNUC__) && defined(__linux__)

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AMX __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512bf16")))
#define AMX_INLINE static inline __attribute__((always_inline)) AMX

enum {
    SIDE = 16,           /* rows of a tile, and columns of a tile of C */
    DEPTH = 32,          /* inner dimension of a tile */
    ROWS = 2 * SIDE,     /* of a strip of A */
    BLOCK = 128,         /* columns of a packed block of B */
    BLOCK_K = 256,       /* and its rows */
    BLOCK_TILES = BLOCK / SIDE * (BLOCK_K / DEPTH),
    STRIP_TILES = ROWS / SIDE * (BLOCK_K / DEPTH),
};

/* Sixteen by sixteen pairs of bf16: high parts, then low parts. */
typedef struct tile {
    uint32_t part[2][SIDE][SIDE];
} tile;

/* ---- may it be used? --------------------------------------------------------------------- */

static bool ready;

static void find_out(void)
{
    enum { TILE_BIT = 1 << 24, BF16_BIT = 1 << 22, AVX512_BF16_BIT = 1 << 5 };
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* of arch_prctl(2) */
    unsigned a, b, c, d;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__get_cpuid_count(7, 0, &a, &b, &c, &d) ||
        !(d & TILE_BIT) || !(d & BF16_BIT) || !__get_cpuid_count(7, 1, &a, &b, &c, &d) ||
        !(a & AVX512_BF16_BIT))
        return;
    ready = syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

bool bo__amx_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return ready;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- packing ----------------------------------------------------------------------------- */

/* One side of the product: `count` rows of A or columns of B, with inner dimension k. */
typedef struct side {
    const float *data;
    size_t stride, count, k;
    bool k_down; /* the inner dimension runs down the rows in memory */
    bool flip;   /* what memory holds must be transposed */
} side;

static side left_side(const bo__product *p)
{
    return (side){p->a.data, p->a.stride, p->m, p->k, p->a.transposed, p->a.transposed};
}

static side right_side(const bo__product *p)
{
    return (side){p->b.data, p->b.stride, p->n, p->k, !p->b.transposed, p->b.transposed};
}

/* Pairs of bf16 (x0 low half, x1 high half): their high parts, and if split their low parts.
 * The high part is rounded by adding half of its last place to the magnitude and cutting off.  A
 * NaN with all bits set would become 0 by that, and its low part too, so that one is multiplied by
 * 1 + c·2⁻⁸ in place of adding and then cut off; with c = 1/1.4427, the inverse mean of a
 * mantissa, this adds half of the last place on average. */
AMX_INLINE void make_pairs(__m512 x0, __m512 x1, bool split, __m512i *high, __m512i *low)
{
    const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32((int)0xffff0000);
    const __m512 raise = _mm512_set1_ps(1 + 0x1p-8f / 1.4427f);
    if (!split) {
        __m512i h0 = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(x0));
        __m512i h1 = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(x1));
        *high = _mm512_or_si512(h0, _mm512_slli_epi32(h1, 16));
        return;
    }
    __m512i h0 = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x0), half), top);
    __m512i h1 = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x1), half), top);
    __m512 l0 = _mm512_sub_ps(x0, _mm512_castsi512_ps(h0));
    __m512 l1 = _mm512_sub_ps(x1, _mm512_castsi512_ps(h1));
    __m512i r0 = _mm512_castps_si512(_mm512_mul_ps(l0, raise));
    __m512i r1 = _mm512_castps_si512(_mm512_mul_ps(l1, raise));
    *high = _mm512_or_si512(_mm512_srli_epi32(h0, 16), h1);
    *low = _mm512_ternarylogic_epi32(_mm512_srli_epi32(r0, 16), r1, top, 0xf8); /* a | (b & c) */
}

/* Where a tile comes from: two blocks of memory of 16 rows by 16 columns, whose numbers at the same
 * place make a pair.  Sixteen rows apart where the inner dimension runs down, else columns. */
typedef struct source {
    const float *first, *second;
    size_t stride;
} source;

/* The first `rows` rows of the blocks; zeros in the others. */
AMX_INLINE void pack_plain(source x, size_t rows, bool split, tile *t)
{
    __m512i high, low;
    for (size_t i = 0; i < rows; i++) {
        make_pairs(_mm512_loadu_ps(x.first + i * x.stride),
                   _mm512_loadu_ps(x.second + i * x.stride), split, &high, &low);
        _mm512_store_si512(t->part[0][i], high);
        if (split)
            _mm512_store_si512(t->part[1][i], low);
    }
    for (size_t i = rows; i < SIDE; i++) {
        _mm512_store_si512(t->part[0][i], _mm512_setzero_si512());
        _mm512_store_si512(t->part[1][i], _mm512_setzero_si512());
    }
}

/* Four rows that are four apart, of four columns each, in one vector. */
AMX_INLINE __m512 load_quads(const float *x, size_t stride)
{
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(x));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(x + 4 * stride), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(x + 8 * stride), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(x + 12 * stride), 3);
}

/* Four columns of sixteen rows, as vectors. */
AMX_INLINE void load_columns(const float *x, size_t stride, __m512 out[4])
{
    __m512 r0 = load_quads(x, stride), r1 = load_quads(x + stride, stride);
    __m512 r2 = load_quads(x + 2 * stride, stride), r3 = load_quads(x + 3 * stride, stride);
    __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r0, r1));
    __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(r0, r1));
    __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(r2, r3));
    __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(r2, r3));
    out[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    out[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    out[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    out[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}

/* The same of the two blocks transposed. */
AMX_INLINE void pack_flipped(source x, bool split, tile *t)
{
#pragma GCC unroll 1
    for (size_t j = 0; j < SIDE; j += 4) {
        __m512 first[4], second[4];
        __m512i high, low;
        load_columns(x.first + j, x.stride, first);
        load_columns(x.second + j, x.stride, second);
#pragma GCC unroll 4
        for (size_t c = 0; c < 4; c++) {
            make_pairs(first[c], second[c], split, &high, &low);
            _mm512_store_si512(t->part[0][j + c], high);
            if (split)
                _mm512_store_si512(t->part[1][j + c], low);
        }
    }
}

/* out = the block of memory that begins at (row, col), with zeros beyond rows × cols. */
static void copy_block(const side *s, size_t row, size_t col, size_t rows, size_t cols,
                       float out[SIDE][SIDE])
{
    memset(out, 0, SIDE * sizeof out[0]);
    for (size_t i = 0; i < SIDE && row + i < rows && col < cols; i++)
        memcpy(out[i], s->data + (row + i) * s->stride + col,
               least(cols - col, SIDE) * sizeof out[0][0]);
}

/* The tile of rows i0 … i0 + 15 and inner indices k0 … k0 + 31; zeros beyond the edges. */
AMX static void pack(const side *s, size_t i0, size_t k0, bool split, tile *t)
{
    size_t rows = s->k_down ? s->k : s->count, cols = s->k_down ? s->count : s->k;
    size_t row = s->k_down ? k0 : i0, col = s->k_down ? i0 : k0;
    size_t down = s->k_down ? SIDE : 0, right = s->k_down ? 0 : SIDE;
    float edge[2][SIDE][SIDE] __attribute__((aligned(64)));
    source x = {s->data + row * s->stride + col, NULL, s->stride};
    x.second = x.first + down * s->stride + right;
    size_t some = SIDE;
    if (!s->k_down && !s->flip && row < rows && col + right + SIDE <= cols)
        some = least(SIDE, rows - row);
    else if (row + down + SIDE > rows || col + right + SIDE > cols) {
        copy_block(s, row, col, rows, cols, edge[0]);
        copy_block(s, row + down, col + right, rows, cols, edge[1]);
        x = (source){edge[0][0], edge[1][0], SIDE};
    }
    if (s->flip && split)
        pack_flipped(x, true, t);
    else if (s->flip)
        pack_flipped(x, false, t);
    else if (split)
        pack_plain(x, some, true, t);
    else
        pack_plain(x, some, false, t);
}

/* ---- products ---------------------------------------------------------------------------- */

/* A strip of A in work, and the next one, of which a tile is packed at every `every`-th call. */
typedef struct strips {
    const side *s;
    size_t i0, k0, tiles, done; /* of the next strip: its place, and its tiles */
    size_t every, calls;
    tile *next;
} strips;

AMX_INLINE void pack_some(strips *q, bool split)
{
    if (q->done < q->tiles && q->calls++ % q->every == 0) {
        size_t i = q->i0 + q->done % 2 * SIDE, k = q->k0 + q->done / 2 * DEPTH;
        pack(q->s, i, k, split, &q->next[q->done++]);
    }
}

/* Where a piece of C goes: at most 32 × 32 numbers. */
typedef struct piece {
    float *c;
    size_t stride, rows, cols;
} piece;

/* Tiles 0 … 3 are C (of row 0 the first two), 4 and 5 of A, 6 and 7 of B.  a and b hold the tiles
 * of each inner step one after the other, two by two. */
AMX_INLINE void step(const tile *a, const tile *b, bool two_rows, bool two_cols, bool split)
{
    enum { ROW = SIDE * sizeof(uint32_t) };
    __asm__ volatile("" ::: "memory"); /* the intrinsics do not tell that they read memory */
    _tile_loadd(4, a[0].part[0], ROW);
    if (two_rows)
        _tile_loadd(5, a[1].part[0], ROW);
    if (split) {
        _tile_loadd(6, b[0].part[1], ROW);
        if (two_cols)
            _tile_loadd(7, b[1].part[1], ROW);
        _tile_dpbf16ps(0, 4, 6);
        if (two_cols)
            _tile_dpbf16ps(1, 4, 7);
        if (two_rows)
            _tile_dpbf16ps(2, 5, 6);
        if (two_rows && two_cols)
            _tile_dpbf16ps(3, 5, 7);
    }
    _tile_loadd(6, b[0].part[0], ROW);
    if (two_cols)
        _tile_loadd(7, b[1].part[0], ROW);
    _tile_dpbf16ps(0, 4, 6);
    if (two_cols)
        _tile_dpbf16ps(1, 4, 7);
    if (two_rows)
        _tile_dpbf16ps(2, 5, 6);
    if (two_rows && two_cols)
        _tile_dpbf16ps(3, 5, 7);
    if (split) {
        _tile_loadd(4, a[0].part[1], ROW);
        if (two_rows)
            _tile_loadd(5, a[1].part[1], ROW);
        _tile_dpbf16ps(0, 4, 6);
        if (two_cols)
            _tile_dpbf16ps(1, 4, 7);
        if (two_rows)
            _tile_dpbf16ps(2, 5, 6);
        if (two_rows && two_cols)
            _tile_dpbf16ps(3, 5, 7);
    }
}

AMX_INLINE void begin(piece c, bool two_rows, bool two_cols, bool add)
{
    size_t row = c.stride * sizeof *c.c;
    __asm__ volatile("" ::: "memory");
    if (!add) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        return;
    }
    _tile_loadd(0, c.c, row);
    if (two_cols)
        _tile_loadd(1, c.c + SIDE, row);
    if (two_rows)
        _tile_loadd(2, c.c + SIDE * c.stride, row);
    if (two_rows && two_cols)
        _tile_loadd(3, c.c + SIDE * c.stride + SIDE, row);
}

AMX_INLINE void end(piece c, bool two_rows, bool two_cols)
{
    size_t row = c.stride * sizeof *c.c;
    _tile_stored(0, c.c, row);
    if (two_cols)
        _tile_stored(1, c.c + SIDE, row);
    if (two_rows)
        _tile_stored(2, c.c + SIDE * c.stride, row);
    if (two_rows && two_cols)
        _tile_stored(3, c.c + SIDE * c.stride + SIDE, row);
}

static void copy(piece from, piece to)
{
    for (size_t i = 0; i < to.rows && i < from.rows; i++)
        memcpy(to.c + i * to.stride, from.c + i * from.stride,
               (to.cols < from.cols ? to.cols : from.cols) * sizeof *to.c);
}

/* One piece of C from `steps` inner steps. */
AMX_INLINE void multiply_piece(const tile *a, const tile *b, size_t steps, piece c, bool two_rows,
                               bool two_cols, bool add, bool split, strips *q)
{
    float edge[2 * SIDE * 2 * SIDE] __attribute__((aligned(64)));
    piece out = c, whole = {edge, 2 * SIDE, 2 * SIDE, 2 * SIDE};
    bool partial = c.rows < (two_rows ? 2 : 1) * SIDE || c.cols < (two_cols ? 2 : 1) * SIDE;
    if (partial) {
        out = whole;
        memset(edge, 0, sizeof edge);
        if (add)
            copy(c, whole);
    }
    begin(out, two_rows, two_cols, add);
    for (size_t s = 0; s < steps; s++) {
        step(a + 2 * s, b + 2 * s, two_rows, two_cols, split);
        pack_some(q, split);
    }
    end(out, two_rows, two_cols);
    if (partial)
        copy(whole, c);
}

/* Every piece of a strip of C. */
AMX_INLINE void multiply_strip(const tile *a, const tile *b, size_t steps, piece c, bool add,
                               bool split, strips *q)
{
    for (size_t j = 0; j < c.cols; j += 2 * SIDE, b += 2 * steps) {
        piece part = {c.c + j, c.stride, c.rows, c.cols - j < 2 * SIDE ? c.cols - j : 2 * SIDE};
        bool two_rows = part.rows > SIDE, two_cols = part.cols > SIDE;
        if (two_rows && two_cols)
            multiply_piece(a, b, steps, part, true, true, add, split, q);
        else if (two_cols)
            multiply_piece(a, b, steps, part, false, true, add, split, q);
        else if (two_rows)
            multiply_piece(a, b, steps, part, true, false, add, split, q);
        else
            multiply_piece(a, b, steps, part, false, false, add, split, q);
    }
}

/* The lanes of columns from … end - 1, at most sixteen. */
AMX_INLINE __mmask16 lanes(size_t from, size_t end)
{
    return from >= end ? 0 : end - from >= SIDE ? 0xffff : (__mmask16)((1u << (end - from)) - 1);
}

AMX_INLINE void finish_strip(piece c, const float *bias, bool relu)
{
    const __m512 zero = _mm512_setzero_ps();
    for (size_t j = 0; j < c.cols; j += SIDE) {
        __mmask16 wide = lanes(j, c.cols);
        __m512 b = bias ? _mm512_maskz_loadu_ps(wide, bias + j) : zero;
        for (size_t i = 0; i < c.rows; i++) {
            float *y = c.c + i * c.stride + j;
            __m512 v = _mm512_add_ps(_mm512_maskz_loadu_ps(wide, y), b);
            _mm512_mask_storeu_ps(y, wide, relu ? _mm512_max_ps(zero, v) : v); /* NaN stays */
        }
    }
}

/* All rows of A with one block of B. */
AMX_INLINE void multiply_block(const bo__product *p, const tile *b, size_t n0, size_t k0,
                               bool split)
{
    tile buffer[2][STRIP_TILES] __attribute__((aligned(64)));
    side a = left_side(p);
    size_t cols = least(BLOCK, p->n - n0), depth = least(BLOCK_K, p->k - k0);
    size_t steps = (depth + DEPTH - 1) / DEPTH, pairs = (cols + 2 * SIDE - 1) / (2 * SIDE);
    bool last = k0 + depth == p->k && (p->bias || p->relu);
    strips q = {.s = &a, .k0 = k0, .tiles = 2 * steps, .every = 1, .next = buffer[0]};
    while (q.done < q.tiles)
        pack_some(&q, split);
    for (size_t i = 0; i < p->m; i += ROWS) {
        const tile *now = buffer[i / ROWS % 2];
        q.i0 = i + ROWS;
        q.done = q.i0 < p->m ? 0 : q.tiles;
        q.calls = 0;
        q.every = pairs < 2 ? 1 : pairs / 2;
        q.next = buffer[(i / ROWS + 1) % 2];
        piece c = {p->c + i * p->c_stride + n0, p->c_stride, least(ROWS, p->m - i), cols};
        multiply_strip(now, b, steps, c, p->add || k0 > 0, split, &q);
        q.every = 1;
        while (q.done < q.tiles)
            pack_some(&q, split);
        if (last)
            finish_strip(c, p->bias ? p->bias + n0 : NULL, p->relu);
    }
}

AMX_INLINE void multiply(const bo__product *p, bool split)
{
    tile packed[BLOCK_TILES] __attribute__((aligned(64)));
    side b = right_side(p);
    for (size_t n0 = 0; n0 < p->n; n0 += BLOCK)
        for (size_t k0 = 0; k0 < p->k; k0 += BLOCK_K) {
            size_t cols = least(BLOCK, p->n - n0), depth = least(BLOCK_K, p->k - k0);
            tile *t = packed;
            for (size_t j = 0; j < cols; j += 2 * SIDE)
                for (size_t k = 0; k < depth; k += DEPTH, t += 2) {
                    pack(&b, n0 + j, k0 + k, split, t);
                    pack(&b, n0 + j + SIDE, k0 + k, split, t + 1);
                }
            multiply_block(p, packed, n0, k0, split);
        }
}

AMX static void multiply_split(const bo__product *p)
{
    multiply(p, true);
}

AMX static void multiply_plain(const bo__product *p)
{
    multiply(p, false);
}

/* The tiles' shapes are set for every product and given back after it: it costs little, and
 * leaves threads as they were found. */
AMX void bo__amx_multiply(const bo__product *p, bool split)
{
    struct {
        uint8_t palette, start, zero[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } shapes __attribute__((aligned(64))) = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        shapes.bytes[i] = SIDE * sizeof(uint32_t);
        shapes.rows[i] = SIDE;
    }
    __asm__ volatile("" ::: "memory");
    _tile_loadconfig(&shapes);
    if (split)
        multiply_split(p);
    else
        multiply_plain(p);
    _tile_release();
}

#else

bool bo__amx_ready(void)
{
    return false;
}

void bo__amx_multiply(const bo__product *p, bool split)
{
}

#endif
