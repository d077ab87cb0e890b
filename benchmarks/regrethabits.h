/* regrethabits.h - how a surrogate spends its suggestions, to explain what it regrets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_REGRETHABITS_H
#define BO_REGRETHABITS_H

#include "regret.h"

/* Of one run, or the means over runs. */
typedef struct bo__regret_habits {
    double repeats;   /* share of suggestions at a point evaluated before */
    double incumbent; /* of them at the best observed one */
    double sd, sd_end; /* predicted sd at the suggestions: of all, of the last ten; NAN: none */
    double stuck;     /* share of runs that end with a regret above a tenth of the range */
} bo__regret_habits;

/* The habits of one run that came to its end. */
bo__regret_habits bo__regret_habits_of(const bo__regret_plan *plan, const bo__regret_record *r);

/* sum += habits, and sum / runs. */
void bo__regret_habits_add(bo__regret_habits *sum, bo__regret_habits habits);
void bo__regret_habits_mean(bo__regret_habits *sum, size_t runs);

#endif
