/* regression.h - how well models predict tasks they have not seen: the tables of Lee et al.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks come in groups of 16, as in the paper's test; unlike there each has numbers of points of
 * its own, which leaves the expectations and makes the standard errors smaller.  Of each group, for
 * a mixture of K Gaussians (μ_ik, σ_ik) at point i:
 *   context, target   mean over the context's and the other points of log (1/K Σ_k N(y_i; μ_ik, σ_ik²))
 *   calibration error 1/K Σ_k Σ_p (p - p̂_k)², p = 0.1, 0.2 … 0.9, p̂_k the share of the targets of
 *                     all 16 tasks that lie below the p-quantile of N(μ_ik, σ_ik²)
 *   sharpness         mean of σ_ik² over targets and k
 * (Lee et al., 2020, section C; Kuleshov et al., 2018).  Reported are means over groups with their
 * standard errors.  Of several outputs, the density is that of all of them, calibration and
 * sharpness are means over them.
 */
#ifndef BO_REGRESSION_H
#define BO_REGRESSION_H

#include "npposterior.h"
#include "priors.h"

enum { BO_REGRESSION_GROUP = 16 };

typedef enum bo__regression_measure {
    BO_CONTEXT,
    BO_TARGET,
    BO_CALIBRATION,
    BO_SHARPNESS,
    BO_MEASURES
} bo__regression_measure;

/* Who predicts: the mixture of `count` networks; with none of them, the exact Gaussian process of
 * the task, its sd clipped from below at `floor`. */
typedef struct bo__predictor {
    size_t count;
    const bo__npmodel *const *models;
    const float *const *theta;
    double floor;
} bo__predictor;

/* Components of the mixture; samples of each network, 0: its base path. */
size_t bo__predictor_components(const bo__predictor *predictor, size_t samples);

typedef struct bo__regression_plan {
    bo__prior prior;
    uint64_t seed;
    size_t tasks;   /* rounded up to whole groups */
    size_t samples; /* of each network */
    size_t threads; /* 0: all cores; the result does not depend on it */
    /* Called now and then, on any thread, one call at a time; true stops.  May be NULL. */
    bool (*progress)(void *data, size_t tasks);
    void *progress_data;
} bo__regression_plan;

typedef struct bo__regression_result {
    size_t tasks;
    double mean[BO_MEASURES], error[BO_MEASURES]; /* NAN: not defined */
} bo__regression_result;

/* BO_STOPPED when progress said so. */
bo_status bo__regression(const bo__predictor *predictor, const bo__regression_plan *plan,
                         bo__regression_result *result, bo_message *message);

/* Task number t of the plan: n points, the first `context` of which are given.  x and y have room
 * for bo__prior_points of them, at most BO_REGRESSION_POINTS. */
enum { BO_REGRESSION_POINTS = BO__SERIES_MOST };
typedef struct bo__regression_task {
    bo__prior_task prior;
    size_t context, n;
    double *x, *y; /* n × dim, n × outputs */
} bo__regression_task;
bo_status bo__regression_draw(const bo__prior *prior, uint64_t seed, size_t t,
                              bo__regression_task *task, bo_message *message);

/* log of 1/K Σ_k Π_j N(y_j; mean_kj, sd_kj²); mean and sd are K × d. */
double bo__mixture_log_density(size_t K, size_t d, const double *mean, const double *sd,
                               const double *y);

#endif
