/* regression.c - how well models predict tasks they have not seen: the tables of Lee et al.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regression.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "oracle.h"
#include "parallel.h"

enum { LEVELS = 9 };

size_t bo__predictor_components(const bo__predictor *p, size_t samples)
{
    size_t K = p->count == 0;
    for (size_t i = 0; i < p->count; i++) {
        const bo__npspec *spec = &p->models[i]->spec;
        bool many = spec->type->latent || spec->type->bootstrap ||
                    spec->ablation == BO_ABLATE_NAIVE;
        K += many && samples ? samples : 1;
    }
    return K;
}

bo_status bo__regression_draw(const bo__prior *prior, uint64_t seed, size_t t,
                              bo__regression_task *task, bo_message *message)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "regression task", t);
    bo__prior_sizes(prior, &rng, &task->context, &task->n);
    size_t n = task->n, dim = prior->dim, d = bo__prior_outputs(prior);
    float *x = malloc((n * (dim + d) + bo__prior_scratch(prior, n) + 32) * sizeof *x);
    if (!x)
        return bo__fail(message, BO_ENOMEM, "no memory for a task");
    float *y = x + n * dim, *rest = y + n * d;
    bo__prior_draw(prior, &rng, task->context, n, x, y, rest, &task->prior);
    for (size_t i = 0; i < n * dim; i++)
        task->x[i] = x[i];
    for (size_t i = 0; i < n * d; i++)
        task->y[i] = y[i];
    free(x);
    return BO_OK;
}

/* ---- one thread's room ----------------------------------------------------------------- */

typedef struct worker {
    bo__npposterior *posteriors; /* one for each network */
    double *x, *y, *mean, *sd;
    double *below; /* K × LEVELS: targets below each quantile */
    void *work;
    size_t work_size;
    bo_status status;
    bo_message message;
} worker;

typedef struct scorer {
    const bo__predictor *predictor;
    const bo__regression_plan *plan;
    size_t K, d, groups; /* components, outputs */
    double quantiles[LEVELS]; /* of N(0, 1) */
    worker *workers;
    double (*each)[BO_MEASURES]; /* of each group */
    pthread_mutex_t lock;
    size_t done;
    bool stopped;
} scorer;

static void free_worker(worker *w, size_t count)
{
    for (size_t i = 0; w->posteriors && i < count; i++)
        bo__npposterior_free(&w->posteriors[i]);
    free(w->posteriors);
    free(w->x), free(w->y), free(w->mean), free(w->sd), free(w->below), free(w->work);
}

static bool make_worker(worker *w, const bo__predictor *p, const bo__prior *prior, size_t K)
{
    size_t n = bo__prior_points(prior), d = bo__prior_outputs(prior);
    w->posteriors = calloc(p->count + 1, sizeof *w->posteriors);
    w->x = malloc(n * prior->dim * sizeof *w->x);
    w->y = malloc(n * d * sizeof *w->y);
    w->mean = malloc(n * K * d * sizeof *w->mean);
    w->sd = malloc(n * K * d * sizeof *w->sd);
    w->below = malloc(K * LEVELS * sizeof *w->below);
    for (size_t i = 0; w->posteriors && i < p->count; i++)
        bo__npposterior_init(&w->posteriors[i], p->models[i], p->theta[i]);
    return w->posteriors && w->x && w->y && w->mean && w->sd && w->below;
}

/* ---- predictions ----------------------------------------------------------------------- */

static bool reserve(worker *w, size_t size)
{
    if (size <= w->work_size)
        return true;
    free(w->work);
    w->work = aligned_alloc(64, size);
    w->work_size = w->work ? size : 0;
    return w->work;
}

/* Means and sds of all K components at all points of a task. */
static bo_status predict(const scorer *s, worker *w, const bo__regression_task *t, size_t index)
{
    const bo__predictor *p = s->predictor;
    bo__npunits units = {0, 1, 0, 1};
    size_t first = 0, d = s->d;
    if (p->count == 0)
        return bo__oracle_predict(&t->prior, s->plan->prior.dim, t->context, t->x, t->y, t->n,
                                  t->x, p->floor, w->mean, w->sd, &w->message);
    for (size_t i = 0; i < p->count; i++) {
        bo__npposterior *q = &w->posteriors[i];
        bo__npsampling sampling = {s->plan->samples, s->plan->seed, index * p->count + i};
        bo_status status = bo__npposterior_fit(q, t->context, t->x, t->y, units, sampling,
                                               &w->message);
        if (status)
            return status;
        if (!reserve(w, bo__npposterior_workspace(q, t->n)))
            return bo__fail(&w->message, BO_ENOMEM, "no memory for predictions");
        status = bo__npposterior_at(q, t->n, t->x, s->K * d, w->mean + first * d,
                                    w->sd + first * d, w->work);
        if (status)
            return bo__fail(&w->message, status, "a prediction failed");
        first += q->components;
    }
    return BO_OK;
}

/* log N(y; mean, sd²) of d outputs, without its constant. */
static double log_normal(size_t d, const double *mean, const double *sd, const double *y)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) {
        double e = (y[j] - mean[j]) / sd[j];
        sum -= e * e / 2 + log(sd[j]);
    }
    return sum;
}

double bo__mixture_log_density(size_t K, size_t d, const double *mean, const double *sd,
                               const double *y)
{
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < K; k++)
        top = fmax(top, log_normal(d, mean + k * d, sd + k * d, y));
    for (size_t k = 0; k < K; k++)
        sum += exp(log_normal(d, mean + k * d, sd + k * d, y) - top);
    return top + log(sum / (double)K) - (double)d * log(2 * M_PI) / 2;
}

/* A target's share in sharpness and calibration. */
static void add_target(const scorer *s, worker *w, const double *mean, const double *sd,
                       const double *y, double *sharpness)
{
    double parts = (double)(s->K * s->d);
    for (size_t k = 0; k < s->K; k++)
        for (size_t j = 0; j < s->d; j++) {
            size_t c = k * s->d + j;
            double e = (y[j] - mean[c]) / sd[c];
            *sharpness += sd[c] * sd[c] / parts;
            for (size_t l = 0; l < LEVELS; l++)
                w->below[k * LEVELS + l] += (e <= s->quantiles[l]) / (double)s->d;
        }
}

/* Adds a task to the sums of its group; below counts are finished by finish_group. */
static void add_task(const scorer *s, worker *w, const bo__regression_task *t,
                     double sums[BO_MEASURES])
{
    size_t K = s->K, d = s->d, targets = t->n - t->context;
    double sharpness = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double *mean = w->mean + i * K * d, *sd = w->sd + i * K * d, *y = t->y + i * d;
        double value = bo__mixture_log_density(K, d, mean, sd, y);
        if (i < t->context) {
            sums[BO_CONTEXT] += value / (double)t->context;
            continue;
        }
        sums[BO_TARGET] += value / (double)targets;
        add_target(s, w, mean, sd, y, &sharpness);
    }
    sums[BO_SHARPNESS] += sharpness / (double)targets;
}

static void finish_group(const scorer *s, const worker *w, size_t targets,
                         double sums[BO_MEASURES])
{
    double error = 0, group = BO_REGRESSION_GROUP;
    for (size_t k = 0; k < s->K; k++)
        for (size_t l = 0; l < LEVELS; l++) {
            double gap = (double)(l + 1) / (LEVELS + 1) -
                         w->below[k * LEVELS + l] / (double)targets;
            error += gap * gap / (double)s->K;
        }
    sums[BO_CALIBRATION] = error;
    sums[BO_CONTEXT] /= group;
    sums[BO_TARGET] /= group;
    sums[BO_SHARPNESS] /= group;
}

static void tell_progress(scorer *s)
{
    pthread_mutex_lock(&s->lock);
    s->done += BO_REGRESSION_GROUP;
    if (!s->stopped && s->plan->progress && s->plan->progress(s->plan->progress_data, s->done))
        s->stopped = true;
    pthread_mutex_unlock(&s->lock);
}

static void score_group(void *context, size_t thread, size_t group)
{
    scorer *s = context;
    worker *w = &s->workers[thread];
    double *sums = s->each[group];
    bo__regression_task t = {.x = w->x, .y = w->y};
    size_t targets = 0;
    memset(w->below, 0, s->K * LEVELS * sizeof *w->below);
    memset(sums, 0, sizeof s->each[group]);
    pthread_mutex_lock(&s->lock);
    bool stopped = s->stopped;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; !stopped && i < BO_REGRESSION_GROUP && !w->status; i++) {
        size_t index = group * BO_REGRESSION_GROUP + i;
        w->status = bo__regression_draw(&s->plan->prior, s->plan->seed, index, &t, &w->message);
        if (!w->status)
            w->status = predict(s, w, &t, index);
        if (!w->status)
            add_task(s, w, &t, sums);
        targets += t.n - t.context;
    }
    if (!stopped && !w->status)
        finish_group(s, w, targets, sums);
    tell_progress(s);
}

/* ---- all together ---------------------------------------------------------------------- */

static void summarise(const scorer *s, bo__regression_result *r)
{
    double n = (double)s->groups;
    r->tasks = s->groups * BO_REGRESSION_GROUP;
    for (size_t m = 0; m < BO_MEASURES; m++) {
        double sum = 0, squares = 0;
        for (size_t g = 0; g < s->groups; g++)
            sum += s->each[g][m];
        r->mean[m] = sum / n;
        for (size_t g = 0; g < s->groups; g++)
            squares += (s->each[g][m] - r->mean[m]) * (s->each[g][m] - r->mean[m]);
        r->error[m] = s->groups > 1 ? sqrt(squares / (n - 1) / n) : NAN;
    }
}

static bo_status check(const bo__predictor *p, const bo__regression_plan *plan,
                       bo_message *message)
{
    size_t dim = plan->prior.dim, d = bo__prior_outputs(&plan->prior);
    for (size_t i = 0; i < p->count; i++) {
        const bo__npspec *spec = &p->models[i]->spec;
        if (spec->dim_x != dim || spec->dim_y != d)
            return bo__fail(message, BO_EINVAL, "the model has %zu inputs and %zu outputs, the "
                            "tasks %zu and %zu: %s", spec->dim_x, spec->dim_y, dim, d,
                            d > 1             ? "train one with bo-train --prior predator"
                            : spec->dim_y > 1 ? "its tasks are predator and hare-lynx"
                                              : "train one with bo-train --dim");
    }
    return BO_OK;
}

bo_status bo__regression(const bo__predictor *predictor, const bo__regression_plan *plan,
                         bo__regression_result *result, bo_message *message)
{
    bo_status status = check(predictor, plan, message);
    if (status)
        return status;
    scorer s = {.predictor = predictor, .plan = plan,
                .K = bo__predictor_components(predictor, plan->samples),
                .d = bo__prior_outputs(&plan->prior),
                .groups = (plan->tasks + BO_REGRESSION_GROUP - 1) / BO_REGRESSION_GROUP,
                .lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t l = 0; l < LEVELS; l++)
        s.quantiles[l] = gsl_cdf_ugaussian_Pinv((double)(l + 1) / (LEVELS + 1));
    size_t threads = bo__parallel_threads(plan->threads, s.groups);
    s.workers = calloc(threads, sizeof *s.workers);
    s.each = calloc(s.groups + 1, sizeof *s.each);
    bool ready = s.workers && s.each && s.groups > 0;
    for (size_t i = 0; ready && i < threads; i++)
        ready = make_worker(&s.workers[i], predictor, &plan->prior, s.K);
    if (!ready)
        status = bo__fail(message, BO_ENOMEM, "no memory for %zu tasks", plan->tasks);
    else
        bo__parallel_for(threads, s.groups, score_group, &s);
    for (size_t i = 0; ready && i < threads && !status; i++)
        if (s.workers[i].status)
            status = bo__fail(message, s.workers[i].status, "%s", s.workers[i].message.text);
    if (!status)
        summarise(&s, result);
    for (size_t i = 0; s.workers && i < threads; i++)
        free_worker(&s.workers[i], predictor->count);
    free(s.workers);
    free(s.each);
    return !status && s.stopped ? BO_STOPPED : status;
}
