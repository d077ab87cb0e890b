/* banp.c - bootstrapping attentive neural process (Lee et al., 2020).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   φ(x) = (φ1(x), φ2): cross-attention from x to the context, self-attentive pooling of it
 * and the bootstrap and loss of bnp.c.  Queries, keys and so the weights of the cross-attention
 * depend on x alone: they are the same for the base path and for all bootstrapped contexts.
 */
#include "npmodel.h"

typedef struct rows {
    bo__qkv one;
    bo__pooling_rows two;
} rows;

static rows each(bo__tape *tape, const bo__npmodel *m, bo__tensor *pairs)
{
    return (rows){bo__cross_each(tape, &m->cross, pairs),
                  bo__pooling_each(tape, &m->pool2, pairs)};
}

/* Encodings at the queries, given the attention's weights. */
static bo__tensor *phi1_at(bo__tape *tape, const bo__npmodel *m, bo__tensor *q, bo__tensor *w,
                           bo__tensor *values)
{
    return bo__attend(tape, &m->cross.attn, q, w, values);
}

/* Input of the base path's first ReLU. */
static bo__tensor *first_layer(bo__tape *tape, const bo__npmodel *m, bo__tensor *phi1,
                               bo__tensor *share, bo__tensor *x)
{
    bo__tensor *parts[] = {bo__linear(tape, phi1, m->dec.fc1, NULL, false),
                           bo__linear(tape, x, m->dec.fcx, NULL, false), share};
    return bo__merge(tape, 3, parts, false);
}

/* The bootstrapped contexts, pairs [S, B, n, .]. */
static bo__tensor *bootstrap(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c, rows r,
                             bo__tensor *keys)
{
    bool recording = tape->recording;
    tape->recording = false;
    bo__tensor *counts = NULL;
    if (m->spec.ablation != BO_ABLATE_PAIRED && c->x)
        counts = bo__draw_counts(tape, c->samples, c->x->tasks, c->x->points, c->pairs);
    const bo__mha *attn = &m->cross.attn;
    bo__tensor *q = bo__linear(tape, c->features, attn->q, NULL, false);
    bo__tensor *w = bo__attention_weights(tape, q, keys, counts, attn->heads);
    bo__tensor *phi1 = phi1_at(tape, m, q, w, bo__cross_values(tape, &m->cross, r.one, counts));
    bo__tensor *phi2 = bo__pooling_of(tape, &m->pool2, r.two, counts);
    bo__tensor *share = bo__linear(tape, phi2, m->dec.fc2, &m->dec.fc.b, false);
    bo__tensor *parts[] = {first_layer(tape, m, phi1, share, c->x)};
    bo__tensor *raw = bo__decoder_end(tape, &m->dec, 1, parts);
    bo__tensor *pairs = bo__residual_pairs(tape, raw, bo__npmodel_sigma(m), c->x, c->y,
                                           c->samples, c->residuals);
    tape->recording = recording;
    return pairs;
}

static bo__npcode encode(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c)
{
    rows r = each(tape, m, bo__join_pairs(tape, c->x, c->y));
    bo__tensor *phi2 = bo__pooling_of(tape, &m->pool2, r.two, NULL);
    bo__npcode code = {
        .share = bo__linear(tape, phi2, m->dec.fc2, &m->dec.fc.b, false),
        .keys = bo__linear(tape, c->features, m->cross.attn.k, NULL, false),
        .values = bo__cross_values(tape, &m->cross, r.one, NULL),
    };
    if (!c->residuals)
        return code;
    rows boot = each(tape, m, bootstrap(tape, m, c, r, code.keys));
    bo__tensor *boot2 = bo__pooling_of(tape, &m->pool2, boot.two, NULL);
    code.boot_values = bo__cross_values(tape, &m->cross, boot.one, NULL);
    code.boot_share = m->spec.ablation == BO_ABLATE_ADAPTATION
                          ? bo__linear(tape, boot2, m->dec.fc2, &m->dec.fc.b, false)
                          : bo__linear(tape, boot2, m->dec.ctx2, NULL, false);
    return code;
}

static bo__npanswer decode(bo__tape *tape, const bo__npmodel *m, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features)
{
    const bo__mha *attn = &m->cross.attn;
    bo__tensor *q = bo__linear(tape, features, attn->q, NULL, false);
    bo__tensor *w = bo__attention_weights(tape, q, code->keys, NULL, attn->heads);
    bo__tensor *base = first_layer(tape, m, phi1_at(tape, m, q, w, code->values), code->share, x);
    bo__npanswer answer = {.base = bo__decoder_end(tape, &m->dec, 1, &base)};
    if (!code->boot_values)
        return answer;
    bo__tensor *phi1 = phi1_at(tape, m, q, w, code->boot_values), *all;
    if (m->spec.ablation == BO_ABLATE_ADAPTATION) {
        all = first_layer(tape, m, phi1, code->boot_share, x);
        answer.all = bo__decoder_end(tape, &m->dec, 1, &all);
        return answer;
    }
    bo__tensor *parts[] = {bo__linear(tape, phi1, m->dec.ctx1, NULL, false), base,
                           code->boot_share};
    answer.all = bo__decoder_end(tape, &m->dec, 3, parts);
    return answer;
}

static double loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b)
{
    bo__tensor *features = bo__npfeatures(tape, m, b->x);
    bo__npcontext context = bo__npbatch_context(tape, b, features);
    bo__npcode code = encode(tape, m, &context);
    bo__npanswer answer = decode(tape, m, &code, b->x, features);
    bo__deviation sigma = bo__npmodel_sigma(m);
    float scale = -b->weight / (float)b->x->points;
    bo__tensor *mixed = bo__log_mean_exp(tape, bo__log_normal(tape, answer.all, b->y, sigma));
    double total = bo__total(tape, mixed, scale);
    if (m->spec.ablation != BO_ABLATE_BASE_LOSS)
        total += bo__total(tape, bo__log_normal(tape, answer.base, b->y, sigma), scale);
    return total;
}

const bo__nptype bo__nptype_banp = {
    .name = "banp",
    .summary = "bootstrapping attentive neural process",
    .attention = true,
    .bootstrap = true,
    .encode = encode,
    .decode = decode,
    .loss = loss,
};
