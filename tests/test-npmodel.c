/* test-npmodel.c - the six models: sizes, losses and derivatives against a plain version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "np-reference.h"
#include "rng.h"

static void test_parameter_counts(void **state)
{
    const struct {
        const char *name;
        size_t total;
    } right[] = {{"cnp", 215682},  {"np", 232194},  {"bnp", 248450},
                 {"canp", 331906}, {"anp", 348418}, {"banp", 364674}};
    for (size_t i = 0; i < 6; i++) {
        bo__npmodel model;
        bo__npspec spec = bo__npspec_usual(bo__nptype_find(right[i].name));
        assert_int_equal(bo__npmodel_init(&model, &spec, NULL), BO_OK);
        assert_int_equal(bo__parameters_total(&model.set), right[i].total);
        bo__npmodel_free(&model);
    }
    assert_null(bo__nptype_at(6));
    assert_null(bo__nptype_find("gp"));
}

static void test_names(void **state)
{
    const char *const banp[] = {"enc1.net_v.0.weight",       "enc1.self_attn.fc_q.weight",
                                "enc1.net_qk.2.bias",        "enc1.attn.ln2.bias",
                                "enc2.net_pre.0.2.weight",   "enc2.net_pre.2.fc_out.bias",
                                "enc2.net_post.2.bias",      "dec.fc.weight",
                                "dec.mlp.3.weight",          "dec.fc_ctx.weight"};
    bo__npmodel model;
    bo__npspec spec = bo__npspec_usual(&bo__nptype_banp);
    assert_int_equal(bo__npmodel_init(&model, &spec, NULL), BO_OK);
    for (size_t i = 0; i < sizeof banp / sizeof *banp; i++)
        assert_non_null(bo__parameters_find(&model.set, banp[i]));
    const bo__parameter *fc = bo__parameters_find(&model.set, "dec.fc.weight");
    assert_true(fc->dims == 2 && fc->rows == 128 && fc->cols == 257);
    assert_null(bo__parameters_find(&model.set, "enc2.net_pre.0.weight"));
    bo__npmodel_free(&model);
}

static void test_bad_specs(void **state)
{
    bo__npmodel model;
    bo_message message;
    bo__npspec good = bo__npspec_usual(&bo__nptype_cnp), bad = good;
    bad.heads = 3;
    assert_int_equal(bo__npmodel_init(&model, &bad, &message), BO_EINVAL);
    bo__npmodel_free(&model);
    bad = good;
    bad.dim_x = 0;
    assert_int_equal(bo__npmodel_init(&model, &bad, &message), BO_EINVAL);
    bad = good;
    bad.sigma_floor = NAN;
    assert_int_equal(bo__npmodel_init(&model, &bad, &message), BO_EINVAL);
    bad = good;
    bad.ablation = BO_ABLATE_ADAPTATION;
    assert_int_equal(bo__npmodel_init(&model, &bad, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "cnp"));
    bo__npmodel_free(&model);
}

/* One random batch, as tensors and as doubles. */
typedef struct problem {
    bo__npmodel model;
    size_t tasks, points, context, samples;
    float *theta, *dtheta;
    double *exact; /* the weights as doubles */
    double *x, *y, *noise; /* noise: tasks × samples × width */
    uint32_t *pairs, *residuals; /* samples × tasks × context */
} problem;

static float *aligned_floats(size_t n)
{
    float *p = aligned_alloc(64, (n + 15) / 16 * 64);
    memset(p, 0, (n + 15) / 16 * 64);
    return p;
}

static void make_problem(problem *p, const bo__npspec *spec, size_t samples)
{
    *p = (problem){.tasks = 2, .points = 6, .context = 4, .samples = samples};
    assert_int_equal(bo__npmodel_init(&p->model, spec, NULL), BO_OK);
    size_t size = p->model.set.size, rows = p->tasks * p->points;
    size_t draws = samples * p->tasks * p->context, latent = samples * p->tasks * spec->width;
    p->theta = aligned_floats(size);
    p->dtheta = aligned_floats(size);
    p->exact = new_doubles(size);
    bo__parameters_start(&p->model.set, 7, p->theta);
    bo__rng rng;
    bo__rng_init(&rng, 3, "test", 0);
    for (size_t i = 0; i < size; i++) {
        if (p->theta[i] == 0 || p->theta[i] == 1) /* layer norms: away from their start */
            p->theta[i] += p->theta[i] == 0 ? 0 : 0.2f * (float)bo__rng_normal(&rng);
        p->exact[i] = p->theta[i];
    }
    p->x = new_doubles(rows * spec->dim_x);
    p->y = new_doubles(rows * spec->dim_y);
    p->noise = new_doubles(latent);
    p->pairs = malloc(draws * sizeof *p->pairs);
    p->residuals = malloc(draws * sizeof *p->residuals);
    for (size_t i = 0; i < rows * spec->dim_x; i++)
        p->x[i] = (float)(4 * bo__rng_uniform(&rng) - 2);
    for (size_t i = 0; i < rows * spec->dim_y; i++)
        p->y[i] = (float)bo__rng_normal(&rng);
    for (size_t i = 0; i < latent; i++)
        p->noise[i] = (float)bo__rng_normal(&rng);
    for (size_t i = 0; i < draws; i++) {
        p->pairs[i] = (uint32_t)bo__rng_below(&rng, p->context);
        p->residuals[i] = (uint32_t)bo__rng_below(&rng, p->context);
    }
}

static void free_problem(problem *p)
{
    bo__npmodel_free(&p->model);
    free(p->theta);
    free(p->dtheta);
    free(p->exact);
    free(p->x);
    free(p->y);
    free(p->noise);
    free(p->pairs);
    free(p->residuals);
}

static double reference_loss(const problem *p, const double *theta)
{
    const bo__npspec *spec = &p->model.spec;
    reference r = {&p->model, theta}, fixed = {&p->model, p->exact};
    size_t k = p->samples, c = p->context, h = spec->width;
    uint32_t *pairs = malloc(k * c * sizeof *pairs), *residuals = malloc(k * c * sizeof *pairs);
    double loss = 0, *noise = new_doubles(k * h);
    for (size_t t = 0; t < p->tasks; t++) {
        for (size_t s = 0; s < k; s++) {
            memcpy(pairs + s * c, p->pairs + (s * p->tasks + t) * c, c * sizeof *pairs);
            memcpy(residuals + s * c, p->residuals + (s * p->tasks + t) * c, c * sizeof *pairs);
            memcpy(noise + s * h, p->noise + (s * p->tasks + t) * h, h * sizeof *noise);
        }
        ref_task task = {c, p->points, k, p->x + t * p->points * spec->dim_x,
                         p->y + t * p->points * spec->dim_y, noise, pairs, residuals};
        loss += ref_loss(r, fixed, &task) / (double)p->tasks;
    }
    free(pairs);
    free(residuals);
    free(noise);
    return loss;
}

static double tape_loss(problem *p, bo__arena *arena)
{
    const bo__npspec *spec = &p->model.spec;
    bo__tape tape;
    bo__tape_init(&tape, arena, p->theta, p->dtheta);
    bo__tensor *x = bo__tensor_new(&tape, 1, p->tasks, p->points, spec->dim_x, false);
    bo__tensor *y = bo__tensor_new(&tape, 1, p->tasks, p->points, spec->dim_y, false);
    bo__tensor *noise = bo__tensor_new(&tape, p->samples, p->tasks, 1, spec->width, false);
    for (size_t i = 0; i < bo__tensor_size(x); i++)
        x->data[i] = (float)p->x[i];
    for (size_t i = 0; i < bo__tensor_size(y); i++)
        y->data[i] = (float)p->y[i];
    for (size_t i = 0; i < bo__tensor_size(noise); i++)
        noise->data[i] = (float)p->noise[i];
    bo__npbatch batch = {x, y, p->context, p->samples, noise, p->pairs, p->residuals,
                         1 / (float)p->tasks};
    double loss = spec->type->loss(&tape, &p->model, &batch);
    bo__tape_backward(&tape);
    assert_false(tape.failed);
    return loss;
}

/* The derivative along a random direction of each tensor, against differences. */
static void compare_directions(problem *p)
{
    const double h = 1e-7; /* small, or ReLUs change sides */
    bo__rng rng;
    bo__rng_init(&rng, 5, "direction", 0);
    size_t size = p->model.set.size;
    double *moved = new_doubles(size), *direction = new_doubles(size);
    for (size_t i = 0; i < p->model.set.count; i++) {
        const bo__parameter *q = &p->model.set.items[i];
        double along = 0, norm = 0, values[2];
        for (size_t j = q->offset; j < q->offset + q->rows * q->cols; j++) {
            direction[j] = bo__rng_normal(&rng);
            along += direction[j] * p->dtheta[j];
            norm += (double)p->dtheta[j] * p->dtheta[j];
        }
        for (int side = 0; side < 2; side++) {
            memcpy(moved, p->exact, size * sizeof *moved);
            for (size_t j = q->offset; j < q->offset + q->rows * q->cols; j++)
                moved[j] += (side ? h : -h) * direction[j];
            values[side] = reference_loss(p, moved);
        }
        double difference = (values[1] - values[0]) / (2 * h);
        if (!(fabs(difference - along) <= 1e-4 * sqrt(norm) + 1e-6))
            fail_msg("%s %s: derivative %.8g, differences say %.8g", p->model.spec.type->name,
                     q->name, along, difference);
    }
    free(moved);
    free(direction);
}

static void check(bo__npspec spec, size_t samples, bool derivatives)
{
    problem p;
    make_problem(&p, &spec, samples);
    bo__arena arena;
    bo__arena_init(&arena);
    double loss = tape_loss(&p, &arena), right = reference_loss(&p, p.exact);
    if (!(fabs(loss - right) <= 2e-6 * (1 + fabs(right))))
        fail_msg("%s: loss %.8g, must be %.8g", spec.type->name, loss, right);
    if (derivatives)
        compare_directions(&p);
    bo__arena_free(&arena);
    free_problem(&p);
}

static void test_full_width(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++)
        check(bo__npspec_usual(bo__nptype_at(i)), 3, false);
}

static bo__npspec small(const bo__nptype *type)
{
    bo__npspec spec = bo__npspec_usual(type);
    spec.width = 32;
    spec.heads = 2;
    return spec;
}

static void test_derivatives(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++)
        check(small(bo__nptype_at(i)), 3, true);
}

static void test_one_sample(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++)
        check(small(bo__nptype_at(i)), 1, true);
}

static void test_more_dimensions(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++) {
        bo__npspec spec = small(bo__nptype_at(i));
        spec.dim_x = 3;
        spec.dim_y = 2;
        spec.sigma_floor = 0.01f;
        check(spec, 2, true);
    }
}

/* Norms first: other values, as many weights. */
static void test_pre_norm(void **state)
{
    const bo__nptype *types[] = {&bo__nptype_canp, &bo__nptype_anp, &bo__nptype_banp};
    for (size_t i = 0; i < 3; i++) {
        bo__npspec post = bo__npspec_usual(types[i]), pre = post;
        pre.pre_norm = true;
        bo__npmodel a, b;
        assert_int_equal(bo__npmodel_init(&a, &post, NULL), BO_OK);
        assert_int_equal(bo__npmodel_init(&b, &pre, NULL), BO_OK);
        assert_int_equal(bo__parameters_total(&a.set), bo__parameters_total(&b.set));
        bo__npmodel_free(&a);
        bo__npmodel_free(&b);
        check(pre, 2, false);
        pre.width = 32;
        pre.heads = 2;
        check(pre, 3, true);
    }
}

static void test_ablations(void **state)
{
    const bo__nptype *types[] = {&bo__nptype_bnp, &bo__nptype_banp};
    for (size_t i = 0; i < 2; i++)
        for (int a = BO_ABLATE_PAIRED; a <= BO_ABLATE_BASE_LOSS; a++) {
            bo__npspec spec = small(types[i]);
            spec.ablation = (bo__ablation)a;
            check(spec, 2, true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameter_counts), cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_specs),        cmocka_unit_test(test_full_width),
        cmocka_unit_test(test_derivatives),      cmocka_unit_test(test_one_sample),
        cmocka_unit_test(test_more_dimensions),  cmocka_unit_test(test_ablations),
        cmocka_unit_test(test_pre_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
