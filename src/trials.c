/* trials.c - everything asked for or told, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void bo__trials_init(bo__trials *trials, size_t dim, size_t width)
{
    *trials = (bo__trials){.dim = dim, .width = width};
}

void bo__trials_clear(bo__trials *trials)
{
    free(trials->trial);
    free(trials->x);
    free(trials->u);
    bo__trials_init(trials, trials->dim, trials->width);
}

static void relink(bo__trials *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->trial[i].x = t->x + i * t->dim;
}

bo_status bo__trials_reserve(bo__trials *t, size_t n)
{
    if (n > SIZE_MAX / 2 - t->count)
        return BO_ENOMEM;
    size_t room = t->count + n;
    if (room <= t->room)
        return BO_OK;
    room += room / 2 + 16;
    if (room > SIZE_MAX / sizeof(bo_trial) / (t->width + 1))
        return BO_ENOMEM;
    bo_trial *trial = realloc(t->trial, room * sizeof *trial);
    if (trial)
        t->trial = trial;
    double *x = realloc(t->x, room * t->dim * sizeof *x);
    if (x)
        t->x = x;
    double *u = realloc(t->u, room * t->width * sizeof *u);
    if (u)
        t->u = u;
    relink(t);
    if (!trial || !x || !u)
        return BO_ENOMEM;
    t->room = room;
    return BO_OK;
}

bo_status bo__trials_add(bo__trials *t, const double *x, const double *u, bo_trial **trial)
{
    if (bo__trials_reserve(t, 1))
        return BO_ENOMEM;
    size_t i = t->count++;
    memcpy(t->x + i * t->dim, x, t->dim * sizeof *x);
    memcpy(t->u + i * t->width, u, t->width * sizeof *u);
    t->trial[i] = (bo_trial){.x = t->x + i * t->dim, .y = NAN, .state = BO_PENDING,
                             .mean = NAN, .sd = NAN, .acquisition = NAN};
    *trial = &t->trial[i];
    return BO_OK;
}

void bo__trials_remove(bo__trials *t, size_t i)
{
    size_t after = --t->count - i;
    memmove(t->trial + i, t->trial + i + 1, after * sizeof *t->trial);
    memmove(t->x + i * t->dim, t->x + (i + 1) * t->dim, after * t->dim * sizeof *t->x);
    memmove(t->u + i * t->width, t->u + (i + 1) * t->width, after * t->width * sizeof *t->u);
    relink(t);
}

static bool same(const bo__trials *t, size_t i, const double *x)
{
    for (size_t j = 0; j < t->dim; j++)
        if (t->x[i * t->dim + j] != x[j])
            return false;
    return true;
}

size_t bo__trials_find(const bo__trials *t, const double *x, bool pending)
{
    for (size_t i = 0; i < t->count; i++)
        if ((!pending || t->trial[i].state == BO_PENDING) && same(t, i, x))
            return i;
    return SIZE_MAX;
}

size_t bo__trials_count(const bo__trials *t, bo_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        count += t->trial[i].state == state;
    return count;
}

void bo__trials_gather(const bo__trials *t, bo_state state, double *u, double *y)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->trial[i].state != state)
            continue;
        memcpy(u, t->u + i * t->width, t->width * sizeof *u);
        u += t->width;
        if (y)
            *y++ = t->trial[i].y;
    }
}

size_t bo__trials_best(const bo__trials *t, bool maximize)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < t->count; i++) {
        if (t->trial[i].state != BO_DONE)
            continue;
        double y = t->trial[i].y;
        if (best == SIZE_MAX || (maximize ? y > t->trial[best].y : y < t->trial[best].y))
            best = i;
    }
    return best;
}

size_t bo__trials_distinct(const bo__trials *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        count += bo__trials_find(t, t->x + i * t->dim, false) == i;
    return count;
}
