/* runrecord.c - bo-run --output: every trial in a file, as soon as it is evaluated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process that is killed loses nothing; a power cut loses at most a second of evaluations that
 * took less than WORTH_MS milliseconds each.
 */
#include <math.h>

#include "message.h"
#include "parameter.h"
#include "run.h"

bo_status bo__record_check(const char *path, bo_message *message)
{
    if (!bo__path_ends(path, ".csv") && !bo__path_ends(path, ".jsonl"))
        return bo__fail(message, BO_EINVAL, "'%s' must end with .csv or .jsonl", path);
    return bo__output_check(path, message);
}

/* Milliseconds to a tenth of a microsecond: more digits say nothing. */
static double rounded(double ms)
{
    return round(1e4 * ms) / 1e4;
}

/* The same fields make header and rows. */
static bo_status make_row(bo__run *run, bo__row_form form, const bo__run_trial *trial,
                          bo_message *message)
{
    bo__row *row = &run->row;
    bo__row_begin(row, form);
    bo__row_size(row, "trial", trial->number);
    for (size_t i = 0; i < run->dim; i++) {
        const bo_parameter *parameter = bo_space_parameter(run->problem->space, i);
        char buffer[BO_VALUE_ROOM];
        if (parameter->kind == BO_CATEGORICAL)
            bo__row_text(row, parameter->name,
                         trial->x ? bo__parameter_text(parameter, trial->x[i], buffer) : "");
        else
            bo__row_number(row, parameter->name, trial->x ? trial->x[i] : 0);
    }
    bo__row_number(row, "y", trial->y);
    bo__row_number(row, "best", trial->best);
    bo__row_number(row, "regret", trial->regret);
    bo__row_number(row, "mean", trial->mean);
    bo__row_number(row, "sd", trial->sd);
    bo__row_number(row, "acquisition", trial->acquisition);
    bo__row_number(row, "fit_ms", rounded(trial->fit_ms));
    bo__row_number(row, "suggest_ms", rounded(trial->suggest_ms));
    bo__row_number(row, "eval_ms", rounded(trial->eval_ms));
    return bo__row_end(row, message);
}

static bool is_json(const bo__run *run)
{
    return bo__path_ends(run->settings->output, ".jsonl");
}

bo_status bo__record_open(bo__run *run, bo_message *message)
{
    bo_status status = make_row(run, BO_ROW_HEADER, &(bo__run_trial){0}, message);
    if (status)
        return status;
    return bo__journal_open(&run->journal, run->settings->output,
                            is_json(run) ? "" : run->row.text, message);
}

/* A sync costs a few milliseconds.  Trials that took longer are worth it at once; those that did
 * not wait for the next second, or the end of the run. */
static const double WORTH_MS = 20, INTERVAL = 1;

bo_status bo__record_trial(bo__run *run, const bo__run_trial *trial, bo_message *message)
{
    double now = bo__progress_clock();
    bo_status status = make_row(run, is_json(run) ? BO_ROW_JSON : BO_ROW_CSV, trial, message);
    if (!status)
        status = bo__journal_write(run->journal, run->row.text, message);
    if (status || (trial->eval_ms < WORTH_MS && now - run->synced < INTERVAL))
        return status;
    run->synced = now;
    return bo__journal_sync(run->journal, message);
}
