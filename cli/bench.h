/* bench.h - the subcommands of bo-bench.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_BENCH_H
#define BO_BENCH_H

#include "optimize.h"

/* Each is a main of its own: argv[0] is the subcommand; returns the exit status. */
int bo__bench_main_matmul(int argc, char **argv);
int bo__bench_main_optimize(int argc, char **argv);
int bo__bench_main_predict(int argc, char **argv);
int bo__bench_main_regret(int argc, char **argv);
int bo__bench_main_suggest(int argc, char **argv);
int bo__bench_main_train(int argc, char **argv);

/* Functions as "--functions branin,levy:6" names them, at most BO_BENCH_FUNCTIONS. */
enum { BO_BENCH_FUNCTIONS = 64 };
typedef struct bo__bench_functions {
    size_t count;
    bo__bench_task task[BO_BENCH_FUNCTIONS]; /* evaluations are left 0; dim is never 0 */
} bo__bench_functions;
bo_status bo__bench_read_functions(bo__bench_functions *out, const char *list,
                                   bo_message *message);

/* Whole numbers, "10,25,50": at most `room` of them, each at least 1. */
bo_status bo__bench_read_sizes(size_t *out, size_t room, size_t *count, const char *list,
                               bo_message *message);

#endif
