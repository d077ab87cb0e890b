/* trainer.h - what a trainer is made of, for the files that make it up.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TRAINER_H
#define BO_TRAINER_H

#include "crew.h"
#include "train.h"

/* A sum of gradients that is kept apart from the others until all are done. */
typedef struct bo__train_lane {
    float *dtheta;
    bool clean; /* dtheta is all zero */
    double loss;
    bool failed;
} bo__train_lane;

/* A thread's room. */
typedef struct bo__train_worker {
    bo__arena arena;
    float *scratch; /* Muon's; NULL without it */
    bo__profile profile;
    double flops; /* of matrix products */
} bo__train_worker;

/* A piece of the flat arrays that is moved in one go: parameters first … last-1 of the set, which
 * are the weights begin … end-1, by Adam, or a single matrix by Muon. */
typedef struct bo__train_part {
    size_t begin, end, first, last;
    bool muon;
} bo__train_part;

struct bo__trainer {
    bo__train_options options;
    bo__npmodel model;
    bo__adam_state state;
    size_t step, groups, threads;
    double smooth;   /* loss, smoothed; NAN before the first step */
    size_t first, own; /* lanes first … first + own - 1 are this process's */
    bo__train_lane *lanes;
    bo__train_worker *workers;
    bo__crew *crew;
    size_t count;
    bo__train_part *parts;
    /* What products want, see bo__tape: the weights transposed, and both packed, or NULL.  Until the
     * first step they are not `copied`; then they follow the weights. */
    float *turned, *pairs, *turned_pairs;
    bool copied;
    double *squares; /* Σ g² of each part */
    double scale;    /* of the gradient, by clipping */
};

#endif
