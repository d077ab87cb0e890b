/* test-regret.c - plans and single runs of the regret experiment.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "regret.h"

static bo_message message;

static bo__regret_plan make_plan(bo__regret_protocol protocol, const char *settings,
                                 const char *surrogates)
{
    bo__regret_plan plan = {.protocol = protocol, .functions = 3, .iterations = 6, .init = 2,
                            .seed = 5, .noise = NAN};
    bo_options_init(&plan.options);
    plan.options.kernel = BO_RBF;
    assert_int_equal(bo__regret_read_settings(&plan, settings, &message), BO_OK);
    assert_int_equal(bo__regret_read_surrogates(&plan, surrogates, &message), BO_OK);
    assert_int_equal(bo__regret_check(&plan, &message), BO_OK);
    return plan;
}

/* A record of a run, to be freed. */
static bo__regret_record *run_once(const bo__regret_plan *plan, bo__regret_place place)
{
    bo__regret_runner *runner = bo__regret_runner_new(plan);
    const bo__regret_record *r = bo__regret_run(runner, bo__regret_run_at(plan, place));
    assert_non_null(r);
    bo__regret_record *own = malloc(r->size);
    memcpy(own, r, r->size);
    bo__regret_runner_free(runner);
    return own;
}

static void refuses_settings(const char *list, const char *word)
{
    static bo__regret_plan plan;
    assert_int_equal(bo__regret_read_settings(&plan, list, &message), BO_EINVAL);
    if (!strstr(message.text, word))
        fail_msg("'%s' does not say '%s'", message.text, word);
}

static void refuses_surrogates(const char *list, const char *word)
{
    static bo__regret_plan plan;
    assert_int_equal(bo__regret_read_surrogates(&plan, list, &message), BO_EINVAL);
    if (!strstr(message.text, word))
        fail_msg("'%s' does not say '%s'", message.text, word);
}

static void test_lists(void **state)
{
    refuses_settings("", "no setting");
    refuses_settings("rbf,rfb", "rfb");
    refuses_settings("rbf,rbf", "twice");
    refuses_settings("rbf:0", "dimension");
    refuses_settings("rbf:x", "dimension");
    refuses_settings("branin:3", "3 dimensions");
    refuses_surrogates("", "no surrogate");
    refuses_surrogates("gp,gq", "gq");
    refuses_surrogates("gp,gp", "twice");
    refuses_surrogates("gp@paper", "variant");
    refuses_surrogates("gp@", "variant");
    refuses_surrogates("gp,cnp@a\"b,random", "variant 'a\"b'");
    refuses_surrogates("cnp@a/b", "letters");
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf:2,branin,tnoise", "gp,random");
    assert_int_equal(plan.settings, 3);
    assert_int_equal(plan.setting[0].dim, 2);
    assert_int_equal(plan.setting[1].dim, 2);
    assert_true(plan.setting[2].heavy_tails && !plan.setting[0].heavy_tails);
    assert_int_equal(plan.surrogate[1].kind, BO_REGRET_RANDOM);
}

static void test_check(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf,branin", "gp");
    plan.protocol = BO_REGRET_PAPER;
    assert_int_equal(bo__regret_check(&plan, &message), BO_EINVAL);
    plan = make_plan(BO_REGRET_PAPER, "rbf", "gp");
    plan.noise = 0.1;
    assert_int_equal(bo__regret_check(&plan, &message), BO_EINVAL);
    plan = make_plan(BO_REGRET_PAPER, "rbf", "gp");
    plan.options.grid_stride = 4;
    assert_int_equal(bo__regret_check(&plan, &message), BO_OK);
    plan.protocol = BO_REGRET_PLAIN;
    assert_int_equal(bo__regret_check(&plan, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "grid-stride"));
    plan = make_plan(BO_REGRET_PLAIN, "branin", "gp");
    assert_int_equal(bo__regret_read_surrogates(&plan, "gp-oracle", &message), BO_OK);
    assert_int_equal(bo__regret_check(&plan, &message), BO_EINVAL);
}

static void test_reference(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf", "gp,random");
    strcpy(plan.reference, "random");
    assert_int_equal(bo__regret_check(&plan, &message), BO_OK);
    strcpy(plan.reference, "banp");
    assert_int_equal(bo__regret_check(&plan, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "'banp'"));
}

static void test_numbering(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf,tnoise", "gp,gp-oracle,random");
    assert_int_equal(bo__regret_runs(&plan), 18);
    for (size_t i = 0; i < 18; i++) {
        bo__regret_place place = bo__regret_place_of(&plan, i);
        assert_true(place.function < 3 && place.setting < 2 && place.surrogate < 3);
        assert_int_equal(bo__regret_run_at(&plan, place), i);
    }
}

/* All surrogates begin at the same points of the same function and observe the same there. */
static void same_starts(bo__regret_protocol protocol)
{
    bo__regret_plan plan = make_plan(protocol, "rbf,tnoise", "gp,gp-oracle,random");
    bo__regret_place place = {.function = 1, .setting = 1};
    bo__regret_record *first = run_once(&plan, place);
    assert_int_equal(first->status, BO_OK);
    for (place.surrogate = 1; place.surrogate < 3; place.surrogate++) {
        bo__regret_record *r = run_once(&plan, place);
        assert_int_equal(r->status, BO_OK);
        assert_true(r->least == first->least && r->range == first->range);
        for (size_t i = 0; i < plan.init; i++) {
            size_t at = i * bo__regret_row(1);
            assert_memory_equal(&r->row[at], &first->row[at], 3 * sizeof(double));
        }
        size_t after = plan.init * bo__regret_row(1);
        assert_true(r->row[after] != first->row[after]);
        free(r);
    }
    place = (bo__regret_place){.function = 2, .setting = 1};
    bo__regret_record *other = run_once(&plan, place);
    assert_true(other->least != first->least && other->row[0] != first->row[0]);
    free(other);
    free(first);
}

static void test_same_starts(void **state)
{
    same_starts(BO_REGRET_PLAIN);
    same_starts(BO_REGRET_PAPER);
}

/* A run does not depend on what its process did before it. */
static void test_order_does_not_matter(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf,branin", "random,gp");
    bo__regret_runner *runner = bo__regret_runner_new(&plan);
    for (size_t i = bo__regret_runs(&plan); i-- > 0;) {
        const bo__regret_record *r = bo__regret_run(runner, i);
        bo__regret_record *alone = run_once(&plan, bo__regret_place_of(&plan, i));
        assert_int_equal(r->status, BO_OK);
        assert_int_equal(r->size, alone->size);
        assert_true(bo__regret_record_fits(&plan, r, (size_t)r->size));
        for (size_t k = 0; k < r->points * bo__regret_row(r->dim); k++)
            if (k % bo__regret_row(r->dim) != r->dim + BO_REGRET_SECONDS)
                assert_memory_equal(&r->row[k], &alone->row[k], sizeof(double));
        free(alone);
    }
    bo__regret_runner_free(runner);
}

/* On the grid the noise is part of the function: what is observed is the value. */
static void test_paper_protocol(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PAPER, "periodic", "gp");
    bo__regret_record *r = run_once(&plan, (bo__regret_place){.function = 0});
    assert_int_equal(r->points, 8);
    for (size_t i = 0; i < r->points; i++) {
        double step = (r->row[i * bo__regret_row(1)] + 2) / 4 * (BO_REGRET_GRID - 1);
        assert_close(step, round(step), 1e-9);
        assert_true(bo__regret_get(r, i, BO_REGRET_Y) == bo__regret_get(r, i, BO_REGRET_F));
        assert_true(bo__regret_get(r, i, BO_REGRET_F) >= r->least);
        assert_true(bo__regret_get(r, i, BO_REGRET_F) <= r->least + r->range);
        assert_true(isnan(bo__regret_get(r, i, BO_REGRET_MEAN)) == (i < plan.init));
    }
    free(r);
}

/* Noise is apart from the function otherwise, and --noise sets it. */
static void test_noise(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf,branin", "random");
    double sum[2] = {0, 0};
    for (int loud = 0; loud < 2; loud++) {
        plan.noise = loud ? 3 : NAN;
        bo__regret_record *r = run_once(&plan, (bo__regret_place){.setting = 0});
        for (size_t i = 0; i < r->points; i++)
            sum[loud] += fabs(bo__regret_get(r, i, BO_REGRET_Y) - bo__regret_get(r, i, BO_REGRET_F));
        free(r);
    }
    assert_true(sum[0] > 0);
    assert_close(sum[1], 150 * sum[0], 1e-6 * sum[1]);
    plan.noise = NAN;
    bo__regret_record *r = run_once(&plan, (bo__regret_place){.setting = 1});
    for (size_t i = 0; i < r->points; i++)
        assert_true(bo__regret_get(r, i, BO_REGRET_Y) == bo__regret_get(r, i, BO_REGRET_F));
    free(r);
}

/* Regrets are of the noise-free value at the point with the least observed one. */
static void test_curves(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf", "random");
    static const double y[] = {5, 4, 3, 3.5, 1, 2, 0.5, 9}, f[] = {6, 3, 4, 2, 2.5, 1, 3, 8};
    static const double simple[] = {2, 3, 3, 1.5, 1.5, 2, 2}, asked[] = {2, 3, 1, 1.5, 0, 2, 7};
    bo__regret_record *r = calloc(1, sizeof *r + 8 * bo__regret_row(1) * sizeof(double));
    r->dim = 1;
    r->points = 8;
    r->least = 1;
    for (size_t i = 0; i < 8; i++) {
        r->row[i * bo__regret_row(1) + 1 + BO_REGRET_Y] = y[i];
        r->row[i * bo__regret_row(1) + 1 + BO_REGRET_F] = f[i];
    }
    double got[7], sum[7], instant[7], total = 0;
    bo__regret_curves(&plan, r, got, sum, instant);
    for (size_t t = 0; t < 7; t++) {
        total += simple[t];
        assert_true(got[t] == simple[t] && sum[t] == total && instant[t] == asked[t]);
    }
    free(r);
}

/* A surrogate that cannot work on a problem makes a record that says why. */
static void test_failure(void **state)
{
    bo__regret_plan plan = make_plan(BO_REGRET_PLAIN, "rbf", "gp");
    plan.options.noise = -1;
    bo__regret_record *r = run_once(&plan, (bo__regret_place){.function = 0});
    assert_int_equal(r->status, BO_EINVAL);
    assert_non_null(strstr(r->reason, "noise"));
    assert_true(bo__regret_record_fits(&plan, r, sizeof *r));
    assert_false(bo__regret_record_fits(&plan, r, sizeof *r - 1));
    r->run = bo__regret_runs(&plan);
    assert_false(bo__regret_record_fits(&plan, r, sizeof *r));
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_check),
        cmocka_unit_test(test_numbering),   cmocka_unit_test(test_same_starts),
        cmocka_unit_test(test_noise),       cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_curves),      cmocka_unit_test(test_paper_protocol),
        cmocka_unit_test(test_failure),     cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
