/* parameters.c - the named weights of a network, laid out in one flat array.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parameters.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turn.h"

#define ALIGN 16 /* floats: 64 bytes */

void bo__parameters_init(bo__parameters *set)
{
    *set = (bo__parameters){0};
}

void bo__parameters_free(bo__parameters *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->items[i].name);
    free(set->items);
    *set = (bo__parameters){0};
}

static char *joined(const char *prefix, const char *name)
{
    size_t length = strlen(prefix) + strlen(name) + 2;
    char *text = malloc(length);
    if (text)
        snprintf(text, length, "%s.%s", prefix, name);
    return text;
}

static bool make_room(bo__parameters *set)
{
    if (set->count < set->capacity)
        return true;
    size_t capacity = set->capacity ? 2 * set->capacity : 64;
    bo__parameter *items = realloc(set->items, capacity * sizeof *items);
    if (!items)
        return false;
    set->items = items;
    set->capacity = capacity;
    return true;
}

static bo__weight add(bo__parameters *set, const char *prefix, const char *name,
                      bo__parameter item)
{
    item.name = joined(prefix, name);
    item.offset = set->size;
    if (!item.name || !make_room(set)) {
        free(item.name);
        set->failed = true;
        return (bo__weight){0};
    }
    set->items[set->count++] = item;
    set->size += (item.rows * item.cols + ALIGN - 1) / ALIGN * ALIGN;
    return (bo__weight){item.offset, item.rows, item.cols, item.cols, item.offset, item.offset};
}

bo__weight bo__parameters_matrix(bo__parameters *set, const char *prefix, const char *name,
                                 size_t rows, size_t cols)
{
    return add(set, prefix, name,
               (bo__parameter){.dims = 2, .rows = rows, .cols = cols,
                               .bound = 1 / sqrtf((float)cols)});
}

bo__weight bo__parameters_bias(bo__parameters *set, const char *prefix, const char *name,
                               size_t rows, size_t fan_in)
{
    return add(set, prefix, name,
               (bo__parameter){.dims = 1, .rows = rows, .cols = 1,
                               .bound = 1 / sqrtf((float)fan_in)});
}

bo__weight bo__parameters_constant(bo__parameters *set, const char *prefix, const char *name,
                                   size_t rows, float value)
{
    return add(set, prefix, name,
               (bo__parameter){.dims = 1, .rows = rows, .cols = 1, .base = value});
}

const bo__parameter *bo__parameters_find(const bo__parameters *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].name, name))
            return &set->items[i];
    return NULL;
}

size_t bo__parameters_total(const bo__parameters *set)
{
    size_t total = 0;
    for (size_t i = 0; i < set->count; i++)
        total += set->items[i].rows * set->items[i].cols;
    return total;
}

void bo__parameters_start(const bo__parameters *set, uint64_t seed, float *theta)
{
    memset(theta, 0, set->size * sizeof *theta);
    for (size_t i = 0; i < set->count; i++) {
        const bo__parameter *p = &set->items[i];
        bo__rng rng;
        bo__rng_init(&rng, seed, "weights", i);
        for (size_t j = 0; j < p->rows * p->cols; j++)
            theta[p->offset + j] =
                p->base + p->bound * (float)(2 * bo__rng_uniform(&rng) - 1);
    }
}

void bo__parameters_turn(const bo__parameters *set, size_t index, const float *theta,
                         float *turned)
{
    const bo__parameter *p = &set->items[index];
    if (p->dims == 2)
        bo__turn(p->rows, p->cols, theta + p->offset, p->cols, turned + p->offset, p->rows);
}

void bo__parameters_pair(const bo__parameters *set, size_t index, const float *theta,
                         const float *turned, float *pairs, float *turned_pairs)
{
    const bo__parameter *p = &set->items[index];
    size_t at = p->offset;
    if (p->dims != 2)
        return;
    bo__matmul_pair(p->rows, p->cols, theta + at, p->cols, pairs + at);
    bo__matmul_pair(p->cols, p->rows, turned + at, p->rows, turned_pairs + at);
}

bo__weight bo__weight_columns(bo__weight w, size_t first, size_t count)
{
    assert(first + count <= w.cols && first % 2 == 0);
    return (bo__weight){w.offset + first, w.rows, count, w.stride, w.turned + first * w.rows,
                        w.turned_pairs + first / 2 * w.rows};
}
