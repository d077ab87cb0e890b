/* options.c - the options, their defaults, and the one table that reads them from text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

void bo_options_init(bo_options *options)
{
    *options = (bo_options){
        .noise = NAN, .warp = BO_WARP_AUTO, .kernel = BO_MATERN52,
        .scale = 1, .mean = 0, .period = 1, .beta = 2,
    };
}

void bo_stop_init(bo_stop *stop)
{
    *stop = (bo_stop){.evaluations = 100, .seconds = INFINITY, .target = NAN};
}

typedef struct row {
    bo_option_info info;
    bo_status (*read)(void *field, const char *name, const char *text, bo_message *message);
    size_t offset;
} row;

static bo_status read_count(void *field, const char *name, const char *text, bo_message *message)
{
    char *end;
    errno = 0;
    unsigned long long v = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!isdigit((unsigned char)*text) || *end || errno || v > SIZE_MAX / 4096)
        return bo__fail(message, BO_EINVAL, "%s is '%s'; a whole number, 0 or more, was expected",
                        name, text);
    *(size_t *)field = (size_t)v;
    return BO_OK;
}

static bo_status read_seed(void *field, const char *name, const char *text, bo_message *message)
{
    char *end;
    errno = 0;
    unsigned long long v = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!isdigit((unsigned char)*text) || *end || errno)
        return bo__fail(message, BO_EINVAL, "%s is '%s'; a whole number, 0 or more, was expected",
                        name, text);
    *(uint64_t *)field = v;
    return BO_OK;
}

static bo_status read_number(void *field, const char *name, const char *text, bo_message *message)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v) || v < 0)
        return bo__fail(message, BO_EINVAL, "%s is '%s'; a number, 0 or more, was expected", name,
                        text);
    *(double *)field = v;
    return BO_OK;
}

static bo_status read_noise(void *field, const char *name, const char *text, bo_message *message)
{
    if (strcmp(text, "learn"))
        return read_number(field, name, text, message);
    *(double *)field = NAN;
    return BO_OK;
}

static bo_status read_flag(void *field, const char *name, const char *text, bo_message *message)
{
    bool on = !text || !*text || !strcmp(text, "true") || !strcmp(text, "yes") || !strcmp(text, "1");
    bool off = text && (!strcmp(text, "false") || !strcmp(text, "no") || !strcmp(text, "0"));
    if (!on && !off)
        return bo__fail(message, BO_EINVAL, "%s is '%s'; yes or no was expected", name, text);
    *(bool *)field = on;
    return BO_OK;
}

static bo_status read_text(void *field, const char *name, const char *text, bo_message *message)
{
    if (!*text)
        return bo__fail(message, BO_EINVAL, "%s is empty", name);
    *(const char **)field = text;
    return BO_OK;
}

static bo_status read_kernel(void *field, const char *name, const char *text, bo_message *message)
{
    static const char *const names[] = {"matern52", "matern32", "rbf", "periodic"};
    static const bo_kernel kernels[] = {BO_MATERN52, BO_MATERN32, BO_RBF, BO_PERIODIC};
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(names[i], text)) {
            *(bo_kernel *)field = kernels[i];
            return BO_OK;
        }
    return bo__fail(message, BO_EINVAL,
                    "%s is '%s'; rbf, matern52, matern32 or periodic was expected", name, text);
}

static bo_status read_warp(void *field, const char *name, const char *text, bo_message *message)
{
    if (strcmp(text, "auto") && strcmp(text, "none"))
        return bo__fail(message, BO_EINVAL, "%s is '%s'; auto or none was expected", name, text);
    *(bo_warp *)field = strcmp(text, "auto") ? BO_WARP_NONE : BO_WARP_AUTO;
    return BO_OK;
}

static bo_status read_rescale(void *field, const char *name, const char *text, bo_message *message)
{
    static const char *const names[] = {"auto", "never", "always"};
    static const bo_rescale values[] = {BO_RESCALE_AUTO, BO_RESCALE_NEVER, BO_RESCALE_ALWAYS};
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(names[i], text)) {
            *(bo_rescale *)field = values[i];
            return BO_OK;
        }
    return bo__fail(message, BO_EINVAL, "%s is '%s'; auto, never or always was expected", name,
                    text);
}

/* "the surrogate x is unknown; known are a, b, c" */
static bo_status unknown(bo_message *message, const char *what, const char *text,
                         const char *(*name_at)(size_t))
{
    char known[300] = "";
    const char *name;
    for (size_t i = 0; (name = name_at(i)); i++)
        if (strlen(known) + strlen(name) + 3 < sizeof known)
            strcat(strcat(known, i ? ", " : ""), name);
    return bo__fail(message, BO_EINVAL, "%s '%.60s' is unknown; known are %s", what, text, known);
}

static const char *surrogate_name_at(size_t i)
{
    const bo_surrogate_type *type = bo_surrogate_at(i);
    return type ? type->name : NULL;
}

static const char *acquisition_name_at(size_t i)
{
    const bo_acquisition_type *type = bo_acquisition_at(i);
    return type ? type->name : NULL;
}

/* "banp" or, with the variant of its weights, "banp@paper". */
static bo_status read_surrogate(void *field, const char *name, const char *text,
                                bo_message *message)
{
    bo_options *options = (bo_options *)((char *)field - offsetof(bo_options, surrogate));
    const char *at = strchr(text, '@');
    size_t length = at ? (size_t)(at - text) : strlen(text);
    const bo_surrogate_type *type;
    for (size_t i = 0; (type = bo_surrogate_at(i)); i++)
        if (strlen(type->name) == length && !strncmp(type->name, text, length))
            break;
    if (!type)
        return unknown(message, "surrogate", text, surrogate_name_at);
    if (at && !at[1])
        return bo__fail(message, BO_EINVAL, "surrogate '%s' has an empty variant after '@'", text);
    options->surrogate = type;
    if (at)
        options->variant = at + 1;
    return BO_OK;
}

static bo_status read_acquisition(void *field, const char *name, const char *text,
                                  bo_message *message)
{
    const bo_acquisition_type *type = bo_acquisition_find(text);
    if (!type)
        return unknown(message, "acquisition", text, acquisition_name_at);
    *(const bo_acquisition_type **)field = type;
    return BO_OK;
}

#define FIELD(field) offsetof(bo_options, field)
static const row table[] = {
    {{"surrogate", "NAME", "The model of the function (default gp). NAME@VARIANT picks a variant "
      "of its weights.", "surrogate"}, read_surrogate, FIELD(surrogate)},
    {{"kernel", "NAME", "GP: rbf, matern52 (default), matern32 or periodic.", "surrogate"},
     read_kernel, FIELD(kernel)},
    {{"output-scale", NULL, "GP: learn the variance of the function too.", "surrogate"},
     read_flag, FIELD(output_scale)},
    {{"noise", "SD", "Standard deviation of the noise in the values; 0 for none, 'learn' (default) "
      "to estimate it.", "surrogate"}, read_noise, FIELD(noise)},
    {{"warp", "auto|none", "Draw in long upper tails of the values by a logarithm before the fit "
      "(default auto: where it makes them more normal).", "surrogate"}, read_warp, FIELD(warp)},
    {{"model", "FILES", "Neural surrogates: weight file, or several with commas between them.",
      "surrogate"}, read_text, FIELD(model)},
    {{"variant", "NAME", "Neural surrogates: which of the shipped weights, sharp (default) or "
      "paper.", "surrogate"}, read_text, FIELD(variant)},
    {{"samples", "N", "Neural surrogates: components of the mixture (default 50).", "surrogate"},
     read_count, FIELD(samples)},
    {{"rescale", "auto|never|always", "Neural surrogates: shift and scale the values to those of "
      "the training functions (default auto: unless they could have come from there).",
      "surrogate"}, read_rescale, FIELD(rescale)},
    {{"kind", "NAME", "Neural surrogates: what a weight file without metadata holds: cnp, np, "
      "bnp, canp, anp or banp; without it, what the surrogate is.", "surrogate"},
     read_text, FIELD(kind)},
    {{"ablation", "PART", "Neural surrogates: leave out the paired bootstrap (paired) or the "
      "adaptation layer (adaptation) of bnp and banp, or bootstrap cnp and canp (naive).",
      "surrogate"}, read_text, FIELD(ablation)},
    {{"acquisition", "NAME", "What to maximise to find the next point (default logei).",
      "acquisition"}, read_acquisition, FIELD(acquisition)},
    {{"beta", "B", "lcb: mean - B·sd (default 2).", "acquisition"}, read_number, FIELD(beta)},
    {{"xi", "X", "ei, logei, pi: the improvement asked for, in standard deviations of the values "
      "(default 0).", "acquisition"}, read_number, FIELD(xi)},
    {{"moment-match", NULL, "Collapse a mixture to one Gaussian before the acquisition.",
      "acquisition"}, read_flag, FIELD(moment_match)},
    {{"starts", "N", "L-BFGS starts of the maximiser (default: chosen; the paper's is 100).",
      "acquisition"}, read_count, FIELD(starts)},
    {{"screen", "N", "Points looked at before the starts are picked (default: chosen).",
      "acquisition"}, read_count, FIELD(screen)},
    {{"grid", "N", "Maximise over a grid of N points a side instead.", "acquisition"}, read_count,
     FIELD(grid)},
    {{"grid-stride", "N", "Look at every N-th point of the grid first, then at all near the best "
      "ones (one parameter only).", "acquisition"}, read_count, FIELD(grid_stride)},
    {{"init", "N", "Initial points that fill the space (default 2·(dimensions+1), at most 20).",
      "optimisation"}, read_count, FIELD(init)},
    {{"seed", "N", "Of everything random; the same seed gives the same run (default 0).",
      "optimisation"}, read_seed, FIELD(seed)},
    {{"threads", "N", "For the maximiser (default: all cores). Results do not depend on it.",
      "optimisation"}, read_count, FIELD(threads)},
    {{"maximize", NULL, "Maximise instead of minimise.", "optimisation"}, read_flag,
     FIELD(maximize)},
    {{"replicates", NULL, "Let the same point be evaluated again.", "optimisation"}, read_flag,
     FIELD(replicates)},
};

const bo_option_info *bo_option_describe(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i].info : NULL;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(*a == '-' && *b == '_'))
            return false;
    return !*a && !*b;
}

bo_status bo_options_set(bo_options *options, const char *name, const char *value,
                         bo_message *message)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (same_name(table[i].info.name, name)) {
            if (!value && table[i].info.value)
                return bo__fail(message, BO_EINVAL, "%s needs a value (%s)", name,
                                table[i].info.value);
            return table[i].read((char *)options + table[i].offset, name, value, message);
        }
    return bo__fail(message, BO_EINVAL, "there is no option '%s'", name);
}
