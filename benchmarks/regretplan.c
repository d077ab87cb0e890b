/* regretplan.c - what is to be run: settings, surrogates, and how runs are numbered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpprior.h"
#include "message.h"
#include "regret.h"

/* The short names of the settings that are drawn from a prior. */
static const struct {
    const char *name, *objective;
    bool heavy_tails;
} priors[] = {
    {"rbf", "gp_rbf", false},
    {"tnoise", "gp_rbf_tnoise", true},
    {"matern52", "gp_matern52", false},
    {"periodic", "gp_periodic", false},
};
enum { PRIORS = sizeof priors / sizeof *priors };

/* The next item of a list to name; returns where the list goes on, NULL at its end.  What does
 * not fit is cut, and then no known name. */
static const char *next_item(const char *list, char name[BO_REGRET_NAME])
{
    if (!*list)
        return NULL;
    size_t length = strcspn(list, ",");
    snprintf(name, BO_REGRET_NAME, "%.*s", (int)(length < 256 ? length : 256), list);
    return list + length + (list[length] == ',');
}

/* ---- settings ------------------------------------------------------------------------------ */

static bool read_dim(const char *text, size_t *dim)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *dim = value;
    return *text >= '1' && *text <= '9' && !*end && value <= 1000;
}

static bo_status read_setting(bo__regret_setting *s, bo_message *message)
{
    char name[BO_REGRET_NAME];
    snprintf(name, sizeof name, "%s", s->name);
    char *colon = strchr(name, ':');
    if (colon)
        *colon++ = 0;
    const char *objective = name;
    for (size_t i = 0; i < PRIORS; i++)
        if (!strcmp(name, priors[i].name) || !strcmp(name, priors[i].objective)) {
            objective = priors[i].objective;
            s->heavy_tails = priors[i].heavy_tails;
        }
    s->type = bo__objective_find(objective);
    if (!s->type)
        return bo__fail(message, BO_EINVAL,
                        "there is no setting '%s'; there are rbf, tnoise, matern52, periodic and "
                        "all objectives that 'bo-run --list' shows",
                        name);
    s->dim = bo__objective_type_usual_dim(s->type);
    if (colon && !read_dim(colon, &s->dim))
        return bo__fail(message, BO_EINVAL, "'%s' is not a dimension of %s", colon, name);
    if (s->dim < bo__objective_type_least_dim(s->type) ||
        s->dim > bo__objective_type_most_dim(s->type))
        return bo__fail(message, BO_EINVAL, "%s does not come in %zu dimensions", name, s->dim);
    return BO_OK;
}

bo_status bo__regret_read_settings(bo__regret_plan *plan, const char *list, bo_message *message)
{
    char name[BO_REGRET_NAME];
    plan->settings = 0;
    while ((list = next_item(list, name))) {
        if (plan->settings == BO_REGRET_MOST)
            return bo__fail(message, BO_EINVAL, "more than %d settings", BO_REGRET_MOST);
        for (size_t i = 0; i < plan->settings; i++)
            if (!strcmp(plan->setting[i].name, name))
                return bo__fail(message, BO_EINVAL, "setting '%s' is named twice", name);
        bo__regret_setting *s = &plan->setting[plan->settings++];
        *s = (bo__regret_setting){.type = NULL};
        memcpy(s->name, name, sizeof name);
        bo_status status = read_setting(s, message);
        if (status)
            return status;
    }
    return plan->settings ? BO_OK : bo__fail(message, BO_EINVAL, "no setting is named");
}

/* ---- surrogates ---------------------------------------------------------------------------- */

static bo_status unknown_surrogate(const char *name, bo_message *message)
{
    char known[300] = "";
    for (size_t i = 0, at = 0; bo_surrogate_at(i) && at < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s, ",
                               bo_surrogate_name(bo_surrogate_at(i)));
    return bo__fail(message, BO_EINVAL, "there is no surrogate '%s'; there are %sgp-oracle, random",
                    name, known);
}

static bo_status read_surrogate(bo__regret_surrogate *s, bo_message *message)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    char name[BO_REGRET_NAME];
    snprintf(name, sizeof name, "%s", s->name);
    char *at = strchr(name, '@');
    if (at) {
        *at++ = 0;
        if (!*at)
            return bo__fail(message, BO_EINVAL, "'%s' names no variant after the @", s->name);
        /* it becomes part of file names, CSV, JSON, HTML and a gnuplot script */
        if (strspn(at, letters) < strlen(at))
            return bo__fail(message, BO_EINVAL,
                            "variant '%s' has other characters than letters, digits and . _ -",
                            at);
        snprintf(s->variant, sizeof s->variant, "%s", at);
    }
    bool oracle = !strcmp(name, "gp-oracle"), random = !strcmp(name, "random");
    s->kind = oracle ? BO_REGRET_ORACLE : random ? BO_REGRET_RANDOM : BO_REGRET_MODEL;
    s->type = bo_surrogate_find(oracle || random ? "gp" : name);
    if (!s->type)
        return unknown_surrogate(name, message);
    if (at && !strcmp(bo_surrogate_name(s->type), "gp"))
        return bo__fail(message, BO_EINVAL, "%s has no weights, so it has no variant '%s'", name,
                        at);
    return BO_OK;
}

bo_status bo__regret_read_surrogates(bo__regret_plan *plan, const char *list, bo_message *message)
{
    char name[BO_REGRET_NAME];
    plan->surrogates = 0;
    while ((list = next_item(list, name))) {
        if (plan->surrogates == BO_REGRET_MOST)
            return bo__fail(message, BO_EINVAL, "more than %d surrogates", BO_REGRET_MOST);
        for (size_t i = 0; i < plan->surrogates; i++)
            if (!strcmp(plan->surrogate[i].name, name))
                return bo__fail(message, BO_EINVAL, "surrogate '%s' is named twice", name);
        bo__regret_surrogate *s = &plan->surrogate[plan->surrogates++];
        *s = (bo__regret_surrogate){.type = NULL};
        memcpy(s->name, name, sizeof name);
        bo_status status = read_surrogate(s, message);
        if (status)
            return status;
    }
    return plan->surrogates ? BO_OK : bo__fail(message, BO_EINVAL, "no surrogate is named");
}

/* ---- the whole ----------------------------------------------------------------------------- */

bool bo__regret_is_drawn(const bo__regret_setting *s)
{
    return !strncmp(bo__objective_type_name(s->type), "gp_", 3);
}

bo_status bo__regret_check(const bo__regret_plan *plan, bo_message *message)
{
    bool paper = plan->protocol == BO_REGRET_PAPER;
    for (size_t i = 0; i < plan->settings; i++) {
        const bo__regret_setting *s = &plan->setting[i];
        if (paper && (!bo__regret_is_drawn(s) || s->dim != 1))
            return bo__fail(message, BO_EINVAL,
                            "the paper's protocol has the settings rbf, tnoise, matern52 and "
                            "periodic in one dimension, not '%s'",
                            s->name);
        for (size_t j = 0; j < plan->surrogates; j++)
            if (plan->surrogate[j].kind == BO_REGRET_ORACLE && !bo__regret_is_drawn(s))
                return bo__fail(message, BO_EINVAL,
                                "gp-oracle is told what a function was drawn with, and '%s' was "
                                "not drawn from a prior",
                                s->name);
    }
    if (paper && !isnan(plan->noise))
        return bo__fail(message, BO_EINVAL, "the paper's protocol has a noise of its own");
    if (!paper && plan->options.grid_stride)
        return bo__fail(message, BO_EINVAL,
                        "only the paper's protocol has a grid, of which --grid-stride looks at a "
                        "part");
    size_t reference = 0;
    while (reference < plan->surrogates &&
           strcmp(plan->surrogate[reference].name, plan->reference))
        reference++;
    if (*plan->reference && reference == plan->surrogates)
        return bo__fail(message, BO_EINVAL,
                        "the reference '%s' is none of the surrogates that are compared",
                        plan->reference);
    if (!plan->init || !plan->functions)
        return bo__fail(message, BO_EINVAL, "at least one function and one initial point");
    return BO_OK;
}

size_t bo__regret_runs(const bo__regret_plan *plan)
{
    return plan->functions * plan->settings * plan->surrogates;
}

bo__regret_place bo__regret_place_of(const bo__regret_plan *plan, size_t run)
{
    size_t surrogates = plan->surrogates, settings = plan->settings;
    return (bo__regret_place){.function = run / surrogates / settings,
                              .setting = run / surrogates % settings,
                              .surrogate = run % surrogates};
}

size_t bo__regret_run_at(const bo__regret_plan *plan, bo__regret_place place)
{
    return (place.function * plan->settings + place.setting) * plan->surrogates + place.surrogate;
}
