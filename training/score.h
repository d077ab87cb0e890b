/* score.h - how well a model predicts tasks it has not seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_SCORE_H
#define BO_SCORE_H

#include "npmodel.h"
#include "priors.h"

typedef struct bo__score_plan {
    bo__prior prior;
    uint64_t seed;
    size_t batches, tasks; /* tasks of each batch; a batch has sizes of its own */
    size_t samples;        /* mixture components of np, bnp, anp, banp */
    size_t threads;        /* 0: all cores; the result does not depend on it */
} bo__score_plan;

/* Mean log-likelihood of the mixture, per point, over context points and over targets; means over
 * the points and tasks of a batch, then over batches. */
typedef struct bo__score {
    double context, target;
    double context_error, target_error; /* standard errors, over batches */
} bo__score;

bo_status bo__score_model(const bo__npmodel *model, const float *theta, const bo__score_plan *plan,
                          bo__score *score, bo_message *message);

#endif
