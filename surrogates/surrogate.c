/* surrogate.c - the table of built-in surrogates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A new surrogate is one file, one line in builtin.h and one line here.
 */
#include <string.h>

#include "builtin.h"

static const bo_surrogate_type *const table[] = {
    &bo__surrogate_gp,     &bo__surrogate_cnp,     &bo__surrogate_np,
    &bo__surrogate_bnp,    &bo__surrogate_canp,    &bo__surrogate_anp,
    &bo__surrogate_banp,   &bo__surrogate_cnp_de,  &bo__surrogate_canp_de,
};

const bo_surrogate_type *bo_surrogate_at(size_t i)
{
    return i < sizeof table / sizeof *table ? table[i] : NULL;
}

const bo_surrogate_type *bo_surrogate_find(const char *name)
{
    const bo_surrogate_type *type;
    for (size_t i = 0; (type = bo_surrogate_at(i)); i++)
        if (!strcmp(type->name, name))
            return type;
    return NULL;
}

const char *bo_surrogate_name(const bo_surrogate_type *type)
{
    return type->name;
}

const char *bo_surrogate_summary(const bo_surrogate_type *type)
{
    return type->summary;
}
