/* bench-train.c - bo-bench train: milliseconds per training step of the neural processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step draws its tasks, computes loss and gradient, and moves the weights, as bo-train does.
 * Times are of the wall clock, since threads are what is measured too; the numbers of points
 * differ from step to step as in training, the same for every model and number of threads.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "limit.h"
#include "parallel.h"
#include "profiletable.h"
#include "progress.h"
#include "taskbatch.h"
#include "train.h"

/* After FILL steps a pool of series is full, and changes at the pace of a long run. */
enum { WARM = 3, FILL = 30, MOST_THREADS = 16 };

typedef struct settings {
    const char *models, *threads, *names;
    bo__prior prior;
    size_t steps, batch, samples;
    int precision;
    bool profile;
    size_t count, thread[MOST_THREADS];
} settings;

static const char purpose[] =
    "Measures the time of a training step of the neural processes, tasks drawn and weights moved.";

static const char examples[] = "  All six models, with one thread and with all cores:\n"
                               "    bo-bench train\n\n"
                               "  One of them:\n"
                               "    bo-bench train --model banp --threads 2\n";

static const char notes[] =
    "TABLE. model; ms: milliseconds a step, mean over the steps; threads; cpu: milliseconds of CPU "
    "time a step, of all threads; draw: of which for drawing tasks and noise; tasks/s; GFLOP/s: "
    "operations of matrix products in all of that time; share: of what the threads could do if they "
    "did nothing but multiply registers, measured at the start. On a busy machine cpu/threads is "
    "the time without the others.";

/* Whether name is one of a list with commas; NULL is a list of all. */
static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    return !list;
}

/* The first name of the list that is no model; NULL when all are. */
static const char *stranger(const char *list, char room[32])
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(room, 32, "%.*s", (int)strcspn(at, ","), at);
        if (!bo__nptype_find(room))
            return room;
    }
    return NULL;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of one model with one number of threads, a step. */
typedef struct figures {
    double ms, cpu; /* milliseconds of the clock, and of all threads */
    double flops;   /* of matrix products */
    bo__profile profile;
} figures;

static bo__train_options options_of(const settings *s, const bo__nptype *type)
{
    bo__train_options options;
    bo__train_options_init(&options, type);
    options.batch = s->batch;
    options.samples = s->samples;
    options.precision = (bo__precision)s->precision;
    options.profile = s->profile;
    options.prior = s->prior;
    options.model.dim_y = bo__prior_outputs(&s->prior);
    return options;
}

static bo_status measure(const settings *s, const bo__nptype *type, size_t threads, figures *out,
                         bo_message *message)
{
    bo__train_options options = options_of(s, type);
    options.threads = threads;
    bo__trainer *trainer;
    bo__train_report report;
    bo_status status = bo__trainer_new(&trainer, &options, message);
    double begin = 0, cpu_begin = 0;
    for (size_t i = 0; !status && i < WARM + s->steps; i++) {
        if (i == WARM) {
            begin = bo__progress_clock();
            cpu_begin = cpu_seconds();
        }
        status = bo__trainer_step(trainer, &report, message);
        if (!status && bo__interrupted())
            status = BO_STOPPED;
    }
    out->ms = 1e3 * (bo__progress_clock() - begin) / (double)s->steps;
    out->cpu = 1e3 * (cpu_seconds() - cpu_begin) / (double)s->steps;
    if (trainer)
        out->flops = bo__trainer_profile(trainer, &out->profile) / (double)(WARM + s->steps);
    bo__trainer_free(trainer);
    return status;
}

/* CPU milliseconds for drawing the tasks and the noise of a step, mean over the steps. */
static double measure_draw(const settings *s, const bo__nptype *type)
{
    bo__train_options options = options_of(s, type);
    bo__npmodel model;
    if (s->prior.kinds[0] == BO_PRIOR_PREDATOR)
        options.prior.pool = bo__predator_pool_new(options.seed);
    if (bo__npmodel_init(&model, &options.model, NULL))
        return NAN;
    bo__arena arena;
    bo__arena_init(&arena);
    double begin = 0;
    for (size_t i = 0; i < FILL + s->steps; i++) {
        if (i == FILL)
            begin = cpu_seconds();
        bo__rng rng;
        bo__rng_init(&rng, options.seed, "sizes", i);
        bo__taskbatch_plan plan = {.seed = options.seed, .first = i * s->batch,
                                   .tasks = s->batch, .samples = s->samples};
        bo__prior_sizes(&options.prior, &rng, &plan.context, &plan.points);
        bo__arena_reset(&arena);
        bo__tape tape;
        bo__tape_init(&tape, &arena, NULL, NULL);
        bo__taskbatch(&tape, &model, &options.prior, &plan);
    }
    double seconds = cpu_seconds() - begin;
    bo__arena_free(&arena);
    bo__predator_pool_free(options.prior.pool);
    bo__npmodel_free(&model);
    return 1e3 * seconds / (double)s->steps;
}

static bo_status measure_all(const settings *s, bo_message *message)
{
    double limit = 1e-9 * bo__limit((bo__precision)s->precision);
    printf("%-6s %9s %8s %9s %6s %9s %9s %6s\n", "model", "ms", "threads", "cpu", "draw", "tasks/s",
           "GFLOP/s", "share");
    for (size_t i = 0; bo__nptype_at(i); i++)
        for (size_t t = 0; t < s->count; t++) {
            const bo__nptype *type = bo__nptype_at(i);
            if (!listed(s->models, type->name))
                continue;
            figures f;
            bo_status status = measure(s, type, s->thread[t], &f, message);
            if (status)
                return status;
            double rate = 1e-6 * f.flops / f.ms;
            printf("%-6s %9.2f %8zu %9.2f %6.2f %9.0f %9.1f %5.0f%%\n", type->name, f.ms,
                   s->thread[t], f.cpu, measure_draw(s, type), 1e3 * (double)s->batch / f.ms, rate,
                   100 * rate / (limit * (double)s->thread[t]));
            if (s->profile)
                bo__profile_print(stdout, &f.profile, WARM + s->steps);
            fflush(stdout);
        }
    return BO_OK;
}

int bo__bench_main_train(int argc, char **argv)
{
    settings s = {.steps = 60, .batch = 100, .samples = 4, .names = "rbf",
                  .precision = BO__PRECISION_BF16};
    const bo__arg table[] = {
        {.name = "model", .value = "KINDS", .kind = BO_ARG_TEXT, .target = &s.models,
         .group = "options", .help = "Models, with commas between (default: all six)."},
        {.name = "threads", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s.threads,
         .group = "options", .help = "Numbers of threads (default: 1 and all cores)."},
        {.name = "steps", .value = "N", .kind = BO_ARG_SIZE, .target = &s.steps,
         .group = "options", .least = 1, .most = 1e6, .help = "Steps to average over."},
        {.name = "prior", .value = "NAMES", .kind = BO_ARG_TEXT, .target = &s.names,
         .group = "options", .help = "Tasks, as for bo-train."},
        {.name = "batch", .value = "N", .kind = BO_ARG_SIZE, .target = &s.batch,
         .group = "options", .least = 1, .most = 1e5, .help = "Tasks a step."},
        {.name = "samples", .value = "K", .kind = BO_ARG_SIZE, .target = &s.samples,
         .group = "options", .least = 1, .most = 1000,
         .help = "Samples a task (np, anp, bnp, banp)."},
        {.name = "precision", .value = "NAME", .kind = BO_ARG_CHOICE, .target = &s.precision,
         .choices = bo__precision_names, .group = "options",
         .help = "Of matrix products: bf16, coarse, but it trains as well (doc/TRAINING.md); float32; "
                 "bf16x3, each number split in two bf16, nearly as exact; auto, the fastest of "
                 "those two; mixed, auto for answers and bf16 for gradients. What the CPU cannot do "
                 "is done in float32."},
        {.name = "profile", .kind = BO_ARG_FLAG, .target = &s.profile, .group = "options",
         .help = "Show what the CPU time goes to."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-bench train", .purpose = purpose,
                                 .usage = "[options]", .examples = examples, .notes = notes,
                                 .args = table};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    char room[32];
    if (stranger(s.models, room))
        return bo__args_error(&command, "model '%s' is not one of cnp, np, bnp, canp, anp, banp",
                              room);
    bo_message message = {""};
    if (bo__prior_parse(&s.prior, s.names, 1, &message))
        return bo__args_error(&command, "--prior: %s", message.text);
    size_t cores = bo__parallel_cores();
    s.thread[0] = 1;
    s.thread[1] = cores;
    s.count = cores > 1 ? 2 : 1;
    if (s.threads &&
        bo__bench_read_sizes(s.thread, MOST_THREADS, &s.count, s.threads, &message))
        return bo__args_error(&command, "--threads: %s", message.text);
    bo_status status = measure_all(&s, &message);
    if (status >= 0)
        return 0;
    fprintf(stderr, "bo-bench train: %s\n", message.text);
    return 1;
}
