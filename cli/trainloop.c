/* trainloop.c - a training run: it shows how it goes, keeps a log, and can go on when it was stopped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run that was stopped, by Ctrl-C or by kill -9, goes on from its checkpoint.  In a team rank 0
 * alone scores, prints and writes; the others take the same steps.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "trainrun.h"

typedef bo__trainrun run;

static int complain(const run *r, const bo_message *message)
{
    if (r->team.rank == 0)
        fprintf(stderr, "bo-train: %s\n", message->text);
    return 1;
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
    bo_status status = bo__trainer_check(r->trainer, message);
    if (!status)
        status = bo__score_model(bo__trainer_model(r->trainer), bo__trainer_weights(r->trainer),
                                 &plan, &r->score, message);
    r->scored_step = bo__trainer_steps(r->trainer);
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
                                                .seconds = bo__trainrun_seconds(r)},
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

/* What rank 0 does after a step. */
static bo_status after_step(run *r, const bo__train_report *report, bo__progress *bar,
                            bo_message *message)
{
    size_t step = bo__trainer_steps(r->trainer), steps = r->options.adam.steps;
    bo_status status = BO_OK;
    if (step % r->score_every == 0 || step == steps) {
        status = score_now(r, report, message);
        say_line(r, bar);
    }
    if (!status && step < steps && bo__trainrun_checkpoint_due(r))
        status = bo__trainrun_write_checkpoint(r, message);
    if (!r->quiet)
        bo__progress_update(bar, step, "loss %.3f  target %.3f  %.0f tasks/s", r->smooth,
                            r->score.target, speed(r));
    r->alone = status;
    return status;
}

static bo_status one_step(run *r, bo__progress *bar, bo_message *message)
{
    bo__train_report report;
    bo_status status = bo__trainer_step(r->trainer, &report, message);
    if (status)
        return status;
    r->smooth = report.smooth;
    if (r->smooth > BO__TRAINRUN_DIVERGED)
        return bo__fail(message, BO_ENUMERIC, "step %zu: the loss diverges (%g)",
                        bo__trainer_steps(r->trainer), r->smooth);
    return r->team.rank == 0 ? after_step(r, &report, bar, message) : BO_OK;
}

/* Until the last step, an interruption or an error. */
static bo_status train(run *r, bo_message *message)
{
    bo__progress bar;
    bo__progress_start(&bar, stderr, r->model, r->options.adam.steps);
    bo_status status = BO_OK;
    while (!status && !bo__trainteam_stopped(&r->team) &&
           bo__trainer_steps(r->trainer) < r->options.adam.steps)
        status = one_step(r, &bar, message);
    bo__progress_end(&bar);
    return status;
}

static bo_status start(run *r, bo_message *message)
{
    r->options.team = bo__trainteam_hooks(&r->team);
    bo_status status = bo__trainer_new(&r->trainer, &r->options, message);
    if (status)
        return status;
    r->begin = r->saved = bo__progress_clock();
    if (r->team.rank == 0)
        status = bo__trainrun_find_state(r, message);
    status = (bo_status)bo__trainteam_agree(&r->team, status);
    if (!status)
        status = bo__trainer_share(r->trainer, message);
    r->begin_step = r->saved_step = bo__trainer_steps(r->trainer);
    return status;
}

static int finish(run *r, bo_message *message)
{
    if (bo__trainrun_write_weights(r, message))
        return complain(r, message);
    unlink(r->checkpoint);
    if (!r->quiet)
        fprintf(stderr, "%s: held-out log-likelihood %.4f ± %.4f (context %.4f)\n", r->output,
                r->score.target, r->score.target_error, r->score.context);
    if (r->plot && bo__trainrun_draw(r, message))
        return complain(r, message);
    return 0;
}

/* What went wrong, what is left, and what helps: the same numbers come from the same options. */
static int fail(run *r, bo_status status, const bo_message *message)
{
    complain(r, message);
    if (r->team.rank == 0 && !access(r->checkpoint, F_OK))
        fprintf(stderr, "bo-train: the last good state, after step %zu, is in %s\n",
                r->saved_step, r->checkpoint);
    if (r->team.rank == 0 && status == BO_ENUMERIC)
        fputs("bo-train: the same options lead here again: begin anew with a lower --lr, or with "
              "--clip 1\n", stderr);
    if (r->alone)
        bo__trainteam_abort(&r->team);
    return 1;
}

static int stop(run *r, bo_message *message)
{
    if (r->team.rank == 0) {
        bo_status status = bo__trainrun_write_checkpoint(r, message);
        if (status)
            return fail(r, status, message);
        fprintf(stderr, "stopped after step %zu; --resume goes on\n", r->saved_step);
    }
    return bo__interrupt_status(128 + SIGTERM);
}

/* Nothing is left to train; but the curve can still be drawn. */
static int already_done(run *r, bo_message *message)
{
    if (r->team.rank)
        return 0;
    fprintf(stderr, "%s: is finished\n", r->output);
    return r->plot && bo__trainrun_draw(r, message) ? complain(r, message) : 0;
}

static int run_all(run *r)
{
    bo_message message;
    bool first = r->team.rank == 0;
    bo_status status = first ? bo__trainrun_check_files(r, &message) : BO_OK;
    if (bo__trainteam_agree(&r->team, status))
        return complain(r, &message);
    bool done = first && r->resume && access(r->checkpoint, F_OK) &&
                bo__trainrun_already_done(r);
    if (bo__trainteam_agree(&r->team, done))
        return already_done(r, &message);
    if (start(r, &message))
        return complain(r, &message);
    if ((status = train(r, &message)))
        return fail(r, status, &message);
    if (bo__trainer_steps(r->trainer) < r->options.adam.steps)
        return stop(r, &message);
    return first ? finish(r, &message) : 0;
}

int bo__trainrun_all(run *r)
{
    bo_message message;
    if (bo__trainteam_begin(&r->team, r->mpi, &message))
        return complain(r, &message);
    if (r->team.rank) {
        r->quiet = true;
        r->log = r->plot = NULL;
    }
    int status = run_all(r);
    bo__trainteam_end(&r->team);
    bo__trainlog_close(r->journal);
    bo__trainer_free(r->trainer);
    return status;
}
