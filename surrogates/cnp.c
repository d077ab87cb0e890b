/* cnp.c - conditional neural process (Garnelo et al., 2018a).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   φ1, φ2 = two pooling encoders of the context
 *   μ, σ = decoder([φ1, φ2, x])
 *   loss = -1/n Σ_i log N(y_i; μ_i, σ_i²)
 */
#include "npmodel.h"

static bo__npcode encode(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c)
{
    bo__tensor *pairs = bo__join_pairs(tape, c->x, c->y);
    bo__tensor *phi1 = bo__pooling_of(tape, &m->pool1, bo__pooling_each(tape, &m->pool1, pairs),
                                      NULL);
    bo__tensor *phi2 = bo__pooling_of(tape, &m->pool2, bo__pooling_each(tape, &m->pool2, pairs),
                                      NULL);
    return (bo__npcode){.share = bo__decoder_share(tape, &m->dec, phi1, phi2)};
}

static bo__npanswer decode(bo__tape *tape, const bo__npmodel *m, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features)
{
    bo__tensor *parts[] = {bo__linear(tape, x, m->dec.fcx, NULL, false), code->share};
    bo__tensor *raw = bo__decoder_end(tape, &m->dec, 2, parts);
    return (bo__npanswer){raw, raw};
}

static double loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b)
{
    bo__npcontext context = bo__npbatch_context(tape, b, NULL);
    bo__npcode code = encode(tape, m, &context);
    bo__npanswer answer = decode(tape, m, &code, b->x, NULL);
    bo__tensor *log_p = bo__log_normal(tape, answer.base, b->y, bo__npmodel_sigma(m));
    return bo__total(tape, log_p, -b->weight / (float)b->x->points);
}

const bo__nptype bo__nptype_cnp = {
    .name = "cnp",
    .summary = "conditional neural process",
    .encode = encode,
    .decode = decode,
    .loss = loss,
};
