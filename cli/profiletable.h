/* profiletable.h - a profile of training as a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_PROFILETABLE_H
#define BO_PROFILETABLE_H

#include <stdio.h>

#include "profile.h"

/* A line for each operator that took time: milliseconds of CPU time a step forward and backward,
 * and its share of all; the largest first. */
void bo__profile_print(FILE *stream, const bo__profile *profile, size_t steps);

#endif
