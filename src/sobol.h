/* sobol.h - GSL's Sobol sequence, made so that running out of memory is an error like any other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_SOBOL_H
#define BO_SOBOL_H

#include <stddef.h>

/* Most dimensions GSL has. */
#define BO__SOBOL_DIMENSIONS 40

typedef struct bo__sobol bo__sobol;

/* dim: 1 … BO__SOBOL_DIMENSIONS.  NULL when out of memory. */
bo__sobol *bo__sobol_new(size_t dim);
void bo__sobol_free(bo__sobol *sobol); /* takes NULL */

/* The next point, dim numbers in (0, 1). */
void bo__sobol_next(bo__sobol *sobol, double *v);

#endif
