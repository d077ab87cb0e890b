/* maximize-check.h - functions to maximise, and what the tests of the maximiser share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_MAXIMIZE_CHECK_H
#define BO_MAXIMIZE_CHECK_H

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

static inline bo_status evaluate(void *context, size_t thread, size_t m, const double *u, double *value,
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

static inline bool is_taken(void *context, const double *u)
{
    const subject *s = context;
    for (size_t i = 0; i < s->taken_rows; i++)
        if (!memcmp(u, s->taken + i * s->width, s->width * sizeof *u))
            return true;
    return false;
}

/* A problem with real columns only; `columns` has room for WIDEST. */
static inline bo__maximize_problem real_problem(subject *s, bo__column *columns)
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

static inline double solve(const bo__maximize_problem *p, uint64_t seed, double *u)
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
static inline double forrester(size_t width, const double *u, double *du)
{
    double a = 6 * u[0] - 2, b = 12 * u[0] - 4;
    du[0] = -(12 * a * sin(b) + 12 * a * a * cos(b));
    return -a * a * sin(b);
}

/* Branin on the unit square, sign turned: three equal maxima of -0.397887. */
static inline double branin(size_t width, const double *u, double *du)
{
    double x = 15 * u[0] - 5, y = 15 * u[1], c = 5.1 / (4 * M_PI * M_PI), t = 1 / (8 * M_PI);
    double r = y - c * x * x + 5 / M_PI * x - 6;
    du[0] = -15 * (2 * r * (5 / M_PI - 2 * c * x) - 10 * (1 - t) * sin(x));
    du[1] = -15 * 2 * r;
    return -(r * r + 10 * (1 - t) * cos(x) + 10);
}

/* Hartmann 6: maximum 3.322368 (Surjanovic and Bingham). */
static inline double hartmann6(size_t width, const double *u, double *du)
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
static inline double corner(size_t width, const double *u, double *du)
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
static inline double steep(size_t width, const double *u, double *du)
{
    double sum = 5;
    for (size_t j = 0; j < width; j++) {
        sum -= 1e6 * (u[j] - 0.3) * (u[j] - 0.3);
        du[j] = -2e6 * (u[j] - 0.3);
    }
    return sum;
}

/* The same shape, scaled to the 1e-12 of an EI far from improvement. */
static inline double shallow(size_t width, const double *u, double *du)
{
    double sum = 1;
    for (size_t j = 0; j < width; j++) {
        sum -= 0.1 * (u[j] - 0.3) * (u[j] - 0.3);
        du[j] = -2e-13 * (u[j] - 0.3);
    }
    return 1e-12 * sum;
}

/* No number where u[0] > 0.5, and highest just before. */
static inline double cliff(size_t width, const double *u, double *du)
{
    du[0] = u[0] > 0.5 ? NAN : 1;
    return u[0] > 0.5 ? NAN : u[0];
}

static inline double nowhere(size_t width, const double *u, double *du)
{
    du[0] = NAN;
    return NAN;
}

#endif
