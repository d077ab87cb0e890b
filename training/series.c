/* series.c - a series of observations in time, and tasks made of its points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"

enum { CONTEXT = 15, TARGETS = BO__SERIES_LEAST - CONTEXT, D = BO__SERIES_OUTPUTS };

void bo__series_free(bo__series *series)
{
    free(series->x);
    free(series->y);
    *series = (bo__series){0};
}

bo_status bo__series_new(bo__series *series, size_t rows, size_t cols, const double *data,
                         bo_message *message)
{
    *series = (bo__series){.n = rows};
    if (cols != 1 + D)
        return bo__fail(message, BO_EINVAL, "a series has 3 columns (time, prey, predators), not "
                        "%zu", cols);
    if (rows < BO__SERIES_LEAST || rows > BO__SERIES_MOST)
        return bo__fail(message, BO_EINVAL, "a series has %d to %d lines, not %zu",
                        BO__SERIES_LEAST, BO__SERIES_MOST, rows);
    series->x = malloc(rows * sizeof *series->x);
    series->y = malloc(rows * D * sizeof *series->y);
    if (!series->x || !series->y) {
        bo__series_free(series);
        return bo__fail(message, BO_ENOMEM, "no memory for a series");
    }
    for (size_t i = 0; i < rows; i++) {
        series->x[i] = (float)data[i * cols];
        series->y[i * D] = (float)data[i * cols + 2];
        series->y[i * D + 1] = (float)data[i * cols + 1];
    }
    return BO_OK;
}

size_t bo__series_context(const bo__series *series, bo__rng *rng)
{
    return CONTEXT + bo__rng_below(rng, series->n - TARGETS - CONTEXT + 1);
}

void bo__series_moments(size_t n, size_t stride, const float *values, double *mean, double *sd)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i * stride];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i * stride] - *mean) * (values[i * stride] - *mean);
    *sd = squares > 0 ? sqrt(squares / (double)(n - 1)) + 1e-5 : 1;
}

/* Standardises n numbers that are `stride` apart by the first `context` of them. */
static void standardise(size_t context, size_t n, size_t stride, float *values)
{
    double mean, sd;
    bo__series_moments(context, stride, values, &mean, &sd);
    for (size_t i = 0; i < n; i++)
        values[i * stride] = (float)((values[i * stride] - mean) / sd);
}

void bo__series_draw(const bo__series *series, bo__rng *rng, size_t context, size_t n, float *x,
                     float *y, uint32_t *order)
{
    for (size_t i = 0; i < series->n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) { /* the first n of a random order */
        size_t j = i + bo__rng_below(rng, series->n - i), from = order[j];
        order[j] = order[i];
        x[i] = series->x[from];
        for (size_t k = 0; k < D; k++)
            y[i * D + k] = series->y[from * D + k];
    }
    standardise(context, n, 1, x);
    for (size_t k = 0; k < D; k++)
        standardise(context, n, D, y + k);
}
