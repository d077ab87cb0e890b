/* trainteam.c - the processes that mpirun started, as a team that trains one model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums are made by recursive doubling: in turn i each rank swaps with the one whose number differs
 * in bit i, and adds.  a + b is b + a bit by bit, so that all ranks have the same sum, the one of
 * the tree that a single process adds up along.  A number of ranks that is no power of two has no
 * such tree: there rank 0 gets the sum from MPI, and sends it round.
 */
#include "trainteam.h"

#include <stdlib.h>

#include "config.h"
#include "interrupt.h"
#include "message.h"

/* How many processes the launcher of OpenMPI, MPICH, Intel MPI or Slurm started; 0: none did. */
static int launched(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size)
        size = getenv("PMI_SIZE");
    return size ? atoi(size) : 0;
}

static bo_status unwanted(bo_message *message)
{
    return bo__fail(message, BO_EINVAL,
                    "mpirun started %d processes, which would write the same files; --mpi makes "
                    "them train one model", launched());
}

bool bo__trainteam_stopped(const bo__trainteam *team)
{
    return team->count > 1 ? team->stopped : bo__interrupted();
}

#ifdef HAVE_MPI

#include <mpi.h>

bo_status bo__trainteam_begin(bo__trainteam *team, bool wanted, bo_message *message)
{
    *team = (bo__trainteam){.rank = 0, .count = 1};
    if (!wanted)
        return launched() > 1 ? unwanted(message) : BO_OK;
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level))
        return bo__fail(message, BO_EIO, "MPI cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team->count);
    team->mpi = true;
    return BO_OK;
}

void bo__trainteam_end(bo__trainteam *team)
{
    if (team->mpi) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
    free(team->room);
    *team = (bo__trainteam){.rank = team->rank, .count = team->count};
}

void bo__trainteam_abort(const bo__trainteam *team)
{
    if (team->mpi && team->count > 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int bo__trainteam_agree(const bo__trainteam *team, int word)
{
    if (team->mpi)
        MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return word;
}

enum { TOTALS = 3 }; /* the trainer's two, and how many were interrupted */

static void double_up(bo__trainteam *team, int n, float *gradient, double *totals)
{
    double others[TOTALS];
    for (int bit = 1; bit < team->count; bit *= 2) {
        int partner = team->rank ^ bit;
        MPI_Sendrecv(gradient, n, MPI_FLOAT, partner, bit, team->room, n, MPI_FLOAT, partner, bit,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(totals, TOTALS, MPI_DOUBLE, partner, bit, others, TOTALS, MPI_DOUBLE,
                     partner, bit, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            gradient[i] += team->room[i];
        for (int i = 0; i < TOTALS; i++)
            totals[i] += others[i];
    }
}

static void through_first(bo__trainteam *team, int n, float *gradient, double *totals)
{
    bool first = team->rank == 0;
    MPI_Reduce(first ? MPI_IN_PLACE : gradient, gradient, n, MPI_FLOAT, MPI_SUM, 0,
               MPI_COMM_WORLD);
    MPI_Reduce(first ? MPI_IN_PLACE : totals, totals, TOTALS, MPI_DOUBLE, MPI_SUM, 0,
               MPI_COMM_WORLD);
    MPI_Bcast(gradient, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Bcast(totals, TOTALS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* MPI's own errors end the whole job: that is how it is started. */
static bo_status add(void *context, size_t n, float *gradient, double totals[2],
                     bo_message *message)
{
    bo__trainteam *team = context;
    if (!team->room && !(team->room = malloc(n * sizeof *team->room))) {
        bo__trainteam_abort(team);
        return bo__fail(message, BO_ENOMEM, "no memory for another process's gradient");
    }
    double all[TOTALS] = {totals[0], totals[1], bo__interrupted()};
    bool power = (team->count & (team->count - 1)) == 0;
    (power ? double_up : through_first)(team, (int)n, gradient, all);
    totals[0] = all[0];
    totals[1] = all[1];
    team->stopped = all[2] > 0;
    return BO_OK;
}

static bo_status share(void *context, size_t bytes, void *data, bo_message *message)
{
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return BO_OK;
}

bo__train_team bo__trainteam_hooks(bo__trainteam *team)
{
    if (!team->mpi)
        return (bo__train_team){0};
    return (bo__train_team){(size_t)team->rank, (size_t)team->count, team, add, share};
}

#else

bo_status bo__trainteam_begin(bo__trainteam *team, bool wanted, bo_message *message)
{
    *team = (bo__trainteam){.rank = 0, .count = 1};
    if (wanted)
        return bo__fail(message, BO_EUNSUPPORTED,
                        "--mpi: bo-train was built without MPI (Debian: apt-get install "
                        "libopenmpi-dev, then configure and make again)");
    return launched() > 1 ? unwanted(message) : BO_OK;
}

void bo__trainteam_end(bo__trainteam *team)
{
}

void bo__trainteam_abort(const bo__trainteam *team)
{
}

int bo__trainteam_agree(const bo__trainteam *team, int word)
{
    return word;
}

bo__train_team bo__trainteam_hooks(bo__trainteam *team)
{
    return (bo__train_team){0};
}

#endif
