/* npscale.h - how a user's values become values a neural process was trained on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A network knows functions of one scale only: its training functions have mean 0 and root mean
 * square r (about 0.6).  Values y that could have come from there are shown as they are; others
 * are shifted and scaled to mean 0 and standard deviation r.  "Could have come from there" means
 *   max |y| ≤ 5 r, and, once there are 5 values, max y - min y ≥ r/6.
 * Since values are only ever added in a run, each of the two conditions changes at most once.
 */
#ifndef BO_NPSCALE_H
#define BO_NPSCALE_H

#include "npfile.h"
#include "npposterior.h"

/* Whether the values can be shown as they are. */
bool bo__npscale_fits(const bo_data *data, double rms);

/* The units that take u to the model's box and z to its values. */
bo__npunits bo__npscale_units(const bo_data *data, const bo__npinfo *info, bo_rescale wanted);

#endif
