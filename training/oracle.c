/* oracle.c - the best that can be predicted about a task: the Gaussian process it was drawn from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * K + v I = L Lᵀ, v the variance of the noise; with w = L⁻¹ k(x, x*):
 *   mean = wᵀ L⁻¹ y    sd² = k(x*, x*) - wᵀw + v
 */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"

/* v becomes L⁻¹ v. */
static void solve(size_t n, const double *l, double *v)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            v[i] -= l[i * n + j] * v[j];
        v[i] /= l[i * n + i];
    }
}

/* The covariance of n points with noise becomes L. */
static bool factor(size_t n, double *k)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = k[i * n + j];
            for (size_t p = 0; p < j; p++)
                sum -= k[i * n + p] * k[j * n + p];
            if (i == j && !(sum > 0))
                return false;
            k[i * n + j] = i == j ? sqrt(sum) : sum / k[j * n + j];
        }
    return true;
}

static bo_status predict(const bo__prior_task *task, size_t dim, size_t n, const double *x,
                         const double *y, size_t m, const double *at, double floor, double *mean,
                         double *sd, double *l)
{
    double *alpha = l + n * n, *w = alpha + n, noise = BO__PRIOR_NOISE * BO__PRIOR_NOISE;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            l[i * n + j] = bo__prior_kernel(task, dim, x + i * dim, x + j * dim);
        l[i * n + i] += noise;
        alpha[i] = y[i];
    }
    if (!factor(n, l))
        return BO_ENUMERIC;
    solve(n, l, alpha);
    for (size_t i = 0; i < m; i++) {
        double variance = task->scale * task->scale + noise;
        for (size_t j = 0; j < n; j++)
            w[j] = bo__prior_kernel(task, dim, x + j * dim, at + i * dim);
        solve(n, l, w);
        mean[i] = 0;
        for (size_t j = 0; j < n; j++) {
            mean[i] += w[j] * alpha[j];
            variance -= w[j] * w[j];
        }
        sd[i] = fmax(floor, sqrt(fmax(variance, noise)));
    }
    return BO_OK;
}

bo_status bo__oracle_predict(const bo__prior_task *task, size_t dim, size_t n, const double *x,
                             const double *y, size_t m, const double *at, double floor,
                             double *mean, double *sd, bo_message *message)
{
    if (task->kind >= BO_PRIOR_TNOISE)
        return bo__fail(message, BO_EUNSUPPORTED, "%s has no exact Gaussian process",
                        bo__prior_name(task->kind));
    double *memory = malloc((n * n + 2 * n + 1) * sizeof *memory);
    if (!memory)
        return bo__fail(message, BO_ENOMEM, "no memory for %zu points", n);
    bo_status status = predict(task, dim, n, x, y, m, at, floor, mean, sd, memory);
    free(memory);
    return status ? bo__fail(message, status, "the covariance of a task is not positive definite")
                  : BO_OK;
}
