/* npposterior.h - a neural process that has read one context and answers queries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All that depends on the context alone is computed once, in fit: encodings, bootstrapped
 * contexts, keys and values, the decoder's first-layer share.  A query runs the rest, forwards
 * and, for pullback, backwards to x only.  Queries are thread-safe and allocate nothing: their
 * tape lies in the caller's work memory.
 */
#ifndef BO_NPPOSTERIOR_H
#define BO_NPPOSTERIOR_H

#include "npline.h"
#include "npmodel.h"

/* From the caller's units to the model's: x_model = x_shift + x_scale · x,
 * y = y_shift + y_scale · y_model. */
typedef struct bo__npunits {
    double x_shift, x_scale, y_shift, y_scale;
} bo__npunits;

typedef struct bo__npposterior {
    const bo__npmodel *model;
    const float *theta;
    float *turned;         /* its matrices transposed, made by the first fit */
    bo__npunits units;
    size_t n;
    size_t components;     /* Gaussians of an answer */
    bo__arena keep;        /* holds the code */
    bo__arena scratch;
    bo__npcode code;
    bo__npline line;       /* the answers to it on a line, where they were tabulated */
    size_t chunk;          /* most points of one pass */
    size_t one, many;      /* bytes that a pass of 1 and of `chunk` points takes */
    size_t measured[2];    /* components and keys for which they were measured */
} bo__npposterior;

/* model and theta stay the caller's. */
void bo__npposterior_init(bo__npposterior *p, const bo__npmodel *model, const float *theta);
void bo__npposterior_free(bo__npposterior *p); /* takes a zeroed one */

/* Where the random numbers of a fit come from, and how many samples to make.  0 samples: the base
 * path of bnp and banp, the mean of the latent variable of np and anp; one Gaussian. */
typedef struct bo__npsampling {
    size_t samples;
    uint64_t seed, index;
} bo__npsampling;

/* Reads n ≥ 1 points: x n × dim_x, y n × dim_y.  BO_ENUMERIC: they are beyond float32 in the
 * model's units, or their encoding is. */
bo_status bo__npposterior_fit(bo__npposterior *p, size_t n, const double *x, const double *y,
                              bo__npunits units, bo__npsampling sampling, bo_message *message);

/* After a fit that is followed by hundreds of queries with low ≤ x ≤ high: makes these cheap where
 * the model allows it (see npline.h), and does nothing where not. */
bo_status bo__npposterior_tabulate(bo__npposterior *p, double low, double high);

/* Bytes of work (aligned to 64) for m points. */
size_t bo__npposterior_workspace(const bo__npposterior *p, size_t m);

/* mean and sd of component k, output j at point i go to [i · stride + k · dim_y + j]. */
bo_status bo__npposterior_at(const bo__npposterior *p, size_t m, const double *x, size_t stride,
                             double *mean, double *sd, void *work);

/* After `at` for the same points with the same work, which it uses up: adds the pullback of
 * dmean, dsd (laid out as above) to dx (m × dim_x). */
bo_status bo__npposterior_pullback(const bo__npposterior *p, size_t m, const double *x,
                                   size_t stride, const double *dmean, const double *dsd,
                                   double *dx, void *work);

#endif
