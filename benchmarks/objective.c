/* objective.c - the table of objectives, and what can be asked of one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Points where a function is least are exact or were found by Newton's method in 40-digit
 * arithmetic and rounded to double.
 */
#include "objective.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpprior.h"
#include "message.h"
#include "objectivetype.h"
#include "testfunctions.h"

struct bo__objective {
    const bo__objective_type *type;
    size_t dim;
    double *lower, *upper, *argmin; /* dim each */
    double least;
    bo__gpprior *draw; /* random functions, else NULL */
};

/* ---- the table --------------------------------------------------------------------------- */

#define FROM(least, usual) .least_dim = least, .most_dim = SIZE_MAX, .usual_dim = usual
#define ONLY(dim) .least_dim = dim, .most_dim = dim, .usual_dim = dim
#define BOX(low, high) .lower = low, .upper = high
#define SIDES(...) .box = (const double[][2]){__VA_ARGS__}
#define AT(...) .point = (const double[]){__VA_ARGS__}
#define DRAWN(k) FROM(1, 1), BOX(-2, 2), .kernel = k

static const bo__objective_type table[] = {
    {"ackley", "Ackley: a deep hole in a wide, rippled plain", FROM(1, 2),
     BOX(-32.768, 32.768), .value = bo__ackley},
    {"ackley_shifted", "Ackley with its hole away from the centre of the box", ONLY(5),
     BOX(-32.768, 32.768), .value = bo__ackley_shifted, .argmin = bo__ackley_shifted_argmin},
    {"beale", "Beale: flat, with sharp peaks at the corners", ONLY(2), BOX(-4.5, 4.5),
     .value = bo__beale, AT(3, 0.5)},
    {"booth", "Booth: a quadratic valley", ONLY(2), BOX(-10, 10), .value = bo__booth, AT(1, 3)},
    {"branin", "Branin: three equal minima", ONLY(2), SIDES({-5, 10}, {0, 15}),
     .value = bo__branin, AT(M_PI, 2.275)},
    {"bukin6", "Bukin 6: a sharp curved ridge, not differentiable", ONLY(2),
     SIDES({-15, -5}, {-3, 3}), .value = bo__bukin6, AT(-10, 1)},
    {"camel3", "three-hump camel", ONLY(2), BOX(-5, 5), .value = bo__camel3},
    {"camel6", "six-hump camel: two equal minima", ONLY(2), SIDES({-3, 3}, {-2, 2}),
     .value = bo__camel6, AT(0.089842013100318062422, -0.7126564030207396334)},
    {"colville", "Colville: a narrow curved valley", ONLY(4), BOX(-10, 10),
     .value = bo__colville, .each = 1},
    {"cosines", "cosines on a bowl: many regular minima", FROM(1, 2), BOX(0, 1),
     .value = bo__cosines, .each = 0.3125},
    {"cross_in_tray", "cross in tray: four equal minima, not differentiable", ONLY(2),
     BOX(-10, 10), .value = bo__cross_in_tray,
     AT(1.3494066171539107918, 1.3494066171539107918)},
    {"dixon_price", "Dixon-Price: a curved valley", FROM(1, 2), BOX(-10, 10),
     .value = bo__dixon_price, .argmin = bo__dixon_price_argmin},
    {"dropwave", "drop wave: rings around the centre", ONLY(2), BOX(-5.12, 5.12),
     .value = bo__dropwave},
    {"easom", "Easom: a small hole in a flat plain", ONLY(2), BOX(-100, 100),
     .value = bo__easom, .each = M_PI},
    {"eggholder", "egg holder: rugged, least on the edge", ONLY(2), BOX(-512, 512),
     .value = bo__eggholder, AT(512, 404.23180511375781093)},
    {"forrester", "Forrester: two minima on a line", ONLY(1), BOX(0, 1),
     .value = bo__forrester, AT(0.75724875784185587005)},
    {"goldstein_price", "Goldstein-Price: values from 3 to a million", ONLY(2), BOX(-2, 2),
     .value = bo__goldstein_price, AT(0, -1)},
    {"gramacy_lee", "Gramacy and Lee: a fading oscillation on a line", ONLY(1),
     BOX(0.5, 2.5), .value = bo__gramacy_lee, AT(0.54856344452760518407)},
    {"griewank", "Griewank: thousands of regular minima on a bowl", FROM(1, 2),
     BOX(-600, 600), .value = bo__griewank},
    {"hartmann3", "Hartmann, three dimensions: four minima", ONLY(3), BOX(0, 1),
     .value = bo__hartmann3,
     AT(0.11458887665506896836, 0.55564889461693004477, 0.85254698468667743762)},
    {"hartmann6", "Hartmann, six dimensions: six minima", ONLY(6), BOX(0, 1),
     .value = bo__hartmann6,
     AT(0.20168951100670542433, 0.15001069182345796879, 0.47687397422189699032,
        0.27533243049405606824, 0.31165161660011324245, 0.65730053406562030606)},
    {"holder_table", "Hölder table: four equal minima in the corners", ONLY(2), BOX(-10, 10),
     .value = bo__holder_table, AT(8.0550234757365634198, 9.66459001924127289)},
    {"levy", "Levy: waves on a bowl", FROM(1, 4), BOX(-10, 10), .value = bo__levy, .each = 1},
    {"mccormick", "McCormick: a tilted wave", ONLY(2), SIDES({-1.5, 4}, {-3, 4}),
     .value = bo__mccormick, AT(-0.54719755119659774615, -1.5471975511965977462)},
    {"michalewicz", "Michalewicz: steep, narrow valleys in a plain", FROM(1, 2),
     BOX(0, M_PI), .value = bo__michalewicz, .argmin = bo__michalewicz_argmin},
    {"rastrigin", "Rastrigin: a regular lattice of minima", FROM(1, 2), BOX(-5.12, 5.12),
     .value = bo__rastrigin},
    {"rosenbrock", "Rosenbrock: a long curved valley", FROM(2, 4), BOX(-5, 10),
     .value = bo__rosenbrock, .each = 1},
    {"schwefel", "Schwefel: the best minimum is far from the second best", FROM(1, 2),
     BOX(-500, 500), .value = bo__schwefel, .each = 420.96874635998202731},
    {"shekel", "Shekel with ten holes of different depth", ONLY(4), BOX(0, 10),
     .value = bo__shekel,
     AT(4.0007468682706343883, 3.9995094800857735584, 4.0007468682706343883,
        3.9995094800857735584)},
    {"shubert", "Shubert: 18 equal minima among 760", ONLY(2), BOX(-10, 10),
     .value = bo__shubert, AT(-1.4251284283197609708, -0.80032110047197312466)},
    {"sphere", "the sum of squares: the easiest of all", FROM(1, 2), BOX(-5.12, 5.12),
     .value = bo__sphere},
    {"styblinski_tang", "Styblinski-Tang: two minima in each coordinate", FROM(1, 2),
     BOX(-5, 5), .value = bo__styblinski_tang, .each = -2.9035340277711770951},
    {"sum_of_squares", "weighted sum of squares", FROM(1, 2), BOX(-10, 10),
     .value = bo__sum_of_squares},
    {"zakharov", "Zakharov: a plate with one minimum", FROM(1, 2), BOX(-5, 10),
     .value = bo__zakharov},
    {"gp_rbf", "drawn from a GP with the squared-exponential kernel, by seed", DRAWN(BO_RBF)},
    {"gp_matern52", "drawn from a GP with the Matérn 5/2 kernel, by seed", DRAWN(BO_MATERN52)},
    {"gp_periodic", "drawn from a GP with the periodic kernel, by seed", DRAWN(BO_PERIODIC)},
    {"gp_rbf_tnoise", "as gp_rbf, observed with heavy-tailed noise", DRAWN(BO_RBF),
     .heavy_tails = true},
};

const bo__objective_type *bo__objective_at(size_t i)
{
    return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

const bo__objective_type *bo__objective_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *bo__objective_type_name(const bo__objective_type *type)
{
    return type->name;
}

const char *bo__objective_type_summary(const bo__objective_type *type)
{
    return type->summary;
}

size_t bo__objective_type_least_dim(const bo__objective_type *type)
{
    return type->least_dim;
}

size_t bo__objective_type_most_dim(const bo__objective_type *type)
{
    return type->most_dim;
}

size_t bo__objective_type_usual_dim(const bo__objective_type *type)
{
    return type->usual_dim;
}

/* ---- one function ------------------------------------------------------------------------ */

static bo_status check_dim(const bo__objective_type *type, size_t dim, bo_message *message)
{
    if (dim >= type->least_dim && dim <= type->most_dim)
        return BO_OK;
    if (type->least_dim == type->most_dim)
        return bo__fail(message, BO_EINVAL, "objective %s has dimension %zu, not %zu", type->name,
                        type->least_dim, dim);
    return bo__fail(message, BO_EINVAL, "objective %s takes a dimension of %zu or more, not %zu",
                    type->name, type->least_dim, dim);
}

static void fill_optimum(bo__objective *objective)
{
    const bo__objective_type *type = objective->type;
    if (type->argmin) {
        type->argmin(objective->dim, objective->argmin);
    } else {
        for (size_t i = 0; i < objective->dim; i++)
            objective->argmin[i] = type->point ? type->point[i] : type->each;
    }
    objective->least = bo__objective_value(objective, objective->argmin);
}

bo_status bo__objective_new(bo__objective **out, const bo__objective_type *type, size_t dim,
                            uint64_t seed, bo_message *message)
{
    *out = NULL;
    if (dim == 0)
        dim = type->usual_dim;
    bo_status status = check_dim(type, dim, message);
    if (status)
        return status;
    bo__objective *made = calloc(1, sizeof *made);
    double *numbers = made ? calloc(dim, 3 * sizeof *numbers) : NULL;
    if (!numbers) {
        free(made);
        return bo__fail(message, BO_ENOMEM, "no memory for objective %s", type->name);
    }
    made->type = type;
    made->dim = dim;
    made->lower = numbers;
    made->upper = numbers + dim;
    made->argmin = numbers + 2 * dim;
    for (size_t i = 0; i < dim; i++) {
        made->lower[i] = type->box ? type->box[i][0] : type->lower;
        made->upper[i] = type->box ? type->box[i][1] : type->upper;
    }
    if (type->value)
        fill_optimum(made);
    else
        status = bo__gpprior_new(&made->draw, type->kernel, dim, seed, message);
    if (!status && made->draw)
        status = bo__gpprior_minimize(made->draw, made->lower, made->upper, made->argmin,
                                      &made->least, message);
    if (status) {
        bo__objective_free(made);
        return status;
    }
    *out = made;
    return BO_OK;
}

void bo__objective_free(bo__objective *objective)
{
    if (!objective)
        return;
    bo__gpprior_free(objective->draw);
    free(objective->lower);
    free(objective);
}

size_t bo__objective_dim(const bo__objective *objective)
{
    return objective->dim;
}

const double *bo__objective_lower(const bo__objective *objective)
{
    return objective->lower;
}

const double *bo__objective_upper(const bo__objective *objective)
{
    return objective->upper;
}

double bo__objective_value(const bo__objective *objective, const double *x)
{
    return objective->draw ? bo__gpprior_value(objective->draw, x, NULL)
                           : objective->type->value(objective->dim, x);
}

double bo__objective_least(const bo__objective *objective)
{
    return objective->least;
}

const double *bo__objective_argmin(const bo__objective *objective)
{
    return objective->argmin;
}

double bo__objective_observe(const bo__objective *objective, const double *x, double noise_sd,
                             bo__rng *rng)
{
    double y = bo__objective_value(objective, x);
    if (noise_sd != 0)
        y += noise_sd * bo__rng_normal(rng);
    if (objective->type->heavy_tails)
        y += bo__gpprior_tnoise(rng);
    return y;
}

double bo__objective_noise(const bo__objective *objective)
{
    return objective->draw ? BO_GPPRIOR_NOISE : 0;
}

bool bo__objective_prior_of(const bo__objective *objective, bo__objective_prior *prior)
{
    if (!objective->draw)
        return false;
    *prior = *bo__gpprior_parameters(objective->draw);
    return true;
}
