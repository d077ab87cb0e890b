/* bo-train.c - trains neural processes on functions drawn from a prior.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options are here; what is done with them is in trainloop.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "interrupt.h"
#include "recipe.h"
#include "startup.h"
#include "trainrun.h"

typedef bo__trainrun run;

static const char *const ablations[] = {"none", "paired", "adaptation", "base-loss", "naive",
                                        NULL};
static const char *const sizes[] = {"batch", "group", NULL};
static const char *const norms[] = {"post", "pre", NULL};
static const char *const optimizers[] = {"adam", "muon", NULL};

static const char purpose[] =
    "Trains a neural process (cnp, np, bnp, canp, anp, banp) on functions drawn from a "
    "Gaussian-process prior, and writes its weights as a safetensors file.";

static const char examples[] =
    "  bo-train --model canp --steps 8000 --output canp.safetensors\n"
    "  bo-train --model banp --recipe paper --output banp.safetensors --resume\n"
    "  bo-train --model cnp --sigma-floor 0.01 --clip 1 --log cnp.csv --plot cnp.png \\\n"
    "           --output cnp.safetensors\n"
    "  mpirun -n 4 bo-train --mpi --model banp --output banp.safetensors\n";

static const char notes[] =
    "The state of the run is kept beside the output, in OUTPUT.checkpoint; after a crash or an "
    "interruption the same command with --resume goes on from there, with the same result as if "
    "it had never stopped. The result depends on the seed, not on the number of threads, nor, when "
    "lanes and processes are powers of two, on the number of processes."
    "\n\n"
    "Held-out score: mean log-likelihood per target point on tasks of the same prior that are "
    "never trained on.";

/* ---- options --------------------------------------------------------------------------- */

/* The numbers of the recipe, where there is one for the model. */
static void use_recipe(run *r)
{
    const bo__recipe *recipe = bo__recipe_find(bo__recipe_names[r->recipe], r->model);
    if (!recipe)
        return;
    bo__recipe_apply(recipe, &r->options);
    r->sizes = recipe->group_sizes;
    r->optimizer = (int)recipe->optimizer;
}

static void defaults(run *r)
{
    *r = (run){.model = "canp", .prior = "rbf", .sigma_floor = 0.1, .minutes = 5, .dim = 1,
               .score_batches = 16, .score_samples = 10, .smooth = NAN,
               .precision = BO__PRECISION_BF16,
               .score = {NAN, NAN, NAN, NAN}, .scored_step = SIZE_MAX};
    bo__train_options_init(&r->options, &bo__nptype_canp);
    use_recipe(r);
}

/* Fills in what was not given, by the recipe of the model that is known now.  A rate that was given
 * without optimiser and recipe is Adam's, whose rates people know; Muon wants other ones. */
static void settle(run *r, const bo__command *command, int argc, char **argv)
{
    r->recipe = r->optimizer = -1;
    r->options.adam.rate = NAN;
    bo__args_parse(command, argc, argv);
    bool adam = r->recipe < 0 && r->optimizer < 0 && !isnan(r->options.adam.rate);
    if (r->recipe < 0)
        r->recipe = 0;
    use_recipe(r);
    if (adam)
        r->optimizer = BO__OPTIMIZER_ADAM;
    bo__args_parse(command, argc, argv); /* once more: what was given goes before it */
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
        {.name = "norm", .value = "WHERE", .kind = BO_ARG_CHOICE, .target = &r->norm,
         .choices = norms, .group = "model",
         .help = "Layer norms of attention after the sums, as in the paper (post), or before what "
                 "they feed (pre); the number of weights is the same."},
        {.name = "prior", .value = "NAMES", .kind = BO_ARG_TEXT, .target = &r->prior,
         .group = "tasks", .help = "rbf, matern52, periodic, tnoise, or several with commas: each "
         "task picks one; or predator: simulated series of predators and prey, with two outputs."},
        {.name = "dim", .value = "D", .kind = BO_ARG_SIZE, .target = &r->dim, .group = "tasks",
         RANGE(1, 100), .help = "Inputs of the functions."},
        {.name = "sizes", .value = "HOW", .kind = BO_ARG_CHOICE, .target = &r->sizes,
         .choices = sizes, .group = "tasks",
         .help = "Whether all tasks of a step have the same numbers of points (batch), or each "
                 "group of a few tasks its own (group), which is less noisy."},
        {.name = "recipe", .value = "NAME", .kind = BO_ARG_CHOICE, .target = &r->recipe,
         .choices = bo__recipe_names, .group = "training",
         .help = "Where --steps, --batch, --sizes, --optimizer, --lr, --warmup, --clip, --ema and "
                 "--weight-decay come from when they are not given: fast, a million tasks in small "
                 "batches with Muon, or paper, the paper's ten million. The defaults shown are "
                 "those of fast and canp."},
        {.name = "steps", .value = "N", .kind = BO_ARG_SIZE, .target = &a->steps,
         .group = "training", RANGE(1, 1e12), .help = "Steps of the optimiser."},
        {.name = "batch", .value = "N", .kind = BO_ARG_SIZE, .target = &o->batch,
         .group = "training", RANGE(1, 100000), .help = "Tasks a step."},
        {.name = "samples", .value = "K", .kind = BO_ARG_SIZE, .target = &o->samples,
         .group = "training", RANGE(1, 1000),
         .help = "Samples a task in the losses of np, anp, bnp and banp."},
        {.name = "optimizer", .value = "NAME", .kind = BO_ARG_CHOICE, .target = &r->optimizer,
         .choices = optimizers, .group = "training",
         .help = "adam, or muon: orthogonal steps for the matrices of hidden layers, Adam for the "
                 "rest. Adam when --lr is given without --optimizer and --recipe."},
        {.name = "lr", .value = "RATE", .kind = BO_ARG_DOUBLE, .target = &a->rate,
         .group = "training", RANGE(0, 1), .above = true,
         .help = "Highest learning rate; it falls to 0 along a cosine. Given without --optimizer "
                 "and --recipe it is Adam's: --optimizer adam is chosen."},
        {.name = "warmup", .value = "N", .kind = BO_ARG_SIZE, .target = &a->warmup,
         .group = "training", .help = "Steps over which the rate rises."},
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
         .help = "Of matrix products: bf16, coarse, but it trains as well (doc/TRAINING.md); float32; "
                 "bf16x3, each number split in two bf16, nearly as exact; auto, the fastest of "
                 "those two; mixed, auto for answers and bf16 for gradients. What the CPU cannot do "
                 "is done in float32."},
        {.name = "threads", .value = "N", .kind = BO_ARG_SIZE, .target = &o->threads,
         .group = "training", .help = "Default: all cores. The result does not depend on it."},
        {.name = "lanes", .value = "N", .kind = BO_ARG_SIZE, .target = &o->lanes,
         .group = "training", RANGE(0, 100000),
         .help = "Parts of a step that can run at the same time, in threads or processes; the "
                 "result depends on it, by rounding (default: 1, 2 or 4, for steps of up to 9, 19 "
                 "and more tasks)."},
        {.name = "mpi", .kind = BO_ARG_FLAG, .target = &r->mpi, .group = "training",
         .help = "The processes that mpirun started train one model together."},
        {.name = "resume", .kind = BO_ARG_FLAG, .target = &r->resume, .group = "run",
         .help = "Go on from the last checkpoint, if there is one; without --resume there must be "
                 "none."},
        {.name = "checkpoint-every", .value = "N", .kind = BO_ARG_SIZE,
         .target = &r->checkpoint_every, .group = "run",
         .help = "Write a checkpoint after so many steps (default: by the clock only)."},
        {.name = "checkpoint-minutes", .value = "M", .kind = BO_ARG_DOUBLE,
         .target = &r->minutes, .group = "run", RANGE(0, INFINITY),
         .help = "Write a checkpoint after so many minutes; 0: by steps only."},
        {.name = "log", .value = "FILE", .kind = BO_ARG_TEXT, .target = &r->log, .group = "run",
         .help = "CSV with a row for each score: step, loss, held-out scores, rate, speed."},
        {.name = "plot", .value = "FILE", .kind = BO_ARG_TEXT, .target = &r->plot,
         .group = "run", .help = "Curve of the log, as .png, .svg or .pdf, or - for the "
         "terminal; needs --log and gnuplot."},
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
    settle(r, &command, argc, argv);
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
    o->model.pre_norm = r->norm == 1 && type->attention;
    o->group_sizes = r->sizes == 1;
    o->optimizer = (bo__optimizer)r->optimizer;
    o->precision = (bo__precision)r->precision;
    if (!r->score_every)
        r->score_every = a->steps / 50 > 0 ? a->steps / 50 : 1;
    bo_message message;
    if (bo__prior_parse(&o->prior, r->prior, r->dim, &message))
        return bo__args_error(&command, "%s", message.text);
    o->model.dim_y = bo__prior_outputs(&o->prior);
    return -1;
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
    int status = bo__trainrun_all(&r);
    free(r.checkpoint);
    free(output);
    return status;
}
