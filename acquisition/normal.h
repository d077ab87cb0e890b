/* normal.h - functions of the standard normal distribution, accurate far into the tail.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * φ is the density, Φ the distribution function, and h(t) = φ(t) + t·Φ(t) the expected
 * improvement of a standard normal: E max(t - Z, 0).  Relative errors are some 1e-14 wherever the
 * result is a normal double (plus the unavoidable t²·2⁻⁵³ of a rounded exponent in φ, Φ and h).
 */
#ifndef BO_NORMAL_H
#define BO_NORMAL_H

#define BO__LOG_SQRT_2PI 0.91893853320467274178 /* log √(2π) */

double bo__normal_pdf(double t);     /* φ */
double bo__normal_log_pdf(double t); /* log φ */
double bo__normal_cdf(double t);     /* Φ */
double bo__normal_log_cdf(double t); /* log Φ */
double bo__erfcx(double x);          /* exp(x²)·erfc(x); infinite for x below -26 */

/* h, and Φ (which is h') to *cdf, φ (which is h'') to *pdf. */
double bo__normal_h(double t, double *cdf, double *pdf);

/* log h, and its derivative Φ/h to *slope.  Finite for every t down to -1e154. */
double bo__normal_log_h(double t, double *slope);

#endif
