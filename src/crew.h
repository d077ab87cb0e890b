/* crew.h - threads that stay, for loops that are shorter than it takes to make
 * a thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_CREW_H
#define BO_CREW_H

#include "parallel.h"

typedef struct bo__crew bo__crew;

/* `threads` threads, the caller's own among them; fewer when they cannot be
 * made.  NULL: no memory. */
bo__crew *bo__crew_new(size_t threads);
void bo__crew_free(bo__crew *crew); /* takes NULL */

/* Runs turns 0 … turns-1, as bo__parallel_for does.  The caller is thread 0 and
 * may change from loop to loop, but there is one loop at a time, and none
 * within a loop. */
void bo__crew_for(bo__crew *crew, size_t turns, bo__parallel_body body, void *context);

#endif
