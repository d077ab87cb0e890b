/* npmodel.h - the neural processes: what a model is, and its three functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A neural process reads a context of pairs (x_i, y_i), encodes it, and decodes the encoding at
 * any x* to a Gaussian N(μ, σ²), or to an equal mixture of them, one per sample.  Six kinds:
 *   cnp  conditional (Garnelo et al., 2018a)     canp  the same with attention (Kim et al., 2019)
 *   np   latent variable (Garnelo et al., 2018b) anp   the same with attention
 *   bnp  bootstrapped (Lee et al., 2020)         banp  the same with attention
 *
 * x is scaled to the box the model was trained on, y to unit scale, before they come here.
 */
#ifndef BO_NPMODEL_H
#define BO_NPMODEL_H

#include "nplayers.h"

/* Parts left out, for the ablation study of Lee et al. (their table D.1). */
typedef enum bo__ablation {
    BO_ABLATE_NOTHING,
    BO_ABLATE_PAIRED,     /* bnp, banp: residuals of the base pass, no resampled contexts */
    BO_ABLATE_ADAPTATION, /* bnp, banp: the decoder gets the bootstrapped encoding alone */
    BO_ABLATE_BASE_LOSS,  /* bnp, banp: the loss has no base term */
    BO_ABLATE_NAIVE       /* cnp, canp: residual bootstrap in prediction, trained without */
} bo__ablation;

typedef struct bo__npspec {
    const struct bo__nptype *type;
    size_t dim_x, dim_y;
    size_t width; /* of hidden layers: 128 */
    size_t heads; /* 8; width / heads is a multiple of 16 */
    float sigma_floor;
    bo__ablation ablation;
    bool pre_norm; /* of attention; the paper's is not */
} bo__npspec;

/* Changes what a trained model leaves out in prediction to the part called "none", "paired",
 * "adaptation", "base-loss" or "naive", where its weights allow that. */
bo_status bo__npablation_set(bo__npspec *spec, const char *name, bo_message *message);

/* The usual one: one-dimensional x and y, width 128, 8 heads, σ floor 0.1. */
bo__npspec bo__npspec_usual(const struct bo__nptype *type);

typedef struct bo__npmodel {
    bo__npspec spec;
    bo__parameters set;
    bo__pooling pool1; /* enc1 or denc, without attention */
    bo__cross cross;   /* enc1 or denc, with attention */
    bo__pooling pool2; /* enc2 or lenc */
    bo__decoder dec;
} bo__npmodel;

/* Lays the model out; its weights are arrays of model->set.size floats that the caller keeps. */
bo_status bo__npmodel_init(bo__npmodel *model, const bo__npspec *spec, bo_message *message);
void bo__npmodel_free(bo__npmodel *model); /* takes one that was never laid out, if zeroed */
bo__deviation bo__npmodel_sigma(const bo__npmodel *model);

/* A context: n points of B tasks, and the random numbers that samples are made with. */
typedef struct bo__npcontext {
    bo__tensor *x, *y;         /* [1, B, n, dim_x], [1, B, n, dim_y] */
    bo__tensor *features;      /* net_qk(x) of models with attention, else NULL */
    size_t samples;            /* S; 1 for cnp and canp */
    const bo__tensor *noise;   /* np, anp: [S, B, 1, width], N(0, 1); NULL: z is the mean */
    const uint32_t *pairs;     /* bnp, banp: S × B × n indices below n */
    const uint32_t *residuals; /* the same; both NULL: base path only */
} bo__npcontext;

/* All that a query needs of a context. */
typedef struct bo__npcode {
    bo__tensor *share;       /* pooled encodings' part of the decoder's first layer, with bias */
    bo__tensor *keys;        /* attention: [1, B, n, width] */
    bo__tensor *values;      /* attention: [1, B, n, width] */
    bo__tensor *boot_share;  /* the same two of the bootstrapped encodings, [S, B, …] */
    bo__tensor *boot_values;
} bo__npcode;

/* What the decoder says at the queries, [1|S, B, P, 2·dim_y] each; NULL: not there. */
typedef struct bo__npanswer {
    bo__tensor *base; /* of the base path: cnp and canp (all there is), bnp and banp */
    bo__tensor *all;  /* of the samples; the same as base for cnp and canp */
} bo__npanswer;

/* A batch to learn from: the first `context` points are the context, all are targets. */
typedef struct bo__npbatch {
    bo__tensor *x, *y;         /* [1, B, n, dim_x], [1, B, n, dim_y] */
    size_t context;
    size_t samples;
    const bo__tensor *noise;   /* as in bo__npcontext */
    const uint32_t *pairs;
    const uint32_t *residuals;
    float weight;              /* of a task in the loss: 1 / tasks in the whole batch */
} bo__npbatch;

typedef struct bo__nptype {
    const char *name, *summary;
    bool attention, latent, bootstrap;
    bo__npcode (*encode)(bo__tape *tape, const bo__npmodel *model, const bo__npcontext *context);
    bo__npanswer (*decode)(bo__tape *tape, const bo__npmodel *model, const bo__npcode *code,
                           bo__tensor *x, bo__tensor *features);
    /* Σ over the tasks of weight · loss; seeds the derivatives. */
    double (*loss)(bo__tape *tape, const bo__npmodel *model, const bo__npbatch *batch);
} bo__nptype;

extern const bo__nptype bo__nptype_cnp, bo__nptype_np, bo__nptype_bnp, bo__nptype_canp,
    bo__nptype_anp, bo__nptype_banp;

const bo__nptype *bo__nptype_at(size_t i); /* NULL past the end */
const bo__nptype *bo__nptype_find(const char *name);

/* net_qk(x) for models with attention, else NULL. */
bo__tensor *bo__npfeatures(bo__tape *tape, const bo__npmodel *model, bo__tensor *x);

/* The context of a batch: its first points, with slices of x, y and net_qk(x). */
bo__npcontext bo__npbatch_context(bo__tape *tape, const bo__npbatch *batch,
                                  bo__tensor *features);

#endif
