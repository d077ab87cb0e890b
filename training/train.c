/* train.c - the training loop of neural processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tasks of a batch are dealt out to groups, small enough that a group's activations stay in
 * the cache, and the groups to lanes.  A lane works through its groups in order and adds up their
 * gradients; the lanes' sums are added in pairs, then pairs of pairs, and so on.  Threads take
 * lanes, and who takes which changes nothing.  Processes of a team have lanes that stand together,
 * so that, when their number is a power of two, they add up whole branches of the same tree.
 */
#include "trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "message.h"
#include "muon.h"
#include "flush.h"
#include "pages.h"
#include "parallel.h"
#include "taskbatch.h"

/* Tasks of a group, about: fewer make small products, more leave the cache. */
#define GROUP 3.5
/* Tasks of a lane, at least. */
#define LANE 5
/* Lanes, at most, unless asked for: each costs a pass over all weights. */
#define LANES 4
/* Share of the newest loss in the smoothed one. */
#define SMOOTH 0.02
/* Floats that Adam moves in one turn, unless a matrix has more, and that are added up before the next
 * ones: the second fits in the innermost cache for all lanes. */
#define CHUNK ((size_t)16384)
#define BLOCK ((size_t)1024)

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

/* The largest power of two that leaves each lane enough tasks. */
size_t bo__train_lanes(const bo__train_options *o)
{
    size_t lanes = 1;
    while (2 * lanes <= LANES && 2 * lanes * LANE <= o->batch)
        lanes *= 2;
    if (o->lanes)
        lanes = o->lanes < o->batch ? o->lanes : o->batch;
    return lanes;
}

static bo_status check_team(const bo__train_options *o, bo_message *message)
{
    const bo__train_team *team = &o->team;
    size_t lanes = bo__train_lanes(o);
    if (team->ranks > 1 && (team->rank >= team->ranks || !team->add || !team->share))
        return bo__fail(message, BO_EINVAL, "process %zu of %zu cannot add up and share",
                        team->rank, team->ranks);
    if (team->ranks > lanes)
        return bo__fail(message, BO_EINVAL,
                        "%zu processes need as many lanes or more, not %zu (for %zu tasks a step)",
                        team->ranks, lanes, o->batch);
    return BO_OK;
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
    if (o->prior.kinds[0] == BO_PRIOR_SERIES)
        return bo__fail(message, BO_EINVAL, "prior hare-lynx is one short series, to test with: "
                        "train with predator");
    if (o->model.dim_x != o->prior.dim || o->model.dim_y != bo__prior_outputs(&o->prior))
        return bo__fail(message, BO_EINVAL, "the prior has %zu inputs and %zu outputs, the model "
                        "%zu and %zu", o->prior.dim, bo__prior_outputs(&o->prior),
                        o->model.dim_x, o->model.dim_y);
    return check_team(o, message);
}

static bool by_muon(const bo__trainer *t, size_t i)
{
    return t->options.optimizer == BO__OPTIMIZER_MUON && bo__muon_suits(&t->model.set.items[i]);
}

/* Who moves which weights; returns the largest scratch that Muon needs. */
static size_t plan_parts(bo__trainer *t)
{
    const bo__parameters *set = &t->model.set;
    size_t scratch = 0;
    bo__train_part *part = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const bo__parameter *p = &set->items[i];
        size_t end = i + 1 < set->count ? p[1].offset : set->size, need = bo__muon_scratch(p);
        bool muon = by_muon(t, i);
        if (!part || part->muon || muon || end - part->begin > CHUNK) {
            part = &t->parts[t->count++];
            *part = (bo__train_part){.begin = p->offset, .first = i, .muon = muon};
        }
        part->end = end;
        part->last = i + 1;
        scratch = muon && need > scratch ? need : scratch;
    }
    return scratch;
}

static bool allocate(bo__trainer *t)
{
    size_t size = t->model.set.size, most = t->model.set.count;
    t->state.size = size;
    t->state.theta = bo__pages_zeros(size);
    t->state.first = bo__pages_zeros(size);
    t->state.second = bo__pages_zeros(size);
    if (t->options.adam.average > 0)
        t->state.average = bo__pages_zeros(size);
    t->turned = bo__pages_zeros(size);
    bool packs = bo__matmul_wants_pairs(bo__precision_backward(t->options.precision));
    if (packs) {
        t->pairs = bo__pages_zeros(size);
        t->turned_pairs = bo__pages_zeros(size);
    }
    t->squares = calloc(most, sizeof *t->squares);
    t->parts = calloc(most, sizeof *t->parts);
    t->lanes = calloc(t->own, sizeof *t->lanes);
    t->workers = calloc(t->threads, sizeof *t->workers);
    t->crew = bo__crew_new(t->threads);
    bool good = t->state.theta && t->state.first && t->state.second && t->turned && t->squares &&
                t->parts && t->lanes && t->workers && t->crew &&
                (t->options.adam.average <= 0 || t->state.average) &&
                (!packs || (t->pairs && t->turned_pairs));
    for (size_t i = 0; good && i < t->own; i++)
        good = (t->lanes[i].dtheta = bo__pages_zeros(size)) != NULL;
    size_t scratch = good ? plan_parts(t) : 0;
    for (size_t i = 0; good && i < t->threads; i++) {
        bo__arena_init(&t->workers[i].arena);
        good = !scratch || (t->workers[i].scratch = bo__pages_zeros(scratch)) != NULL;
    }
    if (good && t->options.prior.kinds[0] == BO_PRIOR_PREDATOR)
        good = (t->options.prior.pool = bo__predator_pool_new(t->options.seed)) != NULL;
    return good;
}

/* How many groups, and which lanes are this process's. */
static void share_out(bo__trainer *t)
{
    const bo__train_options *o = &t->options;
    const bo__train_team *team = &o->team;
    size_t ranks = team->ranks ? team->ranks : 1;
    long groups = lround((double)o->batch / ((double)o->lanes * GROUP)); /* of a lane */
    t->groups = o->lanes * (groups > 1 ? (size_t)groups : 1);
    t->first = o->lanes * team->rank / ranks;
    t->own = o->lanes * (team->rank + 1) / ranks - t->first;
    /* Beyond the lanes there is work in the update alone, for which spare cores are good. */
    size_t cores = bo__parallel_cores();
    t->threads = bo__parallel_threads(o->threads, t->own > cores ? t->own : cores);
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
    t->options.prior.pool = NULL;
    t->smooth = NAN;
    t->options.lanes = bo__train_lanes(options);
    share_out(t);
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
    bo__crew_free(t->crew);
    for (size_t i = 0; t->lanes && i < t->own; i++)
        free(t->lanes[i].dtheta);
    for (size_t i = 0; t->workers && i < t->threads; i++) {
        bo__arena_free(&t->workers[i].arena);
        free(t->workers[i].scratch);
    }
    free(t->lanes);
    free(t->workers);
    free(t->parts);
    free(t->turned);
    free(t->pairs);
    free(t->turned_pairs);
    free(t->squares);
    free(t->state.theta);
    free(t->state.first);
    free(t->state.second);
    free(t->state.average);
    bo__predator_pool_free(t->options.prior.pool);
    bo__npmodel_free(&t->model);
    free(t);
}

/* Around a turn of a thread; what is not an operator's work counts as the update's. */
static unsigned enter(bo__trainer *t, size_t thread)
{
    bo__profile *p = &t->workers[thread].profile;
    p->since = 0;
    if (t->options.profile)
        bo__profile_begin(p, BO__OP_UPDATE, BO__FORWARD);
    return bo__flush_begin();
}

static void leave(bo__trainer *t, size_t thread, unsigned flush)
{
    bo__flush_end(flush);
    if (t->options.profile)
        bo__profile_begin(&t->workers[thread].profile, BO__OP_OTHER, BO__FORWARD);
}

/* The loss of one group of tasks, and its gradient. */
static void run_group(bo__trainer *t, bo__train_worker *me, bo__train_lane *l, size_t group)
{
    const bo__train_options *o = &t->options;
    size_t first = o->batch * group / t->groups, last = o->batch * (group + 1) / t->groups;
    bo__rng rng;
    bo__rng_init(&rng, o->seed, "sizes", o->group_sizes ? t->step * t->groups + group : t->step);
    size_t context, points;
    bo__prior_sizes(&o->prior, &rng, &context, &points);
    bo__arena_reset(&me->arena);
    bo__tape tape;
    bo__tape_init(&tape, &me->arena, t->state.theta, l->dtheta);
    tape.profile = o->profile ? &me->profile : NULL;
    tape.turned = t->turned;
    tape.pairs = t->pairs;
    tape.turned_pairs = t->turned_pairs;
    tape.precision = o->precision;
    bo__taskbatch_plan plan = {.seed = o->seed, .first = t->step * o->batch + first,
                               .tasks = last - first, .context = context, .points = points,
                               .samples = o->samples};
    bo__tape_begin(&tape, BO__OP_TASKS);
    bo__npbatch batch = bo__taskbatch(&tape, &t->model, &o->prior, &plan);
    batch.weight = 1 / (float)o->batch;
    bo__tape_begin(&tape, BO__OP_OTHER);
    l->loss += tape.failed ? 0 : o->model.type->loss(&tape, &t->model, &batch);
    bo__tape_backward(&tape);
    me->flops += tape.flops;
    l->failed = l->failed || tape.failed;
}

static void run_lane(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    bo__train_lane *l = &t->lanes[turn];
    unsigned flush = enter(t, thread);
    if (!l->clean)
        memset(l->dtheta, 0, t->state.size * sizeof *l->dtheta);
    l->clean = false;
    l->loss = 0;
    l->failed = false;
    for (size_t g = t->first + turn; g < t->groups; g += t->options.lanes)
        run_group(t, &t->workers[thread], l, g);
    leave(t, thread, flush);
}

/* sum += more, which is 0 afterwards. */
BO__FAST static void add(size_t n, float *sum, float *more)
{
    for (size_t i = 0; i < n; i += BO__LANES) {
        bo__store(sum + i, bo__load(sum + i) + bo__load(more + i));
        bo__store(more + i, bo__splat(0));
    }
}

/* Adds the lanes' gradients to the first one's, along the tree; the others' are cleared meanwhile. */
static void reduce_part(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    const bo__train_part *p = &t->parts[turn];
    unsigned flush = enter(t, thread);
    for (size_t at = p->begin; at < p->end; at += BLOCK) {
        size_t n = p->end - at < BLOCK ? p->end - at : BLOCK;
        for (size_t apart = 1; apart < t->own; apart *= 2)
            for (size_t l = 0; l + apart < t->own; l += 2 * apart)
                add(n, t->lanes[l].dtheta + at, t->lanes[l + apart].dtheta + at);
    }
    leave(t, thread, flush);
}

static void square_part(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    t->squares[turn] =
        bo__adam_squares(t->lanes[0].dtheta, t->parts[turn].begin, t->parts[turn].end);
}

static void reduce_and_square(void *context, size_t thread, size_t turn)
{
    reduce_part(context, thread, turn);
    square_part(context, thread, turn);
}

/* The copies of a part's matrices that products want. */
static void copy_weights(bo__trainer *t, const bo__train_part *p)
{
    for (size_t i = p->first; i < p->last; i++) {
        bo__parameters_turn(&t->model.set, i, t->state.theta, t->turned);
        if (t->pairs)
            bo__parameters_pair(&t->model.set, i, t->state.theta, t->turned, t->pairs,
                                t->turned_pairs);
    }
}

static void copy_part(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    unsigned flush = enter(t, thread);
    copy_weights(t, &t->parts[turn]);
    leave(t, thread, flush);
}

/* Moves the weights; what depends on them follows while they are near. */
static void update_part(void *context, size_t thread, size_t turn)
{
    bo__trainer *t = context;
    const bo__train_part *p = &t->parts[turn];
    float *gradient = t->lanes[0].dtheta;
    unsigned flush = enter(t, thread);
    if (p->muon)
        bo__muon_step(&t->options.adam, &t->state, &t->model.set.items[p->first], t->step, gradient,
                      t->scale, t->workers[thread].scratch);
    else
        bo__adam_step(&t->options.adam, &t->state, t->step, gradient, t->scale, p->begin, p->end);
    memset(gradient + p->begin, 0, (p->end - p->begin) * sizeof *gradient);
    copy_weights(t, p);
    leave(t, thread, flush);
}

/* Loss and failures of the lanes, along the same tree. */
static void total(bo__trainer *t, double totals[2])
{
    totals[1] = 0;
    for (size_t l = 0; l < t->own; l++)
        totals[1] += t->lanes[l].failed;
    for (size_t apart = 1; apart < t->own; apart *= 2)
        for (size_t l = 0; l + apart < t->own; l += 2 * apart)
            t->lanes[l].loss += t->lanes[l + apart].loss;
    totals[0] = t->lanes[0].loss;
}

/* The gradient of the whole batch, its loss and Σ g². */
static bo_status gather(bo__trainer *t, double totals[2], double *squares, bo_message *message)
{
    const bo__train_team *team = &t->options.team;
    if (!t->copied)
        bo__crew_for(t->crew, t->count, copy_part, t);
    t->copied = true;
    bo__crew_for(t->crew, t->own, run_lane, t);
    total(t, totals);
    bo_status status = BO_OK;
    if (team->ranks > 1) {
        bo__crew_for(t->crew, t->count, reduce_part, t);
        status = team->add(team->context, t->state.size, t->lanes[0].dtheta, totals, message);
        bo__crew_for(t->crew, t->count, square_part, t);
    } else
        bo__crew_for(t->crew, t->count, reduce_and_square, t);
    *squares = 0;
    for (size_t p = 0; p < t->count; p++)
        *squares += t->squares[p];
    return status;
}

bo_status bo__trainer_step(bo__trainer *t, bo__train_report *report, bo_message *message)
{
    double totals[2], squares;
    bo_status status = gather(t, totals, &squares, message);
    *report = (bo__train_report){.loss = totals[0], .smooth = t->smooth, .norm = sqrt(squares),
                                 .rate = bo__adam_rate(&t->options.adam, t->step)};
    if (status)
        return status;
    if (totals[1] > 0)
        return bo__fail(message, BO_ENOMEM, "no memory for a group of tasks");
    if (!isfinite(totals[0]) || !isfinite(squares))
        return bo__fail(message, BO_ENUMERIC, "step %zu: loss %g, norm of its gradient %g",
                        t->step + 1, totals[0], report->norm);
    t->scale = bo__adam_clip(&t->options.adam, report->norm);
    bo__crew_for(t->crew, t->count, update_part, t);
    for (size_t l = 0; l < t->own; l++)
        t->lanes[l].clean = true;
    t->step++;
    t->smooth = isnan(t->smooth) ? totals[0] : t->smooth + SMOOTH * (totals[0] - t->smooth);
    report->smooth = t->smooth;
    return BO_OK;
}

size_t bo__trainer_steps(const bo__trainer *t)
{
    return t->step;
}

double bo__trainer_profile(const bo__trainer *t, bo__profile *sum)
{
    double flops = 0;
    *sum = (bo__profile){0};
    for (size_t i = 0; i < t->threads; i++) {
        bo__profile_add(sum, &t->workers[i].profile);
        flops += t->workers[i].flops;
    }
    return flops;
}

const bo__npmodel *bo__trainer_model(const bo__trainer *t)
{
    return &t->model;
}

const float *bo__trainer_weights(const bo__trainer *t)
{
    return t->state.average ? t->state.average : t->state.theta;
}
