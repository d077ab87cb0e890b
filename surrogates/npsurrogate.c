/* npsurrogate.c - neural processes behind the surrogate contract.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The posterior after n ≥ 1 observations is the mixture that the members' networks give; before
 * the first it is the training prior's marginal, N(0, r²) in the units of y.  Latent draws and
 * bootstrap resamples come from streams named by the handle's seed and n: they stay the same
 * until the next fit, and a repeated fit repeats them.
 */
#include "npsurrogate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "message.h"
#include "npfile.h"
#include "npposterior.h"
#include "npscale.h"
#include "weights.h"

#define SAMPLES 50
#define SAMPLES_MOST 10000
#define MEMBERS_MOST 100

typedef struct member {
    bo__npmodel model;
    float *theta;
    bo__npinfo info;
    bo__npposterior posterior;
} member;

typedef struct surrogate {
    size_t width, count;
    member *members;
    size_t samples;
    uint64_t seed;
    bo_rescale rescale;
    size_t n;
    bo__npunits prior; /* before the first observation */
} surrogate;

void bo__npsurrogate_free(void *self)
{
    surrogate *s = self;
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        bo__npposterior_free(&s->members[i].posterior);
        bo__npmodel_free(&s->members[i].model);
        free(s->members[i].theta);
    }
    free(s->members);
    free(s);
}

/* ---- create ---------------------------------------------------------------------------- */

static bo_status check_model(const char *path, const member *m, const char *kind, size_t width,
                             bo_message *message)
{
    const bo__npspec *spec = &m->model.spec;
    if (strcmp(spec->type->name, kind))
        return bo__fail(message, BO_EINVAL, "%.200s holds a %s, not a %s: use --surrogate %s", path,
                        spec->type->name, kind, spec->type->name);
    if (spec->dim_x != width)
        return bo__fail(message, BO_EINVAL,
                        "%.200s is for %zu input%s, this problem has %zu (a category counts as one "
                        "each): train one with bo-train --model %s --dim %zu", path, spec->dim_x,
                        spec->dim_x == 1 ? "" : "s", width, kind, width);
    if (spec->dim_y != 1)
        return bo__fail(message, BO_EINVAL, "%.200s predicts %zu values a point, a surrogate "
                        "one: train one with bo-train --model %s --dim %zu and a prior of one output, "
                        "such as rbf", path, spec->dim_y, kind, width);
    return BO_OK;
}

static bo_status load_member(surrogate *s, const char *path, const char *kind,
                             const bo_options *options, bo_message *message)
{
    member *m = &s->members[s->count];
    bo_status status = bo__npfile_load(path, options->kind ? options->kind : kind, &m->model,
                                       &m->theta, &m->info, message);
    if (status)
        return status;
    s->count++;
    bo__npposterior_init(&m->posterior, &m->model, m->theta);
    status = check_model(path, m, kind, s->width, message);
    return status || !options->ablation
               ? status
               : bo__npablation_set(&m->model.spec, options->ablation, message);
}

/* The files in options->model. */
static bo_status load_named(surrogate *s, const char *kind, const bo_options *options,
                            bo_message *message)
{
    char path[BO__WEIGHTS_PATH];
    for (const char *list = options->model;; list++) {
        size_t length = strcspn(list, ",");
        if (length == 0 || length >= sizeof path)
            return bo__fail(message, BO_EINVAL,
                            "model is '%.100s'; files with commas between them were expected",
                            options->model);
        if (s->count == MEMBERS_MOST)
            return bo__fail(message, BO_EINVAL, "an ensemble has at most %d members", MEMBERS_MOST);
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        bo_status status = load_member(s, path, kind, options, message);
        list += length;
        if (status || !*list)
            return status;
    }
}

static bo_status load_shipped(surrogate *s, const char *kind, size_t members,
                              const bo_options *options, bo_message *message)
{
    char path[BO__WEIGHTS_PATH];
    bo_status status = BO_OK;
    for (size_t i = 1; !status && i <= members; i++) {
        bo__weights_key key = {.kind = kind, .dim = s->width, .seed = i,
                               .variant = options->variant ? options->variant : "sharp"};
        status = bo__weights_find(&key, path, message);
        if (!status)
            status = load_member(s, path, kind, options, message);
    }
    return status;
}

bo_status bo__npsurrogate_create(void **self, const bo_setup *setup, const char *kind,
                                 size_t members, bo_message *message)
{
    const bo_options *options = setup->options;
    surrogate *s = *self = calloc(1, sizeof *s);
    if (s)
        s->members = calloc(MEMBERS_MOST, sizeof *s->members);
    bo_status status = BO_OK;
    if (!s || !s->members)
        status = bo__fail(message, BO_ENOMEM, "no memory for a surrogate");
    else if (options->samples > SAMPLES_MOST)
        status = bo__fail(message, BO_EINVAL, "samples is %zu; at most %d were expected",
                          options->samples, SAMPLES_MOST);
    if (!status) {
        s->width = setup->width;
        s->samples = options->samples ? options->samples : SAMPLES;
        s->seed = setup->seed;
        s->rescale = options->rescale;
        status = options->model ? load_named(s, kind, options, message)
                                : load_shipped(s, kind, members, options, message);
    }
    if (status) {
        bo__npsurrogate_free(s);
        *self = NULL;
    }
    return status;
}

/* ---- fit and queries ------------------------------------------------------------------- */

bo_status bo__npsurrogate_fit(void *self, const bo_data *data, bo_message *message)
{
    surrogate *s = self;
    bo_status status = BO_OK;
    s->n = data->n;
    s->prior = bo__npscale_units(data, &s->members[0].info, s->rescale);
    for (size_t i = 0; !status && data->n && i < s->count; i++) {
        member *m = &s->members[i];
        bo__npsampling sampling = {s->samples, s->seed, data->n * MEMBERS_MOST + i};
        status = bo__npposterior_fit(&m->posterior, data->n, data->u, data->z,
                                     bo__npscale_units(data, &m->info, s->rescale), sampling,
                                     message);
        if (!status && bo__npposterior_tabulate(&m->posterior, 0, 1))
            status = bo__fail(message, BO_ENOMEM, "no memory for a table of predictions");
    }
    if (status)
        s->n = 0;
    return status;
}

/* Components that a member has, or will have once there is data. */
static size_t member_components(const surrogate *s, size_t i)
{
    const bo__npspec *spec = &s->members[i].model.spec;
    bool many = spec->type->latent || spec->type->bootstrap || spec->ablation == BO_ABLATE_NAIVE;
    return many ? s->samples : 1;
}

size_t bo__npsurrogate_components(const void *self)
{
    const surrogate *s = self;
    size_t K = 0;
    for (size_t i = 0; i < s->count; i++)
        K += member_components(s, i);
    return K;
}

size_t bo__npsurrogate_workspace(const void *self, size_t m)
{
    const surrogate *s = self;
    size_t bytes = 64;
    for (size_t i = 0; s->n && i < s->count; i++)
        bytes += bo__npposterior_workspace(&s->members[i].posterior, m);
    return bytes;
}

static void predict_prior(const surrogate *s, size_t size, double *mean, double *sd)
{
    for (size_t i = 0; i < size; i++) {
        mean[i] = s->prior.y_shift;
        sd[i] = s->prior.y_scale * s->members[0].info.y_scale;
    }
}

bo_status bo__npsurrogate_predict(const void *self, size_t m, const double *u, double *mean,
                                  double *sd, void *work)
{
    const surrogate *s = self;
    size_t K = bo__npsurrogate_components(s), first = 0;
    char *place = work;
    bo_status status = BO_OK;
    if (s->n == 0)
        predict_prior(s, m * K, mean, sd);
    for (size_t i = 0; s->n && !status && i < s->count; i++) {
        const bo__npposterior *p = &s->members[i].posterior;
        status = bo__npposterior_at(p, m, u, K, mean + first, sd + first, place);
        place += bo__npposterior_workspace(p, m);
        first += p->components;
    }
    return status;
}

bo_status bo__npsurrogate_pullback(const void *self, size_t m, const double *u,
                                   const double *dmean, const double *dsd, double *du, void *work)
{
    const surrogate *s = self;
    size_t K = bo__npsurrogate_components(s), first = 0;
    char *place = work;
    bo_status status = BO_OK;
    memset(du, 0, m * s->width * sizeof *du);
    for (size_t i = 0; s->n && !status && i < s->count; i++) {
        const bo__npposterior *p = &s->members[i].posterior;
        status = bo__npposterior_pullback(p, m, u, K, dmean + first, dsd + first, du, place);
        place += bo__npposterior_workspace(p, m);
        first += p->components;
    }
    return status;
}

/* ---- the six types --------------------------------------------------------------------- */

#define CREATE(kind)                                                                             \
    static bo_status create_##kind(void **self, const bo_setup *setup, bo_message *message)      \
    {                                                                                            \
        return bo__npsurrogate_create(self, setup, #kind, 1, message);                           \
    }
CREATE(cnp)
CREATE(np)
CREATE(bnp)
CREATE(canp)
CREATE(anp)
CREATE(banp)

const bo_surrogate_type bo__surrogate_cnp =
    BO__NPSURROGATE("cnp", "conditional neural process", create_cnp);
const bo_surrogate_type bo__surrogate_np =
    BO__NPSURROGATE("np", "neural process with a latent variable", create_np);
const bo_surrogate_type bo__surrogate_bnp =
    BO__NPSURROGATE("bnp", "bootstrapping neural process", create_bnp);
const bo_surrogate_type bo__surrogate_canp =
    BO__NPSURROGATE("canp", "conditional attentive neural process", create_canp);
const bo_surrogate_type bo__surrogate_anp =
    BO__NPSURROGATE("anp", "attentive neural process with a latent variable", create_anp);
const bo_surrogate_type bo__surrogate_banp =
    BO__NPSURROGATE("banp", "bootstrapping attentive neural process", create_banp);
