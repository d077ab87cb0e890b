/* limit.h - what a core could multiply, if nothing ever had to wait for a number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_LIMIT_H
#define BO_LIMIT_H

#include "matmul.h"

/* Operations a second of one core, measured now in some ten milliseconds: the multiply-and-add of
 * the fastest products that `precision` has on this CPU, again and again on registers.  Of mixed,
 * that of bf16.  NAN: no such instruction that this knows. */
double bo__limit(bo__precision precision);

#endif
