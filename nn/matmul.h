/* matmul.h - the one place where matrices are multiplied.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers are float32 in memory; how exactly they are multiplied is a choice:
 *   float32  OpenBLAS; about K rounding errors of 6e-8 on a sum of K products.
 *   bf16x3   each number is the sum of a high and a low part of 8 bits, and high·high + high·low +
 *            low·high are added up in float32.  The error is below 6e-5 · Σ |a||b| for any
 *            numbers, and about 2e-6 · Σ |a||b| for a hundred numbers of like size.
 *   bf16     the high parts alone: an error below 1e-2 · Σ |a||b|, 1e-3 for numbers of like size.
 * The last two need a CPU with AMX tiles (see matmul-amx.c), else they are done in float32.  An
 * element of the result depends on its own row and column only, so that it is the same bit by bit
 * wherever it stands, on any thread.  In bf16x3 and bf16 numbers below 1e-38 count as 0, and an
 * input beyond 3.38e38, infinite or NaN makes what it touches infinite or NaN.
 */
#ifndef BO_MATMUL_H
#define BO_MATMUL_H

#include <stdbool.h>
#include <stddef.h>

typedef enum bo__precision {
    BO__PRECISION_AUTO, /* bf16x3 where that is faster, else float32 */
    BO__PRECISION_FLOAT32,
    BO__PRECISION_BF16X3,
    BO__PRECISION_BF16,
    BO__PRECISION_MIXED, /* of a tape: auto forward, bf16 for gradients */
} bo__precision;

/* A matrix in memory, row-major; rows are `stride` numbers apart. */
typedef struct bo__matrix {
    const float *data;
    size_t stride;
    bool transposed; /* op(A) = Aᵀ */
} bo__matrix;

/* C = op(A) op(B), or C += op(A) op(B) when add; op(A) is m × k, op(B) is k × n. */
typedef struct bo__product {
    size_t m, n, k;
    bo__matrix a, b;
    const float *b_pairs; /* NULL, or a B that is not transposed as bo__matmul_pair packs it */
    float *c;
    size_t c_stride;
    bool add;
    const float *bias; /* NULL, or n numbers that are added to every row at the end */
    bool relu;         /* then C = max(0, C); NaN stays NaN */
    bo__precision precision;
} bo__product;

/* Runs on the caller's thread only (OpenBLAS must have been told so, see bo__matmul_single). */
void bo__matmul(const bo__product *p);

/* Whether this CPU and system multiply in bf16x3, and in bf16; else those are done in float32. */
bool bo__matmul_has_bf16x3(void);
bool bo__matmul_has_bf16(void);

/* Whether products of this precision are quicker with a B of which pairs are kept. */
bool bo__matmul_wants_pairs(bo__precision precision);

/* Packs a B that many products have: out[p][j] is the bf16 pair of x[2p][j] and x[2p + 1][j], in
 * the room of a float, with zeros after an odd last row; its rows are `stride` apart, as x's.  Only
 * after the above said yes. */
void bo__matmul_pair(size_t rows, size_t cols, const float *x, size_t stride, float *out);

/* "auto", "float32", "bf16x3", "bf16", "mixed"; a list of them in this order, with NULL at its end. */
const char *bo__precision_name(bo__precision precision);
extern const char *const bo__precision_names[];

/* What the gradients of a tape are multiplied in. */
bo__precision bo__precision_backward(bo__precision precision);

/* Makes OpenBLAS use one thread a call, in the whole process: commands call it once. */
void bo__matmul_single(void);

#endif
