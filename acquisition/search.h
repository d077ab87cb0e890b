/* search.h - what the parts of the maximiser share: screen, climb, local search, enumeration.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_SEARCH_H
#define BO_SEARCH_H

#include <stdatomic.h>

#include "maximize.h"

/* STEPS columns with more levels than this are relaxed: L-BFGS moves them as if they were real,
 * and they are rounded afterwards. */
#define BO__RELAXED_LEVELS 12

/* One maximisation. */
typedef struct bo__search {
    const bo__maximize_problem *problem;
    size_t *movable;    /* columns: first the real ones, then the relaxed ones */
    size_t reals;       /* of them real */
    size_t movables;    /* real and relaxed */
    size_t *discrete;   /* blocks that are not real */
    size_t discretes;
    double *work;       /* per thread: batch rows, their values, and four more rows */
    size_t work_size;   /* doubles per thread */
    atomic_int status;  /* the first error of the target */
    atomic_bool number; /* the target gave at least one number, not only NaN */
} bo__search;

/* What a thread writes on. */
typedef struct bo__scratch {
    double *rows;  /* batch × width */
    double *value; /* batch */
    double *spare; /* 4 × width */
} bo__scratch;

/* The best point so far that may be returned. */
typedef struct bo__found {
    double *u; /* width */
    double value;
    bool any;
} bo__found;

bo_status bo__search_init(bo__search *s, const bo__maximize_problem *problem);
void bo__search_free(bo__search *s); /* takes half-built ones */
bo__scratch bo__search_scratch(const bo__search *s, size_t thread);

/* Values (NaN counts as -∞) and, unless NULL, gradients of m <= batch rows.  False, with
 * s->status set, when the target failed. */
bool bo__search_evaluate(bo__search *s, size_t thread, size_t m, const double *u, double *value,
                         double *du);

/* Whether the target has failed, in any thread. */
bool bo__search_failed(const bo__search *s);

/* The values of all m rows, in batches shared out over the threads. */
bo_status bo__search_evaluate_all(bo__search *s, size_t m, const double *u, double *value);

/* Keeps u when it is better than what was found and not taken; ties stay with the first. */
void bo__search_offer(const bo__search *s, bo__found *found, const double *u, double value);

/* Sets the block to its i-th value, or to the value nearest to what stands there; tells which
 * value that is. */
void bo__column_set(const bo__column *column, size_t i, double *u);
size_t bo__column_get(const bo__column *column, const double *u);

/* Rounds all relaxed columns. */
void bo__search_snap(const bo__search *s, double *u);

/* ---- screen.c ---- */

/* m points spread evenly over the space, at random shifts; valid discrete values. */
bo_status bo__screen_fill(const bo__search *s, bo__rng *rng, size_t m, double *u);

/* m points around the anchor: cycles through BO__NUDGES scales. */
#define BO__NUDGES 3
void bo__screen_around(const bo__search *s, bo__rng *rng, const double *anchor, size_t m,
                       double *u);

/* Indices 0 … m-1 by falling value; ties by index.  BO_ENOMEM or BO_OK. */
bo_status bo__screen_order(size_t m, const double *value, size_t *order);

/* Picks up to `starts` of the rows: the best that do not stand close to a better one, then, if
 * they are too few, closer ones.  Returns how many. */
size_t bo__screen_pick(const bo__search *s, size_t m, const double *u, const double *value,
                       const size_t *order, size_t starts, size_t *pick);

/* ---- climb.c ---- */

/* Climbs by L-BFGS from u in the first `columns` movable columns, with at most maxeval
 * evaluations.  u and *value become the best point seen, never worse than they were.  True when
 * it stopped because there is nothing more to gain. */
bool bo__climb(bo__search *s, size_t thread, size_t columns, size_t maxeval, double *u,
               double *value);

/* ---- localsearch.c ---- */

/* Walks over the discrete values by steepest ascent, one block at a time, the real columns
 * staying; offers what it sees to found.  True when u and *value improved. */
bool bo__local_search(bo__search *s, size_t thread, double *u, double *value, bo__found *found);

/* ---- enumerate.c ---- */

/* How many points the space has with `side` values for each real column (0: infinitely many);
 * SIZE_MAX when there are more than that. */
size_t bo__enumerate_count(const bo__maximize_problem *problem, size_t side);

/* The i-th of them. */
void bo__enumerate_point(const bo__maximize_problem *problem, size_t side, size_t i, double *u);

/* Of a space of one real column, in coarse.c: every stride-th of the `side` points, then all points
 * near the best of those and near the anchors. */
bo_status bo__coarse_line(bo__search *s, size_t side, size_t stride, bo__found *found);

/* Evaluates all count of them and offers them to found. */
bo_status bo__enumerate_all(bo__search *s, size_t side, size_t count, bo__found *found);

#endif
