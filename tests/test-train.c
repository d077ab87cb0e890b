/* test-train.c - training: threads, checkpoints, and that it learns.
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

#include "score.h"
#include "train.h"

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

static void test_threads_change_nothing(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++) {
        bo__train_options o = small(bo__nptype_at(i));
        o.group_sizes = i % 2;
        bo__trainer *one = made(&o);
        o.threads = 3;
        bo__trainer *three = made(&o);
        run(one, 3);
        run(three, 3);
        assert_same(one, three);
        bo__trainer_free(one);
        bo__trainer_free(three);
    }
}

static void test_resume(void **state)
{
    const char *path = "test-train.checkpoint";
    bo__train_options o = small(&bo__nptype_banp);
    o.adam.average = 0.9;
    o.adam.clip = 1;
    o.adam.warmup = 3;
    o.adam.weight_decay = 0.01;
    bo__trainer *whole = made(&o), *first = made(&o), *second = made(&o);
    bo_message message;
    run(whole, 6);
    run(first, 4);
    assert_int_equal(bo__trainer_save(first, path, &message), BO_OK);
    assert_int_equal(bo__trainer_load(second, path, &message), BO_OK);
    assert_same(first, second);
    run(second, 2);
    assert_same(whole, second);
    o.adam.rate = 2e-3;
    bo__trainer *other = made(&o);
    assert_int_equal(bo__trainer_load(other, path, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "other options"));
    unlink(path);
    assert_int_equal(bo__trainer_load(other, path, &message), BO_EIO);
    bo__trainer_free(whole);
    bo__trainer_free(first);
    bo__trainer_free(second);
    bo__trainer_free(other);
}

static void test_bad_options(void **state)
{
    bo__trainer *t;
    bo_message message;
    bo__train_options o = small(&bo__nptype_cnp);
    o.batch = 0;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    o = small(&bo__nptype_cnp);
    o.adam.rate = NAN;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    o = small(&bo__nptype_cnp);
    o.prior.dim = 2;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    assert_null(t);
    bo__trainer_free(NULL);
}

/* A rate that blows the weights up: the step fails and the weights stay. */
static void test_divergence(void **state)
{
    bo__train_options o = small(&bo__nptype_cnp);
    o.adam.rate = 1;
    o.adam.weight_decay = 1e30;
    bo__trainer *t = made(&o);
    size_t bytes = bo__trainer_model(t)->set.size * sizeof(float);
    float *before = malloc(bytes);
    bo__train_report report;
    bo_message message;
    bo_status status = BO_OK;
    for (size_t i = 0; i < 20 && !status; i++) {
        memcpy(before, bo__trainer_weights(t), bytes);
        status = bo__trainer_step(t, &report, &message);
    }
    assert_int_equal(status, BO_ENUMERIC);
    assert_memory_equal(before, bo__trainer_weights(t), bytes);
    free(before);
    bo__trainer_free(t);
}

static double score_of(const bo__trainer *t, size_t threads)
{
    bo__score score;
    bo__score_plan plan = {.prior = {.count = 1, .kinds = {BO_PRIOR_RBF}, .dim = 1}, .seed = 5,
                           .batches = 8, .tasks = 5, .samples = 3, .threads = threads};
    bo_message message;
    if (bo__score_model(bo__trainer_model(t), bo__trainer_weights(t), &plan, &score, &message))
        fail_msg("%s", message.text);
    assert_true(score.target_error > 0 && score.context > -20);
    return score.target;
}

static void test_it_learns(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++) {
        bo__train_options o = small(bo__nptype_at(i));
        o.batch = 16;
        o.adam.steps = 60;
        o.adam.rate = 3e-3;
        bo__trainer *t = made(&o);
        double before = score_of(t, 1);
        assert_true(before == score_of(t, 2));
        run(t, 60);
        double after = score_of(t, 1);
        if (!(after > before + 0.05))
            fail_msg("%s: score %g before, %g after", o.model.type->name, before, after);
        bo__trainer_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_change_nothing), cmocka_unit_test(test_resume),
        cmocka_unit_test(test_bad_options),            cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_it_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
