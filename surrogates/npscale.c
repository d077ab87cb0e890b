/* npscale.c - how a user's values become values a neural process was trained on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With y = shift + scale·z: as they are, z = (y_model - shift)/scale; rescaled, z = y_model/r.
 */
#include "npscale.h"

#include <math.h>

/* The largest |y| of 50 draws of a function with s = 1, the prior's largest, is below 3 ≈ 5 r in
 * 9 of 10 runs; the range of five values is above 0.1 ≈ r/6 in as many with s = 0.1, its least. */
#define LARGEST 5.0
#define SMALLEST (1.0 / 6)
#define ENOUGH 5

bool bo__npscale_fits(const bo_data *data, double rms)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        double y = data->shift + data->scale * data->z[i];
        low = fmin(low, y);
        high = fmax(high, y);
    }
    if (data->n == 0)
        return true;
    bool small = high - low < SMALLEST * rms;
    return high <= LARGEST * rms && low >= -LARGEST * rms && (data->n < ENOUGH || !small);
}

bo__npunits bo__npscale_units(const bo_data *data, const bo__npinfo *info, bo_rescale wanted)
{
    bool raw = wanted == BO_RESCALE_NEVER ||
               (wanted == BO_RESCALE_AUTO && bo__npscale_fits(data, info->y_scale));
    bo__npunits units = {.x_shift = info->x_lower, .x_scale = info->x_upper - info->x_lower,
                         .y_shift = 0, .y_scale = 1 / info->y_scale};
    if (raw) {
        units.y_shift = -data->shift / data->scale;
        units.y_scale = 1 / data->scale;
    }
    return units;
}
