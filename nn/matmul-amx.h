/* matmul-amx.h - products of bf16 numbers in the tiles of newer Intel CPUs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MATMUL_AMX_H
#define BO_MATMUL_AMX_H

#include "matmul.h"

/* Whether the CPU has what is needed and the system lets this process use it. */
bool bo__amx_ready(void);

/* The product, in bf16x3 if split, else in bf16; only after bo__amx_ready said yes. */
void bo__amx_multiply(const bo__product *p, bool split);

#endif
