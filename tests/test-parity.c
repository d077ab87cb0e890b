/* test-parity.c - predictions, losses and gradients against an independent PyTorch version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers are in tests/parity-fixture.txt, which tests/parity-fixture.py made; that script
 * says how weights and points are computed.
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

#include "npmodel.h"

enum { CONTEXT = 6, TARGETS = 5, LINES = 273, POINTS = CONTEXT + TARGETS };

/* A hash as a number in [-1, 1). */
static double mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (x ^ x >> 16) / 0x1p31 - 1;
}

static uint32_t fnv(const char *name)
{
    uint32_t h = 0x811c9dc5u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x01000193u;
    return h;
}

static void fill(const bo__parameters *set, float *theta)
{
    for (size_t i = 0; i < set->count; i++) {
        const bo__parameter *p = &set->items[i];
        bool norm = strstr(p->name, ".ln") != NULL;
        double base = norm && strstr(p->name, "weight") ? 1 : 0;
        double fan_in = (double)(p->dims == 2 ? p->cols : set->items[i - 1].cols);
        double bound = norm ? 0.1 : 1 / sqrt(fan_in);
        for (size_t j = 0; j < p->rows * p->cols; j++)
            theta[p->offset + j] =
                (float)(base + bound * mixed(fnv(p->name) + (uint32_t)j * 0x9e3779b1u));
    }
}

/* One model with its inputs and, after a loss, its gradients. */
typedef struct subject {
    bo__npmodel model;
    float *theta, *dtheta;
    bo__arena arena;
    bo__tape tape;
    bo__tensor *x, *y; /* context, then targets */
} subject;

static void make(subject *s, const char *kind, bo__precision precision)
{
    bo__npspec spec = bo__npspec_usual(bo__nptype_find(kind));
    assert_int_equal(bo__npmodel_init(&s->model, &spec, NULL), BO_OK);
    size_t bytes = s->model.set.size * sizeof(float);
    s->theta = aligned_alloc(64, bytes);
    s->dtheta = aligned_alloc(64, bytes);
    memset(s->theta, 0, bytes);
    memset(s->dtheta, 0, bytes);
    fill(&s->model.set, s->theta);
    bo__arena_init(&s->arena);
    bo__tape_init(&s->tape, &s->arena, s->theta, s->dtheta);
    s->tape.precision = precision;
    s->x = bo__tensor_new(&s->tape, 1, 1, POINTS, 1, false);
    s->y = bo__tensor_new(&s->tape, 1, 1, POINTS, 1, false);
    for (uint32_t i = 0; i < POINTS; i++) {
        s->x->data[i] = (float)(2 * mixed(i < CONTEXT ? 100 + i : 200 + i - CONTEXT));
        s->y->data[i] = (float)sin(3 * (double)s->x->data[i]);
    }
}

static void unmake(subject *s)
{
    bo__npmodel_free(&s->model);
    bo__arena_free(&s->arena);
    free(s->theta);
    free(s->dtheta);
}

/* What the base path says at all points. */
static bo__tensor *base_path(subject *s)
{
    const bo__nptype *type = s->model.spec.type;
    bo__tape *tape = &s->tape;
    bo__tensor *features = bo__npfeatures(tape, &s->model, s->x);
    bo__tensor *zero = bo__tensor_new(tape, 1, 1, 1, s->model.spec.width, false);
    memset(zero->data, 0, s->model.spec.width * sizeof *zero->data);
    bo__npcontext context = {
        .x = bo__slice(tape, s->x, 0, CONTEXT),
        .y = bo__slice(tape, s->y, 0, CONTEXT),
        .features = features ? bo__slice(tape, features, 0, CONTEXT) : NULL,
        .samples = 1,
        .noise = type->latent ? zero : NULL, /* z is the mean, with its derivative */
    };
    bo__npcode code = type->encode(tape, &s->model, &context);
    bo__npanswer answer = type->decode(tape, &s->model, &code, s->x, features);
    return type->latent ? answer.all : answer.base;
}

typedef struct results {
    float mu[POINTS], sigma[POINTS];
    double loss;
} results;

static void run(subject *s, results *r)
{
    bo__tensor *raw = base_path(s);
    bo__gaussian_read(raw, bo__npmodel_sigma(&s->model), r->mu, r->sigma);
    bo__tensor *log_p = bo__log_normal(&s->tape, raw, s->y, bo__npmodel_sigma(&s->model));
    r->loss = bo__total(&s->tape, log_p, -1.0f / POINTS);
    bo__tape_backward(&s->tape);
    assert_false(s->tape.failed);
}

static double gradient_norm(const subject *s, const char *name)
{
    const bo__parameter *p = bo__parameters_find(&s->model.set, name);
    assert_non_null(p);
    double sum = 0;
    for (size_t j = 0; j < p->rows * p->cols; j++)
        sum += (double)s->dtheta[p->offset + j] * s->dtheta[p->offset + j];
    return sqrt(sum);
}

/* Compares one line of the fixture, without the model's name. */
static void compare(const subject *s, const results *r, const char *line, double predict,
                    double other)
{
    size_t i;
    double a, b;
    char name[64];
    if (sscanf(line, "predict %zu %lf %lf", &i, &a, &b) == 3) {
        if (!(fabs(r->mu[CONTEXT + i] - a) <= predict && fabs(r->sigma[CONTEXT + i] - b) <= predict))
            fail_msg("%s: %.8g, %.8g; must be %s", s->model.spec.type->name,
                     (double)r->mu[CONTEXT + i], (double)r->sigma[CONTEXT + i], line);
    } else if (sscanf(line, "loss %lf", &a) == 1) {
        if (!(fabs(r->loss - a) <= other * fabs(a)))
            fail_msg("%s: loss %.8g; must be %.8g", s->model.spec.type->name, r->loss, a);
    } else if (sscanf(line, "gradient %63s %lf", name, &a) == 2) {
        double norm = gradient_norm(s, name);
        if (!(fabs(norm - a) <= other * (a + 1e-3)))
            fail_msg("%s: %s has norm %.8g; must be %.8g", s->model.spec.type->name, name, norm,
                     a);
    } else
        fail_msg("strange line: %s", line);
}

static void check_all(bo__precision precision, double predict, double other)
{
    const char *folder = getenv("top_srcdir");
    char path[4096], line[256], kind[8];
    snprintf(path, sizeof path, "%s/tests/parity-fixture.txt", folder ? folder : ".");
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot open %s", path);
    subject s = {0};
    results r;
    size_t lines = 0;
    int length;
    while (fgets(line, sizeof line, file)) {
        assert_int_equal(sscanf(line, "%7s %n", kind, &length), 1);
        if (!s.theta || strcmp(kind, s.model.spec.type->name)) {
            if (s.theta)
                unmake(&s);
            make(&s, kind, precision);
            run(&s, &r);
        }
        compare(&s, &r, line + length, predict, other);
        lines++;
    }
    unmake(&s);
    fclose(file);
    assert_int_equal(lines, LINES);
}

static void test_float32(void **state)
{
    check_all(BO__PRECISION_FLOAT32, 1e-5, 1e-4);
}

static void test_auto(void **state)
{
    check_all(BO__PRECISION_AUTO, 1e-5, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float32),
        cmocka_unit_test(test_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
