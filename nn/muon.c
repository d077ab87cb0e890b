/* muon.c - the optimiser of matrices: steps that turn, whatever the gradient's scale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   m = β m + g      u = g + β m      θ = θ (1 - rate·decay) - rate · 0.2 √max(rows, cols) · O(u)
 * (Jordan et al., 2024, "Muon"), β = 0.95.  O(u) has the singular vectors of u, and 1 for each
 * singular value, by five turns of a Newton-Schulz iteration from X = u/|u|:
 *   X = a X + (b A + c A²) X, A = X Xᵀ, (a, b, c) = (3.4445, -4.7750, 2.0315),
 * whose polynomial grows small singular values fastest and is content with values near 1.  The
 * factor 0.2 √max(rows, cols) gives a step the size that Adam's have (Liu et al., 2025, "Muon is
 * scalable"), so that one rate serves both.  Products are in bf16 where the CPU has it: the
 * iteration mends its own rounding errors.
 */
#include "muon.h"

#include <math.h>
#include <string.h>

#include "lanes.h"
#include "matmul.h"

#define BETA 0.95f
#define TURNS 5
/* Sides below this are few inputs or outputs, in which no matrix can turn far. */
#define SMALLEST 32

bool bo__muon_suits(const bo__parameter *p)
{
    return p->dims == 2 && p->rows >= SMALLEST && p->cols >= SMALLEST;
}

static size_t padded(size_t n)
{
    return (n + BO__LANES - 1) / BO__LANES * BO__LANES;
}

/* u, X, and A, A² and (b A + c A²) X of the lying matrix. */
size_t bo__muon_scratch(const bo__parameter *p)
{
    size_t size = padded(p->rows * p->cols), side = p->rows < p->cols ? p->rows : p->cols;
    return 3 * size + 2 * padded(side * side);
}

/* out = a x + b y, n numbers with room up to a multiple of 16. */
BO__FAST static void combine(size_t n, float a, const float *x, float b, const float *y,
                             float *out)
{
    for (size_t i = 0; i < n; i += BO__LANES)
        bo__store(out + i, a * bo__load(x + i) + b * bo__load(y + i));
}

static void multiply(size_t m, size_t n, size_t k, const float *a, const float *b,
                     bool transposed, float *c)
{
    bo__matmul(&(bo__product){.m = m, .n = n, .k = k, .a = {a, k, false},
                              .b = {b, transposed ? k : n, transposed}, .c = c, .c_stride = n,
                              .precision = BO__PRECISION_BF16});
}

/* x is r × c with r ≤ c. */
static void iterate(size_t r, size_t c, float *x, float *a, float *aa, float *more)
{
    multiply(r, r, c, x, x, true, a);
    multiply(r, r, r, a, a, false, aa);
    combine(r * r, -4.7750f, a, 2.0315f, aa, a);
    multiply(r, c, r, a, x, false, more);
    combine(r * c, 3.4445f, x, 1, more, x);
}

/* out = factor · g, or its transpose. */
static void copy(size_t rows, size_t cols, bool turn, float factor, const float *g, float *out)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            out[turn ? j * rows + i : i * cols + j] = factor * g[i * cols + j];
}

void bo__muon_orthogonal(size_t rows, size_t cols, float *g, float *scratch)
{
    bool stands = rows > cols;
    size_t r = stands ? cols : rows, c = stands ? rows : cols, size = padded(r * c);
    float *x = scratch, *more = x + size, *a = more + size, *aa = a + padded(r * r);
    double norm = sqrt(bo__adam_squares(g, 0, rows * cols));
    memset(x, 0, (2 * size + 2 * padded(r * r)) * sizeof *x);
    copy(rows, cols, stands, norm > 0 ? (float)(1 / norm) : 0, g, x);
    for (int turn = 0; turn < TURNS; turn++)
        iterate(r, c, x, a, aa, more);
    copy(r, c, stands, 1, x, g);
}

/* m = β m + g, u = g + β m, with g times scale. */
BO__FAST static void momentum(size_t n, float scale, const float *g, float *m, float *u)
{
    for (size_t i = 0; i < n; i += BO__LANES) {
        bo__v16 d = scale * bo__load(g + i), v = BETA * bo__load(m + i) + d;
        bo__store(m + i, v);
        bo__store(u + i, d + BETA * v);
    }
}

BO__FAST static void move(size_t n, float keep, float rate, const float *u, float *theta)
{
    for (size_t i = 0; i < n; i += BO__LANES)
        bo__store(theta + i, keep * bo__load(theta + i) - rate * bo__load(u + i));
}

void bo__muon_step(const bo__adam_options *options, bo__adam_state *state,
                   const bo__parameter *p, size_t step, const float *gradient, double scale,
                   float *scratch)
{
    size_t n = p->rows * p->cols, longest = p->rows > p->cols ? p->rows : p->cols;
    double rate = bo__adam_rate(options, step);
    float *theta = state->theta + p->offset, *u = scratch;
    momentum(n, (float)scale, gradient + p->offset, state->first + p->offset, u);
    bo__muon_orthogonal(p->rows, p->cols, u, scratch + padded(n));
    move(n, (float)(1 - rate * options->weight_decay),
         (float)(rate * 0.2 * sqrt((double)longest)), u, theta);
    if (state->average) {
        float decay = bo__adam_decay(options, step), *average = state->average + p->offset;
        combine(n, decay, average, 1 - decay, theta, average);
    }
}
