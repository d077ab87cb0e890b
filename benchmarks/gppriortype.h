/* gppriortype.h - what a drawn function is made of; for gpprior.c and gpminimum.c only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_GPPRIORTYPE_H
#define BO_GPPRIORTYPE_H

#include "gpprior.h"

/* f(x) = Σ_i weight_i·cos(frequency_i·x + phase_i) */
struct bo__gpprior {
    bo__objective_prior prior;
    size_t dim, features;
    double *frequency; /* features × dim */
    double *weight;    /* features */
    double *phase;     /* features */
};

#endif
