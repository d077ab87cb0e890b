/* ask-tell.c - points in batches, evaluated elsewhere, some of which fail.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands for a laboratory with four benches: each round asks for four recipes, tries them, and
 * tells the yields.  Hot and concentrated recipes blow up; the search learns to keep away.
 */
#include <bo.h>
#include <math.h>
#include <stdio.h>

enum { BENCHES = 4, ROUNDS = 8, DIM = 2 };

/* The yield of a recipe; NAN when it blows up. */
static double try_recipe(double heat, double strength)
{
    if (heat + strength > 1.5)
        return NAN;
    return exp(-8 * pow(heat - 0.6, 2) - 5 * pow(strength - 0.7, 2));
}

static bo_status run_rounds(bo_optimizer *optimizer)
{
    double x[BENCHES * DIM];
    bo_status status = BO_OK;
    for (int round = 1; round <= ROUNDS && !status; round++) {
        int failed = 0;
        status = bo_optimizer_ask(optimizer, BENCHES, x);
        for (int i = 0; i < BENCHES && !status; i++) {
            double *recipe = x + i * DIM, yield = try_recipe(recipe[0], recipe[1]);
            failed += isnan(yield);
            /* Values may be told in any order, by and by; NAN is the same as
             * bo_optimizer_tell_failed. */
            status = bo_optimizer_tell(optimizer, recipe, yield);
        }
        printf("round %d: %d of %d failed\n", round, failed, BENCHES);
    }
    return status;
}

int main(void)
{
    bo_space *space = bo_space_new();
    bo_optimizer *optimizer = NULL;
    bo_options options;
    double x[DIM], y;
    bo_options_init(&options);
    options.maximize = true;
    bo_status status = space ? bo_space_add_real(space, "heat", 0, 1) : BO_ENOMEM;
    if (!status)
        status = bo_space_add_real(space, "strength", 0, 1);
    if (!status)
        status = bo_optimizer_new(&optimizer, space, &options);
    if (!status)
        status = run_rounds(optimizer);
    if (!status)
        status = bo_optimizer_best(optimizer, x, &y);
    if (status)
        fprintf(stderr, "%s\n", optimizer ? bo_optimizer_errmsg(optimizer) : bo_status_text(status));
    else
        printf("best yield %.3f at heat %.3f, strength %.3f\n", y, x[0], x[1]);
    bo_optimizer_free(optimizer);
    bo_space_free(space);
    return status != BO_OK;
}
