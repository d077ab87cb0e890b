/* matmul.c - the one place where matrices are multiplied.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matmul.h"

#include <cblas.h>

#include "lanes.h"
#include "matmul-amx.h"

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
    NULL,
};

const char *bo__precision_name(bo__precision precision)
{
    return bo__precision_names[precision];
}

bool bo__matmul_has_bf16(void)
{
    return bo__amx_ready();
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
            bo__store(c + j, p->relu ? bo__where_positive(v, v) : v);
        }
        for (; j < p->n; j++) {
            float v = c[j] + (p->bias ? p->bias[j] : 0);
            c[j] = p->relu && !(v > 0) ? 0 : v;
        }
    }
}

static void multiply_float32(const bo__product *p)
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

void bo__matmul(const bo__product *p)
{
    bool tiles = p->precision != BO__PRECISION_FLOAT32 &&
                 (p->precision != BO__PRECISION_AUTO || pays_in_tiles(p)) && bo__amx_ready();
    if (tiles)
        bo__amx_multiply(p, p->precision != BO__PRECISION_BF16);
    else
        multiply_float32(p);
}

void bo__matmul_single(void)
{
    openblas_set_num_threads(1);
}
