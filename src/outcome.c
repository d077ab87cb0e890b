/* outcome.c - standardisation and warping of values.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   z = (w - shift) / scale,  shift and scale the mean and sd of the w
 *   w = y, or log1p((y - origin) / unit) when the upper tail of the values is long
 *
 * With w ~ N(μ, σ²) a warped y is log-normal:
 *   E y = origin - unit + unit·exp(μ + σ²/2),   sd y = unit·exp(μ + σ²/2)·√(exp(σ²) - 1)
 */
#include "outcome.h"

#include <math.h>
#include <stdlib.h>

/* exp of more than this is as good as infinite for a belief. */
#define MOST_EXPONENT 600.0

static double warp(const bo__outcome *o, double y)
{
    return o->warped ? log1p((y - o->origin) / o->unit) : y;
}

/* The difference first: it is exact where values are large beside what they differ by.  Halved, so
 * that it does not overflow. */
static double standardise(const bo__outcome *o, double w)
{
    return fabs(w) < 1e300 && fabs(o->shift) < 1e300 ? (w - o->shift) / o->scale
                                                     : (w / 2 - o->shift / 2) / (o->scale / 2);
}

/* Mean and sd of n values, scaled by the largest so that huge ones do not overflow. */
static void moments(size_t n, const double *v, double *mean, double *sd)
{
    double most = 0, sum = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    if (!(most > 0))
        most = 1;
    for (size_t i = 0; i < n; i++)
        sum += v[i] / most / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (v[i] / most - sum) * (v[i] / most - sum);
    *mean = sum * most;
    *sd = n > 1 ? sqrt(square / (double)(n - 1)) * most : 0;
    /* Values that differ by rounding only are constant. */
    if (!(*sd > 1e-14 * most) || !isfinite(*sd))
        *sd = most;
}

/* ½ n log var(w) - Σ log dw/dy: minus the log-likelihood of normal w, with w = log1p((y-o)/unit). */
static double misfit(size_t n, const double *v, double origin, double unit, double *w)
{
    double mean, sd, sum = 0;
    for (size_t i = 0; i < n; i++) {
        w[i] = log1p((v[i] - origin) / unit);
        sum += log(unit + v[i] - origin);
    }
    moments(n, w, &mean, &sd);
    return (double)n * log(sd) + sum;
}

/* Decides on the warp by likelihood of the family; v are values to minimise. */
static void choose_warp(bo__outcome *o, size_t n, const double *v, double *w)
{
    double least = INFINITY, most = -INFINITY, mean, sd;
    for (size_t i = 0; i < n; i++)
        least = fmin(least, v[i]), most = fmax(most, v[i]);
    double range = most - least;
    moments(n, v, &mean, &sd);
    /* The least unit must be a normal number: others do not shrink when divided. */
    if (n < 5 || !isfinite(range) || !isnormal(0.02 * range) || !(sd < range))
        return;
    double best = (double)n * log(sd) - 2; /* the warp must earn two nats */
    /* A smaller unit than a fiftieth of the range puts a cusp where the minimum is round. */
    for (double unit = range; unit > 0.02 * range; unit /= M_SQRT2) {
        double value = misfit(n, v, least, unit, w);
        if (value < best) {
            best = value;
            o->warped = true;
            o->origin = least;
            o->unit = unit;
        }
    }
}

void bo__outcome_fit(bo__outcome *o, bool maximize, bo_warp wanted, size_t n, const double *y,
                     double *z)
{
    *o = (bo__outcome){.sign = maximize ? -1 : 1, .shift = 0, .scale = 1};
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        z[i] = o->sign * y[i];
    if (wanted == BO_WARP_AUTO) {
        double *w = malloc(2 * n * sizeof *w);
        if (w) {
            for (size_t i = 0; i < n; i++)
                w[n + i] = z[i];
            choose_warp(o, n, w + n, w);
        }
        free(w);
    }
    for (size_t i = 0; i < n; i++)
        z[i] = warp(o, z[i]);
    moments(n, z, &o->shift, &o->scale);
    for (size_t i = 0; i < n; i++)
        z[i] = standardise(o, z[i]);
}

double bo__outcome_z(const bo__outcome *o, double y)
{
    return standardise(o, warp(o, o->sign * y));
}

double bo__outcome_y(const bo__outcome *o, double z)
{
    double w = o->shift + o->scale * z;
    return o->sign * (o->warped ? o->origin + o->unit * expm1(fmin(w, MOST_EXPONENT)) : w);
}

void bo__outcome_moments(const bo__outcome *o, double mean, double sd, double *y_mean,
                         double *y_sd, double d[2][2])
{
    double mu = o->shift + o->scale * mean, sigma = o->scale * sd;
    if (!o->warped) {
        *y_mean = o->sign * mu;
        *y_sd = sigma;
        d[0][0] = o->sign * o->scale;
        d[1][1] = o->scale;
        d[0][1] = d[1][0] = 0;
        return;
    }
    double square = fmin(sigma * sigma, MOST_EXPONENT / 4);
    double e = o->unit * exp(fmin(mu + square / 2, MOST_EXPONENT / 2));
    *y_mean = o->sign * (o->origin - o->unit + e);
    *y_sd = e * sqrt(expm1(square));
    d[0][0] = o->sign * e * o->scale;
    d[0][1] = o->sign * e * sigma * o->scale;
    d[1][0] = *y_sd * o->scale;
    d[1][1] = sigma > 0 ? *y_sd * o->scale * sigma * (1 + exp(square) / expm1(square)) : e * o->scale;
}
