/* npfile.h - neural processes in weight files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tensors have the names and shapes of the authors' modules, so that their files convert to
 * ours and back by name alone.  The metadata say how to rebuild the model and what it expects:
 *   format       "bo neural process 1"
 *   kind         cnp, np, bnp, canp, anp, banp
 *   dim_x, dim_y, width, heads, latent
 *   depths       of the MLPs: "4,2" before and after pooling, "2,2" with attention
 *   sigma_floor
 *   ablation     0, or the number of a bo__ablation
 *   norm         "pre" when the norms of attention stand first; not there: as in the paper
 *   x_lower, x_upper   the box of x in training, in each coordinate
 *   y_scale      root mean square of y in training
 *   scaling      none, or context: x and y were standardised by mean and sd of the context
 *   prior, steps, batch, seed, training how it was trained, as far as known
 * What the tensors say too, dim_x to latent and depths, may not contradict them.
 */
#ifndef BO_NPFILE_H
#define BO_NPFILE_H

#include "npmodel.h"

#define BO__NPFILE_TEXT 512

typedef struct bo__npinfo {
    double x_lower, x_upper; /* -2, 2 */
    double y_scale;
    bool standardised; /* by mean and sd (+ 1e-5) of each column of the context */
    size_t steps, batch;
    uint64_t seed;
    char prior[BO__NPFILE_TEXT];
    char training[BO__NPFILE_TEXT]; /* options it was trained with, as text; may be empty */
} bo__npinfo;

/* What the prior of SPEC gives: the box, and √E[s²] = √0.37 for s uniform on 0.1 … 1. */
void bo__npinfo_init(bo__npinfo *info);

bo_status bo__npfile_save(const char *path, const bo__npmodel *model, const float *theta,
                          const bo__npinfo *info, bo_message *message);

/* Reads a model: lays it out and fills *theta (new memory, aligned to 64; free with free).  A file
 * without our metadata needs a kind and is taken for the usual model of the dimensions that its
 * tensors have; with metadata, kind is NULL or the same.  info may be NULL. */
bo_status bo__npfile_load(const char *path, const char *kind, bo__npmodel *model, float **theta,
                          bo__npinfo *info, bo_message *message);

#endif
