/* ops-check.h - an operator of the tape against a plain double-precision version of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A case gives the shapes of the inputs, the operator, and a naive reference in doubles.  Random
 * inputs go through both: the outputs must agree, and the derivatives that the tape finds of
 * Σ c_i y_i, with random c, must agree with central differences of the reference.
 */
#ifndef BO_OPS_CHECK_H
#define BO_OPS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "rng.h"

#define INPUTS 5

typedef struct shape {
    size_t samples, tasks, points, cols;
} shape;

static inline size_t shape_size(shape s)
{
    return s.samples * s.tasks * s.points * s.cols;
}

/* Element (s, t, p, c) of an input, broadcast where a side is 1. */
static inline double at(const double *data, shape h, size_t s, size_t t, size_t p, size_t c)
{
    s = h.samples == 1 ? 0 : s;
    t = h.tasks == 1 ? 0 : t;
    p = h.points == 1 ? 0 : p;
    return data[((s * h.tasks + t) * h.points + p) * h.cols + c];
}

typedef struct op_case op_case;
struct op_case {
    size_t inputs;
    shape in[INPUTS];
    bool fixed[INPUTS]; /* has no derivative */
    shape out;          /* of the reference */
    size_t theta;       /* numbers of weights */
    bo__tensor *(*op)(bo__tape *tape, bo__tensor **in, const op_case *c);
    void (*reference)(const op_case *c, const double *const *in, const double *theta,
                      double *out);
    /* Element of the operator's output that holds element i of the reference; NULL: i. */
    size_t (*place)(const op_case *c, size_t i);
    size_t numbers[4]; /* whatever the case wants to tell its functions */
    double scale;      /* of the inputs; 0: 1 */
};

static inline double *random_doubles(bo__rng *rng, size_t n, double scale)
{
    double *v = malloc((n + 1) * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = (float)(scale * bo__rng_normal(rng)); /* exact as a float */
    return v;
}

static inline double weighted(const op_case *c, double *const *in, const double *theta,
                              const double *coefficient, double *out)
{
    double sum = 0;
    c->reference(c, (const double *const *)in, theta, out);
    for (size_t i = 0; i < shape_size(c->out); i++)
        sum += coefficient[i] * out[i];
    return sum;
}

/* Central differences of the weighted sum by v[0 … n-1], against grad. */
static inline void compare_derivatives(const op_case *c, double **in, double *theta,
                                       const double *coefficient, double *out, double *v,
                                       size_t n, const float *grad)
{
    const double h = 1e-5;
    double *difference = malloc((n + 1) * sizeof *difference), largest = 0;
    for (size_t i = 0; i < n; i++) {
        double was = v[i];
        v[i] = was + h;
        double up = weighted(c, in, theta, coefficient, out);
        v[i] = was - h;
        double down = weighted(c, in, theta, coefficient, out);
        v[i] = was;
        difference[i] = (up - down) / (2 * h);
        largest = fmax(largest, fabs(difference[i]));
    }
    for (size_t i = 0; i < n; i++)
        if (!(fabs(difference[i] - grad[i]) <= 1e-5 * (1 + largest)))
            fail_msg("derivative %zu is %.8g, differences say %.8g", i, (double)grad[i],
                     difference[i]);
    free(difference);
}

/* The whole check.  Derivatives are asked for twice, so that adding to what is there is seen. */
static inline void check_op(const op_case *c, uint64_t seed)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "test", 0);
    double *in[INPUTS], *theta = random_doubles(&rng, c->theta, 0.5);
    float *weights = aligned_alloc(64, (c->theta + 16) / 16 * 64);
    float *dweights = aligned_alloc(64, (c->theta + 16) / 16 * 64);
    for (size_t i = 0; i < c->theta; i++) {
        weights[i] = (float)theta[i];
        dweights[i] = 0;
    }
    bo__arena arena;
    bo__arena_init(&arena);
    bo__tape tape;
    bo__tape_init(&tape, &arena, weights, dweights);
    tape.precision = BO__PRECISION_FLOAT32; /* the formulas are checked; products elsewhere */
    bo__tensor *tensors[INPUTS] = {NULL};
    for (size_t k = 0; k < c->inputs; k++) {
        shape s = c->in[k];
        in[k] = random_doubles(&rng, shape_size(s), c->scale > 0 ? c->scale : 1);
        tensors[k] = bo__tensor_new(&tape, s.samples, s.tasks, s.points, s.cols, !c->fixed[k]);
        for (size_t i = 0; i < shape_size(s); i++)
            tensors[k]->data[i] = (float)in[k][i];
    }
    size_t size = shape_size(c->out);
    double *out = malloc(size * sizeof *out), *coefficient = random_doubles(&rng, size, 1);
    for (int turn = 0; turn < 2; turn++) {
        bo__tensor *y = c->op(&tape, tensors, c);
        assert_non_null(y);
        assert_false(tape.failed);
        c->reference(c, (const double *const *)in, theta, out);
        bo__tensor_open(y);
        for (size_t i = 0; i < size; i++) {
            size_t place = c->place ? c->place(c, i) : i;
            if (!(fabs(out[i] - y->data[place]) <= 1e-5 * (1 + fabs(out[i]))))
                fail_msg("element %zu is %.8g, must be %.8g", i, (double)y->data[place], out[i]);
            y->grad[place] = (float)coefficient[i];
        }
        bo__tape_backward(&tape);
    }
    for (size_t i = 0; i < size; i++)
        coefficient[i] *= 2;
    for (size_t k = 0; k < c->inputs; k++)
        if (!c->fixed[k])
            compare_derivatives(c, in, theta, coefficient, out, in[k], shape_size(c->in[k]),
                                tensors[k]->grad);
    compare_derivatives(c, in, theta, coefficient, out, theta, c->theta, dweights);
    for (size_t k = 0; k < c->inputs; k++)
        free(in[k]);
    free(out);
    free(coefficient);
    free(theta);
    free(weights);
    free(dweights);
    bo__arena_free(&arena);
}

#endif
