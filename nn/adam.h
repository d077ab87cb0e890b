/* adam.h - the optimiser of weights: Adam with its schedule, clipping and averaging.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_ADAM_H
#define BO_ADAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bo__adam_options {
    double rate;         /* highest learning rate */
    double weight_decay; /* decoupled (AdamW); 0: none */
    double clip;         /* largest norm of the whole gradient; 0: no limit */
    double average;      /* decay of the weights' moving average, below 1; 0: none */
    size_t warmup;       /* steps over which the rate rises */
    size_t steps;        /* over which it falls to 0 along a cosine */
} bo__adam_options;

/* All arrays have `size` floats. */
typedef struct bo__adam_state {
    size_t size;
    float *theta;
    float *first, *second; /* moments */
    float *average;        /* of theta; NULL: none */
} bo__adam_state;

/* The rate of step 0, 1, …: rate · min(1, (step + 1)/warmup) · (1 + cos(π step/steps))/2. */
double bo__adam_rate(const bo__adam_options *options, size_t step);

/* The average's decay at step 0, 1, …: options->average, but smaller in the beginning. */
float bo__adam_decay(const bo__adam_options *options, size_t step);

/* Σ g² over elements begin … end-1. */
double bo__adam_squares(const float *gradient, size_t begin, size_t end);

/* By how much a gradient of this norm is multiplied. */
double bo__adam_clip(const bo__adam_options *options, double norm);

/* Step 0, 1, … on elements begin … end-1 (multiples of 16), with the gradient times `scale`. */
void bo__adam_step(const bo__adam_options *options, bo__adam_state *state, size_t step,
                   const float *gradient, double scale, size_t begin, size_t end);

#endif
