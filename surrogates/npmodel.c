/* npmodel.c - the neural processes: their table and what they share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "npmodel.h"

#include <string.h>

#include "lanes.h"
#include "message.h"

static const bo__nptype *const table[] = {
    &bo__nptype_cnp,  &bo__nptype_np,  &bo__nptype_bnp,
    &bo__nptype_canp, &bo__nptype_anp, &bo__nptype_banp,
};

const bo__nptype *bo__nptype_at(size_t i)
{
    return i < sizeof table / sizeof *table ? table[i] : NULL;
}

const bo__nptype *bo__nptype_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i]->name, name))
            return table[i];
    return NULL;
}

bo__npspec bo__npspec_usual(const bo__nptype *type)
{
    return (bo__npspec){.type = type, .dim_x = 1, .dim_y = 1, .width = 128, .heads = 8,
                        .sigma_floor = 0.1f};
}

bo_status bo__npablation_set(bo__npspec *spec, const char *name, bo_message *message)
{
    static const char *const names[] = {
        [BO_ABLATE_NOTHING] = "none",          [BO_ABLATE_PAIRED] = "paired",
        [BO_ABLATE_ADAPTATION] = "adaptation", [BO_ABLATE_BASE_LOSS] = "base-loss",
        [BO_ABLATE_NAIVE] = "naive",
    };
    size_t which = 0, count = sizeof names / sizeof *names;
    while (which < count && strcmp(names[which], name))
        which++;
    if (which == count)
        return bo__fail(message, BO_EINVAL, "ablation '%.40s' is not one of none, paired, "
                        "adaptation, base-loss, naive", name);
    bool naive = which == BO_ABLATE_NAIVE, plain = !spec->type->latent && !spec->type->bootstrap;
    if (which && (naive ? !plain : !spec->type->bootstrap))
        return bo__fail(message, BO_EINVAL, "ablation %s is one of %s, not of %s", name,
                        naive ? "cnp and canp" : "bnp and banp", spec->type->name);
    if (spec->ablation == BO_ABLATE_ADAPTATION && which != BO_ABLATE_ADAPTATION)
        return bo__fail(message, BO_EINVAL, "the model was trained without the adaptation layer: "
                        "ablation %s cannot be had from it", name);
    spec->ablation = (bo__ablation)which;
    return BO_OK;
}

static bo_status check(const bo__npspec *s, bo_message *message)
{
    if (s->dim_x < 1 || s->dim_x > 1000 || s->dim_y < 1 || s->dim_y > 1000)
        return bo__fail(message, BO_EINVAL, "a model has 1 to 1000 inputs and outputs, not %zu and %zu",
                        s->dim_x, s->dim_y);
    if (s->width < 16 || s->width > 4096 || s->heads < 1 || s->width % s->heads ||
        s->width / s->heads % BO__LANES)
        return bo__fail(message, BO_EINVAL,
                        "width %zu must be heads (%zu) times a multiple of 16, at most 4096",
                        s->width, s->heads);
    if (!(s->sigma_floor > 0 && s->sigma_floor < 1))
        return bo__fail(message, BO_EINVAL, "the sigma floor must be between 0 and 1, not %g",
                        (double)s->sigma_floor);
    bool about_boot = s->ablation == BO_ABLATE_PAIRED || s->ablation == BO_ABLATE_ADAPTATION ||
                      s->ablation == BO_ABLATE_BASE_LOSS;
    if (about_boot && !s->type->bootstrap)
        return bo__fail(message, BO_EINVAL, "this ablation is one of bnp and banp, not of %s",
                        s->type->name);
    if (s->ablation == BO_ABLATE_NAIVE && (s->type->bootstrap || s->type->latent))
        return bo__fail(message, BO_EINVAL, "the naive bootstrap is one of cnp and canp, not of %s",
                        s->type->name);
    return BO_OK;
}

bo_status bo__npmodel_init(bo__npmodel *model, const bo__npspec *spec, bo_message *message)
{
    *model = (bo__npmodel){.spec = *spec};
    bo__parameters_init(&model->set);
    bo_status status = check(spec, message);
    if (status)
        return status;
    const bo__nptype *type = spec->type;
    size_t h = spec->width;
    bo__widths w = {.pair = spec->dim_x + spec->dim_y, .x = spec->dim_x, .y = spec->dim_y,
                    .hidden = h, .heads = spec->heads, .pre_norm = spec->pre_norm};
    const char *first = type->latent ? "denc" : "enc1", *second = type->latent ? "lenc" : "enc2";
    if (type->attention)
        bo__cross_init(&model->cross, &model->set, first, w);
    else
        bo__pooling_init(&model->pool1, &model->set, first, w, false, h);
    bo__pooling_init(&model->pool2, &model->set, second, w, type->attention,
                     type->latent ? 2 * h : h);
    bo__decoder_init(&model->dec, &model->set, "dec", w,
                     type->bootstrap && spec->ablation != BO_ABLATE_ADAPTATION);
    if (!model->set.failed)
        return BO_OK;
    bo__npmodel_free(model);
    return bo__fail(message, BO_ENOMEM, "no memory for the model");
}

void bo__npmodel_free(bo__npmodel *model)
{
    bo__parameters_free(&model->set);
}

bo__deviation bo__npmodel_sigma(const bo__npmodel *model)
{
    return (bo__deviation){.floor = model->spec.sigma_floor};
}

bo__tensor *bo__npfeatures(bo__tape *tape, const bo__npmodel *model, bo__tensor *x)
{
    return model->spec.type->attention ? bo__cross_features(tape, &model->cross, x) : NULL;
}

bo__npcontext bo__npbatch_context(bo__tape *tape, const bo__npbatch *batch, bo__tensor *features)
{
    size_t n = batch->context;
    return (bo__npcontext){.x = bo__slice(tape, batch->x, 0, n),
                           .y = bo__slice(tape, batch->y, 0, n),
                           .features = features ? bo__slice(tape, features, 0, n) : NULL,
                           .samples = batch->samples,
                           .noise = batch->noise,
                           .pairs = batch->pairs,
                           .residuals = batch->residuals};
}
