/* trials.h - everything asked for or told, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TRIALS_H
#define BO_TRIALS_H

#include "bo.h"

typedef struct bo__trials {
    size_t dim, width;
    size_t count, room;
    bo_trial *trial; /* x points into x below */
    double *x;       /* room × dim */
    double *u;       /* room × width */
} bo__trials;

void bo__trials_init(bo__trials *trials, size_t dim, size_t width);
void bo__trials_clear(bo__trials *trials);

/* Room for n more: after it, so many additions cannot fail. */
bo_status bo__trials_reserve(bo__trials *trials, size_t n);

/* A new pending trial, at the end. */
bo_status bo__trials_add(bo__trials *trials, const double *x, const double *u, bo_trial **trial);
void bo__trials_remove(bo__trials *trials, size_t i);

/* The first trial at exactly x; SIZE_MAX when there is none.  pending: only such. */
size_t bo__trials_find(const bo__trials *trials, const double *x, bool pending);

size_t bo__trials_count(const bo__trials *trials, bo_state state);

/* Rows of u of the trials in a state, in order; and their y unless NULL. */
void bo__trials_gather(const bo__trials *trials, bo_state state, double *u, double *y);

/* The trial with the least (most: maximize) y; SIZE_MAX when none is done. */
size_t bo__trials_best(const bo__trials *trials, bool maximize);

/* Points at which something was asked or told, each counted once. */
size_t bo__trials_distinct(const bo__trials *trials);

#endif
