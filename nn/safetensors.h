/* safetensors.h - weight files: named float32 tensors and a map of texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The format (safetensors, version 1): eight bytes with the little-endian length of the header,
 * the header in JSON, {"name": {"dtype": "F32", "shape": […], "data_offsets": [begin, end]}, …,
 * "__metadata__": {"key": "text", …}}, then the numbers.
 *
 * The reader trusts nothing: whatever is wrong with a file, it says which and where.
 */
#ifndef BO_SAFETENSORS_H
#define BO_SAFETENSORS_H

#include "bo.h"

/* Most sides a tensor may have, and the largest header and file that are read. */
#define BO__STORED_DIMS 4
#define BO__STORED_HEADER ((size_t)16 << 20)
#define BO__STORED_FILE ((size_t)1 << 30)

typedef struct bo__stored {
    const char *name;
    size_t dims, shape[BO__STORED_DIMS];
    size_t size;        /* product of the sides */
    const float *data;  /* for the writer; the reader leaves it NULL */
    size_t begin;       /* for the reader: byte in the file */
} bo__stored;

typedef struct bo__text_pair {
    const char *key, *text;
} bo__text_pair;

typedef struct bo__safetensors {
    size_t count;
    bo__stored *tensors;
    size_t texts;
    bo__text_pair *text;
    unsigned char *bytes; /* the file */
    size_t length;
} bo__safetensors;

/* Reads and checks all of the file.  BO_EIO: it cannot be read; BO_EFORMAT: it is not right. */
bo_status bo__safetensors_read(bo__safetensors **out, const char *path, bo_message *message);

/* The same for bytes in memory, which are copied; `path` names them in messages. */
bo_status bo__safetensors_parse(bo__safetensors **out, const char *path, const void *bytes,
                                size_t length, bo_message *message);
void bo__safetensors_free(bo__safetensors *file); /* takes NULL */

const bo__stored *bo__safetensors_find(const bo__safetensors *file, const char *name);
const char *bo__safetensors_text(const bo__safetensors *file, const char *key); /* NULL: none */
void bo__safetensors_copy(const bo__safetensors *file, const bo__stored *tensor, float *out);

/* Writes a file in one step: a crash leaves the old one or the new one, whole. */
bo_status bo__safetensors_write(const char *path, size_t count, const bo__stored *tensors,
                                size_t texts, const bo__text_pair *text, bo_message *message);

/* Removes what processes that were killed while they wrote `path` left beside it. */
void bo__safetensors_sweep(const char *path);

#endif
