/* parallel.h - a loop whose turns are shared out over threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_PARALLEL_H
#define BO_PARALLEL_H

#include <stddef.h>

/* One turn: `thread` (0 … threads-1) picks a workspace, `turn` says what to do.  The result must
 * depend on the turn only. */
typedef void (*bo__parallel_body)(void *context, size_t thread, size_t turn);

/* Runs turns 0 … turns-1 on at most `threads` threads, the caller's own among them.  When a
 * thread cannot be made, the others do its work. */
void bo__parallel_for(size_t threads, size_t turns, bo__parallel_body body, void *context);

/* Cores available to this process; at least 1. */
size_t bo__parallel_cores(void);

/* Threads for loops of so many turns when `asked` are wanted, 0 for one per core: no more than
 * have work, and not so many that making them could take the system's last; at least 1. */
size_t bo__parallel_threads(size_t asked, size_t turns);

#endif
