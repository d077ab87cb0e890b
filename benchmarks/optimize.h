/* optimize.h - runs an optimiser many times, from different seeds, and keeps its regrets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The simple regret after k evaluations is the least noise-free value at the first k points less
 * the least value there is.  Observations carry the noise that the objective's prior brings
 * (none for the standard functions).
 */
#ifndef BO_OPTIMIZE_H
#define BO_OPTIMIZE_H

#include "objective.h"

/* What is optimised, and for how long. */
typedef struct bo__bench_task {
    const bo__objective_type *type;
    size_t dim;         /* 0: the usual one */
    size_t evaluations; /* initial ones included */
} bo__bench_task;

/* The box of an objective as a space of reals x1, x2 …  Free it even on failure. */
bo_status bo__bench_space(bo_space **out, const bo__objective *objective, bo_message *message);

/* One run: fills regret (evaluations values) and *seconds, the CPU time of asking and telling.
 * The seed is the optimiser's and, for random functions, the objective's; options->threads = 0
 * counts as 1.  `poll`, unless NULL, is called after each evaluation; true ends the run with
 * BO_STOPPED. */
typedef bool (*bo__bench_poll)(void *data);
bo_status bo__bench_run(const bo__bench_task *task, const bo_options *options, uint64_t seed,
                        bo__bench_poll poll, void *poll_data, double *regret, double *seconds,
                        bo_message *message);

/* The runs of a task with seeds first, first + 1 … */
typedef struct bo__bench_runs {
    size_t seeds, evaluations;
    double *regret;  /* seeds × evaluations */
    double *seconds; /* seeds */
} bo__bench_runs;

/* How far all runs together are; return true to stop them. */
typedef bool (*bo__bench_progress)(void *data, size_t evaluations, size_t total);

/* All tasks with `seeds` seeds from `first` on, shared out over `jobs` processes.  The result does
 * not depend on their number.  *out gets one bo__bench_runs per task; free it with
 * bo__bench_runs_free.  BO_STOPPED when progress said so: no result then. */
bo_status bo__bench_optimize(bo__bench_runs **out, size_t tasks, const bo__bench_task *task,
                             const bo_options *options, uint64_t first, size_t seeds,
                             size_t jobs, bo__bench_progress progress, void *progress_data,
                             bo_message *message);
void bo__bench_runs_free(bo__bench_runs *runs, size_t tasks); /* takes NULL */

#endif
