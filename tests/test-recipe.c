/* test-recipe.c - recipes: each kind of model has one of every name, which a trainer takes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <string.h>

#include "recipe.h"

static void every_kind_has_every_recipe(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++)
        for (size_t j = 0; bo__recipe_names[j]; j++) {
            const bo__nptype *type = bo__nptype_at(i);
            const bo__recipe *r = bo__recipe_find(bo__recipe_names[j], type->name);
            assert_non_null(r);
            assert_string_equal(r->name, bo__recipe_names[j]);
            bo__train_options o;
            bo__trainer *trainer;
            bo_message message;
            bo__train_options_init(&o, type);
            bo__recipe_apply(r, &o);
            assert_int_equal(bo__trainer_new(&trainer, &o, &message), BO_OK);
            bo__trainer_free(trainer);
        }
    assert_null(bo__recipe_find("slow", "cnp"));
}

static void the_paper_is_the_papers(void **state)
{
    bo__train_options paper, other;
    bo__train_options_init(&paper, &bo__nptype_banp);
    other = paper;
    bo__recipe_apply(bo__recipe_find("fast", "banp"), &other);
    other.seed = 7;
    bo__recipe_apply(bo__recipe_find("paper", "banp"), &other);
    assert_int_equal(other.adam.steps, 100000);
    assert_int_equal(other.batch, 100);
    assert_true(other.adam.rate == 5e-4 && !other.adam.warmup && !other.adam.clip);
    assert_true(!other.group_sizes && other.optimizer == BO__OPTIMIZER_ADAM);
    assert_int_equal(other.seed, 7);
    other.seed = paper.seed;
    assert_memory_equal(&other.adam, &paper.adam, sizeof other.adam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_every_recipe),
        cmocka_unit_test(the_paper_is_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
