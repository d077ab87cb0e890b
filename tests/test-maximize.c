/* test-maximize.c - the maximiser on functions whose maxima are known, or found by brute force.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "maximize.h"

#define WIDEST 64

/* A target: a function of one row, and what the tests want to know about the calls. */
typedef struct subject {
    double (*f)(size_t width, const double *u, double *du);
    size_t width, batch, threads;
    const double *taken; /* rows */
    size_t taken_rows;
    atomic_size_t calls;
    atomic_bool out_of_bounds;
} subject;

static bo_status evaluate(void *context, size_t thread, size_t m, const double *u, double *value,
                          double *du)
{
    subject *s = context;
    if (m == 0 || m > s->batch || thread >= s->threads)
        return BO_EINVAL;
    atomic_fetch_add(&s->calls, m);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < s->width; j++)
            if (!(u[i * s->width + j] >= 0 && u[i * s->width + j] <= 1))
                atomic_store(&s->out_of_bounds, true);
        double spare[WIDEST];
        value[i] = s->f(s->width, u + i * s->width, du ? du + i * s->width : spare);
    }
    return BO_OK;
}

static bool is_taken(void *context, const double *u)
{
    const subject *s = context;
    for (size_t i = 0; i < s->taken_rows; i++)
        if (!memcmp(u, s->taken + i * s->width, s->width * sizeof *u))
            return true;
    return false;
}

/* A problem with real columns only; `columns` has room for WIDEST. */
static bo__maximize_problem real_problem(subject *s, bo__column *columns)
{
    for (size_t j = 0; j < s->width; j++)
        columns[j] = (bo__column){.kind = BO_COLUMN_REAL, .first = j};
    s->batch = s->batch ? s->batch : 64;
    s->threads = s->threads ? s->threads : 1;
    return (bo__maximize_problem){
        .width = s->width, .blocks = s->width, .columns = columns, .target = evaluate,
        .context = s, .threads = s->threads, .batch = s->batch, .screen = 512, .starts = 16,
        .maxeval = 100};
}

static double solve(const bo__maximize_problem *p, uint64_t seed, double *u)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "test", 0);
    double value;
    bo_message message = {""};
    bo_status status = bo__maximize(p, &rng, u, &value, &message);
    if (status != BO_OK)
        fail_msg("status %d: %s", status, message.text);
    assert_false(atomic_load(&((subject *)p->context)->out_of_bounds));
    return value;
}

/* ---- functions ---- */

/* Forrester's function with its sign turned: maximum 6.020740 at 0.757249, another near 0.14. */
static double forrester(size_t width, const double *u, double *du)
{
    double a = 6 * u[0] - 2, b = 12 * u[0] - 4;
    du[0] = -(12 * a * sin(b) + 12 * a * a * cos(b));
    return -a * a * sin(b);
}

/* Branin on the unit square, sign turned: three equal maxima of -0.397887. */
static double branin(size_t width, const double *u, double *du)
{
    double x = 15 * u[0] - 5, y = 15 * u[1], c = 5.1 / (4 * M_PI * M_PI), t = 1 / (8 * M_PI);
    double r = y - c * x * x + 5 / M_PI * x - 6;
    du[0] = -15 * (2 * r * (5 / M_PI - 2 * c * x) - 10 * (1 - t) * sin(x));
    du[1] = -15 * 2 * r;
    return -(r * r + 10 * (1 - t) * cos(x) + 10);
}

/* Hartmann 6: maximum 3.322368 (Surjanovic and Bingham). */
static double hartmann6(size_t width, const double *u, double *du)
{
    static const double alpha[4] = {1, 1.2, 3, 3.2};
    static const double A[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                   {0.05, 10, 17, 0.1, 8, 14},
                                   {3, 3.5, 1.7, 10, 17, 8},
                                   {17, 8, 0.05, 10, 0.1, 14}};
    static const double P[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                   {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                   {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                   {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double sum = 0;
    memset(du, 0, 6 * sizeof *du);
    for (int i = 0; i < 4; i++) {
        double e = 0;
        for (int j = 0; j < 6; j++)
            e += A[i][j] * (u[j] - P[i][j]) * (u[j] - P[i][j]);
        double part = alpha[i] * exp(-e);
        sum += part;
        for (int j = 0; j < 6; j++)
            du[j] -= 2 * A[i][j] * (u[j] - P[i][j]) * part;
    }
    return sum;
}

/* Highest in the corner where even columns are 1 and odd ones 0: value 0. */
static double corner(size_t width, const double *u, double *du)
{
    double sum = 0;
    for (size_t j = 0; j < width; j++) {
        double v = j % 2 ? u[j] : 1 - u[j];
        sum -= v + 0.5 * v * v;
        du[j] = (j % 2 ? -1 : 1) * (1 + v);
    }
    return sum;
}

/* A parabola that is highest at 0.3, value 5, times 1e6 for the scale of a log in its tail. */
static double steep(size_t width, const double *u, double *du)
{
    double sum = 5;
    for (size_t j = 0; j < width; j++) {
        sum -= 1e6 * (u[j] - 0.3) * (u[j] - 0.3);
        du[j] = -2e6 * (u[j] - 0.3);
    }
    return sum;
}

/* The same shape, scaled to the 1e-12 of an EI far from improvement. */
static double shallow(size_t width, const double *u, double *du)
{
    double sum = 1;
    for (size_t j = 0; j < width; j++) {
        sum -= 0.1 * (u[j] - 0.3) * (u[j] - 0.3);
        du[j] = -2e-13 * (u[j] - 0.3);
    }
    return 1e-12 * sum;
}

/* No number where u[0] > 0.5, and highest just before. */
static double cliff(size_t width, const double *u, double *du)
{
    du[0] = u[0] > 0.5 ? NAN : 1;
    return u[0] > 0.5 ? NAN : u[0];
}

static double nowhere(size_t width, const double *u, double *du)
{
    du[0] = NAN;
    return NAN;
}

/* ---- real columns ---- */

static void test_known_maxima(void **state)
{
    static const struct {
        double (*f)(size_t, const double *, double *);
        size_t width;
        double best, tolerance;
    } known[] = {
        {forrester, 1, 6.020740055, 1e-6}, {branin, 2, -0.397887358, 1e-6},
        {hartmann6, 6, 3.322368011, 1e-5}, {corner, 1, 0, 1e-9},
        {corner, 2, 0, 1e-9},              {corner, 6, 0, 1e-9},
        {corner, 40, 0, 1e-6},             {corner, 60, 0, 1e-6},
        {steep, 1, 5, 1e-4},               {steep, 6, 5, 1e-3},
        {steep, 60, 5, 1e-2},              {shallow, 6, 1e-12, 1e-18},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            subject s = {.f = known[i].f, .width = known[i].width};
            bo__column columns[WIDEST];
            bo__maximize_problem p = real_problem(&s, columns);
            double u[WIDEST], du[WIDEST], value = solve(&p, seed, u);
            assert_true(value == s.f(s.width, u, du));
            assert_close(value, known[i].best, known[i].tolerance);
        }
}

/* A narrow peak at the anchor's side: found from the anchor, hardly from the screen. */
static double needle(size_t width, const double *u, double *du)
{
    double e = 0, wide = 0;
    for (size_t j = 0; j < width; j++) {
        e += (u[j] - 0.71) * (u[j] - 0.71) / 4e-4;
        wide += (u[j] - 0.2) * (u[j] - 0.2);
    }
    for (size_t j = 0; j < width; j++)
        du[j] = -4 * exp(-e) * (u[j] - 0.71) / 4e-4 - 2 * (u[j] - 0.2) * exp(-wide);
    return 2 * exp(-e) + exp(-wide);
}

static void test_anchor(void **state)
{
    double anchor[6];
    for (size_t j = 0; j < 6; j++)
        anchor[j] = j % 2 ? 0.7 : 0.72;
    for (uint64_t seed = 0; seed < 10; seed++) {
        subject s = {.f = needle, .width = 6};
        bo__column columns[WIDEST];
        bo__maximize_problem p = real_problem(&s, columns);
        p.anchors = 1;
        p.anchor = anchor;
        double u[6];
        assert_true(solve(&p, seed, u) > 2);
    }
}

/* Anchors in corners and with the space's ends as values. */
static void test_anchor_on_bounds(void **state)
{
    double anchors[2 * 3] = {0, 0, 0, 1, 1, 1};
    subject s = {.f = corner, .width = 3};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    p.anchors = 2;
    p.anchor = anchors;
    p.screen = 1;
    p.starts = 1;
    double u[3];
    assert_close(solve(&p, 1, u), 0, 1e-9);
}

static void test_not_a_number(void **state)
{
    subject s = {.f = cliff, .width = 1};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    double u[1], value;
    assert_close(solve(&p, 1, u), 0.5, 1e-2);
    s.f = nowhere;
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    bo_message message = {""};
    assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_ENUMERIC);
    assert_true(strstr(message.text, "not a number") != NULL);
}

static bo_status broken(void *context, size_t thread, size_t m, const double *u, double *value,
                        double *du)
{
    subject *s = context;
    if (atomic_fetch_add(&s->calls, m) > s->taken_rows) /* fails after so many rows */
        return BO_ENOMEM;
    s->calls -= m;
    return evaluate(context, thread, m, u, value, du);
}

static void test_target_fails(void **state)
{
    size_t after[] = {0, 100, 520, 560, 600};
    for (size_t i = 0; i < 5; i++) {
        subject s = {.f = hartmann6, .width = 6, .taken_rows = after[i]};
        bo__column columns[WIDEST];
        bo__maximize_problem p = real_problem(&s, columns);
        p.target = broken;
        double u[6], value;
        bo__rng rng;
        bo__rng_init(&rng, 1, "test", 0);
        bo_message message = {""};
        assert_int_equal(bo__maximize(&p, &rng, u, &value, &message), BO_ENOMEM);
        assert_true(strlen(message.text) > 0);
    }
}

/* ---- the same whatever the threads ---- */

static void test_threads(void **state)
{
    for (size_t width = 1; width <= 6; width += 5) {
        double u[4][6] = {{0}}, value[4], anchor[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
        for (size_t t = 0; t < 4; t++) {
            subject s = {.f = width == 1 ? forrester : hartmann6, .width = width,
                         .threads = (size_t[]){1, 2, 5, 1}[t]};
            bo__column columns[WIDEST];
            bo__maximize_problem p = real_problem(&s, columns);
            p.anchors = 1;
            p.anchor = anchor;
            value[t] = solve(&p, 9, u[t]);
            assert_true(value[t] == value[0]);
            assert_memory_equal(u[t], u[0], sizeof u[0]);
        }
    }
}

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

/* Real space, and the maximum is taken: another good point comes. */
static void test_taken_real(void **state)
{
    subject s = {.f = branin, .width = 2};
    bo__column columns[WIDEST];
    bo__maximize_problem p = real_problem(&s, columns);
    double taken[20 * 2], u[2];
    s.taken = taken;
    p.taken = is_taken;
    for (size_t i = 0; i < 20; i++) {
        double value = solve(&p, 5, u); /* the same stream each time, so the same climbs */
        assert_false(is_taken(&s, u));
        assert_true(value > (i < 3 ? -0.4 : -10));
        memcpy(taken + 2 * s.taken_rows++, u, sizeof u);
    }
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

/* No screen, no starts, one evaluation: whatever is asked for, a point comes. */
static void test_small_numbers(void **state)
{
    for (size_t screen = 0; screen < 3; screen++)
        for (size_t starts = 0; starts < 3; starts++)
            for (size_t maxeval = 0; maxeval < 3; maxeval++) {
                subject s = {.f = hartmann6, .width = 6, .batch = 1};
                bo__column columns[WIDEST];
                bo__maximize_problem p = real_problem(&s, columns);
                p.screen = screen;
                p.starts = starts;
                p.maxeval = maxeval;
                double u[6], du[6];
                assert_true(solve(&p, 1, u) == hartmann6(6, u, du));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_maxima), cmocka_unit_test(test_anchor),
        cmocka_unit_test(test_anchor_on_bounds), cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_target_fails), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_mixed), cmocka_unit_test(test_mixed_threads),
        cmocka_unit_test(test_discrete), cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_last_point), cmocka_unit_test(test_taken_real),
        cmocka_unit_test(test_grid), cmocka_unit_test(test_grid_mixed),
        cmocka_unit_test(test_small_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
