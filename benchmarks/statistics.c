/* statistics.c - means, quantiles and Wilcoxon's signed-rank test.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The signed-rank test (Wilcoxon, "Individual comparisons by ranking methods", 1945) ranks the
 * n differences that are not 0 by size and adds up the ranks of the positive ones to W.  If the
 * differences are symmetric about 0, each sign is a fair coin:
 *   - without ties, the number of subsets of {1 … n} with each sum gives the distribution of W
 *     exactly; that is used up to n = 25;
 *   - else W is close to normal with mean n(n+1)/4 and variance n(n+1)(2n+1)/24 - Σ(t³-t)/48 over
 *     groups of t tied ranks, and ½ is taken off the distance from the mean, for continuity.
 * The effect size is Kerby's simple difference ("The simple difference formula", 2014).
 */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { MOST_EXACT = 25 };

double bo__mean(size_t n, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

double bo__standard_error(size_t n, const double *v)
{
    if (n < 2)
        return NAN;
    double mean = bo__mean(n, v), squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    return sqrt(squares / (double)(n - 1) / (double)n);
}

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

void bo__sort(size_t n, double *v)
{
    if (n > 1)
        qsort(v, n, sizeof *v, compare);
}

double bo__quantile(size_t n, const double *sorted, double p)
{
    if (n == 0)
        return NAN;
    double at = p * (double)(n - 1);
    size_t below = (size_t)at;
    double part = at - (double)below;
    if (below + 1 >= n || part == 0 || sorted[below] == sorted[below + 1])
        return sorted[below];
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

bo_status bo__quartiles_of(bo__quartiles *out, size_t n, const double *v, bo_message *message)
{
    double *sorted = malloc((n ? n : 1) * sizeof *sorted);
    if (!sorted)
        return bo__fail(message, BO_ENOMEM, "no memory to sort %zu values", n);
    if (n)
        memcpy(sorted, v, n * sizeof *v);
    bo__sort(n, sorted);
    *out = (bo__quartiles){bo__quantile(n, sorted, 0), bo__quantile(n, sorted, 0.25),
                           bo__quantile(n, sorted, 0.5), bo__quantile(n, sorted, 0.75),
                           bo__quantile(n, sorted, 1)};
    free(sorted);
    return BO_OK;
}

/* ---- the signed-rank test ------------------------------------------------------------------ */

static int compare_sizes(const void *one, const void *other)
{
    double a = fabs(*(const double *)one), b = fabs(*(const double *)other);
    return (a > b) - (a < b);
}

/* Adds up the ranks of differences sorted by size, tied ones sharing their mean rank; returns
 * Σ t³ - t over ties. */
static double add_ranks(bo__wilcoxon *test, const double *difference)
{
    double ties = 0;
    for (size_t begin = 0, end; begin < test->n; begin = end) {
        for (end = begin + 1; end < test->n; end++)
            if (fabs(difference[end]) != fabs(difference[begin]))
                break;
        double count = (double)(end - begin), rank = (double)(begin + 1 + end) / 2;
        ties += count * count * count - count;
        for (size_t i = begin; i < end; i++)
            *(difference[i] > 0 ? &test->positive : &test->negative) += rank;
    }
    return ties;
}

/* P(W <= w) for n <= MOST_EXACT: ways[s] counts the subsets of {1 … n} with sum s, at most
 * 2^25. */
static double exact_tail(size_t n, size_t w)
{
    double ways[MOST_EXACT * (MOST_EXACT + 1) / 2 + 1] = {1}, tail = 0;
    for (size_t rank = 1, sum = 0; rank <= n; rank++) {
        sum += rank;
        for (size_t s = sum; s >= rank; s--)
            ways[s] += ways[s - rank];
    }
    for (size_t s = 0; s <= w; s++)
        tail += ways[s];
    return ldexp(tail, -(int)n);
}

static double normal_tails(size_t n, double less, double ties)
{
    double count = (double)n, mean = count * (count + 1) / 4;
    double variance = mean * (2 * count + 1) / 6 - ties / 48;
    double distance = fmax(0, mean - less - 0.5);
    return erfc(distance / sqrt(2 * variance));
}

bo_status bo__wilcoxon_test(bo__wilcoxon *out, size_t n, const double *a, const double *b,
                            bo_message *message)
{
    *out = (bo__wilcoxon){.p = 1, .exact = true};
    double *difference = malloc((n ? n : 1) * sizeof *difference);
    if (!difference)
        return bo__fail(message, BO_ENOMEM, "no memory to compare %zu pairs", n);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) {
            free(difference);
            return bo__fail(message, BO_EINVAL, "pair %zu of %zu is not finite", i + 1, n);
        }
        if (a[i] != b[i])
            difference[out->n++] = a[i] - b[i];
    }
    if (out->n) {
        qsort(difference, out->n, sizeof *difference, compare_sizes);
        double ties = add_ranks(out, difference);
        double less = fmin(out->positive, out->negative);
        out->exact = ties == 0 && out->n <= MOST_EXACT;
        out->p = out->exact ? fmin(1, 2 * exact_tail(out->n, (size_t)less))
                            : normal_tails(out->n, less, ties);
        out->effect = (out->positive - out->negative) / (out->positive + out->negative);
    }
    free(difference);
    return BO_OK;
}
