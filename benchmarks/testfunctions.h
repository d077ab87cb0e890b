/* testfunctions.h - formulas of the standard test functions, to be minimised.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Their boxes and optima are in the table of objective.c.
 */
#ifndef BO_TESTFUNCTIONS_H
#define BO_TESTFUNCTIONS_H

#include <stddef.h>

double bo__ackley(size_t dim, const double *x);
double bo__ackley_shifted(size_t dim, const double *x);
double bo__beale(size_t dim, const double *x);
double bo__booth(size_t dim, const double *x);
double bo__branin(size_t dim, const double *x);
double bo__bukin6(size_t dim, const double *x);
double bo__camel3(size_t dim, const double *x);
double bo__camel6(size_t dim, const double *x);
double bo__colville(size_t dim, const double *x);
double bo__cosines(size_t dim, const double *x);
double bo__cross_in_tray(size_t dim, const double *x);
double bo__dixon_price(size_t dim, const double *x);
double bo__dropwave(size_t dim, const double *x);
double bo__easom(size_t dim, const double *x);
double bo__eggholder(size_t dim, const double *x);
double bo__forrester(size_t dim, const double *x);
double bo__goldstein_price(size_t dim, const double *x);
double bo__gramacy_lee(size_t dim, const double *x);
double bo__griewank(size_t dim, const double *x);
double bo__hartmann3(size_t dim, const double *x);
double bo__hartmann6(size_t dim, const double *x);
double bo__holder_table(size_t dim, const double *x);
double bo__levy(size_t dim, const double *x);
double bo__mccormick(size_t dim, const double *x);
double bo__michalewicz(size_t dim, const double *x);
double bo__rastrigin(size_t dim, const double *x);
double bo__rosenbrock(size_t dim, const double *x);
double bo__schwefel(size_t dim, const double *x);
double bo__shekel(size_t dim, const double *x);
double bo__shubert(size_t dim, const double *x);
double bo__sphere(size_t dim, const double *x);
double bo__styblinski_tang(size_t dim, const double *x);
double bo__sum_of_squares(size_t dim, const double *x);
double bo__zakharov(size_t dim, const double *x);

/* Where the functions whose argmin depends on the coordinate are least. */
void bo__ackley_shifted_argmin(size_t dim, double *x);
void bo__dixon_price_argmin(size_t dim, double *x);
void bo__michalewicz_argmin(size_t dim, double *x);

#endif
