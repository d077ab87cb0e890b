/* trainfiles.c - what a training run leaves on the disk, and finds there: weights and checkpoint.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "npfile.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "safetensors.h"
#include "trainrun.h"

typedef bo__trainrun run;

bo_status bo__trainrun_write_weights(const run *r, bo_message *message)
{
    bo__npinfo info;
    bo__npinfo_init(&info);
    info.steps = bo__trainer_steps(r->trainer);
    info.batch = r->options.batch;
    info.seed = r->options.seed;
    info.standardised = r->options.prior.kinds[0] == BO_PRIOR_PREDATOR;
    if (info.standardised)
        info.y_scale = 1;
    snprintf(info.prior, sizeof info.prior, "%s", r->prior);
    char *text = bo__train_options_text(&r->options);
    snprintf(info.training, sizeof info.training, "%s", text ? text : "");
    free(text);
    return bo__npfile_save(r->output, bo__trainer_model(r->trainer),
                           bo__trainer_weights(r->trainer), &info, message);
}

/* Held-out tasks, by two, that a state must be within reason on: few, since checkpoints may come
 * after every step; a state that has left all reason shows it on any. */
enum { PROBE_BATCHES = 4, PROBE_TASKS = 2 };

/* A score of just now says as much. */
static bo_status probe(const run *r, bo__score *score, bo_message *message)
{
    bo__score_plan plan = {.prior = r->options.prior, .seed = 20200, .batches = PROBE_BATCHES,
                           .tasks = PROBE_TASKS, .samples = r->score_samples,
                           .threads = r->options.threads};
    bo_status status = bo__trainer_check(r->trainer, message);
    *score = r->score;
    if (status || r->scored_step == bo__trainer_steps(r->trainer))
        return status;
    return bo__score_model(bo__trainer_model(r->trainer), bo__trainer_weights(r->trainer), &plan,
                           score, message);
}

bo_status bo__trainrun_write_checkpoint(run *r, bo_message *message)
{
    bo__score score;
    bo_status status = probe(r, &score, message);
    if (status || score.target < -BO__TRAINRUN_DIVERGED)
        return status;
    status = bo__trainer_save(r->trainer, bo__trainrun_seconds(r), r->checkpoint, message);
    if (status)
        return status;
    r->saved = bo__progress_clock();
    r->saved_step = bo__trainer_steps(r->trainer);
    return BO_OK;
}

double bo__trainrun_seconds(const run *r)
{
    return r->before + bo__progress_clock() - r->begin;
}

bool bo__trainrun_checkpoint_due(const run *r)
{
    size_t since = bo__trainer_steps(r->trainer) - r->saved_step;
    return (r->checkpoint_every && since >= r->checkpoint_every) ||
           (r->minutes > 0 && bo__progress_clock() - r->saved >= 60 * r->minutes);
}

bool bo__trainrun_already_done(const run *r)
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

/* A run that begins anew must not replace the checkpoint of one that got somewhere. */
static bo_status check_anew(const run *r, bo_message *message)
{
    size_t step = 0;
    if (access(r->checkpoint, F_OK))
        return BO_OK;
    bo_status status = bo__checkpoint_step(r->checkpoint, &step, message);
    return status || !step ? status
                           : bo__fail(message, BO_EIO,
                                      "%s: an unfinished run is there, after step %zu: --resume "
                                      "goes on; remove the file to begin anew",
                                      r->checkpoint, step);
}

/* Whether the curve can be drawn; without gnuplot the run goes on without, as bo-run does. */
static bo_status check_plot(run *r, bo_message *message)
{
    bo_status status = bo__plot_check(r->plot, message);
    if (!status && !bo__plot_available(message)) {
        fprintf(stderr, "bo-train: %s\n", message->text);
        r->plot = NULL;
    }
    return status;
}

bo_status bo__trainrun_draw(const run *r, bo_message *message)
{
    char *title;
    if (asprintf(&title, "%s, prior %s, %zu steps of %zu tasks", r->model, r->prior,
                 r->options.adam.steps, r->options.batch) < 0)
        return bo__fail(message, BO_ENOMEM, "%s: no memory to draw it", r->plot);
    bo_status status = bo__trainlog_plot(r->log, r->plot, title, message);
    free(title);
    return status;
}

bo_status bo__trainrun_check_files(run *r, bo_message *message)
{
    bo_status status = bo__output_check(r->output, message);
    bo__safetensors_sweep(r->output);
    bo__safetensors_sweep(r->checkpoint);
    return !status && r->plot ? check_plot(r, message) : status;
}

/* The state of a checkpoint, or that of the beginning, which becomes the first checkpoint: from
 * then on there is a good state to go back to. */
static bo_status first_state(run *r, bo_message *message)
{
    if (!r->resume || access(r->checkpoint, F_OK)) {
        bo_status status = r->resume ? BO_OK : check_anew(r, message);
        return status ? status : bo__trainrun_write_checkpoint(r, message);
    }
    return bo__trainer_load(r->trainer, &r->before, r->checkpoint, message);
}

bo_status bo__trainrun_find_state(run *r, bo_message *message)
{
    bo_status status = first_state(r, message);
    size_t step = bo__trainer_steps(r->trainer);
    if (!status && !r->quiet && r->resume)
        fprintf(stderr, step ? "goes on after step %zu\n" : "nothing to go on from: begins anew\n",
                step);
    if (!status && r->log)
        status = bo__trainlog_open(&r->journal, r->log, step, message);
    return status;
}
