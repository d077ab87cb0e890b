/* design.h - initial points that fill the space.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_DESIGN_H
#define BO_DESIGN_H

#include "bo.h"

/* Number of initial points for a space of dim parameters. */
size_t bo__design_size(size_t dim);

/* Point `index` of the design of a seed: x has dim values.  Any index may be asked for, in any
 * order; points 0 … count-1 fill the space evenly. */
bo_status bo__design_point(const bo_space *space, uint64_t seed, size_t count, size_t index,
                           double *x);

#endif
