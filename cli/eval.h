/* eval.h - the subcommands of bo-eval, and the models they look at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_EVAL_H
#define BO_EVAL_H

#include "npfile.h"
#include "regression.h"

/* Each is a main of its own: argv[0] is the subcommand; returns the exit status. */
int bo__eval_main_regression(int argc, char **argv);
int bo__eval_main_predict(int argc, char **argv);
int bo__eval_main_plot(int argc, char **argv);

enum { BO_EVAL_MODELS = 64, BO_EVAL_MEMBERS = 16 };

/* One model to look at: the mixture of one or more networks. */
typedef struct bo__eval_model {
    const char *text; /* as it was named */
    char name[80];    /* for tables: the surrogate's name, or the file's */
    char kind[16];    /* "banp", "cnp+de": what the paper's figures go by */
    size_t count;
    bo__npmodel model[BO_EVAL_MEMBERS];
    float *theta[BO_EVAL_MEMBERS];
    bo__npinfo info;
    const bo__npmodel *models[BO_EVAL_MEMBERS]; /* the same, as bo__predictor wants them */
    const float *thetas[BO_EVAL_MEMBERS];
} bo__eval_model;

typedef struct bo__eval_models {
    size_t count;
    const char *text[BO_EVAL_MODELS];
    bo__eval_model *model[BO_EVAL_MODELS];
    const char *kind, *ablation; /* options of the same names; NULL: none */
} bo__eval_models;

/* Takes note of a model that the command line names: a bo__arg_call with the models. */
bo_status bo__eval_name_model(void *models, const char *text, bo_message *message);

/* Loads all that were named: weight files (several with commas between them make one mixture), or
 * surrogates such as banp, banp@paper, cnp+de for 1-D weights that are found by name.  With none
 * named, every surrogate of the variant that there are weights for. */
bo_status bo__eval_load(bo__eval_models *models, const char *variant, bo_message *message);
void bo__eval_free(bo__eval_models *models);

/* The BO_MEASURES figures of the paper of a kind such as "banp" or "cnp+de", NAN where it has none;
 * NULL: it has none at all. */
const double *bo__eval_paper(const char *kind, bo__prior_kind kernel);

bo__predictor bo__eval_predictor(const bo__eval_model *model);

/* What a model says at m points given n observations, in its own units. */
typedef struct bo__eval_answer {
    size_t m, K, outputs;
    double *mean, *sd; /* m × K × outputs */
} bo__eval_answer;

bo_status bo__eval_answer_new(bo__eval_answer *answer, const bo__eval_model *model, size_t n,
                              const double *x, const double *y, size_t m, const double *at,
                              bo__npsampling sampling, bo_message *message);
void bo__eval_answer_free(bo__eval_answer *answer);

/* Mean and sd of the mixture at point i, output j. */
void bo__eval_answer_moments(const bo__eval_answer *answer, size_t i, size_t j, double *mean,
                             double *sd);

/* The series of the kernel hare-lynx, if that is one of the kernels: from `path`, or, when that is
 * NULL, the one that lies with the weights. */
bo_status bo__eval_read_series(const bo__prior *kernels, const char *path, bo__series *series,
                               bo_message *message);

/* Units of models that standardise by their context: mean and sd of each column of n rows (inputs,
 * then outputs); in for columns first … first + cols - 1, out for the outputs, which begin at
 * column `first`. */
typedef struct bo__eval_scale {
    double *mean, *sd;
} bo__eval_scale;
bo_status bo__eval_scale_new(bo__eval_scale *scale, size_t n, size_t cols, const double *data);
void bo__eval_scale_free(bo__eval_scale *scale); /* takes a zeroed one */
void bo__eval_scale_in(const bo__eval_scale *scale, size_t first, size_t n, size_t cols,
                       double *data);
void bo__eval_scale_out(const bo__eval_scale *scale, size_t first, bo__eval_answer *answer);

#endif
