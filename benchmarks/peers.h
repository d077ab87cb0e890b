/* peers.h - what other systems reach, measured once, to be shown beside our own figures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_PEERS_H
#define BO_PEERS_H

#include <stddef.h>

/* The functions they were measured on, with their budgets; NULL past the end. */
typedef struct bo__peer_task {
    const char *function;
    size_t dim, evaluations;
} bo__peer_task;
const bo__peer_task *bo__peer_task_at(size_t i);

enum { BO_PEER_TASKS = 5 };

/* A system and its median simple regret on each; NULL past the end. */
typedef struct bo__peer {
    const char *name;
    size_t seeds;
    double median[BO_PEER_TASKS]; /* NAN: not measured */
} bo__peer;
const bo__peer *bo__peer_at(size_t i);

/* The task with this function and dimension, BO_PEER_TASKS if there is none. */
size_t bo__peer_task_find(const char *function, size_t dim);

/* The system with the least median on a task. */
const bo__peer *bo__peer_best(size_t task);

/* Milliseconds that limbo, the fastest system that refits its hyperparameters at every step,
 * takes for a suggestion with n points of Hartmann 6; NAN for other n. */
double bo__peer_suggest_ms(size_t n);

#endif
