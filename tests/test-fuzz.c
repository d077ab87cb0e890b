/* test-fuzz.c - damaged model files and training states are refused with a reason, or work.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "damage.h"
#include "np-weights.h"
#include "npposterior.h"
#include "safetensors.h"
#include "train.h"

#define PATH "test-fuzz.tmp"
enum { MUTANTS = 3000 };

/* The bytes of a good file, which the mutants are made of. */
typedef struct original {
    bo__safetensors *file;
    size_t header; /* bytes */
    unsigned char *mutant;
} original;

static original take(const char *path)
{
    original o = {.header = 8};
    assert_int_equal(bo__safetensors_read(&o.file, path, NULL), BO_OK);
    o.mutant = malloc(o.file->length);
    for (size_t i = 0; i < 8; i++)
        o.header += (size_t)o.file->bytes[i] << 8 * i;
    assert_true(o.header < o.file->length);
    return o;
}

/* Writes mutant number i of a file: one in four has its weights damaged too. */
static void write_mutant(const original *o, uint64_t i)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "fuzz", i);
    size_t length = o->file->length;
    memcpy(o->mutant, o->file->bytes, length);
    damage(&rng, o->mutant, &length, i % 4 ? o->header : length);
    FILE *f = fopen(PATH, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(o->mutant, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void drop(original *o)
{
    bo__safetensors_free(o->file);
    free(o->mutant);
    unlink(PATH);
}

/* ---- models ---------------------------------------------------------------------------- */

/* A model that was read answers, or says that its numbers overflow. */
static void use(const bo__npmodel *model, const float *theta, const bo__npinfo *info)
{
    double x[3] = {-1, 0.5, 1.5}, y[3] = {0.2, -0.3, 0.1}, at = 0.3, mean[2], sd[2];
    bo__npposterior p;
    bo__npposterior_init(&p, model, theta);
    bo__npunits units = {0, info->x_upper - info->x_lower, 0, info->y_scale};
    bo_status status = bo__npposterior_fit(&p, 3, x, y, units, (bo__npsampling){2, 1, 0}, NULL);
    assert_true(status == BO_OK || status == BO_ENUMERIC);
    if (!status) {
        void *work = aligned_alloc(64, bo__npposterior_workspace(&p, 1));
        assert_int_equal(bo__npposterior_at(&p, 1, &at, p.components, mean, sd, work), BO_OK);
        free(work);
    }
    bo__npposterior_free(&p);
}

static void fuzz_model(const char *kind)
{
    bo__npspec spec = small_spec(kind, 1, 1);
    spec.width = 16;
    spec.heads = 1;
    write_model(".", "test-fuzz", &spec, 1);
    original o = take("test-fuzz.safetensors");
    unlink("test-fuzz.safetensors");
    size_t read = 0, refused = 0;
    for (uint64_t i = 0; i < MUTANTS; i++) {
        bo__npmodel model;
        bo__npinfo info;
        float *theta;
        bo_message message = {""};
        write_mutant(&o, i);
        if (bo__npfile_load(PATH, kind, &model, &theta, &info, &message)) {
            assert_null(theta);
            assert_non_null(strstr(message.text, PATH ": "));
            refused++;
            continue;
        }
        assert_ptr_equal(model.spec.type, spec.type);
        assert_true(model.spec.dim_x == 1 && model.spec.dim_y == 1 && model.spec.width == 16);
        use(&model, theta, &info);
        bo__npmodel_free(&model);
        free(theta);
        read++;
    }
    assert_true(read > MUTANTS / 50 && refused > MUTANTS / 2);
    drop(&o);
}

static void test_models(void **state)
{
    fuzz_model("cnp");
    fuzz_model("banp");
}

/* ---- training states ------------------------------------------------------------------- */

static bo__trainer *new_trainer(void)
{
    bo__train_options options;
    bo__trainer *t;
    bo_message message;
    bo__train_options_init(&options, &bo__nptype_cnp);
    options.model.width = 16;
    options.model.heads = 1;
    options.batch = 2;
    options.adam.steps = 9;
    options.threads = 1;
    if (bo__trainer_new(&t, &options, &message))
        fail_msg("%s", message.text);
    return t;
}

/* A state is taken as a whole or not at all. */
static void test_training_states(void **state)
{
    bo__trainer *saved = new_trainer(), *fresh = new_trainer();
    bo__train_report report;
    size_t size = bo__trainer_model(fresh)->set.size, taken = 0, refused = 0;
    float *before = malloc(size * sizeof *before);
    memcpy(before, bo__trainer_weights(fresh), size * sizeof *before);
    for (int i = 0; i < 3; i++)
        assert_int_equal(bo__trainer_step(saved, &report, NULL), BO_OK);
    assert_int_equal(bo__trainer_save(saved, 0, PATH, NULL), BO_OK);
    original o = take(PATH);
    for (uint64_t i = 0; i < MUTANTS; i++) {
        double seconds;
        bo_message message = {""};
        write_mutant(&o, i);
        if (!bo__trainer_load(fresh, &seconds, PATH, &message)) {
            assert_true(bo__trainer_steps(fresh) <= 9);
            bo__trainer_free(fresh);
            fresh = new_trainer();
            taken++;
            continue;
        }
        assert_non_null(strstr(message.text, PATH ": "));
        assert_int_equal(bo__trainer_steps(fresh), 0);
        assert_memory_equal(bo__trainer_weights(fresh), before, size * sizeof *before);
        refused++;
    }
    assert_true(taken > MUTANTS / 50 && refused > MUTANTS / 2);
    drop(&o);
    free(before);
    bo__trainer_free(saved);
    bo__trainer_free(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_training_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
