/* nplayers.c - the layers that neural processes share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Architectures and tensor names follow Lee et al. (2020), "Bootstrapping neural processes", and
 * their public code.
 */
#include "nplayers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- layout ---------------------------------------------------------------------------- */

#define NAME 64 /* longest prefix below: "enc1.self_attn" and the like */

static bo__dense dense(bo__parameters *set, const char *prefix, const char *name, size_t in,
                       size_t out)
{
    char full[NAME];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    return (bo__dense){bo__parameters_matrix(set, full, "weight", out, in),
                       bo__parameters_bias(set, full, "bias", out, in)};
}

static bo__mha mha(bo__parameters *set, const char *prefix, const char *name, bo__widths w)
{
    char full[NAME];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    size_t h = w.hidden;
    bo__mha a = {.heads = w.heads, .pre = w.pre_norm};
    a.q = bo__parameters_matrix(set, full, "fc_q.weight", h, h);
    a.k = bo__parameters_matrix(set, full, "fc_k.weight", h, h);
    a.v = bo__parameters_matrix(set, full, "fc_v.weight", h, h);
    a.out = dense(set, full, "fc_out", h, h);
    a.gamma1 = bo__parameters_constant(set, full, "ln1.weight", h, 1);
    a.beta1 = bo__parameters_constant(set, full, "ln1.bias", h, 0);
    a.gamma2 = bo__parameters_constant(set, full, "ln2.weight", h, 1);
    a.beta2 = bo__parameters_constant(set, full, "ln2.bias", h, 0);
    return a;
}

void bo__pooling_init(bo__pooling *p, bo__parameters *set, const char *name, bo__widths w,
                      bool attends, size_t out)
{
    static const char *const plain[] = {"net_pre.0", "net_pre.2", "net_pre.4", "net_pre.6"};
    static const char *const short_[] = {"net_pre.0.0", "net_pre.0.2"};
    p->attends = attends;
    for (size_t i = 0; i < (attends ? 2 : 4); i++)
        p->pre[i] = dense(set, name, attends ? short_[i] : plain[i], i ? w.hidden : w.pair,
                          w.hidden);
    if (attends)
        p->self = mha(set, name, "net_pre.2", w);
    p->post[0] = dense(set, name, "net_post.0", w.hidden, w.hidden);
    p->post[1] = dense(set, name, "net_post.2", w.hidden, out);
}

void bo__cross_init(bo__cross *c, bo__parameters *set, const char *name, bo__widths w)
{
    c->v[0] = dense(set, name, "net_v.0", w.pair, w.hidden);
    c->v[1] = dense(set, name, "net_v.2", w.hidden, w.hidden);
    c->self = mha(set, name, "self_attn", w);
    c->qk[0] = dense(set, name, "net_qk.0", w.x, w.hidden);
    c->qk[1] = dense(set, name, "net_qk.2", w.hidden, w.hidden);
    c->attn = mha(set, name, "attn", w);
}

void bo__decoder_init(bo__decoder *d, bo__parameters *set, const char *name, bo__widths w,
                      bool adapt)
{
    size_t h = w.hidden;
    d->fc = dense(set, name, "fc", 2 * h + w.x, h);
    d->mlp[0] = dense(set, name, "mlp.1", h, h);
    d->mlp[1] = dense(set, name, "mlp.3", h, 2 * w.y);
    d->fc1 = bo__weight_columns(d->fc.w, 0, h);
    d->fc2 = bo__weight_columns(d->fc.w, h, h);
    d->fcx = bo__weight_columns(d->fc.w, 2 * h, w.x);
    if (adapt) {
        bo__weight ctx = bo__parameters_matrix(set, name, "fc_ctx.weight", h, 2 * h);
        d->ctx1 = bo__weight_columns(ctx, 0, h);
        d->ctx2 = bo__weight_columns(ctx, h, h);
    }
}

/* ---- encoders -------------------------------------------------------------------------- */

bo__tensor *bo__dense_on(bo__tape *tape, const bo__dense *layer, bo__tensor *x, bool relu)
{
    return bo__linear(tape, x, layer->w, &layer->b, relu);
}

/* LN x = LN(x + x), but for the small number under the root. */
static bo__tensor *norm_alone(bo__tape *tape, bo__tensor *x, bo__weight gamma, bo__weight beta)
{
    return bo__norm(tape, x, x, gamma, beta);
}

static bo__qkv project(bo__tape *tape, const bo__mha *a, bo__tensor *x)
{
    if (a->pre)
        x = norm_alone(tape, x, a->gamma1, a->beta1);
    return (bo__qkv){bo__linear(tape, x, a->q, NULL, false),
                     bo__linear(tape, x, a->k, NULL, false),
                     bo__linear(tape, x, a->v, NULL, false)};
}

bo__tensor *bo__attend(bo__tape *tape, const bo__mha *a, bo__tensor *q, bo__tensor *weights,
                       bo__tensor *v)
{
    bo__tensor *heads = bo__attention_apply(tape, weights, v, a->heads);
    if (a->pre) {
        bo__tensor *sum = bo__merge(tape, 2, (bo__tensor *[]){q, heads}, false);
        bo__tensor *more = bo__dense_on(tape, &a->out,
                                        norm_alone(tape, sum, a->gamma2, a->beta2), true);
        return bo__merge(tape, 2, (bo__tensor *[]){sum, more}, false);
    }
    bo__tensor *h = bo__norm(tape, q, heads, a->gamma1, a->beta1);
    return bo__norm(tape, h, bo__dense_on(tape, &a->out, h, true), a->gamma2, a->beta2);
}

static bo__tensor *self_attend(bo__tape *tape, const bo__mha *a, bo__qkv r,
                               const bo__tensor *counts)
{
    return bo__attend(tape, a, r.q, bo__attention_weights(tape, r.q, r.k, counts, a->heads), r.v);
}

bo__pooling_rows bo__pooling_each(bo__tape *tape, const bo__pooling *p, bo__tensor *pairs)
{
    bo__tensor *h = bo__dense_on(tape, &p->pre[0], pairs, true);
    h = bo__dense_on(tape, &p->pre[1], h, true);
    if (p->attends)
        return (bo__pooling_rows){.qkv = project(tape, &p->self, h)};
    return (bo__pooling_rows){.rows = bo__dense_on(tape, &p->pre[2], h, true)};
}

bo__tensor *bo__pooling_of(bo__tape *tape, const bo__pooling *p, bo__pooling_rows rows,
                           const bo__tensor *counts)
{
    bo__tensor *h = p->attends ? self_attend(tape, &p->self, rows.qkv, counts) : rows.rows;
    h = h ? bo__pool(tape, h, counts, 1.0f / (float)h->points) : NULL;
    if (!p->attends) /* linear, so that it can follow the mean: one row a task in place of many */
        h = bo__dense_on(tape, &p->pre[3], h, false);
    return bo__dense_on(tape, &p->post[1], bo__dense_on(tape, &p->post[0], h, true), false);
}

bo__qkv bo__cross_each(bo__tape *tape, const bo__cross *c, bo__tensor *pairs)
{
    bo__tensor *h = bo__dense_on(tape, &c->v[0], pairs, true);
    return project(tape, &c->self, bo__dense_on(tape, &c->v[1], h, false));
}

bo__tensor *bo__cross_values(bo__tape *tape, const bo__cross *c, bo__qkv rows,
                             const bo__tensor *counts)
{
    return bo__linear(tape, self_attend(tape, &c->self, rows, counts), c->attn.v, NULL, false);
}

bo__tensor *bo__cross_features(bo__tape *tape, const bo__cross *c, bo__tensor *x)
{
    bo__tensor *h = bo__dense_on(tape, &c->qk[0], x, true);
    h = bo__dense_on(tape, &c->qk[1], h, false);
    return c->attn.pre ? norm_alone(tape, h, c->attn.gamma1, c->attn.beta1) : h;
}

/* ---- decoder --------------------------------------------------------------------------- */

bo__tensor *bo__decoder_share(bo__tape *tape, const bo__decoder *d, bo__tensor *phi1,
                              bo__tensor *phi2)
{
    bo__tensor *parts[] = {bo__linear(tape, phi1, d->fc1, &d->fc.b, false),
                           bo__linear(tape, phi2, d->fc2, NULL, false)};
    return bo__merge(tape, 2, parts, false);
}

bo__tensor *bo__decoder_adapt(bo__tape *tape, const bo__decoder *d, bo__tensor *phi1,
                              bo__tensor *phi2)
{
    bo__tensor *parts[] = {bo__linear(tape, phi1, d->ctx1, NULL, false),
                           bo__linear(tape, phi2, d->ctx2, NULL, false)};
    return bo__merge(tape, 2, parts, false);
}

bo__tensor *bo__decoder_end(bo__tape *tape, const bo__decoder *d, size_t count,
                            bo__tensor *const *parts)
{
    bo__tensor *h = bo__merge(tape, count, parts, true);
    return bo__dense_on(tape, &d->mlp[1], bo__dense_on(tape, &d->mlp[0], h, true), false);
}

/* ---- bootstrap ------------------------------------------------------------------------- */

bo__tensor *bo__join_pairs(bo__tape *tape, const bo__tensor *x, const bo__tensor *y)
{
    if (!x || !y || tape->failed)
        return NULL;
    assert(x->samples == 1 && x->tasks == y->tasks && x->points == y->points);
    bo__tensor *pairs = bo__tensor_new(tape, y->samples, y->tasks, y->points, x->cols + y->cols,
                                       false);
    if (!pairs)
        return NULL;
    size_t rows = bo__tensor_rows(x);
    for (size_t i = 0; i < bo__tensor_rows(pairs); i++) {
        float *to = pairs->data + i * pairs->cols;
        memcpy(to, x->data + (i % rows) * x->cols, x->cols * sizeof *to);
        memcpy(to + x->cols, y->data + i * y->cols, y->cols * sizeof *to);
    }
    return pairs;
}

bo__tensor *bo__draw_counts(bo__tape *tape, size_t samples, size_t tasks, size_t n,
                            const uint32_t *draws)
{
    bo__tensor *counts = bo__tensor_new(tape, samples, tasks, n, 1, false);
    if (!counts)
        return NULL;
    memset(counts->data, 0, samples * tasks * n * sizeof *counts->data);
    for (size_t g = 0; g < samples * tasks; g++)
        for (size_t i = 0; i < n; i++)
            counts->data[g * n + draws[g * n + i]] += 1;
    return counts;
}

/* ỹ of one task and sample; residual and mean are per column, e is scratch (n × d). */
static void residual_group(size_t n, size_t d, const float *mu, const float *sigma,
                           const float *y, const uint32_t *draw, float *e, float *out)
{
    for (size_t j = 0; j < d; j++) {
        float mean = 0;
        for (size_t i = 0; i < n; i++) {
            size_t from = draw[i] * d + j;
            e[i * d + j] = (y[from] - mu[from]) / sigma[from];
            mean += e[i * d + j] / (float)n;
        }
        for (size_t i = 0; i < n; i++)
            out[i * d + j] = mu[i * d + j] + sigma[i * d + j] * (e[i * d + j] - mean);
    }
}

bo__tensor *bo__residual_pairs(bo__tape *tape, const bo__tensor *raw, bo__deviation form,
                               const bo__tensor *x, const bo__tensor *y, size_t samples,
                               const uint32_t *draws)
{
    if (!raw || !y || tape->failed)
        return NULL;
    size_t n = y->points, d = y->cols, size = bo__tensor_rows(raw) * d;
    bo__tensor *boot = bo__tensor_new(tape, samples, y->tasks, n, d, false);
    float *mu = bo__tape_take(tape, (2 * size + n * d) * sizeof *mu);
    if (!boot || !mu)
        return NULL;
    float *sigma = mu + size, *e = sigma + size;
    bo__gaussian_read(raw, form, mu, sigma);
    for (size_t s = 0; s < samples; s++)
        for (size_t t = 0; t < y->tasks; t++) {
            size_t g = s * y->tasks + t, from = (raw->samples == 1 ? t : g) * n * d;
            residual_group(n, d, mu + from, sigma + from, y->data + t * n * d, draws + g * n, e,
                           boot->data + g * n * d);
        }
    return bo__join_pairs(tape, x, boot);
}
