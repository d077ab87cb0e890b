/* npfile.c - neural processes in weight files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "npfile.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "pages.h"
#include "safetensors.h"

#define FORMAT "bo neural process 1"

void bo__npinfo_init(bo__npinfo *info)
{
    *info = (bo__npinfo){.x_lower = -2, .x_upper = 2, .y_scale = sqrt(0.37)};
}

/* ---- writing --------------------------------------------------------------------------- */

enum { TEXTS = 24, ROOM = 40 };

/* Metadata under construction: numbers are printed into room of their own. */
typedef struct notes {
    size_t count;
    bo__text_pair pair[TEXTS];
    char room[TEXTS][ROOM];
} notes;

static void note(notes *n, const char *key, const char *text)
{
    n->pair[n->count++] = (bo__text_pair){key, text};
}

static void note_number(notes *n, const char *key, double value)
{
    snprintf(n->room[n->count], ROOM, "%.9g", value);
    note(n, key, n->room[n->count]);
}

static void note_integer(notes *n, const char *key, uint64_t value)
{
    snprintf(n->room[n->count], ROOM, "%llu", (unsigned long long)value);
    note(n, key, n->room[n->count]);
}

static const char *depths_of(const bo__nptype *type)
{
    return type->attention ? "2,2" : "4,2";
}

static void describe(notes *n, const bo__npspec *spec, const bo__npinfo *info)
{
    note(n, "format", FORMAT);
    note(n, "kind", spec->type->name);
    note_integer(n, "dim_x", spec->dim_x);
    note_integer(n, "dim_y", spec->dim_y);
    note_integer(n, "width", spec->width);
    note_integer(n, "latent", spec->width);
    note_integer(n, "heads", spec->heads);
    note(n, "depths", depths_of(spec->type));
    note_number(n, "sigma_floor", spec->sigma_floor);
    note_integer(n, "ablation", (uint64_t)spec->ablation);
    if (spec->pre_norm)
        note(n, "norm", "pre");
    note_number(n, "x_lower", info->x_lower);
    note_number(n, "x_upper", info->x_upper);
    note_number(n, "y_scale", info->y_scale);
    note(n, "scaling", info->standardised ? "context" : "none");
    note_integer(n, "steps", info->steps);
    note_integer(n, "batch", info->batch);
    note_integer(n, "seed", info->seed);
    note(n, "prior", info->prior);
    note(n, "training", info->training);
}

bo_status bo__npfile_save(const char *path, const bo__npmodel *model, const float *theta,
                          const bo__npinfo *info, bo_message *message)
{
    const bo__parameters *set = &model->set;
    bo__stored *tensors = calloc(set->count, sizeof *tensors);
    notes *n = calloc(1, sizeof *n);
    bo_status status = BO_ENOMEM;
    if (tensors && n) {
        for (size_t i = 0; i < set->count; i++) {
            const bo__parameter *p = &set->items[i];
            tensors[i] = (bo__stored){.name = p->name, .dims = p->dims,
                                      .shape = {p->rows, p->cols}, .size = p->rows * p->cols,
                                      .data = theta + p->offset};
        }
        describe(n, &model->spec, info);
        status = bo__safetensors_write(path, set->count, tensors, n->count, n->pair, message);
    } else
        bo__fail(message, status, "%s: no memory to write it", path);
    free(tensors);
    free(n);
    return status;
}

/* ---- reading --------------------------------------------------------------------------- */

typedef struct reader {
    const bo__safetensors *file;
    const char *path;
    bo_message *message;
} reader;

static bo_status bad_text(reader *r, const char *key, const char *text)
{
    return bo__fail(r->message, BO_EFORMAT, "%s: metadata '%s' is '%.60s', which is no value for it",
                    r->path, key, text);
}

/* A number of the metadata; left alone when it is not there. */
static bo_status number(reader *r, const char *key, double *value)
{
    const char *text = bo__safetensors_text(r->file, key);
    char *end;
    if (!text)
        return BO_OK;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v))
        return bad_text(r, key, text);
    *value = v;
    return BO_OK;
}

static bo_status integer(reader *r, const char *key, uint64_t *value)
{
    const char *text = bo__safetensors_text(r->file, key);
    char *end;
    if (!text)
        return BO_OK;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (end == text || *end || errno || *text < '0' || *text > '9')
        return bad_text(r, key, text);
    *value = v;
    return BO_OK;
}

static bo_status size(reader *r, const char *key, size_t *value)
{
    uint64_t v = *value;
    bo_status status = integer(r, key, &v);
    if (!status && v > SIZE_MAX / 2)
        return bad_text(r, key, bo__safetensors_text(r->file, key));
    *value = (size_t)v;
    return status;
}

static void text_of(reader *r, const char *key, char *out)
{
    const char *text = bo__safetensors_text(r->file, key);
    snprintf(out, BO__NPFILE_TEXT, "%s", text ? text : "");
}

static bo_status read_scaling(reader *r, bo__npinfo *info)
{
    const char *text = bo__safetensors_text(r->file, "scaling");
    info->standardised = text && !strcmp(text, "context");
    return text && !info->standardised && strcmp(text, "none") ? bad_text(r, "scaling", text)
                                                               : BO_OK;
}

/* What the networks get in float32 was divided by it, and so must float32 hold it in full. */
static bool is_scale(double value)
{
    return value >= FLT_MIN && value <= FLT_MAX;
}

static bo_status read_info(reader *r, bo__npinfo *info)
{
    bo__npinfo_init(info);
    bo_status status = read_scaling(r, info);
    if (!status)
        status = number(r, "x_lower", &info->x_lower);
    if (!status)
        status = number(r, "x_upper", &info->x_upper);
    if (!status)
        status = number(r, "y_scale", &info->y_scale);
    if (!status)
        status = size(r, "steps", &info->steps);
    if (!status)
        status = size(r, "batch", &info->batch);
    if (!status)
        status = integer(r, "seed", &info->seed);
    if (!status && !(is_scale(info->x_upper - info->x_lower) && is_scale(info->y_scale) &&
                     (float)info->x_lower < (float)info->x_upper))
        status = bo__fail(r->message, BO_EFORMAT,
                          "%s: metadata x_lower, x_upper, y_scale make no sense: %g, %g, %g",
                          r->path, info->x_lower, info->x_upper, info->y_scale);
    text_of(r, "prior", info->prior);
    text_of(r, "training", info->training);
    return status;
}

/* Without metadata: the dimensions are those of the decoder's tensors. */
static bo_status guess_spec(reader *r, const bo__nptype *type, bo__npspec *spec)
{
    *spec = bo__npspec_usual(type);
    const bo__stored *fc = bo__safetensors_find(r->file, "dec.fc.weight");
    const bo__stored *last = bo__safetensors_find(r->file, "dec.mlp.3.weight");
    if (!fc || fc->dims != 2 || !last || last->dims != 2)
        return bo__fail(r->message, BO_EFORMAT, "%s: has no tensors dec.fc.weight and "
                        "dec.mlp.3.weight: no neural process", r->path);
    if (fc->shape[1] <= 2 * fc->shape[0])
        return bo__fail(r->message, BO_EFORMAT, "%s: tensor 'dec.fc.weight' has a wrong shape",
                        r->path);
    spec->width = fc->shape[0];
    spec->dim_x = fc->shape[1] - 2 * fc->shape[0];
    spec->dim_y = last->shape[0] / 2;
    return BO_OK;
}

static bo_status read_spec(reader *r, const char *kind, bo__npspec *spec)
{
    const char *format = bo__safetensors_text(r->file, "format");
    const char *stored = bo__safetensors_text(r->file, "kind");
    if (format && strcmp(format, FORMAT))
        return bo__fail(r->message, BO_EFORMAT, "%s: is a '%.40s', not a '%s'", r->path, format,
                        FORMAT);
    if (!stored && !kind)
        return bo__fail(r->message, BO_EINVAL,
                        "%s: does not say which kind of model it is; say it with --kind", r->path);
    if (stored && kind && strcmp(stored, kind))
        return bo__fail(r->message, BO_EINVAL, "%s: holds a %.40s, not a %.40s: use --surrogate "
                        "%.40s, or --kind %.40s in bo-eval", r->path, stored, kind, stored, stored);
    const bo__nptype *type = bo__nptype_find(stored ? stored : kind);
    if (!type)
        return bo__fail(r->message, stored ? BO_EFORMAT : BO_EINVAL,
                        "%s: kind '%.40s' is not one of cnp, np, bnp, canp, anp, banp", r->path,
                        stored ? stored : kind);
    bo_status status = guess_spec(r, type, spec);
    double floor = spec->sigma_floor;
    size_t ablation = 0;
    if (!status)
        status = size(r, "heads", &spec->heads);
    if (!status)
        status = number(r, "sigma_floor", &floor);
    if (!status)
        status = size(r, "ablation", &ablation);
    if (!status && ablation > BO_ABLATE_NAIVE)
        status = bad_text(r, "ablation", bo__safetensors_text(r->file, "ablation"));
    const char *norm = bo__safetensors_text(r->file, "norm");
    if (!status && norm && strcmp(norm, "pre") && strcmp(norm, "post"))
        status = bad_text(r, "norm", norm);
    spec->pre_norm = norm && !strcmp(norm, "pre");
    spec->sigma_floor = (float)floor;
    spec->ablation = (bo__ablation)ablation;
    return status;
}

static bo_status check_tensor(reader *r, const bo__parameter *p, const bo__stored **found)
{
    const bo__stored *t = bo__safetensors_find(r->file, p->name);
    if (!t)
        return bo__fail(r->message, BO_EFORMAT, "%s: tensor '%s' is missing", r->path, p->name);
    if (t->dims != p->dims || t->shape[0] != p->rows || (p->dims == 2 && t->shape[1] != p->cols))
        return bo__fail(r->message, BO_EFORMAT, "%s: tensor '%s' must be %zu%s%.0zu, but is not",
                        r->path, p->name, p->rows, p->dims == 2 ? " by " : " numbers",
                        p->dims == 2 ? p->cols : 0);
    *found = t;
    return BO_OK;
}

static bo_status read_weights(reader *r, const bo__npmodel *model, float *theta)
{
    const bo__parameters *set = &model->set;
    for (size_t i = 0; i < set->count; i++) {
        const bo__stored *t = NULL;
        bo_status status = check_tensor(r, &set->items[i], &t);
        if (status)
            return status;
        float *to = theta + set->items[i].offset;
        bo__safetensors_copy(r->file, t, to);
        for (size_t j = 0; j < t->size; j++)
            if (!isfinite(to[j]))
                return bo__fail(r->message, BO_EFORMAT, "%s: tensor '%s' holds %g", r->path,
                                t->name, (double)to[j]);
    }
    for (size_t i = 0; i < r->file->count; i++)
        if (!bo__parameters_find(set, r->file->tensors[i].name))
            return bo__fail(r->message, BO_EFORMAT, "%s: tensor '%.80s' is not one of a %s",
                            r->path, r->file->tensors[i].name, model->spec.type->name);
    return BO_OK;
}

/* Metadata that say again what the tensors do must say the same. */
static bo_status check_sizes(reader *r, const bo__npspec *spec)
{
    const struct {
        const char *key;
        size_t is;
    } sizes[] = {{"dim_x", spec->dim_x}, {"dim_y", spec->dim_y}, {"width", spec->width},
                 {"latent", spec->width}};
    const char *depths = bo__safetensors_text(r->file, "depths"), *right = depths_of(spec->type);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t said = sizes[i].is;
        bo_status status = size(r, sizes[i].key, &said);
        if (status)
            return status;
        if (said != sizes[i].is)
            return bo__fail(r->message, BO_EFORMAT, "%s: metadata '%s' is %zu, but the tensors are "
                            "those of %zu", r->path, sizes[i].key, said, sizes[i].is);
    }
    if (depths && strcmp(depths, right))
        return bo__fail(r->message, BO_EFORMAT, "%s: metadata 'depths' is '%.40s', but the tensors "
                        "are those of '%s'", r->path, depths, right);
    return BO_OK;
}

static bo_status load(reader *r, const char *kind, bo__npmodel *model, float **theta,
                      bo__npinfo *info)
{
    bo__npspec spec;
    bo__npinfo ignored;
    bo_message detail;
    bo_status status = read_spec(r, kind, &spec);
    if (!status)
        status = read_info(r, info ? info : &ignored);
    if (status)
        return status;
    status = bo__npmodel_init(model, &spec, &detail);
    if (status)
        return bo__fail(r->message, status == BO_EINVAL ? BO_EFORMAT : status, "%s: %.400s",
                        r->path, detail.text);
    *theta = bo__pages_zeros(model->set.size);
    if (!*theta)
        return bo__fail(r->message, BO_ENOMEM, "%s: no memory for its weights", r->path);
    status = read_weights(r, model, *theta);
    return status ? status : check_sizes(r, &spec);
}

bo_status bo__npfile_load(const char *path, const char *kind, bo__npmodel *model, float **theta,
                          bo__npinfo *info, bo_message *message)
{
    bo__safetensors *file;
    *model = (bo__npmodel){0};
    *theta = NULL;
    bo_status status = bo__safetensors_read(&file, path, message);
    if (status)
        return status;
    reader r = {file, path, message};
    status = load(&r, kind, model, theta, info);
    bo__safetensors_free(file);
    if (status) {
        bo__npmodel_free(model);
        free(*theta);
        *theta = NULL;
    }
    return status;
}
