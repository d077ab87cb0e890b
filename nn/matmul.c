/* matmul.c - the one place where matrices are multiplied.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matmul.h"

#include <cblas.h>

#include "lanes.h"
#include "matmul-amx.h"
#include "matmul-avx512.h"

/* Narrower products than this leave most of a tile of 16 × 16 by 32 empty. */
#define FEWEST_COLUMNS 12
#define FEWEST_INNER 12
/* Below this many multiplications OpenBLAS is done before the tiles are set up. */
#define FEWEST_MULTIPLICATIONS ((size_t)16 * 32 * 32)

const char *const bo__precision_names[] = {
    [BO__PRECISION_AUTO] = "auto",
    [BO__PRECISION_FLOAT32] = "float32",
    [BO__PRECISION_BF16X3] = "bf16x3",
    [BO__PRECISION_BF16] = "bf16",
    [BO__PRECISION_MIXED] = "mixed",
    NULL,
};

const char *bo__precision_name(bo__precision precision)
{
    return bo__precision_names[precision];
}

bo__precision bo__precision_backward(bo__precision precision)
{
    return precision == BO__PRECISION_MIXED ? BO__PRECISION_BF16 : precision;
}

bool bo__matmul_has_bf16x3(void)
{
    return bo__amx_ready();
}

bool bo__matmul_has_bf16(void)
{
    return bo__amx_ready() || bo__avx512_has_bf16();
}

BO__FAST static void finish(const bo__product *p)
{
    for (size_t i = 0; i < p->m; i++) {
        float *c = p->c + i * p->c_stride;
        size_t j = 0;
        for (; j + BO__LANES <= p->n; j += BO__LANES) {
            bo__v16 v = bo__load(c + j);
            if (p->bias)
                v += bo__load(p->bias + j);
            bo__store(c + j, p->relu ? bo__relu16(v) : v);
        }
        for (; j < p->n; j++) {
            float v = c[j] + (p->bias ? p->bias[j] : 0);
            c[j] = p->relu && v <= 0 ? 0 : v;
        }
    }
}

static void multiply_blas(const bo__product *p)
{
    cblas_sgemm(CblasRowMajor, p->a.transposed ? CblasTrans : CblasNoTrans,
                p->b.transposed ? CblasTrans : CblasNoTrans, (int)p->m, (int)p->n, (int)p->k, 1,
                p->a.data, (int)p->a.stride, p->b.data, (int)p->b.stride, p->add ? 1 : 0, p->c,
                (int)p->c_stride);
    if (p->bias || p->relu)
        finish(p);
}

static bool pays_in_tiles(const bo__product *p)
{
    return p->n >= FEWEST_COLUMNS && p->k >= FEWEST_INNER &&
           p->m * p->n * p->k >= FEWEST_MULTIPLICATIONS;
}

/* The precision that is meant, on this CPU. */
static bo__precision settle(const bo__product *p)
{
    switch (p->precision) {
    case BO__PRECISION_BF16:
        return bo__matmul_has_bf16() ? BO__PRECISION_BF16 : BO__PRECISION_FLOAT32;
    case BO__PRECISION_BF16X3:
        return bo__amx_ready() ? BO__PRECISION_BF16X3 : BO__PRECISION_FLOAT32;
    case BO__PRECISION_FLOAT32:
        return BO__PRECISION_FLOAT32;
    default:
        return bo__amx_ready() && pays_in_tiles(p) ? BO__PRECISION_BF16X3 : BO__PRECISION_FLOAT32;
    }
}

void bo__matmul(const bo__product *p)
{
    bo__precision precision = settle(p);
    if (precision != BO__PRECISION_FLOAT32 && bo__amx_ready())
        bo__amx_multiply(p, precision == BO__PRECISION_BF16X3);
    else if (bo__avx512_ready())
        bo__avx512_multiply(p, precision == BO__PRECISION_BF16);
    else
        multiply_blas(p);
}

bool bo__matmul_wants_pairs(bo__precision precision)
{
    return precision == BO__PRECISION_BF16 && !bo__amx_ready() && bo__avx512_has_bf16();
}

void bo__matmul_pair(size_t rows, size_t cols, const float *x, size_t stride, float *out)
{
    bo__avx512_pair(rows, cols, x, stride, out);
}

void bo__matmul_single(void)
{
    openblas_set_num_threads(1);
}
