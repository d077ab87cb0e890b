/* optimizer.h - the state of an optimizer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_OPTIMIZER_H
#define BO_OPTIMIZER_H

#include "bo.h"
#include "model.h"
#include "trials.h"

typedef enum bo__fit_state {
    BO_FIT_STALE,  /* something was told: fit anew */
    BO_FIT_KEEP,   /* the told are the same, the pending are not: hyperparameters stay */
    BO_FIT_CURRENT /* fitted; the first `believed` pending trials are believed */
} bo__fit_state;

struct bo_optimizer {
    bo_space *space;
    bo_options options;   /* what it points to is owned below */
    double *lengthscales;
    char *model_files, *variant, *kind, *ablation;
    size_t threads;
    bo__trials trials;
    bo__model *model;
    bo__fit_state fit;
    bool peeked;          /* the model was fitted to look at it, no ask has used it yet */
    size_t believed;
    bool failed_believed; /* the failed trials are believed too */
    size_t asked;    /* points asked for so far: numbers the random streams */
    size_t designed; /* points of the initial design used so far */
    double fit_ms;   /* of the last fit */
    double *x;       /* dim: scratch */
    double *u;       /* scratch: a point, and the anchors */
    bo_message message;
};

#endif
