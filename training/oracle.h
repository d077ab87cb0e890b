/* oracle.h - the best that can be predicted about a task: the Gaussian process it was drawn from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_ORACLE_H
#define BO_ORACLE_H

#include "priors.h"

/* Mean and sd of observations (noise included) at m points x, given n of them, for a task of
 * rbf, matern52 or periodic.  sd is at least `floor`. */
bo_status bo__oracle_predict(const bo__prior_task *task, size_t dim, size_t n, const double *x,
                             const double *y, size_t m, const double *at, double floor,
                             double *mean, double *sd, bo_message *message);

#endif
