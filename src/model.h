/* model.h - what an optimizer believes: a surrogate fitted to the trials, the acquisition on top
 * of it, and a gate that knows where evaluations fail.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MODEL_H
#define BO_MODEL_H

#include "bo.h"
#include "outcome.h"
#include "trials.h"

typedef struct bo__model bo__model;

/* threads: how many may call bo__model_target at once; batch: most rows of a call. */
bo_status bo__model_new(bo__model **out, const bo_space *space, const bo_options *options,
                        size_t threads, size_t batch, bo_message *message);
void bo__model_free(bo__model *model);

/* Fits everything to the told trials: hyperparameters too, unless keep.  A peek leaves no trace in
 * later fits (bo_data). */
bo_status bo__model_fit(bo__model *model, const bo__trials *trials, bool keep, bool peek,
                        bo_message *message);

/* Takes u for evaluated, with the value the model expects there (the "kriging believer" of
 * Ginsbourger et al., 2010), so that the next suggestion goes elsewhere. */
bo_status bo__model_believe(bo__model *model, const double *u, bo_message *message);

/* The same for all failed trials, which are no incumbents. */
bo_status bo__model_believe_failed(bo__model *model, const bo__trials *trials,
                                   bo_message *message);

/* Makes the acquisition ready: its incumbent, the drawn function of turn `turn`. */
bo_status bo__model_aim(bo__model *model, uint64_t turn, bo_message *message);

/* The acquisition times the probability of success; a bo__target of the maximiser. */
bo_status bo__model_target(void *model, size_t thread, size_t m, const double *u, double *value,
                           double *du);

/* Mean and sd of z at m points (the mixture collapsed); dmean, dsd (m × width) unless NULL. */
bo_status bo__model_predict(bo__model *model, size_t m, const double *u, double *mean, double *sd,
                            double *dmean, double *dsd);

const bo__outcome *bo__model_outcome(const bo__model *model);

#endif
