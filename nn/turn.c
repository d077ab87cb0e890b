/* turn.c - transposed copies of matrices, in squares of sixteen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "turn.h"

#include "lanes.h"

BO__FAST void bo__turn(size_t rows, size_t cols, const float *x, size_t stride, float *out,
                       size_t wide)
{
    for (size_t j = 0; j < rows; j += BO__LANES)
        for (size_t c = 0; c < cols; c += BO__LANES) {
            bo__v16 square[BO__LANES];
            for (size_t i = 0; i < BO__LANES; i++)
                square[i] = j + i < rows ? bo__load_some(x + (j + i) * stride + c, cols - c)
                                         : (bo__v16){0};
            bo__transpose16(square);
            for (size_t i = 0; i < BO__LANES && c + i < cols; i++)
                bo__store_some(out + (c + i) * wide + j, square[i], wide - j);
        }
}
