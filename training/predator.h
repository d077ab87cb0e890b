/* predator.h - predators and prey, simulated event by event.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Lotka-Volterra jump process: X predators and Y prey, from X = 50 and Y = 100, each plus a
 * standard normal draw, rounded down and at least 1.  Events and their rates:
 *   X + 1: 0.01 X Y    X - 1: 0.5 X    Y + 1: Y    Y - 1: 0.01 X Y
 * Time to the next event is exponential with the sum of the rates, which of them it is has odds
 * like the rates (Gillespie, 1977; Wilkinson, 2011; Gordon et al., 2020).  A series ends when one
 * kind is extinct, or with point 20,000; one of fewer points than a task may need is drawn anew.
 *
 * A simulation costs a thousand times what drawing a task from a series does.  Trainers hold a
 * pool of series: tasks pick from it at random, and one after the other is replaced by a new one,
 * after PER_SERIES tasks a series on average.  The content of the pool is a function of the seed
 * and the number of the task, so that tasks do not depend on threads or on where a run began.
 */
#ifndef BO_PREDATOR_H
#define BO_PREDATOR_H

#include "series.h"

enum { BO__PREDATOR_POINTS = 20000, BO__PREDATOR_CONTEXT = 15, BO__PREDATOR_MOST = 99 };

/* |c| uniform on 15 … 84, targets uniform on 15 … 99 - |c|. */
void bo__predator_sizes(bo__rng *rng, size_t *context, size_t *points);

/* Fills series, which has room for BO__PREDATOR_POINTS points. */
void bo__predator_simulate(bo__rng *rng, bo__series *series);

/* Draws a task from a series of its own; n ≤ BO__PREDATOR_MOST.  scratch has
 * BO__PREDATOR_SCRATCH floats. */
#define BO__PREDATOR_SCRATCH ((size_t)4 * BO__PREDATOR_POINTS)
void bo__predator_draw(bo__rng *rng, size_t context, size_t n, float *x, float *y,
                       float *scratch);

typedef struct bo__predator_pool bo__predator_pool;
bo__predator_pool *bo__predator_pool_new(uint64_t seed); /* NULL: no memory */
void bo__predator_pool_free(bo__predator_pool *pool);    /* takes NULL */

/* Draws task number `task` from a series of the pool; thread-safe. */
void bo__predator_pool_draw(bo__predator_pool *pool, uint64_t task, bo__rng *rng, size_t context,
                            size_t n, float *x, float *y, float *scratch);

#endif
