/* test-options.c - every option from text, and what bad text is told.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "acquisition.h"
#include "builtin.h"
#include "check.h"

static void good(bo_options *o, const char *name, const char *value)
{
    bo_message message;
    if (bo_options_set(o, name, value, &message))
        fail_msg("%s = %s: %s", name, value ? value : "(none)", message.text);
}

/* Refused, with a message that names the option and the value; nothing changes. */
static void bad(const char *name, const char *value)
{
    bo_options o, before;
    memset(&o, 0, sizeof o); /* padding too: the bytes are compared */
    memset(&before, 0, sizeof before);
    bo_options_init(&o);
    memcpy(&before, &o, sizeof o);
    bo_message message;
    assert_int_equal(bo_options_set(&o, name, value, &message), BO_EINVAL);
    if (!strstr(message.text, name) || (value && !strstr(message.text, value)))
        fail_msg("'%s' does not name %s and '%s'", message.text, name, value ? value : "");
    assert_memory_equal(&o, &before, sizeof o);
    assert_int_equal(bo_options_set(&o, name, value, NULL), BO_EINVAL);
}

static void test_defaults(void **state)
{
    bo_options o;
    bo_options_init(&o);
    assert_true(isnan(o.noise) && o.warp == BO_WARP_AUTO && o.kernel == BO_MATERN52);
    assert_true(o.scale == 1 && o.mean == 0 && o.beta == 2 && o.xi == 0 && o.seed == 0);
    assert_true(!o.maximize && !o.replicates && !o.surrogate && !o.acquisition && !o.lengthscales);
    assert_true(!o.init && !o.threads && !o.samples && !o.screen && !o.starts && !o.grid);
    bo_stop s;
    bo_stop_init(&s);
    assert_true(s.evaluations == 100 && isinf(s.seconds) && isnan(s.target) && !s.patience);
    assert_true(!s.callback);
}

static void test_each(void **state)
{
    bo_options o;
    bo_options_init(&o);
    good(&o, "seed", "18446744073709551615");
    assert_true(o.seed == UINT64_MAX);
    good(&o, "init", "7"), good(&o, "threads", "3"), good(&o, "samples", "20");
    good(&o, "screen", "500"), good(&o, "starts", "100"), good(&o, "grid", "1000"),
        good(&o, "grid-stride", "4");
    assert_true(o.init == 7 && o.threads == 3 && o.samples == 20);
    assert_true(o.screen == 500 && o.starts == 100 && o.grid == 1000);
    good(&o, "noise", "0.25");
    assert_true(o.noise == 0.25);
    good(&o, "noise", "learn");
    assert_true(isnan(o.noise));
    good(&o, "beta", "1.5"), good(&o, "xi", "1e-2");
    assert_true(o.beta == 1.5 && o.xi == 0.01);
    good(&o, "warp", "none");
    assert_true(o.warp == BO_WARP_NONE);
    good(&o, "warp", "auto");
    assert_true(o.warp == BO_WARP_AUTO);
    good(&o, "kernel", "rbf");
    assert_true(o.kernel == BO_RBF);
    good(&o, "kernel", "matern32");
    assert_true(o.kernel == BO_MATERN32);
    good(&o, "kernel", "periodic");
    assert_true(o.kernel == BO_PERIODIC);
    good(&o, "kernel", "matern52");
    assert_true(o.kernel == BO_MATERN52);
    good(&o, "model", "a.bin,b.bin"), good(&o, "variant", "paper");
    assert_string_equal(o.model, "a.bin,b.bin");
    assert_string_equal(o.variant, "paper");
    good(&o, "acquisition", "lcb");
    assert_ptr_equal(o.acquisition, &bo__acquisition_lcb);
    good(&o, "surrogate", "gp");
    assert_ptr_equal(o.surrogate, &bo__surrogate_gp);
}

static void test_flags(void **state)
{
    const char *names[] = {"maximize", "replicates", "output-scale", "moment-match"};
    for (size_t i = 0; i < 4; i++) {
        bo_options o;
        bo_options_init(&o);
        bool *field = i == 0 ? &o.maximize : i == 1 ? &o.replicates
                      : i == 2 ? &o.output_scale : &o.moment_match;
        const char *on[] = {NULL, "", "yes", "true", "1"}, *off[] = {"no", "false", "0"};
        for (size_t k = 0; k < 5; k++) {
            *field = false;
            good(&o, names[i], on[k]);
            assert_true(*field);
        }
        for (size_t k = 0; k < 3; k++) {
            *field = true;
            good(&o, names[i], off[k]);
            assert_false(*field);
        }
        bad(names[i], "maybe");
    }
}

static void test_hyphens(void **state)
{
    bo_options o;
    bo_options_init(&o);
    good(&o, "moment_match", "yes"), good(&o, "output_scale", NULL);
    assert_true(o.moment_match && o.output_scale);
}

/* NAME@VARIANT; the variant of one surrogate is not a name of another. */
static void test_variant(void **state)
{
    bo_options o;
    bo_options_init(&o);
    good(&o, "surrogate", "gp@paper");
    assert_ptr_equal(o.surrogate, &bo__surrogate_gp);
    assert_string_equal(o.variant, "paper");
    bad("surrogate", "gp@");
    bad("surrogate", "@paper");
    bad("surrogate", "g");
    bad("surrogate", "gpx");
    bad("surrogate", "");
}

static void test_bad_text(void **state)
{
    const char *counts[] = {"init", "threads", "samples", "screen", "starts", "grid", "seed"};
    const char *not_counts[] = {"", "-1", "1.5", "x", "1x", " 1", "+1", "0x10",
                                "99999999999999999999999"};
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 9; k++)
            bad(counts[i], not_counts[k]);
    bad("init", "18446744073709551615");
    const char *numbers[] = {"noise", "beta", "xi"};
    const char *not_numbers[] = {"", "-1", "x", "1x", "nan", "inf", "-inf", "1,5"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 8; k++)
            bad(numbers[i], not_numbers[k]);
    bad("kernel", "Matern"), bad("kernel", ""), bad("warp", "log"), bad("acquisition", "ucb");
    bad("surrogate", "forest"), bad("model", ""), bad("variant", "");
    bo_options o;
    bo_options_init(&o);
    const char *none[] = {"colour", "seeds", "see", "Seed", ""};
    for (size_t i = 0; i < 5; i++) {
        bo_message message;
        assert_int_equal(bo_options_set(&o, none[i], "1", &message), BO_EINVAL);
        assert_non_null(strstr(message.text, none[i]));
    }
}

/* An option that takes a value says so without one. */
static void test_missing_value(void **state)
{
    const bo_option_info *info;
    size_t count = 0;
    for (size_t i = 0; (info = bo_option_describe(i)); i++, count++) {
        assert_true(info->name && *info->name && info->help && *info->help && info->group);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(info->name, bo_option_describe(j)->name);
        if (info->value)
            bad(info->name, NULL);
    }
    assert_true(count >= 20);
    assert_null(bo_option_describe(SIZE_MAX));
}

/* Very long text neither overruns nor hides which option it was. */
static void test_long_text(void **state)
{
    char text[3000];
    memset(text, 'q', sizeof text - 1);
    text[sizeof text - 1] = 0;
    bo_message message;
    const bo_option_info *info;
    size_t free_text = 0;
    for (size_t i = 0; (info = bo_option_describe(i)); i++) {
        bo_options o;
        bo_options_init(&o);
        bo_status status = bo_options_set(&o, info->name, text, &message);
        if (status == BO_OK) { /* takes any text: names of files and the like */
            free_text++;
            continue;
        }
        assert_int_equal(status, BO_EINVAL);
        assert_non_null(strstr(message.text, info->name));
        assert_true(strlen(message.text) < sizeof message.text);
    }
    assert_true(free_text < 6);
    bo_options o;
    bo_options_init(&o);
    assert_int_equal(bo_options_set(&o, text, "1", &message), BO_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),      cmocka_unit_test(test_each),
        cmocka_unit_test(test_flags),         cmocka_unit_test(test_hyphens),
        cmocka_unit_test(test_variant),       cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_missing_value), cmocka_unit_test(test_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
