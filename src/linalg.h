/* linalg.h - checked linear algebra on small dense matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matrices are row-major; a triangular one is lower and its other half is not read.
 */
#ifndef BO_LINALG_H
#define BO_LINALG_H

#include "bo.h"

/* Cholesky factor of A (n × n, lower half read), in place: A = L Lᵀ.  False when A is not
 * positive definite. */
bool bo__cholesky(size_t n, double *a);

/* The same with a jitter ladder: adds nothing, then 1e-10 … 1e-2 times the mean of the diagonal
 * until it works.  The factor goes to l (it may not be a), what was added to *jitter. */
bo_status bo__cholesky_jitter(size_t n, const double *a, double *l, double *jitter);

/* L → L⁻¹ in place. */
bool bo__triangle_invert(size_t n, double *l);

/* x → T x, x → Tᵀ x for lower triangular T with row stride ld. */
void bo__triangle_times(size_t n, const double *t, size_t ld, double *x);
void bo__triangle_transposed_times(size_t n, const double *t, size_t ld, double *x);

/* 64-byte aligned memory, all zero; NULL when out of memory or the size overflows. */
void *bo__aligned(size_t count, size_t size);

#endif
