/* eval-models.c - the models that bo-eval looks at: files, or surrogates by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval.h"
#include "message.h"
#include "weights.h"

enum { ENSEMBLE = 5 };

bo_status bo__eval_name_model(void *target, const char *text, bo_message *message)
{
    bo__eval_models *m = target;
    if (m->count == BO_EVAL_MODELS)
        return bo__fail(message, BO_EINVAL, "at most %d models", BO_EVAL_MODELS);
    if (!*text)
        return bo__fail(message, BO_EINVAL, "a model has an empty name");
    m->text[m->count++] = text;
    return BO_OK;
}

void bo__eval_free(bo__eval_models *m)
{
    for (size_t i = 0; i < BO_EVAL_MODELS; i++) {
        bo__eval_model *e = m->model[i];
        for (size_t j = 0; e && j < e->count; j++) {
            bo__npmodel_free(&e->model[j]);
            free(e->theta[j]);
        }
        free(e);
        m->model[i] = NULL;
    }
}

bo__predictor bo__eval_predictor(const bo__eval_model *e)
{
    return (bo__predictor){.count = e->count, .models = e->models, .theta = e->thetas};
}

/* Adds the network of one file. */
static bo_status add_file(bo__eval_model *e, const char *path, const char *kind,
                          bo_message *message)
{
    if (e->count == BO_EVAL_MEMBERS)
        return bo__fail(message, BO_EINVAL, "%s: at most %d files in a mixture", e->text,
                        BO_EVAL_MEMBERS);
    size_t i = e->count;
    bo_status status = bo__npfile_load(path, kind, &e->model[i], &e->theta[i], &e->info, message);
    if (status)
        return status;
    e->models[i] = &e->model[i];
    e->thetas[i] = e->theta[i];
    e->count++;
    const bo__npspec *first = &e->model[0].spec, *spec = &e->model[i].spec;
    if (spec->dim_x != first->dim_x || spec->dim_y != first->dim_y)
        return bo__fail(message, BO_EINVAL, "%s: has other dimensions than the first file of %s",
                        path, e->text);
    return BO_OK;
}

static bo_status add_files(bo__eval_model *e, const char *kind, bo_message *message)
{
    char path[BO__WEIGHTS_PATH];
    for (const char *list = e->text;; list++) {
        size_t length = strcspn(list, ",");
        if (length == 0 || length >= sizeof path)
            return bo__fail(message, BO_EINVAL, "model '%.200s' has an empty file name", e->text);
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        bo_status status = add_file(e, path, kind, message);
        list += length;
        if (status || !*list)
            return status;
    }
}

/* "banp", "banp@paper", "cnp+de": into kind and variant; false when it is no surrogate. */
static bool split_name(const char *text, const char *variant, char kind[16], char chosen[64],
                       bool *ensemble)
{
    size_t length = strcspn(text, "@");
    if (length >= 16)
        return false;
    snprintf(kind, 16, "%.*s", (int)length, text);
    snprintf(chosen, 64, "%s", text[length] ? text + length + 1 : variant);
    char *plus = strchr(kind, '+');
    *ensemble = plus && !strcmp(plus, "+de");
    if (*ensemble)
        *plus = 0;
    return bo__nptype_find(kind) && *chosen;
}

static bo_status add_shipped(bo__eval_model *e, const char *kind, const char *variant,
                             bool ensemble, bo_message *message)
{
    char path[BO__WEIGHTS_PATH];
    bo_status status = BO_OK;
    for (size_t seed = 1; !status && seed <= (ensemble ? ENSEMBLE : 1); seed++) {
        bo__weights_key key = {.kind = kind, .variant = variant, .dim = 1, .seed = seed};
        status = bo__weights_find(&key, path, message);
        if (!status)
            status = add_file(e, path, NULL, message);
    }
    return status;
}

/* The file's own name, without folder and ending. */
static void file_title(const char *path, char *out, size_t room)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, room, "%s", slash ? slash + 1 : path);
    char *end = strstr(out, ".safetensors");
    if (end)
        *end = 0;
}

static bo_status ablate(bo__eval_model *e, const char *name, bo_message *message)
{
    for (size_t i = 0; name && i < e->count; i++) {
        bo_status status = bo__npablation_set(&e->model[i].spec, name, message);
        if (status)
            return status;
    }
    return BO_OK;
}

static bo_status load_one(bo__eval_model *e, const bo__eval_models *m, const char *variant,
                          bo_message *message)
{
    char kind[16], chosen[64];
    bool ensemble = false;
    bo_status status;
    if (access(e->text, F_OK) && split_name(e->text, variant, kind, chosen, &ensemble)) {
        status = add_shipped(e, kind, chosen, ensemble, message);
        snprintf(e->name, sizeof e->name, "%s%s@%.40s", kind, ensemble ? "+de" : "", chosen);
    } else {
        status = add_files(e, m->kind, message);
        file_title(e->text, e->name, sizeof e->name);
    }
    if (status)
        return status;
    snprintf(e->kind, sizeof e->kind, "%s%s", e->model[0].spec.type->name,
             e->count > 1 ? "+de" : "");
    return ablate(e, m->ablation, message);
}

static bo_status load_named(bo__eval_models *m, size_t i, const char *variant,
                            bo_message *message)
{
    bo__eval_model *e = m->model[i] = calloc(1, sizeof *e);
    if (!e)
        return bo__fail(message, BO_ENOMEM, "no memory for a model");
    e->text = m->text[i];
    return load_one(e, m, variant, message);
}

bo_status bo__eval_load(bo__eval_models *m, const char *variant, bo_message *message)
{
    static const char *const all[] = {"cnp",  "np",  "cnp+de",  "bnp",
                                      "canp", "anp", "canp+de", "banp"};
    bool any = m->count == 0;
    bo_status status = BO_OK;
    for (size_t i = 0; !any && !status && i < m->count; i++)
        status = load_named(m, i, variant, message);
    for (size_t i = 0; any && !status && i < sizeof all / sizeof *all; i++) {
        m->text[m->count] = all[i];
        status = load_named(m, m->count++, variant, message);
        if (status == BO_ENOMODEL) { /* there are no weights for this one */
            bo__eval_model *e = m->model[--m->count];
            for (size_t j = 0; e && j < e->count; j++) {
                bo__npmodel_free(&e->model[j]);
                free(e->theta[j]);
            }
            free(e);
            m->model[m->count] = NULL;
            status = BO_OK;
        }
    }
    if (!status && m->count == 0)
        return bo__fail(message, BO_ENOMODEL, "no weights of variant %s are found; name files "
                        "with --model", variant);
    return status;
}
