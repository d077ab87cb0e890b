/* test-space.c - parameters of every kind, and the way from x to u and back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "rng.h"
#include "space.h"

static const char *const colours[] = {"red", "green", "blue"};

static bo_space *mixed_space(void)
{
    bo_space *s = bo_space_new();
    assert_int_equal(bo_space_add_real(s, "r", -3, 7), BO_OK);
    assert_int_equal(bo_space_add_log_real(s, "lr", 1e-5, 10), BO_OK);
    assert_int_equal(bo_space_add_integer(s, "i", -4, 9), BO_OK);
    assert_int_equal(bo_space_add_log_integer(s, "li", 1, 1000), BO_OK);
    assert_int_equal(bo_space_add_boolean(s, "b"), BO_OK);
    assert_int_equal(bo_space_add_categorical(s, "c", 3, colours), BO_OK);
    return s;
}

static void test_parameters(void **state)
{
    bo_space *s = mixed_space();
    assert_int_equal(bo_space_dim(s), 6);
    assert_int_equal(bo__space_width(s), 8);
    const bo_parameter *p = bo_space_parameter(s, 3);
    assert_string_equal(p->name, "li");
    assert_true(p->kind == BO_INTEGER && p->log && p->lower == 1 && p->upper == 1000);
    assert_int_equal(p->count, 1000);
    assert_null(p->labels);
    assert_int_equal(bo_space_parameter(s, 0)->count, 0);
    assert_int_equal(bo_space_parameter(s, 2)->count, 14);
    assert_int_equal(bo_space_parameter(s, 4)->count, 2);
    p = bo_space_parameter(s, 5);
    assert_true(p->lower == 0 && p->upper == 2 && p->count == 3);
    assert_string_equal(p->labels[2], "blue");
    assert_null(bo_space_parameter(s, 6));
    size_t group[8], expected[8] = {0, 1, 2, 3, 4, 5, 5, 5};
    bo__space_groups(s, group);
    assert_memory_equal(group, expected, sizeof group);
    assert_true(isinf(bo__space_size(s)));
    bo_space_free(s);
    bo_space_free(NULL);
}

static void test_names_are_copied(void **state)
{
    char name[] = "width", label0[] = "a", label1[] = "b";
    const char *labels[] = {label0, label1};
    bo_space *s = bo_space_new();
    assert_int_equal(bo_space_add_categorical(s, name, 2, labels), BO_OK);
    name[0] = label0[0] = label1[0] = '?';
    bo_space *copy = bo__space_copy(s);
    bo_space_free(s);
    assert_string_equal(bo_space_parameter(copy, 0)->name, "width");
    assert_string_equal(bo_space_parameter(copy, 0)->labels[0], "a");
    assert_string_equal(bo_space_parameter(copy, 0)->labels[1], "b");
    assert_true(bo__space_size(copy) == 2);
    bo_space_free(copy);
}

/* The call failed with BO_EINVAL, its message has both texts, and nothing was added. */
static void refused(bo_space *s, bo_status status, const char *text, const char *also)
{
    assert_int_equal(status, BO_EINVAL);
    if (!strstr(bo_space_errmsg(s), text) || !strstr(bo_space_errmsg(s), also))
        fail_msg("'%s' does not say '%s' and '%s'", bo_space_errmsg(s), text, also);
    assert_int_equal(bo_space_dim(s), 1);
    assert_null(bo_space_parameter(s, 1));
    assert_string_equal(bo_space_parameter(s, 0)->name, "first");
}

static void test_refusals(void **state)
{
    bo_space *s = bo_space_new();
    assert_int_equal(bo_space_add_real(s, "first", 0, 1), BO_OK);
    refused(s, bo_space_add_real(s, "q", 1, 1), "'q'", "less");
    refused(s, bo_space_add_real(s, "q", 2, 1), "'q'", "2 and 1");
    refused(s, bo_space_add_real(s, "q", NAN, 1), "'q'", "finite");
    refused(s, bo_space_add_real(s, "q", 0, NAN), "'q'", "finite");
    refused(s, bo_space_add_real(s, "q", -INFINITY, 1), "'q'", "finite");
    refused(s, bo_space_add_real(s, "q", -1.7e308, 1.7e308), "'q'", "far apart");
    refused(s, bo_space_add_log_real(s, "q", 0, 1), "'q'", "positive");
    refused(s, bo_space_add_log_real(s, "q", -1, 1), "'q'", "positive");
    refused(s, bo_space_add_log_integer(s, "q", 0, 5), "'q'", "positive");
    refused(s, bo_space_add_integer(s, "q", 0.5, 5), "'q'", "whole");
    refused(s, bo_space_add_integer(s, "q", 0, 5.5), "'q'", "whole");
    refused(s, bo_space_add_integer(s, "q", 0, 1e17), "'q'", "whole");
    refused(s, bo_space_add_integer(s, "q", -1e17, 0), "'q'", "whole");
    refused(s, bo_space_add_integer(s, "q", NAN, 0), "'q'", "finite");
    refused(s, bo_space_add_real(s, "first", 0, 1), "'first'", "two parameters");
    refused(s, bo_space_add_boolean(s, "first"), "'first'", "two parameters");
    refused(s, bo_space_add_categorical(s, "first", 3, colours), "'first'", "two parameters");
    refused(s, bo_space_add_real(s, "", 0, 1), "parameter 2", "no name");
    refused(s, bo_space_add_real(s, NULL, 0, 1), "parameter 2", "no name");
    refused(s, bo_space_add_boolean(s, NULL), "parameter 2", "no name");
    refused(s, bo_space_add_categorical(s, "", 3, colours), "parameter 2", "no name");
    const char *twice[] = {"a", "b", "a"}, *empty[] = {"a", ""}, *missing[] = {NULL, "a"};
    refused(s, bo_space_add_categorical(s, "q", 3, twice), "'q'", "'a'");
    refused(s, bo_space_add_categorical(s, "q", 2, empty), "'q'", "category 2");
    refused(s, bo_space_add_categorical(s, "q", 2, missing), "'q'", "category 1");
    refused(s, bo_space_add_categorical(s, "q", 2, NULL), "'q'", "no labels");
    refused(s, bo_space_add_categorical(s, "q", 1, colours), "'q'", "at least 2");
    refused(s, bo_space_add_categorical(s, "q", 0, colours), "'q'", "at least 2");
    assert_int_equal(bo_space_add_boolean(s, "q"), BO_OK);
    assert_int_equal(bo_space_dim(s), 2);
    bo_space_free(s);
}

/* A long name does not overrun the message. */
static void test_long_name(void **state)
{
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    bo_space *s = bo_space_new();
    assert_int_equal(bo_space_add_real(s, name, 1, 0), BO_EINVAL);
    assert_true(strlen(bo_space_errmsg(s)) < sizeof(bo_message));
    assert_int_equal(bo_space_add_real(s, name, 0, 1), BO_OK);
    assert_string_equal(bo_space_parameter(s, 0)->name, name);
    bo_space_free(s);
}

static void test_encode(void **state)
{
    bo_space *s = mixed_space();
    double x[6] = {2, 0.01, 9, 1, 1, 1}, u[8];
    bo__space_encode(s, x, u);
    assert_close(u[0], 0.5, 1e-15);
    assert_close(u[1], 0.5, 1e-15);
    assert_true(u[2] == 1 && u[3] == 0 && u[4] == 1);
    assert_true(u[5] == 0 && u[6] == 1 && u[7] == 0);
    bo_space_free(s);
}

/* Whole numbers, categories and booleans come back exactly, reals to rounding, bounds exactly
 * within. */
static void test_round_trip(void **state)
{
    bo_space *s = mixed_space();
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int trial = 0; trial < 2000; trial++) {
        double fraction[6], x[6], u[8], back[6];
        for (size_t j = 0; j < 6; j++)
            fraction[j] = trial == 0 ? 0 : trial == 1 ? 1 - 0x1p-53 : bo__rng_uniform(&rng);
        bo__space_spread(s, fraction, x);
        assert_int_equal(bo__space_check(s, x, NULL), BO_OK);
        bo__space_encode(s, x, u);
        for (size_t j = 0; j < 8; j++)
            assert_true(u[j] >= 0 && u[j] <= 1);
        bo__space_decode(s, u, back);
        assert_int_equal(bo__space_check(s, back, NULL), BO_OK);
        assert_close(back[0], x[0], 1e-14);
        assert_close(back[1] / x[1], 1, 1e-14);
        assert_memory_equal(back + 2, x + 2, 4 * sizeof *x);
        assert_true(bo__space_decodes_to(s, u, back));
        back[5] = back[5] == 0;
        assert_false(bo__space_decodes_to(s, u, back));
    }
    bo_space_free(s);
}

/* Every integer of a range comes back, also where doubles end, on both scales. */
static void test_integers(void **state)
{
    const double ranges[][2] = {{1, 100}, {-50, 50}, {1, 65536}, {9007199254740892, 9007199254740992},
                                {-9007199254740992, -9007199254740892}, {1, 1e9}, {1, 0x1p53}};
    for (size_t r = 0; r < 7; r++)
        for (int log_scale = 0; log_scale < 2; log_scale++) {
            if (log_scale && ranges[r][0] <= 0)
                continue;
            bo_space *s = bo_space_new();
            double lower = ranges[r][0], upper = ranges[r][1], u, back, last = -1;
            assert_int_equal((log_scale ? bo_space_add_log_integer : bo_space_add_integer)
                             (s, "n", lower, upper), BO_OK);
            assert_true(bo__space_size(s) == upper - lower + 1);
            size_t steps = upper - lower < 70000 ? (size_t)(upper - lower) : 1000;
            for (size_t k = 0; k <= steps; k++) {
                double x = k == steps ? upper : lower + (double)k;
                bo__space_encode(s, &x, &u);
                assert_true(u >= 0 && u <= 1);
                assert_true(u > last); /* neighbours stay apart */
                last = u;
                bo__space_decode(s, &u, &back);
                if (upper - lower <= 0x1p40)
                    assert_true(back == x);
                else
                    assert_close(back / x, 1, 1e-12);
            }
            bo_space_free(s);
        }
}

/* Logarithms of near bounds round to the same number; the scale must not notice. */
static void test_narrow_log(void **state)
{
    const double lowers[] = {1, 1e10, 1e300, 1e-280, 3};
    for (size_t i = 0; i < 5; i++)
        for (int wide = 0; wide < 2; wide++) {
            double lower = lowers[i], upper = wide ? lower * (1 + 1e-9) : nextafter(lower, INFINITY);
            bo_space *s = bo_space_new();
            assert_int_equal(bo_space_add_log_real(s, "x", lower, upper), BO_OK);
            double u, x, d = 1, slope;
            bo__space_encode(s, &upper, &u);
            assert_true(u == 1);
            bo__space_encode(s, &lower, &u);
            assert_true(u == 0);
            u = 0.5;
            bo__space_decode(s, &u, &x);
            assert_true(x >= lower && x <= upper);
            if (wide)
                assert_close((x - lower) / (upper - lower), 0.5, 1e-6);
            bo__space_slopes(s, &x, &d, &slope);
            assert_close(slope * (upper - lower), 1, 1e-6);
            bo_space_free(s);
        }
}

static void test_wide_log(void **state)
{
    bo_space *s = bo_space_new();
    assert_int_equal(bo_space_add_log_real(s, "x", 1e-300, 1e300), BO_OK);
    for (double e = -300; e <= 300; e += 7.5) {
        double x = pow(10, e), u, back;
        bo__space_encode(s, &x, &u);
        assert_close(u, (e + 300) / 600, 1e-13);
        bo__space_decode(s, &u, &back);
        assert_close(back / x, 1, 1e-12);
    }
    bo_space_free(s);
}

static void test_slopes(void **state)
{
    bo_space *s = mixed_space();
    double x[6] = {1.5, 0.3, 2, 17, 1, 2}, du[8] = {1, 1, 1, 1, 1, 1, 1, 1}, dx[6];
    bo__space_slopes(s, x, du, dx);
    for (size_t j = 0; j < 2; j++) {
        double h = 1e-6 * x[j], up[6], down[6], u_up[8], u_down[8];
        memcpy(up, x, sizeof x), memcpy(down, x, sizeof x);
        up[j] += h, down[j] -= h;
        bo__space_encode(s, up, u_up);
        bo__space_encode(s, down, u_down);
        assert_close(dx[j], (u_up[j] - u_down[j]) / (2 * h), 1e-8);
    }
    for (size_t j = 2; j < 6; j++)
        assert_true(dx[j] == 0);
    bo_space_free(s);
}

static void test_check(void **state)
{
    bo_space *s = mixed_space();
    const double good[6] = {0, 1, 0, 5, 0, 2};
    const struct {
        size_t at;
        double value;
        const char *name;
    } bad[] = {{0, -3.0001, "'r'"}, {0, 7.1, "'r'"},      {0, NAN, "'r'"},  {0, INFINITY, "'r'"},
               {1, 0, "'lr'"},      {2, 0.5, "'i'"},      {2, 10, "'i'"},   {3, 0, "'li'"},
               {4, 0.5, "'b'"},     {4, 2, "'b'"},        {5, 3, "'c'"},    {5, -1, "'c'"},
               {5, NAN, "'c'"},     {3, -INFINITY, "'li'"}};
    bo_message message;
    assert_int_equal(bo__space_check(s, good, &message), BO_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double x[6];
        memcpy(x, good, sizeof x);
        x[bad[i].at] = bad[i].value;
        assert_int_equal(bo__space_check(s, x, &message), BO_EINVAL);
        assert_non_null(strstr(message.text, bad[i].name));
        assert_int_equal(bo__space_check(s, x, NULL), BO_EINVAL);
    }
    bo_space_free(s);
}

/* Every value of a discrete parameter gets the same share of [0, 1). */
static void test_spread(void **state)
{
    bo_space *s = mixed_space();
    size_t counts[6][14] = {{0}};
    enum { N = 14 * 3 * 2 * 100 };
    for (size_t i = 0; i < N; i++) {
        double fraction[6], x[6];
        for (size_t j = 0; j < 6; j++)
            fraction[j] = ((double)i + 0.5) / N;
        bo__space_spread(s, fraction, x);
        counts[2][(size_t)(x[2] + 4)]++;
        counts[4][(size_t)x[4]]++;
        counts[5][(size_t)x[5]]++;
    }
    for (size_t k = 0; k < 14; k++) {
        assert_int_equal(counts[2][k], N / 14);
        assert_int_equal(counts[4][k], k < 2 ? N / 2 : 0);
        assert_int_equal(counts[5][k], k < 3 ? N / 3 : 0);
    }
    bo_space_free(s);
}

static void test_many(void **state)
{
    enum { DIM = 120 };
    bo_space *s = bo_space_new();
    for (int i = 0; i < DIM; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        assert_int_equal(i % 3 ? bo_space_add_real(s, name, i, i + 1)
                               : bo_space_add_categorical(s, name, 3, colours), BO_OK);
    }
    assert_int_equal(bo_space_dim(s), DIM);
    assert_int_equal(bo__space_width(s), 40 * 3 + 80);
    bo_space *copy = bo__space_copy(s);
    assert_string_equal(bo_space_parameter(copy, 119)->name, "p119");
    double u[200] = {0}, x[DIM];
    bo__space_decode(copy, u, x);
    assert_true(x[118] == 118 && x[117] == 0);
    bo_space_free(copy);
    bo_space_free(s);
}

static void test_size(void **state)
{
    bo_space *s = bo_space_new();
    assert_true(bo__space_size(s) == 1);
    bo_space_add_boolean(s, "a");
    bo_space_add_integer(s, "b", -1, 1);
    bo_space_add_categorical(s, "c", 3, colours);
    assert_true(bo__space_size(s) == 18);
    bo_space_free(s);
}

/* What the maximiser is told; and that adding a parameter makes it anew. */
static void test_columns(void **state)
{
    bo_space *s = mixed_space();
    const bo__column *c;
    assert_int_equal(bo__space_columns(s, &c), BO_OK);
    assert_true(c[0].kind == BO_COLUMN_REAL && c[1].kind == BO_COLUMN_REAL);
    assert_true(c[2].kind == BO_COLUMN_STEPS && c[2].count == 14 && c[2].levels[13] == 1);
    assert_true(c[3].kind == BO_COLUMN_STEPS && c[3].first == 3 && c[3].levels[0] == 0);
    assert_true(c[4].kind == BO_COLUMN_STEPS && c[4].count == 2 && c[4].levels[1] == 1);
    assert_true(c[5].kind == BO_COLUMN_ONEHOT && c[5].first == 5 && c[5].count == 3);
    for (size_t k = 1; k < 1000; k++)
        assert_true(c[3].levels[k] > c[3].levels[k - 1]);
    assert_int_equal(bo_space_add_integer(s, "huge", 0, 1e12), BO_OK);
    assert_int_equal(bo__space_columns(s, &c), BO_OK);
    assert_true(c[6].kind == BO_COLUMN_REAL && c[6].first == 8);
    bo_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_names_are_copied),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_long_name),
        cmocka_unit_test(test_encode),     cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_integers),   cmocka_unit_test(test_narrow_log),
        cmocka_unit_test(test_wide_log),   cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_check),      cmocka_unit_test(test_spread),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_size),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
