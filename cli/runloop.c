/* runloop.c - asks, evaluates and tells until there is a reason to end.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "run.h"

bo_status bo__run_open(bo__run *run, const bo__run_settings *settings,
                       const bo__problem *problem, bo_message *message)
{
    *run = (bo__run){.settings = settings,
                     .problem = problem,
                     .dim = bo_space_dim(problem->space),
                     .best_truth = NAN,
                     .begin = bo__progress_clock()};
    bo_status status = bo_optimizer_new(&run->optimizer, problem->space, &settings->options);
    if (status)
        return bo__fail(message, status, "%s",
                        run->optimizer ? bo_optimizer_errmsg(run->optimizer)
                                       : bo_status_text(status));
    return settings->output ? bo__record_open(run, message) : BO_OK;
}

void bo__run_close(bo__run *run)
{
    bo__journal_close(run->journal);
    bo__row_free(&run->row);
    bo_optimizer_free(run->optimizer);
    free(run->trials);
    free(run->points);
    *run = (bo__run){0};
}

/* Room for q more trials; their points may move. */
static bo_status reserve(bo__run *run, size_t q, bo_message *message)
{
    if (run->count + q <= run->room)
        return BO_OK;
    size_t room = 2 * run->room + q;
    bo__run_trial *trials = realloc(run->trials, room * sizeof *trials);
    if (trials)
        run->trials = trials;
    double *points = realloc(run->points, room * run->dim * sizeof *points);
    if (points)
        run->points = points;
    if (!trials || !points)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    run->room = room;
    for (size_t i = 0; i < run->count; i++)
        run->trials[i].x = run->points + i * run->dim;
    return BO_OK;
}

/* Why the run should end now; BO_OK: it should not. */
static bo_status reason_to_end(const bo__run *run)
{
    const bo__run_settings *settings = run->settings;
    double y = bo__run_has_best(run) ? run->trials[run->best].y : NAN;
    bool good = settings->options.maximize ? y >= settings->target : y <= settings->target;
    if (bo__interrupted())
        return BO_STOPPED;
    if (good)
        return BO_REACHED_TARGET;
    if (run->count >= settings->options.init + settings->iterations)
        return BO_REACHED_EVALUATIONS;
    if (bo__progress_clock() - run->begin >= settings->seconds)
        return BO_REACHED_SECONDS;
    if (settings->patience && run->without_improvement >= settings->patience)
        return BO_REACHED_PATIENCE;
    return BO_OK;
}

static bo_status fail_optimizer(bo__run *run, bo_status status, bo_message *message)
{
    return bo__fail(message, status, "%s", bo_optimizer_errmsg(run->optimizer));
}

/* Asks for up to *q points; a finite space that has fewer left gives what it has. */
static bo_status ask(bo__run *run, size_t *q, double *x, bo_message *message)
{
    bo_status status = BO_EXHAUSTED;
    for (size_t turn = *q; turn && status == BO_EXHAUSTED; turn--) {
        *q = turn;
        status = bo_optimizer_ask(run->optimizer, turn, x);
    }
    return status < 0 ? fail_optimizer(run, status, message) : status;
}

static void note_best(bo__run *run, bo__run_trial *trial, double truth)
{
    bool maximize = run->settings->options.maximize;
    bool first = run->count == run->failed; /* this trial is not counted yet */
    double best = first ? NAN : run->trials[run->best].y;
    trial->improved =
        isfinite(trial->y) && (first || (maximize ? trial->y > best : trial->y < best));
    if (trial->improved) {
        run->best = run->count;
        run->best_truth = truth;
        best = trial->y;
    }
    run->without_improvement = trial->improved ? 0 : run->without_improvement + 1;
    trial->best = best;
    trial->regret = run->best_truth - run->problem->optimum;
}

/* Tells the optimizer and writes the trial down, first of all to the disk. */
static bo_status tell(bo__run *run, size_t index, const double *x,
                      const bo__evaluation *evaluation, bo_message *message)
{
    bo_trial asked;
    bo_status status = bo_optimizer_trial(run->optimizer, index, &asked);
    if (!status && evaluation->abandoned)
        status = bo_optimizer_forget(run->optimizer, x);
    else if (!status && isfinite(evaluation->y))
        status = bo_optimizer_tell(run->optimizer, x, evaluation->y);
    else if (!status)
        status = bo_optimizer_tell_failed(run->optimizer, x);
    if (status)
        return fail_optimizer(run, status, message);
    if (evaluation->abandoned)
        return BO_OK;
    double *point = run->points + run->count * run->dim;
    bo__run_trial *trial = &run->trials[run->count];
    memcpy(point, x, run->dim * sizeof *point);
    *trial = (bo__run_trial){.number = run->count + 1,
                             .x = point,
                             .y = isfinite(evaluation->y) ? evaluation->y : NAN,
                             .mean = asked.mean,
                             .sd = asked.sd,
                             .acquisition = asked.acquisition,
                             .fit_ms = asked.fit_ms,
                             .suggest_ms = asked.suggest_ms,
                             .eval_ms = evaluation->ms,
                             .suggested = asked.suggested};
    memcpy(trial->reason, evaluation->reason, sizeof trial->reason);
    note_best(run, trial, evaluation->truth);
    run->count++;
    run->suggested += trial->suggested;
    run->failed += isnan(trial->y);
    status = run->journal ? bo__record_trial(run, trial, message) : BO_OK;
    bo__view_trial(run, trial);
    return status;
}

/* One round: ask for q points, evaluate them, tell. */
static bo_status turn(bo__run *run, double *x, bo__evaluation *evaluations, bo_message *message)
{
    size_t left = run->settings->options.init + run->settings->iterations - run->count;
    size_t q = left < run->settings->batch ? left : run->settings->batch;
    bo_status status = ask(run, &q, x, message);
    if (!status)
        status = reserve(run, q, message);
    if (!status)
        status = bo__problem_evaluate(run->problem, run->count + 1, q, x, evaluations, message);
    size_t first = bo_optimizer_count(run->optimizer) - q;
    /* All results of a round are kept, whatever becomes of one of them. */
    bo_status worst = status;
    for (size_t i = 0; !status && i < q; i++) {
        bo_status told = tell(run, first + i, x + i * run->dim, &evaluations[i], message);
        worst = told ? told : worst;
    }
    return worst;
}

bo_status bo__run_loop(bo__run *run, bo_message *message)
{
    double *x = malloc(run->settings->batch * run->dim * sizeof *x);
    bo__evaluation *evaluations = malloc(run->settings->batch * sizeof *evaluations);
    bo_status status = x && evaluations ? BO_OK : bo__fail(message, BO_ENOMEM, "out of memory");
    while (!status && !(status = reason_to_end(run)))
        status = turn(run, x, evaluations, message);
    if (status >= 0 && run->journal && bo__journal_sync(run->journal, message))
        status = BO_EIO;
    run->reason = status;
    run->seconds = bo__progress_clock() - run->begin;
    free(x);
    free(evaluations);
    return status < 0 ? status : BO_OK;
}
