/* np-weights.h - small neural processes with random weights, in memory and in files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_NP_WEIGHTS_H
#define BO_NP_WEIGHTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "npfile.h"

/* A model of the kind, 32 wide with 2 heads: the smallest with more than one head. */
static inline bo__npspec small_spec(const char *kind, size_t dim_x, size_t dim_y)
{
    bo__npspec spec = bo__npspec_usual(bo__nptype_find(kind));
    spec.dim_x = dim_x;
    spec.dim_y = dim_y;
    spec.width = 32;
    spec.heads = 2;
    spec.sigma_floor = 0.01f;
    return spec;
}

/* Starting weights made larger, so that outputs depend on inputs visibly; norms away from 1. */
static inline float *random_weights(const bo__npmodel *model, uint64_t seed)
{
    size_t size = model->set.size;
    float *theta = aligned_alloc(64, (size + 15) / 16 * 64);
    bo__parameters_start(&model->set, seed, theta);
    bo__rng rng;
    bo__rng_init(&rng, seed, "test", 0);
    for (size_t i = 0; i < size; i++)
        theta[i] *= theta[i] == 1 ? 1 + 0.2f * (float)bo__rng_normal(&rng) : 1.5f;
    return theta;
}

/* Writes a model to folder/name.safetensors. */
static inline void write_model(const char *folder, const char *name, const bo__npspec *spec,
                               uint64_t seed)
{
    char path[4200];
    bo__npmodel model;
    bo__npinfo info;
    assert_int_equal(bo__npmodel_init(&model, spec, NULL), BO_OK);
    float *theta = random_weights(&model, seed);
    bo__npinfo_init(&info);
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, name);
    assert_int_equal(bo__npfile_save(path, &model, theta, &info, NULL), BO_OK);
    free(theta);
    bo__npmodel_free(&model);
}

/* A new folder, made the only one in which weights are found first. */
static inline char *new_models_folder(void)
{
    static char folder[256];
    const char *top = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/bo-models-XXXXXX", top ? top : "/tmp");
    assert_non_null(mkdtemp(folder));
    setenv("BO_MODELS", folder, 1);
    return folder;
}

static inline void remove_folder(const char *folder)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

#endif
