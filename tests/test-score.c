/* test-score.c - what predictions and held-out scores are multiplied in, whatever the threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * bo__matmul is wrapped by the linker: predictions must ask for float32 on every CPU, also on one
 * where training is faster in something coarser.
 */
#include "check.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "np-weights.h"
#include "npposterior.h"
#include "rng.h"
#include "score.h"
#include "taskbatch.h"

static atomic_size_t products, coarse;

void __real_bo__matmul(const bo__product *p);
void __wrap_bo__matmul(const bo__product *p);

void __wrap_bo__matmul(const bo__product *p)
{
    products++;
    coarse += p->precision != BO__PRECISION_FLOAT32;
    __real_bo__matmul(p);
}

static void only_float32(const char *who, const char *kind)
{
    if (products == 0 || coarse > 0)
        fail_msg("%s of %s: %zu of %zu products are not in float32", who, kind, (size_t)coarse,
                 (size_t)products);
    products = 0;
}

static void check_posterior(const bo__npmodel *model, const float *theta)
{
    double x[8] = {-1.5, -1, -0.5, 0, 0.4, 0.8, 1.2, 1.7}, y[8] = {0, 1, 0, -1, 0, 1, 0, 1};
    double at[3] = {-0.3, 0.1, 1}, mean[12], sd[12], dx[3] = {0};
    bo__npposterior p;
    bo__npposterior_init(&p, model, theta);
    assert_int_equal(bo__npposterior_fit(&p, 8, x, y, (bo__npunits){0, 1, 0, 1},
                                         (bo__npsampling){4, 1, 1}, NULL), BO_OK);
    only_float32("the fit", model->spec.type->name);
    void *work = aligned_alloc(64, bo__npposterior_workspace(&p, 3));
    assert_int_equal(bo__npposterior_at(&p, 3, at, p.components, mean, sd, work), BO_OK);
    only_float32("the prediction", model->spec.type->name);
    assert_int_equal(bo__npposterior_pullback(&p, 3, at, p.components, mean, sd, dx, work), BO_OK);
    only_float32("the derivative", model->spec.type->name);
    free(work);
    bo__npposterior_free(&p);
}

static const bo__score_plan plan = {.prior = {.count = 1, .kinds = {BO_PRIOR_RBF}, .dim = 1},
                                    .seed = 2, .batches = 2, .tasks = 3, .samples = 4};

static bo__score score_of(const bo__npmodel *model, const float *theta, size_t threads)
{
    bo__score score;
    bo__score_plan p = plan;
    p.threads = threads;
    bo_message message;
    if (bo__score_model(model, theta, &p, &score, &message))
        fail_msg("%s", message.text);
    return score;
}

static void test_float32(void **state)
{
    const bo__nptype *type;
    for (size_t i = 0; (type = bo__nptype_at(i)); i++) {
        bo__npspec spec = small_spec(type->name, 1, 1);
        bo__npmodel model;
        assert_int_equal(bo__npmodel_init(&model, &spec, NULL), BO_OK);
        float *theta = random_weights(&model, 3);
        check_posterior(&model, theta);
        bo__score one = score_of(&model, theta, 1), two = score_of(&model, theta, 2);
        only_float32("the score", type->name);
        assert_true(one.target == two.target && one.context == two.context);
        free(theta);
        bo__npmodel_free(&model);
    }
}

/* Predictions so far away that float32 has no number for their likelihood are no score. */
static void test_not_finite(void **state)
{
    bo__npspec spec = small_spec("cnp", 1, 1);
    bo__npmodel model;
    bo__score score;
    bo_message message;
    assert_int_equal(bo__npmodel_init(&model, &spec, NULL), BO_OK);
    float *theta = random_weights(&model, 3);
    for (size_t i = 0; i < model.set.size; i++)
        theta[i] *= 1e3f;
    assert_int_equal(bo__score_model(&model, theta, &plan, &score, &message), BO_ENUMERIC);
    assert_non_null(strstr(message.text, "score is"));
    free(theta);
    bo__npmodel_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float32),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
