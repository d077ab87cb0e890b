/* muon.h - the optimiser of matrices: steps that turn, whatever the gradient's scale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MUON_H
#define BO_MUON_H

#include "adam.h"
#include "parameters.h"

/* Whether a parameter is one for Muon: a matrix, and neither a first layer of a few inputs nor a
 * last one of a few outputs.  The others are Adam's. */
bool bo__muon_suits(const bo__parameter *p);

/* Floats of workspace that a step on p needs, a multiple of 16. */
size_t bo__muon_scratch(const bo__parameter *p);

/* The nearest matrix to g (rows × cols, in place) with singular values of 1, roughly: they come
 * out between 0.6 and 1.3, but for those below a thousandth of g's norm. */
void bo__muon_orthogonal(size_t rows, size_t cols, float *g, float *scratch);

/* Step 0, 1, … on the matrix p, with the gradient times `scale`.  The state is Adam's, whose first
 * moment is the momentum and whose second stays as it is; so are rate, decay and average. */
void bo__muon_step(const bo__adam_options *options, bo__adam_state *state,
                   const bo__parameter *p, size_t step, const float *gradient, double scale,
                   float *scratch);

#endif
