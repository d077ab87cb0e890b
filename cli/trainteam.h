/* trainteam.h - the processes that mpirun started, as a team that trains one model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Without MPI, or without mpirun, the team is this process alone.
 */
#ifndef BO_TRAINTEAM_H
#define BO_TRAINTEAM_H

#include "train.h"

typedef struct bo__trainteam {
    int rank, count;
    bool mpi;     /* MPI is running and has to be ended */
    bool stopped; /* one of the team was interrupted before the last step's end */
    float *room;  /* for the gradient of another */
} bo__trainteam;

/* Starts MPI when it is wanted.  An error when it is wanted and not there, and when several
 * processes were started that do not want it: they would all write the same files. */
bo_status bo__trainteam_begin(bo__trainteam *team, bool wanted, bo_message *message);

/* Waits for the others; takes a team that never began, if zeroed. */
void bo__trainteam_end(bo__trainteam *team);

/* Ends all processes of the team at once, this one too, when there are others. */
void bo__trainteam_abort(const bo__trainteam *team);

/* How a trainer works with the team, which must stay where it is. */
bo__train_team bo__trainteam_hooks(bo__trainteam *team);

/* Whether to stop: the same answer in the whole team, after each step. */
bool bo__trainteam_stopped(const bo__trainteam *team);

/* All hear what rank 0 says. */
int bo__trainteam_agree(const bo__trainteam *team, int word);

#endif
