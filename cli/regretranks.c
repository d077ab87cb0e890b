/* regretranks.c - runs shared out over the processes that mpirun started.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rank 0 keeps the list of runs, the journal and the results; the others ask it for a run, do it
 * in a process of their own and send the record back.  So a fast machine does more of them, and
 * what is run does not depend on who runs it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "message.h"
#include "regretbench.h"

#ifdef HAVE_MPI

#include <mpi.h>

enum { TAG_ASK = 1, TAG_ANSWER, TAG_RECORD, TAG_LEAVE };
static const uint64_t NOTHING = UINT64_MAX;

/* What the launchers of OpenMPI, MPICH, Intel MPI and Slurm leave in the environment. */
static bool was_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

bo_status bo__ranks_begin(bo__ranks *ranks, bo_message *message)
{
    *ranks = (bo__ranks){.rank = 0, .count = 1};
    if (!was_launched())
        return BO_OK;
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &level))
        return bo__fail(message, BO_EIO, "MPI cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    ranks->mpi = true;
    return BO_OK;
}

void bo__ranks_end(bo__ranks *ranks)
{
    if (ranks->mpi)
        MPI_Finalize();
    ranks->mpi = false;
}

bool bo__ranks_agree(const bo__ranks *ranks, bool go)
{
    int word = go;
    if (ranks->mpi)
        MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return word;
}

bo_status bo__ranks_compare(const bo__ranks *ranks, const char *description, bo_message *message)
{
    char line[400], *first;
    uint64_t size = strlen(description) + 1;
    if (!ranks->mpi)
        return BO_OK;
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    first = malloc((size_t)size);
    int good = first != NULL, all;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) {
        if (ranks->rank == 0)
            memcpy(first, description, (size_t)size);
        MPI_Bcast(first, (int)size, MPI_CHAR, 0, MPI_COMM_WORLD);
        good = !strcmp(first, description);
        MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    bo_status status = all ? BO_OK : BO_EINVAL;
    if (!all && first && bo__regret_differ(first, description, line, sizeof line))
        bo__fail(message, status,
                 "rank %d: the first rank has %s; results must not depend on who does what",
                 ranks->rank, line);
    else if (!all)
        bo__fail(message, status, "rank %d: the ranks are not alike", ranks->rank);
    free(first);
    return status;
}

bool bo__ranks_terminal(const bo__ranks *ranks)
{
    char path[64];
    if (!ranks->mpi || ranks->rank)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/2", (long)getppid());
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    bool terminal = fd >= 0 && isatty(fd);
    if (fd >= 0)
        close(fd);
    return terminal;
}

bool bo__ranks_ask(const bo__ranks *ranks, size_t *run)
{
    uint64_t answer = NOTHING;
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_UINT64_T, 0, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *run = (size_t)answer;
    return answer != NOTHING;
}

void bo__ranks_send(const bo__ranks *ranks, const bo__regret_record *record)
{
    MPI_Send(record, (int)record->size, MPI_BYTE, 0, TAG_RECORD, MPI_COMM_WORLD);
}

void bo__ranks_leave(const bo__ranks *ranks)
{
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_LEAVE, MPI_COMM_WORLD);
}

static bo_status take_record(bo__ranks_desk *desk, MPI_Status *about, bo_message *message)
{
    int size = 0;
    MPI_Get_count(about, MPI_BYTE, &size);
    if ((size_t)size > desk->room) {
        free(desk->bytes);
        desk->bytes = malloc((size_t)size);
        desk->room = desk->bytes ? (size_t)size : 0;
    }
    if (!desk->bytes)
        return bo__fail(message, BO_ENOMEM, "no memory for a run");
    MPI_Recv(desk->bytes, size, MPI_BYTE, about->MPI_SOURCE, TAG_RECORD, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    desk->take(desk->data, desk->bytes, (size_t)size);
    return BO_OK;
}

bo_status bo__ranks_serve(const bo__ranks *ranks, bo__ranks_desk *desk, bo_message *message)
{
    int waiting = 0;
    MPI_Status about;
    bo_status status = BO_OK;
    if (!ranks->mpi)
        return BO_OK;
    while (!status && !MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, &about) &&
           waiting) {
        if (about.MPI_TAG == TAG_RECORD) {
            status = take_record(desk, &about, message);
            continue;
        }
        MPI_Recv(NULL, 0, MPI_BYTE, about.MPI_SOURCE, about.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (about.MPI_TAG == TAG_LEAVE) {
            desk->left++;
            continue;
        }
        size_t run;
        uint64_t answer = desk->next(desk->data, &run) ? run : NOTHING;
        MPI_Send(&answer, 1, MPI_UINT64_T, about.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD);
    }
    return status;
}

#else

bo_status bo__ranks_begin(bo__ranks *ranks, bo_message *message)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    *ranks = (bo__ranks){.rank = 0, .count = 1};
    if (!size)
        size = getenv("PMI_SIZE");
    if (size && atoi(size) > 1)
        return bo__fail(message, BO_EUNSUPPORTED,
                        "mpirun started %s processes, but bo-bench was built without MPI (Debian: "
                        "apt-get install libopenmpi-dev, then configure and make again)",
                        size);
    return BO_OK;
}

void bo__ranks_end(bo__ranks *ranks)
{
}

bool bo__ranks_agree(const bo__ranks *ranks, bool go)
{
    return go;
}

bo_status bo__ranks_compare(const bo__ranks *ranks, const char *description, bo_message *message)
{
    return BO_OK;
}

bool bo__ranks_terminal(const bo__ranks *ranks)
{
    return false;
}

bool bo__ranks_ask(const bo__ranks *ranks, size_t *run)
{
    return false;
}

void bo__ranks_send(const bo__ranks *ranks, const bo__regret_record *record)
{
}

void bo__ranks_leave(const bo__ranks *ranks)
{
}

bo_status bo__ranks_serve(const bo__ranks *ranks, bo__ranks_desk *desk, bo_message *message)
{
    return BO_OK;
}

#endif
