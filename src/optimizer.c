/* optimizer.c - ask, tell, best, predict.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A suggestion: fit the model to the told trials, believe the pending ones, maximise the
 * acquisition.  The model is fitted lazily, at the first ask or predict after something changed.
 * A fit starts from the hyperparameters of the last one that an ask used, so that looking at
 * predictions in between changes nothing.
 */
#include "optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "blas.h"
#include "design.h"
#include "maximize.h"
#include "message.h"
#include "parallel.h"
#include "space.h"

/* Rows of a batched prediction: enough for BLAS, few enough for the cache. */
#define BATCH 128

/* Points of the maximiser's screen where none are asked for.  On a line 192 leave no valley of a
 * prior's length-scale unseen, and the climbs do the rest. */
#define SCREEN_LINE 192
#define SCREEN(dim) ((dim) == 1 ? SCREEN_LINE : 256 + 64 * (dim))

/* Incumbents the maximiser starts from. */
#define ANCHORS 3

/* A screen or a number of starts beyond these is a mistake, not a wish. */
#define MOST_SCREEN 10000000
#define MOST_STARTS 1000000

/* More threads than this find no work, and each has memory of its own. */
#define MOST_THREADS 256

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

const char *bo_optimizer_errmsg(const bo_optimizer *o)
{
    return o ? o->message.text : bo_status_text(BO_ENOMEM);
}

void bo_optimizer_free(bo_optimizer *o)
{
    if (!o)
        return;
    bo__model_free(o->model);
    bo__trials_clear(&o->trials);
    bo_space_free(o->space);
    free(o->lengthscales);
    free(o->model_files);
    free(o->variant);
    free(o->kind);
    free(o->ablation);
    free(o->x);
    free(o->u);
    free(o);
}

static bo_status check_options(const bo_options *p, bo_message *message)
{
    if (p->noise < 0 || isinf(p->noise))
        return bo__fail(message, BO_EINVAL,
                        "noise is %g; a number, 0 or more, or NAN to learn it, was expected",
                        p->noise);
    if (!(p->beta >= 0) || isinf(p->beta))
        return bo__fail(message, BO_EINVAL, "beta is %g; a number, 0 or more, was expected",
                        p->beta);
    if (!(p->xi >= 0) || isinf(p->xi))
        return bo__fail(message, BO_EINVAL, "xi is %g; a number, 0 or more, was expected", p->xi);
    if ((int)p->kernel < BO_MATERN52 || p->kernel > BO_PERIODIC)
        return bo__fail(message, BO_EINVAL, "kernel is %d, which is none", (int)p->kernel);
    if (p->screen > MOST_SCREEN)
        return bo__fail(message, BO_EINVAL, "screen is %zu; at most %d was expected", p->screen,
                        MOST_SCREEN);
    if (p->starts > MOST_STARTS)
        return bo__fail(message, BO_EINVAL, "starts is %zu; at most %d was expected", p->starts,
                        MOST_STARTS);
    return BO_OK;
}

/* Copies what the options point to, so that the caller's may go. */
static bool own_options(bo_optimizer *o)
{
    bo_options *p = &o->options;
    size_t dim = bo_space_dim(o->space);
    if (p->lengthscales) {
        if (!(o->lengthscales = malloc(dim * sizeof(double))))
            return false;
        memcpy(o->lengthscales, p->lengthscales, dim * sizeof(double));
        p->lengthscales = o->lengthscales;
    }
    if (p->model && !(p->model = o->model_files = strdup(p->model)))
        return false;
    if (p->variant && !(p->variant = o->variant = strdup(p->variant)))
        return false;
    if (p->kind && !(p->kind = o->kind = strdup(p->kind)))
        return false;
    if (p->ablation && !(p->ablation = o->ablation = strdup(p->ablation)))
        return false;
    return true;
}

bo_status bo_optimizer_new(bo_optimizer **out, const bo_space *space, const bo_options *options)
{
    bo_optimizer *o = *out = calloc(1, sizeof *o);
    if (!o)
        return BO_ENOMEM;
    bo__blas_single();
    if (options)
        o->options = *options;
    else
        bo_options_init(&o->options);
    if (!space || bo_space_dim(space) == 0)
        return bo__fail(&o->message, BO_EINVAL, "the space has no parameters; add at least one");
    if (check_options(&o->options, &o->message))
        return BO_EINVAL;
    if (!(o->space = bo__space_copy(space)) || !own_options(o))
        return bo__fail(&o->message, BO_ENOMEM, "no memory for an optimizer");
    size_t dim = bo_space_dim(space), width = bo__space_width(space);
    bo__trials_init(&o->trials, dim, width);
    o->x = malloc(dim * sizeof *o->x);
    o->u = malloc((1 + ANCHORS) * width * sizeof *o->u);
    if (!o->x || !o->u)
        return bo__fail(&o->message, BO_ENOMEM, "no memory for an optimizer");
    if (!o->options.init)
        o->options.init = bo__design_size(dim);
    o->threads = o->options.threads ? o->options.threads : bo__parallel_cores();
    o->threads = o->threads < MOST_THREADS ? o->threads : MOST_THREADS;
    return bo__model_new(&o->model, o->space, &o->options, o->threads, BATCH, &o->message);
}

const bo_space *bo_optimizer_space(const bo_optimizer *o)
{
    return o->space;
}

size_t bo_optimizer_count(const bo_optimizer *o)
{
    return o->trials.count;
}

bo_status bo_optimizer_trial(const bo_optimizer *o, size_t i, bo_trial *trial)
{
    if (i >= o->trials.count)
        return BO_EINVAL;
    *trial = o->trials.trial[i];
    return BO_OK;
}

/* ---- the model ---- */

/* Believes the failed and the pending trials that are not believed yet. */
static bo_status believe_rest(bo_optimizer *o)
{
    bo_status status = BO_OK;
    if (!o->failed_believed && bo__trials_count(&o->trials, BO_FAILED)) {
        status = bo__model_believe_failed(o->model, &o->trials, &o->message);
        o->failed_believed = true;
    }
    for (size_t i = 0, seen = 0; !status && i < o->trials.count; i++) {
        if (o->trials.trial[i].state != BO_PENDING || seen++ < o->believed)
            continue;
        status = bo__model_believe(o->model, o->trials.u + i * o->trials.width, &o->message);
        o->believed++;
    }
    return status;
}

/* Brings the model up to date with what was told; what is pending or failed is believed if
 * wanted.  peek: to look at it only. */
static bo_status refresh(bo_optimizer *o, bool believe, bool peek)
{
    bo_status status = BO_OK;
    bool believing = o->believed || o->failed_believed;
    if (o->fit != BO_FIT_CURRENT || (believing && !believe) || (o->peeked && !peek)) {
        double start = now_ms();
        status = bo__model_fit(o->model, &o->trials, o->fit != BO_FIT_STALE, peek, &o->message);
        o->fit = BO_FIT_CURRENT;
        o->peeked = peek;
        o->believed = 0;
        o->failed_believed = false;
        o->fit_ms = now_ms() - start;
    }
    if (!status && believe)
        status = believe_rest(o);
    if (status)
        o->fit = BO_FIT_STALE; /* the model may be half of this, half of what it was */
    return status;
}

/* ---- ask ---- */

static bool is_taken(const bo_optimizer *o, const double *x)
{
    return !o->options.replicates && bo__trials_find(&o->trials, x, false) != SIZE_MAX;
}

/* Called from several threads at once: it may use no memory of the optimizer's. */
static bool taken_u(void *context, const double *u)
{
    const bo_optimizer *o = context;
    for (size_t i = 0; !o->options.replicates && i < o->trials.count; i++)
        if (bo__space_decodes_to(o->space, u, o->trials.trial[i].x))
            return true;
    return false;
}

static bo_status target(void *context, size_t thread, size_t m, const double *u, double *value,
                        double *du)
{
    bo_optimizer *o = context;
    return bo__model_target(o->model, thread, m, u, value, du);
}

/* The best told points, best first, for the maximiser to start from. */
static size_t find_anchors(const bo_optimizer *o, double *anchor)
{
    const bo__trials *t = &o->trials;
    size_t chosen[ANCHORS], count = 0;
    double sign = o->options.maximize ? -1 : 1;
    for (size_t i = 0; i < t->count; i++) {
        if (t->trial[i].state != BO_DONE)
            continue;
        size_t at = count;
        while (at > 0 && sign * t->trial[i].y < sign * t->trial[chosen[at - 1]].y)
            at--;
        if (at >= ANCHORS)
            continue;
        size_t last = count < ANCHORS ? count++ : ANCHORS - 1;
        memmove(chosen + at + 1, chosen + at, (last - at) * sizeof *chosen);
        chosen[at] = i;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(anchor + i * t->width, t->u + chosen[i] * t->width, t->width * sizeof *anchor);
    return count;
}

/* Maximises the acquisition; the point goes to o->u and o->x. */
static bo_status maximise(bo_optimizer *o, double *value)
{
    size_t dim = bo_space_dim(o->space), width = o->trials.width;
    double *anchor = o->u + width;
    const bo__column *columns;
    bo_status status = bo__space_columns(o->space, &columns);
    if (status)
        return bo__fail(&o->message, status, "no memory for the maximiser");
    bo__maximize_problem problem = {
        .width = width, .blocks = dim, .columns = columns, .target = target, .taken = taken_u,
        .context = o, .threads = o->threads, .batch = BATCH,
        .screen = o->options.screen ? o->options.screen : SCREEN(dim),
        .starts = o->options.starts ? o->options.starts : 8,
        .maxeval = 60, .anchors = find_anchors(o, anchor), .anchor = anchor,
        .grid = o->options.grid, .stride = o->options.grid_stride};
    bo__rng rng;
    bo__rng_init(&rng, o->options.seed, "maximise", o->asked);
    status = bo__maximize(&problem, &rng, o->u, value, &o->message);
    if (!status)
        bo__space_decode(o->space, o->u, o->x);
    return status;
}

/* One suggestion, added as a pending trial. */
static bo_status suggest(bo_optimizer *o)
{
    double start = now_ms(), value, mean, sd, d[2][2];
    o->fit_ms = 0;
    bo_status status = refresh(o, true, false);
    if (!status)
        status = bo__model_aim(o->model, o->asked, &o->message);
    double fit_ms = o->fit_ms;
    if (!status)
        status = maximise(o, &value);
    if (status)
        return status;
    bo__space_encode(o->space, o->x, o->u);
    status = bo__model_predict(o->model, 1, o->u, &mean, &sd, NULL, NULL);
    if (status)
        return bo__fail(&o->message, status, "cannot predict at the suggested point");
    bo_trial *trial;
    if (bo__trials_add(&o->trials, o->x, o->u, &trial))
        return bo__fail(&o->message, BO_ENOMEM, "no memory for a trial");
    bo__outcome_moments(bo__model_outcome(o->model), mean, sd, &trial->mean, &trial->sd, d);
    trial->suggested = true;
    trial->acquisition = value;
    trial->fit_ms = fit_ms;
    trial->suggest_ms = now_ms() - start - fit_ms;
    return BO_OK;
}

/* The next free point of the initial design, added as a pending trial. */
static bo_status next_initial(bo_optimizer *o)
{
    for (size_t tries = 0;; tries++) {
        bo_status status = bo__design_point(o->space, o->options.seed, o->options.init,
                                            o->designed, o->x);
        if (status)
            return bo__fail(&o->message, status, "no memory for the initial design");
        o->designed++;
        if (!is_taken(o, o->x))
            break;
        if (tries > 100) /* a small finite space: let the maximiser find what is left */
            return suggest(o);
    }
    bo_trial *trial;
    bo__space_encode(o->space, o->x, o->u);
    if (bo__trials_add(&o->trials, o->x, o->u, &trial))
        return bo__fail(&o->message, BO_ENOMEM, "no memory for a trial");
    return BO_OK;
}

bo_status bo_optimizer_ask(bo_optimizer *o, size_t q, double *x)
{
    if (!q || !x)
        return bo__fail(&o->message, BO_EINVAL, "ask needs at least one point and room for it");
    double size = bo__space_size(o->space);
    if (!o->options.replicates && isfinite(size) &&
        (double)bo__trials_distinct(&o->trials) + (double)q > size)
        return bo__fail(&o->message, BO_EXHAUSTED,
                        "the space has %.0f points, of which %zu were evaluated or are pending; "
                        "%zu more cannot be asked for",
                        size, bo__trials_distinct(&o->trials), q);
    size_t before = o->trials.count, dim = o->trials.dim;
    for (size_t i = 0; i < q; i++) {
        bo_status status = o->trials.count < o->options.init ? next_initial(o) : suggest(o);
        if (status) {
            while (o->trials.count > before) {
                bo__trials_remove(&o->trials, o->trials.count - 1);
                o->fit = o->fit == BO_FIT_STALE ? BO_FIT_STALE : BO_FIT_KEEP;
            }
            return status;
        }
        o->asked++;
        memcpy(x + i * dim, o->trials.trial[o->trials.count - 1].x, dim * sizeof *x);
    }
    return BO_OK;
}

/* ---- tell ---- */

static bo_status record(bo_optimizer *o, const double *x, bo_state state, double y)
{
    if (bo__space_check(o->space, x, &o->message))
        return BO_EINVAL;
    bo_trial *trial;
    size_t i = bo__trials_find(&o->trials, x, true);
    if (i != SIZE_MAX) {
        trial = &o->trials.trial[i];
    } else {
        bo__space_encode(o->space, x, o->u);
        if (bo__trials_add(&o->trials, x, o->u, &trial))
            return bo__fail(&o->message, BO_ENOMEM, "no memory for a trial");
    }
    trial->state = state;
    trial->y = state == BO_DONE ? y : NAN;
    o->fit = BO_FIT_STALE;
    return BO_OK;
}

bo_status bo_optimizer_tell(bo_optimizer *o, const double *x, double y)
{
    return record(o, x, isfinite(y) ? BO_DONE : BO_FAILED, y);
}

bo_status bo_optimizer_tell_failed(bo_optimizer *o, const double *x)
{
    return record(o, x, BO_FAILED, NAN);
}

bo_status bo_optimizer_forget(bo_optimizer *o, const double *x)
{
    size_t i = bo__trials_find(&o->trials, x, true);
    if (i == SIZE_MAX)
        return bo__fail(&o->message, BO_EINVAL, "the point to forget is not pending");
    bo__trials_remove(&o->trials, i);
    if (o->fit == BO_FIT_CURRENT)
        o->fit = BO_FIT_KEEP;
    return BO_OK;
}

/* ---- what is known ---- */

bo_status bo_optimizer_best(const bo_optimizer *o, double *x, double *y)
{
    size_t i = bo__trials_best(&o->trials, o->options.maximize);
    if (i == SIZE_MAX)
        return BO_EEMPTY;
    if (x)
        memcpy(x, o->trials.trial[i].x, o->trials.dim * sizeof *x);
    if (y)
        *y = o->trials.trial[i].y;
    return BO_OK;
}

bo_status bo_optimizer_predict(bo_optimizer *o, size_t m, const double *x, double *mean,
                               double *sd, double *dmean, double *dsd)
{
    size_t dim = o->trials.dim, width = o->trials.width;
    for (size_t i = 0; i < m; i++)
        if (bo__space_check(o->space, x + i * dim, &o->message))
            return BO_EINVAL;
    bo_status status = refresh(o, false, true);
    if (status)
        return status;
    double *u = malloc((3 * m * width + 1) * sizeof *u);
    if (!u)
        return bo__fail(&o->message, BO_ENOMEM, "no memory to predict %zu points", m);
    bool slopes = dmean || dsd;
    double *du = u + m * width, *dv = du + m * width;
    for (size_t i = 0; i < m; i++)
        bo__space_encode(o->space, x + i * dim, u + i * width);
    status = bo__model_predict(o->model, m, u, mean, sd, slopes ? du : NULL, slopes ? dv : NULL);
    if (status)
        bo__fail(&o->message, status, "the surrogate cannot predict");
    for (size_t i = 0; !status && i < m; i++) {
        double d[2][2];
        bo__outcome_moments(bo__model_outcome(o->model), mean[i], sd[i], &mean[i], &sd[i], d);
        for (size_t j = 0; slopes && j < width; j++) {
            double a = du[i * width + j], b = dv[i * width + j];
            du[i * width + j] = d[0][0] * a + d[0][1] * b;
            dv[i * width + j] = d[1][0] * a + d[1][1] * b;
        }
        if (dmean)
            bo__space_slopes(o->space, x + i * dim, du + i * width, dmean + i * dim);
        if (dsd)
            bo__space_slopes(o->space, x + i * dim, dv + i * width, dsd + i * dim);
    }
    free(u);
    return status;
}

bo_status bo_optimizer_best_mean(bo_optimizer *o, double *x, double *mean, double *sd)
{
    size_t n = bo__trials_count(&o->trials, BO_DONE), dim = o->trials.dim, best = SIZE_MAX;
    if (n == 0)
        return bo__fail(&o->message, BO_EEMPTY, "no successful evaluation yet");
    double *all = malloc(n * (dim + 2) * sizeof *all), sign = o->options.maximize ? -1 : 1;
    if (!all)
        return bo__fail(&o->message, BO_ENOMEM, "no memory to predict %zu points", n);
    double *means = all + n * dim, *sds = means + n;
    for (size_t i = 0, row = 0; i < o->trials.count; i++)
        if (o->trials.trial[i].state == BO_DONE)
            memcpy(all + row++ * dim, o->trials.trial[i].x, dim * sizeof *all);
    bo_status status = bo_optimizer_predict(o, n, all, means, sds, NULL, NULL);
    for (size_t i = 0; !status && i < n; i++)
        if (best == SIZE_MAX || sign * means[i] < sign * means[best])
            best = i;
    if (!status) {
        if (x)
            memcpy(x, all + best * dim, dim * sizeof *x);
        if (mean)
            *mean = means[best];
        if (sd)
            *sd = sds[best];
    }
    free(all);
    return status;
}

bo_status bo_optimizer_acquisition(bo_optimizer *o, size_t m, const double *x, double *value)
{
    size_t dim = o->trials.dim;
    for (size_t i = 0; i < m; i++)
        if (bo__space_check(o->space, x + i * dim, &o->message))
            return BO_EINVAL;
    bo_status status = refresh(o, true, true);
    if (!status)
        status = bo__model_aim(o->model, o->asked, &o->message);
    for (size_t i = 0; !status && i < m; i++) {
        bo__space_encode(o->space, x + i * dim, o->u);
        status = bo__model_target(o->model, 0, 1, o->u, value + i, NULL);
        if (status)
            bo__fail(&o->message, status, "the acquisition cannot be computed");
    }
    return status;
}
