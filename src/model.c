/* model.c - surrogate, acquisition and gate together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gate is a GP on labels, 1 for a success and -1 for a failure; with its mean g and sd h at u
 * the probability of success is taken as Φ(g / √(h² + 0.1))⁶.  The 0.1 keeps it away from 0 and 1
 * where one neighbour is all it knows; the power keeps the search from spending itself beyond a
 * border behind which the function promises most.  Where a function falls into a straight border
 * 28 of 40 evaluations fail with the first power, 21 with the third, 19 with the sixth, and the
 * regret is a quarter of the first's; with a minimum inside 5, 4 and 4 (20 to 40 runs each).
 * Unpredictable failures are taken as well as with the first power; the eighth is too shy of them.
 * The gate exists only once something has failed.
 *
 * Failed points are believed like pending ones, too.  The surrogate learns nothing from a failure,
 * so without that the place where one is most curious stays so, however often it fails: where a
 * fourteenth of the square works, three of four runs of 40 then found nothing but failures.
 */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acquisition.h"
#include "builtin.h"
#include "linalg.h"
#include "message.h"
#include "normal.h"
#include "rng.h"
#include "space.h"

#define GATE_SOFTNESS 0.1
#define GATE_POWER 6

/* Learned noise above this many sds of y makes an objective count as noisy. */
#define NOISY 0.3

/* Memory of one thread: everything for `batch` rows. */
typedef struct worker {
    void *work, *gate_work;
    size_t work_size, gate_size, K;
    double *mean, *sd, *dmean, *dsd;                     /* batch × K */
    double *gate_mean, *gate_sd, *gate_dmean, *gate_dsd; /* batch */
    double *du;                                          /* batch × width */
} worker;

struct bo__model {
    const bo_options *options;
    const bo_surrogate_type *type;
    const bo_acquisition_type *acquisition;
    bo_acquisition_state state;
    size_t width, threads, batch, K;
    void *surrogate, *gate, *sample;
    bool gated, peek;
    size_t component; /* of the mixture: Thompson sampling without draws */
    bo__outcome outcome;
    size_t n, told, room; /* rows in u and z; of them told, the others believed */
    double *u, *z;
    double believed; /* the least believed z */
    worker *workers;
};

/* ---- memory ---- */

static void worker_clear(worker *w)
{
    free(w->work), free(w->gate_work);
    free(w->mean), free(w->sd), free(w->dmean), free(w->dsd);
    free(w->gate_mean), free(w->gate_sd), free(w->gate_dmean), free(w->gate_dsd);
    free(w->du);
    *w = (worker){0};
}

static bool grow(void **memory, size_t *size, size_t wanted)
{
    if (wanted <= *size)
        return true;
    free(*memory);
    *memory = bo__aligned(wanted + wanted / 2, 1);
    *size = *memory ? wanted + wanted / 2 : 0;
    return *memory;
}

static bool worker_posterior(worker *w, size_t batch, size_t K)
{
    if (K <= w->K)
        return true;
    free(w->mean), free(w->sd), free(w->dmean), free(w->dsd);
    w->mean = bo__aligned(batch * K, sizeof(double));
    w->sd = bo__aligned(batch * K, sizeof(double));
    w->dmean = bo__aligned(batch * K, sizeof(double));
    w->dsd = bo__aligned(batch * K, sizeof(double));
    bool good = w->mean && w->sd && w->dmean && w->dsd;
    w->K = good ? K : 0;
    return good;
}

static bool worker_gate(worker *w, size_t batch, size_t width)
{
    if (w->du)
        return true;
    w->gate_mean = bo__aligned(batch, sizeof(double));
    w->gate_sd = bo__aligned(batch, sizeof(double));
    w->gate_dmean = bo__aligned(batch, sizeof(double));
    w->gate_dsd = bo__aligned(batch, sizeof(double));
    w->du = bo__aligned(batch * width, sizeof(double));
    return w->gate_mean && w->gate_sd && w->gate_dmean && w->gate_dsd && w->du;
}

/* Workspaces for the surrogate as it is fitted now. */
static bo_status prepare_workers(bo__model *m, bo_message *message)
{
    m->K = m->type->components(m->surrogate);
    for (size_t i = 0; i < m->threads; i++) {
        worker *w = &m->workers[i];
        if (!grow(&w->work, &w->work_size, m->type->workspace(m->surrogate, m->batch)) ||
            !worker_posterior(w, m->batch, m->K) || !worker_gate(w, m->batch, m->width) ||
            (m->gated && !grow(&w->gate_work, &w->gate_size,
                               bo__surrogate_gp.workspace(m->gate, m->batch))))
            return bo__fail(message, BO_ENOMEM, "no memory for predictions");
    }
    return BO_OK;
}

static bool reserve(bo__model *m, size_t n)
{
    if (n <= m->room)
        return true;
    size_t room = n + n / 2 + 16;
    double *u = realloc(m->u, room * m->width * sizeof *u);
    if (u)
        m->u = u;
    double *z = realloc(m->z, room * sizeof *z);
    if (z)
        m->z = z;
    if (u && z)
        m->room = room;
    return u && z;
}

static void drop_sample(bo__model *m)
{
    if (m->sample)
        m->type->sample_free(m->sample);
    m->sample = NULL;
}

void bo__model_free(bo__model *m)
{
    if (!m)
        return;
    drop_sample(m);
    m->type->free(m->surrogate);
    bo__surrogate_gp.free(m->gate);
    for (size_t i = 0; m->workers && i < m->threads; i++)
        worker_clear(&m->workers[i]);
    free(m->workers);
    free(m->u);
    free(m->z);
    free(m);
}

bo_status bo__model_new(bo__model **out, const bo_space *space, const bo_options *options,
                        size_t threads, size_t batch, bo_message *message)
{
    bo__model *m = *out = calloc(1, sizeof *m);
    if (!m)
        return bo__fail(message, BO_ENOMEM, "no memory for a model");
    m->options = options;
    m->type = options->surrogate ? options->surrogate : &bo__surrogate_gp;
    m->acquisition = options->acquisition ? options->acquisition : &bo__acquisition_logei;
    m->width = bo__space_width(space);
    m->threads = threads;
    m->batch = batch;
    m->workers = calloc(threads, sizeof *m->workers);
    size_t *group = calloc(m->width, sizeof *group);
    bo_status status = m->workers && group ? BO_OK : bo__fail(message, BO_ENOMEM, "no memory");
    bo_options plain;
    bo_options_init(&plain);
    if (!status) {
        bo__space_groups(space, group);
        bo_setup setup = {.width = m->width, .dim = bo_space_dim(space), .group = group,
                          .seed = options->seed, .options = options};
        status = m->type->create(&m->surrogate, &setup, message);
        setup.options = &plain;
        if (!status)
            status = bo__surrogate_gp.create(&m->gate, &setup, message);
    }
    free(group);
    return status;
}

const bo__outcome *bo__model_outcome(const bo__model *m)
{
    return &m->outcome;
}

/* ---- fitting ---- */

static bo_status fit_surrogate(bo__model *m, bool keep, bo_message *message)
{
    double noise = m->options->noise;
    bo_data data = {.n = m->n, .u = m->u, .z = m->z, .shift = m->outcome.shift,
                    .scale = m->outcome.scale, .noise = NAN, .keep = keep, .peek = m->peek};
    if (!isnan(noise) && !m->outcome.warped)
        data.noise = noise / m->outcome.scale;
    else if (noise == 0)
        data.noise = 0;
    drop_sample(m);
    bo_status status = m->type->fit(m->surrogate, &data, message);
    return status ? status : prepare_workers(m, message);
}

/* The gate's data: successes, then failures. */
static bo_status fit_gate(bo__model *m, const bo__trials *trials, bool keep, bo_message *message)
{
    size_t good = bo__trials_count(trials, BO_DONE), bad = bo__trials_count(trials, BO_FAILED);
    m->gated = bad > 0;
    if (!m->gated)
        return BO_OK;
    double *u = malloc((good + bad) * m->width * sizeof *u);
    double *label = malloc((good + bad) * sizeof *label);
    bo_status status = u && label ? BO_OK : bo__fail(message, BO_ENOMEM, "no memory");
    if (!status) {
        bo__trials_gather(trials, BO_DONE, u, NULL);
        bo__trials_gather(trials, BO_FAILED, u + good * m->width, NULL);
        for (size_t i = 0; i < good + bad; i++)
            label[i] = i < good ? 1 : -1;
        bo_data data = {.n = good + bad, .u = u, .z = label, .scale = 1, .noise = NAN,
                        .keep = keep, .peek = m->peek};
        status = bo__surrogate_gp.fit(m->gate, &data, message);
    }
    free(u);
    free(label);
    return status;
}

bo_status bo__model_fit(bo__model *m, const bo__trials *trials, bool keep, bool peek,
                        bo_message *message)
{
    size_t n = bo__trials_count(trials, BO_DONE);
    m->peek = peek;
    if (!reserve(m, n))
        return bo__fail(message, BO_ENOMEM, "no memory for %zu points", n);
    bo_status status = fit_gate(m, trials, keep, message);
    if (status)
        return status;
    bo__trials_gather(trials, BO_DONE, m->u, m->z);
    m->n = m->told = n;
    m->believed = INFINITY;
    /* A known noise is in units of y; it has one meaning only where y is not bent. */
    bool plain = m->options->noise > 0 || m->type->unwarped;
    bo_warp warp = plain ? BO_WARP_NONE : m->options->warp;
    bo__outcome_fit(&m->outcome, m->options->maximize, warp, n, m->z, m->z);
    return fit_surrogate(m, keep, message);
}

bo_status bo__model_believe(bo__model *m, const double *u, bo_message *message)
{
    double mean, sd;
    bo_status status = bo__model_predict(m, 1, u, &mean, &sd, NULL, NULL);
    if (status)
        return bo__fail(message, status, "cannot predict at a pending point");
    if (!reserve(m, m->n + 1))
        return bo__fail(message, BO_ENOMEM, "no memory for %zu points", m->n + 1);
    memcpy(m->u + m->n * m->width, u, m->width * sizeof *u);
    m->z[m->n++] = mean;
    m->believed = fmin(m->believed, mean);
    return fit_surrogate(m, true, message);
}

bo_status bo__model_believe_failed(bo__model *m, const bo__trials *trials, bo_message *message)
{
    size_t count = bo__trials_count(trials, BO_FAILED), n = m->n;
    if (!count)
        return BO_OK;
    if (!reserve(m, n + 2 * count)) /* the sds go behind the means, and are not kept */
        return bo__fail(message, BO_ENOMEM, "no memory for %zu points", n + count);
    bo__trials_gather(trials, BO_FAILED, m->u + n * m->width, NULL);
    bo_status status = bo__model_predict(m, count, m->u + n * m->width, m->z + n,
                                         m->z + n + count, NULL, NULL);
    if (status)
        return bo__fail(message, status, "cannot predict at the failed points");
    m->n = n + count;
    return fit_surrogate(m, true, message);
}

/* ---- prediction ---- */

bo_status bo__model_predict(bo__model *m, size_t count, const double *u, double *mean, double *sd,
                            double *dmean, double *dsd)
{
    worker *w = &m->workers[0];
    size_t K = m->K, width = m->width;
    for (size_t i = 0; i < count; i += m->batch) {
        size_t rows = count - i < m->batch ? count - i : m->batch;
        const double *at = u + i * width;
        bo_status status = m->type->predict(m->surrogate, rows, at, w->mean, w->sd, w->work);
        if (status)
            return status;
        for (size_t r = 0; r < rows; r++)
            bo__mixture_collapse(K, w->mean + r * K, w->sd + r * K, &mean[i + r], &sd[i + r]);
        for (int which = 0; which < 2; which++) {
            double *out = which ? dsd : dmean;
            if (!out)
                continue;
            if (which && dmean) /* a pullback may use up what predict left */
                status = m->type->predict(m->surrogate, rows, at, w->mean, w->sd, w->work);
            for (size_t r = 0; r < rows; r++)
                bo__mixture_pullback(K, w->mean + r * K, w->sd + r * K, mean[i + r], sd[i + r],
                                     !which, which, w->dmean + r * K, w->dsd + r * K);
            if (!status)
                status = m->type->pullback(m->surrogate, rows, at, w->dmean, w->dsd,
                                           out + i * width, w->work);
            if (status)
                return status;
        }
    }
    return BO_OK;
}

/* ---- acquisition ---- */

/* Whether the least observed value may be luck. */
static bool noisy(const bo__model *m)
{
    if (!isnan(m->options->noise))
        return m->options->noise > 0;
    return m->type->noise && m->type->noise(m->surrogate) > NOISY;
}

static bo_status incumbent(bo__model *m, bo_message *message)
{
    double best = INFINITY;
    if (noisy(m) && m->told) {
        double *mean = malloc(2 * m->told * sizeof *mean);
        bo_status status = mean ? bo__model_predict(m, m->told, m->u, mean, mean + m->told, NULL,
                                                    NULL)
                                : BO_ENOMEM;
        for (size_t i = 0; !status && i < m->told; i++)
            best = fmin(best, mean[i]);
        free(mean);
        if (status)
            return bo__fail(message, status, "cannot predict at the evaluated points");
    } else {
        for (size_t i = 0; i < m->told; i++)
            best = fmin(best, m->z[i]);
    }
    best = fmin(best, m->believed);
    m->state = (bo_acquisition_state){.best = isfinite(best) ? best : 0,
                                      .beta = m->options->beta, .xi = m->options->xi};
    return BO_OK;
}

bo_status bo__model_aim(bo__model *m, uint64_t turn, bo_message *message)
{
    if (m->acquisition->draws) {
        bo__rng rng;
        bo__rng_init(&rng, m->options->seed, "thompson", turn);
        drop_sample(m);
        if (m->type->draw) {
            bo_status status = m->type->draw(m->surrogate, bo__rng_bits(&rng), &m->sample);
            if (status)
                return bo__fail(message, status, "cannot draw a function from surrogate '%s'",
                                m->type->name);
        } else if (m->K > 1) {
            m->component = bo__rng_below(&rng, m->K);
        } else {
            return bo__fail(message, BO_EUNSUPPORTED,
                            "acquisition '%s' needs functions drawn from the posterior, which "
                            "surrogate '%s' cannot give; use logei",
                            m->acquisition->name, m->type->name);
        }
    }
    return incumbent(m, message);
}

/* Thompson sampling: the value of one drawn function. */
static bo_status value_of_draw(const bo__model *m, worker *w, size_t rows, const double *u,
                               double *value, double *du)
{
    bo_status status;
    size_t K = m->sample ? 1 : m->K, chosen = m->sample ? 0 : m->component;
    if (m->sample)
        status = m->type->sample_value(m->sample, rows, u, w->mean, du);
    else
        status = m->type->predict(m->surrogate, rows, u, w->mean, w->sd, w->work);
    if (status)
        return status;
    memset(w->dmean, 0, rows * K * sizeof *w->dmean);
    memset(w->dsd, 0, rows * K * sizeof *w->dsd);
    for (size_t i = 0; i < rows; i++) {
        double zero = 0, dzero;
        size_t at = i * K + chosen;
        value[i] = m->acquisition->value(&m->state, 1, &w->mean[at], &zero, &w->dmean[at], &dzero);
        for (size_t j = 0; m->sample && du && j < m->width; j++)
            du[i * m->width + j] *= w->dmean[at];
    }
    if (!m->sample && du)
        status = m->type->pullback(m->surrogate, rows, u, w->dmean, w->dsd, du, w->work);
    return status;
}

static bo_status value_of_mixture(const bo__model *m, worker *w, size_t rows, const double *u,
                                  double *value, double *du)
{
    size_t K = m->K;
    bool collapse = m->options->moment_match && K > 1;
    bo_status status = m->type->predict(m->surrogate, rows, u, w->mean, w->sd, w->work);
    for (size_t i = 0; !status && i < rows; i++) {
        const double *mean = w->mean + i * K, *sd = w->sd + i * K;
        double *dmean = du ? w->dmean + i * K : NULL, *dsd = du ? w->dsd + i * K : NULL;
        if (!collapse) {
            value[i] = m->acquisition->value(&m->state, K, mean, sd, dmean, dsd);
            continue;
        }
        double one_mean, one_sd, by_mean, by_sd;
        bo__mixture_collapse(K, mean, sd, &one_mean, &one_sd);
        value[i] = m->acquisition->value(&m->state, 1, &one_mean, &one_sd, du ? &by_mean : NULL,
                                         du ? &by_sd : NULL);
        if (du)
            bo__mixture_pullback(K, mean, sd, one_mean, one_sd, by_mean, by_sd, dmean, dsd);
    }
    if (!status && du)
        status = m->type->pullback(m->surrogate, rows, u, w->dmean, w->dsd, du, w->work);
    return status;
}

/* power · log Φ(g / √(h² + softness)), and its derivatives by g and h. */
static double log_success(double g, double h, double *dg, double *dh)
{
    double spread = sqrt(h * h + GATE_SOFTNESS), t = g / spread;
    double value = bo__normal_log_cdf(t);
    double slope = GATE_POWER * exp(bo__normal_log_pdf(t) - value);
    *dg = slope / spread;
    *dh = -slope * t * h / (spread * spread);
    return GATE_POWER * value;
}

/* Puts the probability of success into value and du. */
static bo_status pass_gate(const bo__model *m, worker *w, size_t rows, const double *u,
                           double *value, double *du)
{
    bo_status status = bo__surrogate_gp.predict(m->gate, rows, u, w->gate_mean, w->gate_sd,
                                                w->gate_work);
    bool times = m->acquisition->scale == BO_SCALE_POSITIVE;
    for (size_t i = 0; !status && i < rows; i++) {
        double dg, dh, log_p = log_success(w->gate_mean[i], w->gate_sd[i], &dg, &dh);
        double factor = times ? exp(log_p) : 1;
        /* times: (v p)' = v' p + v p (log p)';  else (v + log p)' */
        w->gate_dmean[i] = times ? value[i] * factor * dg : dg;
        w->gate_dsd[i] = times ? value[i] * factor * dh : dh;
        value[i] = times ? value[i] * factor : value[i] + log_p;
        for (size_t j = 0; times && du && j < m->width; j++)
            du[i * m->width + j] *= factor;
    }
    if (status || !du)
        return status;
    status = bo__surrogate_gp.pullback(m->gate, rows, u, w->gate_dmean, w->gate_dsd, w->du,
                                       w->gate_work);
    for (size_t i = 0; i < rows * m->width; i++)
        du[i] += w->du[i];
    return status;
}

bo_status bo__model_target(void *context, size_t thread, size_t rows, const double *u,
                           double *value, double *du)
{
    bo__model *m = context;
    worker *w = &m->workers[thread];
    bo_status status = m->acquisition->draws ? value_of_draw(m, w, rows, u, value, du)
                                             : value_of_mixture(m, w, rows, u, value, du);
    return status || !m->gated ? status : pass_gate(m, w, rows, u, value, du);
}
