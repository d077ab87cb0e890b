/* arena.c - memory that is taken piece by piece and given back all at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Blocks form a list, in the order in which they were made; the ones behind the current block are
 * empty and waiting.
 */
#include "arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "pages.h"

/* The least size of a block: a micro-batch of the largest model fits in a few of them. */
#define BLOCK ((size_t)4 << 20)

struct bo__arena_block {
    bo__arena_block *next;
    size_t size; /* of the whole block; pieces begin at byte BO__ARENA_OVERHEAD */
};

static_assert(sizeof(bo__arena_block) <= BO__ARENA_OVERHEAD, "the head of a block fits");

void bo__arena_init(bo__arena *arena)
{
    *arena = (bo__arena){0};
}

void bo__arena_init_fixed(bo__arena *arena, void *memory, size_t size)
{
    assert((uintptr_t)memory % 64 == 0);
    *arena = (bo__arena){.borrowed = true};
    if (size < BO__ARENA_OVERHEAD)
        return;
    arena->first = arena->current = memory;
    *arena->first = (bo__arena_block){.size = size};
    arena->used = BO__ARENA_OVERHEAD;
}

void bo__arena_free(bo__arena *arena)
{
    if (!arena->borrowed)
        for (bo__arena_block *b = arena->first, *next; b; b = next) {
            next = b->next;
            free(b);
        }
    *arena = (bo__arena){0};
}

static bo__arena_block *add_block(bo__arena *arena, size_t size)
{
    size_t all = size + BO__ARENA_OVERHEAD > BLOCK ? size + BO__ARENA_OVERHEAD : BLOCK;
    bo__arena_block *b = bo__pages_new(all);
    if (!b)
        return NULL;
    *b = (bo__arena_block){.size = all};
    if (arena->current) {
        b->next = arena->current->next;
        arena->current->next = b;
    } else
        arena->first = b;
    return b;
}

void *bo__arena_take(bo__arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 63) / 64 * 64;
    bo__arena_block *b = arena->current;
    if (!b || b->size - arena->used < size) {
        if (arena->borrowed)
            return NULL;
        bo__arena_block *next = b ? b->next : arena->first;
        if (!next || next->size - BO__ARENA_OVERHEAD < size)
            next = add_block(arena, size);
        if (!next)
            return NULL;
        arena->current = b = next;
        arena->used = BO__ARENA_OVERHEAD;
    }
    void *piece = (char *)b + arena->used;
    arena->used += size;
    arena->taken += size;
    return piece;
}

bo__arena_mark bo__arena_here(const bo__arena *arena)
{
    return (bo__arena_mark){arena->current, arena->used, arena->taken};
}

void bo__arena_return(bo__arena *arena, bo__arena_mark mark)
{
    arena->current = mark.block ? mark.block : arena->first;
    arena->used = mark.block ? mark.used : BO__ARENA_OVERHEAD;
    arena->taken = mark.taken;
}

void bo__arena_reset(bo__arena *arena)
{
    bo__arena_return(arena, (bo__arena_mark){0});
}
