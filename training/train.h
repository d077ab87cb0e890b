/* train.h - the training loop of neural processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A trainer holds the weights, the optimiser's state and the step number; every random number of
 * step i comes from streams named by the seed and by i, so that this is all there is to save.
 * The weights after a step are the same, bit by bit, whatever the number of threads.
 */
#ifndef BO_TRAIN_H
#define BO_TRAIN_H

#include "adam.h"
#include "npmodel.h"
#include "priors.h"

typedef enum bo__optimizer {
    BO__OPTIMIZER_ADAM,
    BO__OPTIMIZER_MUON, /* on matrices; Adam on the rest, see muon.h */
} bo__optimizer;

/* Processes that train together, each on some lanes of every batch; all zero: one alone. */
typedef struct bo__train_team {
    size_t rank, ranks;
    void *context;
    /* Adds the gradient (n floats) and two totals up over all processes; each gets the same sum.
     * Every process calls it once a step. */
    bo_status (*add)(void *context, size_t n, float *gradient, double totals[2],
                     bo_message *message);
    /* What rank 0 has there is copied to the others. */
    bo_status (*share)(void *context, size_t bytes, void *data, bo_message *message);
} bo__train_team;

typedef struct bo__train_options {
    bo__npspec model;
    bo__prior prior;
    bo__adam_options adam;
    size_t batch;     /* tasks a step */
    size_t samples;   /* k of the losses */
    uint64_t seed;
    bool group_sizes; /* each group of tasks draws sizes of its own, else one draw a step */
    bo__optimizer optimizer;
    size_t lanes;     /* sums of gradients that are kept apart: the result depends on it; 0: 1, 2 or
                         4 by the batch */
    size_t threads;   /* 0: all cores; the result does not depend on it */
    bo__precision precision; /* of matrix products */
    bool profile;     /* keep account of the time; see bo__trainer_profile */
    bo__train_team team; /* when lanes and ranks are powers of two, the result does not depend on
                            it; else up to rounding */
} bo__train_options;

/* Lanes that these options mean. */
size_t bo__train_lanes(const bo__train_options *options);

/* The recipe of the paper: 100,000 steps of 100 tasks, 4 samples, rate 5e-4. */
void bo__train_options_init(bo__train_options *options, const bo__nptype *type);

typedef struct bo__trainer bo__trainer;

bo_status bo__trainer_new(bo__trainer **out, const bo__train_options *options,
                          bo_message *message);
void bo__trainer_free(bo__trainer *trainer); /* takes NULL */

/* One step.  BO_ENUMERIC: the loss or its gradient is not finite; the weights stay as they
 * were. */
typedef struct bo__train_report {
    double loss; /* mean over the batch */
    double smooth; /* loss, averaged over the last fifty steps or so */
    double norm; /* of the gradient, before clipping */
    double rate; /* learning rate */
} bo__train_report;
bo_status bo__trainer_step(bo__trainer *trainer, bo__train_report *report, bo_message *message);

size_t bo__trainer_steps(const bo__trainer *trainer); /* done so far */
const bo__npmodel *bo__trainer_model(const bo__trainer *trainer);

/* The weights to use: the moving average if one is kept, else those of the last step. */
const float *bo__trainer_weights(const bo__trainer *trainer);

/* Where the time of this process has gone so far, of all threads, if options.profile; returns the
 * floating-point operations of its matrix products. */
double bo__trainer_profile(const bo__trainer *trainer, bo__profile *sum);

/* BO_ENUMERIC: a number of the state is not finite.  Steps need not notice, since a ReLU makes 0
 * of NaN. */
bo_status bo__trainer_check(const bo__trainer *trainer, bo_message *message);

/* Everything, in one file, written in one step, if it is finite; and back into a new trainer of
 * the same options (threads may differ): after it, training goes on as if it had never stopped.  A
 * file from other options is an error that says which, and one with numbers that are not finite is
 * an error.  After an error the trainer is of no use.  seconds is how long it took so far. */
bo_status bo__trainer_save(const bo__trainer *trainer, double seconds, const char *path,
                           bo_message *message);
bo_status bo__trainer_load(bo__trainer *trainer, double *seconds, const char *path,
                           bo_message *message);

/* After which step the state in a file was saved. */
bo_status bo__checkpoint_step(const char *path, size_t *step, bo_message *message);

/* Gives the state of rank 0 to the whole team, each of whom calls it. */
bo_status bo__trainer_share(bo__trainer *trainer, bo_message *message);

/* The options that the result depends on, as text: "model=banp dim=1 …".  Freed by the caller;
 * NULL when out of memory. */
char *bo__train_options_text(const bo__train_options *options);

#endif
