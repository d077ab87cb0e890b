/* parallel.c - a loop whose turns are shared out over threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads are made for each loop: it takes some 20 µs, little beside the milliseconds a loop
 * takes, and leaves nothing behind in the host program.
 */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct crew {
    bo__parallel_body body;
    void *context;
    size_t turns;
    atomic_size_t next, thread;
} crew;

static void *work(void *argument)
{
    crew *c = argument;
    size_t thread = atomic_fetch_add(&c->thread, 1);
    for (size_t turn; (turn = atomic_fetch_add(&c->next, 1)) < c->turns;)
        c->body(c->context, thread, turn);
    return NULL;
}

void bo__parallel_for(size_t threads, size_t turns, bo__parallel_body body, void *context)
{
    crew c = {.body = body, .context = context, .turns = turns};
    size_t helpers = (threads < turns ? threads : turns);
    helpers = helpers > 1 ? helpers - 1 : 0;
    pthread_t *ids = helpers ? malloc(helpers * sizeof *ids) : NULL;
    size_t made = 0;
    while (ids && made < helpers && !pthread_create(&ids[made], NULL, work, &c))
        made++;
    work(&c);
    for (size_t i = 0; i < made; i++)
        pthread_join(ids[i], NULL);
    free(ids);
}

size_t bo__parallel_cores(void)
{
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
        return (size_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

/* Far above what pays, and far below what any system bears. */
#define MOST 256

size_t bo__parallel_threads(size_t asked, size_t turns)
{
    size_t cores = bo__parallel_cores(), most = cores > MOST ? cores : MOST;
    size_t threads = asked ? asked : cores;
    threads = threads < turns ? threads : turns;
    threads = threads < most ? threads : most;
    return threads > 1 ? threads : 1;
}
