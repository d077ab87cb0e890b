/* gpmodel.h - what the files of the exact GP share: its state and its features.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   z = m + f(u) + noise,   f ~ GP(0, s²·k),   noise ~ N(0, v)
 *   K = s²·k(U, U) + v·I = L Lᵀ,   α = K⁻¹ (z - m)
 */
#ifndef BO_GPMODEL_H
#define BO_GPMODEL_H

#include "bo.h"

typedef struct bo__gp {
    size_t width, dim;  /* columns of u, parameters */
    size_t features;    /* width; twice that for the periodic kernel */
    size_t *group;      /* parameter of each feature */
    bo_kernel kernel;
    bool oracle;        /* all hyperparameters are given */
    bool learn_scale;
    double given_scale, given_mean; /* oracle: in units of y */
    uint64_t seed;

    /* Hyperparameters, each on a log scale: dim length-scales, then dim periods (periodic only),
     * then s² (when learned), then v (when learned: noise_given is NAN). */
    size_t params;
    double *theta;
    bool fitted;        /* theta holds the result of a fit */
    double *warm;       /* where the next search starts too: theta of the last fit but for peeks */
    size_t warm_params; /* its length; 0: there is none */
    double noise_given; /* sd in z, or NAN */

    double *inverse;    /* features: 1 / length-scale */
    double *period;     /* dim; 1 unless periodic */
    double variance, noise, mean; /* s², v, m */

    size_t n, room;
    double *u;          /* room × width */
    double *z;          /* room */
    double *st;         /* features × room: scaled features, transposed */
    double *linv;       /* room × room: L⁻¹ */
    double *alpha;      /* room */
    double *scratch;    /* room × 2 */
} bo__gp;

/* Scaled features of one point u, written to s[0], s[step], s[2·step] … */
void bo__gp_features(const bo__gp *gp, const double *u, double *s, size_t step);

/* du (width) += the pullback of ds (features) through bo__gp_features at u. */
void bo__gp_features_pullback(const bo__gp *gp, const double *u, const double *ds, double *du);

/* Copies theta to inverse, period, variance, noise. */
void bo__gp_unpack(bo__gp *gp, const double *theta);

/* Length of theta for the present settings. */
size_t bo__gp_params(const bo__gp *gp);

/* Finds theta by maximum a posteriori for the n points in u, z; leaves it in theta. */
bo_status bo__gp_optimize(bo__gp *gp, bo_message *message);

/* Minus the log posterior density of theta, and its gradient unless NULL: for tests.
 * INFINITY when K is not positive definite. */
double bo__gp_objective(bo__gp *gp, const double *theta, double *gradient);

/* Draws from the posterior (gpdraw.c). */
bo_status bo__gp_draw(const void *self, uint64_t seed, void **sample);
bo_status bo__gp_sample_value(const void *sample, size_t m, const double *u, double *f, double *df);
void bo__gp_sample_free(void *sample);

#endif
