/* bench-suggest.c - bo-bench suggest: milliseconds per suggestion with n observations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A suggestion is one bo_optimizer_ask: fit, hyperparameters included, and maximise.  In a run
 * every fit but the first begins at the last one's hyperparameters, so the suggestion with n
 * points is timed after one with n - 1; the first one, from scratch, is timed apart.  Points are
 * uniform in the box.  Times are CPU times, which a busy machine disturbs less.
 */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "peers.h"
#include "progress.h"
#include "statistics.h"

enum { MOST_SIZES = 64, MOST_REPEATS = 1000, RUN_EVALUATIONS = 110 };

typedef struct settings {
    bo_options options;
    const char *function, *sizes, *output;
    size_t repeats;
    bo__bench_functions chosen; /* one */
    size_t count, n[MOST_SIZES];
} settings;

/* Medians over the repeats, in milliseconds. */
typedef struct timing {
    double next, first, fit, factor;
} timing;

static const char purpose[] =
    "Measures the time of a suggestion (fit with all hyperparameters, then maximise the "
    "acquisition) with n observations of a function.";

static const char examples[] =
    "  The sizes that other systems were measured at, on Hartmann 6:\n"
    "    bo-bench suggest\n\n"
    "  More points, another kernel:\n"
    "    bo-bench suggest --sizes 100,1000 --kernel rbf --repeats 3\n";

static const char notes[] =
    "TABLE. n; ms: CPU milliseconds of a suggestion as in a run, the fit beginning at the "
    "hyperparameters of the last one; fit: the share of the fit; first: a first suggestion, from "
    "scratch; dpotrf: one Cholesky factorisation of an n × n matrix; limbo: the fastest other "
    "system that refits at every step, measured once. All are medians over the repeats. The last "
    "line is a whole run of 10 initial points and 100 suggestions.";

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double median(size_t n, double *v)
{
    bo__sort(n, v);
    return bo__quantile(n, v, 0.5);
}

/* ---- one suggestion ------------------------------------------------------------------------ */

static bo_status tell_random(bo_optimizer *optimizer, const bo__objective *objective, size_t n,
                             double *x, bo__rng *rng)
{
    bo_status status = BO_OK;
    for (size_t i = 0; !status && i < n; i++) {
        for (size_t j = 0; j < bo__objective_dim(objective); j++) {
            double low = bo__objective_lower(objective)[j];
            x[j] = low + (bo__objective_upper(objective)[j] - low) * bo__rng_uniform(rng);
        }
        status = bo_optimizer_tell(optimizer, x, bo__objective_value(objective, x));
    }
    return status;
}

/* Tells n random points and asks; with `warm`, n-1 points, asks, tells, asks again.  The last
 * ask is timed; *fit gets the share of its fit. */
static bo_status time_ask(bo_optimizer *optimizer, const bo__objective *objective, size_t n,
                          bool warm, uint64_t seed, double *x, double *ms, double *fit,
                          bo_message *message)
{
    bo__rng rng;
    bo__rng_init(&rng, seed, "bench suggest", n);
    bo_status status = tell_random(optimizer, objective, warm ? n - 1 : n, x, &rng);
    if (!status && warm) {
        status = bo_optimizer_ask(optimizer, 1, x);
        if (!status)
            status = bo_optimizer_tell(optimizer, x, bo__objective_value(objective, x));
    }
    double begin = cpu_ms();
    if (!status)
        status = bo_optimizer_ask(optimizer, 1, x);
    *ms = cpu_ms() - begin;
    bo_trial trial;
    if (!status)
        status = bo_optimizer_trial(optimizer, bo_optimizer_count(optimizer) - 1, &trial);
    if (status)
        return bo__fail(message, status, "%s", bo_optimizer_errmsg(optimizer));
    if (!trial.suggested)
        return bo__fail(message, BO_EINVAL,
                        "with %zu points the optimiser is still at its initial design: --init "
                        "must not be larger", n);
    /* the trial has wall times: their proportion is what counts */
    *fit = *ms * trial.fit_ms / (trial.fit_ms + trial.suggest_ms);
    return BO_OK;
}

static bo_status measure_ask(const settings *s, const bo__objective *objective,
                             const bo_space *space, size_t n, bool warm, uint64_t seed, double *ms,
                             double *fit, bo_message *message)
{
    bo_optimizer *optimizer = NULL;
    bo_options options = s->options;
    options.seed = seed;
    double *x = malloc(bo__objective_dim(objective) * sizeof *x);
    bo_status status = x ? bo_optimizer_new(&optimizer, space, &options) : BO_ENOMEM;
    if (status)
        bo__fail(message, status, "%s",
                 optimizer ? bo_optimizer_errmsg(optimizer) : bo_status_text(status));
    else
        status = time_ask(optimizer, objective, n, warm, seed, x, ms, fit, message);
    bo_optimizer_free(optimizer);
    free(x);
    return status;
}

/* ---- the yardstick ------------------------------------------------------------------------- */

/* Median milliseconds of dpotrf on a well-conditioned matrix, in place, over at least 20 ms. */
static bo_status measure_factor(size_t n, double *ms, bo_message *message)
{
    double times[MOST_REPEATS], total = 0;
    double *matrix = malloc(2 * n * n * sizeof *matrix);
    if (!matrix)
        return bo__fail(message, BO_ENOMEM, "no memory for a matrix of %zu rows", n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] = exp(-fabs((double)i - (double)j) / 10) + (i == j);
    size_t count = 0;
    int info = 0;
    while (!info && count < MOST_REPEATS && (count < 9 || total < 20)) {
        memcpy(matrix + n * n, matrix, n * n * sizeof *matrix);
        double begin = cpu_ms();
        info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)n, matrix + n * n, (int)n);
        times[count] = cpu_ms() - begin;
        total += times[count++];
    }
    free(matrix);
    *ms = median(count, times);
    return info ? bo__fail(message, BO_ENUMERIC, "dpotrf failed (%d)", info) : BO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bo_status measure(const settings *s, const bo__objective *objective, const bo_space *space,
                         size_t n, timing *out, bo__progress *bar, size_t *done,
                         bo_message *message)
{
    double next[MOST_REPEATS], first[MOST_REPEATS], fit[MOST_REPEATS], unused;
    bo_status status = measure_factor(n, &out->factor, message);
    for (size_t r = 0; !status && r < s->repeats; r++) {
        status = measure_ask(s, objective, space, n, false, r + 1, &first[r], &unused, message);
        if (!status)
            status = measure_ask(s, objective, space, n, true, r + 1, &next[r], &fit[r], message);
        bo__progress_update(bar, ++*done, "n = %zu", n);
        if (!status && bo__interrupted())
            status = BO_STOPPED;
    }
    if (!status) {
        out->next = median(s->repeats, next);
        out->first = median(s->repeats, first);
        out->fit = median(s->repeats, fit);
    }
    return status;
}

static void print_row(size_t n, const timing *t, bool peers)
{
    double limbo = peers ? bo__peer_suggest_ms(n) : NAN;
    printf("%5zu %9.3f %9.3f %9.3f %9.4f", n, t->next, t->fit, t->first, t->factor);
    if (isnan(limbo))
        printf(" %9s\n", "-");
    else
        printf(" %9.1f\n", limbo);
    fflush(stdout);
}

static void write_row(bo__row *row, size_t n, const timing *t, bool peers)
{
    bo__row_size(row, "n", n);
    bo__row_number(row, "ms", t->next);
    bo__row_number(row, "fit", t->fit);
    bo__row_number(row, "first", t->first);
    bo__row_number(row, "dpotrf", t->factor);
    bo__row_number(row, "limbo", peers ? bo__peer_suggest_ms(n) : NAN);
}

static bo_status write_csv(const settings *s, const timing *times, bool peers,
                           bo_message *message)
{
    bo__output *output;
    bo__row row = {0};
    bo_status status = bo__output_open(&output, s->output, message);
    if (status)
        return status;
    for (size_t i = 0; !status && i <= s->count; i++) { /* the header first */
        bo__row_begin(&row, i ? BO_ROW_CSV : BO_ROW_HEADER);
        write_row(&row, s->n[i ? i - 1 : 0], &times[i ? i - 1 : 0], peers);
        status = bo__row_end(&row, message);
        if (!status)
            fputs(row.text, bo__output_stream(output));
    }
    bo__row_free(&row);
    if (!status)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}

static bo_status measure_all(const settings *s, const bo__objective *objective,
                             const bo_space *space, bo_message *message)
{
    timing times[MOST_SIZES];
    bo__progress bar;
    size_t done = 0;
    bo_status status = BO_OK;
    bool peers = !strcmp(bo__objective_type_name(s->chosen.task[0].type), "hartmann6");
    bo__progress_start(&bar, stderr, "suggestions", s->count * s->repeats);
    printf("%5s %9s %9s %9s %9s %9s\n", "n", "ms", "fit", "first", "dpotrf", "limbo");
    for (size_t i = 0; !status && i < s->count; i++) {
        status = measure(s, objective, space, s->n[i], &times[i], &bar, &done, message);
        bo__progress_clear(&bar);
        if (!status)
            print_row(s->n[i], &times[i], peers);
    }
    bo__progress_end(&bar);
    if (!status && s->output)
        status = write_csv(s, times, peers, message);
    return status;
}

static bool poll_interrupt(void *data)
{
    return bo__interrupted();
}

/* A whole run: 100 suggestions after 10 initial points. */
static bo_status measure_run(const settings *s, bo_message *message)
{
    double regret[RUN_EVALUATIONS], seconds;
    bo__bench_task task = s->chosen.task[0];
    task.evaluations = RUN_EVALUATIONS;
    bo_status status =
        bo__bench_run(&task, &s->options, 1, poll_interrupt, NULL, regret, &seconds, message);
    if (!status)
        printf("\nwhole run of 10 + 100 evaluations: %.3f s\n", seconds);
    return status;
}

static bo_status run(const settings *s, bo_message *message)
{
    const bo__bench_task *task = &s->chosen.task[0];
    bo__objective *objective = NULL;
    bo_space *space = NULL;
    bo_status status = bo__objective_new(&objective, task->type, task->dim, 1, message);
    if (!status)
        status = bo__bench_space(&space, objective, message);
    if (!status)
        status = measure_all(s, objective, space, message);
    if (!status)
        status = measure_run(s, message);
    bo_space_free(space);
    bo__objective_free(objective);
    return status;
}

static int parse(settings *s, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "function", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->function,
         .group = "what to measure", .help = "NAME or NAME:DIM; bo-run --list shows the names."},
        {.name = "sizes", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s->sizes,
         .group = "what to measure", .help = "Numbers of observations, with commas between."},
        {.name = "repeats", .value = "N", .kind = BO_ARG_SIZE, .target = &s->repeats, .least = 1,
         .most = MOST_REPEATS, .group = "what to measure",
         .help = "Measurements of each, on different points."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "output", .help = "Write the table as CSV."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-bench suggest", .purpose = purpose,
                                 .usage = "[options]", .examples = examples, .notes = notes,
                                 .args = table, .describe = bo_option_describe,
                                 .set = bo_options_set, .options = &s->options};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    if (bo__bench_read_functions(&s->chosen, s->function, &message))
        return bo__args_error(&command, "option '--function': %s", message.text);
    if (s->chosen.count > 1)
        return bo__args_error(&command, "option '--function': one function, not %zu",
                              s->chosen.count);
    if (bo__bench_read_sizes(s->n, MOST_SIZES, &s->count, s->sizes, &message))
        return bo__args_error(&command, "option '--sizes': %s", message.text);
    if (s->output && bo__output_check(s->output, &message))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

int bo__bench_main_suggest(int argc, char **argv)
{
    settings s = {.function = "hartmann6", .sizes = "10,25,50,100,200,400", .repeats = 9};
    bo_options_init(&s.options);
    s.options.init = 10;
    s.options.threads = 1;
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bo_status status = run(&s, &message);
    if (status == BO_OK || (status == BO_STOPPED && bo__interrupted()))
        return 0;
    fprintf(stderr, "bo-bench suggest: %s\n",
            *message.text ? message.text : bo_status_text(status));
    return 1;
}
