/* timepredict.c - how long a surrogate takes to read observations and to answer queries.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "timepredict.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "message.h"
#include "rng.h"
#include "statistics.h"

enum { SCREEN = 512, MOST_ROUNDS = 200, FEWEST_ROUNDS = 3, CLIMB = 20 };

typedef struct subject {
    const bo_surrogate_type *type;
    void *self;
    bo_data data;
    size_t dim, K;
    double *u, *z, *at;               /* observations; SCREEN queries */
    double *mean, *sd, *adjoint, *du; /* of SCREEN queries */
    void *work;
} subject;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bo_status do_fit(subject *s)
{
    return s->type->fit(s->self, &s->data, NULL);
}

static bo_status do_screen(subject *s)
{
    return s->type->predict(s->self, SCREEN, s->at, s->mean, s->sd, s->work);
}

/* CLIMB queries, one at a time. */
static bo_status do_climb(subject *s)
{
    bo_status status = BO_OK;
    for (size_t i = 0; !status && i < CLIMB; i++) {
        status = s->type->predict(s->self, 1, s->at + i * s->dim, s->mean, s->sd, s->work);
        if (!status)
            status = s->type->pullback(s->self, 1, s->at + i * s->dim, s->adjoint, s->adjoint,
                                       s->du, s->work);
    }
    return status;
}

/* Median seconds of a round. */
static bo_status time_rounds(subject *s, bo_status (*round)(subject *), double seconds,
                             double *median)
{
    double each[MOST_ROUNDS], total = 0;
    size_t count = 0;
    bo_status status = round(s); /* warms up */
    while (!status && count < MOST_ROUNDS && (count < FEWEST_ROUNDS || total < seconds)) {
        double begin = cpu_seconds();
        status = round(s);
        each[count] = cpu_seconds() - begin;
        total += each[count++];
    }
    if (status)
        return status;
    bo__sort(count, each);
    *median = bo__quantile(count, each, 0.5);
    return BO_OK;
}

static void release(subject *s)
{
    s->type->free(s->self);
    free(s->u), free(s->z), free(s->at);
    free(s->mean), free(s->sd), free(s->adjoint), free(s->du);
    free(s->work);
}

/* Observations of a wave in the first column, standardised as the driver does it. */
static bool make_data(subject *s, size_t n)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "bench predict", n);
    s->u = malloc((n + 1) * s->dim * sizeof *s->u);
    s->z = malloc((n + 1) * sizeof *s->z);
    s->at = malloc(SCREEN * s->dim * sizeof *s->at);
    if (!s->u || !s->z || !s->at)
        return false;
    for (size_t i = 0; i < n * s->dim; i++)
        s->u[i] = bo__rng_uniform(&rng);
    for (size_t i = 0; i < n; i++)
        s->z[i] = M_SQRT2 * sin(20 * s->u[i * s->dim]);
    for (size_t i = 0; i < SCREEN * s->dim; i++)
        s->at[i] = bo__rng_uniform(&rng);
    s->data = (bo_data){.n = n, .u = s->u, .z = s->z, .scale = 0.6, .noise = NAN};
    return true;
}

static bool make_room(subject *s)
{
    size_t bytes = s->type->workspace(s->self, SCREEN), one = s->type->workspace(s->self, 1);
    s->K = s->type->components(s->self);
    s->work = aligned_alloc(64, ((bytes > one ? bytes : one) + 64) / 64 * 64);
    s->mean = malloc(SCREEN * s->K * sizeof *s->mean);
    s->sd = malloc(SCREEN * s->K * sizeof *s->sd);
    s->adjoint = malloc(s->K * sizeof *s->adjoint);
    s->du = malloc(s->dim * sizeof *s->du);
    for (size_t i = 0; s->adjoint && i < s->K; i++)
        s->adjoint[i] = 1;
    return s->work && s->mean && s->sd && s->adjoint && s->du;
}

static bo_status create(subject *s, const bo_options *options, bo_message *message)
{
    size_t *group = malloc(s->dim * sizeof *group);
    if (!group)
        return bo__fail(message, BO_ENOMEM, "no memory");
    for (size_t i = 0; i < s->dim; i++)
        group[i] = i;
    bo_setup setup = {.width = s->dim, .dim = s->dim, .group = group, .seed = options->seed,
                      .options = options};
    bo_status status = s->type->create(&s->self, &setup, message);
    free(group);
    return status;
}

bo_status bo__timepredict_run(const bo_options *options, size_t dim, size_t n, double seconds,
                              bo__timepredict *out, bo_message *message)
{
    subject s = {.type = options->surrogate ? options->surrogate : bo_surrogate_find("gp"),
                 .dim = dim};
    double fit = 0, screen = 0, climb = 0;
    bo_status status = create(&s, options, message);
    if (!status && !make_data(&s, n))
        status = bo__fail(message, BO_ENOMEM, "no memory for %zu observations", n);
    if (!status)
        status = s.type->fit(s.self, &s.data, message);
    if (!status && !make_room(&s))
        status = bo__fail(message, BO_ENOMEM, "no memory for predictions");
    if (!status) {
        status = time_rounds(&s, do_fit, seconds, &fit);
        if (!status)
            status = time_rounds(&s, do_screen, seconds, &screen);
        if (!status)
            status = time_rounds(&s, do_climb, seconds, &climb);
        if (status)
            bo__fail(message, status, "surrogate %s failed: %s", s.type->name,
                     bo_status_text(status));
    }
    *out = (bo__timepredict){s.K, 1e3 * fit, 1e6 * screen / SCREEN, 1e6 * climb / CLIMB};
    release(&s);
    return status;
}
