/* np-reference.h - the six neural processes in plain double-precision loops.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slow and simple: one task at a time, concatenations and resamples are really made, every
 * sample is computed in full.  Shares nothing with the library but the layout of the weights.
 */
#ifndef BO_NP_REFERENCE_H
#define BO_NP_REFERENCE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npmodel.h"

typedef struct reference {
    const bo__npmodel *model;
    const double *theta;
} reference;

static inline double *new_doubles(size_t n)
{
    return calloc(n ? n : 1, sizeof(double));
}

static inline const double *weights_of(reference r, const char *prefix, const char *name,
                                       size_t *rows, size_t *cols)
{
    char full[128];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    const bo__parameter *p = bo__parameters_find(&r.model->set, full);
    if (!p)
        return NULL;
    *rows = p->rows;
    *cols = p->cols;
    return r.theta + p->offset;
}

/* x (n × in) → new n × out; the layer is prefix.name, with a bias if it has one. */
static inline double *ref_dense(reference r, const char *prefix, const char *name, size_t n,
                                const double *x, bool relu)
{
    char full[96];
    snprintf(full, sizeof full, "%s.%s", prefix, name);
    size_t out = 0, in = 0, unused;
    const double *w = weights_of(r, full, "weight", &out, &in);
    const double *b = weights_of(r, full, "bias", &unused, &unused);
    double *y = new_doubles(n * out);
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < out; o++) {
            double sum = b ? b[o] : 0;
            for (size_t k = 0; k < in; k++)
                sum += w[o * in + k] * x[i * in + k];
            y[i * out + o] = relu && sum < 0 ? 0 : sum;
        }
    return y;
}

/* The same on x, which is freed. */
static inline double *ref_then(reference r, const char *prefix, const char *name, size_t n,
                               double *x, bool relu)
{
    double *y = ref_dense(r, prefix, name, n, x, relu);
    free(x);
    return y;
}

static inline void ref_norm(reference r, const char *prefix, const char *name, size_t n, double *x)
{
    size_t h = r.model->spec.width, one;
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    const double *g = weights_of(r, prefix, weight, &h, &one);
    const double *b = weights_of(r, prefix, bias, &h, &one);
    for (size_t i = 0; i < n; i++, x += h) {
        double mean = 0, variance = 0;
        for (size_t j = 0; j < h; j++)
            mean += x[j] / (double)h;
        for (size_t j = 0; j < h; j++)
            variance += (x[j] - mean) * (x[j] - mean) / (double)h;
        for (size_t j = 0; j < h; j++)
            x[j] = g[j] * (x[j] - mean) / sqrt(variance + 1e-5) + b[j];
    }
}

/* Layer norm of a copy; of 2 x, as the pre-norm does it. */
static inline double *ref_norm_of(reference r, const char *prefix, const char *name, size_t n,
                                  const double *x)
{
    size_t size = n * r.model->spec.width;
    double *y = new_doubles(size);
    for (size_t i = 0; i < size; i++)
        y[i] = 2 * x[i];
    ref_norm(r, prefix, name, n, y);
    return y;
}

/* Adds the heads' mixture of v to q (m × h). */
static inline void ref_heads(reference r, size_t m, size_t n, double *q, const double *k,
                             const double *v)
{
    size_t h = r.model->spec.width, heads = r.model->spec.heads, d = h / heads;
    double *w = new_doubles(n), *sum = new_doubles(d);
    for (size_t i = 0; i < m; i++)
        for (size_t c = 0; c < h; c += d) {
            double all = 0;
            for (size_t j = 0; j < n; j++) {
                double dot = 0;
                for (size_t l = 0; l < d; l++)
                    dot += q[i * h + c + l] * k[j * h + c + l];
                w[j] = exp(dot / sqrt((double)h));
                all += w[j];
            }
            memset(sum, 0, d * sizeof *sum);
            for (size_t j = 0; j < n; j++)
                for (size_t l = 0; l < d; l++)
                    sum[l] += w[j] / all * v[j * h + c + l];
            for (size_t l = 0; l < d; l++)
                q[i * h + c + l] += sum[l];
        }
    free(w);
    free(sum);
}

/* With the norms first; v is normed where it is k, in self-attention. */
static inline double *ref_pre_mha(reference r, const char *name, size_t m, const double *q,
                                  size_t n, const double *k, const double *v)
{
    double *nq = ref_norm_of(r, name, "ln1", m, q), *nk = ref_norm_of(r, name, "ln1", n, k);
    double *sum = ref_then(r, name, "fc_q", m, nq, false);
    double *pv = ref_dense(r, name, "fc_v", n, v == k ? nk : v, false);
    double *pk = ref_then(r, name, "fc_k", n, nk, false);
    ref_heads(r, m, n, sum, pk, pv);
    double *more = ref_then(r, name, "fc_out", m, ref_norm_of(r, name, "ln2", m, sum), true);
    for (size_t i = 0; i < m * r.model->spec.width; i++)
        sum[i] += more[i];
    free(more);
    free(pk);
    free(pv);
    return sum;
}

static inline double *ref_mha(reference r, const char *name, size_t m, const double *q, size_t n,
                              const double *k, const double *v)
{
    if (r.model->spec.pre_norm)
        return ref_pre_mha(r, name, m, q, n, k, v);
    double *pq = ref_dense(r, name, "fc_q", m, q, false);
    double *pk = ref_dense(r, name, "fc_k", n, k, false);
    double *pv = ref_dense(r, name, "fc_v", n, v, false);
    ref_heads(r, m, n, pq, pk, pv);
    ref_norm(r, name, "ln1", m, pq);
    double *out = ref_dense(r, name, "fc_out", m, pq, true);
    for (size_t i = 0; i < m * r.model->spec.width; i++)
        out[i] += pq[i];
    ref_norm(r, name, "ln2", m, out);
    free(pq);
    free(pk);
    free(pv);
    return out;
}

/* Rows [x, y]. */
static inline double *ref_pairs(reference r, size_t n, const double *x, const double *y)
{
    size_t dx = r.model->spec.dim_x, dy = r.model->spec.dim_y;
    double *pairs = new_doubles(n * (dx + dy));
    for (size_t i = 0; i < n; i++) {
        memcpy(pairs + i * (dx + dy), x + i * dx, dx * sizeof *x);
        memcpy(pairs + i * (dx + dy) + dx, y + i * dy, dy * sizeof *y);
    }
    return pairs;
}

static inline double *ref_pooling(reference r, const char *name, size_t n, const double *x,
                                  const double *y)
{
    size_t h = r.model->spec.width;
    double *rows, *pairs = ref_pairs(r, n, x, y), *mean = new_doubles(h);
    if (r.model->spec.type->attention) {
        char self[64];
        snprintf(self, sizeof self, "%s.net_pre.2", name);
        double *v = ref_then(r, name, "net_pre.0.0", n, pairs, true);
        v = ref_then(r, name, "net_pre.0.2", n, v, true);
        rows = ref_mha(r, self, n, v, n, v, v);
        free(v);
    } else {
        rows = ref_then(r, name, "net_pre.0", n, pairs, true);
        rows = ref_then(r, name, "net_pre.2", n, rows, true);
        rows = ref_then(r, name, "net_pre.4", n, rows, true);
        rows = ref_then(r, name, "net_pre.6", n, rows, false);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < h; j++)
            mean[j] += rows[i * h + j] / (double)n;
    free(rows);
    return ref_then(r, name, "net_post.2", 1, ref_then(r, name, "net_post.0", 1, mean, true),
                    false);
}

static inline double *ref_cross(reference r, const char *name, size_t n, const double *x,
                                const double *y, size_t m, const double *at)
{
    char self[64], attn[64];
    snprintf(self, sizeof self, "%s.self_attn", name);
    snprintf(attn, sizeof attn, "%s.attn", name);
    double *v = ref_then(r, name, "net_v.0", n, ref_pairs(r, n, x, y), true);
    v = ref_then(r, name, "net_v.2", n, v, false);
    double *values = ref_mha(r, self, n, v, n, v, v);
    double *q = ref_then(r, name, "net_qk.2", m, ref_dense(r, name, "net_qk.0", m, at, true),
                         false);
    double *k = ref_then(r, name, "net_qk.2", n, ref_dense(r, name, "net_qk.0", n, x, true),
                         false);
    double *out = ref_mha(r, attn, m, q, n, k, values);
    free(v);
    free(values);
    free(q);
    free(k);
    return out;
}

/* [encoding1, encoding2] at m points; z, when given, in place of encoding2. */
static inline double *ref_encode(reference r, size_t n, const double *x, const double *y,
                                 size_t m, const double *at, const double *z)
{
    const bo__nptype *type = r.model->spec.type;
    size_t h = r.model->spec.width;
    const char *first = type->latent ? "denc" : "enc1";
    double *one = type->attention ? ref_cross(r, first, n, x, y, m, at)
                                  : ref_pooling(r, first, n, x, y);
    double *two = z ? NULL : ref_pooling(r, "enc2", n, x, y), *both = new_doubles(m * 2 * h);
    for (size_t i = 0; i < m; i++) {
        memcpy(both + i * 2 * h, one + (type->attention ? i * h : 0), h * sizeof *one);
        memcpy(both + i * 2 * h + h, z ? z : two, h * sizeof *one);
    }
    free(one);
    free(two);
    return both;
}

/* Raw outputs (m × 2 dim_y) for encodings; frees them both. */
static inline double *ref_decode(reference r, size_t m, double *encoded, const double *at,
                                 double *boot)
{
    size_t h = r.model->spec.width, dx = r.model->spec.dim_x, in = 2 * h + dx;
    double *joined = new_doubles(m * in);
    for (size_t i = 0; i < m; i++) {
        memcpy(joined + i * in, encoded + i * 2 * h, 2 * h * sizeof *at);
        memcpy(joined + i * in + 2 * h, at + i * dx, dx * sizeof *at);
    }
    double *first = ref_then(r, "dec", "fc", m, joined, false);
    double *more = boot ? ref_dense(r, "dec", "fc_ctx", m, boot, false) : NULL;
    for (size_t i = 0; i < m * h; i++) {
        first[i] += more ? more[i] : 0;
        first[i] = first[i] < 0 ? 0 : first[i];
    }
    free(encoded);
    free(boot);
    free(more);
    return ref_then(r, "dec", "mlp.3", m, ref_then(r, "dec", "mlp.1", m, first, true), false);
}

static inline double ref_sigma(reference r, double raw)
{
    double f = r.model->spec.sigma_floor;
    return f + (1 - f) * (raw > 30 ? raw : log1p(exp(raw)));
}

static inline double ref_log_normal(double v, double mu, double sigma)
{
    return -(v - mu) * (v - mu) / (2 * sigma * sigma) - log(sigma) - log(2 * acos(-1)) / 2;
}

/* log p of each of m points, from raw outputs, which are freed. */
static inline double *ref_log_p(reference r, size_t m, double *raw, const double *y)
{
    size_t d = r.model->spec.dim_y;
    double *log_p = new_doubles(m);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < d; j++)
            log_p[i] += ref_log_normal(y[i * d + j], raw[i * 2 * d + j],
                                       ref_sigma(r, raw[i * 2 * d + d + j]));
    free(raw);
    return log_p;
}

/* A bootstrapped context's ỹ (n × dim_y); pairs NULL: without the paired bootstrap. */
static inline double *ref_bootstrap(reference r, size_t n, const double *x, const double *y,
                                    const uint32_t *pairs, const uint32_t *residuals)
{
    size_t dx = r.model->spec.dim_x, d = r.model->spec.dim_y;
    double *bx = new_doubles(n * dx), *by = new_doubles(n * d), *e = new_doubles(n * d);
    for (size_t i = 0; i < n; i++) {
        size_t from = pairs ? pairs[i] : i;
        memcpy(bx + i * dx, x + from * dx, dx * sizeof *x);
        memcpy(by + i * d, y + from * d, d * sizeof *y);
    }
    double *raw = ref_decode(r, n, ref_encode(r, n, bx, by, n, x, NULL), x, NULL);
    for (size_t j = 0; j < d; j++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++) {
            size_t from = residuals[i];
            e[i * d + j] = (y[from * d + j] - raw[from * 2 * d + j]) /
                           ref_sigma(r, raw[from * 2 * d + d + j]);
            mean += e[i * d + j] / (double)n;
        }
        for (size_t i = 0; i < n; i++)
            by[i * d + j] = raw[i * 2 * d + j] +
                            ref_sigma(r, raw[i * 2 * d + d + j]) * (e[i * d + j] - mean);
    }
    free(bx);
    free(e);
    free(raw);
    return by;
}

/* One task. */
typedef struct ref_task {
    size_t context, points, samples;
    const double *x, *y;
    const double *noise;                /* samples × width */
    const uint32_t *pairs, *residuals;  /* samples × context */
} ref_task;

static inline double log_mean_exp(size_t n, const double *v)
{
    double top = v[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        top = fmax(top, v[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(v[i] - top) / (double)n;
    return top + log(sum);
}

static inline double ref_rho(double raw)
{
    return 0.1f + (1 - 0.1f) / (1 + exp(-raw));
}

static inline double ref_latent_loss(reference r, const ref_task *t)
{
    size_t h = r.model->spec.width, n = t->points;
    double *prior = ref_pooling(r, "lenc", t->context, t->x, t->y);
    double *posterior = ref_pooling(r, "lenc", n, t->x, t->y);
    double *log_w = new_doubles(t->samples), *z = new_doubles(h), divergence = 0;
    for (size_t s = 0; s < t->samples; s++) {
        for (size_t j = 0; j < h; j++) {
            double sq = ref_rho(posterior[h + j]), sp = ref_rho(prior[h + j]);
            z[j] = posterior[j] + sq * t->noise[s * h + j];
            log_w[s] += ref_log_normal(z[j], prior[j], sp) - ref_log_normal(z[j], posterior[j], sq);
            double e = posterior[j] - prior[j];
            divergence += log(sp / sq) + (sq * sq + e * e) / (2 * sp * sp) - 0.5;
        }
        double *code = ref_encode(r, t->context, t->x, t->y, n, t->x, z);
        double *log_p = ref_log_p(r, n, ref_decode(r, n, code, t->x, NULL), t->y);
        if (t->samples == 1)
            log_w[s] = -divergence;
        for (size_t i = 0; i < n; i++)
            log_w[s] += log_p[i];
        free(log_p);
    }
    double loss = -log_mean_exp(t->samples, log_w) / (double)n;
    free(prior);
    free(posterior);
    free(log_w);
    free(z);
    return loss;
}

/* The loss; bootstrapped contexts are made with `fixed`, since no derivative goes through
 * them. */
static inline double ref_loss(reference r, reference fixed, const ref_task *t)
{
    const bo__nptype *type = r.model->spec.type;
    bo__ablation without = r.model->spec.ablation;
    if (type->latent)
        return ref_latent_loss(r, t);
    size_t n = t->points, c = t->context;
    double *code = ref_encode(r, c, t->x, t->y, n, t->x, NULL), loss = 0;
    double *base = ref_log_p(r, n, ref_decode(r, n, code, t->x, NULL), t->y);
    for (size_t i = 0; i < n && without != BO_ABLATE_BASE_LOSS; i++)
        loss -= base[i] / (double)n;
    free(base);
    if (!type->bootstrap)
        return loss;
    double **each = calloc(t->samples, sizeof *each), *point = new_doubles(t->samples);
    for (size_t s = 0; s < t->samples; s++) {
        double *y = ref_bootstrap(fixed, c, t->x, t->y,
                                  without == BO_ABLATE_PAIRED ? NULL : t->pairs + s * c,
                                  t->residuals + s * c);
        double *boot = ref_encode(r, c, t->x, y, n, t->x, NULL), *raw;
        if (without == BO_ABLATE_ADAPTATION)
            raw = ref_decode(r, n, boot, t->x, NULL);
        else
            raw = ref_decode(r, n, ref_encode(r, c, t->x, t->y, n, t->x, NULL), t->x, boot);
        each[s] = ref_log_p(r, n, raw, t->y);
        free(y);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < t->samples; s++)
            point[s] = each[s][i];
        loss -= log_mean_exp(t->samples, point) / (double)n;
    }
    for (size_t s = 0; s < t->samples; s++)
        free(each[s]);
    free(each);
    free(point);
    return loss;
}

#endif
