/* testfunctions.c - formulas of the standard test functions, to be minimised.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The formulas and boxes are those of Surjanovic and Bingham's "Virtual Library of Simulation
 * Experiments", where each has its own source; where another one is meant, it is named.  The
 * coordinates of x are called a, b … where there are few of them.  Counting in the formulas
 * starts at 1, in the code at 0.
 */
#include "testfunctions.h"

#include <math.h>

static double square(double v)
{
    return v * v;
}

/* ---- any dimension --------------------------------------------------------------------- */

/* Σ x² */
double bo__sphere(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += square(x[i]);
    return sum;
}

/* Σ i·x_i² */
double bo__sum_of_squares(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += (double)(i + 1) * square(x[i]);
    return sum;
}

/* -20·exp(-0.2·√(mean x²)) - exp(mean cos 2πx) + 20 + e, with both differences taken by expm1
 * so that the optimum is 0 and not a rounding error. */
static double ackley_at(size_t dim, const double *x, const double *centre)
{
    double squares = 0, cosines = 0;
    for (size_t i = 0; i < dim; i++) {
        double v = x[i] - (centre ? centre[i] : 0);
        squares += square(v);
        cosines += cos(2 * M_PI * v) - 1;
    }
    return -20 * expm1(-0.2 * sqrt(squares / (double)dim)) - M_E * expm1(cosines / (double)dim);
}

double bo__ackley(size_t dim, const double *x)
{
    return ackley_at(dim, x, NULL);
}

/* Far from the centre of the box and from every symmetric place, so that nothing finds it by
 * probing the middle. */
static const double ackley_centre[5] = {5.3, -7.1, 11.9, -3.7, 8.2};

double bo__ackley_shifted(size_t dim, const double *x)
{
    return ackley_at(dim, x, ackley_centre);
}

void bo__ackley_shifted_argmin(size_t dim, double *x)
{
    for (size_t i = 0; i < dim; i++)
        x[i] = ackley_centre[i];
}

/* Σ_{i<d} 100·(x_{i+1} - x_i²)² + (1 - x_i)² */
double bo__rosenbrock(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < dim; i++)
        sum += 100 * square(x[i + 1] - square(x[i])) + square(1 - x[i]);
    return sum;
}

/* With w = 1 + (x-1)/4: sin²(πw_1) + Σ_{i<d} (w_i-1)²·(1 + 10·sin²(πw_i + 1))
 * + (w_d-1)²·(1 + sin²(2πw_d)) */
double bo__levy(size_t dim, const double *x)
{
    double last = (x[dim - 1] - 1) / 4;
    double sum = square(sin(M_PI * (x[0] - 1) / 4)); /* sin²(πw) = sin²(π(w-1)) */
    for (size_t i = 0; i + 1 < dim; i++) {
        double v = (x[i] - 1) / 4;
        sum += square(v) * (1 + 10 * square(sin(M_PI * (v + 1) + 1)));
    }
    return sum + square(last) * (1 + square(sin(2 * M_PI * last)));
}

/* Σ x² - 10·cos 2πx + 10 */
double bo__rastrigin(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += square(x[i]) + 10 * (1 - cos(2 * M_PI * x[i]));
    return sum;
}

/* Σ x²/4000 - Π cos(x_i/√i) + 1 */
double bo__griewank(size_t dim, const double *x)
{
    double sum = 0, product = 1;
    for (size_t i = 0; i < dim; i++) {
        sum += square(x[i]);
        product *= cos(x[i] / sqrt((double)(i + 1)));
    }
    return sum / 4000 + (1 - product);
}

/* ½·Σ x⁴ - 16x² + 5x */
double bo__styblinski_tang(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += (square(square(x[i])) - 16 * square(x[i]) + 5 * x[i]) / 2;
    return sum;
}

/* -Σ sin(x_i)·sin²⁰(i·x_i²/π) */
double bo__michalewicz(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += sin(x[i]) * pow(sin((double)(i + 1) * square(x[i]) / M_PI), 20);
    return -sum;
}

/* Each coordinate has a term of its own.  sin²⁰(i·x²/π) is 1 at x_k = π·√((k + ½)/i), k = 0 …
 * i-1, and narrow there, so a maximum of the product lies near each x_k, the highest where sin x
 * is largest: x_k near π/2, k near i/4.  Newton's method on the logarithm, ln sin x +
 * 20·ln|sin(i·x²/π)|, which is concave near x_k, climbs the five peaks around it. */
void bo__michalewicz_argmin(size_t dim, double *x)
{
    for (size_t i = 0; i < dim; i++) {
        double number = (double)(i + 1), most = -1;
        size_t middle = (i + 1) / 4;
        for (size_t k = middle < 2 ? 0 : middle - 2; k <= i && k <= middle + 2; k++) {
            double v = M_PI * sqrt(((double)k + 0.5) / number);
            for (int step = 0; step < 50; step++) {
                double t = number * v * v / M_PI, dt = 2 * number * v / M_PI;
                double first = 1 / tan(v) + 20 * dt / tan(t);
                double second = -1 / square(sin(v)) - 20 * square(dt / sin(t)) +
                                20 * (2 * number / M_PI) / tan(t);
                v -= first / second;
            }
            double height = sin(v) * pow(sin(number * v * v / M_PI), 20);
            if (height > most) {
                most = height;
                x[i] = v;
            }
        }
    }
}

/* With t = 1.6x - 0.5: Σ (t² - 0.3·cos 3πt) - 1; the negative of the function of González, Dai,
 * Hennig and Lawrence, "Batch Bayesian optimization via local penalization", 2016. */
double bo__cosines(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++) {
        double t = 1.6 * x[i] - 0.5;
        sum += square(t) - 0.3 * cos(3 * M_PI * t);
    }
    return sum - 1;
}

/* 418.98…·d - Σ x·sin √|x| */
double bo__schwefel(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += 418.98288727243370627 - x[i] * sin(sqrt(fabs(x[i])));
    return sum;
}

/* With t = Σ ½·i·x_i: Σ x² + t² + t⁴ */
double bo__zakharov(size_t dim, const double *x)
{
    double t = 0;
    for (size_t i = 0; i < dim; i++)
        t += 0.5 * (double)(i + 1) * x[i];
    return bo__sphere(dim, x) + square(t) + square(square(t));
}

/* (x_1 - 1)² + Σ_{i>1} i·(2x_i² - x_{i-1})² */
double bo__dixon_price(size_t dim, const double *x)
{
    double sum = square(x[0] - 1);
    for (size_t i = 1; i < dim; i++)
        sum += (double)(i + 1) * square(2 * square(x[i]) - x[i - 1]);
    return sum;
}

/* All squares vanish: x_1 = 1, x_i = √(x_{i-1}/2) */
void bo__dixon_price_argmin(size_t dim, double *x)
{
    x[0] = 1;
    for (size_t i = 1; i < dim; i++)
        x[i] = sqrt(x[i - 1] / 2);
}

/* ---- one dimension --------------------------------------------------------------------- */

/* Forrester, Sóbester and Keane, "Engineering Design via Surrogate Modelling", 2008 */
double bo__forrester(size_t dim, const double *x)
{
    return square(6 * x[0] - 2) * sin(12 * x[0] - 4);
}

/* Gramacy and Lee, "Cases for the nugget in modeling computer experiments", 2012 */
double bo__gramacy_lee(size_t dim, const double *x)
{
    return sin(10 * M_PI * x[0]) / (2 * x[0]) + square(square(x[0] - 1));
}

/* ---- two dimensions -------------------------------------------------------------------- */

double bo__branin(size_t dim, const double *x)
{
    double a = x[0], b = x[1];
    double t = b - 5.1 / (4 * M_PI * M_PI) * square(a) + 5 / M_PI * a - 6;
    return square(t) + 10 * (1 - 1 / (8 * M_PI)) * cos(a) + 10;
}

double bo__camel3(size_t dim, const double *x)
{
    double a = x[0], b = x[1], aa = square(a);
    return 2 * aa - 1.05 * square(aa) + aa * square(aa) / 6 + a * b + square(b);
}

double bo__camel6(size_t dim, const double *x)
{
    double a = x[0], b = x[1], aa = square(a), bb = square(b);
    return (4 - 2.1 * aa + square(aa) / 3) * aa + a * b + (4 * bb - 4) * bb;
}

double bo__goldstein_price(size_t dim, const double *x)
{
    double a = x[0], b = x[1];
    double first = square(a + b + 1) *
                   (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b);
    double second = square(2 * a - 3 * b) *
                    (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b);
    return (1 + first) * (30 + second);
}

double bo__dropwave(size_t dim, const double *x)
{
    double squares = square(x[0]) + square(x[1]);
    return -(1 + cos(12 * sqrt(squares))) / (squares / 2 + 2);
}

double bo__easom(size_t dim, const double *x)
{
    return -cos(x[0]) * cos(x[1]) * exp(-square(x[0] - M_PI) - square(x[1] - M_PI));
}

double bo__beale(size_t dim, const double *x)
{
    double a = x[0], b = x[1];
    return square(1.5 - a + a * b) + square(2.25 - a + a * b * b) +
           square(2.625 - a + a * b * b * b);
}

double bo__booth(size_t dim, const double *x)
{
    return square(x[0] + 2 * x[1] - 7) + square(2 * x[0] + x[1] - 5);
}

/* x²/100, not 0.01·x²: exact at the optimum */
double bo__bukin6(size_t dim, const double *x)
{
    return 100 * sqrt(fabs(x[1] - square(x[0]) / 100)) + 0.01 * fabs(x[0] + 10);
}

double bo__mccormick(size_t dim, const double *x)
{
    double a = x[0], b = x[1];
    return sin(a + b) + square(a - b) - 1.5 * a + 2.5 * b + 1;
}

/* Π_{j=1,2} Σ_{i=1…5} i·cos((i+1)·x_j + i) */
double bo__shubert(size_t dim, const double *x)
{
    double product = 1;
    for (size_t j = 0; j < 2; j++) {
        double sum = 0;
        for (int i = 1; i <= 5; i++)
            sum += i * cos((i + 1) * x[j] + i);
        product *= sum;
    }
    return product;
}

double bo__eggholder(size_t dim, const double *x)
{
    double a = x[0], b = x[1] + 47;
    return -b * sin(sqrt(fabs(b + a / 2))) - a * sin(sqrt(fabs(a - b)));
}

double bo__holder_table(size_t dim, const double *x)
{
    double radius = sqrt(square(x[0]) + square(x[1]));
    return -fabs(sin(x[0]) * cos(x[1]) * exp(fabs(1 - radius / M_PI)));
}

double bo__cross_in_tray(size_t dim, const double *x)
{
    double radius = sqrt(square(x[0]) + square(x[1]));
    return -1e-4 * pow(fabs(sin(x[0]) * sin(x[1]) * exp(fabs(100 - radius / M_PI))) + 1, 0.1);
}

/* ---- three to six dimensions ----------------------------------------------------------- */

/* -Σ_i α_i·exp(-Σ_j A_ij·(x_j - P_ij)²) with four terms; P is in units of 1e-4 */
static double hartmann(size_t dim, const double *x, const double *A, const double *P)
{
    static const double alpha[4] = {1, 1.2, 3, 3.2};
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        double inner = 0;
        for (size_t j = 0; j < dim; j++)
            inner += A[i * dim + j] * square(x[j] - P[i * dim + j] / 10000);
        sum += alpha[i] * exp(-inner);
    }
    return -sum;
}

double bo__hartmann3(size_t dim, const double *x)
{
    static const double A[] = {3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35};
    static const double P[] = {3689, 1170, 2673, 4699, 4387, 7470,
                               1091, 8732, 5547, 381,  5743, 8828};
    return hartmann(3, x, A, P);
}

double bo__hartmann6(size_t dim, const double *x)
{
    static const double A[] = {10, 3,   17,  3.5, 1.7, 8, 0.05, 10, 17,   0.1, 8,   14,
                               3,  3.5, 1.7, 10,  17,  8, 17,   8,  0.05, 10,  0.1, 14};
    static const double P[] = {1312, 1696, 5569, 124,  8283, 5886, 2329, 4135,
                               8307, 3736, 1004, 9991, 2348, 1451, 3522, 2883,
                               3047, 6650, 4047, 8828, 8732, 5743, 1091, 381};
    return hartmann(6, x, A, P);
}

double bo__colville(size_t dim, const double *x)
{
    double a = x[0], b = x[1], c = x[2], d = x[3];
    return 100 * square(a * a - b) + square(a - 1) + square(c - 1) + 90 * square(c * c - d) +
           10.1 * (square(b - 1) + square(d - 1)) + 19.8 * (b - 1) * (d - 1);
}

/* -Σ_{i=1…10} 1/(|x - C_i|² + β_i) */
double bo__shekel(size_t dim, const double *x)
{
    static const double C[10][4] = {{4, 4, 4, 4}, {1, 1, 1, 1}, {8, 8, 8, 8}, {6, 6, 6, 6},
                                    {3, 7, 3, 7}, {2, 9, 2, 9}, {5, 3, 5, 3}, {8, 1, 8, 1},
                                    {6, 2, 6, 2}, {7, 3.6, 7, 3.6}};
    static const double beta[10] = {0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5};
    double sum = 0;
    for (size_t i = 0; i < 10; i++) {
        double distance = beta[i];
        for (size_t j = 0; j < 4; j++)
            distance += square(x[j] - C[i][j]);
        sum += 1 / distance;
    }
    return -sum;
}
