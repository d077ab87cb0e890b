/* runview.c - what bo-run prints: a live table on a terminal, plain lines elsewhere, a summary.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plain lines are name=value pairs with blanks between them, one line per trial:
 *
 *     trial=12 y=0.52 best=0.41 regret=0.012 x1=9.4 x2=2.5
 *
 * y is "failed" for a failed trial; best is left out while there is none, regret when the optimum
 * is not known.  On a terminal only trials that improve get a line, and a bar shows the rest.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "interrupt.h"
#include "parameter.h"
#include "run.h"

/* Digits enough to tell two trials apart, few enough to read. */
static const char *short_value(const bo_parameter *parameter, double value,
                               char buffer[BO_VALUE_ROOM])
{
    if (parameter->kind != BO_REAL)
        return bo__parameter_text(parameter, value, buffer);
    snprintf(buffer, BO_VALUE_ROOM, "%.6g", value);
    return buffer;
}

static bool knows_optimum(const bo__run *run)
{
    return !isnan(run->problem->optimum);
}

/* Parameters that fit the terminal; at least one. */
static size_t columns_that_fit(const bo__run *run)
{
    size_t used = 7 + 14 + (knows_optimum(run) ? 14 : 0);
    size_t width = bo__args_width(stdout);
    size_t fit = width > used + 12 ? (width - used) / 12 : 1;
    return fit < run->dim ? fit : run->dim;
}

static void print_head(const bo__run *run)
{
    const bo_options *options = &run->settings->options;
    printf("%s %s; surrogate %s%s%s, acquisition %s; %zu initial points and %zu iterations, "
           "seed %llu\n\n",
           options->maximize ? "Maximising" : "Minimising", run->problem->title,
           options->surrogate ? bo_surrogate_name(options->surrogate) : "gp",
           options->variant ? "@" : "", options->variant ? options->variant : "",
           options->acquisition ? bo_acquisition_name(options->acquisition) : "logei",
           options->init, run->settings->iterations, (unsigned long long)options->seed);
    printf("%6s %13s", "trial", "best");
    if (knows_optimum(run))
        printf(" %13s", "regret");
    size_t columns = columns_that_fit(run);
    for (size_t i = 0; i < columns; i++)
        printf(" %11.11s", bo_space_parameter(run->problem->space, i)->name);
    printf("%s\n", columns < run->dim ? " …" : "");
}

void bo__view_open(bo__run *run)
{
    run->live = isatty(STDOUT_FILENO) && !run->settings->quiet;
    if (!run->live)
        return;
    print_head(run);
    bo__progress_start(&run->bar, stdout, "", run->settings->options.init +
                                                  run->settings->iterations);
    bo__progress_update(&run->bar, 0, "evaluating the first point"); /* it may take hours */
}

static void print_table_row(const bo__run *run, const bo__run_trial *trial)
{
    char buffer[BO_VALUE_ROOM];
    size_t columns = columns_that_fit(run);
    printf("%6zu %13.7g", trial->number, trial->best);
    if (knows_optimum(run))
        printf(" %13.4g", trial->regret);
    for (size_t i = 0; i < columns; i++)
        printf(" %11.11s",
               short_value(bo_space_parameter(run->problem->space, i), trial->x[i], buffer));
    putchar('\n');
}

static void print_line(const bo__run *run, const bo__run_trial *trial)
{
    char buffer[BO_VALUE_ROOM];
    printf("trial=%zu", trial->number);
    if (isnan(trial->y))
        printf(" y=failed");
    else
        printf(" y=%.9g", trial->y);
    if (!isnan(trial->best))
        printf(" best=%.9g", trial->best);
    if (!isnan(trial->regret))
        printf(" regret=%.6g", trial->regret);
    for (size_t i = 0; i < run->dim; i++) {
        const bo_parameter *parameter = bo_space_parameter(run->problem->space, i);
        printf(" %s=%s", parameter->name, short_value(parameter, trial->x[i], buffer));
    }
    putchar('\n');
    fflush(stdout);
}

static void update_bar(bo__run *run, const bo__run_trial *trial)
{
    if (isnan(trial->best))
        bo__progress_update(&run->bar, run->count, "no value yet");
    else if (isnan(trial->regret))
        bo__progress_update(&run->bar, run->count, "best %.6g", trial->best);
    else
        bo__progress_update(&run->bar, run->count, "best %.6g  regret %.3g", trial->best,
                            trial->regret);
}

void bo__view_trial(bo__run *run, const bo__run_trial *trial)
{
    if (isnan(trial->y) && !run->settings->quiet) {
        bo__progress_clear(&run->bar);
        fprintf(stderr, "bo-run: trial %zu failed: %s\n", trial->number, trial->reason);
    }
    if (run->live) {
        if (trial->improved) {
            bo__progress_clear(&run->bar);
            print_table_row(run, trial);
        }
        update_bar(run, trial);
    } else if (!run->settings->quiet) {
        print_line(run, trial);
    }
}

void bo__view_close(bo__run *run)
{
    if (run->live)
        bo__progress_end(&run->bar);
}

static void print_point(const bo__run *run, const char *label, const double *x)
{
    char buffer[BO_VALUE_ROOM];
    for (size_t i = 0; i < run->dim; i++) {
        const bo_parameter *parameter = bo_space_parameter(run->problem->space, i);
        printf("%-12s %s = %s\n", i ? "" : label, parameter->name,
               short_value(parameter, x[i], buffer));
    }
}

/* With noise the best observed value is the luckiest one as well; the surrogate sees through it. */
static void print_best_mean(const bo__run *run)
{
    double *x = malloc(run->dim * sizeof *x), mean, sd;
    if (x && !bo_optimizer_best_mean(run->optimizer, x, &mean, &sd)) {
        printf("%-12s %.6g ± %.2g", "best mean", mean, sd);
        if (knows_optimum(run))
            printf(", regret %.4g", bo__problem_truth(run->problem, x) - run->problem->optimum);
        putchar('\n');
        print_point(run, "  its point", x);
    }
    free(x);
}

static void print_best(const bo__run *run)
{
    const bo__run_trial *best = &run->trials[run->best];
    printf("%-12s %.9g (trial %zu)\n", "best value", best->y, best->number);
    if (knows_optimum(run))
        printf("%-12s %.4g (optimum %.9g)\n", "regret", run->trials[run->count - 1].regret,
               run->problem->optimum);
    print_point(run, "best point", best->x);
    if (run->problem->noise > 0)
        print_best_mean(run);
}

void bo__view_summary(const bo__run *run)
{
    double fit = 0, suggest = 0, evaluate = 0;
    for (size_t i = 0; i < run->count; i++) {
        const bo__run_trial *trial = &run->trials[i];
        fit += isfinite(trial->fit_ms) ? 1e-3 * trial->fit_ms : 0;
        suggest += isfinite(trial->suggest_ms) ? 1e-3 * trial->suggest_ms : 0;
        evaluate += 1e-3 * trial->eval_ms;
    }
    if (!run->settings->quiet && run->count)
        putchar('\n');
    if (bo__run_has_best(run))
        print_best(run);
    printf("%-12s %zu (%zu initial, %zu suggested; %zu failed)\n", "evaluations", run->count,
           run->count - run->suggested, run->suggested, run->failed);
    printf("%-12s %.2f s (fitting %.2f, suggesting %.2f, evaluating %.2f)\n", "time",
           run->seconds, fit, suggest, evaluate);
    printf("%-12s %s\n", "ended",
           bo__interrupted() ? "interrupted" : bo_status_text(run->reason));
    if (run->settings->output)
        printf("%-12s %s\n", "output", run->settings->output);
    fflush(stdout);
}

static void print_entry(FILE *stream, const char *name, const char *summary)
{
    fprintf(stream, "  %-16s ", name);
    bo__args_wrap(stream, summary, 19, 19, bo__args_width(stream));
    fputc('\n', stream);
}

static void list_objectives(FILE *stream)
{
    const bo__objective_type *type;
    fprintf(stream, "\nObjectives (--objective, --dim):\n");
    for (size_t i = 0; (type = bo__objective_at(i)); i++) {
        size_t least = bo__objective_type_least_dim(type);
        size_t most = bo__objective_type_most_dim(type);
        char text[512], range[64];
        if (least == most)
            snprintf(range, sizeof range, "%zu", least);
        else if (most == SIZE_MAX)
            snprintf(range, sizeof range, "%zu or more, usually %zu", least,
                     bo__objective_type_usual_dim(type));
        else
            snprintf(range, sizeof range, "%zu to %zu, usually %zu", least, most,
                     bo__objective_type_usual_dim(type));
        snprintf(text, sizeof text, "%s (dimensions: %s)", bo__objective_type_summary(type),
                 range);
        print_entry(stream, bo__objective_type_name(type), text);
    }
}

void bo__view_list(FILE *stream)
{
    const bo_surrogate_type *surrogate;
    const bo_acquisition_type *acquisition;
    fprintf(stream, "Surrogates (--surrogate):\n");
    for (size_t i = 0; (surrogate = bo_surrogate_at(i)); i++)
        print_entry(stream, bo_surrogate_name(surrogate), bo_surrogate_summary(surrogate));
    fprintf(stream, "\nAcquisitions (--acquisition):\n");
    for (size_t i = 0; (acquisition = bo_acquisition_at(i)); i++)
        print_entry(stream, bo_acquisition_name(acquisition),
                    bo_acquisition_summary(acquisition));
    list_objectives(stream);
}
