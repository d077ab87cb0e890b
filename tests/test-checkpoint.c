/* test-checkpoint.c - a run that was stopped goes on as if it had not been.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trainer.h"

static bo__train_options small(const bo__nptype *type)
{
    bo__train_options o;
    bo__train_options_init(&o, type);
    o.model.width = 32;
    o.model.heads = 2;
    o.batch = 7;
    o.samples = 2;
    o.adam.steps = 20;
    o.adam.rate = 1e-3;
    o.threads = 1;
    return o;
}

static bo__trainer *made(const bo__train_options *o)
{
    bo__trainer *t;
    bo_message message;
    if (bo__trainer_new(&t, o, &message))
        fail_msg("%s", message.text);
    return t;
}

static void run(bo__trainer *t, size_t steps)
{
    bo__train_report report;
    bo_message message;
    for (size_t i = 0; i < steps; i++) {
        if (bo__trainer_step(t, &report, &message))
            fail_msg("%s", message.text);
        assert_true(isfinite(report.loss) && report.norm > 0 && report.rate > 0);
    }
}

static void assert_same(const bo__trainer *a, const bo__trainer *b)
{
    size_t bytes = bo__trainer_model(a)->set.size * sizeof(float);
    assert_int_equal(bo__trainer_steps(a), bo__trainer_steps(b));
    assert_memory_equal(bo__trainer_weights(a), bo__trainer_weights(b), bytes);
}

static void resumes(bo__optimizer optimizer, bo__prior_kind prior)
{
    const char *path = "test-train.checkpoint";
    bo__train_options o = small(&bo__nptype_banp);
    o.optimizer = optimizer;
    o.prior.kinds[0] = prior;
    o.model.dim_y = bo__prior_outputs(&o.prior);
    o.adam.average = 0.9;
    o.adam.clip = 1;
    o.adam.warmup = 3;
    o.adam.weight_decay = 0.01;
    bo__trainer *whole = made(&o), *first = made(&o), *second = made(&o);
    bo_message message;
    run(whole, 6);
    run(first, 4);
    assert_int_equal(bo__trainer_save(first, 7.25, path, &message), BO_OK);
    double seconds = 0;
    size_t step = 0;
    assert_int_equal(bo__checkpoint_step(path, &step, &message), BO_OK);
    assert_int_equal(step, 4);
    assert_int_equal(bo__trainer_load(second, &seconds, path, &message), BO_OK);
    assert_true(seconds == 7.25 && second->smooth == first->smooth);
    assert_same(first, second);
    run(second, 2);
    assert_same(whole, second);
    assert_true(whole->smooth == second->smooth);
    o.adam.rate = 0.5;
    o.optimizer = BO__OPTIMIZER_ADAM;
    o.precision = BO__PRECISION_BF16;
    bo__trainer *other = made(&o);
    assert_int_equal(bo__trainer_load(other, &seconds, path, &message), BO_EINVAL);
    bool muon = optimizer == BO__OPTIMIZER_MUON;
    assert_non_null(strstr(message.text, "other options: lr was 0.001, now 0.5; "
                                         "precision was float32, now bf16"));
    assert_true(muon == !!strstr(message.text, "; optimizer was muon, now adam"));
    assert_null(strstr(message.text, "steps"));
    unlink(path);
    assert_int_equal(bo__trainer_load(other, &seconds, path, &message), BO_EIO);
    bo__trainer_free(whole);
    bo__trainer_free(first);
    bo__trainer_free(second);
    bo__trainer_free(other);
}

static void test_adam(void **state)
{
    resumes(BO__OPTIMIZER_ADAM, BO_PRIOR_RBF);
    resumes(BO__OPTIMIZER_ADAM, BO_PRIOR_PREDATOR);
}

static void test_muon(void **state)
{
    resumes(BO__OPTIMIZER_MUON, BO_PRIOR_RBF);
}

/* Puts a NaN into the last number of a file: that of the array that stands last. */
static void spoil(const char *path)
{
    const float nan = NAN;
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -(long)sizeof nan, SEEK_END);
    fwrite(&nan, sizeof nan, 1, file);
    fclose(file);
}

/* A number that is not finite, in any array, is not saved, and not loaded. */
static void test_not_finite(void **state)
{
    const char *path = "test-finite.checkpoint";
    bo__train_options o = small(&bo__nptype_cnp);
    o.adam.average = 0.9;
    bo__trainer *t = made(&o);
    float *const arrays[] = {t->state.theta, t->state.first, t->state.second, t->state.average};
    double seconds;
    bo_message message;
    run(t, 1);
    assert_int_equal(bo__trainer_check(t, &message), BO_OK);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        float was = arrays[i][5];
        arrays[i][5] = i % 2 ? NAN : INFINITY;
        assert_int_equal(bo__trainer_check(t, &message), BO_ENUMERIC);
        assert_int_equal(bo__trainer_save(t, 0, path, &message), BO_ENUMERIC);
        assert_int_not_equal(access(path, F_OK), 0);
        arrays[i][5] = was;
    }
    assert_int_equal(bo__trainer_save(t, 0, path, &message), BO_OK);
    spoil(path);
    assert_int_equal(bo__trainer_load(t, &seconds, path, &message), BO_EFORMAT);
    assert_non_null(strstr(message.text, "'average'"));
    assert_non_null(strstr(message.text, "not finite"));
    unlink(path);
    bo__trainer_free(t);
}

/* Whatever changes the result is in the text, and what does not is not. */
static void test_options_text(void **state)
{
    bo__train_options o = small(&bo__nptype_cnp), other = o;
    char *text = bo__train_options_text(&o), *same, *differs;
    other.threads = 5;
    other.team.ranks = 3;
    assert_non_null(same = bo__train_options_text(&other));
    assert_string_equal(text, same);
    other.optimizer = BO__OPTIMIZER_MUON;
    assert_non_null(differs = bo__train_options_text(&other));
    assert_string_not_equal(text, differs);
    free(text);
    free(same);
    free(differs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adam),
        cmocka_unit_test(test_muon),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_options_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
