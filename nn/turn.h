/* turn.h - transposed copies of matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TURN_H
#define BO_TURN_H

#include <stddef.h>

/* out[c][j] = x[j][c] for j < rows and c < cols; rows of x are `stride` numbers apart, those of
 * out `wide` ≥ rows.  What is left of a row of out up to the next multiple of 16, or up to `wide` if
 * that comes first, is filled with zeros. */
void bo__turn(size_t rows, size_t cols, const float *x, size_t stride, float *out, size_t wide);

#endif
