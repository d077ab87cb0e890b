/* contract-check.h - a surrogate with an acquisition, fitted to some points, and how exact it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_CONTRACT_CHECK_H
#define BO_CONTRACT_CHECK_H

#include <math.h>
#include <stdio.h>

#include "check.h"
#include "model.h"
#include "rng.h"
#include "space.h"

#define MOST_WIDTH 40

static inline bo_space *box(size_t dim)
{
    bo_space *s = bo_space_new();
    for (size_t j = 0; j < dim; j++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", j);
        assert_int_equal(bo_space_add_real(s, name, 0, 1), BO_OK);
    }
    return s;
}

static inline bo_space *mixed(void)
{
    const char *const labels[] = {"a", "b", "c"};
    bo_space *s = bo_space_new();
    bo_space_add_real(s, "r", -2, 5);
    bo_space_add_log_real(s, "l", 1e-4, 10);
    bo_space_add_integer(s, "i", 0, 7);
    bo_space_add_categorical(s, "c", 3, labels);
    bo_space_add_boolean(s, "b");
    return s;
}

typedef struct fixture {
    bo_space *space;
    bo_options options;
    bo__trials trials;
    bo__model *model;
    size_t width;
    bo__rng rng;
} fixture;

static inline void fixture_free(fixture *f)
{
    bo__model_free(f->model);
    bo__trials_clear(&f->trials);
    bo_space_free(f->space);
}

/* False: no weights for this space. */
static inline bool fixture_init(fixture *f, bo_space *space, const bo_surrogate_type *surrogate,
                                const bo_acquisition_type *acquisition)
{
    *f = (fixture){.space = space, .width = bo__space_width(space)};
    bo_options_init(&f->options);
    f->options.surrogate = surrogate;
    f->options.acquisition = acquisition;
    f->options.samples = 5;
    f->options.seed = 3;
    bo__rng_init(&f->rng, 1, "contract", 0);
    bo__trials_init(&f->trials, bo_space_dim(space), f->width);
    bo_message message;
    bo_status status = bo__model_new(&f->model, space, &f->options, 1, 16, &message);
    if (status == BO_ENOMODEL) {
        fixture_free(f);
        return false;
    }
    if (status)
        fail_msg("%s: %s", surrogate->name, message.text);
    return true;
}

static inline double smooth(size_t width, const double *u)
{
    double sum = 0;
    for (size_t j = 0; j < width; j++)
        sum += sin(4 * u[j] + (double)j) / (1 + (double)j);
    return sum;
}

/* n told points, and `failed` failed ones. */
static inline void tell(fixture *f, size_t n, size_t failed)
{
    size_t dim = bo_space_dim(f->space);
    for (size_t i = 0; i < n + failed; i++) {
        double fraction[MOST_WIDTH], x[MOST_WIDTH], u[MOST_WIDTH];
        for (size_t j = 0; j < dim; j++)
            fraction[j] = bo__rng_uniform(&f->rng);
        bo__space_spread(f->space, fraction, x);
        bo__space_encode(f->space, x, u);
        bo_trial *trial;
        assert_int_equal(bo__trials_add(&f->trials, x, u, &trial), BO_OK);
        trial->state = i < n ? BO_DONE : BO_FAILED;
        trial->y = i < n ? smooth(f->width, u) : NAN;
    }
}

/* Thompson sampling needs draws, or several components; a surrogate with neither says so. */
static inline bool cannot_draw(bo_status status, const bo_surrogate_type *s,
                               const bo_acquisition_type *a)
{
    return status == BO_EUNSUPPORTED && a && a->draws && !s->draw;
}

/* False: the acquisition needs draws, which the surrogate does not have. */
static inline bool ready(fixture *f)
{
    bo_message message;
    assert_int_equal(bo__model_fit(f->model, &f->trials, false, false, &message), BO_OK);
    bo_status status = bo__model_aim(f->model, 1, &message);
    if (cannot_draw(status, f->options.surrogate, f->options.acquisition))
        return false;
    assert_int_equal(status, BO_OK);
    return true;
}

static inline double target_at(fixture *f, const double *u)
{
    double value;
    assert_int_equal(bo__model_target(f->model, 0, 1, u, &value, NULL), BO_OK);
    return value;
}

/* The GP, in double precision, is held to differences.  Networks in float32, with a corner wherever
 * a ReLU turns, have none worth the name; theirs are compared with integrals, see below. */
static inline bool is_network(const bo_surrogate_type *type)
{
    return type->unwarped;
}

/* How exact a target is.  The mean and sd of a network are good to 1e-5 in z, its sd is above 0.01,
 * so its distance t from the incumbent, in sds, is good to 1e-3.  A probability or an EI that is not
 * tiny is then good to as much of its value, while log EI, far below about -t²/2, has an error of
 * |t| times that. */
static inline double rounding(const fixture *f, double value)
{
    double error = 1e-5 * (1 + fabs(value));
    const bo_acquisition_type *a = f->options.acquisition;
    bo_acquisition_scale scale = a ? a->scale : BO_SCALE_LOG; /* the default is log EI */
    if (!is_network(f->options.surrogate) || scale == BO_SCALE_Z)
        return error;
    return error + 1e-3 * (scale == BO_SCALE_LOG ? sqrt(2 * fabs(value)) : fabs(value));
}

/* ---- derivatives of networks: f(b) - f(a) = ∫ f'(u) du ---- */

enum { PIECES = 6, CELLS = 96, MOST_CELLS = 1536, BATCH = 16 };

/* The integral of the target's derivative by the midpoint rule, and that of |f'|.  A jump J of f'
 * somewhere in a cell of width w makes an error uniform on ±J w/2, of variance J² w²/12: error is
 * four standard deviations of the sum, and never less than w/2 times the largest jump. */
typedef struct integral {
    double value, error, variation;
} integral;

static inline integral integrate(fixture *f, double a, double b, size_t cells)
{
    double cell = (b - a) / (double)cells, squares = 0, before = NAN;
    integral sum = {0};
    for (size_t i = 0; i < cells; i += BATCH) {
        double u[BATCH], value[BATCH], du[BATCH];
        for (size_t j = 0; j < BATCH; j++)
            u[j] = a + cell * ((double)(i + j) + 0.5);
        assert_int_equal(bo__model_target(f->model, 0, BATCH, u, value, du), BO_OK);
        for (size_t j = 0; j < BATCH; j++) {
            sum.value += cell * du[j];
            sum.variation += cell * fabs(du[j]);
            squares += isnan(before) ? 0 : (du[j] - before) * (du[j] - before);
            before = du[j];
        }
        double alone = target_at(f, u);
        assert_close(value[0], alone, rounding(f, alone));
    }
    sum.error = 4 * cell * sqrt(squares / 12);
    return sum;
}

/* Corners do not matter to an integral, and neither does the rounding of f in a long piece: what is
 * left is the rounding of f at both ends, and of f' by its own size. */
static inline void check_integrals(fixture *f, const char *what)
{
    for (int piece = 0; piece < PIECES; piece++) {
        double a = 0.07 + 0.15 * piece, b = a + 0.02;
        double low = target_at(f, &a), high = target_at(f, &b);
        integral sum;
        double by;
        size_t cells = CELLS; /* more where f' has a peak that is narrower than these */
        do {
            sum = integrate(f, a, b, cells);
            by = rounding(f, low) + rounding(f, high) + sum.error + 1e-3 * sum.variation;
        } while (!(fabs(high - low - sum.value) <= by) && (cells *= 4) <= MOST_CELLS);
        if (cells > MOST_CELLS)
            fail_msg("%s: from %g to %g the target rises by %g, its derivative says %g ± %g", what,
                     a, b, high - low, sum.value, by);
    }
}

#endif
