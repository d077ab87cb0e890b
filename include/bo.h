/* bo.h - Bayesian optimisation of expensive functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The header climbs from simple to advanced:
 *
 *   1. results            what every call returns
 *   2. bo_minimize_box    one call, a box of real numbers
 *   3. spaces             real, log, integer, categorical, boolean parameters
 *   4. options            one struct with defaults
 *   5. bo_minimize        one call, any space, any stopping rule
 *   6. optimizers         ask and tell, for people who evaluate elsewhere
 *   7. own surrogates and acquisitions
 *   8. the machine        what to know about OpenBLAS
 *
 * Letters: x is a user's point, u the same point in the unit cube, y a user's value, z a
 * standardised value, n observed points, m queried points, q asked points.  Matrices are flat
 * and row-major, one row per point.
 *
 * The library never prints, exits or aborts.  It has no global state: two optimizers may be used
 * in two threads at once, one optimizer in one thread at a time.  The same seed gives the same
 * run, bit by bit, whatever the number of threads.
 */
#ifndef BO_H
#define BO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. results ------------------------------------------------------------------------ */

/* Zero is good, positive says why a run ended, negative is an error. */
#define BO_STATUS_LIST(X)                                                                        \
    X(BO_OK, 0, "success")                                                                       \
    X(BO_REACHED_EVALUATIONS, 1, "the number of evaluations was reached")                        \
    X(BO_REACHED_SECONDS, 2, "the time was used up")                                             \
    X(BO_REACHED_TARGET, 3, "the target value was reached")                                      \
    X(BO_REACHED_PATIENCE, 4, "no improvement for the given number of evaluations")              \
    X(BO_STOPPED, 5, "stopped by the callback")                                                  \
    X(BO_EXHAUSTED, 6, "every point of the finite space has been evaluated or is pending")       \
    X(BO_EINVAL, -1, "invalid argument")                                                         \
    X(BO_ENOMEM, -2, "out of memory")                                                            \
    X(BO_ENUMERIC, -3, "numerical failure")                                                      \
    X(BO_EUNSUPPORTED, -4, "not supported by this surrogate or acquisition")                     \
    X(BO_EEMPTY, -5, "no successful evaluation yet")                                             \
    X(BO_EIO, -6, "input or output failed")                                                      \
    X(BO_EFORMAT, -7, "malformed file")                                                          \
    X(BO_ENOMODEL, -8, "no trained weights for this problem")

typedef enum bo_status {
#define BO_STATUS_ENUM(name, value, text) name = value,
    BO_STATUS_LIST(BO_STATUS_ENUM)
#undef BO_STATUS_ENUM
} bo_status;

/* The general text of a status.  The particular one is in a bo_message, see below. */
const char *bo_status_text(bo_status status);

/* The version of the library, "1.2.3". */
const char *bo_version(void);

/* What went wrong in particular: which argument, what was expected.  Functions that take one
 * accept NULL. */
typedef struct bo_message {
    char text[512];
} bo_message;

/* The function to optimise: x has dim values.  Return NaN or an infinity for "failed here". */
typedef double (*bo_objective)(size_t dim, const double *x, void *data);

/* ---- 2. one call ----------------------------------------------------------------------- */

/* Minimises f over lower[i] <= x[i] <= upper[i] with all defaults, calling it `evaluations`
 * times.  The best point goes to x, its value to *y. */
bo_status bo_minimize_box(bo_objective f, void *data, size_t dim, const double *lower,
                          const double *upper, size_t evaluations, double *x, double *y,
                          bo_message *message);

/* ---- 3. spaces ------------------------------------------------------------------------- */

typedef enum bo_kind { BO_REAL, BO_INTEGER, BO_CATEGORICAL, BO_BOOLEAN } bo_kind;

/* One parameter.  A point x holds one double per parameter: the real number, the integer, the
 * index of the category, 0 or 1 for a boolean. */
typedef struct bo_parameter {
    const char *name;
    bo_kind kind;
    bool log;                  /* real and integer: searched on a logarithmic scale */
    double lower, upper;       /* categories: 0 and count - 1; booleans: 0 and 1 */
    size_t count;              /* number of values; 0 when they are not countable */
    const char *const *labels; /* categorical only, else NULL */
} bo_parameter;

typedef struct bo_space bo_space;

bo_space *bo_space_new(void); /* NULL when out of memory */
void bo_space_free(bo_space *space);

/* Each adds one parameter.  A failed call changes nothing; bo_space_errmsg says what was wrong.
 * Names are copied; they must be unique and not empty. */
bo_status bo_space_add_real(bo_space *space, const char *name, double lower, double upper);
bo_status bo_space_add_log_real(bo_space *space, const char *name, double lower, double upper);
bo_status bo_space_add_integer(bo_space *space, const char *name, double lower, double upper);
bo_status bo_space_add_log_integer(bo_space *space, const char *name, double lower, double upper);
bo_status bo_space_add_boolean(bo_space *space, const char *name);
bo_status bo_space_add_categorical(bo_space *space, const char *name, size_t count,
                                   const char *const *labels);
const char *bo_space_errmsg(const bo_space *space);

size_t bo_space_dim(const bo_space *space);
const bo_parameter *bo_space_parameter(const bo_space *space, size_t i); /* NULL out of range */

/* ---- 4. options ------------------------------------------------------------------------ */

typedef struct bo_surrogate_type bo_surrogate_type;     /* section 7 */
typedef struct bo_acquisition_type bo_acquisition_type; /* section 7 */

typedef enum bo_kernel { BO_MATERN52, BO_MATERN32, BO_RBF, BO_PERIODIC } bo_kernel;
typedef enum bo_warp { BO_WARP_AUTO, BO_WARP_NONE } bo_warp;
typedef enum bo_rescale { BO_RESCALE_AUTO, BO_RESCALE_NEVER, BO_RESCALE_ALWAYS } bo_rescale;

/* Fill with bo_options_init, then change what you want.  Numbers that are NAN or 0 where the
 * comment says so mean "chosen by the library". */
typedef struct bo_options {
    uint64_t seed;                          /* of everything random */
    bool maximize;                          /* else minimise */
    size_t init;                            /* initial design points; 0: chosen by dimension */
    size_t threads;                         /* for the acquisition's starts; 0: all cores */
    bool replicates;                        /* the same point may be asked again */
    double noise;                           /* sd of the noise in y; NAN: learned */
    bo_warp warp;                           /* monotone transformation of y before the fit */
    const bo_surrogate_type *surrogate;     /* NULL: exact GP */
    void *surrogate_data;                   /* handed to the surrogate's create */
    bo_kernel kernel;                       /* GP */
    bool output_scale;                      /* GP: learn the variance of the function too */
    const double *lengthscales;             /* GP oracle: one per parameter, in the unit cube */
    double scale;                           /* GP oracle: sd of the function, in units of y */
    double mean;                            /* GP oracle: mean of the function, in units of y */
    double period;                          /* GP oracle, periodic: in the unit cube */
    const char *model;                      /* neural: weight files, comma-separated; NULL: shipped */
    const char *variant;                    /* neural: "sharp", "paper"; NULL: the default one */
    size_t samples;                         /* neural: mixture components; 0: 50 */
    bo_rescale rescale;                     /* neural: values to the scale of its training */
    const char *kind;                       /* neural: "banp", for files that do not say it;
                                               NULL: as the surrogate */
    const char *ablation;                   /* neural: part to leave out; NULL: as trained */
    const bo_acquisition_type *acquisition; /* NULL: LogEI */
    double beta;                            /* LCB: mean - beta * sd */
    double xi;                              /* EI, LogEI, PI: improvement to ask for, in sds of y */
    bool moment_match;                      /* collapse the mixture to one Gaussian first */
    size_t screen;                          /* points of the screen; 0: chosen by dimension */
    size_t starts;                          /* L-BFGS starts; 0: chosen */
    size_t grid;                            /* 0, or maximise over a grid of so many points a side */
    size_t grid_stride;                     /* 0, or of a grid of one real parameter look at every
                                               so-many-th point first, then around the best */
} bo_options;

void bo_options_init(bo_options *options);

/* Sets one option from text, as the commands do: ("kernel", "rbf"), ("seed", "7").  Hyphens and
 * underscores are the same.  Text values are not copied. */
bo_status bo_options_set(bo_options *options, const char *name, const char *value,
                         bo_message *message);

/* The table behind it, for programs that make their own help; NULL past the end. */
typedef struct bo_option_info {
    const char *name;  /* "kernel" */
    const char *value; /* "NAME", "N", …; NULL for a flag */
    const char *help;  /* one or two sentences */
    const char *group; /* "optimisation", "surrogate", "acquisition" */
} bo_option_info;
const bo_option_info *bo_option_describe(size_t i);

/* Built-in types by name; NULL when there is none.  By index they end with NULL. */
const bo_surrogate_type *bo_surrogate_find(const char *name);
const bo_surrogate_type *bo_surrogate_at(size_t i);
const bo_acquisition_type *bo_acquisition_find(const char *name);
const bo_acquisition_type *bo_acquisition_at(size_t i);
const char *bo_surrogate_name(const bo_surrogate_type *type);
const char *bo_surrogate_summary(const bo_surrogate_type *type);
const char *bo_acquisition_name(const bo_acquisition_type *type);
const char *bo_acquisition_summary(const bo_acquisition_type *type);

/* ---- 5. one call, in full -------------------------------------------------------------- */

typedef struct bo_optimizer bo_optimizer;

/* Called after each evaluation; return true to stop. */
typedef bool (*bo_callback)(const bo_optimizer *optimizer, void *data);

/* When to stop; bo_stop_init sets "never" everywhere except 100 evaluations. */
typedef struct bo_stop {
    size_t evaluations; /* at most so many in this run; 0: no limit */
    double seconds;     /* of wall time; INFINITY: no limit */
    double target;      /* a value as good as this is enough; NAN: none */
    size_t patience;    /* stop after so many without improvement; 0: never */
    bo_callback callback;
    void *callback_data;
} bo_stop;

void bo_stop_init(bo_stop *stop);

/* Optimises f over the space: minimises, or maximises when options->maximize.  stop and options
 * may be NULL for the defaults.  x (dim values) and *y get the best, also when a later
 * evaluation failed.  Returns a positive status that says why it ended, or an error. */
bo_status bo_minimize(bo_objective f, void *data, const bo_space *space, const bo_stop *stop,
                      const bo_options *options, double *x, double *y, bo_message *message);
bo_status bo_maximize(bo_objective f, void *data, const bo_space *space, const bo_stop *stop,
                      const bo_options *options, double *x, double *y, bo_message *message);

/* ---- 6. ask and tell ------------------------------------------------------------------- */

typedef enum bo_state { BO_PENDING, BO_DONE, BO_FAILED } bo_state;

/* One evaluation, asked for or told. */
typedef struct bo_trial {
    const double *x;    /* dim values; valid until the next call with the optimizer */
    double y;           /* NAN unless state is BO_DONE */
    bo_state state;
    bool suggested;     /* by the acquisition; else initial design or told without being asked */
    double mean, sd;    /* predicted when it was suggested, in units of y; else NAN */
    double acquisition; /* its acquisition value; else NAN */
    double fit_ms;      /* time the fit took */
    double suggest_ms;  /* time the maximisation took */
} bo_trial;

/* The space and options are copied.  *out is set even on failure, unless memory ran out, so that
 * bo_optimizer_errmsg can tell why; free it in any case. */
bo_status bo_optimizer_new(bo_optimizer **out, const bo_space *space, const bo_options *options);
void bo_optimizer_free(bo_optimizer *optimizer); /* takes NULL */
const char *bo_optimizer_errmsg(const bo_optimizer *optimizer);

/* q points to evaluate next, q × dim values.  They count as pending until told.  BO_EXHAUSTED
 * when a finite space has fewer than q left (nothing is asked then). */
bo_status bo_optimizer_ask(bo_optimizer *optimizer, size_t q, double *x);

/* The value at x, whether it was asked for or is known from elsewhere.  NaN and infinities count
 * as failed.  Integers, categories and booleans must be valid values, reals within bounds. */
bo_status bo_optimizer_tell(bo_optimizer *optimizer, const double *x, double y);
bo_status bo_optimizer_tell_failed(bo_optimizer *optimizer, const double *x);

/* x was asked for but will never be told. */
bo_status bo_optimizer_forget(bo_optimizer *optimizer, const double *x);

/* The best told so far: BO_EEMPTY when there is none.  For noisy functions the point with the
 * best posterior mean is bo_optimizer_best_mean. */
bo_status bo_optimizer_best(const bo_optimizer *optimizer, double *x, double *y);
bo_status bo_optimizer_best_mean(bo_optimizer *optimizer, double *x, double *mean, double *sd);

/* The surrogate's belief about the function at m points, in units of y.  dmean and dsd (m × dim,
 * may be NULL) are derivatives by x; 0 for parameters that are not real.  Looking does not change
 * what is asked later. */
bo_status bo_optimizer_predict(bo_optimizer *optimizer, size_t m, const double *x, double *mean,
                               double *sd, double *dmean, double *dsd);

/* The acquisition at m points: larger is better. */
bo_status bo_optimizer_acquisition(bo_optimizer *optimizer, size_t m, const double *x,
                                   double *value);

size_t bo_optimizer_count(const bo_optimizer *optimizer); /* trials, in any state */
bo_status bo_optimizer_trial(const bo_optimizer *optimizer, size_t i, bo_trial *trial);
const bo_space *bo_optimizer_space(const bo_optimizer *optimizer);

/* Asks, evaluates and tells until stop says so. */
bo_status bo_optimizer_run(bo_optimizer *optimizer, bo_objective f, void *data,
                           const bo_stop *stop);

/* ---- 7. own surrogates and acquisitions ------------------------------------------------- */

/* What a surrogate is created for.  Points u are rows of `width` numbers in [0, 1]: one column
 * for a real, integer or boolean parameter, one column per category for a categorical one (1 for
 * the chosen category, else 0).  group[j] is the parameter that column j belongs to. */
typedef struct bo_setup {
    size_t width;
    size_t dim;
    const size_t *group;
    uint64_t seed;
    const bo_options *options;
} bo_setup;

/* What it is fitted to: n rows of u and their z.  y = shift + scale * z, unless y was warped
 * (then the shift and scale of the warped values).  keep: the hyperparameters of the last fit
 * stay; rows that were there before stand first, unchanged, so that a fit can be extended.
 * peek: the fit is made to look at a prediction between suggestions; the next one without keep
 * must come out as if it had not been (it may not start from its hyperparameters). */
typedef struct bo_data {
    size_t n;
    const double *u;
    const double *z;
    double shift, scale;
    double noise; /* sd of the noise in z when it is known, else NAN */
    bool keep;
    bool peek;
} bo_data;

/* The posterior of every surrogate at a point is an equal mixture of K Gaussians; at m points
 * mean and sd are m × K.
 *
 * predict and pullback may be called from several threads at once, each with its own work of
 * workspace(m) bytes (aligned to 64).  pullback follows a predict of the same m points with the
 * same work; it turns the adjoint (dmean, dsd: m × K derivatives of some value by the posterior)
 * into du (m × width). */
struct bo_surrogate_type {
    const char *name;
    const char *summary; /* one line */
    bo_status (*create)(void **self, const bo_setup *setup, bo_message *message);
    void (*free)(void *self); /* takes NULL */
    bo_status (*fit)(void *self, const bo_data *data, bo_message *message);
    size_t (*components)(const void *self); /* K, after fit */
    size_t (*workspace)(const void *self, size_t m);
    bo_status (*predict)(const void *self, size_t m, const double *u, double *mean, double *sd,
                         void *work);
    bo_status (*pullback)(const void *self, size_t m, const double *u, const double *dmean,
                          const double *dsd, double *du, void *work);
    bool unwarped; /* z must be y up to shift and scale: it was trained on functions of a scale */
    /* The learned sd of the observation noise in z; may be NULL. */
    double (*noise)(const void *self);
    /* A function drawn from the posterior, for Thompson sampling; the three may be NULL.
     * sample_value fills f (m) and, unless NULL, its gradient df (m × width); thread-safe. */
    bo_status (*draw)(const void *self, uint64_t seed, void **sample);
    bo_status (*sample_value)(const void *sample, size_t m, const double *u, double *f, double *df);
    void (*sample_free)(void *sample);
};

/* What an acquisition knows besides the posterior. */
typedef struct bo_acquisition_state {
    double best; /* incumbent in z: the least observed value, or the least posterior mean */
    double beta;
    double xi;
} bo_acquisition_state;

/* How the probability that an evaluation succeeds at all enters. */
typedef enum bo_acquisition_scale {
    BO_SCALE_POSITIVE, /* value × probability */
    BO_SCALE_LOG,      /* value + log probability: the value is the log of a positive one */
    BO_SCALE_Z         /* value + log probability: the value is in units of z */
} bo_acquisition_scale;

/* The value to maximise at one point whose posterior is the mixture of K Gaussians mean[k],
 * sd[k] > 0; z is minimised.  dmean and dsd (K each; both or neither NULL) get its derivatives. */
struct bo_acquisition_type {
    const char *name;
    const char *summary;
    bo_acquisition_scale scale;
    bool draws; /* the posterior is one drawn function: K = 1, sd = 0 */
    double (*value)(const bo_acquisition_state *state, size_t K, const double *mean,
                    const double *sd, double *dmean, double *dsd);
};

/* ---- 8. the machine -------------------------------------------------------------------- */

/* OpenBLAS picks its kernels when it is loaded, and older versions take new CPUs for very old
 * ones; then everything is several times slower than it could be.  Returns NULL when the choice
 * is fine, else the value that the environment variable OPENBLAS_CORETYPE should have before
 * the program starts. */
const char *bo_blas_advice(void);

#ifdef __cplusplus
}
#endif

#endif
