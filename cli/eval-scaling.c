/* eval-scaling.c - units of data: the series to test on, and models that standardise by context.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Column c of the context has mean m_c and sd s_c (n - 1 in the denominator); such a model gets
 * (v - m_c) / (s_c + 1e-5), and its answers are turned back: mean·(s_c + 1e-5) + m_c.
 */
#include <math.h>
#include <stdlib.h>

#include "eval.h"
#include "message.h"
#include "numbers.h"
#include "weights.h"

bo_status bo__eval_read_series(const bo__prior *kernels, const char *path, bo__series *series,
                               bo_message *message)
{
    bool wanted = false;
    char found[BO__WEIGHTS_PATH];
    bo__numbers rows = {0};
    *series = (bo__series){0};
    for (size_t i = 0; i < kernels->count; i++)
        wanted = wanted || kernels->kinds[i] == BO_PRIOR_SERIES;
    if (!wanted)
        return path ? bo__fail(message, BO_EINVAL, "--data is for --kernel hare-lynx") : BO_OK;
    bo_status status = path ? BO_OK : bo__weights_data("hare-lynx.txt", found, message);
    if (!status)
        status = bo__numbers_read(&rows, path ? path : found, message);
    bo_message detail;
    if (!status && (status = bo__series_new(series, rows.rows, rows.cols, rows.data, &detail)))
        bo__fail(message, status, "%.300s: %.150s", path ? path : found, detail.text);
    bo__numbers_free(&rows);
    return status;
}

bo_status bo__eval_scale_new(bo__eval_scale *s, size_t n, size_t cols, const double *data)
{
    *s = (bo__eval_scale){calloc(cols, sizeof *s->mean), calloc(cols, sizeof *s->sd)};
    if (!s->mean || !s->sd)
        return BO_ENOMEM;
    for (size_t c = 0; c < cols; c++) {
        double squares = 0;
        for (size_t i = 0; i < n; i++)
            s->mean[c] += data[i * cols + c] / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += pow(data[i * cols + c] - s->mean[c], 2);
        s->sd[c] = squares > 0 ? sqrt(squares / (double)(n - 1)) + 1e-5 : 1;
    }
    return BO_OK;
}

void bo__eval_scale_free(bo__eval_scale *s)
{
    free(s->mean);
    free(s->sd);
}

void bo__eval_scale_in(const bo__eval_scale *s, size_t first, size_t n, size_t cols, double *data)
{
    for (size_t i = 0; i < n * cols; i++)
        data[i] = (data[i] - s->mean[first + i % cols]) / s->sd[first + i % cols];
}

void bo__eval_scale_out(const bo__eval_scale *s, size_t first, bo__eval_answer *a)
{
    for (size_t i = 0; i < a->m * a->K * a->outputs; i++) {
        size_t c = first + i % a->outputs;
        a->mean[i] = s->mean[c] + s->sd[c] * a->mean[i];
        a->sd[i] *= s->sd[c];
    }
}
