/* regret.h - the same functions and the same starts for every surrogate, and what it regrets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plan is settings × surrogates × functions.  Two protocols:
 *
 *   plain  Functions defined everywhere.  Observations carry noise, which is no part of the
 *          function.  The acquisition works on the exact mixture, maximised over the box.
 *   paper  Functions on 1,000 points of [-2, 2]; the noise is part of the function.  The mixture
 *          of 200 samples is collapsed to its mean and variance, the expected improvement is
 *          maximised over the 1,000 points, and a point may be asked for again.
 *
 * Iteration 0 is what the initial points have found, iteration t the state after t suggestions.
 * With f the noise-free function and b(t) the point with the least observed value so far,
 *
 *   simple(t) = f(b(t)) - least f     cumulative(t) = simple(0) + … + simple(t)
 *   instantaneous(t) = f(x(t)) - least f, where x(t) is the point asked for at iteration t.
 *
 * Divided by the range of f, largest less least value, they compare over functions.
 */
#ifndef BO_REGRET_H
#define BO_REGRET_H

#include "objective.h"

typedef enum bo__regret_protocol { BO_REGRET_PLAIN, BO_REGRET_PAPER } bo__regret_protocol;
enum { BO_REGRET_NAME = 64, BO_REGRET_MOST = 64, BO_REGRET_GRID = 1000, BO_REGRET_SAMPLES = 200 };

/* What is optimised: "rbf", "tnoise", "matern52", "periodic", or the name of any objective, with
 * ":DIM" where another than the usual dimension is wanted. */
typedef struct bo__regret_setting {
    char name[BO_REGRET_NAME]; /* as it was written */
    const bo__objective_type *type;
    size_t dim;
    bool heavy_tails;
} bo__regret_setting;

/* What optimises: a surrogate of the library, "banp@paper" with another variant of its weights;
 * "gp-oracle", the GP that is told what the function was drawn with; "random", no model at all. */
typedef enum bo__regret_kind { BO_REGRET_MODEL, BO_REGRET_ORACLE, BO_REGRET_RANDOM } bo__regret_kind;
typedef struct bo__regret_surrogate {
    char name[BO_REGRET_NAME]; /* as it was written */
    bo__regret_kind kind;
    const bo_surrogate_type *type;
    char variant[BO_REGRET_NAME]; /* empty: the default one */
} bo__regret_surrogate;

typedef struct bo__regret_plan {
    bo__regret_protocol protocol;
    bo_options options; /* of all surrogates; what a protocol fixes is set for each run */
    size_t settings, surrogates, functions, iterations, init;
    uint64_t seed;
    double noise; /* sd of the observation noise; NAN: the one that goes with the function */
    bo__regret_setting setting[BO_REGRET_MOST];
    bo__regret_surrogate surrogate[BO_REGRET_MOST];
    /* The surrogate that others are compared with; empty: gp, where it is there.  Runs do not
     * depend on it. */
    char reference[BO_REGRET_NAME];
    /* What tells the weights of a surrogate in a setting from others; 0 for those without. */
    uint64_t weights[BO_REGRET_MOST][BO_REGRET_MOST]; /* [setting][surrogate] */
} bo__regret_plan;

/* Read comma-separated lists.  The message names what is unknown, and what was probably meant. */
bo_status bo__regret_read_settings(bo__regret_plan *plan, const char *list, bo_message *message);
bo_status bo__regret_read_surrogates(bo__regret_plan *plan, const char *list, bo_message *message);

/* Whether the functions of a setting are drawn from a prior, which gp-oracle is told. */
bool bo__regret_is_drawn(const bo__regret_setting *setting);

/* What only the whole plan shows, such as a setting that the protocol does not have. */
bo_status bo__regret_check(const bo__regret_plan *plan, bo_message *message);

/* Runs are numbered; all surrogates of one function stand together. */
typedef struct bo__regret_place {
    size_t function, setting, surrogate;
} bo__regret_place;
size_t bo__regret_runs(const bo__regret_plan *plan);
bo__regret_place bo__regret_place_of(const bo__regret_plan *plan, size_t run);
size_t bo__regret_run_at(const bo__regret_plan *plan, bo__regret_place place);

/* One run as it is written to disk or sent: flat, `size` bytes. */
typedef struct bo__regret_record {
    uint64_t size, run;
    int64_t status; /* a bo_status; when it is not BO_OK nothing follows, and `reason` says why */
    uint64_t dim, points;
    double least, range; /* of the function */
    uint64_t weights;    /* as the plan had them */
    char reason[448];
    double row[]; /* points × bo__regret_row(dim) */
} bo__regret_record;

/* A row is one evaluation: x (dim values), then these. */
typedef enum bo__regret_column {
    BO_REGRET_Y,           /* what was observed */
    BO_REGRET_F,           /* without noise */
    BO_REGRET_MEAN,        /* what the surrogate expected there; NAN for initial points */
    BO_REGRET_SD,
    BO_REGRET_ACQUISITION,
    BO_REGRET_SECONDS,     /* CPU time of the suggestion */
    BO_REGRET_COLUMNS
} bo__regret_column;
static inline size_t bo__regret_row(size_t dim)
{
    return dim + BO_REGRET_COLUMNS;
}
static inline double bo__regret_get(const bo__regret_record *r, size_t point,
                                    bo__regret_column column)
{
    return r->row[point * bo__regret_row(r->dim) + r->dim + column];
}

/* Whether bytes are a whole record of a run of this plan; and whether, where it is one, it was
 * run with the weights that the plan has. */
bool bo__regret_record_fits(const bo__regret_plan *plan, const bo__regret_record *r, size_t size);
bool bo__regret_record_current(const bo__regret_plan *plan, const bo__regret_record *r);

/* The record of a run that did not come to its end. */
void bo__regret_record_failed(bo__regret_record *r, size_t run, bo_status status,
                              const char *reason);

/* Does runs, one after another.  It keeps the function of the last run, because the next one is
 * probably on the same. */
typedef struct bo__regret_runner bo__regret_runner;
bo__regret_runner *bo__regret_runner_new(const bo__regret_plan *plan); /* NULL: no memory */
void bo__regret_runner_free(bo__regret_runner *runner);                /* takes NULL */

/* The record, valid until the next call.  NULL when there is no memory. */
const bo__regret_record *bo__regret_run(bo__regret_runner *runner, size_t run);

/* The largest value of a function less its least one, the unit of normalised regrets. */
bo_status bo__regret_range(double *range, const bo__objective *objective, bo_message *message);

/* The regrets of a run: iterations + 1 values each. */
void bo__regret_curves(const bo__regret_plan *plan, const bo__regret_record *r, double *simple,
                       double *cumulative, double *instantaneous);

#endif
