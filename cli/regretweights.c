/* regretweights.c - which weights the surrogates of bo-bench regret will read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Results of one folder must not mix two trainings, so every run is marked with the FNV-1a hash
 * of the weight files of its surrogate.  Weights that are not there count as 0; the runs will say
 * what is missing.
 */
#include <string.h>

#include "regretbench.h"
#include "weights.h"

enum { MEMBERS = 5 }; /* of a deep ensemble */

static bool hash_file(const char *path, uint64_t *h)
{
    unsigned char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        for (size_t i = 0; i < n; i++)
            *h = (*h ^ bytes[i]) * 0x100000001b3u;
    bool good = !ferror(file);
    fclose(file);
    return good;
}

static uint64_t hash_weights(const bo__regret_surrogate *s, size_t dim)
{
    char kind[BO_REGRET_NAME], path[BO__WEIGHTS_PATH];
    uint64_t h = 0xcbf29ce484222325u;
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(s->name, "@+"), s->name);
    bo__weights_key key = {.kind = kind, .variant = *s->variant ? s->variant : "sharp",
                           .dim = dim};
    size_t members = strstr(s->name, "+de") ? MEMBERS : 1;
    for (key.seed = 1; key.seed <= members; key.seed++)
        if (bo__weights_find(&key, path, NULL) || !hash_file(path, &h))
            return 0;
    return h;
}

void bo__regret_find_weights(bo__regret_plan *plan)
{
    for (size_t s = 0; s < plan->settings; s++)
        for (size_t i = 0; i < plan->surrogates; i++) {
            const bo__regret_surrogate *surrogate = &plan->surrogate[i];
            bool net = bo__regret_group_of(surrogate->name) != BO_REGRET_REFERENCE;
            bool again = s && plan->setting[s].dim == plan->setting[s - 1].dim;
            plan->weights[s][i] = again ? plan->weights[s - 1][i]
                                  : net ? hash_weights(surrogate, plan->setting[s].dim)
                                        : 0;
        }
}

/* Weights for one dimension come with bo: without those the runs shall fail, and say so. */
static bool is_able(const bo__regret_plan *plan, size_t surrogate)
{
    const bo__regret_surrogate *s = &plan->surrogate[surrogate];
    bool net = bo__regret_group_of(s->name) != BO_REGRET_REFERENCE;
    for (size_t i = 0; i < plan->settings; i++)
        if ((s->kind == BO_REGRET_ORACLE && !bo__regret_is_drawn(&plan->setting[i])) ||
            (net && plan->setting[i].dim != 1 && !plan->weights[i][surrogate]))
            return false;
    return true;
}

void bo__regret_drop_unable(bo__regret_plan *plan, char *names, size_t room)
{
    size_t kept = 0, at = 0;
    *names = 0;
    for (size_t i = 0; i < plan->surrogates; i++) {
        if (!is_able(plan, i)) {
            if (at < room)
                at += (size_t)snprintf(names + at, room - at, "%s%s", at ? "," : "",
                                       plan->surrogate[i].name);
            continue;
        }
        plan->surrogate[kept] = plan->surrogate[i];
        for (size_t s = 0; s < plan->settings; s++)
            plan->weights[s][kept] = plan->weights[s][i];
        kept++;
    }
    plan->surrogates = kept;
}
