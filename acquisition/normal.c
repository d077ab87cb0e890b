/* normal.c - functions of the standard normal distribution, accurate far into the tail.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For t < 0 write x = -t.  Mills' ratio M(x) = Φ(t)/φ(t) = √(π/2)·erfcx(x/√2) gives
 *
 *     h(t) = φ(t)·(1 - x·M(x)),        (log h)'(t) = Φ/h = M/(1 - x·M).
 *
 * 1 - x·M is about 1/x², so the difference loses 2·log₂ x bits.  Laplace's continued fraction
 * M = 1/(x + C), C = 1/(x + 2/(x + 3/(x + …))) loses none:
 *
 *     1 - x·M = C/(x + C) = 1/(1 + x·s),   (log h)'(t) = s = 1/C = x + 2/(x + 3/(x + …)).
 *
 * From x = 6 on, cut after the 20th term, it is exact to rounding.  The use of log h as an
 * acquisition follows Ament et al., "Unexpected Improvements to Expected Improvement for Bayesian
 * Optimization" (2023), who subtract, and change to the asymptotic form at -1/√ε.
 */
#include "normal.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440    /* √(1/2) */
#define SQRT_HALF_PI 1.25331413731550025121 /* √(π/2) */
#define SQRT_1_PI 0.56418958354775628695    /* 1/√π */

/* Below -TAIL the continued fraction takes over; above it the difference 1 - x·M loses at most
 * 5 bits. */
#define TAIL 6.0

double bo__normal_log_pdf(double t)
{
    return -0.5 * t * t - BO__LOG_SQRT_2PI;
}

double bo__normal_pdf(double t)
{
    return exp(-0.5 * t * t) * (SQRT_1_PI * SQRT_HALF);
}

double bo__normal_cdf(double t)
{
    return 0.5 * erfc(-SQRT_HALF * t);
}

/* The asymptotic series Σ (-1)ᵏ (2k-1)!!/(2x²)ᵏ/(x√π), for x ≥ 25, where its seventh term is
 * below 1e-16. */
static double erfcx_series(double x)
{
    double v = 0.5 / (x * x);
    double sum = 1 - v * (1 - 3 * v * (1 - 5 * v * (1 - 7 * v * (1 - 9 * v * (1 - 11 * v)))));
    return SQRT_1_PI / x * sum;
}

/* exp(x²)·erfc(x) by its definition, but with the rounding error e of x·x given back:
 * exp(x²) = exp(x·x)·(1 + e), e by Dekker's exact product. */
double bo__erfcx(double x)
{
    if (x >= 25)
        return erfcx_series(x);
    double square = x * x;
    if (square > 700) /* x < -26.4: infinite soon, and e would be ∞ - ∞ */
        return 2 * exp(square);
    double high = (float)x, low = x - high;
    double e = ((high * high - square) + 2 * high * low) + low * low;
    return exp(square) * (1 + e) * erfc(x);
}

/* s = x + 2/(x + 3/(x + …)) for x ≥ TAIL: in w = 1/x² the fraction cut after its 20th term is x
 * times a ratio of two polynomials with positive whole coefficients. */
static double tail_slope(double x)
{
    static const double a[] = {1,           209,         17748,       796620,
                               20603310,    314143830,   2775672900,  13408094700,
                               31335467625, 27125492625, 3715891200};
    static const double b[] = {1,         207,        17340,      763140,      19172790,
                               279729450, 2305403100, 9912464100, 18705542625, 10033419375};
    double w = 1 / (x * x);
    double p = a[10], q = b[9];
    for (int i = 9; i >= 1; i--) {
        p = p * w + a[i];
        q = q * w + b[i - 1];
    }
    return x * ((p * w + a[0]) / q);
}

double bo__normal_log_cdf(double t)
{
    if (t > 0)
        return log1p(-0.5 * erfc(SQRT_HALF * t));
    if (t > -TAIL)
        return log(bo__normal_cdf(t));
    double x = -t, s = tail_slope(x); /* M = 1/(x + 1/s) */
    return bo__normal_log_pdf(t) - log(x + 1 / s);
}

double bo__normal_h(double t, double *cdf, double *pdf)
{
    *pdf = bo__normal_pdf(t);
    if (t > -1) {
        *cdf = bo__normal_cdf(t);
        return *pdf + t * *cdf;
    }
    double x = -t;
    if (x < TAIL) {
        double mills = SQRT_HALF_PI * bo__erfcx(SQRT_HALF * x);
        *cdf = *pdf * mills;
        return *pdf * (1 - x * mills);
    }
    if (x > 40) /* all three are 0; and x·x may overflow below */
        return *cdf = *pdf = 0;
    double s = tail_slope(x);
    *cdf = *pdf / (x + 1 / s);
    return *pdf / (1 + x * s);
}

double bo__normal_log_h(double t, double *slope)
{
    if (t > -1) {
        double cdf = bo__normal_cdf(t);
        double h = bo__normal_pdf(t) + t * cdf;
        *slope = cdf / h;
        return log(h);
    }
    double x = -t;
    if (x < TAIL) {
        double mills = SQRT_HALF_PI * bo__erfcx(SQRT_HALF * x);
        double rest = 1 - x * mills;
        *slope = mills / rest;
        return bo__normal_log_pdf(t) + log(rest);
    }
    double s = tail_slope(x);
    *slope = s;
    return bo__normal_log_pdf(t) - log(1 + x * s);
}
