/* ops.h - the operators of the tape.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shapes are written [samples, tasks, points, cols]; S, B, P are the full sizes and 1|S a side
 * that may be 1, standing for all.  Each operator returns a new tensor, or NULL when memory ran
 * out.  The widths of hidden layers are multiples of 16.
 */
#ifndef BO_OPS_H
#define BO_OPS_H

#include "tape.h"

/* op-linear.c: y = x Wᵀ + b, then max(0, ·) if relu.  x [., ., ., in], W out × in, b (may be
 * NULL) out. */
bo__tensor *bo__linear(bo__tape *tape, bo__tensor *x, bo__weight w, const bo__weight *b,
                       bool relu);

/* op-merge.c: y = Σ parts, then max(0, ·) if relu; every part may be broadcast over samples,
 * tasks and points.  At most BO__MERGE_MOST parts. */
#define BO__MERGE_MOST 4
bo__tensor *bo__merge(bo__tape *tape, size_t count, bo__tensor *const *parts, bool relu);

/* op-pool.c: y[s, t] = scale · Σ_p w[s, t, p] · x[s, t, p]; w (NULL: all 1) [1|S, B, P, 1] has no
 * derivative.  x [1|S, B, P, c] → [S, B, 1, c]. */
bo__tensor *bo__pool(bo__tape *tape, bo__tensor *x, const bo__tensor *w, float scale);

/* op-pool.c: points first … first + count - 1 of every task. */
bo__tensor *bo__slice(bo__tape *tape, bo__tensor *x, size_t first, size_t count);

/* op-norm.c: layer normalisation of a sum, y = γ · (h - mean h) / √(var h + 1e-5) + β with
 * h = a + b, over the columns.  a [1|S, B, P, c], b [S, B, P, c]. */
bo__tensor *bo__norm(bo__tape *tape, bo__tensor *a, bo__tensor *b, bo__weight gamma,
                     bo__weight beta);

/* op-attention.c: for each of `heads` contiguous chunks of columns, w_ij = softmax_j(q_i·k_j/√c),
 * √ of the full width.  q [1|S, B, P, c], k [1|S, B, N, c]; counts (NULL: all 1) [1|S, B, N, 1]
 * says how many times a key is there (0: not at all) and has no derivative.
 * → [S, B, heads·P, N rounded up to 16], row h·P + i. */
bo__tensor *bo__attention_weights(bo__tape *tape, bo__tensor *q, bo__tensor *k,
                                  const bo__tensor *counts, size_t heads);

/* op-attention.c: y_i = Σ_j w_ij v_j for each head.  w from above, v [1|S, B, N, c]
 * → [S, B, P, c]. */
bo__tensor *bo__attention_apply(bo__tape *tape, bo__tensor *w, bo__tensor *v, size_t heads);

/* How a network's numbers r become a standard deviation. */
typedef struct bo__deviation {
    bool sigmoid; /* floor + (1 - floor) · sigmoid(r), else floor + (1 - floor) · softplus(r) */
    float floor;
} bo__deviation;

/* op-gaussian.c: log N(v; μ, σ²), summed over the columns of v.  raw [1|S, B, P, 2d] holds μ, then
 * r; v [1|S, B, P, d] → [S, B, P, 1]. */
bo__tensor *bo__log_normal(bo__tape *tape, bo__tensor *raw, bo__tensor *v, bo__deviation form);

/* op-gaussian.c: z = μ + σ·e.  raw [1, B, P, 2d], noise e [S, B, P, d] → [S, B, P, d]. */
bo__tensor *bo__reparameterise(bo__tape *tape, bo__tensor *raw, const bo__tensor *noise,
                               bo__deviation form);

/* op-gaussian.c: KL(q ‖ p) of the Gaussians of two raws [., B, P, 2d], summed over columns
 * → [., B, P, 1]. */
bo__tensor *bo__divergence(bo__tape *tape, bo__tensor *q, bo__tensor *p, bo__deviation form);

/* op-gaussian.c: μ and σ themselves, rows × d each; no derivative. */
void bo__gaussian_read(const bo__tensor *raw, bo__deviation form, float *mu, float *sigma);

/* op-reduce.c: y = log (1/S Σ_s exp x_s).  [S, B, P, 1] → [1, B, P, 1]. */
bo__tensor *bo__log_mean_exp(bo__tape *tape, bo__tensor *x);

/* op-reduce.c: y = Σ_i coefficient_i · term_i, all of one shape; at most BO__MERGE_MOST. */
bo__tensor *bo__combine(bo__tape *tape, size_t count, bo__tensor *const *terms,
                        const float *coefficient);

/* op-reduce.c: returns coefficient · Σ x, in double precision, and seeds the derivative with
 * it: the loss, or one term of it. */
double bo__total(bo__tape *tape, bo__tensor *x, float coefficient);

#endif
