/* test-maximize-discrete.c - the maximiser over levels and categories, finite spaces and grids.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "maximize-check.h"

/* ---- discrete columns ---- */

/* Columns 0 and 1 real, 2 of five levels, 3 of 40 levels, 4 … 6 a category. */
static double level5[5] = {0.1, 0.3, 0.5, 0.7, 0.9}, level40[40];

static double mixed(size_t width, const double *u, double *du)
{
    double category = 2 * u[5] + 0.5 * u[6], centre = 0.2 + 0.3 * u[4] + 0.6 * u[6];
    double a = u[0] - centre, b = u[1] - u[2], c = u[3] - 0.37 - 0.2 * u[0];
    double wave = sin(11 * u[2] + 3 * category), bump = cos(23 * u[3] + 2 * u[2]);
    memset(du, 0, width * sizeof *du);
    du[0] = -8 * a + 2 * 0.2 * 3 * c;
    du[1] = -4 * b;
    du[2] = 4 * b + 11 * cos(11 * u[2] + 3 * category) - 0.3 * 2 * sin(23 * u[3] + 2 * u[2]);
    du[3] = -6 * c - 0.3 * 23 * sin(23 * u[3] + 2 * u[2]);
    return category - 4 * a * a - 2 * b * b - 3 * c * c + wave + 0.3 * bump;
}

static bo__maximize_problem mixed_problem(subject *s, bo__column *columns)
{
    for (size_t i = 0; i < 40; i++)
        level40[i] = ((double)i + 0.5) / 40;
    s->width = 7;
    bo__maximize_problem p = real_problem(s, columns);
    columns[2] = (bo__column){.kind = BO_COLUMN_STEPS, .first = 2, .count = 5, .levels = level5};
    columns[3] = (bo__column){.kind = BO_COLUMN_STEPS, .first = 3, .count = 40, .levels = level40};
    columns[4] = (bo__column){.kind = BO_COLUMN_ONEHOT, .first = 4, .count = 3};
    p.blocks = 5;
    return p;
}

static bool is_level(double v, size_t count, const double *levels)
{
    for (size_t i = 0; i < count; i++)
        if (v == levels[i])
            return true;
    return false;
}

/* For every discrete value the best real ones follow in closed form up to a line search in u[0]:
 * u[1] = u[2], and u[0] minimises 4a² + 3c². */
static double brute_force(void)
{
    double best = -INFINITY, du[7];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 40; j++)
            for (int k = 0; k < 3; k++) {
                double u[7] = {0, level5[i], level5[i], level40[j], k == 0, k == 1, k == 2};
                double centre = 0.2 + 0.3 * u[4] + 0.6 * u[6], e = u[3] - 0.37;
                /* where 4·(u₀ - centre)² + 3·(e - 0.2·u₀)² is least */
                u[0] = (4 * centre + 0.6 * e) / (4 + 0.12);
                u[0] = fmin(fmax(u[0], 0), 1);
                best = fmax(best, mixed(7, u, du));
            }
    return best;
}

static void test_mixed(void **state)
{
    int missed = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        subject s = {.f = mixed};
        bo__column columns[WIDEST];
        bo__maximize_problem p = mixed_problem(&s, columns);
        double u[7], value = solve(&p, seed, u), best = brute_force();
        assert_true(is_level(u[2], 5, level5) && is_level(u[3], 40, level40));
        for (int j = 4; j < 7; j++)
            assert_true(u[j] == 0 || u[j] == 1);
        assert_true(u[4] + u[5] + u[6] == 1);
        assert_true(value <= best + 1e-9);
        missed += value < best - 1e-6;
    }
    assert_int_equal(missed, 0);
}

static void test_mixed_threads(void **state)
{
    double u[2][7], value[2];
    for (size_t t = 0; t < 2; t++) {
        subject s = {.f = mixed, .threads = 1 + 2 * t};
        bo__column columns[WIDEST];
        bo__maximize_problem p = mixed_problem(&s, columns);
        value[t] = solve(&p, 3, u[t]);
    }
    assert_true(value[0] == value[1]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
}

/* ---- discrete columns only ---- */

/* A rugged function of eight categories of four and one long column: 4⁸·50 points. */
static double rugged(size_t width, const double *u, double *du)
{
    double sum = 0;
    for (size_t b = 0; b < 8; b++)
        for (size_t j = 0; j < 4; j++)
            sum += u[4 * b + j] * sin((double)(7 * b + 3 * j)) +
                   0.3 * u[4 * b + j] * u[(4 * (b + 1)) % 32 + (j + 1) % 4];
    memset(du, 0, width * sizeof *du);
    double off = u[32] - 0.63;
    du[32] = -2 * off;
    return sum - off * off;
}

static void rugged_columns(bo__column *columns, double *levels)
{
    for (size_t b = 0; b < 8; b++)
        columns[b] = (bo__column){.kind = BO_COLUMN_ONEHOT, .first = 4 * b, .count = 4};
    for (size_t i = 0; i < 50; i++)
        levels[i] = (double)i / 49;
    columns[8] = (bo__column){.kind = BO_COLUMN_STEPS, .first = 32, .count = 50, .levels = levels};
}

static void test_discrete(void **state)
{
    double levels[50], u[33], du[33], best = -INFINITY, off = 1;
    bo__column columns[9];
    rugged_columns(columns, levels);
    for (size_t i = 0; i < 50; i++)
        off = fmin(off, (levels[i] - 0.63) * (levels[i] - 0.63));
    for (size_t code = 0; code < 65536; code++) {
        memset(u, 0, sizeof u);
        for (size_t b = 0; b < 8; b++)
            u[4 * b + (code >> (2 * b)) % 4] = 1;
        u[32] = 0.63;
        best = fmax(best, rugged(33, u, du) - off);
    }
    for (uint64_t seed = 0; seed < 10; seed++) {
        subject s = {.f = rugged, .width = 33, .batch = 50, .threads = 1};
        bo__maximize_problem p = {.width = 33, .blocks = 9, .columns = columns,
                                  .target = evaluate, .context = &s, .threads = 1, .batch = 50,
                                  .screen = 512, .starts = 16, .maxeval = 100};
        assert_close(solve(&p, seed, u), best, 1e-12);
    }
}

/* Twelve points, asked for one after another: in falling order, each once, then exhausted. */
static void test_exhaustion(void **state)
{
    double levels[4] = {0, 0.25, 0.75, 1}, taken[12 * 4], u[4], value, last = INFINITY;
    bo__column columns[2] = {{.kind = BO_COLUMN_STEPS, .first = 0, .count = 4, .levels = levels},
                             {.kind = BO_COLUMN_ONEHOT, .first = 1, .count = 3}};
    subject s = {.f = steep, .width = 4, .batch = 5, .threads = 1, .taken = taken};
    bo__maximize_problem p = {.width = 4, .blocks = 2, .columns = columns, .target = evaluate,
                              .taken = is_taken, .context = &s, .threads = 1, .batch = 5,
                              .screen = 64, .starts = 4, .maxeval = 50};
    for (size_t i = 0; i < 12; i++) {
        value = solve(&p, i, u);
        assert_false(is_taken(&s, u));
        assert_true(value <= last);
        last = value;
        memcpy(taken + 4 * s.taken_rows++, u, sizeof u);
    }
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    bo_message message = {""};
    assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_EXHAUSTED);
    assert_true(strlen(message.text) > 0);
}

/* Everything is taken but one point that neither screen nor walk meets. */
static double hidden[3];

static bool all_but_hidden(void *context, const double *u)
{
    return memcmp(u, hidden, sizeof hidden) != 0;
}

static void test_last_point(void **state)
{
    double levels[100];
    bo__column columns[3];
    for (size_t i = 0; i < 100; i++)
        levels[i] = (double)i / 99;
    for (size_t b = 0; b < 3; b++)
        columns[b] = (bo__column){.kind = BO_COLUMN_STEPS, .first = b, .count = 100,
                                  .levels = levels};
    hidden[0] = levels[77], hidden[1] = levels[3], hidden[2] = levels[98];
    subject s = {.f = steep, .width = 3, .batch = 64, .threads = 1};
    bo__maximize_problem p = {.width = 3, .blocks = 3, .columns = columns, .target = evaluate,
                              .taken = all_but_hidden, .context = &s, .threads = 1, .batch = 64,
                              .screen = 64, .starts = 2, .maxeval = 20};
    double u[3];
    solve(&p, 1, u);
    assert_memory_equal(u, hidden, sizeof hidden);
    hidden[0] = 2; /* now all are */
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    double value;
    assert_int_equal(bo__maximize(&p, &rng, u, &value, NULL), BO_EXHAUSTED);
}

/* ---- grid ---- */

static void test_grid(void **state)
{
    subject s = {.f = forrester, .width = 1, .batch = 7};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    double best = -INFINITY, at = NAN, du, u[2], value;
    for (int i = 0; i < 1000; i++) {
        double v = i / 999.0, f = forrester(1, &v, &du);
        if (f > best)
            best = f, at = v;
    }
    p.grid = 1000;
    p.taken = is_taken;
    assert_true(solve(&p, 1, u) == best && u[0] == at);
    assert_int_equal(atomic_load(&s.calls), 1000);
    double first = at;
    s.taken = &first;
    s.taken_rows = 1;
    assert_true(solve(&p, 1, u) < best);
    assert_close(fabs(u[0] - at), 1 / 999.0, 1e-12);
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    bo_message message = {""};
    p.grid = 1;
    assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_EINVAL);
    assert_true(strstr(message.text, "grid") != NULL);
    p.grid = 5000000;
    assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_EINVAL);
    assert_true(strstr(message.text, "smaller") != NULL);
}

static void test_grid_mixed(void **state)
{
    double u[2][7], value[2];
    for (size_t t = 0; t < 2; t++) {
        subject s = {.f = mixed, .threads = 1 + t};
        bo__column columns[WIDEST];
        bo__maximize_problem p = mixed_problem(&s, columns);
        p.grid = 11;
        value[t] = solve(&p, 1, u[t]);
        assert_int_equal(atomic_load(&s.calls), 11 * 11 * 5 * 40 * 3);
        assert_close(u[t][0] * 10, round(u[t][0] * 10), 1e-12);
        assert_true(is_level(u[t][3], 40, level40));
    }
    assert_true(value[0] == value[1] && value[0] <= brute_force() + 1e-12);
    assert_true(value[0] > brute_force() - 0.05);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_mixed_threads),
        cmocka_unit_test(test_discrete),
        cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_last_point),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_grid_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
