/* trainrun.h - what bo-train was asked to do, and how far it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TRAINRUN_H
#define BO_TRAINRUN_H

#include "score.h"
#include "train.h"
#include "trainlog.h"
#include "trainteam.h"

typedef struct bo__trainrun {
    const char *model, *output, *prior, *log, *plot;
    int recipe, optimizer, norm, ablation, sizes, precision;
    double sigma_floor, minutes;
    size_t dim, checkpoint_every, score_every, score_batches, score_samples;
    bool resume, quiet, mpi;
    bo__train_options options;
    /* While running. */
    bo__trainteam team;
    bool alone;       /* an error that the rest of the team does not know of */
    bo__trainer *trainer;
    bo__trainlog *journal;
    char *checkpoint; /* path */
    bo__score score;  /* the last one; NAN before the first */
    double smooth;    /* loss, smoothed */
    double before;       /* seconds that earlier starts of this run took */
    double begin, saved; /* by the clock */
    size_t begin_step, saved_step;
    size_t scored_step; /* of the last score; SIZE_MAX before the first */
} bo__trainrun;

/* A loss whose average, or a negative score that, has left all reason. */
#define BO__TRAINRUN_DIVERGED 1e4

/* Trains, as r says; returns the exit status. */
int bo__trainrun_all(bo__trainrun *r);

/* ---- its files: trainfiles.c ------------------------------------------------------------- */

/* That weights and curve can be written; what a killed process left half-written goes.  r->plot
 * becomes NULL when there is no gnuplot. */
bo_status bo__trainrun_check_files(bo__trainrun *r, bo_message *message);

/* Draws the log. */
bo_status bo__trainrun_draw(const bo__trainrun *r, bo_message *message);

/* What rank 0 finds: the state to go on from, which is in the checkpoint in any case, and the
 * log. */
bo_status bo__trainrun_find_state(bo__trainrun *r, bo_message *message);

/* True when the output holds the finished result of a run like this one. */
bool bo__trainrun_already_done(const bo__trainrun *r);

/* Of all its starts, as far as checkpoints know. */
double bo__trainrun_seconds(const bo__trainrun *r);

bool bo__trainrun_checkpoint_due(const bo__trainrun *r);
/* The file stays as it was when the state is not good: with BO_ENUMERIC if a number of it, or its
 * score, is not finite, with BO_OK if the score has left all reason. */
bo_status bo__trainrun_write_checkpoint(bo__trainrun *r, bo_message *message);
bo_status bo__trainrun_write_weights(const bo__trainrun *r, bo_message *message);

#endif
