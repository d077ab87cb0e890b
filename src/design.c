/* design.c - initial points: a randomly shifted Sobol sequence, or a Latin hypercube.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sobol's sequence, shifted modulo 1 (Cranley and Patterson, 1976), up to the 40 dimensions GSL
 * has; above, Latin hypercubes of `count` points, one after another.
 */
#include "design.h"

#include <math.h>
#include <stdlib.h>

#include "rng.h"
#include "sobol.h"
#include "space.h"

size_t bo__design_size(size_t dim)
{
    size_t size = 2 * (dim + 1);
    return size < 20 ? size : 20;
}

static bo_status sobol(size_t dim, uint64_t seed, size_t index, double *fraction)
{
    bo__sobol *sequence = bo__sobol_new(dim);
    if (!sequence)
        return BO_ENOMEM;
    for (size_t i = 0; i <= index; i++)
        bo__sobol_next(sequence, fraction);
    bo__sobol_free(sequence);
    bo__rng rng;
    bo__rng_init(&rng, seed, "design", 0);
    for (size_t j = 0; j < dim; j++)
        fraction[j] = fmod(fraction[j] + bo__rng_uniform(&rng), 1);
    return BO_OK;
}

static bo_status latin(size_t dim, uint64_t seed, size_t count, size_t index, double *fraction)
{
    size_t *order = malloc(count * sizeof *order);
    if (!order)
        return BO_ENOMEM;
    bo__rng rng;
    bo__rng_init(&rng, seed, "design", index / count);
    for (size_t j = 0; j < dim; j++) {
        for (size_t i = 0; i < count; i++)
            order[i] = i;
        bo__rng_shuffle(&rng, count, order);
        bo__rng cell;
        bo__rng_init(&cell, bo__rng_bits(&rng), "cell", index);
        fraction[j] = ((double)order[index % count] + bo__rng_uniform(&cell)) / (double)count;
    }
    free(order);
    return BO_OK;
}

bo_status bo__design_point(const bo_space *space, uint64_t seed, size_t count, size_t index,
                           double *x)
{
    size_t dim = bo_space_dim(space);
    double *fraction = malloc(dim * sizeof *fraction);
    bo_status status = fraction ? BO_OK : BO_ENOMEM;
    if (!status)
        status = dim <= BO__SOBOL_DIMENSIONS ? sobol(dim, seed, index, fraction)
                                         : latin(dim, seed, count ? count : 1, index, fraction);
    if (!status)
        bo__space_spread(space, fraction, x);
    free(fraction);
    return status;
}
