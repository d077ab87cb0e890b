/* gpkernel.c - the inner loops of the kernels; see gpkernel.h for the mathematics.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gpkernel.h"

#include <math.h>

#include "vecmath.h"

BO_CLONES static void rbf(size_t n, const double *t, double *k, double *dk)
{
    for (size_t i = 0; i < n; i++)
        k[i] = bo__exp(-0.5 * t[i]);
    for (size_t i = 0; dk && i < n; i++)
        dk[i] = -0.5 * k[i];
}

BO_CLONES static void matern52(size_t n, const double *t, double *k)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(5 * t[i]);
        k[i] = (1 + r + r * r / 3) * bo__exp(-r);
    }
}

BO_CLONES static void matern52_both(size_t n, const double *t, double *k, double *dk)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(5 * t[i]), e = bo__exp(-r);
        dk[i] = -5.0 / 6 * (1 + r) * e;
        k[i] = (1 + r + r * r / 3) * e;
    }
}

BO_CLONES static void matern32(size_t n, const double *t, double *k)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(3 * t[i]);
        k[i] = (1 + r) * bo__exp(-r);
    }
}

BO_CLONES static void matern32_both(size_t n, const double *t, double *k, double *dk)
{
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(3 * t[i]), e = bo__exp(-r);
        dk[i] = -1.5 * e;
        k[i] = (1 + r) * e;
    }
}

void bo__kernel_apply(bo_kernel kernel, size_t n, const double *t, double *k, double *dk)
{
    switch (kernel) {
    case BO_MATERN52:
        if (dk)
            matern52_both(n, t, k, dk);
        else
            matern52(n, t, k);
        break;
    case BO_MATERN32:
        if (dk)
            matern32_both(n, t, k, dk);
        else
            matern32(n, t, k);
        break;
    case BO_RBF:
    case BO_PERIODIC:
        rbf(n, t, k, dk);
        break;
    }
}

BO_CLONES void bo__kernel_distances(size_t n, size_t features, const double *st, size_t ld,
                                    const double *s, size_t step, double *t)
{
    for (size_t i = 0; i < n; i++)
        t[i] = 0;
    for (size_t f = 0; f < features; f++) {
        const double *row = st + f * ld;
        double at = s[f * step];
        for (size_t i = 0; i < n; i++)
            t[i] += (row[i] - at) * (row[i] - at);
    }
}

BO_CLONES void bo__kernel_moments(size_t n, size_t features, const double *st, size_t ld,
                                  const double *s, size_t step, const double *weight, double *out)
{
    for (size_t f = 0; f < features; f++) {
        const double *row = st + f * ld;
        double at = s[f * step], sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += weight[i] * (row[i] - at) * (row[i] - at);
        out[f] += sum;
    }
}

BO_CLONES void bo__kernel_differences(size_t n, size_t features, const double *st, size_t ld,
                                      const double *s, size_t step, const double *weight,
                                      double *out)
{
    for (size_t f = 0; f < features; f++) {
        const double *row = st + f * ld;
        double at = s[f * step], sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < n; i++)
            sum += weight[i] * (at - row[i]);
        out[f] += sum;
    }
}
