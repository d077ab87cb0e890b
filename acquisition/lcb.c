/* lcb.c - lower confidence bound (Cox and John, 1992; Srinivas et al., 2010).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     LCB = -(μ - β·σ)
 *
 * with the mean μ and the standard deviation σ of the whole mixture: the lowest value that is
 * still plausible, with its sign turned because acquisitions are maximised.
 */
#include "acquisition.h"

static double lcb_value(const bo_acquisition_state *state, size_t K, const double *mean,
                        const double *sd, double *dmean, double *dsd)
{
    double m, s;
    bo__mixture_collapse(K, mean, sd, &m, &s);
    if (dmean)
        bo__mixture_pullback(K, mean, sd, m, s, -1, state->beta, dmean, dsd);
    return state->beta * s - m;
}

const bo_acquisition_type bo__acquisition_lcb = {
    .name = "lcb",
    .summary = "lower confidence bound: mean less beta standard deviations",
    .scale = BO_SCALE_Z,
    .value = lcb_value,
};
