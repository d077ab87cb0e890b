/* taskbatch.c - tasks drawn from a prior, as tensors on a tape, with the noise of their samples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each task takes its numbers from streams of its own, so that they do not depend on how tasks
 * are grouped: "task" for its points, "latent" for z, "bootstrap" for the resamples.
 */
#include "taskbatch.h"

static void draw_tasks(bo__tape *tape, const bo__prior *prior, const bo__taskbatch_plan *plan,
                       bo__npbatch *batch)
{
    size_t n = plan->points, d = bo__prior_outputs(prior);
    float *scratch = bo__tape_take(tape, bo__prior_scratch(prior, n) * sizeof *scratch);
    for (size_t t = 0; scratch && t < plan->tasks; t++) {
        bo__rng rng;
        bo__rng_init(&rng, plan->seed, "task", plan->first + t);
        float *x = batch->x->data + t * n * prior->dim, *y = batch->y->data + t * n * d;
        if (prior->pool)
            bo__predator_pool_draw(prior->pool, plan->first + t, &rng, plan->context, n, x, y,
                                   scratch);
        else
            bo__prior_draw(prior, &rng, plan->context, n, x, y, scratch, NULL);
    }
}

static void draw_noise(bo__tape *tape, const bo__taskbatch_plan *plan, size_t width,
                       bo__npbatch *batch)
{
    bo__tensor *noise = bo__tensor_new(tape, plan->samples, plan->tasks, 1, width, false);
    for (size_t t = 0; noise && t < plan->tasks; t++) {
        bo__rng rng;
        bo__rng_init(&rng, plan->seed, "latent", plan->first + t);
        for (size_t s = 0; s < plan->samples; s++)
            for (size_t j = 0; j < width; j++)
                noise->data[(s * plan->tasks + t) * width + j] = (float)bo__rng_normal(&rng);
    }
    batch->noise = noise;
}

static void draw_resamples(bo__tape *tape, const bo__taskbatch_plan *plan, bo__npbatch *batch)
{
    size_t c = plan->context, size = plan->samples * plan->tasks * c;
    uint32_t *pairs = bo__tape_take(tape, size * sizeof *pairs);
    uint32_t *residuals = bo__tape_take(tape, size * sizeof *residuals);
    for (size_t t = 0; pairs && residuals && t < plan->tasks; t++) {
        bo__rng rng;
        bo__rng_init(&rng, plan->seed, "bootstrap", plan->first + t);
        for (size_t s = 0; s < plan->samples; s++)
            for (size_t i = 0; i < c; i++) {
                pairs[(s * plan->tasks + t) * c + i] = (uint32_t)bo__rng_below(&rng, c);
                residuals[(s * plan->tasks + t) * c + i] = (uint32_t)bo__rng_below(&rng, c);
            }
    }
    batch->pairs = pairs;
    batch->residuals = residuals;
}

bo__npbatch bo__taskbatch(bo__tape *tape, const bo__npmodel *model, const bo__prior *prior,
                          const bo__taskbatch_plan *plan)
{
    const bo__nptype *type = model->spec.type;
    bo__npbatch batch = {
        .x = bo__tensor_new(tape, 1, plan->tasks, plan->points, prior->dim, false),
        .y = bo__tensor_new(tape, 1, plan->tasks, plan->points, bo__prior_outputs(prior),
                            false),
        .context = plan->context,
        .samples = type->latent || type->bootstrap ? plan->samples : 1,
        .weight = 1 / (float)plan->tasks,
    };
    if (tape->failed)
        return batch;
    draw_tasks(tape, prior, plan, &batch);
    if (type->latent)
        draw_noise(tape, plan, model->spec.width, &batch);
    if (type->bootstrap)
        draw_resamples(tape, plan, &batch);
    return batch;
}
