/* maximize.h - maximises a smooth function over the unit cube, some of whose columns take only
 * certain values.  Knows nothing of surrogates: the function is a callback.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MAXIMIZE_H
#define BO_MAXIMIZE_H

#include "bo.h"
#include "rng.h"

/* What the columns of a point u may hold. */
typedef enum bo__column_kind {
    BO_COLUMN_REAL,  /* all of [0, 1] */
    BO_COLUMN_STEPS, /* count values, in levels (rising) */
    BO_COLUMN_ONEHOT /* first of count columns, exactly one of which is 1, the others 0 */
} bo__column_kind;

/* A block of columns: one, or the count columns of a one-hot block. */
typedef struct bo__column {
    bo__column_kind kind;
    size_t first;         /* index of its (first) column in u */
    size_t count;         /* values (STEPS) or columns (ONEHOT) */
    const double *levels; /* STEPS only: count values in [0, 1] */
} bo__column;

/* The function: fills value (m) and, unless NULL, du (m × width), for m rows of u.  Called from
 * several threads at once with different `thread` (0 … threads-1).  It is called with m up to
 * `batch`. */
typedef bo_status (*bo__target)(void *context, size_t thread, size_t m, const double *u,
                                double *value, double *du);

/* True when u (a point with valid discrete values) must not be returned: evaluated before.
 * Called from several threads at once. */
typedef bool (*bo__taken)(void *context, const double *u);

typedef struct bo__maximize_problem {
    size_t width;
    size_t blocks;
    const bo__column *columns; /* blocks of them */
    bo__target target;
    bo__taken taken; /* NULL: nothing is */
    void *context;   /* of both */
    size_t threads;
    size_t batch;   /* most rows per call of target */
    size_t screen;  /* points of the shifted-Sobol screen (Latin hypercube above 40 columns) */
    size_t starts;  /* L-BFGS starts from the best of them */
    size_t maxeval; /* L-BFGS evaluations a start */
    size_t anchors; /* good points known beforehand (incumbents), started from too, nudged */
    const double *anchor; /* anchors × width */
    size_t grid;    /* 0, or maximise over the grid of so many points a side instead */
    size_t stride;  /* of a grid on a line: look at every stride-th point first; 0, 1: at all */
} bo__maximize_problem;

/* The best point found goes to u (width, with valid discrete values), its value to *value.
 * BO_EXHAUSTED when the space is finite and all of it is taken. */
bo_status bo__maximize(const bo__maximize_problem *problem, bo__rng *rng, double *u,
                       double *value, bo_message *message);

#endif
