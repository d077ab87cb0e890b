/* optimizer-check.h - spaces, functions and short hands for the tests of the optimizer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_OPTIMIZER_CHECK_H
#define BO_OPTIMIZER_CHECK_H

#include <math.h>
#include <string.h>

#include "bo.h"
#include "check.h"

static const char *const labels[] = {"a", "b", "c"};

static inline bo_space *square(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_real(s, "x", 0, 1);
    bo_space_add_real(s, "y", 0, 1);
    return s;
}

static inline bo_space *mixed(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_real(s, "r", -1, 1);
    bo_space_add_log_real(s, "l", 1e-3, 10);
    bo_space_add_integer(s, "i", 0, 20);
    bo_space_add_log_integer(s, "j", 1, 1000);
    bo_space_add_categorical(s, "c", 3, labels);
    bo_space_add_boolean(s, "b");
    return s;
}

static inline bo_space *small_space(void)
{
    bo_space *s = bo_space_new();
    bo_space_add_integer(s, "i", -1, 1);
    bo_space_add_boolean(s, "b");
    bo_space_add_categorical(s, "c", 3, labels);
    return s;
}

/* 0 at (0.3, 0.1, 7, 30, "b", true), each parameter for itself. */
static inline double separable(const double *x)
{
    return pow(x[0] - 0.3, 2) + 0.2 * pow(log10(x[1]) + 1, 2) + 0.01 * pow(x[2] - 7, 2) +
           0.2 * pow(log10(x[3] / 30), 2) + (x[4] != 1) * 0.3 + (x[5] != 1) * 0.3;
}

static inline double bowl(const double *x)
{
    return pow(x[0] - 0.7, 2) + pow(x[1] - 0.2, 2) + 0.3 * sin(8 * x[0]);
}

static inline bo_optimizer *make(bo_space *space, const bo_options *options)
{
    bo_optimizer *o;
    bo_status status = bo_optimizer_new(&o, space, options);
    if (status)
        fail_msg("%s", bo_optimizer_errmsg(o));
    bo_space_free(space); /* it was copied */
    return o;
}

static inline void ask(bo_optimizer *o, size_t q, double *x)
{
    bo_status status = bo_optimizer_ask(o, q, x);
    if (status)
        fail_msg("ask: %d, %s", status, bo_optimizer_errmsg(o));
}

static inline void assert_distinct(const bo_optimizer *o)
{
    size_t n = bo_optimizer_count(o), dim = bo_space_dim(bo_optimizer_space(o));
    bo_trial a, b;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            bo_optimizer_trial(o, i, &a);
            bo_optimizer_trial(o, j, &b);
            assert_true(memcmp(a.x, b.x, dim * sizeof *a.x));
        }
}

#endif
