/* builtin.h - the built-in surrogates; surrogate.c has the table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_BUILTIN_H
#define BO_BUILTIN_H

#include "bo.h"

extern const bo_surrogate_type bo__surrogate_gp;
extern const bo_surrogate_type bo__surrogate_cnp, bo__surrogate_np, bo__surrogate_bnp,
    bo__surrogate_canp, bo__surrogate_anp, bo__surrogate_banp;
extern const bo_surrogate_type bo__surrogate_cnp_de, bo__surrogate_canp_de;

#endif
