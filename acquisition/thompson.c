/* thompson.c - Thompson sampling (Thompson, 1933).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A function f is drawn from the surrogate's posterior, and its minimum is evaluated next.  The
 * draw arrives as a posterior of one component, mean f(u) and sd 0; the value is -f(u).
 */
#include "acquisition.h"

static double thompson_value(const bo_acquisition_state *state, size_t K, const double *mean,
                             const double *sd, double *dmean, double *dsd)
{
    double share = 1 / (double)K, sum = 0;
    for (size_t k = 0; k < K; k++) {
        sum += mean[k];
        if (dmean) {
            dmean[k] = -share;
            dsd[k] = 0;
        }
    }
    return -sum * share;
}

const bo_acquisition_type bo__acquisition_thompson = {
    .name = "thompson",
    .summary = "Thompson sampling: the minimum of a function drawn from the posterior",
    .scale = BO_SCALE_Z,
    .draws = true,
    .value = thompson_value,
};
