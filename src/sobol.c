/* sobol.c - GSL's Sobol sequence without GSL's allocation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gsl_qrng_alloc calls GSL's error handler when memory runs out, which ends the program unless
 * the program has set another one; a library can do neither.  The type object of the sequence is
 * public, so its state is allocated here.
 */
#include "sobol.h"

#include <gsl/gsl_qrng.h>
#include <stdlib.h>

struct bo__sobol {
    unsigned dim;
    void *state;
};

bo__sobol *bo__sobol_new(size_t dim)
{
    bo__sobol *sobol = malloc(sizeof *sobol);
    void *state = malloc(gsl_qrng_sobol->state_size((unsigned)dim));
    if (!sobol || !state) {
        free(sobol);
        free(state);
        return NULL;
    }
    *sobol = (bo__sobol){.dim = (unsigned)dim, .state = state};
    gsl_qrng_sobol->init_state(state, sobol->dim);
    return sobol;
}

void bo__sobol_free(bo__sobol *sobol)
{
    if (sobol)
        free(sobol->state);
    free(sobol);
}

void bo__sobol_next(bo__sobol *sobol, double *v)
{
    gsl_qrng_sobol->get(sobol->state, sobol->dim, v);
}
