/* score.c - how well a model predicts tasks it has not seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "score.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "parallel.h"
#include "taskbatch.h"

/* Tasks that are worked on at once, few enough to stay in the cache. */
#define GROUP 2

typedef struct scorer {
    const bo__npmodel *model;
    const float *theta;
    const bo__score_plan *plan;
    bo__arena *arenas;
    double (*each)[2]; /* of each batch: context, target; NAN when memory ran out */
} scorer;

/* Mean of log-likelihoods [1, B, n, 1] over points begin … end-1 of all tasks. */
static double mean_of(const bo__tensor *log_p, size_t begin, size_t end)
{
    double sum = 0;
    for (size_t t = 0; t < log_p->tasks; t++)
        for (size_t i = begin; i < end; i++)
            sum += log_p->data[t * log_p->points + i];
    return sum / (double)(log_p->tasks * (end - begin));
}

/* Log-likelihoods of tasks first … first + count - 1, [1, count, points, 1]; NULL: no memory. */
static bo__tensor *likelihoods(const scorer *s, bo__tape *tape, bo__taskbatch_plan plan)
{
    const bo__nptype *type = s->model->spec.type;
    bo__npbatch batch = bo__taskbatch(tape, s->model, &s->plan->prior, &plan);
    bo__tensor *features = bo__npfeatures(tape, s->model, batch.x);
    bo__npcontext c = bo__npbatch_context(tape, &batch, features);
    if (tape->failed)
        return NULL;
    bo__npcode code = type->encode(tape, s->model, &c);
    bo__npanswer answer = type->decode(tape, s->model, &code, batch.x, features);
    return bo__log_mean_exp(
        tape, bo__log_normal(tape, answer.all, batch.y, bo__npmodel_sigma(s->model)));
}

static void score_batch(void *argument, size_t thread, size_t turn)
{
    scorer *s = argument;
    const bo__score_plan *p = s->plan;
    bo__rng rng;
    bo__rng_init(&rng, p->seed, "held-out sizes", turn);
    size_t context, points;
    bo__prior_sizes(&p->prior, &rng, &context, &points);
    double sums[2] = {0, 0};
    for (size_t done = 0; done < p->tasks; done += GROUP) {
        size_t count = p->tasks - done < GROUP ? p->tasks - done : GROUP;
        bo__arena_reset(&s->arenas[thread]);
        bo__tape tape;
        bo__tape_init(&tape, &s->arenas[thread], s->theta, NULL);
        tape.recording = false;
        tape.precision = BO__PRECISION_FLOAT32; /* the same score on every CPU */
        bo__tensor *log_p = likelihoods(
            s, &tape,
            (bo__taskbatch_plan){.seed = p->seed, .first = turn * p->tasks + done,
                                 .tasks = count, .context = context, .points = points,
                                 .samples = p->samples});
        if (!log_p)
            return;
        sums[0] += (double)count * mean_of(log_p, 0, context);
        sums[1] += (double)count * mean_of(log_p, context, points);
    }
    s->each[turn][0] = sums[0] / (double)p->tasks;
    s->each[turn][1] = sums[1] / (double)p->tasks;
}

/* Mean and standard error of column `which`. */
static void summarise(const scorer *s, size_t which, double *mean, double *error)
{
    size_t n = s->plan->batches;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += s->each[i][which];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (s->each[i][which] - *mean) * (s->each[i][which] - *mean);
    *error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN;
}

bo_status bo__score_model(const bo__npmodel *model, const float *theta, const bo__score_plan *plan,
                          bo__score *score, bo_message *message)
{
    size_t threads = bo__parallel_threads(plan->threads, plan->batches);
    scorer s = {model, theta, plan, calloc(threads, sizeof *s.arenas),
                calloc(plan->batches, sizeof *s.each)};
    bool failed = !s.arenas || !s.each;
    if (!failed) {
        for (size_t i = 0; i < plan->batches; i++)
            s.each[i][0] = s.each[i][1] = NAN;
        bo__parallel_for(threads, plan->batches, score_batch, &s);
        summarise(&s, 0, &score->context, &score->context_error);
        summarise(&s, 1, &score->target, &score->target_error);
    }
    for (size_t i = 0; s.arenas && i < threads; i++)
        bo__arena_free(&s.arenas[i]);
    free(s.arenas);
    free(s.each);
    if (failed)
        return bo__fail(message, BO_ENOMEM, "no memory to score the model");
    return isfinite(score->target)
               ? BO_OK
               : bo__fail(message, BO_ENUMERIC, "the model's score is %g", score->target);
}
