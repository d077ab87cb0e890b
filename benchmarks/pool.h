/* pool.h - work shared out over processes, where a crash costs one piece of work and no more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The caller's process hands out items one at a time and takes the results; it never works
 * itself.  Which process does which item depends on timing, so results must not.
 */
#ifndef BO_POOL_H
#define BO_POOL_H

#include "bo.h"

/* What next says about another item. */
typedef enum bo__pool_next {
    BO_POOL_ITEM, /* *item is to be done */
    BO_POOL_WAIT, /* none at the moment: ask again */
    BO_POOL_OVER  /* none any more */
} bo__pool_next;

typedef struct bo__pool {
    size_t jobs; /* processes */
    void *data;  /* handed to all of the following */

    /* In the caller's process: what to do next. */
    bo__pool_next (*next)(void *data, size_t *item);

    /* In a worker: does the item and returns the result in memory that stays valid until the
     * next call.  NULL with *size = 0: there is no memory for it. */
    const void *(*work)(void *data, size_t item, size_t *size);

    /* In the caller's process: an item is over.  result is NULL when its worker died, by the
     * signal `killed` or, when that is 0, by leaving. */
    void (*done)(void *data, size_t item, const void *result, size_t size, int killed);

    /* In the caller's process, now and then, at the latest after `wait` milliseconds; true ends
     * everything at once. */
    bool (*poll)(void *data);
    int wait;
} bo__pool;

/* Returns when next said BO_POOL_OVER and all that was handed out is over, or BO_STOPPED. */
bo_status bo__pool_run(const bo__pool *pool, bo_message *message);

#endif
