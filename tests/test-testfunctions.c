/* test-testfunctions.c - formulas against values worked out by hand or given in the literature.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "testfunctions.h"

#include <math.h>

#include "check.h"

/* A formula at a point, with the value it has there by hand. */
#define CHECK(function, value, tolerance, ...)                                                   \
    do {                                                                                         \
        const double x[] = {__VA_ARGS__};                                                        \
        assert_close(function(sizeof x / sizeof *x, x), value, tolerance);                       \
    } while (0)

static void test_any_dimension(void **state)
{
    CHECK(bo__sphere, 14, 1e-13, 1, -2, 3);
    CHECK(bo__sum_of_squares, 1 + 8 + 27, 1e-13, 1, -2, 3);
    /* all cosines are 1: -20·exp(-0.2) + 20 */
    CHECK(bo__ackley, 20 - 20 * exp(-0.2), 1e-13, 1, -1, 1);
    /* cosines -1, root mean square ½ */
    CHECK(bo__ackley, 20 - 20 * exp(-0.1) - exp(-1) + exp(1), 1e-13, 0.5, -0.5);
    CHECK(bo__ackley_shifted, 20 - 20 * exp(-0.2), 1e-12, 6.3, -8.1, 10.9, -2.7, 9.2);
    CHECK(bo__rosenbrock, 100 * 25 + 4 + 100 * 9 + 25, 1e-10, -1, -4, 19);
    CHECK(bo__rosenbrock, 3, 1e-13, 0, 0, 0, 0);
    /* w = 0 everywhere: sin²0 + (d-1)·(1 + 10·sin²1) + 1 */
    CHECK(bo__levy, 2 * (1 + 10 * sin(1) * sin(1)) + 1, 1e-13, -3, -3, -3);
    /* w_1 = 1.5: sin²(1.5π) = 1, then (½)²·(1 + sin²(3π)) */
    CHECK(bo__levy, 1.25, 1e-13, 3);
    CHECK(bo__rastrigin, 20.25 * 2 + 40, 1e-12, 4.5, -4.5);
    CHECK(bo__rastrigin, 1 + 4, 1e-12, 1, -2);
    CHECK(bo__griewank, 100 * 100 / 4000.0 + 1 - cos(100), 1e-13, 100);
    CHECK(bo__griewank, (1 + 4 + 9) / 4000.0 + 1 - cos(1) * cos(sqrt(2)) * cos(sqrt(3)), 1e-13, 1,
          2, 3);
    CHECK(bo__styblinski_tang, (1 - 16 + 5) / 2.0 + (16 - 64 - 10) / 2.0, 1e-13, 1, -2);
    /* x = π/2: sin 1 times sin²⁰(i·π/4) = 2^-10 for i = 1, 1 for i = 2 */
    CHECK(bo__michalewicz, -1 - 0x1p-10, 1e-13, M_PI / 2, M_PI / 2);
    CHECK(bo__cosines, 0.3 * 2 + 2 * (1 / 9.0) - 1, 1e-13, 5 / 9.6, 1 / 9.6);
    CHECK(bo__schwefel, 3 * 418.982887272433706, 1e-11, 0, 0, 0);
    CHECK(bo__schwefel, 418.982887272433706 - 100 * sin(10), 1e-11, 100);
    CHECK(bo__zakharov, 14 + 49 + 2401, 1e-11, 1, 2, 3);
    CHECK(bo__dixon_price, 1 + 2 * 6.25 + 3 * 0.25, 1e-13, 2, 1.5, -1);
}

static void test_few_dimensions(void **state)
{
    CHECK(bo__forrester, 4 * sin(-4), 1e-13, 0);
    CHECK(bo__forrester, 16 * sin(8), 1e-12, 1);
    CHECK(bo__gramacy_lee, 1, 1e-13, 2);
    CHECK(bo__branin, 36 + 10 * (1 - 1 / (8 * M_PI)) + 10, 1e-12, 0, 0);
    /* the other two of Branin's three minima */
    CHECK(bo__branin, 10 / (8 * M_PI), 1e-12, -M_PI, 12.275);
    CHECK(bo__branin, 10 / (8 * M_PI), 1e-12, 3 * M_PI, 2.475);
    CHECK(bo__camel3, 2 - 1.05 + 1 / 6.0 + 2 + 4, 1e-13, 1, 2);
    CHECK(bo__camel6, 4 - 2.1 + 1 / 3.0 + 2 + 48, 1e-12, 1, 2);
    CHECK(bo__camel6, -1.0316284534898774, 1e-12, -0.0898420131003180624, 0.7126564030207396);
    /* local minima of Goldstein-Price (Dixon and Szegö) */
    CHECK(bo__goldstein_price, 30, 1e-10, -0.6, -0.4);
    CHECK(bo__goldstein_price, 84, 1e-10, 1.8, 0.2);
    CHECK(bo__goldstein_price, 840, 1e-9, 1.2, 0.8);
    CHECK(bo__goldstein_price, 600, 1e-9, 0, 0);
    CHECK(bo__dropwave, -(1 + cos(60)) / 14.5, 1e-13, 3, 4);
    CHECK(bo__easom, -exp(-2 * M_PI * M_PI), 1e-13, 0, 0);
    CHECK(bo__easom, exp(-M_PI * M_PI), 1e-13, M_PI, 0);
    CHECK(bo__beale, 1.5 * 1.5 + 2.25 * 2.25 + 2.625 * 2.625, 1e-13, 0, 1.7);
    CHECK(bo__beale, 3.5 * 3.5 + 8.25 * 8.25 + 16.625 * 16.625, 1e-10, 2, 2);
    CHECK(bo__booth, 74, 1e-13, 0, 0);
    CHECK(bo__bukin6, 100 * sqrt(2.75) + 0.05, 1e-12, -5, 3);
    CHECK(bo__mccormick, 1, 1e-13, 0, 0);
    CHECK(bo__mccormick, sin(3) + 1 - 1.5 + 5 + 1, 1e-13, 1, 2);
    CHECK(bo__eggholder, -47 * sin(sqrt(47)), 1e-12, 0, 0);
    CHECK(bo__holder_table, -exp(0.5), 1e-13, M_PI / 2, 0);
    CHECK(bo__cross_in_tray, -1e-4, 1e-16, 0, 5);
    CHECK(bo__cross_in_tray, -1e-4 * pow(exp(100 - M_SQRT1_2) + 1, 0.1), 1e-13, M_PI / 2, M_PI / 2);
}

/* Σ i·cos(i) for both coordinates at the origin of Shubert's function. */
static void test_shubert(void **state)
{
    double sum = cos(1) + 2 * cos(2) + 3 * cos(3) + 4 * cos(4) + 5 * cos(5);
    CHECK(bo__shubert, sum * sum, 1e-11, 0, 0);
    CHECK(bo__shubert, -186.73090883102382586, 1e-10, -7.0835064076515596016,
          4.8580568788598255062);
}

/* Values computed in 30-digit arithmetic from the tables of the literature; Hartmann 6 near its
 * second best minimum. */
static void test_more_dimensions(void **state)
{
    CHECK(bo__hartmann3, -1.00081143568554879, 1e-13, 0.3689, 0.1170, 0.2673);
    CHECK(bo__hartmann3, -0.62802201507059420, 1e-13, 0.5, 0.5, 0.5);
    CHECK(bo__hartmann6, -0.50531499170223314, 1e-13, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
    CHECK(bo__hartmann6, -3.20316191649372134, 1e-13, 0.40465, 0.88244, 0.84610, 0.57399, 0.13893,
          0.03850);
    CHECK(bo__colville, 42, 1e-12, 0, 0, 0, 0);
    CHECK(bo__colville, 102.1, 1e-12, 0, 0, 0, 1);
    CHECK(bo__shekel, -10.5362837262196036, 1e-12, 4, 4, 4, 4);
    CHECK(bo__shekel, -5.12847103966240335, 1e-12, 1, 1, 1, 1);
}

static void test_michalewicz_argmin(void **state)
{
    /* Least values from the literature, rounded as there. */
    double x[1000];
    bo__michalewicz_argmin(10, x);
    assert_close(bo__michalewicz(1, x), -0.8013, 5e-5);
    assert_close(bo__michalewicz(2, x), -1.8013, 5e-5);
    assert_close(bo__michalewicz(5, x), -4.687658, 5e-7);
    assert_close(bo__michalewicz(10, x), -9.6601517, 5e-8);
    assert_close(x[0], 2.202906, 5e-7);
    assert_close(x[1], 1.570796, 5e-7);

    /* Against a fine grid in each coordinate of a large dimension. */
    bo__michalewicz_argmin(1000, x);
    for (size_t i = 0; i < 1000; i += 37) {
        double most = 0, number = (double)(i + 1);
        for (int k = 0; k <= 100000; k++) {
            double v = M_PI * k / 100000.0;
            most = fmax(most, sin(v) * pow(sin(number * v * v / M_PI), 20));
        }
        double height = sin(x[i]) * pow(sin(number * x[i] * x[i] / M_PI), 20);
        assert_true(height >= most);
        assert_close(height, most, 5e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_dimension),      cmocka_unit_test(test_few_dimensions),
        cmocka_unit_test(test_shubert),            cmocka_unit_test(test_more_dimensions),
        cmocka_unit_test(test_michalewicz_argmin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
