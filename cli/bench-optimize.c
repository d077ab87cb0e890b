/* bench-optimize.c - bo-bench optimize: simple regret over seeds, beside other systems'.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "output.h"
#include "parallel.h"
#include "peers.h"
#include "progress.h"
#include "statistics.h"

typedef struct settings {
    bo_options options;
    const char *functions;
    size_t evaluations; /* 0: chosen for each function */
    size_t seeds, jobs;
    uint64_t first;
    const char *output, *runs;
    bo__bench_functions chosen;
} settings;

/* What a task's runs come to. */
typedef struct summary {
    bo__quartiles regret; /* at the end */
    double mean, error;   /* of it, and the standard error of the mean */
    double seconds;       /* mean of a run */
    const bo__peer *peer; /* best of the others on the same budget; NULL: none measured */
    double peer_median;
} summary;

static const char purpose[] =
    "Optimises functions with known optima from many seeds and shows the simple regret at the "
    "end: the least value found less the least value there is.";

static const char examples[] =
    "  The five functions and budgets that other systems were measured on:\n"
    "    bo-bench optimize\n\n"
    "  Another kernel, one function, 50 seeds, every run in a file:\n"
    "    bo-bench optimize --functions hartmann6 --kernel rbf --seeds 50 --runs runs.csv\n\n"
    "  Functions drawn from a GP, in two dimensions:\n"
    "    bo-bench optimize --functions gp_rbf:2,gp_matern52:2 --evaluations 40\n";

static const char notes[] =
    "TABLE. Median and quartiles of the regret over the seeds; the best other system on the same "
    "function, dimension and number of evaluations, with its median; CPU seconds a run spends in "
    "the optimiser. Below it, the medians of all other systems. Their figures were measured once "
    "and are constants of this program.\n\n"
    "FILES. --output has one row per function: function, dim, evaluations, seeds, median, lower, "
    "upper, least, most, mean, se, seconds, peer, peer_median. --runs has one row per evaluation "
    "of each run: function, dim, seed, evaluation, regret.";

/* ---- what to run --------------------------------------------------------------------------- */

/* The budget others were given, else 50 evaluations in one or two dimensions and 100 in more. */
static size_t usual_evaluations(const bo__bench_task *task)
{
    size_t peer = bo__peer_task_find(bo__objective_type_name(task->type), task->dim);
    if (peer < BO_PEER_TASKS)
        return bo__peer_task_at(peer)->evaluations;
    return task->dim <= 2 ? 50 : 100;
}

static int parse(settings *s, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "functions", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s->functions,
         .group = "what to run",
         .help = "NAME or NAME:DIM, with commas between; bo-run --list shows the names."},
        {.name = "evaluations", .value = "N", .kind = BO_ARG_SIZE, .target = &s->evaluations,
         .least = 1, .group = "what to run",
         .help = "Evaluations in a run, the initial ones of --init included (default: 50 in up "
                 "to two dimensions, else 100)."},
        {.name = "seeds", .value = "N", .kind = BO_ARG_SIZE, .target = &s->seeds, .least = 1,
         .group = "what to run", .help = "Runs of each function."},
        {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &s->first,
         .group = "what to run", .help = "The first of the seeds."},
        {.name = "jobs", .value = "N", .kind = BO_ARG_SIZE, .target = &s->jobs, .least = 1,
         .group = "what to run", .help = "Runs at the same time."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "output", .help = "Write the table as CSV; see FILES below."},
        {.name = "runs", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->runs,
         .group = "output", .help = "Write the regret after each evaluation of each run as CSV."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-bench optimize", .purpose = purpose,
                                 .usage = "[options]", .examples = examples, .notes = notes,
                                 .args = table, .describe = bo_option_describe,
                                 .set = bo_options_set, .options = &s->options};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    if (bo__bench_read_functions(&s->chosen, s->functions, &message))
        return bo__args_error(&command, "option '--functions': %s", message.text);
    for (size_t i = 0; i < s->chosen.count; i++)
        s->chosen.task[i].evaluations =
            s->evaluations ? s->evaluations : usual_evaluations(&s->chosen.task[i]);
    if ((s->output && bo__output_check(s->output, &message)) ||
        (s->runs && bo__output_check(s->runs, &message)))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

/* ---- the table ----------------------------------------------------------------------------- */

static bo_status sum_up(summary *out, const bo__bench_task *task, const bo__bench_runs *runs,
                        bo_message *message)
{
    double *last = malloc(runs->seeds * sizeof *last);
    bo_status status = BO_ENOMEM;
    if (last) {
        for (size_t i = 0; i < runs->seeds; i++)
            last[i] = runs->regret[(i + 1) * runs->evaluations - 1];
        status = bo__quartiles_of(&out->regret, runs->seeds, last, message);
        out->mean = bo__mean(runs->seeds, last);
        out->error = bo__standard_error(runs->seeds, last);
    }
    free(last);
    out->seconds = bo__mean(runs->seeds, runs->seconds);
    size_t peer = bo__peer_task_find(bo__objective_type_name(task->type), task->dim);
    if (peer < BO_PEER_TASKS && bo__peer_task_at(peer)->evaluations == task->evaluations) {
        out->peer = bo__peer_best(peer);
        out->peer_median = out->peer->median[peer];
    }
    return status;
}

static void print_table(const settings *s, const summary *sums)
{
    printf("%-16s %3s %5s %5s %9s %9s %9s %7s  %s\n", "function", "dim", "evals", "seeds",
           "median", "lower", "upper", "seconds", "best other system");
    for (size_t i = 0; i < s->chosen.count; i++) {
        const bo__bench_task *task = &s->chosen.task[i];
        printf("%-16s %3zu %5zu %5zu %9.3g %9.3g %9.3g %7.2f  ",
               bo__objective_type_name(task->type), task->dim, task->evaluations, s->seeds,
               sums[i].regret.median, sums[i].regret.lower, sums[i].regret.upper,
               sums[i].seconds);
        if (sums[i].peer)
            printf("%.3g (%s)\n", sums[i].peer_median, sums[i].peer->name);
        else
            printf("-\n");
    }
}

/* The medians of all systems on the functions that were run; ours first. */
static void print_peers(const settings *s, const summary *sums)
{
    bool any = false;
    for (size_t i = 0; i < s->chosen.count; i++)
        any |= sums[i].peer != NULL;
    if (!any)
        return;
    printf("\n%-26s %5s", "median regret", "seeds");
    for (size_t i = 0; i < s->chosen.count; i++)
        if (sums[i].peer)
            printf(" %14s", bo__objective_type_name(s->chosen.task[i].type));
    printf("\n%-26s %5zu", "bo", s->seeds);
    for (size_t i = 0; i < s->chosen.count; i++)
        if (sums[i].peer)
            printf(" %14.3g", sums[i].regret.median);
    for (size_t p = 0; bo__peer_at(p); p++) {
        const bo__peer *peer = bo__peer_at(p);
        printf("\n%-26s %5zu", peer->name, peer->seeds);
        for (size_t i = 0; i < s->chosen.count; i++) {
            const bo__bench_task *task = &s->chosen.task[i];
            size_t at = bo__peer_task_find(bo__objective_type_name(task->type), task->dim);
            if (sums[i].peer && isnan(peer->median[at]))
                printf(" %14s", "-");
            else if (sums[i].peer)
                printf(" %14.3g", peer->median[at]);
        }
    }
    printf("\n");
}

/* ---- files --------------------------------------------------------------------------------- */

typedef void (*row_writer)(bo__row *row, const settings *s, const summary *sums,
                           const bo__bench_runs *runs, size_t task, size_t line);

static void summary_row(bo__row *row, const settings *s, const summary *sums,
                        const bo__bench_runs *runs, size_t task, size_t line)
{
    const bo__bench_task *t = &s->chosen.task[task];
    const summary *sum = &sums[task];
    bo__row_text(row, "function", bo__objective_type_name(t->type));
    bo__row_size(row, "dim", t->dim);
    bo__row_size(row, "evaluations", t->evaluations);
    bo__row_size(row, "seeds", s->seeds);
    bo__row_number(row, "median", sum->regret.median);
    bo__row_number(row, "lower", sum->regret.lower);
    bo__row_number(row, "upper", sum->regret.upper);
    bo__row_number(row, "least", sum->regret.least);
    bo__row_number(row, "most", sum->regret.most);
    bo__row_number(row, "mean", sum->mean);
    bo__row_number(row, "se", sum->error);
    bo__row_number(row, "seconds", sum->seconds);
    bo__row_text(row, "peer", sum->peer ? sum->peer->name : "");
    bo__row_number(row, "peer_median", sum->peer ? sum->peer_median : NAN);
}

static void run_row(bo__row *row, const settings *s, const summary *sums,
                    const bo__bench_runs *runs, size_t task, size_t line)
{
    const bo__bench_task *t = &s->chosen.task[task];
    bo__row_text(row, "function", bo__objective_type_name(t->type));
    bo__row_size(row, "dim", t->dim);
    bo__row_size(row, "seed", s->first + line / t->evaluations);
    bo__row_size(row, "evaluation", line % t->evaluations + 1);
    bo__row_number(row, "regret", runs[task].regret[line]);
}

/* A CSV with one row per task or, with `each`, one per evaluation of each of its runs. */
static bo_status write_csv(const char *path, row_writer write, const settings *s,
                           const summary *sums, const bo__bench_runs *runs, bool each,
                           bo_message *message)
{
    bo__output *output;
    bo__row row = {0};
    bo_status status = bo__output_open(&output, path, message);
    if (status)
        return status;
    FILE *stream = bo__output_stream(output);
    bo__row_begin(&row, BO_ROW_HEADER);
    write(&row, s, sums, runs, 0, 0);
    status = bo__row_end(&row, message);
    if (!status)
        fputs(row.text, stream);
    for (size_t t = 0; !status && t < s->chosen.count; t++) {
        size_t lines = each ? runs[t].seeds * runs[t].evaluations : 1;
        for (size_t i = 0; !status && i < lines; i++) {
            bo__row_begin(&row, BO_ROW_CSV);
            write(&row, s, sums, runs, t, i);
            status = bo__row_end(&row, message);
            if (!status)
                fputs(row.text, stream);
        }
    }
    bo__row_free(&row);
    if (!status)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bool show_progress(void *data, size_t evaluations, size_t total)
{
    bo__progress *bar = data;
    bo__progress_update(bar, evaluations, NULL);
    return bo__interrupted();
}

static bo_status run(const settings *s, bo_message *message)
{
    bo__bench_runs *runs;
    bo__progress bar;
    size_t total = 0;
    for (size_t i = 0; i < s->chosen.count; i++)
        total += s->seeds * s->chosen.task[i].evaluations;
    bo__progress_start(&bar, stderr, "evaluations", total);
    bo_status status = bo__bench_optimize(&runs, s->chosen.count, s->chosen.task, &s->options,
                                          s->first, s->seeds, s->jobs, show_progress, &bar,
                                          message);
    bo__progress_end(&bar);
    if (status)
        return status;
    summary *sums = calloc(s->chosen.count, sizeof *sums);
    if (!sums)
        status = BO_ENOMEM;
    for (size_t i = 0; !status && i < s->chosen.count; i++)
        status = sum_up(&sums[i], &s->chosen.task[i], &runs[i], message);
    if (!status) {
        print_table(s, sums);
        print_peers(s, sums);
    }
    if (!status && s->output)
        status = write_csv(s->output, summary_row, s, sums, runs, false, message);
    if (!status && s->runs)
        status = write_csv(s->runs, run_row, s, sums, runs, true, message);
    free(sums);
    bo__bench_runs_free(runs, s->chosen.count);
    return status;
}

int bo__bench_main_optimize(int argc, char **argv)
{
    settings s = {.functions = "branin,hartmann6,rosenbrock:4,levy:4,ackley_shifted",
                  .seeds = 20, .first = 1, .jobs = bo__parallel_cores()};
    bo_options_init(&s.options);
    s.options.init = 10; /* as the other systems had */
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bo_status status = run(&s, &message);
    if (status == BO_OK || (status == BO_STOPPED && bo__interrupted()))
        return 0;
    fprintf(stderr, "bo-bench optimize: %s\n",
            *message.text ? message.text : bo_status_text(status));
    return 1;
}
