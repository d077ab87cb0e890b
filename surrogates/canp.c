/* canp.c - conditional attentive neural process (Kim et al., 2019).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   φ1(x) = cross-attention from x to the context, φ2 = self-attentive pooling of the context
 *   μ, σ = decoder([φ1(x), φ2, x])
 *   loss = -1/n Σ_i log N(y_i; μ_i, σ_i²)
 */
#include "npmodel.h"

static bo__npcode encode(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c)
{
    const bo__cross *cross = &m->cross;
    bo__tensor *pairs = bo__join_pairs(tape, c->x, c->y);
    bo__tensor *phi2 = bo__pooling_of(tape, &m->pool2, bo__pooling_each(tape, &m->pool2, pairs),
                                      NULL);
    return (bo__npcode){
        .share = bo__linear(tape, phi2, m->dec.fc2, &m->dec.fc.b, false),
        .keys = bo__linear(tape, c->features, cross->attn.k, NULL, false),
        .values = bo__cross_values(tape, cross, bo__cross_each(tape, cross, pairs), NULL),
    };
}

static bo__npanswer decode(bo__tape *tape, const bo__npmodel *m, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features)
{
    const bo__mha *attn = &m->cross.attn;
    bo__tensor *q = bo__linear(tape, features, attn->q, NULL, false);
    bo__tensor *w = bo__attention_weights(tape, q, code->keys, NULL, attn->heads);
    bo__tensor *phi1 = bo__attend(tape, attn, q, w, code->values);
    bo__tensor *parts[] = {bo__linear(tape, phi1, m->dec.fc1, NULL, false),
                           bo__linear(tape, x, m->dec.fcx, NULL, false), code->share};
    bo__tensor *raw = bo__decoder_end(tape, &m->dec, 3, parts);
    return (bo__npanswer){raw, raw};
}

static double loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b)
{
    bo__tensor *features = bo__npfeatures(tape, m, b->x);
    bo__npcontext context = bo__npbatch_context(tape, b, features);
    bo__npcode code = encode(tape, m, &context);
    bo__npanswer answer = decode(tape, m, &code, b->x, features);
    bo__tensor *log_p = bo__log_normal(tape, answer.base, b->y, bo__npmodel_sigma(m));
    return bo__total(tape, log_p, -b->weight / (float)b->x->points);
}

const bo__nptype bo__nptype_canp = {
    .name = "canp",
    .summary = "conditional attentive neural process",
    .attention = true,
    .encode = encode,
    .decode = decode,
    .loss = loss,
};
