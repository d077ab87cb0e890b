/* problem.c - what bo-run optimises: a built-in objective or a program of the user's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The noise of trial i comes from a stream of its own, so that it depends on the seed and i only.
 */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "message.h"
#include "progress.h"

static bo_status fail_objective(const char *name, bo_message *message)
{
    enum { MOST = 128 };
    const char *names[MOST];
    const bo__objective_type *type;
    size_t count = 0;
    while (count < MOST && (type = bo__objective_at(count)))
        names[count++] = bo__objective_type_name(type);
    const char *near = bo__args_nearest(name, names, count);
    if (near)
        return bo__fail(message, BO_EINVAL, "there is no objective '%s'; did you mean '%s'?",
                        name, near);
    return bo__fail(message, BO_EINVAL, "there is no objective '%s'; --list shows all of them",
                    name);
}

/* Parameters x1, x2, … over the box of the objective. */
static bo_status add_box(bo__problem *problem, bo_message *message)
{
    size_t dim = bo__objective_dim(problem->objective);
    const double *lower = bo__objective_lower(problem->objective);
    const double *upper = bo__objective_upper(problem->objective);
    if (!(problem->space = bo_space_new()))
        return bo__fail(message, BO_ENOMEM, "out of memory");
    for (size_t i = 0; i < dim; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", i + 1);
        bo_status status = bo_space_add_real(problem->space, name, lower[i], upper[i]);
        if (status)
            return bo__fail(message, status, "%s", bo_space_errmsg(problem->space));
    }
    return BO_OK;
}

bo_status bo__problem_builtin(bo__problem *problem, const char *name, size_t dim, uint64_t which,
                              double noise, uint64_t seed, bool maximize, bo_message *message)
{
    const bo__objective_type *type = bo__objective_find(name);
    *problem = (bo__problem){.seed = seed};
    if (!type)
        return fail_objective(name, message);
    bo_status status = bo__objective_new(&problem->objective, type, dim, which, message);
    if (!status)
        status = add_box(problem, message);
    if (status)
        return status;
    problem->noise = isnan(noise) ? bo__objective_noise(problem->objective) : noise;
    problem->optimum = maximize ? NAN : bo__objective_least(problem->objective);
    dim = bo__objective_dim(problem->objective);
    snprintf(problem->title, sizeof problem->title, "%s, %zu dimension%s", name, dim,
             dim == 1 ? "" : "s");
    return BO_OK;
}

bo_status bo__problem_external(bo__problem *problem, const char *command, bo_space *space,
                               double timeout, bo_message *message)
{
    size_t dim = bo_space_dim(space);
    *problem = (bo__problem){.space = space, .optimum = NAN};
    snprintf(problem->title, sizeof problem->title, "%.100s, %zu parameter%s", command, dim,
             dim == 1 ? "" : "s");
    return bo__external_new(&problem->external, command, space, timeout, message);
}

void bo__problem_free(bo__problem *problem)
{
    bo__external_free(problem->external);
    if (problem->objective)
        bo__objective_free(problem->objective);
    bo_space_free(problem->space);
    *problem = (bo__problem){0};
}

double bo__problem_truth(const bo__problem *problem, const double *x)
{
    return problem->objective ? bo__objective_value(problem->objective, x) : NAN;
}

static void observe(const bo__problem *problem, size_t trial, const double *x,
                    bo__evaluation *evaluation)
{
    bo__rng rng;
    double begin = bo__progress_clock();
    bo__rng_init(&rng, problem->seed, "observation", trial);
    evaluation->y = bo__objective_observe(problem->objective, x, problem->noise, &rng);
    evaluation->ms = 1e3 * (bo__progress_clock() - begin);
    evaluation->truth = bo__objective_value(problem->objective, x);
    evaluation->abandoned = false;
    snprintf(evaluation->reason, sizeof evaluation->reason, "%s",
             isfinite(evaluation->y) ? "" : "the value is not finite");
}

static bo_status run_external(const bo__problem *problem, size_t trial, size_t q, const double *x,
                              bo__evaluation *evaluations, bo_message *message)
{
    bo__external_result *results = calloc(q, sizeof *results);
    if (!results)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    bo_status status = bo__external_run(problem->external, trial, q, x, results, message);
    for (size_t i = 0; !status && i < q; i++) {
        evaluations[i] = (bo__evaluation){.y = results[i].y,
                                          .truth = NAN,
                                          .ms = 1e3 * results[i].seconds,
                                          .abandoned = results[i].abandoned};
        memcpy(evaluations[i].reason, results[i].reason, sizeof evaluations[i].reason);
    }
    free(results);
    return status;
}

bo_status bo__problem_evaluate(const bo__problem *problem, size_t trial, size_t q,
                               const double *x, bo__evaluation *evaluations, bo_message *message)
{
    size_t dim = bo_space_dim(problem->space);
    if (problem->external)
        return run_external(problem, trial, q, x, evaluations, message);
    for (size_t i = 0; i < q; i++)
        observe(problem, trial + i, x + i * dim, &evaluations[i]);
    return BO_OK;
}
