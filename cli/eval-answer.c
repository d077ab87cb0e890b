/* eval-answer.c - what a model says at given points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mixture of K Gaussians has mean 1/K Σ μ_k and variance 1/K Σ (σ_k² + (μ_k - mean)²).
 */
#include <math.h>
#include <stdlib.h>

#include "eval.h"
#include "message.h"

void bo__eval_answer_free(bo__eval_answer *a)
{
    free(a->mean);
    free(a->sd);
    *a = (bo__eval_answer){0};
}

/* Far outside the box of the model float32 overflows: that is no answer. */
static bo_status check_finite(const bo__eval_answer *a, size_t in, const double *at,
                              bo_message *message)
{
    size_t each = a->K * a->outputs;
    for (size_t i = 0; i < a->m; i++) {
        bool good = true;
        for (size_t j = 0; j < in; j++)
            good = good && isfinite((float)at[i * in + j]);
        for (size_t k = i * each; k < (i + 1) * each; k++)
            good = good && isfinite(a->mean[k]) && isfinite(a->sd[k]);
        if (!good)
            return bo__fail(message, BO_ENUMERIC, "point %zu to predict at is too far away for the "
                            "network: it overflows float32", i + 1);
    }
    return BO_OK;
}

/* The components of network i, which begin at number *first. */
static bo_status add_member(bo__eval_answer *a, const bo__eval_model *e, size_t i, size_t *first,
                            size_t n, const double *x, const double *y, const double *at,
                            bo__npsampling sampling, bo_message *message)
{
    bo__npposterior p;
    void *work = NULL;
    size_t begin = *first * a->outputs;
    bo__npposterior_init(&p, &e->model[i], e->theta[i]);
    bo_status status = bo__npposterior_fit(&p, n, x, y, (bo__npunits){0, 1, 0, 1}, sampling,
                                           message);
    if (!status) {
        work = aligned_alloc(64, bo__npposterior_workspace(&p, a->m));
        status = work ? bo__npposterior_at(&p, a->m, at, a->K * a->outputs, a->mean + begin,
                                           a->sd + begin, work)
                      : BO_ENOMEM;
        if (status)
            bo__fail(message, status, "no memory for predictions");
    }
    *first += p.components;
    free(work);
    bo__npposterior_free(&p);
    return status;
}

bo_status bo__eval_answer_new(bo__eval_answer *a, const bo__eval_model *e, size_t n,
                              const double *x, const double *y, size_t m, const double *at,
                              bo__npsampling sampling, bo_message *message)
{
    bo__predictor predictor = bo__eval_predictor(e);
    *a = (bo__eval_answer){.m = m, .K = bo__predictor_components(&predictor, sampling.samples),
                           .outputs = e->model[0].spec.dim_y};
    a->mean = malloc(m * a->K * a->outputs * sizeof *a->mean);
    a->sd = malloc(m * a->K * a->outputs * sizeof *a->sd);
    bo_status status = BO_OK;
    if (!a->mean || !a->sd)
        status = bo__fail(message, BO_ENOMEM, "no memory for %zu points", m);
    uint64_t index = sampling.index;
    for (size_t i = 0, first = 0; !status && i < e->count; i++) {
        sampling.index = index * e->count + i;
        status = add_member(a, e, i, &first, n, x, y, at, sampling, message);
    }
    if (!status)
        status = check_finite(a, e->model[0].spec.dim_x, at, message);
    if (status)
        bo__eval_answer_free(a);
    return status;
}

void bo__eval_answer_moments(const bo__eval_answer *a, size_t i, size_t j, double *mean,
                             double *sd)
{
    double sum = 0, variance = 0;
    size_t first = i * a->K * a->outputs + j;
    for (size_t k = 0; k < a->K; k++)
        sum += a->mean[first + k * a->outputs];
    *mean = sum / (double)a->K;
    for (size_t k = 0; k < a->K; k++) {
        double s = a->sd[first + k * a->outputs], e = a->mean[first + k * a->outputs] - *mean;
        variance += (s * s + e * e) / (double)a->K;
    }
    *sd = sqrt(variance);
}
