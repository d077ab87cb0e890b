/* pages.c - memory for what is gone through again and again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE ((size_t)2 << 20)
/* What is smaller is not worth a page of its own. */
#define LEAST (LARGE / 4)

void *bo__pages_new(size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= LEAST) {
        size_t all = (size + LARGE - 1) / LARGE * LARGE;
        void *memory = aligned_alloc(LARGE, all);
        if (memory)
            (void)madvise(memory, all, MADV_HUGEPAGE); /* refused: small pages do */
        return memory;
    }
#endif
    return aligned_alloc(64, size ? (size + 63) / 64 * 64 : 64);
}

float *bo__pages_zeros(size_t count)
{
    if (count > SIZE_MAX / 4 - 16)
        return NULL;
    size_t bytes = (count + 15) / 16 * 64;
    float *x = bo__pages_new(bytes);
    if (x)
        memset(x, 0, bytes);
    return x;
}
