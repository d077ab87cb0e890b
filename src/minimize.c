/* minimize.c - whole runs: ask, evaluate, tell, until it is time to stop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "message.h"
#include "optimizer.h"

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bo_status check_stop(const bo_stop *stop, bo_message *message)
{
    if (isnan(stop->seconds) || stop->seconds < 0)
        return bo__fail(message, BO_EINVAL, "seconds is %g; a number, 0 or more, was expected",
                        stop->seconds);
    if (!stop->evaluations && isinf(stop->seconds) && isnan(stop->target) && !stop->patience &&
        !stop->callback)
        return bo__fail(message, BO_EINVAL, "nothing says when to stop: set evaluations, seconds, "
                                            "target, patience or a callback");
    return BO_OK;
}

/* Why to stop now, or BO_OK. */
static bo_status reason(const bo_optimizer *o, const bo_stop *stop, size_t evaluations,
                        size_t idle, double seconds)
{
    double y, sign = o->options.maximize ? -1 : 1;
    bool any = bo_optimizer_best(o, NULL, &y) == BO_OK;
    /* The callback sees every evaluation, the last one too. */
    bool stopped = evaluations && stop->callback && stop->callback(o, stop->callback_data);
    if (any && !isnan(stop->target) && sign * y <= sign * stop->target)
        return BO_REACHED_TARGET;
    if (stopped)
        return BO_STOPPED;
    if (stop->evaluations && evaluations >= stop->evaluations)
        return BO_REACHED_EVALUATIONS;
    if (stop->patience && idle >= stop->patience)
        return BO_REACHED_PATIENCE;
    return seconds >= stop->seconds ? BO_REACHED_SECONDS : BO_OK;
}

bo_status bo_optimizer_run(bo_optimizer *o, bo_objective f, void *data, const bo_stop *given)
{
    bo_stop stop;
    bo_stop_init(&stop);
    if (given)
        stop = *given;
    if (!f)
        return bo__fail(&o->message, BO_EINVAL, "there is no objective function");
    bo_status status = check_stop(&stop, &o->message);
    size_t dim = bo_space_dim(o->space), idle = 0;
    double *x = malloc(dim * sizeof *x), start = seconds_now(), before, after;
    if (!status && !x)
        status = bo__fail(&o->message, BO_ENOMEM, "no memory for a point");
    for (size_t evaluations = 0; !status; evaluations++) {
        status = reason(o, &stop, evaluations, idle, seconds_now() - start);
        if (!status)
            status = bo_optimizer_ask(o, 1, x);
        if (status)
            break;
        bool any = !bo_optimizer_best(o, NULL, &before);
        status = bo_optimizer_tell(o, x, f(dim, x, data));
        bool now = !bo_optimizer_best(o, NULL, &after);
        idle = now && (!any || after != before) ? 0 : idle + 1;
    }
    free(x);
    return status;
}

static bo_status optimise(bo_objective f, void *data, const bo_space *space, const bo_stop *stop,
                          const bo_options *given, bool maximize, double *x, double *y,
                          bo_message *message)
{
    bo_options options;
    bo_options_init(&options);
    if (given)
        options = *given;
    options.maximize = maximize;
    bo_optimizer *o;
    bo_status status = bo_optimizer_new(&o, space, &options);
    if (!status)
        status = bo_optimizer_run(o, f, data, stop);
    if (o && (status >= 0 || o->trials.count) && bo_optimizer_best(o, x, y) && status >= 0)
        status = bo__fail(&o->message, BO_EEMPTY, "all %zu evaluations failed", o->trials.count);
    if (message && status < 0)
        snprintf(message->text, sizeof message->text, "%s", bo_optimizer_errmsg(o));
    bo_optimizer_free(o);
    return status;
}

bo_status bo_minimize(bo_objective f, void *data, const bo_space *space, const bo_stop *stop,
                      const bo_options *options, double *x, double *y, bo_message *message)
{
    return optimise(f, data, space, stop, options, options && options->maximize, x, y, message);
}

bo_status bo_maximize(bo_objective f, void *data, const bo_space *space, const bo_stop *stop,
                      const bo_options *options, double *x, double *y, bo_message *message)
{
    return optimise(f, data, space, stop, options, true, x, y, message);
}

bo_status bo_minimize_box(bo_objective f, void *data, size_t dim, const double *lower,
                          const double *upper, size_t evaluations, double *x, double *y,
                          bo_message *message)
{
    bo_space *space = bo_space_new();
    bo_status status = space ? BO_OK : BO_ENOMEM;
    for (size_t i = 0; !status && i < dim; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", i + 1);
        status = bo_space_add_real(space, name, lower[i], upper[i]);
    }
    if (status && message)
        snprintf(message->text, sizeof message->text, "%s",
                 space ? bo_space_errmsg(space) : bo_status_text(status));
    bo_stop stop;
    bo_stop_init(&stop);
    stop.evaluations = evaluations;
    if (!status)
        status = bo_minimize(f, data, space, &stop, NULL, x, y, message);
    bo_space_free(space);
    return status;
}
