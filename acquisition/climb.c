/* climb.c - climbs from one start by NLopt's L-BFGS within the unit cube.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NLopt minimises f(x) = -c·(value(x) - value(x₀)), where c = step/max|∇value(x₀)|.  The first
 * step of L-BFGS is the gradient itself, so this makes it `step` long; without it the
 * slope of a log acquisition far from any improvement, thousands of units per cube, throws the
 * first step into a corner, and that of a plain EI, 1e-10, never leaves the start.  Measured from
 * value(x₀), the relative tolerance on f is one on the gain, whatever the units.
 *
 * Posteriors of networks have kinks, and maxima like to sit on one, where no slope ever vanishes
 * and L-BFGS would search until its evaluations are spent.  In one column the top lies between the
 * nearest points that rise and fall towards each other, kink or not: when these are BRACKET
 * apart the climb is over.
 */
#include "search.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

#define FIRST_STEP 0.1 /* the longest, of the cube's side */
#define FTOL 1e-7      /* of the gain since the start */
#define XTOL 1e-6      /* of the cube's side */
#define BRACKET 1e-5   /* of the cube's side */
#define STORAGE 10     /* vectors L-BFGS remembers; NLopt's default allocates megabytes */
#define INWARD 1e-4    /* starts keep this far from the bounds: on one, L-BFGS stalls */

typedef struct climb {
    bo__search *s;
    size_t thread, columns;
    size_t left; /* evaluations; NLopt itself goes a few beyond maxeval in a line search */
    nlopt_opt opt;
    double *row, *slope;  /* where the target is evaluated */
    double *best, *value; /* the best seen */
    double base, scale;   /* value(x₀) and c; scale 0 before the first evaluation */
    double rising, falling; /* one column: where it was last seen to rise, and to fall */
    bool arrived;
} climb;

/* The first step goes no further than to the next point of the screen: between the two, the start
 * is on its way to a top already. */
static void first_scale(climb *c, double value, double steepest)
{
    const bo__maximize_problem *p = c->s->problem;
    double apart = pow((double)p->screen + 1, -1 / (double)p->blocks);
    c->base = value;
    c->scale = steepest > 0 ? fmin(FIRST_STEP, apart) / steepest : 1;
}

static double give_up(climb *c, double *gradient)
{
    c->left = 0;
    nlopt_force_stop(c->opt);
    for (size_t i = 0; gradient && i < c->columns; i++)
        gradient[i] = 0;
    return 1;
}

/* One column: narrows the bracket around the best point, and tells whether it is narrow enough. */
static bool bracket(climb *c, double x)
{
    double best = c->best[c->s->movable[0]], slope = c->slope[c->s->movable[0]];
    if (slope > 0 && x <= best)
        c->rising = fmax(c->rising, x);
    if (slope < 0 && x >= best)
        c->falling = fmin(c->falling, x);
    if (c->rising > best || c->falling < best) /* the best has moved out: begin again */
        c->rising = -INFINITY, c->falling = INFINITY;
    return c->falling - c->rising < BRACKET;
}

/* The target where NLopt wants it.  Where it is no number, f is 1: a hundred times what the first
 * step promises to lose or gain, so that the line search turns back. */
static double descend(unsigned n, const double *x, double *gradient, void *data)
{
    climb *c = data;
    double value = -INFINITY, steepest = 0;
    if (c->left-- == 0)
        return give_up(c, gradient);
    for (size_t i = 0; i < c->columns; i++)
        c->row[c->s->movable[i]] = x[i];
    if (!bo__search_evaluate(c->s, c->thread, 1, c->row, &value, c->slope))
        nlopt_force_stop(c->opt);
    if (isfinite(value) && value > *c->value) {
        memcpy(c->best, c->row, c->s->problem->width * sizeof *c->best);
        *c->value = value;
    }
    bool good = isfinite(value);
    for (size_t i = 0; i < c->columns; i++) {
        double slope = fabs(c->slope[c->s->movable[i]]);
        good = good && isfinite(slope);
        steepest = slope > steepest ? slope : steepest;
    }
    if (good && c->columns == 1 && bracket(c, x[0])) {
        c->arrived = true;
        nlopt_force_stop(c->opt);
    }
    if (good && c->scale == 0)
        first_scale(c, value, steepest);
    for (size_t i = 0; gradient && i < c->columns; i++)
        gradient[i] = good ? -c->scale * c->slope[c->s->movable[i]] : 0;
    return good ? -c->scale * (value - c->base) : 1;
}

static nlopt_opt make_nlopt(climb *c, size_t maxeval)
{
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)c->columns);
    if (!opt)
        return NULL;
    nlopt_set_min_objective(opt, descend, c);
    nlopt_set_lower_bounds1(opt, 0);
    nlopt_set_upper_bounds1(opt, 1);
    nlopt_set_vector_storage(opt, STORAGE);
    nlopt_set_maxeval(opt, maxeval < 1000000 ? (int)maxeval : 1000000);
    nlopt_set_ftol_rel(opt, FTOL);
    nlopt_set_xtol_abs1(opt, XTOL);
    return opt;
}

bool bo__climb(bo__search *s, size_t thread, size_t columns, size_t maxeval, double *u,
               double *value)
{
    if (columns == 0 || maxeval == 0 || bo__search_failed(s))
        return false;
    size_t width = s->problem->width;
    double *spare = bo__search_scratch(s, thread).spare, *x = spare + 2 * width;
    climb c = {.s = s, .thread = thread, .columns = columns, .left = maxeval, .row = spare,
               .slope = spare + width, .best = u, .value = value, .rising = -INFINITY,
               .falling = INFINITY};
    c.opt = make_nlopt(&c, maxeval);
    if (!c.opt) /* out of memory: the start itself still stands */
        return false;
    memcpy(c.row, u, width * sizeof *u);
    for (size_t i = 0; i < columns; i++)
        x[i] = fmin(fmax(u[s->movable[i]], INWARD), 1 - INWARD);
    double last;
    nlopt_result result = nlopt_optimize(c.opt, x, &last); /* the best point is kept above */
    nlopt_destroy(c.opt);
    return c.arrived || result == NLOPT_SUCCESS || result == NLOPT_FTOL_REACHED ||
           result == NLOPT_XTOL_REACHED;
}
