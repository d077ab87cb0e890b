/* acquisition.h - the built-in acquisitions, and mixtures collapsed to one Gaussian.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_ACQUISITION_H
#define BO_ACQUISITION_H

#include "bo.h"

extern const bo_acquisition_type bo__acquisition_ei;
extern const bo_acquisition_type bo__acquisition_lcb;
extern const bo_acquisition_type bo__acquisition_logei;
extern const bo_acquisition_type bo__acquisition_pi;
extern const bo_acquisition_type bo__acquisition_thompson;

/* The mean and standard deviation of the equal mixture of K Gaussians. */
void bo__mixture_collapse(size_t K, const double *mean, const double *sd, double *mixture_mean,
                          double *mixture_sd);

/* Its pullback: from the derivatives of some value by the mixture's mean and sd to those by the
 * components'.  mixture_mean and mixture_sd are what bo__mixture_collapse gave. */
void bo__mixture_pullback(size_t K, const double *mean, const double *sd, double mixture_mean,
                          double mixture_sd, double dmixture_mean, double dmixture_sd,
                          double *dmean, double *dsd);

#endif
