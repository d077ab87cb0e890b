/* regretsum.h - what the runs of a plan come to: curves, times, tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_REGRETSUM_H
#define BO_REGRETSUM_H

#include "regret.h"
#include "regrethabits.h"
#include "statistics.h"

/* What is summed up: regrets, the last three of them divided by the function's range, and the CPU
 * time of a suggestion, 0 for the initial points. */
typedef enum bo__regret_quantity {
    BO_SIMPLE,
    BO_CUMULATIVE,
    BO_INSTANTANEOUS,
    BO_SIMPLE_NORM,
    BO_CUMULATIVE_NORM,
    BO_INSTANTANEOUS_NORM,
    BO_MILLISECONDS,
    BO_QUANTITIES,
    BO_REGRETS = BO_MILLISECONDS
} bo__regret_quantity;

/* Over the functions, at one iteration. */
typedef struct bo__regret_point {
    double mean, se, median, lower, upper;
} bo__regret_point;

/* A surrogate against the reference on the functions where both came to the end.  A positive
 * effect: the surrogate regrets more than the reference. */
typedef struct bo__regret_test {
    bo__wilcoxon wilcoxon;
    double holm;       /* p, adjusted for the surrogates tested in the setting (Holm, 1979) */
    /* Surrogate less reference: the mean over functions and its standard error, NAN for one. */
    double difference, difference_se;
} bo__regret_test;

/* One surrogate in one setting. */
typedef struct bo__regret_cell {
    size_t runs, failed;
    bo__regret_point *curve[BO_QUANTITIES]; /* iterations + 1 each; NULL when runs is 0 */
    double milliseconds, milliseconds_se;   /* CPU time of a suggestion: mean over runs */
    double slowest;                         /* the longest suggestion */
    bo__regret_habits habits;               /* mean over runs */
    const char *against;                    /* name of the reference; NULL: it is not there */
    size_t pairs;                           /* 0: not compared with the reference */
    bo__regret_test simple, cumulative;     /* at the last iteration, raw */
    char reason[448];                       /* of the first failed run */
} bo__regret_cell;

typedef struct bo__regret_summary {
    const bo__regret_plan *plan;
    size_t failed; /* runs */
    bo__regret_cell cell[]; /* settings × surrogates */
} bo__regret_summary;

/* records has one entry per run: its record, or NULL when there is none. */
bo_status bo__regret_sum_up(bo__regret_summary **out, const bo__regret_plan *plan,
                            bo__regret_record *const *records, bo_message *message);
void bo__regret_summary_free(bo__regret_summary *summary); /* takes NULL */

static inline const bo__regret_cell *bo__regret_cell_at(const bo__regret_summary *s,
                                                        size_t setting, size_t surrogate)
{
    return &s->cell[setting * s->plan->surrogates + surrogate];
}

/* The surrogate that the others are compared with, plan->surrogates when it is not there. */
size_t bo__regret_reference(const bo__regret_plan *plan);

#endif
