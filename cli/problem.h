/* problem.h - what bo-run optimises: a built-in objective or a program of the user's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_PROBLEM_H
#define BO_PROBLEM_H

#include "external.h"
#include "objective.h"

typedef struct bo__problem {
    char title[160];
    bo_space *space;
    bo__objective *objective; /* NULL: external */
    bo__external *external;   /* NULL: objective */
    double noise;             /* sd of the noise added to an objective's values */
    double optimum;           /* the best value there is; NAN when it is not known */
    uint64_t seed;            /* of the noise */
} bo__problem;

typedef struct bo__evaluation {
    double y;         /* as observed; NAN: failed */
    double truth;     /* without noise; NAN when it is not known */
    double ms;        /* wall time */
    bool abandoned;   /* interrupted: neither a value nor a failure */
    char reason[256]; /* why it failed; "" otherwise */
} bo__evaluation;

/* A built-in one.  dim 0: its usual dimension.  noise NAN: what the objective brings itself. */
bo_status bo__problem_builtin(bo__problem *problem, const char *name, size_t dim, uint64_t which,
                              double noise, uint64_t seed, bool maximize, bo_message *message);

/* The user's: takes over the space. */
bo_status bo__problem_external(bo__problem *problem, const char *command, bo_space *space,
                               double timeout, bo_message *message);
void bo__problem_free(bo__problem *problem); /* a zeroed one is fine */

/* Evaluates q rows of x; trial is the number of the first, from 1. */
bo_status bo__problem_evaluate(const bo__problem *problem, size_t trial, size_t q,
                               const double *x, bo__evaluation *evaluations,
                               bo_message *message);

/* The value without noise; NAN when it is not known. */
double bo__problem_truth(const bo__problem *problem, const double *x);

#endif
