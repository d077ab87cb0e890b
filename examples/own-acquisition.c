/* own-acquisition.c - an acquisition of one's own: one function, given as a constant struct.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An optimist: the posterior mean less one standard deviation, for a posterior that is an equal
 * mixture of K Gaussians.  z is minimised, the acquisition is maximised:
 *
 *     a = -(1/K) Σ_k (mean_k - sd_k)
 */
#include <bo.h>
#include <math.h>
#include <stdio.h>

static double optimist(const bo_acquisition_state *state, size_t K, const double *mean,
                       const double *sd, double *dmean, double *dsd)
{
    double sum = 0, share = 1 / (double)K;
    (void)state; /* holds the incumbent, which improvements are measured from */
    for (size_t k = 0; k < K; k++) {
        sum -= share * (mean[k] - sd[k]);
        if (dmean) {
            dmean[k] = -share;
            dsd[k] = share;
        }
    }
    return sum;
}

static const bo_acquisition_type type = {
    .name = "optimist",
    .summary = "mean less one standard deviation",
    .scale = BO_SCALE_Z,
    .value = optimist,
};

static double wave(size_t dim, const double *x, void *data)
{
    (void)dim, (void)data;
    return sin(3 * x[0]) + 0.1 * pow(x[0] - 2, 2);
}

int main(void)
{
    bo_space *space = bo_space_new();
    bo_options options;
    bo_stop stop;
    bo_message message = {""};
    double x, y;
    bo_options_init(&options);
    bo_stop_init(&stop);
    options.acquisition = &type;
    stop.evaluations = 25;
    bo_status status = space ? bo_space_add_real(space, "x", -3, 7) : BO_ENOMEM;
    if (!status)
        status = bo_minimize(wave, NULL, space, &stop, &options, &x, &y, &message);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", bo_status_text(status), message.text);
    else
        printf("%.4f at %.4f\n", y, x);
    bo_space_free(space);
    return status < 0;
}
