/* recipe.h - how to train: numbers that go together, by name and kind of model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_RECIPE_H
#define BO_RECIPE_H

#include "train.h"

typedef struct bo__recipe {
    const char *name;
    const char *kind; /* of the model; NULL: all that no row before names */
    size_t steps, batch, warmup;
    bool group_sizes;
    double rate, clip, average, weight_decay;
    bo__optimizer optimizer;
} bo__recipe;

/* A list with NULL at its end; the first is the default. */
extern const char *const bo__recipe_names[];

/* The recipe for a kind of model; NULL: there is none of this name. */
const bo__recipe *bo__recipe_find(const char *name, const char *kind);

/* Sets what the recipe speaks of, and leaves the rest. */
void bo__recipe_apply(const bo__recipe *recipe, bo__train_options *options);

#endif
