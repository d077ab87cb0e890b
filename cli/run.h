/* run.h - one run of bo-run: what was asked for, what has happened, and who looks on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bo-run.c reads the command line, runloop.c asks, evaluates and tells, and hands each trial to
 * the record (runrecord.c), the view (runview.c) and, at the end, the plot (runplot.c).
 */
#ifndef BO_RUN_H
#define BO_RUN_H

#include <stdio.h>

#include "output.h"
#include "problem.h"
#include "progress.h"

typedef struct bo__run_settings {
    const char *objective, *command;
    bo_space *space; /* of the command; NULL: no parameter was given */
    size_t dim;
    double noise; /* NAN: the objective's own */
    uint64_t objective_seed;
    bool objective_seed_given, oracle;
    double timeout;
    size_t iterations, batch, patience;
    double seconds, target;
    const char *output, *plot;
    bool quiet, list;
    bo_options options;
} bo__run_settings;

/* What one trial left behind. */
typedef struct bo__run_trial {
    size_t number;   /* from 1 */
    const double *x; /* dim values, in the run's own copy */
    double y;        /* NAN: failed */
    double best;     /* the best y so far; NAN: none yet */
    double regret;   /* of the noise-free value at the best observed point; NAN: not known */
    double mean, sd, acquisition, fit_ms, suggest_ms, eval_ms;
    bool suggested, improved;
    char reason[256]; /* why it failed */
} bo__run_trial;

typedef struct bo__run {
    const bo__run_settings *settings;
    const bo__problem *problem;
    bo_optimizer *optimizer;
    size_t dim, count, room, suggested, failed, best; /* best: index of the best trial */
    bo__run_trial *trials;
    double *points; /* count × dim */
    double best_truth;
    size_t without_improvement;
    double begin, seconds;  /* on the monotonic clock; wall time of the whole run */
    bo_status reason;       /* why it ended */
    bo__journal *journal;   /* NULL: no --output */
    double synced;          /* when the journal was last put on the disk */
    bo__row row;
    bo__progress bar;
    bool live; /* standard output is a terminal */
} bo__run;

/* runloop.c */
bo_status bo__run_open(bo__run *run, const bo__run_settings *settings,
                       const bo__problem *problem, bo_message *message);
bo_status bo__run_loop(bo__run *run, bo_message *message);
void bo__run_close(bo__run *run); /* a zeroed one is fine */
static inline bool bo__run_has_best(const bo__run *run)
{
    return run->count > run->failed;
}

/* runrecord.c: --output */
bo_status bo__record_check(const char *path, bo_message *message);
bo_status bo__record_open(bo__run *run, bo_message *message);
bo_status bo__record_trial(bo__run *run, const bo__run_trial *trial, bo_message *message);

/* runview.c: standard output */
void bo__view_open(bo__run *run);
void bo__view_trial(bo__run *run, const bo__run_trial *trial);
void bo__view_close(bo__run *run);
void bo__view_summary(const bo__run *run);
void bo__view_list(FILE *stream);

/* runplot.c: --plot */
bo_status bo__runplot_draw(const bo__run *run, bo_message *message);

#endif
