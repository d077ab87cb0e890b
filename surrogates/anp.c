/* anp.c - attentive neural process (Kim et al., 2019).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   φ(x) = cross-attention from x to the context,
 *   z ~ q(z | context) from a self-attentive latent pooling encoder
 *   μ, σ = decoder([φ(x), z, x])
 * In training z is drawn from q(z | all points); the loss is in latent.h.
 */
#include "latent.h"

static bo__npcode code_of(bo__tape *tape, const bo__npmodel *m, bo__tensor *context_pairs,
                          bo__tensor *features, bo__tensor *z)
{
    const bo__cross *cross = &m->cross;
    bo__qkv rows = bo__cross_each(tape, cross, context_pairs);
    return (bo__npcode){
        .share = bo__linear(tape, z, m->dec.fc2, &m->dec.fc.b, false),
        .keys = bo__linear(tape, features, cross->attn.k, NULL, false),
        .values = bo__cross_values(tape, cross, rows, NULL),
    };
}

static bo__npcode encode(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c)
{
    bo__tensor *pairs = bo__join_pairs(tape, c->x, c->y);
    bo__tensor *raw = bo__pooling_of(tape, &m->pool2, bo__pooling_each(tape, &m->pool2, pairs),
                                     NULL);
    return code_of(tape, m, pairs, c->features, bo__latent_draw(tape, raw, c->noise));
}

static bo__npanswer decode(bo__tape *tape, const bo__npmodel *m, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features)
{
    const bo__mha *attn = &m->cross.attn;
    bo__tensor *q = bo__linear(tape, features, attn->q, NULL, false);
    bo__tensor *w = bo__attention_weights(tape, q, code->keys, NULL, attn->heads);
    bo__tensor *phi = bo__attend(tape, attn, q, w, code->values);
    bo__tensor *parts[] = {bo__linear(tape, phi, m->dec.fc1, NULL, false),
                           bo__linear(tape, x, m->dec.fcx, NULL, false)};
    /* The same for all samples: added up once. */
    bo__tensor *both[] = {bo__merge(tape, 2, parts, false), code->share};
    return (bo__npanswer){.all = bo__decoder_end(tape, &m->dec, 2, both)};
}

static double loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b)
{
    bo__tensor *pairs = bo__join_pairs(tape, b->x, b->y);
    bo__pooling_rows all = bo__pooling_each(tape, &m->pool2, pairs), first = {0};
    first.qkv = (bo__qkv){bo__slice(tape, all.qkv.q, 0, b->context),
                          bo__slice(tape, all.qkv.k, 0, b->context),
                          bo__slice(tape, all.qkv.v, 0, b->context)};
    bo__tensor *posterior = bo__pooling_of(tape, &m->pool2, all, NULL);
    bo__tensor *prior = bo__pooling_of(tape, &m->pool2, first, NULL);
    bo__tensor *z = bo__latent_draw(tape, posterior, b->noise);
    bo__tensor *features = bo__npfeatures(tape, m, b->x);
    bo__npcode code = code_of(tape, m, bo__slice(tape, pairs, 0, b->context),
                              bo__slice(tape, features, 0, b->context), z);
    bo__npanswer answer = decode(tape, m, &code, b->x, features);
    return bo__latent_loss(tape, m, b, answer.all, z, prior, posterior);
}

const bo__nptype bo__nptype_anp = {
    .name = "anp",
    .summary = "attentive neural process, with a latent variable",
    .attention = true,
    .latent = true,
    .encode = encode,
    .decode = decode,
    .loss = loss,
};
