/* profiletable.c - a profile of training as a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "profiletable.h"

static double of(const bo__profile *p, bo__op op)
{
    return p->seconds[op][BO__FORWARD] + p->seconds[op][BO__BACKWARD];
}

/* The operators, the one with the most time first. */
static void sort(const bo__profile *p, bo__op *order)
{
    for (size_t i = 0; i < BO__OP_COUNT; i++) {
        size_t at = i;
        for (; at > 0 && of(p, order[at - 1]) < of(p, (bo__op)i); at--)
            order[at] = order[at - 1];
        order[at] = (bo__op)i;
    }
}

void bo__profile_print(FILE *stream, const bo__profile *profile, size_t steps)
{
    bo__op order[BO__OP_COUNT];
    double total = bo__profile_total(profile), scale = 1e3 / (double)(steps ? steps : 1);
    sort(profile, order);
    fprintf(stream, "  %-22s %10s %10s %7s\n", "CPU ms a step", "forward", "backward", "share");
    for (size_t i = 0; i < BO__OP_COUNT && of(profile, order[i]) > 0; i++)
        fprintf(stream, "  %-22s %10.3f %10.3f %6.1f%%\n", bo__op_text(order[i]),
                scale * profile->seconds[order[i]][BO__FORWARD],
                scale * profile->seconds[order[i]][BO__BACKWARD],
                100 * of(profile, order[i]) / total);
}
