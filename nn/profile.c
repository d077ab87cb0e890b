/* profile.c - where the time of a tape goes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "profile.h"

#include <time.h>

static const char *const texts[] = {
#define TEXT(name, text) [BO__OP_##name] = text,
    BO__OPS(TEXT)
};

const char *bo__op_text(bo__op op)
{
    return texts[op];
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bo__profile_begin(bo__profile *profile, bo__op op, int way)
{
    double now = seconds();
    if (profile->since > 0)
        profile->seconds[profile->current][profile->way] += now - profile->since;
    profile->since = now;
    profile->current = op;
    profile->way = way;
}

void bo__profile_add(bo__profile *sum, const bo__profile *more)
{
    for (size_t i = 0; i < BO__OP_COUNT; i++)
        for (size_t w = 0; w < BO__WAYS; w++)
            sum->seconds[i][w] += more->seconds[i][w];
}

double bo__profile_total(const bo__profile *profile)
{
    double total = 0;
    for (size_t i = 0; i < BO__OP_COUNT; i++)
        for (size_t w = 0; w < BO__WAYS; w++)
            total += profile->seconds[i][w];
    return total;
}
