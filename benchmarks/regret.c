/* regret.c - one run: a function, a surrogate, and the points it asks for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything random comes from streams named by (seed, purpose, function): the function itself,
 * its initial points, the noise of its observations and the optimiser's own choices are the same
 * for every surrogate, and nothing depends on which process does a run, or when.
 */
#include "regret.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpgrid.h"
#include "message.h"
#include "optimize.h"

/* A function: a drawn grid (paper) or an objective (plain). */
typedef struct problem {
    bool made;
    size_t function, setting;
    bo__gpgrid *grid;
    bo__objective *objective;
    bo_space *space;
    bo__objective_prior prior;
    bool drawn; /* prior says from what */
    double least, range;
} problem;

struct bo__regret_runner {
    const bo__regret_plan *plan;
    problem problem;
    bo__regret_record *record;
    size_t room;
};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seed of one function and everything that goes with it. */
static uint64_t function_seed(const bo__regret_plan *plan, size_t function)
{
    bo__rng rng;
    bo__rng_init(&rng, plan->seed, "regret function", function);
    return bo__rng_bits(&rng);
}

/* ---- the function -------------------------------------------------------------------------- */

static void problem_clear(problem *p)
{
    bo__gpgrid_free(p->grid);
    bo__objective_free(p->objective);
    bo_space_free(p->space);
    *p = (problem){.made = false};
}

static bo_status make_grid(problem *p, const bo__regret_setting *s, uint64_t seed,
                           bo_message *message)
{
    const char *name = bo__objective_type_name(s->type);
    bo_kernel kernel = !strcmp(name, "gp_matern52")   ? BO_MATERN52
                       : !strcmp(name, "gp_periodic") ? BO_PERIODIC
                                                      : BO_RBF;
    bo_status status = bo__gpgrid_new(&p->grid, kernel, BO_REGRET_GRID, true, s->heavy_tails, seed,
                                      message);
    if (status)
        return status;
    p->prior = p->grid->prior;
    p->drawn = true;
    p->least = p->grid->least;
    p->range = p->grid->most - p->grid->least;
    p->space = bo_space_new();
    if (!p->space || bo_space_add_real(p->space, "x1", -2, 2))
        return bo__fail(message, BO_ENOMEM, "no memory for a space");
    return BO_OK;
}

static bo_status make_objective(problem *p, const bo__regret_setting *s, uint64_t seed,
                                bo_message *message)
{
    bo_status status = bo__objective_new(&p->objective, s->type, s->dim, seed, message);
    if (!status)
        status = bo__bench_space(&p->space, p->objective, message);
    if (status)
        return status;
    p->drawn = bo__objective_prior_of(p->objective, &p->prior);
    p->least = bo__objective_least(p->objective);
    return bo__regret_range(&p->range, p->objective, message);
}

/* The function of a run; the one of the last run where that is the same. */
static bo_status problem_set(problem *p, const bo__regret_plan *plan, bo__regret_place place,
                             bo_message *message)
{
    if (p->made && p->function == place.function && p->setting == place.setting)
        return BO_OK;
    problem_clear(p);
    const bo__regret_setting *s = &plan->setting[place.setting];
    uint64_t seed = function_seed(plan, place.function);
    bo_status status = plan->protocol == BO_REGRET_PAPER ? make_grid(p, s, seed, message)
                                                         : make_objective(p, s, seed, message);
    p->made = !status;
    p->function = place.function;
    p->setting = place.setting;
    return status;
}

/* A point drawn uniformly: of the box, or of the grid. */
static void draw_point(const problem *p, bo__rng *rng, double *x)
{
    if (p->grid) {
        *x = p->grid->x[bo__rng_below(rng, p->grid->n)];
        return;
    }
    for (size_t j = 0; j < bo__objective_dim(p->objective); j++) {
        double low = bo__objective_lower(p->objective)[j];
        x[j] = low + bo__rng_uniform(rng) * (bo__objective_upper(p->objective)[j] - low);
    }
}

/* Evaluates: the value without noise to *f, what is observed to *y. */
static void evaluate(const problem *p, const bo__regret_plan *plan, const double *x, bo__rng *rng,
                     double *y, double *f)
{
    if (p->grid) {
        double at = (*x - p->grid->x[0]) / (p->grid->x[p->grid->n - 1] - p->grid->x[0]);
        *y = *f = p->grid->y[lround(at * (double)(p->grid->n - 1))];
        return;
    }
    double noise = isnan(plan->noise) ? bo__objective_noise(p->objective) : plan->noise;
    *f = bo__objective_value(p->objective, x);
    *y = bo__objective_observe(p->objective, x, noise, rng);
}

/* ---- the surrogate ------------------------------------------------------------------------- */

/* Options of a run.  The length-scales of an oracle go to `lengthscales`, dim of them: a kernel
 * on [low, high]^d with length-scale l is one on the unit cube with l/(high - low). */
static bo_options run_options(const bo__regret_plan *plan, const problem *p,
                              bo__regret_place place, double *lengthscales)
{
    const bo__regret_surrogate *s = &plan->surrogate[place.surrogate];
    bo_options o = plan->options;
    o.seed = function_seed(plan, place.function);
    o.init = plan->init;
    o.threads = 1;
    o.surrogate = s->type;
    o.variant = *s->variant ? s->variant : plan->options.variant;
    if (plan->protocol == BO_REGRET_PAPER) {
        o.grid = BO_REGRET_GRID;
        o.moment_match = true;
        o.replicates = true;
        o.samples = o.samples ? o.samples : BO_REGRET_SAMPLES;
    }
    if (!o.grid || !o.surrogate || !o.surrogate->unwarped) /* networks are smooth, and slow */
        o.grid_stride = 0;
    if (s->kind != BO_REGRET_ORACLE)
        return o;
    const bo_parameter *first = bo_space_parameter(p->space, 0);
    double width = first->upper - first->lower;
    for (size_t j = 0; j < bo_space_dim(p->space); j++)
        lengthscales[j] = p->prior.lengthscale / width;
    o.lengthscales = lengthscales;
    o.kernel = p->prior.kernel;
    o.scale = p->prior.scale;
    o.period = p->prior.period / width;
    o.mean = 0;
    o.noise = isnan(plan->noise) ? BO_GPPRIOR_NOISE : plan->noise;
    return o;
}

/* Where to evaluate next, and what the surrogate expects there. */
static bo_status suggest(bo_optimizer *optimizer, double *x, double *columns, bo_message *message)
{
    bo_trial trial;
    double begin = cpu_seconds();
    bo_status status = bo_optimizer_ask(optimizer, 1, x);
    columns[BO_REGRET_SECONDS] = cpu_seconds() - begin;
    if (status)
        return bo__fail(message, status < 0 ? status : BO_EINVAL, "%s",
                        bo_optimizer_errmsg(optimizer));
    if (!bo_optimizer_trial(optimizer, bo_optimizer_count(optimizer) - 1, &trial)) {
        columns[BO_REGRET_MEAN] = trial.mean;
        columns[BO_REGRET_SD] = trial.sd;
        columns[BO_REGRET_ACQUISITION] = trial.acquisition;
    }
    return BO_OK;
}

/* Evaluates at all points in turn.  optimizer is NULL for random search. */
static bo_status evaluate_all(bo__regret_runner *r, bo__regret_place place,
                              bo_optimizer *optimizer, bo_message *message)
{
    const bo__regret_plan *plan = r->plan;
    bo__rng init, random, noise;
    uint64_t seed = function_seed(plan, place.function);
    bo__rng_init(&init, seed, "regret init", 0);
    bo__rng_init(&random, seed, "regret random", 0);
    bo__rng_init(&noise, seed, "regret noise", 0);
    bo_status status = BO_OK;
    size_t dim = r->record->dim;
    for (size_t i = 0; !status && i < r->record->points; i++) {
        double *x = r->record->row + i * bo__regret_row(dim), *columns = x + dim;
        columns[BO_REGRET_MEAN] = columns[BO_REGRET_SD] = columns[BO_REGRET_ACQUISITION] = NAN;
        columns[BO_REGRET_SECONDS] = 0;
        if (i < plan->init)
            draw_point(&r->problem, &init, x);
        else if (!optimizer)
            draw_point(&r->problem, &random, x);
        else
            status = suggest(optimizer, x, columns, message);
        if (status)
            break;
        evaluate(&r->problem, plan, x, &noise, &columns[BO_REGRET_Y], &columns[BO_REGRET_F]);
        if (optimizer && (status = bo_optimizer_tell(optimizer, x, columns[BO_REGRET_Y])))
            bo__fail(message, status, "%s", bo_optimizer_errmsg(optimizer));
    }
    return status;
}

/* ---- one run ------------------------------------------------------------------------------- */

bo__regret_runner *bo__regret_runner_new(const bo__regret_plan *plan)
{
    bo__regret_runner *r = calloc(1, sizeof *r);
    if (r)
        r->plan = plan;
    return r;
}

void bo__regret_runner_free(bo__regret_runner *r)
{
    if (!r)
        return;
    problem_clear(&r->problem);
    free(r->record);
    free(r);
}

static size_t record_size(const bo__regret_plan *plan, size_t dim)
{
    return sizeof(bo__regret_record) +
           (plan->init + plan->iterations) * bo__regret_row(dim) * sizeof(double);
}

void bo__regret_record_failed(bo__regret_record *r, size_t run, bo_status status,
                              const char *reason)
{
    *r = (bo__regret_record){.size = sizeof *r, .run = run, .status = status};
    snprintf(r->reason, sizeof r->reason, "%s", reason);
}

static uint64_t weights_of(const bo__regret_plan *plan, size_t run)
{
    bo__regret_place place = bo__regret_place_of(plan, run);
    return plan->weights[place.setting][place.surrogate];
}

bool bo__regret_record_current(const bo__regret_plan *plan, const bo__regret_record *r)
{
    return r->status != BO_OK || r->weights == weights_of(plan, (size_t)r->run);
}

const bo__regret_record *bo__regret_run(bo__regret_runner *r, size_t run)
{
    bo__regret_place place = bo__regret_place_of(r->plan, run);
    size_t dim = r->plan->setting[place.setting].dim, size = record_size(r->plan, dim);
    if (r->room < size) {
        free(r->record);
        r->record = malloc(size);
        r->room = r->record ? size : 0;
    }
    double *lengthscales = malloc(dim * sizeof *lengthscales);
    bo_message message = {""};
    bo_optimizer *optimizer = NULL;
    if (!r->record || !lengthscales) {
        free(lengthscales);
        return NULL;
    }
    bo_status status = problem_set(&r->problem, r->plan, place, &message);
    if (!status) {
        *r->record = (bo__regret_record){.size = size, .run = run, .dim = dim,
                                         .points = r->plan->init + r->plan->iterations,
                                         .least = r->problem.least, .range = r->problem.range,
                                         .weights = weights_of(r->plan, run)};
        bo_options options = run_options(r->plan, &r->problem, place, lengthscales);
        if (r->plan->surrogate[place.surrogate].kind != BO_REGRET_RANDOM &&
            (status = bo_optimizer_new(&optimizer, r->problem.space, &options)))
            bo__fail(&message, status, "%s", bo_optimizer_errmsg(optimizer));
    }
    if (!status)
        status = evaluate_all(r, place, optimizer, &message);
    bo_optimizer_free(optimizer);
    free(lengthscales);
    if (status)
        bo__regret_record_failed(r->record, run, status,
                                 *message.text ? message.text : bo_status_text(status));
    return r->record;
}

bool bo__regret_record_fits(const bo__regret_plan *plan, const bo__regret_record *r, size_t size)
{
    if (size < sizeof *r || r->size != size || r->run >= bo__regret_runs(plan))
        return false;
    if (r->status)
        return size == sizeof *r;
    size_t dim = plan->setting[bo__regret_place_of(plan, r->run).setting].dim;
    return r->dim == dim && r->points == plan->init + plan->iterations &&
           size == record_size(plan, dim);
}

void bo__regret_curves(const bo__regret_plan *plan, const bo__regret_record *r, double *simple,
                       double *cumulative, double *instantaneous)
{
    double best = INFINITY, at_best = NAN, sum = 0;
    for (size_t i = 0; i < r->points; i++) {
        double y = bo__regret_get(r, i, BO_REGRET_Y), f = bo__regret_get(r, i, BO_REGRET_F);
        if (y < best) {
            best = y;
            at_best = f;
        }
        if (i + 1 < plan->init)
            continue;
        size_t t = i + 1 - plan->init;
        /* at the optimum rounding can put a value just below the least one */
        simple[t] = fmax(0, at_best - r->least);
        cumulative[t] = sum += simple[t];
        instantaneous[t] = fmax(0, f - r->least);
    }
}
