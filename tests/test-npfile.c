/* test-npfile.c - models in weight files: there and back, and what is refused.
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

#include "npfile.h"
#include "safetensors.h"

#define PATH "test-npfile.tmp"

typedef struct made {
    bo__npmodel model;
    float *theta;
    size_t count;
    bo__stored *tensors; /* of the model, to be tampered with */
} made;

static void make(made *m, const char *kind, size_t dim_x)
{
    bo__npspec spec = bo__npspec_usual(bo__nptype_find(kind));
    spec.dim_x = dim_x;
    spec.sigma_floor = 0.03f;
    spec.pre_norm = spec.type->latent;
    assert_int_equal(bo__npmodel_init(&m->model, &spec, NULL), BO_OK);
    m->theta = aligned_alloc(64, m->model.set.size * sizeof *m->theta);
    bo__parameters_start(&m->model.set, 4, m->theta);
    m->count = m->model.set.count;
    m->tensors = calloc(m->count + 1, sizeof *m->tensors);
    for (size_t i = 0; i < m->count; i++) {
        const bo__parameter *p = &m->model.set.items[i];
        m->tensors[i] = (bo__stored){.name = p->name, .dims = p->dims,
                                     .shape = {p->rows, p->cols}, .size = p->rows * p->cols,
                                     .data = m->theta + p->offset};
    }
}

static void unmake(made *m)
{
    bo__npmodel_free(&m->model);
    free(m->theta);
    free(m->tensors);
    unlink(PATH);
}

static void test_there_and_back(void **state)
{
    for (size_t i = 0; bo__nptype_at(i); i++) {
        made m;
        make(&m, bo__nptype_at(i)->name, 1 + i % 3);
        bo__npinfo info, back;
        bo__npinfo_init(&info);
        info.steps = 12;
        info.seed = UINT64_MAX;
        info.x_lower = -1;
        strcpy(info.prior, "rbf");
        bo_message message;
        assert_int_equal(bo__npfile_save(PATH, &m.model, m.theta, &info, &message), BO_OK);
        bo__npmodel model;
        float *theta;
        if (bo__npfile_load(PATH, NULL, &model, &theta, &back, &message))
            fail_msg("%s", message.text);
        assert_ptr_equal(model.spec.type, m.model.spec.type);
        assert_true(model.spec.dim_x == 1 + i % 3 && model.spec.sigma_floor == 0.03f);
        assert_int_equal(model.spec.pre_norm, m.model.spec.pre_norm);
        assert_memory_equal(theta, m.theta, model.set.size * sizeof *theta);
        assert_true(back.steps == 12 && back.seed == UINT64_MAX && back.x_lower == -1 &&
                    back.x_upper == 2 && fabs(back.y_scale - sqrt(0.37)) < 1e-8);
        assert_string_equal(back.prior, "rbf");
        bo__npmodel_free(&model);
        free(theta);
        unmake(&m);
    }
}

/* Writes the (tampered) tensors with these texts; loading says `word`, or works if it is NULL. */
static void expect(const made *m, size_t texts, const bo__text_pair *text, const char *kind,
                   bo_status right, const char *word)
{
    bo_message message = {""};
    assert_int_equal(bo__safetensors_write(PATH, m->count, m->tensors, texts, text, &message),
                     BO_OK);
    bo__npmodel model;
    float *theta;
    bo_status status = bo__npfile_load(PATH, kind, &model, &theta, NULL, &message);
    if (status != right || (word && !strstr(message.text, word)))
        fail_msg("status %d, message '%s', expected %d and '%s'", status, message.text, right,
                 word ? word : "");
    if (status) {
        assert_null(theta);
        return;
    }
    bo__npmodel_free(&model);
    free(theta);
}

static void test_without_metadata(void **state)
{
    made m;
    make(&m, "banp", 2);
    expect(&m, 0, NULL, "banp", BO_OK, NULL);
    expect(&m, 0, NULL, NULL, BO_EINVAL, "--kind");
    expect(&m, 0, NULL, "canp", BO_EFORMAT, "dec.fc_ctx.weight' is not one");
    expect(&m, 0, NULL, "anp", BO_EFORMAT, "is missing");
    expect(&m, 0, NULL, "gp", BO_EINVAL, "'gp'");
    unmake(&m);
}

static void test_bad_metadata(void **state)
{
    made m;
    make(&m, "cnp", 1);
    const bo__text_pair format[] = {{"format", "something else"}};
    expect(&m, 1, format, "cnp", BO_EFORMAT, "something else");
    const bo__text_pair kind[] = {{"kind", "np"}};
    expect(&m, 1, kind, "cnp", BO_EINVAL, "holds a np, not a cnp");
    const bo__text_pair unknown[] = {{"kind", "transformer"}};
    expect(&m, 1, unknown, NULL, BO_EFORMAT, "'transformer'");
    const bo__text_pair numbers[][2] = {
        {{"kind", "cnp"}, {"sigma_floor", "0,1"}}, {{"kind", "cnp"}, {"sigma_floor", "nan"}},
        {{"kind", "cnp"}, {"sigma_floor", "2"}},   {{"kind", "cnp"}, {"heads", "-1"}},
        {{"kind", "cnp"}, {"heads", "3"}},         {{"kind", "cnp"}, {"ablation", "77"}},
        {{"kind", "cnp"}, {"norm", "both"}},
        {{"kind", "cnp"}, {"seed", "99999999999999999999999"}},
        {{"kind", "cnp"}, {"x_lower", "5"}},       {{"kind", "cnp"}, {"y_scale", "0"}},
        {{"kind", "cnp"}, {"steps", ""}},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        expect(&m, 2, numbers[i], NULL, BO_EFORMAT, PATH);
    unmake(&m);
}

static void test_bad_scales(void **state)
{
    made m;
    make(&m, "cnp", 1);
    const char *const bad[] = {"0", "-0.6", "1e-320", "1e-40", "1e39", "1e400", "inf", "nan", "x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const bo__text_pair text[] = {{"kind", "cnp"}, {"y_scale", bad[i]}};
        expect(&m, 2, text, NULL, BO_EFORMAT, "y_scale");
    }
    const char *const boxes[][2] = {{"-2", "-2"},      {"2", "-2"},    {"0", "1e-320"},
                                    {"-3e38", "3e38"}, {"-inf", "0"},  {"1", "1.000000001"},
                                    {"-1e308", "1e308"}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        const bo__text_pair text[] = {{"kind", "cnp"}, {"x_lower", boxes[i][0]},
                                      {"x_upper", boxes[i][1]}};
        expect(&m, 3, text, NULL, BO_EFORMAT, "x_lower");
    }
    const bo__text_pair good[] = {{"kind", "cnp"}, {"x_lower", "0"}, {"x_upper", "1e-30"},
                                  {"y_scale", "1e30"}};
    expect(&m, 4, good, NULL, BO_OK, NULL);
    unmake(&m);
}

static void test_metadata_against_tensors(void **state)
{
    const struct {
        const char *key, *right, *wrong, *word;
    } cases[] = {{"dim_x", "2", "5", "'dim_x' is 5, but the tensors are those of 2"},
                 {"dim_y", "1", "2", "'dim_y' is 2, but the tensors are those of 1"},
                 {"width", "128", "64", "'width' is 64, but the tensors are those of 128"},
                 {"latent", "128", "7", "'latent' is 7, but the tensors are those of 128"},
                 {"depths", "4,2", "9,9", "'depths' is '9,9', but the tensors are those of '4,2'"},
                 {"width", "128", "wide", "'width' is 'wide'"}};
    made m;
    make(&m, "np", 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bo__text_pair right[] = {{"kind", "np"}, {"norm", "pre"},
                                       {cases[i].key, cases[i].right}};
        const bo__text_pair wrong[] = {{"kind", "np"}, {"norm", "pre"},
                                       {cases[i].key, cases[i].wrong}};
        expect(&m, 3, right, NULL, BO_OK, NULL);
        expect(&m, 3, wrong, NULL, BO_EFORMAT, cases[i].word);
    }
    unmake(&m);
}

static void test_bad_tensors(void **state)
{
    made m;
    make(&m, "cnp", 1);
    const bo__text_pair text[] = {{"kind", "cnp"}};
    bo__stored was = m.tensors[0];
    m.tensors[0].name = "other";
    expect(&m, 1, text, NULL, BO_EFORMAT, "'enc1.net_pre.0.weight' is missing");
    m.tensors[0] = was;
    m.tensors[0].shape[0] = was.shape[1];
    m.tensors[0].shape[1] = was.shape[0];
    expect(&m, 1, text, NULL, BO_EFORMAT, "'enc1.net_pre.0.weight' must be 128 by 2");
    m.tensors[0] = was;
    m.tensors[m.count++] = (bo__stored){.name = "extra", .dims = 1, .shape = {1}, .size = 1,
                                        .data = m.theta};
    expect(&m, 1, text, NULL, BO_EFORMAT, "'extra' is not one of a");
    m.count--;
    m.theta[m.model.set.items[3].offset] = NAN;
    expect(&m, 1, text, NULL, BO_EFORMAT, "holds nan");
    m.count = 0;
    expect(&m, 1, text, NULL, BO_EFORMAT, "no neural process");
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_without_metadata),
        cmocka_unit_test(test_bad_metadata),
        cmocka_unit_test(test_bad_scales),
        cmocka_unit_test(test_metadata_against_tensors),
        cmocka_unit_test(test_bad_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
