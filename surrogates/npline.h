/* npline.h - neural processes without attention on a line: their answers as pieces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where x is one number and the context is pooled, the decoder is layers of ReLUs on a straight
 * line: its outputs are continuous and linear between kinks.  A table of the pieces answers
 * queries on [low, high] for the price of a look, in place of two layers a sample.
 */
#ifndef BO_NPLINE_H
#define BO_NPLINE_H

#include "npmodel.h"

/* From x on, to the next piece: mean + dmean · (· - x), and the same of r, the raw sd. */
typedef struct bo__npline_piece {
    float x, mean, dmean, r, dr;
} bo__npline_piece;

typedef struct bo__npline {
    double low, high;
    size_t samples; /* 0: the table is empty */
    bo__npline_piece *piece;
    size_t pieces, room;
    uint32_t *bin;  /* samples × bins: the piece at the left end of each */
    size_t bins_room;
    double *scratch;
    float *turned;  /* the second layer's weights, by columns */
} bo__npline;

void bo__npline_free(bo__npline *line); /* takes a zeroed one */

/* Whether a model's answers are such pieces. */
bool bo__npline_serves(const bo__npmodel *model);

/* Tabulates the answers to a code on low < high; BO_ENOMEM leaves the table empty. */
bo_status bo__npline_build(bo__npline *line, const bo__npmodel *model, const float *theta,
                           const bo__npcode *code, double low, double high);

/* Raw mean and sd of every sample at low ≤ x ≤ high, and unless NULL their slopes. */
void bo__npline_at(const bo__npline *line, double x, double *mean, double *r, double *dmean,
                   double *dr);

#endif
