/* arena.h - memory that is taken piece by piece and given back all at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pieces are aligned to 64 bytes and never move.  An arena grows by whole blocks; resetting it
 * keeps the blocks, so that a loop that needs the same memory each time allocates only once.
 */
#ifndef BO_ARENA_H
#define BO_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bo__arena_block bo__arena_block;

typedef struct bo__arena {
    bo__arena_block *first, *current;
    size_t used;   /* bytes taken from the current block */
    size_t taken;  /* bytes of all pieces, each rounded up to 64 */
    bool borrowed; /* one block of the caller's, which does not grow */
} bo__arena;

/* A place to come back to. */
typedef struct bo__arena_mark {
    bo__arena_block *block;
    size_t used, taken;
} bo__arena_mark;

void bo__arena_init(bo__arena *arena);

/* An arena of fixed size in the caller's memory (aligned to 64), which it never frees. */
void bo__arena_init_fixed(bo__arena *arena, void *memory, size_t size);
void bo__arena_free(bo__arena *arena);

/* At least size bytes, not cleared; NULL when there is no memory left. */
void *bo__arena_take(bo__arena *arena, size_t size);

bo__arena_mark bo__arena_here(const bo__arena *arena);
void bo__arena_return(bo__arena *arena, bo__arena_mark mark); /* gives back all taken since */
void bo__arena_reset(bo__arena *arena);

/* Bytes of overhead that a fixed arena needs beside its pieces, each rounded up to 64. */
#define BO__ARENA_OVERHEAD 64

#endif
