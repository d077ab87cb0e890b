/* taskbatch.h - tasks drawn from a prior, as tensors on a tape, with the noise of their samples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TASKBATCH_H
#define BO_TASKBATCH_H

#include "npmodel.h"
#include "priors.h"

typedef struct bo__taskbatch_plan {
    uint64_t seed;
    uint64_t first; /* number of the first task: task i has the streams (seed, …, first + i) */
    size_t tasks, context, points, samples;
} bo__taskbatch_plan;

/* Draws the tasks.  The batch's weight is 1 / tasks.  Check tape->failed. */
bo__npbatch bo__taskbatch(bo__tape *tape, const bo__npmodel *model, const bo__prior *prior,
                          const bo__taskbatch_plan *plan);

#endif
