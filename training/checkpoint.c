/* checkpoint.c - the whole state of a training run in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "safetensors.h"
#include "trainer.h"

#define FORMAT "bo training state 1"

char *bo__train_options_text(const bo__train_options *o)
{
    char *text = NULL, prior[64] = "";
    for (size_t i = 0; i < o->prior.count; i++) {
        strcat(prior, i ? "," : "");
        strcat(prior, bo__prior_name(o->prior.kinds[i]));
    }
    const bo__npspec *m = &o->model;
    const bo__adam_options *a = &o->adam;
    if (asprintf(&text,
                 "model=%s dim=%zu width=%zu heads=%zu sigma-floor=%.9g ablation=%d prior=%s "
                 "steps=%zu batch=%zu samples=%zu lr=%.17g warmup=%zu clip=%.17g ema=%.17g "
                 "weight-decay=%.17g seed=%llu sizes=%s lanes=%zu%s%s%s%s",
                 m->type->name, m->dim_x, m->width, m->heads, (double)m->sigma_floor,
                 (int)m->ablation, prior, a->steps, o->batch, o->samples, a->rate, a->warmup,
                 a->clip, a->average, a->weight_decay, (unsigned long long)o->seed,
                 o->group_sizes ? "group" : "batch", bo__train_lanes(o),
                 o->optimizer == BO__OPTIMIZER_MUON ? " optimizer=muon" : "",
                 m->pre_norm ? " norm=pre" : "",
                 o->precision ? " precision=" : "",
                 o->precision ? bo__precision_name(o->precision) : "") < 0)
        return NULL;
    return text;
}

enum { ARRAYS = 4 };

/* The arrays of the state with their names; returns how many. */
static size_t arrays_of(const bo__trainer *t, bo__stored *out)
{
    float *const data[ARRAYS] = {t->state.theta, t->state.first, t->state.second,
                                 t->state.average};
    static const char *const names[ARRAYS] = {"theta", "first", "second", "average"};
    size_t count = t->state.average ? ARRAYS : ARRAYS - 1;
    for (size_t i = 0; i < count; i++)
        out[i] = (bo__stored){.name = names[i], .dims = 1, .shape = {t->state.size},
                              .size = t->state.size, .data = data[i]};
    return count;
}

static bool all_finite(const float *x, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* The name of the first array with a number that is not finite; NULL: there is none. */
static const char *not_finite(const bo__trainer *t)
{
    bo__stored arrays[ARRAYS];
    size_t count = arrays_of(t, arrays);
    for (size_t i = 0; i < count; i++)
        if (!all_finite(arrays[i].data, arrays[i].size))
            return arrays[i].name;
    return NULL;
}

bo_status bo__trainer_check(const bo__trainer *t, bo_message *message)
{
    const char *name = not_finite(t);
    return name ? bo__fail(message, BO_ENUMERIC,
                           "step %zu: training diverged: array '%s' is not finite any more",
                           t->step, name)
                : BO_OK;
}

bo_status bo__trainer_save(const bo__trainer *t, double seconds, const char *path,
                           bo_message *message)
{
    bo_status status = bo__trainer_check(t, message);
    if (status)
        return status;
    bo__stored arrays[ARRAYS];
    size_t count = arrays_of(t, arrays);
    char step[32], loss[32], time[32], *options = bo__train_options_text(&t->options);
    if (!options)
        return bo__fail(message, BO_ENOMEM, "%s: no memory to write it", path);
    snprintf(step, sizeof step, "%zu", t->step);
    snprintf(loss, sizeof loss, "%.17g", t->smooth);
    snprintf(time, sizeof time, "%.17g", seconds);
    const bo__text_pair text[] = {{"format", FORMAT}, {"options", options}, {"step", step},
                                  {"loss", loss}, {"seconds", time}};
    status = bo__safetensors_write(path, count, arrays, sizeof text / sizeof *text, text, message);
    free(options);
    return status;
}

/* What a word that is missing means. */
static const bo__text_pair usual[] = {
    {"optimizer", "adam"}, {"norm", "post"}, {"precision", "float32"}};

/* The value of a key of some length in "key=value key=value"; NULL: it is not there. */
static const char *find(const char *text, const char *key, int length)
{
    for (const char *at = text; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (!strncmp(at, key, (size_t)length) && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

static const char *find_or_usual(const char *text, const char *key, int length)
{
    const char *value = find(text, key, length);
    for (size_t i = 0; !value && i < sizeof usual / sizeof *usual; i++)
        if (!strncmp(usual[i].key, key, (size_t)length) && !usual[i].key[length])
            value = usual[i].text;
    return value ? value : "none";
}

/* A value as it was meant: 17 digits are for the computer. */
static void put_value(FILE *out, const char *text)
{
    int length = (int)strcspn(text, " ");
    char *end;
    double number = strtod(text, &end);
    if (end == text + length && memchr(text, '.', (size_t)length))
        fprintf(out, "%.9g", number);
    else
        fprintf(out, "%.*s", length, text);
}

/* Of the options that `list` has, and `not` (or NULL) has not, those whose values differ. */
static void put_differences(FILE *out, const char *list, const char *not, const char *was,
                            const char *is)
{
    for (const char *at = list; *at; at += strcspn(at, " "), at += *at == ' ') {
        int key = (int)strcspn(at, " =");
        const char *a = find_or_usual(was, at, key), *b = find_or_usual(is, at, key);
        int m = (int)strcspn(a, " "), n = (int)strcspn(b, " ");
        if ((not && find(not, at, key)) || (m == n && !strncmp(a, b, (size_t)m)))
            continue;
        fprintf(out, "%s%.*s was ", ftell(out) > 0 ? "; " : "", key, at);
        put_value(out, a);
        fputs(", now ", out);
        put_value(out, b);
    }
}

/* Says which options differ, by their names. */
static bo_status differ(const char *path, const char *was, const char *is, bo_message *message)
{
    char *text = NULL;
    size_t room;
    FILE *memory = open_memstream(&text, &room);
    if (memory) {
        put_differences(memory, is, NULL, was, is);
        put_differences(memory, was, is, was, is);
        fclose(memory);
    }
    bo_status status = bo__fail(message, BO_EINVAL,
                                "%s: belongs to a run with other options: %.300s", path,
                                text ? text : "");
    free(text);
    return status;
}

/* The numbers of the state; all are looked at before any is taken. */
static bo_status load_arrays(bo__trainer *t, const bo__safetensors *file, const char *path,
                             bo_message *message)
{
    bo__stored arrays[ARRAYS];
    size_t count = arrays_of(t, arrays);
    float *room = t->lanes[0].dtheta;
    t->lanes[0].clean = false;
    for (size_t i = 0; i < count; i++) {
        const bo__stored *s = bo__safetensors_find(file, arrays[i].name);
        if (!s || s->size != t->state.size)
            return bo__fail(message, BO_EFORMAT,
                            "%s: array '%s' is missing or has another size", path, arrays[i].name);
        bo__safetensors_copy(file, s, room);
        if (!all_finite(room, s->size))
            return bo__fail(message, BO_EFORMAT, "%s: array '%s' has numbers that are not finite",
                            path, arrays[i].name);
    }
    for (size_t i = 0; i < count; i++)
        bo__safetensors_copy(file, bo__safetensors_find(file, arrays[i].name),
                             (float *)arrays[i].data);
    t->copied = false;
    return BO_OK;
}

/* The format is ours, and the step a number. */
static bo_status read_step(const bo__safetensors *file, const char *path, size_t *step,
                           bo_message *message)
{
    const char *format = bo__safetensors_text(file, "format");
    const char *text = bo__safetensors_text(file, "step");
    char *end;
    if (!format || strcmp(format, FORMAT) || !bo__safetensors_text(file, "options") || !text)
        return bo__fail(message, BO_EFORMAT, "%s: is not a training state", path);
    *step = (size_t)strtoull(text, &end, 10);
    return *end || end == text || *text == '-'
               ? bo__fail(message, BO_EFORMAT, "%s: step '%.40s' is no number", path, text)
               : BO_OK;
}

/* What the log goes on with; left alone when it is not there. */
static bo_status read_number(const bo__safetensors *file, const char *path, const char *key,
                             double *value, bo_message *message)
{
    const char *text = bo__safetensors_text(file, key);
    char *end;
    if (!text)
        return BO_OK;
    *value = strtod(text, &end);
    return *end || end == text || isinf(*value)
               ? bo__fail(message, BO_EFORMAT, "%s: %s '%.40s' is no number", path, key, text)
               : BO_OK;
}

static bo_status check_options(const bo__trainer *t, const bo__safetensors *file, const char *path,
                               bo_message *message)
{
    const char *options = bo__safetensors_text(file, "options");
    char *mine = bo__train_options_text(&t->options);
    if (!mine)
        return bo__fail(message, BO_ENOMEM, "%s: no memory to read it", path);
    bo_status status = strcmp(mine, options) ? differ(path, options, mine, message) : BO_OK;
    free(mine);
    return status;
}

static bo_status load_from(bo__trainer *t, double *seconds, const bo__safetensors *file,
                           const char *path, bo_message *message)
{
    size_t step;
    double smooth = t->smooth;
    bo_status status = read_step(file, path, &step, message);
    if (!status)
        status = check_options(t, file, path, message);
    if (!status && step > t->options.adam.steps)
        status = bo__fail(message, BO_EFORMAT, "%s: step %zu is not one of this run", path, step);
    if (!status)
        status = read_number(file, path, "loss", &smooth, message);
    if (!status)
        status = read_number(file, path, "seconds", seconds, message);
    if (!status)
        status = load_arrays(t, file, path, message);
    if (!status) {
        t->step = step;
        t->smooth = smooth;
    }
    return status;
}

bo_status bo__trainer_load(bo__trainer *t, double *seconds, const char *path, bo_message *message)
{
    bo__safetensors *file;
    bo_status status = bo__safetensors_read(&file, path, message);
    if (status)
        return status;
    status = load_from(t, seconds, file, path, message);
    bo__safetensors_free(file);
    return status;
}

bo_status bo__checkpoint_step(const char *path, size_t *step, bo_message *message)
{
    bo__safetensors *file;
    bo_status status = bo__safetensors_read(&file, path, message);
    if (status)
        return status;
    status = read_step(file, path, step, message);
    bo__safetensors_free(file);
    return status;
}

bo_status bo__trainer_share(bo__trainer *t, bo_message *message)
{
    const bo__train_team *team = &t->options.team;
    if (!team->share)
        return BO_OK;
    bo__stored arrays[ARRAYS];
    size_t count = arrays_of(t, arrays);
    bo_status status = team->share(team->context, sizeof t->step, &t->step, message);
    if (!status)
        status = team->share(team->context, sizeof t->smooth, &t->smooth, message);
    for (size_t i = 0; !status && i < count; i++)
        status = team->share(team->context, arrays[i].size * sizeof(float),
                             (float *)arrays[i].data, message);
    return status;
}
