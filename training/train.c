/* train.c - the training loop of neural processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tasks of a batch are dealt out to groups, small enough that a group's activations stay in
 * the cache, and the groups to lanes.  A lane works through its groups in order and adds up their
 * gradients; the lanes' sums are added in order.  Threads take lanes, and who takes which changes
 * nothing.
 */
#include "train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "parallel.h"
#include "safetensors.h"
#include "taskbatch.h"

/* Tasks of a group, at most: the activations of five tasks fit in 2 MB of cache. */
#define GROUP 5
#define LANES 4
/* Floats that one turn of the reduction works on. */
#define CHUNK ((size_t)16384)

typedef struct lane {
    float *dtheta;
    double loss;
    bool failed;
} lane;

typedef struct worker {
    bo__arena arena;
} worker;

struct bo__trainer {
    bo__train_options options;
    bo__npmodel model;
    bo__adam_state state;
    size_t step, groups, threads;
    lane *lanes;
    worker *workers;
    float *turned;   /* the weights, transposed (see bo__tape) */
    double *squares; /* Σ g² of each chunk */
    double scale;    /* of the gradient, by clipping */
};

void bo__train_options_init(bo__train_options *options, const bo__nptype *type)
{
    *options = (bo__train_options){
        .model = bo__npspec_usual(type),
        .prior = {.count = 1, .kinds = {BO_PRIOR_RBF}, .dim = 1},
        .adam = {.rate = 5e-4, .steps = 100000},
        .batch = 100,
        .samples = 4,
        .seed = 1,
    };
}

static float *zeros(size_t n)
{
    float *p = aligned_alloc(64, (n + 15) / 16 * 64);
    if (p)
        memset(p, 0, (n + 15) / 16 * 64);
    return p;
}

static bo_status check(const bo__train_options *o, bo_message *message)
{
    if (o->batch < 1 || o->batch > 100000)
        return bo__fail(message, BO_EINVAL, "the batch must have 1 to 100000 tasks, not %zu",
                        o->batch);
    if (o->samples < 1 || o->samples > 1000)
        return bo__fail(message, BO_EINVAL, "the number of samples must be 1 to 1000, not %zu",
                        o->samples);
    if (!(o->adam.rate > 0 && o->adam.rate <= 1))
        return bo__fail(message, BO_EINVAL, "the learning rate must be above 0 and at most 1");
    if (!(o->adam.average >= 0 && o->adam.average < 1))
        return bo__fail(message, BO_EINVAL, "the average's decay must be at least 0 and below 1");
    if (!(o->adam.weight_decay >= 0) || !(o->adam.clip >= 0))
        return bo__fail(message, BO_EINVAL, "weight decay and clipping must not be negative");
    if (o->model.dim_x != o->prior.dim || o->model.dim_y != 1)
        return bo__fail(message, BO_EINVAL, "the prior has %zu inputs and 1 output, the model "
                        "%zu and %zu", o->prior.dim, o->model.dim_x, o->model.dim_y);
    return BO_OK;
}

static bool allocate(bo__trainer *t)
{
    size_t size = t->model.set.size;
    t->state.size = size;
    t->state.theta = zeros(size);
    t->state.first = zeros(size);
    t->state.second = zeros(size);
    if (t->options.adam.average > 0)
        t->state.average = zeros(size);
    t->turned = zeros(size);
    t->squares = calloc(size / CHUNK + 1, sizeof *t->squares);
    t->lanes = calloc(t->options.lanes, sizeof *t->lanes);
    t->workers = calloc(t->threads, sizeof *t->workers);
    bool good = t->state.theta && t->state.first && t->state.second && t->turned && t->squares &&
                t->lanes && t->workers && (t->options.adam.average <= 0 || t->state.average);
    for (size_t i = 0; good && i < t->options.lanes; i++)
        good = (t->lanes[i].dtheta = zeros(size)) != NULL;
    for (size_t i = 0; good && i < t->threads; i++)
        bo__arena_init(&t->workers[i].arena);
    return good;
}

bo_status bo__trainer_new(bo__trainer **out, const bo__train_options *options,
                          bo_message *message)
{
    *out = NULL;
    bo_status status = check(options, message);
    if (status)
        return status;
    bo__trainer *t = calloc(1, sizeof *t);
    if (!t)
        return bo__fail(message, BO_ENOMEM, "no memory for the trainer");
    t->options = *options;
    size_t lanes = options->lanes ? options->lanes : LANES;
    lanes = lanes < options->batch ? lanes : options->batch;
    t->options.lanes = lanes;
    t->groups = lanes * ((options->batch + lanes * GROUP - 1) / (lanes * GROUP));
    t->groups = t->groups < options->batch ? t->groups : options->batch;
    t->threads = options->threads ? options->threads : bo__parallel_cores();
    status = bo__npmodel_init(&t->model, &options->model, message);
    if (!status && !allocate(t))
        status = bo__fail(message, BO_ENOMEM, "no memory for the trainer");
    if (status) {
        bo__trainer_free(t);
        return status;
    }
    bo__parameters_start(&t->model.set, options->seed, t->state.theta);
    if (t->state.average)
        memcpy(t->state.average, t->state.theta, t->state.size * sizeof(float));
    *out = t;
    return BO_OK;
}

void bo__trainer_free(bo__trainer *t)
{
    if (!t)
        return;
    for (size_t i = 0; t->lanes && i < t->options.lanes; i++)
        free(t->lanes[i].dtheta);
    for (size_t i = 0; t->workers && i < t->threads; i++)
        bo__arena_free(&t->workers[i].arena);
    free(t->lanes);
    free(t->workers);
    free(t->turned);
    free(t->squares);
    free(t->state.theta);
    free(t->state.first);
    free(t->state.second);
    free(t->state.average);
    bo__npmodel_free(&t->model);
    free(t);
}

/* The loss of one group of tasks, and its gradient. */
static void run_group(bo__trainer *t, bo__arena *arena, lane *l, size_t group)
{
    const bo__train_options *o = &t->options;
    size_t first = o->batch * group / t->groups, last = o->batch * (group + 1) / t->groups;
    bo__rng rng;
    bo__rng_init(&rng, o->seed, "sizes", o->group_sizes ? t->step * t->groups + group : t->step);
    size_t context, points;
    bo__prior_sizes(&rng, &context, &points);
    bo__arena_reset(arena);
    bo__tape tape;
    bo__tape_init(&tape, arena, t->state.theta, l->dtheta);
    tape.turned = t->turned;
    tape.precision = o->precision;
    bo__taskbatch_plan plan = {.seed = o->seed, .first = t->step * o->batch + first,
                               .tasks = last - first, .context = context, .points = points,
                               .samples = o->samples};
    bo__npbatch batch = bo__taskbatch(&tape, &t->model, &o->prior, &plan);
    batch.weight = 1 / (float)o->batch;
    l->loss += tape.failed ? 0 : o->model.type->loss(&tape, &t->model, &batch);
    bo__tape_backward(&tape);
    l->failed = l->failed || tape.failed;
}

static void run_lane(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    lane *l = &t->lanes[turn];
    memset(l->dtheta, 0, t->state.size * sizeof *l->dtheta);
    l->loss = 0;
    l->failed = false;
    for (size_t g = turn; g < t->groups; g += t->options.lanes)
        run_group(t, &t->workers[thread].arena, l, g);
}

static size_t chunk_end(const bo__trainer *t, size_t turn)
{
    size_t end = (turn + 1) * CHUNK;
    return end < t->state.size ? end : t->state.size;
}

/* Adds the lanes' gradients to the first one's. */
static void reduce_chunk(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    float *sum = t->lanes[0].dtheta;
    for (size_t l = 1; l < t->options.lanes; l++) {
        const float *more = t->lanes[l].dtheta;
        for (size_t i = turn * CHUNK; i < chunk_end(t, turn); i++)
            sum[i] += more[i];
    }
    t->squares[turn] = bo__adam_squares(sum, turn * CHUNK, chunk_end(t, turn));
}

static void update_chunk(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    bo__adam_step(&t->options.adam, &t->state, t->step, t->lanes[0].dtheta, t->scale,
                  turn * CHUNK, chunk_end(t, turn));
}

static void turn_weights(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    bo__parameters_turn(&t->model.set, turn, t->state.theta, t->turned);
}

bo_status bo__trainer_step(bo__trainer *t, bo__train_report *report, bo_message *message)
{
    bo__parallel_for(t->threads, t->model.set.count, turn_weights, t);
    bo__parallel_for(t->threads, t->options.lanes, run_lane, t);
    size_t chunks = (t->state.size + CHUNK - 1) / CHUNK;
    bo__parallel_for(t->threads, chunks, reduce_chunk, t);
    double loss = 0, squares = 0;
    bool failed = false;
    for (size_t l = 0; l < t->options.lanes; l++) {
        loss += t->lanes[l].loss;
        failed = failed || t->lanes[l].failed;
    }
    for (size_t c = 0; c < chunks; c++)
        squares += t->squares[c];
    *report = (bo__train_report){loss, sqrt(squares), bo__adam_rate(&t->options.adam, t->step)};
    if (failed)
        return bo__fail(message, BO_ENOMEM, "no memory for a group of tasks");
    if (!isfinite(loss) || !isfinite(squares))
        return bo__fail(message, BO_ENUMERIC, "step %zu: loss %g, norm of its gradient %g",
                        t->step + 1, loss, report->norm);
    t->scale = bo__adam_clip(&t->options.adam, report->norm);
    bo__parallel_for(t->threads, chunks, update_chunk, t);
    t->step++;
    return BO_OK;
}

size_t bo__trainer_steps(const bo__trainer *t)
{
    return t->step;
}

const bo__npmodel *bo__trainer_model(const bo__trainer *t)
{
    return &t->model;
}

const float *bo__trainer_weights(const bo__trainer *t)
{
    return t->state.average ? t->state.average : t->state.theta;
}

/* ---- checkpoints ----------------------------------------------------------------------- */

char *bo__train_options_text(const bo__train_options *o)
{
    char *text = NULL, prior[64] = "";
    for (size_t i = 0; i < o->prior.count; i++) {
        strcat(prior, i ? "," : "");
        strcat(prior, bo__prior_name(o->prior.kinds[i]));
    }
    const bo__npspec *m = &o->model;
    const bo__adam_options *a = &o->adam;
    if (asprintf(&text,
                 "model=%s dim=%zu width=%zu heads=%zu sigma-floor=%.9g ablation=%d prior=%s "
                 "steps=%zu batch=%zu samples=%zu lr=%.17g warmup=%zu clip=%.17g ema=%.17g "
                 "weight-decay=%.17g seed=%llu sizes=%s lanes=%zu%s%s",
                 m->type->name, m->dim_x, m->width, m->heads, (double)m->sigma_floor,
                 (int)m->ablation, prior, a->steps, o->batch, o->samples, a->rate, a->warmup,
                 a->clip, a->average, a->weight_decay, (unsigned long long)o->seed,
                 o->group_sizes ? "group" : "batch", o->lanes ? o->lanes : LANES,
                 o->precision ? " precision=" : "",
                 o->precision ? bo__precision_name(o->precision) : "") < 0)
        return NULL;
    return text;
}

enum { ARRAYS = 4 };

/* The arrays of the state with their names; returns how many. */
static size_t arrays_of(const bo__trainer *t, bo__stored *out)
{
    float *const data[ARRAYS] = {t->state.theta, t->state.first, t->state.second,
                                 t->state.average};
    static const char *const names[ARRAYS] = {"theta", "first", "second", "average"};
    size_t count = t->state.average ? ARRAYS : ARRAYS - 1;
    for (size_t i = 0; i < count; i++)
        out[i] = (bo__stored){.name = names[i], .dims = 1, .shape = {t->state.size},
                              .size = t->state.size, .data = data[i]};
    return count;
}

bo_status bo__trainer_save(const bo__trainer *t, const char *path, bo_message *message)
{
    bo__stored arrays[ARRAYS];
    size_t count = arrays_of(t, arrays);
    char step[32], *options = bo__train_options_text(&t->options);
    if (!options)
        return bo__fail(message, BO_ENOMEM, "%s: no memory to write it", path);
    snprintf(step, sizeof step, "%zu", t->step);
    const bo__text_pair text[] = {{"format", "bo training state 1"}, {"options", options},
                                  {"step", step}};
    bo_status status = bo__safetensors_write(path, count, arrays, 3, text, message);
    free(options);
    return status;
}

/* Says where two options texts differ. */
static bo_status differ(const char *path, const char *was, const char *is, bo_message *message)
{
    while (*was && *was == *is) {
        was++;
        is++;
    }
    return bo__fail(message, BO_EINVAL,
                    "%s: belongs to a run with other options: '…%.60s' there, '…%.60s' here",
                    path, was, is);
}

static bo_status load_from(bo__trainer *t, const bo__safetensors *file, const char *path,
                           bo_message *message)
{
    const char *format = bo__safetensors_text(file, "format");
    const char *options = bo__safetensors_text(file, "options");
    const char *step = bo__safetensors_text(file, "step");
    if (!format || strcmp(format, "bo training state 1") || !options || !step)
        return bo__fail(message, BO_EFORMAT, "%s: is not a training state", path);
    char *mine = bo__train_options_text(&t->options), *end;
    if (!mine)
        return bo__fail(message, BO_ENOMEM, "%s: no memory to read it", path);
    bo_status status = strcmp(mine, options) ? differ(path, options, mine, message) : BO_OK;
    free(mine);
    unsigned long long done = strtoull(step, &end, 10);
    if (!status && (*end || end == step || *step == '-' || done > t->options.adam.steps))
        status = bo__fail(message, BO_EFORMAT, "%s: step '%.40s' is not one of this run", path,
                          step);
    bo__stored arrays[ARRAYS];
    size_t count = arrays_of(t, arrays);
    for (size_t i = 0; !status && i < count; i++) {
        const bo__stored *s = bo__safetensors_find(file, arrays[i].name);
        if (!s || s->size != t->state.size)
            status = bo__fail(message, BO_EFORMAT, "%s: array '%s' is missing or has another size",
                              path, arrays[i].name);
    }
    for (size_t i = 0; !status && i < count; i++)
        bo__safetensors_copy(file, bo__safetensors_find(file, arrays[i].name),
                             (float *)arrays[i].data);
    if (!status)
        t->step = (size_t)done;
    return status;
}

bo_status bo__trainer_load(bo__trainer *t, const char *path, bo_message *message)
{
    bo__safetensors *file;
    bo_status status = bo__safetensors_read(&file, path, message);
    if (status)
        return status;
    status = load_from(t, file, path, message);
    bo__safetensors_free(file);
    return status;
}
