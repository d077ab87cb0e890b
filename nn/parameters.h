/* parameters.h - the named weights of a network, laid out in one flat array.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The set holds names, shapes and places only; the numbers are in arrays of `size` float32 that
 * the caller owns: the weights themselves, their derivatives, Adam's moments, averages.  Each
 * parameter begins at a multiple of 16; the gaps between them stay 0.
 */
#ifndef BO_PARAMETERS_H
#define BO_PARAMETERS_H

#include "bo.h"
#include "rng.h"
#include "tape.h"

typedef struct bo__parameter {
    char *name;
    size_t dims;       /* 1: a vector of `rows`; 2: rows × cols */
    size_t rows, cols; /* cols is 1 for a vector */
    size_t offset;
    float base, bound; /* starts as base + U(-bound, bound) */
} bo__parameter;

typedef struct bo__parameters {
    size_t count, capacity;
    bo__parameter *items;
    size_t size;  /* floats in a flat array, gaps included */
    bool failed;  /* memory ran out while adding */
} bo__parameters;

void bo__parameters_init(bo__parameters *set);
void bo__parameters_free(bo__parameters *set);

/* Adds <prefix>.<name>.  A weight is rows × cols and starts as U(±1/√cols); a bias has `rows`
 * numbers and starts as U(±1/√fan_in); a constant starts as `value` everywhere. */
bo__weight bo__parameters_matrix(bo__parameters *set, const char *prefix, const char *name,
                                 size_t rows, size_t cols);
bo__weight bo__parameters_bias(bo__parameters *set, const char *prefix, const char *name,
                               size_t rows, size_t fan_in);
bo__weight bo__parameters_constant(bo__parameters *set, const char *prefix, const char *name,
                                   size_t rows, float value);

const bo__parameter *bo__parameters_find(const bo__parameters *set, const char *name);

/* Numbers in all parameters, without gaps. */
size_t bo__parameters_total(const bo__parameters *set);

/* Fills theta (size floats) with starting values: parameter i from the stream (seed, "weights",
 * i). */
void bo__parameters_start(const bo__parameters *set, uint64_t seed, float *theta);

/* Transposes parameter `index`, if it is a matrix, from theta to its place in `turned`. */
void bo__parameters_turn(const bo__parameters *set, size_t index, const float *theta,
                         float *turned);

/* And packs both for products, see bo__tape. */
void bo__parameters_pair(const bo__parameters *set, size_t index, const float *theta,
                         const float *turned, float *pairs, float *turned_pairs);

/* The block of `count` columns that begins at `first`, an even number. */
bo__weight bo__weight_columns(bo__weight w, size_t first, size_t count);

#endif
