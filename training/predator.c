/* predator.c - predators and prey, simulated event by event.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slot j of the pool holds series number g · SLOTS + j, g = (task + j · PER_SERIES) / LIFE: the
 * slots turn to their next series one by one, a slot every PER_SERIES tasks.  Of a series it keeps
 * KEPT points at random, among which a task's points are as random as among all.
 */
#include "predator.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Enough series that a batch of 100 tasks has few in common. */
#define SLOTS ((size_t)256)
/* A simulation, 0.5 ms, is then a few microseconds a task. */
#define PER_SERIES ((size_t)50)
#define LIFE (SLOTS * PER_SERIES)
/* About as many as the tasks of a series take from it. */
#define KEPT ((size_t)2000)

enum { D = BO__SERIES_OUTPUTS, MOST = BO__PREDATOR_MOST, CONTEXT = BO__PREDATOR_CONTEXT };

void bo__predator_sizes(bo__rng *rng, size_t *context, size_t *points)
{
    *context = CONTEXT + bo__rng_below(rng, MOST + 1 - 2 * CONTEXT);
    *points = *context + CONTEXT + bo__rng_below(rng, MOST + 1 - CONTEXT - *context);
}

/* A first number of animals. */
static double first(bo__rng *rng, double mean)
{
    return fmax(1, floor(mean + bo__rng_normal(rng)));
}

/* Returns how many points the series has. */
static size_t simulate(bo__rng *rng, float *x, float *y)
{
    double X = first(rng, 50), Y = first(rng, 100), time = 0;
    for (size_t i = 0;; i++) {
        x[i] = (float)time;
        y[i * D] = (float)X;
        y[i * D + 1] = (float)Y;
        if (X == 0 || Y == 0 || i + 1 == BO__PREDATOR_POINTS)
            return i + 1;
        double meet = 0.01 * X * Y, die = 0.5 * X, breed = Y;
        double sum = 2 * meet + die + breed, which = sum * bo__rng_uniform(rng);
        time -= log(1 - bo__rng_uniform(rng)) / sum;
        if (which < meet)
            X++;
        else if (which < meet + die)
            X--;
        else if (which < meet + die + breed)
            Y++;
        else
            Y--;
    }
}

void bo__predator_simulate(bo__rng *rng, bo__series *series)
{
    do
        series->n = simulate(rng, series->x, series->y);
    while (series->n < MOST);
}

void bo__predator_draw(bo__rng *rng, size_t context, size_t n, float *x, float *y, float *scratch)
{
    bo__series series = {.x = scratch, .y = scratch + BO__PREDATOR_POINTS};
    bo__predator_simulate(rng, &series);
    bo__series_draw(&series, rng, context, n, x, y,
                    (uint32_t *)(scratch + (1 + D) * BO__PREDATOR_POINTS));
}

/* ---- the pool -------------------------------------------------------------------------- */

typedef struct slot {
    pthread_mutex_t lock;
    uint64_t number; /* of its series; UINT64_MAX: none yet */
    bo__series series;
    float x[KEPT], y[KEPT * D];
} slot;

struct bo__predator_pool {
    uint64_t seed;
    slot slots[SLOTS];
};

bo__predator_pool *bo__predator_pool_new(uint64_t seed)
{
    bo__predator_pool *pool = malloc(sizeof *pool);
    if (!pool)
        return NULL;
    pool->seed = seed;
    for (size_t j = 0; j < SLOTS; j++) {
        slot *s = &pool->slots[j];
        pthread_mutex_init(&s->lock, NULL);
        s->number = UINT64_MAX;
        s->series = (bo__series){.x = s->x, .y = s->y};
    }
    return pool;
}

void bo__predator_pool_free(bo__predator_pool *pool)
{
    for (size_t j = 0; pool && j < SLOTS; j++)
        pthread_mutex_destroy(&pool->slots[j].lock);
    free(pool);
}

/* Simulates series `number` of the pool and keeps KEPT of its points. */
static void refill(slot *s, uint64_t seed, uint64_t number, float *scratch)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "predator series", number);
    float *x = scratch, *y = x + BO__PREDATOR_POINTS;
    bo__series all = {.x = x, .y = y};
    bo__predator_simulate(&rng, &all);
    s->number = number;
    s->series.n = all.n < KEPT ? all.n : KEPT;
    for (size_t i = 0; i < s->series.n; i++) { /* the first of a random order */
        size_t j = i + bo__rng_below(&rng, all.n - i);
        s->x[i] = x[j];
        memcpy(s->y + i * D, y + j * D, D * sizeof *y);
        x[j] = x[i];
        memcpy(y + j * D, y + i * D, D * sizeof *y);
    }
}

void bo__predator_pool_draw(bo__predator_pool *pool, uint64_t task, bo__rng *rng, size_t context,
                            size_t n, float *x, float *y, float *scratch)
{
    size_t j = bo__rng_below(rng, SLOTS);
    uint64_t number = (task + j * PER_SERIES) / LIFE * SLOTS + j;
    slot *s = &pool->slots[j];
    pthread_mutex_lock(&s->lock);
    if (s->number != number)
        refill(s, pool->seed, number, scratch);
    bo__series_draw(&s->series, rng, context, n, x, y,
                    (uint32_t *)(scratch + (1 + D) * BO__PREDATOR_POINTS));
    pthread_mutex_unlock(&s->lock);
}
