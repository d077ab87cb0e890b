/* regretbench.h - the parts of bo-bench regret.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bench-regret.c reads the command line and leads the work; the runs go through a pool of
 * processes, on several machines through the ranks of MPI (regretranks.c); what has been done is
 * kept in a journal (regretjournal.c); at the end come the table (regrettable.c), the files
 * (regretfiles.c), the curves (regretplot.c) and the page (regretpage.c).
 */
#ifndef BO_REGRETBENCH_H
#define BO_REGRETBENCH_H

#include <limits.h>
#include <stdio.h>

#include "regretsum.h"

/* ---- regretweights.c ---- */

/* Fills plan->weights from the weight files that the surrogates will read. */
void bo__regret_find_weights(bo__regret_plan *plan);

/* Takes out of a plan that has its weights the surrogates that cannot work in all its settings:
 * gp-oracle where functions are not drawn from a prior, neural ones without weights for other than
 * one dimension.  Their names, with commas between, go to `names`. */
void bo__regret_drop_unable(bo__regret_plan *plan, char *names, size_t room);

/* ---- regretjournal.c ---- */

/* DIR/journal: what was asked for, then the record of each run that came to its end. */
typedef struct bo__regret_journal bo__regret_journal;

/* What a plan is, one "name value" a line: a journal is continued only by the same.  NULL when
 * out of memory; free it. */
char *bo__regret_describe(const bo__regret_plan *plan);

/* The first line in which two descriptions differ: "'A', and this is 'B'"; false: there is none. */
bool bo__regret_differ(const char *there, const char *here, char *line, size_t room);

/* Opens or continues the journal of a folder, which is made where it is not there.  Records found
 * in it go to records, one entry per run, and belong to the caller; *found counts them.  Refused
 * when the journal is of another plan, holds runs with other weights, or another process is at it. */
bo_status bo__regret_journal_open(bo__regret_journal **out, const char *folder,
                                  const bo__regret_plan *plan, bo__regret_record **records,
                                  size_t *found, bo_message *message);

/* add writes, sync makes sure that all of it is on the disk. */
bo_status bo__regret_journal_add(bo__regret_journal *journal, const bo__regret_record *record,
                                 bo_message *message);
bo_status bo__regret_journal_sync(bo__regret_journal *journal, bo_message *message);
void bo__regret_journal_close(bo__regret_journal *journal); /* takes NULL */

/* ---- regretranks.c ---- */

/* Where this process stands among those that mpirun started; 0 of 1 without it. */
typedef struct bo__ranks {
    int rank, count;
    bool mpi; /* MPI is running and has to be ended */
} bo__ranks;

/* Starts MPI only where mpirun, or something like it, started us.  *message says what is wrong
 * when several processes were started and this program has no MPI. */
bo_status bo__ranks_begin(bo__ranks *ranks, bo_message *message);
void bo__ranks_end(bo__ranks *ranks);

/* All ranks hear what rank 0 says. */
bool bo__ranks_agree(const bo__ranks *ranks, bool go);

/* All ranks must be about to do the same on the same kind of CPU, as rank 0 has it described. */
bo_status bo__ranks_compare(const bo__ranks *ranks, const char *description, bo_message *message);

/* Whether what rank 0 writes to stderr comes out on a terminal: mpirun puts a pipe there, and ends
 * it where its own goes. */
bool bo__ranks_terminal(const bo__ranks *ranks);

/* On other ranks than 0: asks for a run (false: there is none), and hands over a record. */
bool bo__ranks_ask(const bo__ranks *ranks, size_t *run);
void bo__ranks_send(const bo__ranks *ranks, const bo__regret_record *record);
void bo__ranks_leave(const bo__ranks *ranks);

/* On rank 0: deals with all that the others have sent.  Returns how many of them have left. */
typedef struct bo__ranks_desk {
    void *data;
    bool (*next)(void *data, size_t *run);
    void (*take)(void *data, const bo__regret_record *record, size_t size);
    int left;    /* ranks that have left */
    void *bytes; /* of a record; freed by bo__ranks_end's caller with free */
    size_t room;
} bo__ranks_desk;
bo_status bo__ranks_serve(const bo__ranks *ranks, bo__ranks_desk *desk, bo_message *message);

/* ---- what comes of it ---- */

/* regrettable.c */
void bo__regret_print(FILE *stream, const bo__regret_summary *summary);
void bo__regret_explain(FILE *stream, const bo__regret_summary *summary);

/* regretfiles.c: runs.csv, summary.csv, summary.json, tests.csv, habits.csv, and times.csv,
 * steptimes.csv, times.json */
bo_status bo__regret_write(const char *folder, const bo__regret_summary *summary,
                           bo__regret_record *const *records, bo_message *message);

/* regretplot.c: curves.dat, curves.gp and, where there is gnuplot, curves.png, .svg, .pdf; *drawn
 * says which of them.  BO_EUNSUPPORTED: there is no gnuplot. */
typedef struct bo__regret_drawn {
    bool png, svg, pdf;
} bo__regret_drawn;
bo_status bo__regret_draw(const char *folder, const bo__regret_summary *summary,
                          bo__regret_drawn *drawn, bo_message *message);

/* regretpage.c: index.html, with curves.svg in it and a link to curves.pdf where they are. */
bo_status bo__regret_page(const char *folder, const bo__regret_summary *summary,
                          bo__regret_drawn drawn, bo_message *message);

/* folder/name; BO_EIO when that is too long. */
bo_status bo__regret_path(char path[PATH_MAX], const char *folder, const char *name,
                          bo_message *message);

/* Surrogates fall into two groups of panels; references stand in both. */
typedef enum bo__regret_group {
    BO_REGRET_PLAINNET = 1, /* neural processes that pool their context */
    BO_REGRET_ATTENTIVE = 2,
    BO_REGRET_REFERENCE = 3
} bo__regret_group;
bo__regret_group bo__regret_group_of(const char *surrogate);

#endif
