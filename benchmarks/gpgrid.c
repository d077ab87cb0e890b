/* gpgrid.c - a function drawn exactly on a grid: y = L·ε with L·Lᵀ the covariance, ε ~ N(0, I).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On a fine grid the covariance is singular to working precision, so a jitter is put on its
 * diagonal; at 1e-10 of the variance it amounts to values 1e-5·s off, far below the noise.
 */
#include "gpgrid.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "message.h"

/* k(δ)/s² of gpprior.h, in one dimension. */
static double correlation(const bo__objective_prior *prior, double distance)
{
    double r = distance / prior->lengthscale;
    if (prior->kernel == BO_RBF)
        return exp(-r * r / 2);
    if (prior->kernel == BO_MATERN52)
        return (1 + sqrt(5) * r + 5 * r * r / 3) * exp(-sqrt(5) * r);
    double sine = sin(M_PI * distance / prior->period) / prior->lengthscale;
    return exp(-2 * sine * sine);
}

/* y = L·ε, with as little jitter as lets the Cholesky factorisation go through. */
static bo_status draw_values(bo__gpgrid *grid, double *matrix, bo__rng *rng)
{
    size_t n = grid->n;
    for (size_t i = 0; i < n; i++)
        grid->y[i] = grid->prior.scale * bo__rng_normal(rng);
    for (double jitter = 1e-10; jitter < 1e-4; jitter *= 10) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++)
                matrix[i * n + j] = correlation(&grid->prior, grid->x[i] - grid->x[j]);
            matrix[i * n + i] = 1 + jitter;
        }
        if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, matrix, (int)n) == 0) {
            cblas_dtrmv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, matrix,
                        (int)n, grid->y, 1);
            return BO_OK;
        }
    }
    return BO_ENUMERIC;
}

/* Noise has a stream of its own, so that the function beneath does not depend on it. */
static void add_noise(bo__gpgrid *grid, bool noise, bool heavy_tails, uint64_t seed)
{
    bo__rng gauss, heavy;
    bo__rng_init(&gauss, seed, "gpgrid noise", 0);
    bo__rng_init(&heavy, seed, "gpgrid t-noise", 0);
    for (size_t i = 0; i < grid->n; i++) {
        if (noise)
            grid->y[i] += BO_GPPRIOR_NOISE * bo__rng_normal(&gauss);
        if (heavy_tails)
            grid->y[i] += bo__gpprior_tnoise(&heavy);
    }
}

bo_status bo__gpgrid_new(bo__gpgrid **out, bo_kernel kernel, size_t n, bool noise,
                         bool heavy_tails, uint64_t seed, bo_message *message)
{
    *out = NULL;
    if (kernel != BO_RBF && kernel != BO_MATERN52 && kernel != BO_PERIODIC)
        return bo__fail(message, BO_EINVAL,
                        "functions are drawn with the rbf, matern52 or periodic kernel only");
    if (n < 2 || n > SHRT_MAX)
        return bo__fail(message, BO_EINVAL, "a grid has 2 to %d points, not %zu", SHRT_MAX, n);
    bo__gpgrid *grid = calloc(1, sizeof *grid);
    double *matrix = malloc(n * n * sizeof *matrix);
    bo_status status = BO_ENOMEM;
    if (grid && matrix && (grid->x = malloc(2 * n * sizeof *grid->x))) {
        bo__rng rng;
        bo__rng_init(&rng, seed, "gpgrid", (uint64_t)kernel);
        grid->prior = bo__gpprior_choose(kernel, seed);
        grid->n = n;
        grid->y = grid->x + n;
        for (size_t i = 0; i < n; i++)
            grid->x[i] = -2 + 4 * (double)i / (double)(n - 1);
        status = draw_values(grid, matrix, &rng);
    }
    free(matrix);
    if (status) {
        bo__gpgrid_free(grid);
        return bo__fail(message, status, "a function on %zu points cannot be drawn: %s", n,
                        bo_status_text(status));
    }
    add_noise(grid, noise, heavy_tails, seed);
    grid->least = grid->most = grid->y[0];
    for (size_t i = 1; i < n; i++) {
        grid->least = fmin(grid->least, grid->y[i]);
        grid->most = fmax(grid->most, grid->y[i]);
    }
    *out = grid;
    return BO_OK;
}

void bo__gpgrid_free(bo__gpgrid *grid)
{
    if (!grid)
        return;
    free(grid->x);
    free(grid);
}
