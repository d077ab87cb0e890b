/* minimal.c - the least value of a function of two numbers, in 30 evaluations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <bo.h>
#include <math.h>
#include <stdio.h>

/* What to minimise: anything that takes numbers and gives one. */
static double bowl(size_t dim, const double *x, void *data)
{
    (void)dim, (void)data;
    return pow(x[0] - 0.3, 2) + pow(x[1] + 0.7, 2) + 0.1 * cos(9 * x[0]);
}

int main(void)
{
    const double lower[] = {-2, -2}, upper[] = {2, 2};
    double x[2], y;
    bo_message message;
    bo_status status = bo_minimize_box(bowl, NULL, 2, lower, upper, 30, x, &y, &message);
    if (status < 0)
        return fprintf(stderr, "%s\n", message.text), 1;
    printf("%.4f at (%.3f, %.3f)\n", y, x[0], x[1]);
}
