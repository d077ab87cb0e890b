/* test-npsurrogate.c - neural surrogates: mixture, derivatives, threads, determinism, errors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <pthread.h>

#include "builtin.h"
#include "np-weights.h"
#include "npfile.h"
#include "safetensors.h"

enum { MOST = 200, SAMPLES = 6, QUERIES = 70 };

static const char *const kinds[] = {"cnp", "np", "bnp", "canp", "anp", "banp"};

static char *folder;

static int write_all(void **state)
{
    folder = new_models_folder();
    for (size_t k = 0; k < 6; k++)
        for (size_t dim = 1; dim <= 2; dim++) {
            char name[64];
            bo__npspec spec = small_spec(kinds[k], dim, 1);
            snprintf(name, sizeof name, "%s-sharp%s", kinds[k], dim == 2 ? "-2d" : "");
            write_model(folder, name, &spec, k);
        }
    for (size_t k = 0; k < 6; k += 3)
        for (size_t seed = 2; seed <= 5; seed++) {
            char name[64];
            bo__npspec spec = small_spec(kinds[k], 1, 1);
            snprintf(name, sizeof name, "%s-sharp-s%zu", kinds[k], seed);
            write_model(folder, name, &spec, 10 + seed);
        }
    return 0;
}

static int remove_all(void **state)
{
    remove_folder(folder);
    return 0;
}

typedef struct fitted {
    const bo_surrogate_type *type;
    void *self, *work;
    size_t width, n, K;
    double u[MOST * 2], z[MOST];
} fitted;

static bo_status make(fitted *f, const char *name, size_t width, const bo_options *changed,
                      bo_message *message)
{
    static const size_t group[2] = {0, 1};
    bo_options options;
    bo_options_init(&options);
    options.samples = SAMPLES;
    *f = (fitted){.type = bo_surrogate_find(name), .width = width};
    assert_non_null(f->type);
    bo_setup setup = {.width = width, .dim = width, .group = group, .seed = 4,
                      .options = changed ? changed : &options};
    return f->type->create(&f->self, &setup, message);
}

static void fit_scaled(fitted *f, size_t n, double shift, double scale)
{
    bo__rng rng;
    bo__rng_init(&rng, 8, "test", 0);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < f->width; j++)
            f->u[i * f->width + j] = bo__rng_uniform(&rng);
        f->z[i] = sin(5 * f->u[i * f->width]) + 0.1 * bo__rng_normal(&rng);
    }
    bo_data data = {.n = n, .u = f->u, .z = f->z, .shift = shift, .scale = scale, .noise = NAN};
    bo_message message;
    if (f->type->fit(f->self, &data, &message))
        fail_msg("%s", message.text);
    f->n = n;
    f->K = f->type->components(f->self);
    free(f->work);
    f->work = aligned_alloc(64, (f->type->workspace(f->self, QUERIES) + 63) / 64 * 64);
}

static void release(fitted *f)
{
    f->type->free(f->self);
    free(f->work);
}

static void test_components(void **state)
{
    const size_t right[] = {1, SAMPLES, SAMPLES, 1, SAMPLES, SAMPLES, 5, 5};
    const size_t sizes[] = {0, 1, 2, 200};
    double u[QUERIES] = {0}, mean[QUERIES * 10], sd[QUERIES * 10];
    for (size_t i = 0; i < QUERIES; i++)
        u[i] = (double)i / QUERIES;
    for (size_t k = 0; k < 8; k++) {
        fitted f;
        const char *name = k < 6 ? kinds[k] : k == 6 ? "cnp+de" : "canp+de";
        assert_int_equal(make(&f, name, 1, NULL, NULL), BO_OK);
        for (size_t i = 0; i < 4; i++) {
            fit_scaled(&f, sizes[i], 0, 0.6);
            assert_int_equal(f.K, right[k]);
            assert_int_equal(f.type->predict(f.self, QUERIES, u, mean, sd, f.work), BO_OK);
            for (size_t j = 0; j < QUERIES * f.K; j++)
                assert_true(isfinite(mean[j]) && isfinite(sd[j]) && sd[j] > 0);
        }
        release(&f);
    }
}

/* Before the first value: mean 0 and the training functions' spread, in units of z. */
static void test_prior(void **state)
{
    fitted f;
    double u[2] = {0.2, 0.9}, mean[2 * SAMPLES], sd[2 * SAMPLES], d[2 * SAMPLES] = {1, 1}, du[2];
    assert_int_equal(make(&f, "banp", 1, NULL, NULL), BO_OK);
    fit_scaled(&f, 0, 0, 1);
    f.type->predict(f.self, 2, u, mean, sd, f.work);
    for (size_t i = 0; i < 2 * SAMPLES; i++) {
        assert_close(mean[i], 0, 0);
        assert_close(sd[i], sqrt(0.37), 1e-9);
    }
    du[0] = du[1] = 7;
    f.type->pullback(f.self, 2, u, d, d, du, f.work);
    assert_true(du[0] == 0 && du[1] == 0);
    release(&f);
}

/* The change of a weighted sum over a short way along the diagonal, as predict gives it, against
 * the mean of the derivative on that way: differences of float32 numbers need a way, not a
 * point. */
static void check_pullback(fitted *f, size_t m)
{
    enum { STEPS = 200 };
    double u[QUERIES * 2], mean[QUERIES * 10], sd[QUERIES * 10], dmean[QUERIES * 10],
        dsd[QUERIES * 10], du[QUERIES * 2];
    double along[QUERIES] = {0}, change[QUERIES] = {0}, size[QUERIES] = {0};
    const double way = 2e-2;
    for (size_t i = 0; i < m * f->K; i++) {
        dmean[i] = cos(3.0 * (double)i);
        dsd[i] = sin(2.0 * (double)i);
    }
    for (int k = 0; k <= STEPS; k++) {
        for (size_t i = 0; i < m * f->width; i++)
            u[i] = 0.04 + 0.9 * (double)i / (double)(m * f->width) + k * way / STEPS;
        assert_int_equal(f->type->predict(f->self, m, u, mean, sd, f->work), BO_OK);
        assert_int_equal(f->type->pullback(f->self, m, u, dmean, dsd, du, f->work), BO_OK);
        for (size_t i = 0; i < m * f->width; i++) {
            along[i / f->width] += du[i] * (k == 0 || k == STEPS ? 0.5 : 1) / STEPS;
            size[i / f->width] += fabs(du[i]) / STEPS;
        }
        for (size_t c = 0; (k == 0 || k == STEPS) && c < m * f->K; c++)
            change[c / f->K] += (k ? 1 : -1) * (dmean[c] * mean[c] + dsd[c] * sd[c]) / way;
    }
    for (size_t i = 0; i < m; i++)
        assert_close(change[i], along[i], 0.005 * (1 + size[i]));
}

static void test_pullback(void **state)
{
    for (size_t k = 0; k < 6; k++)
        for (size_t width = 1; width <= 2; width++) {
            fitted f;
            assert_int_equal(make(&f, kinds[k], width, NULL, NULL), BO_OK);
            fit_scaled(&f, 12, 0.1, 0.6);
            check_pullback(&f, 1);
            check_pullback(&f, 5);
            check_pullback(&f, QUERIES);
            fit_scaled(&f, 12, 1e6, 1e5);
            check_pullback(&f, 3);
            release(&f);
        }
    fitted f;
    assert_int_equal(make(&f, "canp+de", 1, NULL, NULL), BO_OK);
    fit_scaled(&f, 12, 0, 0.6);
    check_pullback(&f, QUERIES);
    release(&f);
}

/* An ensemble's components are its members' own predictions. */
static void test_ensemble(void **state)
{
    fitted all, one;
    char path[300], list[2000] = "";
    double u[3] = {0.1, 0.5, 0.8}, mean[15], sd[15], m[3], s[3];
    assert_int_equal(make(&all, "cnp+de", 1, NULL, NULL), BO_OK);
    fit_scaled(&all, 9, 0, 0.6);
    all.type->predict(all.self, 3, u, mean, sd, all.work);
    for (size_t k = 0; k < 5; k++) {
        bo_options options;
        bo_options_init(&options);
        snprintf(path, sizeof path, k ? "%s/cnp-sharp-s%zu.safetensors"
                                      : "%s/cnp-sharp.safetensors", folder, k + 1);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? "," : "", path);
        options.model = path;
        assert_int_equal(make(&one, "cnp", 1, &options, NULL), BO_OK);
        fit_scaled(&one, 9, 0, 0.6);
        one.type->predict(one.self, 3, u, m, s, one.work);
        for (size_t i = 0; i < 3; i++) {
            assert_close(mean[i * 5 + k], m[i], 0);
            assert_close(sd[i * 5 + k], s[i], 0);
        }
        release(&one);
    }
    bo_options options;
    bo_options_init(&options);
    options.model = list;
    assert_int_equal(make(&one, "cnp", 1, &options, NULL), BO_OK); /* of any kind */
    fit_scaled(&one, 9, 0, 0.6);
    assert_int_equal(one.K, 5);
    release(&one);
    release(&all);
}

/* A repeated fit gives the same; between fits nothing changes; other seeds give other draws. */
static void test_determinism(void **state)
{
    for (size_t k = 0; k < 6; k++) {
        fitted f, g;
        double u[2] = {0.3, 0.7}, a[2 * SAMPLES], b[2 * SAMPLES], c[2 * SAMPLES];
        assert_int_equal(make(&f, kinds[k], 1, NULL, NULL), BO_OK);
        assert_int_equal(make(&g, kinds[k], 1, NULL, NULL), BO_OK);
        fit_scaled(&f, 10, 0, 0.6);
        f.type->predict(f.self, 2, u, a, c, f.work);
        f.type->predict(f.self, 2, u, b, c, f.work);
        assert_memory_equal(a, b, 2 * f.K * sizeof *a);
        fit_scaled(&f, 3, 0, 0.6);
        fit_scaled(&f, 10, 0, 0.6);
        f.type->predict(f.self, 2, u, b, c, f.work);
        assert_memory_equal(a, b, 2 * f.K * sizeof *a);
        fit_scaled(&g, 10, 0, 0.6);
        g.type->predict(g.self, 2, u, b, c, g.work);
        assert_memory_equal(a, b, 2 * f.K * sizeof *a);
        release(&f);
        release(&g);
    }
}

typedef struct job {
    const fitted *f;
    void *work;
    size_t m;
    double mean[QUERIES * SAMPLES], sd[QUERIES * SAMPLES], du[QUERIES];
} job;

static void *query(void *argument)
{
    job *j = argument;
    const fitted *f = j->f;
    double u[QUERIES], ones[QUERIES * SAMPLES];
    for (size_t i = 0; i < QUERIES; i++)
        u[i] = (double)i / QUERIES;
    for (size_t i = 0; i < QUERIES * SAMPLES; i++)
        ones[i] = 1;
    for (size_t turn = 0; turn < 20; turn++)
        for (size_t i = 0; i < QUERIES; i += j->m) {
            f->type->predict(f->self, j->m, u + i, j->mean + i * f->K, j->sd + i * f->K, j->work);
            f->type->pullback(f->self, j->m, u + i, ones, ones, j->du + i, j->work);
        }
    return NULL;
}

static void test_threads(void **state)
{
    for (size_t k = 0; k < 6; k++) {
        fitted f;
        pthread_t threads[3];
        job *jobs = calloc(4, sizeof *jobs);
        assert_int_equal(make(&f, kinds[k], 1, NULL, NULL), BO_OK);
        fit_scaled(&f, 30, 0, 0.6);
        for (size_t i = 0; i < 4; i++) {
            jobs[i].f = &f;
            jobs[i].m = i == 1 ? 1 : i == 2 ? 7 : QUERIES;
            jobs[i].work = aligned_alloc(64, f.type->workspace(f.self, jobs[i].m));
        }
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, query, &jobs[i]), 0);
        for (size_t i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        query(&jobs[3]);
        assert_memory_equal(jobs[0].mean, jobs[3].mean, sizeof jobs[0].mean);
        assert_memory_equal(jobs[0].du, jobs[3].du, sizeof jobs[0].du);
        for (size_t i = 0; i < QUERIES; i++) {
            assert_close(jobs[1].mean[i * f.K], jobs[3].mean[i * f.K], 1e-4);
            assert_close(jobs[2].mean[i * f.K], jobs[3].mean[i * f.K], 1e-4);
        }
        for (size_t i = 0; i < 4; i++)
            free(jobs[i].work);
        free(jobs);
        release(&f);
    }
}

/* Shifting and scaling y leaves what is said in z unchanged, unless told never to rescale. */
static void test_rescale(void **state)
{
    fitted f;
    bo_options options;
    bo_options_init(&options);
    double u[1] = {0.4}, a, b, c, sd;
    assert_int_equal(make(&f, "canp", 1, &options, NULL), BO_OK);
    fit_scaled(&f, 8, 50, 10);
    f.type->predict(f.self, 1, u, &a, &sd, f.work);
    fit_scaled(&f, 8, -3e6, 1e7);
    f.type->predict(f.self, 1, u, &b, &sd, f.work);
    assert_close(a, b, 1e-12);
    fit_scaled(&f, 8, 0.2, 0.3);
    f.type->predict(f.self, 1, u, &c, &sd, f.work);
    assert_true(fabs(a - c) > 1e-6); /* plausible values are shown as they are */
    release(&f);
    options.rescale = BO_RESCALE_ALWAYS;
    assert_int_equal(make(&f, "canp", 1, &options, NULL), BO_OK);
    fit_scaled(&f, 8, 0.2, 0.3);
    f.type->predict(f.self, 1, u, &c, &sd, f.work);
    assert_close(a, c, 1e-12);
    release(&f);
}

static void expect(const char *name, size_t width, const bo_options *options, bo_status status,
                   const char *part, const char *other)
{
    fitted f;
    bo_message message = {""};
    assert_int_equal(make(&f, name, width, options, &message), status);
    assert_null(f.self);
    if (!strstr(message.text, part) || !strstr(message.text, other))
        fail_msg("'%s' does not speak of '%s' and '%s'", message.text, part, other);
}

static void test_errors(void **state)
{
    char path[300], list[700];
    bo_options o;
    bo_options_init(&o);
    snprintf(path, sizeof path, "%s/cnp-sharp.safetensors", folder);
    expect("banp", 3, &o, BO_ENOMODEL, "banp-sharp-3d.safetensors", "bo-train --model banp --dim 3");
    o.variant = "blunt";
    expect("banp", 1, &o, BO_ENOMODEL, "blunt", "sharp and paper");
    o.variant = "paper";
    expect("banp", 39, &o, BO_ENOMODEL, "--sigma-floor 0.1", folder);
    o.variant = NULL;
    o.model = path;
    expect("banp", 1, &o, BO_EINVAL, "holds a cnp, not a banp", "--surrogate cnp");
    expect("cnp", 2, &o, BO_EINVAL, "is for 1 input", "--dim 2");
    o.kind = "np";
    expect("cnp", 1, &o, BO_EINVAL, "cnp", "np");
    o.kind = NULL;
    o.ablation = "paired";
    expect("cnp", 1, &o, BO_EINVAL, "paired", "bnp and banp");
    o.ablation = "all";
    expect("cnp", 1, &o, BO_EINVAL, "'all'", "naive");
    o.ablation = NULL;
    o.samples = 1000000;
    expect("cnp", 1, &o, BO_EINVAL, "samples", "10000");
    o.samples = 0;
    o.model = "no-such-file";
    expect("cnp", 1, &o, BO_EIO, "no-such-file", "No such file");
    snprintf(list, sizeof list, "%s,", path);
    o.model = list;
    expect("cnp", 1, &o, BO_EINVAL, "commas", list);
    bo__npspec two = small_spec("cnp", 1, 2);
    write_model(folder, "two", &two, 1);
    snprintf(path, sizeof path, "%s/two.safetensors", folder);
    o.model = path;
    expect("cnp", 1, &o, BO_EINVAL, "2 values a point", "two.safetensors");
    bo__npspec bare = small_spec("bnp", 1, 1);
    bare.ablation = BO_ABLATE_ADAPTATION;
    write_model(folder, "bare", &bare, 1);
    snprintf(path, sizeof path, "%s/bare.safetensors", folder);
    o.ablation = "none";
    expect("bnp", 1, &o, BO_EINVAL, "without the adaptation layer", "none");
}

static void test_naive(void **state)
{
    fitted f;
    bo_options o;
    bo_options_init(&o);
    o.samples = SAMPLES;
    o.ablation = "naive";
    assert_int_equal(make(&f, "canp", 1, &o, NULL), BO_OK);
    fit_scaled(&f, 7, 0, 0.6);
    assert_int_equal(f.K, SAMPLES);
    check_pullback(&f, 3);
    release(&f);
}

/* A file as another program writes it: names and numbers, nothing else. */
static void test_without_metadata(void **state)
{
    bo__npmodel model;
    bo__npspec spec = bo__npspec_usual(bo__nptype_find("banp"));
    char path[300];
    assert_int_equal(bo__npmodel_init(&model, &spec, NULL), BO_OK);
    float *theta = random_weights(&model, 3);
    bo__stored *tensors = calloc(model.set.count, sizeof *tensors);
    for (size_t i = 0; i < model.set.count; i++) {
        const bo__parameter *p = &model.set.items[i];
        tensors[i] = (bo__stored){.name = p->name, .dims = p->dims, .shape = {p->rows, p->cols},
                                  .size = p->rows * p->cols, .data = theta + p->offset};
    }
    snprintf(path, sizeof path, "%s/bare-tensors.safetensors", folder);
    assert_int_equal(bo__safetensors_write(path, model.set.count, tensors, 0, NULL, NULL), BO_OK);
    fitted f;
    bo_options o;
    bo_options_init(&o);
    o.model = path;
    o.samples = 2;
    o.kind = "canp";
    expect("banp", 1, &o, BO_EFORMAT, "not one of a canp", path);
    o.kind = NULL; /* then it is what the surrogate is called */
    expect("anp", 1, &o, BO_EFORMAT, "is missing", path);
    assert_int_equal(make(&f, "banp", 1, &o, NULL), BO_OK);
    fit_scaled(&f, 5, 0, 0.6);
    assert_int_equal(f.K, 2);
    release(&f);
    free(tensors);
    free(theta);
    bo__npmodel_free(&model);
}

/* A whole run of the driver with each. */
static double bowl(size_t dim, const double *x, void *data)
{
    return (x[0] - 0.3) * (x[0] - 0.3);
}

static void test_run(void **state)
{
    for (size_t k = 0; k < 6; k++) {
        bo_space *space = bo_space_new();
        bo_space_add_real(space, "x", -1, 1);
        bo_options options;
        bo_options_init(&options);
        options.surrogate = bo_surrogate_find(kinds[k]);
        options.samples = 4;
        bo_stop stop;
        bo_stop_init(&stop);
        stop.evaluations = 8;
        double x, y;
        bo_message message;
        bo_status status = bo_minimize(bowl, NULL, space, &stop, &options, &x, &y, &message);
        if (status != BO_REACHED_EVALUATIONS)
            fail_msg("%s", message.text);
        bo_space_free(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components),       cmocka_unit_test(test_prior),
        cmocka_unit_test(test_pullback),         cmocka_unit_test(test_ensemble),
        cmocka_unit_test(test_determinism),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_rescale),          cmocka_unit_test(test_errors),
        cmocka_unit_test(test_naive),            cmocka_unit_test(test_without_metadata),
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, write_all, remove_all);
}
