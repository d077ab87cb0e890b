/* npsurrogate.h - neural processes behind the surrogate contract: what their types share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every surrogate of this family is an equal mixture of the components of one or more members,
 * models of one kind with weights of their own.
 */
#ifndef BO_NPSURROGATE_H
#define BO_NPSURROGATE_H

#include "bo.h"

/* create for `members` models of a kind from the shipped weights, or for as many as
 * options->model names. */
bo_status bo__npsurrogate_create(void **self, const bo_setup *setup, const char *kind,
                                 size_t members, bo_message *message);
void bo__npsurrogate_free(void *self);
bo_status bo__npsurrogate_fit(void *self, const bo_data *data, bo_message *message);
size_t bo__npsurrogate_components(const void *self);
size_t bo__npsurrogate_workspace(const void *self, size_t m);
bo_status bo__npsurrogate_predict(const void *self, size_t m, const double *u, double *mean,
                                  double *sd, void *work);
bo_status bo__npsurrogate_pullback(const void *self, size_t m, const double *u,
                                   const double *dmean, const double *dsd, double *du,
                                   void *work);

/* A type object; `make` is its create. */
#define BO__NPSURROGATE(title, line, make)                                                       \
    {                                                                                            \
        .name = title, .summary = line, .create = make, .free = bo__npsurrogate_free,            \
        .fit = bo__npsurrogate_fit, .components = bo__npsurrogate_components,                    \
        .workspace = bo__npsurrogate_workspace, .predict = bo__npsurrogate_predict,              \
        .pullback = bo__npsurrogate_pullback, .unwarped = true,                                  \
    }

#endif
