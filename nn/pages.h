/* pages.h - memory for what is gone through again and again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A network and the numbers of a group of tasks take several megabytes.  In pages of 4 kB the CPU
 * forgets where they are, and products wait for their numbers; in pages of 2 MB it does not.
 */
#ifndef BO_PAGES_H
#define BO_PAGES_H

#include <stddef.h>

/* Memory aligned to 64 bytes, not cleared, for free(); in large pages if it is large and the
 * system has such pages.  NULL when there is no memory left. */
void *bo__pages_new(size_t size);

/* The same for floats, all zero up to the next multiple of sixteen. */
float *bo__pages_zeros(size_t count);

#endif
