/* crew.c - threads that stay, for loops that are shorter than it takes to make
 * a thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A helper waits for the next loop: for a while by looking again and again,
 * since the next one of a training step begins within microseconds, then
 * asleep.  It counts itself in before it looks whether a loop is open, and out
 * when no turns are left.  The caller takes turns too; then it closes the loop
 * and waits until nobody is in.  Who comes late finds the loop closed, or the
 * next one open: a helper that sleeps through a loop holds nobody up.
 */
#include "crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Looks before a helper falls asleep, some 100 µs, and before the caller lets
 * others run. */
#define LOOKS 4000

typedef struct helper {
    bo__crew *crew;
    pthread_t id;
    size_t thread;
} helper;

struct bo__crew {
    bo__parallel_body body; /* of the open loop */
    void *context;
    size_t turns;
    atomic_size_t next;     /* turn of it */
    atomic_bool open, over; /* a loop; the crew */
    atomic_size_t loops;    /* opened so far */
    atomic_size_t inside;   /* helpers that may be at work */
    atomic_size_t asleep;
    pthread_mutex_t lock;
    pthread_cond_t call;
    size_t helpers;
    helper helper[];
};

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void work(bo__crew *c, size_t thread)
{
    for (size_t turn; (turn = atomic_fetch_add(&c->next, 1)) < c->turns;)
        c->body(c->context, thread, turn);
}

static bool is_called(bo__crew *c, size_t seen)
{
    return atomic_load(&c->loops) != seen || atomic_load(&c->over);
}

static void await_call(bo__crew *c, size_t seen)
{
    for (int look = 0; look < LOOKS; look++) {
        if (is_called(c, seen))
            return;
        breathe();
    }
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->asleep, 1); /* before it looks once more: the caller looks after calling */
    while (!is_called(c, seen))
        pthread_cond_wait(&c->call, &c->lock);
    atomic_fetch_sub(&c->asleep, 1);
    pthread_mutex_unlock(&c->lock);
}

static void *help(void *argument)
{
    helper *h = argument;
    bo__crew *c = h->crew;
    for (size_t seen = 0;; seen = atomic_load(&c->loops)) {
        atomic_fetch_add(&c->inside, 1);
        if (atomic_load(&c->open))
            work(c, h->thread);
        atomic_fetch_sub(&c->inside, 1);
        await_call(c, seen);
        if (atomic_load(&c->over))
            return NULL;
    }
}

static void wake(bo__crew *c)
{
    if (atomic_load(&c->asleep) == 0)
        return;
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->call);
    pthread_mutex_unlock(&c->lock);
}

bo__crew *bo__crew_new(size_t threads)
{
    size_t most = threads > 1 ? threads - 1 : 0;
    bo__crew *c = calloc(1, sizeof *c + most * sizeof *c->helper);
    if (!c)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->call, NULL);
    for (; c->helpers < most; c->helpers++) {
        helper *h = &c->helper[c->helpers];
        *h = (helper){.crew = c, .thread = c->helpers + 1};
        if (pthread_create(&h->id, NULL, help, h))
            break;
    }
    return c;
}

void bo__crew_free(bo__crew *c)
{
    if (!c)
        return;
    atomic_store(&c->over, true);
    wake(c);
    for (size_t i = 0; i < c->helpers; i++)
        pthread_join(c->helper[i].id, NULL);
    pthread_cond_destroy(&c->call);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void bo__crew_for(bo__crew *c, size_t turns, bo__parallel_body body, void *context)
{
    c->body = body;
    c->context = context;
    c->turns = turns;
    atomic_store(&c->next, 0);
    if (turns > 1 && c->helpers > 0) {
        atomic_store(&c->open, true);
        atomic_fetch_add(&c->loops, 1);
        wake(c);
    }
    work(c, 0);
    atomic_store(&c->open, false);
    for (int look = 0; atomic_load(&c->inside) > 0; look++)
        look < LOOKS ? breathe() : (void)sched_yield();
}
