/* bo-train.c - trains neural processes on functions drawn from a prior.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop is training/train.h; this command feeds it options, shows how it goes, keeps a log,
 * and sees to it that a run that was stopped, by Ctrl-C or by kill -9, can go on.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "interrupt.h"
#include "message.h"
#include "npfile.h"
#include "output.h"
#include "progress.h"
#include "score.h"
#include "startup.h"
#include "train.h"
#include "trainlog.h"

typedef struct run {
    const char *model, *output, *prior, *log, *plot;
    int ablation, sizes, precision;
    double sigma_floor, minutes;
    size_t dim, checkpoint_every, score_every, score_batches, score_samples;
    bool resume, quiet;
    bo__train_options options;
    /* While running. */
    bo__trainer *trainer;
    bo__trainlog *journal;
    char *checkpoint; /* path */
    bo__score score;  /* the last one; NAN before the first */
    double smooth;    /* loss, smoothed */
    double begin, saved;
    size_t begin_step, saved_step;
} run;

static const char *const ablations[] = {"none", "paired", "adaptation", "base-loss", "naive",
                                        NULL};
static const char *const sizes[] = {"batch", "group", NULL};

static const char purpose[] =
    "Trains a neural process (cnp, np, bnp, canp, anp, banp) on functions drawn from a "
    "Gaussian-process prior, and writes its weights as a safetensors file.";

static const char examples[] =
    "  bo-train --model canp --steps 8000 --batch 25 --lr 1e-3 --warmup 300 \\\n"
    "           --output canp.safetensors\n"
    "  bo-train --model banp --output banp.safetensors --resume\n"
    "  bo-train --model cnp --sigma-floor 0.01 --clip 1 --log cnp.csv --plot cnp.png \\\n"
    "           --output cnp.safetensors\n";

static const char notes[] =
    "The state of the run is kept beside the output, in OUTPUT.checkpoint; after a crash or an "
    "interruption the same command with --resume goes on from there, with the same result as if "
    "it had never stopped. The result depends on the seed, not on the number of threads."
    "\n\n"
    "Held-out score: mean log-likelihood per target point on tasks of the same prior that are "
    "never trained on.";

/* ---- options --------------------------------------------------------------------------- */

static void defaults(run *r)
{
    *r = (run){.model = "canp", .prior = "rbf", .sigma_floor = 0.1, .minutes = 5, .dim = 1,
               .score_batches = 16, .score_samples = 10, .smooth = NAN,
               .score = {NAN, NAN, NAN, NAN}};
    bo__train_options_init(&r->options, &bo__nptype_canp);
}

#define RANGE(low, high) .least = low, .most = high

static int parse(run *r, int argc, char **argv)
{
    bo__train_options *o = &r->options;
    bo__adam_options *a = &o->adam;
    const bo__arg table[] = {
        {.name = "model", .value = "KIND", .kind = BO_ARG_TEXT, .target = &r->model,
         .group = "model", .help = "cnp, np, bnp, canp, anp or banp."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &r->output,
         .group = "model", .help = "Where the weights go (default KIND.safetensors)."},
        {.name = "sigma-floor", .value = "S", .kind = BO_ARG_DOUBLE, .target = &r->sigma_floor,
         .group = "model", RANGE(0, 1), .above = true,
         .help = "Least standard deviation the model can predict. 0.1 is the paper's; 0.01 is "
                 "better for optimisation."},
        {.name = "ablation", .value = "PART", .kind = BO_ARG_CHOICE, .target = &r->ablation,
         .choices = ablations, .group = "model",
         .help = "Part of bnp and banp to leave out: paired, adaptation, base-loss; or naive: "
                 "cnp and canp predict by a naive residual bootstrap."},
        {.name = "prior", .value = "NAMES", .kind = BO_ARG_TEXT, .target = &r->prior,
         .group = "tasks", .help = "rbf, matern52, periodic, tnoise, or several with commas: each "
         "task picks one."},
        {.name = "dim", .value = "D", .kind = BO_ARG_SIZE, .target = &r->dim, .group = "tasks",
         RANGE(1, 100), .help = "Inputs of the functions."},
        {.name = "sizes", .value = "HOW", .kind = BO_ARG_CHOICE, .target = &r->sizes,
         .choices = sizes, .group = "tasks",
         .help = "Whether all tasks of a step have the same numbers of points (batch), or each "
                 "group of a few tasks its own (group), which is less noisy."},
        {.name = "steps", .value = "N", .kind = BO_ARG_SIZE, .target = &a->steps,
         .group = "training", RANGE(1, 1e12), .help = "Steps of the optimiser."},
        {.name = "batch", .value = "N", .kind = BO_ARG_SIZE, .target = &o->batch,
         .group = "training", RANGE(1, 100000), .help = "Tasks a step."},
        {.name = "samples", .value = "K", .kind = BO_ARG_SIZE, .target = &o->samples,
         .group = "training", RANGE(1, 1000),
         .help = "Samples a task in the losses of np, anp, bnp and banp."},
        {.name = "lr", .value = "RATE", .kind = BO_ARG_DOUBLE, .target = &a->rate,
         .group = "training", RANGE(0, 1), .above = true,
         .help = "Highest learning rate; it falls to 0 along a cosine."},
        {.name = "warmup", .value = "N", .kind = BO_ARG_SIZE, .target = &a->warmup,
         .group = "training", .help = "Steps over which the rate rises (default 0)."},
        {.name = "clip", .value = "NORM", .kind = BO_ARG_DOUBLE, .target = &a->clip,
         .group = "training", RANGE(0, INFINITY),
         .help = "Largest norm of the gradient; 0: no limit."},
        {.name = "ema", .value = "DECAY", .kind = BO_ARG_DOUBLE, .target = &a->average,
         .group = "training", RANGE(0, 0.9999999),
         .help = "Write the moving average of the weights with this decay, such as 0.999; 0: "
                 "the weights themselves."},
        {.name = "weight-decay", .value = "W", .kind = BO_ARG_DOUBLE, .target = &a->weight_decay,
         .group = "training", RANGE(0, INFINITY), .help = "Decoupled weight decay (AdamW)."},
        {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &o->seed,
         .group = "training", .help = "Of everything random."},
        {.name = "precision", .value = "NAME", .kind = BO_ARG_CHOICE, .target = &r->precision,
         .choices = bo__precision_names, .group = "training",
         .help = "Of matrix products: float32, bf16x3 (each number split in two bf16, nearly as "
                 "exact), bf16 (coarse), or the fastest of the first two. Without AMX in the CPU "
                 "all are float32."},
        {.name = "threads", .value = "N", .kind = BO_ARG_SIZE, .target = &o->threads,
         .group = "training", .help = "Default: all cores. The result does not depend on it."},
        {.name = "resume", .kind = BO_ARG_FLAG, .target = &r->resume, .group = "run",
         .help = "Go on from the last checkpoint, if there is one."},
        {.name = "checkpoint-every", .value = "N", .kind = BO_ARG_SIZE,
         .target = &r->checkpoint_every, .group = "run",
         .help = "Write a checkpoint after so many steps (default: by the clock only)."},
        {.name = "checkpoint-minutes", .value = "M", .kind = BO_ARG_DOUBLE,
         .target = &r->minutes, .group = "run", RANGE(0, INFINITY),
         .help = "Write a checkpoint after so many minutes; 0: by steps only."},
        {.name = "log", .value = "FILE", .kind = BO_ARG_TEXT, .target = &r->log, .group = "run",
         .help = "CSV with a row for each score: step, loss, held-out scores, rate, speed."},
        {.name = "plot", .value = "FILE", .kind = BO_ARG_TEXT, .target = &r->plot,
         .group = "run", .help = "Curve of the log, as .png, .svg or .pdf; needs --log and "
         "gnuplot."},
        {.name = "score-every", .value = "N", .kind = BO_ARG_SIZE, .target = &r->score_every,
         .group = "run", .help = "Steps between held-out scores (default: a fiftieth of all)."},
        {.name = "score-batches", .value = "N", .kind = BO_ARG_SIZE,
         .target = &r->score_batches, .group = "run", RANGE(1, 1e6),
         .help = "Held-out batches of 16 tasks."},
        {.name = "score-samples", .value = "K", .kind = BO_ARG_SIZE,
         .target = &r->score_samples, .group = "run", RANGE(1, 1000),
         .help = "Samples a held-out task."},
        {.name = "quiet", .kind = BO_ARG_FLAG, .target = &r->quiet, .group = "run",
         .help = "Print errors only."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-train", .purpose = purpose, .usage = "[options]",
                                 .examples = examples, .notes = notes, .args = table};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    const bo__nptype *type = bo__nptype_find(r->model);
    if (!type)
        return bo__args_error(&command, "model '%s' is not one of cnp, np, bnp, canp, anp, banp",
                              r->model);
    if (r->plot && !r->log)
        return bo__args_error(&command, "--plot draws the log: it needs --log");
    o->model.type = type;
    o->model.dim_x = r->dim;
    o->model.sigma_floor = (float)r->sigma_floor;
    o->model.ablation = (bo__ablation)r->ablation;
    o->group_sizes = r->sizes == 1;
    o->precision = (bo__precision)r->precision;
    if (!r->score_every)
        r->score_every = a->steps / 50 > 0 ? a->steps / 50 : 1;
    bo_message message;
    if (bo__prior_parse(&o->prior, r->prior, r->dim, &message))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

/* ---- files ----------------------------------------------------------------------------- */

static int complain(const bo_message *message)
{
    fprintf(stderr, "bo-train: %s\n", message->text);
    return 1;
}

static bo_status write_weights(run *r, bo_message *message)
{
    bo__npinfo info;
    bo__npinfo_init(&info);
    info.steps = bo__trainer_steps(r->trainer);
    info.batch = r->options.batch;
    info.seed = r->options.seed;
    snprintf(info.prior, sizeof info.prior, "%s", r->prior);
    char *text = bo__train_options_text(&r->options);
    snprintf(info.training, sizeof info.training, "%s", text ? text : "");
    free(text);
    return bo__npfile_save(r->output, bo__trainer_model(r->trainer),
                           bo__trainer_weights(r->trainer), &info, message);
}

static bo_status write_checkpoint(run *r, bo_message *message)
{
    r->saved = bo__progress_clock();
    r->saved_step = bo__trainer_steps(r->trainer);
    return bo__trainer_save(r->trainer, r->checkpoint, message);
}

static bool checkpoint_due(const run *r)
{
    size_t since = bo__trainer_steps(r->trainer) - r->saved_step;
    return (r->checkpoint_every && since >= r->checkpoint_every) ||
           (r->minutes > 0 && bo__progress_clock() - r->saved >= 60 * r->minutes);
}

/* True when the output holds the finished result of a run like this one. */
static bool already_done(const run *r)
{
    bo__npmodel model;
    bo__npinfo info;
    float *theta;
    if (access(r->output, R_OK) ||
        bo__npfile_load(r->output, r->model, &model, &theta, &info, NULL))
        return false;
    char *text = bo__train_options_text(&r->options);
    bool done = text && info.steps == r->options.adam.steps &&
                !strncmp(text, info.training, sizeof info.training - 1);
    free(text);
    free(theta);
    bo__npmodel_free(&model);
    return done;
}

/* ---- the loop -------------------------------------------------------------------------- */

static double speed(const run *r)
{
    double seconds = bo__progress_clock() - r->begin;
    size_t steps = bo__trainer_steps(r->trainer) - r->begin_step;
    return seconds > 0 ? (double)(steps * r->options.batch) / seconds : 0;
}

/* Tasks of a batch of --score-batches, and how many of them have the same sizes.  Sizes move the
 * likelihood more than anything else: with one draw for sixteen tasks the error of a score of
 * 1,024 tasks is 0.06, with one for two it is 0.03. */
enum { SCORE_TASKS = 16, SCORE_ALIKE = 2 };

static bo_status score_now(run *r, const bo__train_report *report, bo_message *message)
{
    bo__score_plan plan = {.prior = r->options.prior, .seed = 20200,
                           .batches = r->score_batches * (SCORE_TASKS / SCORE_ALIKE),
                           .tasks = SCORE_ALIKE, .samples = r->score_samples,
                           .threads = r->options.threads};
    bo_status status = bo__score_model(bo__trainer_model(r->trainer),
                                       bo__trainer_weights(r->trainer), &plan, &r->score,
                                       message);
    if (status || !r->journal)
        return status;
    return bo__trainlog_add(r->journal,
                            &(bo__trainlog_row){.step = bo__trainer_steps(r->trainer),
                                                .loss = r->smooth,
                                                .context = r->score.context,
                                                .target = r->score.target,
                                                .rate = report->rate,
                                                .norm = report->norm,
                                                .speed = speed(r),
                                                .seconds = bo__progress_clock() - r->begin},
                            message);
}

static void say_line(const run *r, const bo__progress *bar)
{
    char left[32];
    size_t step = bo__trainer_steps(r->trainer), steps = r->options.adam.steps;
    double tasks = (double)((steps - step) * r->options.batch);
    bo__progress_time(left, sizeof left, speed(r) > 0 ? tasks / speed(r) : 0);
    if (!r->quiet && !bar->live)
        fprintf(stderr, "step %zu/%zu  loss %.4f  held-out target %.4f  %.0f tasks/s  %s left\n",
                step, steps, r->smooth, r->score.target, speed(r), left);
}

/* A loss whose average has left all reason. */
#define DIVERGED 1e4

static bo_status one_step(run *r, bo__progress *bar, bo_message *message)
{
    bo__train_report report;
    bo_status status = bo__trainer_step(r->trainer, &report, message);
    if (status)
        return status;
    size_t step = bo__trainer_steps(r->trainer), steps = r->options.adam.steps;
    r->smooth = isnan(r->smooth) ? report.loss : 0.98 * r->smooth + 0.02 * report.loss;
    if (r->smooth > DIVERGED)
        return bo__fail(message, BO_ENUMERIC, "step %zu: the loss diverges (%g)", step,
                        r->smooth);
    if (step % r->score_every == 0 || step == steps) {
        status = score_now(r, &report, message);
        say_line(r, bar);
    }
    if (!status && step < steps && checkpoint_due(r))
        status = write_checkpoint(r, message);
    if (!r->quiet)
        bo__progress_update(bar, step, "loss %.3f  target %.3f  %.0f tasks/s", r->smooth,
                            r->score.target, speed(r));
    return status;
}

/* Until the last step, an interruption or an error. */
static bo_status train(run *r, bo_message *message)
{
    bo__progress bar;
    bo__progress_start(&bar, stderr, r->model, r->options.adam.steps);
    bo_status status = BO_OK;
    while (!status && !bo__interrupted() &&
           bo__trainer_steps(r->trainer) < r->options.adam.steps)
        status = one_step(r, &bar, message);
    bo__progress_end(&bar);
    return status;
}

static bo_status start(run *r, bo_message *message)
{
    bo_status status = bo__output_check(r->output, message);
    if (!status)
        status = bo__trainer_new(&r->trainer, &r->options, message);
    if (!status && r->resume && !access(r->checkpoint, F_OK))
        status = bo__trainer_load(r->trainer, r->checkpoint, message);
    if (status)
        return status;
    r->begin_step = r->saved_step = bo__trainer_steps(r->trainer);
    r->begin = r->saved = bo__progress_clock();
    if (!r->quiet && r->resume)
        fprintf(stderr, r->begin_step ? "goes on after step %zu\n" : "no checkpoint: begins anew\n",
                r->begin_step);
    return r->log ? bo__trainlog_open(&r->journal, r->log, r->begin_step, message) : BO_OK;
}

static int finish(run *r, bo_message *message)
{
    if (write_weights(r, message))
        return complain(message);
    unlink(r->checkpoint);
    if (!r->quiet)
        fprintf(stderr, "%s: held-out log-likelihood %.4f ± %.4f (context %.4f)\n", r->output,
                r->score.target, r->score.target_error, r->score.context);
    if (r->plot && bo__trainlog_plot(r->log, r->plot, message))
        return complain(message);
    return 0;
}

static int run_all(run *r)
{
    bo_message message;
    if (r->resume && access(r->checkpoint, F_OK) && already_done(r)) {
        fprintf(stderr, "%s: is finished\n", r->output);
        return 0;
    }
    if (start(r, &message))
        return complain(&message);
    bo_status status = train(r, &message);
    if (status) {
        complain(&message);
        if (!access(r->checkpoint, F_OK))
            fprintf(stderr, "bo-train: the last good state is in %s\n", r->checkpoint);
        return 1;
    }
    if (bo__trainer_steps(r->trainer) == r->options.adam.steps)
        return finish(r, &message);
    if (write_checkpoint(r, &message))
        return complain(&message);
    fprintf(stderr, "stopped after step %zu; --resume goes on\n", r->saved_step);
    return bo__interrupt_status(0);
}

int main(int argc, char **argv)
{
    bo__startup(argc, argv);
    run r;
    defaults(&r);
    int done = parse(&r, argc, argv);
    if (done >= 0)
        return done;
    bo__interrupt_catch();
    char *output = NULL;
    if (!r.output && asprintf(&output, "%s.safetensors", r.model) >= 0)
        r.output = output;
    if (!r.output || asprintf(&r.checkpoint, "%s.checkpoint", r.output) < 0) {
        fputs("bo-train: out of memory\n", stderr);
        return 1;
    }
    int status = run_all(&r);
    bo__trainlog_close(r.journal);
    bo__trainer_free(r.trainer);
    free(r.checkpoint);
    free(output);
    return status;
}
