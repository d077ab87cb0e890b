/* bnp.c - bootstrapping neural process (Lee et al., 2020).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   φ = (φ1, φ2), two pooling encoders of the context; base path: μ, σ = decoder([φ, x])
 *   for each sample j, without derivatives:
 *     (x̂, ŷ) = the context resampled, μ̂, σ̂ = decoder([encode(x̂, ŷ), x_c])
 *     e = (y_c - μ̂)/σ̂ resampled, less its mean,  ỹ = μ̂ + σ̂ e
 *   φ̃ = encode(x_c, ỹ);  μ_j, σ_j = decoder([φ, x], adaptation of φ̃)
 *   loss = -1/n Σ_i log N(y_i; μ_i, σ_i²) - 1/n Σ_i log (1/k Σ_j N(y_i; μ_ij, σ_ij²))
 */
#include "npmodel.h"

typedef struct rows {
    bo__pooling_rows one, two;
} rows;

static rows each(bo__tape *tape, const bo__npmodel *m, bo__tensor *pairs)
{
    return (rows){bo__pooling_each(tape, &m->pool1, pairs),
                  bo__pooling_each(tape, &m->pool2, pairs)};
}

/* The encodings' share of the decoder's first layer. */
static bo__tensor *share_of(bo__tape *tape, const bo__npmodel *m, rows r,
                            const bo__tensor *counts)
{
    return bo__decoder_share(tape, &m->dec, bo__pooling_of(tape, &m->pool1, r.one, counts),
                             bo__pooling_of(tape, &m->pool2, r.two, counts));
}

static bo__tensor *answer_at(bo__tape *tape, const bo__npmodel *m, bo__tensor *share,
                             bo__tensor *x)
{
    bo__tensor *parts[] = {bo__linear(tape, x, m->dec.fcx, NULL, false), share};
    return bo__decoder_end(tape, &m->dec, 2, parts);
}

/* The bootstrapped contexts, pairs [S, B, n, .]. */
static bo__tensor *bootstrap(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c, rows r)
{
    bool recording = tape->recording;
    tape->recording = false;
    bo__tensor *counts = NULL;
    if (m->spec.ablation != BO_ABLATE_PAIRED && c->x)
        counts = bo__draw_counts(tape, c->samples, c->x->tasks, c->x->points, c->pairs);
    bo__tensor *raw = answer_at(tape, m, share_of(tape, m, r, counts), c->x);
    bo__tensor *pairs = bo__residual_pairs(tape, raw, bo__npmodel_sigma(m), c->x, c->y,
                                           c->samples, c->residuals);
    tape->recording = recording;
    return pairs;
}

static bo__npcode encode(bo__tape *tape, const bo__npmodel *m, const bo__npcontext *c)
{
    rows r = each(tape, m, bo__join_pairs(tape, c->x, c->y));
    bo__npcode code = {.share = share_of(tape, m, r, NULL)};
    if (!c->residuals)
        return code;
    rows boot = each(tape, m, bootstrap(tape, m, c, r));
    if (m->spec.ablation == BO_ABLATE_ADAPTATION) {
        code.boot_share = share_of(tape, m, boot, NULL);
        return code;
    }
    bo__tensor *parts[] = {
        bo__decoder_adapt(tape, &m->dec, bo__pooling_of(tape, &m->pool1, boot.one, NULL),
                          bo__pooling_of(tape, &m->pool2, boot.two, NULL)),
        code.share};
    code.boot_share = bo__merge(tape, 2, parts, false);
    return code;
}

static bo__npanswer decode(bo__tape *tape, const bo__npmodel *m, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features)
{
    return (bo__npanswer){
        .base = answer_at(tape, m, code->share, x),
        .all = code->boot_share ? answer_at(tape, m, code->boot_share, x) : NULL,
    };
}

static double loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b)
{
    bo__npcontext context = bo__npbatch_context(tape, b, NULL);
    bo__npcode code = encode(tape, m, &context);
    bo__npanswer answer = decode(tape, m, &code, b->x, NULL);
    bo__deviation sigma = bo__npmodel_sigma(m);
    float scale = -b->weight / (float)b->x->points;
    bo__tensor *mixed = bo__log_mean_exp(tape, bo__log_normal(tape, answer.all, b->y, sigma));
    double total = bo__total(tape, mixed, scale);
    if (m->spec.ablation != BO_ABLATE_BASE_LOSS)
        total += bo__total(tape, bo__log_normal(tape, answer.base, b->y, sigma), scale);
    return total;
}

const bo__nptype bo__nptype_bnp = {
    .name = "bnp",
    .summary = "bootstrapping neural process",
    .bootstrap = true,
    .encode = encode,
    .decode = decode,
    .loss = loss,
};
