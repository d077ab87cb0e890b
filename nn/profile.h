/* profile.h - where the time of a tape goes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operators say when they begin (bo__tape_begin); what a thread does until the next one begins is
 * counted as theirs, in CPU time.  A profile belongs to one thread.
 */
#ifndef BO_PROFILE_H
#define BO_PROFILE_H

#include <stddef.h>

/* One list of operators: name, what is shown. */
#define BO__OPS(OP)                                                                              \
    OP(OTHER, "everything else")                                                                 \
    OP(TASKS, "drawing tasks")                                                                   \
    OP(LINEAR, "linear layers")                                                                  \
    OP(MERGE, "sums, ReLU")                                                                      \
    OP(POOL, "means, slices")                                                                    \
    OP(NORM, "layer norm")                                                                       \
    OP(WEIGHTS, "attention: weights")                                                            \
    OP(APPLY, "attention: values")                                                               \
    OP(GAUSSIAN, "Gaussians")                                                                    \
    OP(REDUCE, "log-mean-exp, sums")                                                             \
    OP(UPDATE, "gradient sums, update")

typedef enum bo__op {
#define BO__OP_ENUM(name, text) BO__OP_##name,
    BO__OPS(BO__OP_ENUM)
#undef BO__OP_ENUM
    BO__OP_COUNT,
} bo__op;

enum { BO__FORWARD, BO__BACKWARD, BO__WAYS };

typedef struct bo__profile {
    double seconds[BO__OP_COUNT][BO__WAYS];
    double since; /* the clock when the current operator began */
    bo__op current;
    int way;
} bo__profile;

const char *bo__op_text(bo__op op);

/* From now on the time belongs to op; what has passed goes to the one before. */
void bo__profile_begin(bo__profile *profile, bo__op op, int way);

/* sum += more, operator by operator. */
void bo__profile_add(bo__profile *sum, const bo__profile *more);
double bo__profile_total(const bo__profile *profile);

#endif
