/* external.h - a user's program as the function to optimise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command is split into words as a shell would (quotes and backslashes), but no shell runs
 * it: {name} in a word is replaced by the value of the parameter, whatever characters that has;
 * {{ stands for one brace.  All values are in the environment too, as BO_name, and the number of
 * the trial as BO_TRIAL.
 *
 * The value is the number on the last line of standard output that is not empty.  A trial fails
 * when there is none, when the program ends with a status other than 0 or by a signal, or when
 * it takes longer than the timeout.
 */
#ifndef BO_EXTERNAL_H
#define BO_EXTERNAL_H

#include "bo.h"

typedef struct bo__external bo__external;

typedef struct bo__external_result {
    double y;         /* NAN when it failed or was abandoned */
    double seconds;   /* wall time */
    bool abandoned;   /* ended because we were interrupted: neither a value nor a failure */
    char reason[256]; /* why it failed */
} bo__external_result;

/* The space must outlive it.  timeout in seconds; INFINITY for none. */
bo_status bo__external_new(bo__external **out, const char *command, const bo_space *space,
                           double timeout, bo_message *message);
void bo__external_free(bo__external *external); /* takes NULL */

/* Runs it at q points (rows of x) at the same time; trial is the number of the first.  An error
 * is returned only when the program cannot be run at all. */
bo_status bo__external_run(const bo__external *external, size_t trial, size_t q, const double *x,
                           bo__external_result *results, bo_message *message);

#endif
