/* np.c - neural process (Garnelo et al., 2018b).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   φ = pooling encoder of the context, z ~ q(z | context) from a latent pooling encoder
 *   μ, σ = decoder([φ, z, x])
 * In training z is drawn from q(z | all points); the loss is in latent.h.
 */
#include "latent.h"

/* φ's and z's share of the decoder's first layer. */
static bo__npcode code_of(bo__tape *tape, const bo__npmodel *m, bo__tensor *context_pairs,
                          bo__tensor *z)
{
    bo__pooling_rows rows = bo__pooling_each(tape, &m->pool1, context_pairs);
    bo__tensor *phi = bo__pooling_of(tape, &m->pool1, rows, NULL);
    return (bo__npcode){.share = bo__decoder_share(tape, &m->dec, phi, z)};
}

static bo__npcode encode(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c)
{
    bo__tensor *pairs = bo__join_pairs(tape, c->x, c->y);
    bo__tensor *raw = bo__pooling_of(tape, &m->pool2, bo__pooling_each(tape, &m->pool2, pairs),
                                     NULL);
    return code_of(tape, m, pairs, bo__latent_draw(tape, raw, c->noise));
}

static bo__npanswer decode(bo__tape *tape, const bo__npmodel *m, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features)
{
    bo__tensor *parts[] = {bo__linear(tape, x, m->dec.fcx, NULL, false), code->share};
    return (bo__npanswer){.all = bo__decoder_end(tape, &m->dec, 2, parts)};
}

static double loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b)
{
    bo__tensor *pairs = bo__join_pairs(tape, b->x, b->y);
    bo__pooling_rows all = bo__pooling_each(tape, &m->pool2, pairs), first = {0};
    first.rows = bo__slice(tape, all.rows, 0, b->context);
    bo__tensor *posterior = bo__pooling_of(tape, &m->pool2, all, NULL);
    bo__tensor *prior = bo__pooling_of(tape, &m->pool2, first, NULL);
    bo__tensor *z = bo__latent_draw(tape, posterior, b->noise);
    bo__npcode code = code_of(tape, m, bo__slice(tape, pairs, 0, b->context), z);
    bo__npanswer answer = decode(tape, m, &code, b->x, NULL);
    return bo__latent_loss(tape, m, b, answer.all, z, prior, posterior);
}

const bo__nptype bo__nptype_np = {
    .name = "np",
    .summary = "neural process, with a latent variable",
    .latent = true,
    .encode = encode,
    .decode = decode,
    .loss = loss,
};
