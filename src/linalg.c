/* linalg.c - checked linear algebra over OpenBLAS and LAPACKE.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row-major lower triangle is a column-major upper one, so LAPACK is called with 'U' and
 * nothing is transposed.
 */
#include "linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool bo__cholesky(size_t n, double *a)
{
    if (n && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, a, (int)n) != 0)
        return false;
    for (size_t i = 0; i < n; i++) /* OpenBLAS takes a NaN for positive */
        if (!isfinite(a[i * n + i]))
            return false;
    return true;
}

bo_status bo__cholesky_jitter(size_t n, const double *a, double *l, double *jitter)
{
    double diagonal = 0;
    for (size_t i = 0; i < n; i++)
        diagonal += a[i * n + i] / (double)n;
    *jitter = 0;
    if (n && (!isfinite(diagonal) || diagonal <= 0))
        return BO_ENUMERIC;
    for (double rung = 0; rung <= 1.1e-2; rung = rung > 0 ? 10 * rung : 1e-10) {
        *jitter = rung * diagonal;
        memcpy(l, a, n * n * sizeof *l);
        for (size_t i = 0; i < n; i++)
            l[i * n + i] += *jitter;
        if (bo__cholesky(n, l))
            return BO_OK;
    }
    return BO_ENUMERIC;
}

bool bo__triangle_invert(size_t n, double *l)
{
    return n == 0 ||
           LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', (int)n, l, (int)n) == 0;
}

void bo__triangle_times(size_t n, const double *t, size_t ld, double *x)
{
    if (n)
        cblas_dtrmv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, t, (int)ld, x, 1);
}

void bo__triangle_transposed_times(size_t n, const double *t, size_t ld, double *x)
{
    if (n)
        cblas_dtrmv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, t, (int)ld, x, 1);
}

void *bo__aligned(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 64) / size)
        return NULL;
    size_t bytes = (count * size + 63) / 64 * 64;
    void *p = aligned_alloc(64, bytes ? bytes : 64);
    if (p)
        memset(p, 0, bytes ? bytes : 64);
    return p;
}
