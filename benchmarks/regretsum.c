/* regretsum.c - what the runs of a plan come to: curves, times, tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regretsum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

size_t bo__regret_reference(const bo__regret_plan *plan)
{
    const char *name = *plan->reference ? plan->reference : "gp";
    for (size_t i = 0; i < plan->surrogates; i++)
        if (!strcmp(plan->surrogate[i].name, name))
            return i;
    return plan->surrogates;
}

/* ---- one cell ------------------------------------------------------------------------------ */

/* The runs of one surrogate in one setting, by function. */
typedef struct sample {
    size_t functions, iterations;
    bool *good;                   /* functions */
    double *value[BO_QUANTITIES]; /* (iterations + 1) × functions: those that are good come first */
    double *last[2];              /* simple and cumulative at the end, by function */
    double *milliseconds;         /* runs */
} sample;

static void sample_free(sample *s)
{
    free(s->good);
    for (size_t q = 0; q < BO_QUANTITIES; q++)
        free(s->value[q]);
    free(s->last[0]);
    free(s->last[1]);
    free(s->milliseconds);
}

static bo_status sample_new(sample *s, const bo__regret_plan *plan, bo_message *message)
{
    size_t count = (plan->iterations + 1) * plan->functions;
    *s = (sample){.functions = plan->functions, .iterations = plan->iterations};
    s->good = calloc(plan->functions, sizeof *s->good);
    s->last[0] = calloc(plan->functions, sizeof **s->last);
    s->last[1] = calloc(plan->functions, sizeof **s->last);
    s->milliseconds = calloc(plan->functions, sizeof *s->milliseconds);
    bool whole = s->good && s->last[0] && s->last[1] && s->milliseconds;
    for (size_t q = 0; q < BO_QUANTITIES; q++)
        whole = (s->value[q] = calloc(count, sizeof **s->value)) && whole;
    if (whole)
        return BO_OK;
    sample_free(s);
    return bo__fail(message, BO_ENOMEM, "no memory to sum up the runs");
}

/* Mean CPU milliseconds of a run's suggestions; the longest one goes to *slowest if longer. */
static double time_of(const bo__regret_plan *plan, const bo__regret_record *r, double *slowest)
{
    double sum = 0;
    for (size_t i = plan->init; i < r->points; i++) {
        double ms = 1e3 * bo__regret_get(r, i, BO_REGRET_SECONDS);
        sum += ms;
        *slowest = fmax(*slowest, ms);
    }
    return plan->iterations ? sum / (double)plan->iterations : 0;
}

/* The CPU milliseconds of each suggestion of a run, at its iteration. */
static void add_times(sample *s, const bo__regret_plan *plan, const bo__regret_record *r, size_t n)
{
    for (size_t t = 1; t <= plan->iterations; t++)
        s->value[BO_MILLISECONDS][t * s->functions + n] =
            1e3 * bo__regret_get(r, plan->init + t - 1, BO_REGRET_SECONDS);
}

/* Puts run number `function` into the sample; `curves` is room for 3 × (iterations + 1). */
static void add_run(sample *s, bo__regret_cell *cell, const bo__regret_plan *plan,
                    const bo__regret_record *r, size_t function, double *curves)
{
    size_t length = plan->iterations + 1, n = cell->runs++;
    bo__regret_curves(plan, r, curves, curves + length, curves + 2 * length);
    double unit = r->range > 0 ? r->range : 1;
    for (size_t q = 0; q < 3; q++)
        for (size_t t = 0; t < length; t++) {
            s->value[q][t * s->functions + n] = curves[q * length + t];
            s->value[q + 3][t * s->functions + n] = curves[q * length + t] / unit;
        }
    s->good[function] = true;
    s->last[0][function] = curves[length - 1];
    s->last[1][function] = curves[2 * length - 1];
    add_times(s, plan, r, n);
    s->milliseconds[n] = time_of(plan, r, &cell->slowest);
    bo__regret_habits_add(&cell->habits, bo__regret_habits_of(plan, r));
}

static bo_status sum_curves(bo__regret_cell *cell, const sample *s, bo_message *message)
{
    for (size_t q = 0; q < BO_QUANTITIES; q++) {
        cell->curve[q] = calloc(s->iterations + 1, sizeof **cell->curve);
        if (!cell->curve[q])
            return bo__fail(message, BO_ENOMEM, "no memory to sum up the runs");
        for (size_t t = 0; t <= s->iterations; t++) {
            const double *v = s->value[q] + t * s->functions;
            bo__regret_point *point = &cell->curve[q][t];
            bo__quartiles quartiles;
            bo_status status = bo__quartiles_of(&quartiles, cell->runs, v, message);
            if (status)
                return status;
            *point = (bo__regret_point){.mean = bo__mean(cell->runs, v),
                                        .se = bo__standard_error(cell->runs, v),
                                        .median = quartiles.median,
                                        .lower = quartiles.lower, .upper = quartiles.upper};
        }
    }
    bo__regret_habits_mean(&cell->habits, cell->runs);
    cell->milliseconds = bo__mean(cell->runs, s->milliseconds);
    cell->milliseconds_se = bo__standard_error(cell->runs, s->milliseconds);
    return BO_OK;
}

static bo_status sum_cell(bo__regret_summary *summary, sample *s, size_t setting,
                          size_t surrogate, bo__regret_record *const *records, double *curves,
                          bo_message *message)
{
    const bo__regret_plan *plan = summary->plan;
    bo__regret_cell *cell = &summary->cell[setting * plan->surrogates + surrogate];
    for (size_t f = 0; f < plan->functions; f++) {
        bo__regret_place place = {.function = f, .setting = setting, .surrogate = surrogate};
        const bo__regret_record *r = records[bo__regret_run_at(plan, place)];
        if (r && r->status == BO_OK) {
            add_run(s, cell, plan, r, f, curves);
            continue;
        }
        if (!cell->failed++)
            snprintf(cell->reason, sizeof cell->reason, "%s", r ? r->reason : "it was not run");
        summary->failed++;
    }
    return cell->runs ? sum_curves(cell, s, message) : BO_OK;
}

/* ---- tests --------------------------------------------------------------------------------- */

/* `room` has 3 numbers a function. */
static bo_status compare(bo__regret_test *test, const sample *s, const sample *other, size_t which,
                         double *room, size_t *count, bo_message *message)
{
    size_t n = 0;
    double *a = room, *b = room + s->functions, *difference = room + 2 * s->functions;
    for (size_t f = 0; f < s->functions; f++)
        if (s->good[f] && other->good[f]) {
            a[n] = s->last[which][f];
            b[n] = other->last[which][f];
            difference[n] = a[n] - b[n];
            n++;
        }
    *count = n;
    test->difference = bo__mean(n, difference);
    test->difference_se = bo__standard_error(n, difference);
    return bo__wilcoxon_test(&test->wilcoxon, n, a, b, message);
}

/* Holm's step-down: the i-th smallest of m p-values is multiplied by m - i, and none may be less
 * than one before it. */
static void adjust(bo__regret_test **test, size_t m)
{
    double before = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = i + 1; j < m; j++)
            if (test[j]->wilcoxon.p < test[i]->wilcoxon.p) {
                bo__regret_test *other = test[i];
                test[i] = test[j];
                test[j] = other;
            }
        before = test[i]->holm = fmin(1, fmax(before, test[i]->wilcoxon.p * (double)(m - i)));
    }
}

static bo_status test_setting(bo__regret_summary *summary, const sample *samples, size_t setting,
                              double *pairs, bo_message *message)
{
    const bo__regret_plan *plan = summary->plan;
    size_t reference = bo__regret_reference(plan), count = 0;
    bo__regret_test *simple[BO_REGRET_MOST], *cumulative[BO_REGRET_MOST];
    for (size_t i = 0; reference < plan->surrogates && i < plan->surrogates; i++) {
        bo__regret_cell *cell = &summary->cell[setting * plan->surrogates + i];
        cell->against = plan->surrogate[reference].name;
        if (i == reference)
            continue;
        bo_status status = compare(&cell->simple, &samples[i], &samples[reference], 0, pairs,
                                   &cell->pairs, message);
        if (!status)
            status = compare(&cell->cumulative, &samples[i], &samples[reference], 1, pairs,
                             &cell->pairs, message);
        if (status)
            return status;
        if (cell->pairs) {
            simple[count] = &cell->simple;
            cumulative[count++] = &cell->cumulative;
        }
    }
    adjust(simple, count);
    adjust(cumulative, count);
    return BO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bo_status sum_setting(bo__regret_summary *summary, size_t setting,
                             bo__regret_record *const *records, bo_message *message)
{
    const bo__regret_plan *plan = summary->plan;
    sample samples[BO_REGRET_MOST];
    double *curves = malloc(3 * (plan->iterations + 1) * sizeof *curves);
    double *pairs = malloc(3 * plan->functions * sizeof *pairs);
    bo_status status = curves && pairs ? BO_OK : bo__fail(message, BO_ENOMEM, "no memory");
    size_t made = 0;
    for (; !status && made < plan->surrogates; made += !status) {
        status = sample_new(&samples[made], plan, message);
        if (!status &&
            (status = sum_cell(summary, &samples[made], setting, made, records, curves, message)))
            sample_free(&samples[made]);
    }
    if (!status)
        status = test_setting(summary, samples, setting, pairs, message);
    while (made-- > 0)
        sample_free(&samples[made]);
    free(curves);
    free(pairs);
    return status;
}

bo_status bo__regret_sum_up(bo__regret_summary **out, const bo__regret_plan *plan,
                            bo__regret_record *const *records, bo_message *message)
{
    size_t cells = plan->settings * plan->surrogates;
    bo__regret_summary *summary = calloc(1, sizeof *summary + cells * sizeof *summary->cell);
    *out = NULL;
    if (!summary)
        return bo__fail(message, BO_ENOMEM, "no memory to sum up the runs");
    summary->plan = plan;
    bo_status status = BO_OK;
    for (size_t s = 0; !status && s < plan->settings; s++)
        status = sum_setting(summary, s, records, message);
    if (status) {
        bo__regret_summary_free(summary);
        return status;
    }
    *out = summary;
    return BO_OK;
}

void bo__regret_summary_free(bo__regret_summary *summary)
{
    if (!summary)
        return;
    for (size_t c = 0; c < summary->plan->settings * summary->plan->surrogates; c++)
        for (size_t q = 0; q < BO_QUANTITIES; q++)
            free(summary->cell[c].curve[q]);
    free(summary);
}
