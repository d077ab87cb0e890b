/* matmul-avx512.h - products in vectors of sixteen numbers, in float32 and in bf16.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MATMUL_AVX512_H
#define BO_MATMUL_AVX512_H

#include "matmul.h"

/* Whether the CPU has what float32 needs, and what bf16 needs. */
bool bo__avx512_ready(void);
bool bo__avx512_has_bf16(void);

/* The product, in bf16 if pairs, else in float32; only after the above said yes. */
void bo__avx512_multiply(const bo__product *p, bool pairs);

/* bo__matmul_pair, where the CPU has bf16. */
void bo__avx512_pair(size_t rows, size_t cols, const float *x, size_t stride, float *out);

#endif
