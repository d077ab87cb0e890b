/* nplayers.h - the layers that neural processes share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What depends on a pair (x_i, y_i) alone is kept apart from what mixes pairs, since the first is
 * the same for a context and all resamples of it: a resample is then given by how many times
 * each pair was drawn (`counts`, [S, B, n, 1]; NULL: once each).
 */
#ifndef BO_NPLAYERS_H
#define BO_NPLAYERS_H

#include "ops.h"
#include "parameters.h"

typedef struct bo__dense {
    bo__weight w, b;
} bo__dense;

/* MHA(q, k, v) of SPEC: out = LN2(H + ReLU(Linear H)), H = LN1(Q + heads).  With pre, norms stand
 * before what they feed: q, k and v of a self-attention, q and k of a cross-attention are made of
 * LN1 of their input; H = Q + heads, out = H + ReLU(Linear LN2 H).  The weights are the same. */
typedef struct bo__mha {
    size_t heads;
    bool pre;
    bo__weight q, k, v;
    bo__dense out;
    bo__weight gamma1, beta1, gamma2, beta2;
} bo__mha;

/* Queries, keys and values of a self-attention: linear in each row. */
typedef struct bo__qkv {
    bo__tensor *q, *k, *v;
} bo__qkv;

/* MLP on each pair, mean over the pairs, MLP.  With attention: MLP, ReLU, self-attention, mean,
 * MLP. */
typedef struct bo__pooling {
    bool attends;
    bo__dense pre[4], post[2];
    bo__mha self;
} bo__pooling;

/* A pooling encoder's part that works on each pair alone. */
typedef struct bo__pooling_rows {
    bo__tensor *rows; /* without attention */
    bo__qkv qkv;      /* with attention */
} bo__pooling_rows;

/* v = self-attention(MLP(pair)); q, k = MLP(x), the same for both; out = MHA(q, k, v). */
typedef struct bo__cross {
    bo__dense v[2], qk[2];
    bo__mha self, attn;
} bo__cross;

/* First layer on [encoding1, encoding2, x] in three blocks, ReLU, MLP.  With adapt, the first
 * layer also has two blocks for bootstrapped encodings. */
typedef struct bo__decoder {
    bo__dense fc;
    bo__weight fc1, fc2, fcx, ctx1, ctx2;
    bo__dense mlp[2];
} bo__decoder;

typedef struct bo__widths {
    size_t pair, x, y, hidden, heads;
    bool pre_norm; /* of attention */
} bo__widths;

/* Each lays a layer out in the set, under the names of SPEC. */
void bo__pooling_init(bo__pooling *p, bo__parameters *set, const char *name, bo__widths widths,
                      bool attends, size_t out);
void bo__cross_init(bo__cross *c, bo__parameters *set, const char *name, bo__widths widths);
void bo__decoder_init(bo__decoder *d, bo__parameters *set, const char *name, bo__widths widths,
                      bool adapt);

bo__tensor *bo__dense_on(bo__tape *tape, const bo__dense *layer, bo__tensor *x, bool relu);

/* LN2(H + ReLU(Linear H)), H = LN1(q + Σ w v), or as pre says. */
bo__tensor *bo__attend(bo__tape *tape, const bo__mha *a, bo__tensor *q, bo__tensor *weights,
                       bo__tensor *v);

bo__pooling_rows bo__pooling_each(bo__tape *tape, const bo__pooling *p, bo__tensor *pairs);
bo__tensor *bo__pooling_of(bo__tape *tape, const bo__pooling *p, bo__pooling_rows rows,
                           const bo__tensor *counts);

/* Cross-attention: rows of the values' self-attention; the values; the features of x. */
bo__qkv bo__cross_each(bo__tape *tape, const bo__cross *c, bo__tensor *pairs);
bo__tensor *bo__cross_values(bo__tape *tape, const bo__cross *c, bo__qkv rows,
                             const bo__tensor *counts);
bo__tensor *bo__cross_features(bo__tape *tape, const bo__cross *c, bo__tensor *x);

/* Part of the decoder's first layer: encodings with bias, or bootstrapped encodings. */
bo__tensor *bo__decoder_share(bo__tape *tape, const bo__decoder *d, bo__tensor *phi1,
                              bo__tensor *phi2);
bo__tensor *bo__decoder_adapt(bo__tape *tape, const bo__decoder *d, bo__tensor *phi1,
                              bo__tensor *phi2);
/* ReLU of the sum of the parts, then the MLP. */
bo__tensor *bo__decoder_end(bo__tape *tape, const bo__decoder *d, size_t count,
                            bo__tensor *const *parts);

/* Rows [x, y]. x [1|S, B, n, .], y [1|S, B, n, .]; no derivative. */
bo__tensor *bo__join_pairs(bo__tape *tape, const bo__tensor *x, const bo__tensor *y);

/* How many times each of n points was drawn. */
bo__tensor *bo__draw_counts(bo__tape *tape, size_t samples, size_t tasks, size_t n,
                            const uint32_t *draws);

/* The residual bootstrap: pairs (x, ỹ) with ỹ = μ + σ·(e - mean e), e drawn from (y - μ)/σ with
 * replacement.  raw [1|S, B, n, 2d] → [S, B, n, dim_x + d]; no derivative. */
bo__tensor *bo__residual_pairs(bo__tape *tape, const bo__tensor *raw, bo__deviation form,
                               const bo__tensor *x, const bo__tensor *y, size_t samples,
                               const uint32_t *draws);

#endif
