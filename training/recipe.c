/* recipe.c - how to train: numbers that go together, by name and kind of model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * paper  Lee et al. (2020): ten million tasks.
 * fast   the best that doc/TRAINING.md found for equal numbers of tasks: Muon at a high rate with a
 *        warm-up, in small batches whose groups have sizes of their own.  A million tasks.
 */
#include "recipe.h"

#include <string.h>

const char *const bo__recipe_names[] = {"fast", "paper", NULL};

/* fast with 10 tasks a step. */
#define FAST_10(model)                                                                           \
    {.name = "fast", .kind = model, .steps = 100000, .batch = 10, .warmup = 400,                 \
     .group_sizes = true, .rate = 4e-3, .optimizer = BO__OPTIMIZER_MUON}

static const bo__recipe table[] = {
    FAST_10("canp"),
    FAST_10("anp"),
    FAST_10("banp"),
    {.name = "fast", .kind = NULL, .steps = 40000, .batch = 25, .warmup = 400,
     .group_sizes = true, .rate = 4e-3, .optimizer = BO__OPTIMIZER_MUON},
    {.name = "paper", .kind = NULL, .steps = 100000, .batch = 100, .rate = 5e-4},
};

const bo__recipe *bo__recipe_find(const char *name, const char *kind)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name) && (!table[i].kind || !strcmp(table[i].kind, kind)))
            return &table[i];
    return NULL;
}

void bo__recipe_apply(const bo__recipe *r, bo__train_options *o)
{
    o->adam = (bo__adam_options){.rate = r->rate, .weight_decay = r->weight_decay,
                                 .clip = r->clip, .average = r->average, .warmup = r->warmup,
                                 .steps = r->steps};
    o->batch = r->batch;
    o->group_sizes = r->group_sizes;
    o->optimizer = r->optimizer;
}
