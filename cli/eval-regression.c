/* eval-regression.c - bo-eval regression: models side by side on tasks they have not seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "eval.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"

typedef struct settings {
    bo__eval_models models;
    const char *kernel, *output, *variant, *data;
    size_t tasks, samples, threads;
    uint64_t seed;
    bool base;
    bo__prior kernels;
    bo__series series;
} settings;

/* One line of the table. */
typedef struct line {
    const char *kernel, *model, *kind;
    bo__regression_result result;
    const double *paper; /* BO_MEASURES figures, or NULL */
} line;

enum { MOST_LINES = BO_PRIOR_KINDS * (BO_EVAL_MODELS + 2) };

static const char purpose[] =
    "Scores neural processes on tasks drawn from Gaussian processes, or from series of predators and "
    "prey: log-likelihood of context and target points, calibration error and sharpness, beside the "
    "paper's figures and the best that is possible.";

static const char examples[] =
    "  All shipped models of the paper's kind, on the tasks they were trained for:\n"
    "    bo-eval regression\n\n"
    "  Two files and a mixture of three, on all four kernels, as CSV too:\n"
    "    bo-eval regression --model a.safetensors --model b.safetensors --model a1,a2,a3 \\\n"
    "        --kernel all --output table.csv\n\n"
    "  A model of bo-train --prior predator, on simulated series and on real ones:\n"
    "    bo-eval regression --model lv.safetensors --kernel predator,hare-lynx\n";

static const char notes[] =
    "MODELS. A weight file; several with commas between them, for their mixture; or a surrogate by "
    "name, banp, banp@paper, cnp+de, whose weights are found as bo-run finds them.\n\n"
    "TABLE. context and target: mean log-likelihood of a point; ce: calibration error, "
    "Σ (p - p̂)² over p = 0.1 … 0.9, p̂ the share of the targets of 16 tasks that lie below the "
    "predicted p-quantile; sharpness: mean predicted variance of the targets. Of a mixture, ce and "
    "sharpness are those of each of its Gaussians, averaged, as in the paper: the spread of their "
    "means is in neither. Behind ± is the standard error, from the differences between groups of "
    "16 tasks: n/a when there is only one group. The line below a model has the figures of Lee et "
    "al. (2020) for its kind: table 1, the table of predator-prey data, and those of section C. The "
    "last two lines are the exact Gaussian process that knows the task's kernel, its parameters and "
    "the noise, and the same with its sd clipped from below at 0.1, the floor of the paper's "
    "models: no model can do better than the first, nor a model with that floor than the "
    "second.\n\n"
    "SERIES. predator: points of simulated series of predators and prey; hare-lynx: the pelts of "
    "lynxes and hares that the Hudson's Bay Company bought from 1845 to 1935, 15 to 75 of the 91 "
    "years given, all others targets; --data names another file with lines of time, prey and "
    "predators. Both have two outputs, predators first, standardised by the context.";

/* ---- output ---------------------------------------------------------------------------- */

static void print_head(const char *kernel, size_t tasks, size_t wide)
{
    printf("%s, %zu tasks\n%-*s %17s %17s %17s %17s\n", kernel, tasks, (int)wide, "model",
           "context", "target", "ce", "sharpness");
}

/* Four columns of 17; without errors a column's second half stays empty. */
static void print_numbers(const double *value, const double *error)
{
    int gap = 1;
    for (int m = 0; m < BO_MEASURES; m++) {
        if (isnan(value[m]))
            printf("%*s", gap + 8, "-");
        else
            printf("%*.*f", gap + 8, m == BO_SHARPNESS ? 4 : 3, value[m]);
        gap = !error || isnan(value[m]) ? 10 : 1;
        if (gap == 1 && isnan(error[m])) {
            printf(" ± n/a");
            gap = 4;
        } else if (gap == 1)
            printf(" ± %.4f", error[m]);
    }
    printf("\n");
}

static void print_line(const line *l, size_t wide)
{
    printf("%-*s", (int)wide, l->model);
    print_numbers(l->result.mean, l->result.error);
    if (l->paper) {
        printf("%-*s", (int)wide, "  paper");
        print_numbers(l->paper, NULL);
    }
    fflush(stdout);
}

static void add_fields(bo__row *row, const line *l)
{
    static const char *const names[BO_MEASURES][3] = {
        {"context", "context_se", "paper_context"}, {"target", "target_se", "paper_target"},
        {"ce", "ce_se", "paper_ce"}, {"sharpness", "sharpness_se", "paper_sharpness"}};
    bo__row_text(row, "kernel", l->kernel);
    bo__row_text(row, "model", l->model);
    bo__row_text(row, "kind", l->kind);
    bo__row_size(row, "tasks", l->result.tasks);
    for (int m = 0; m < BO_MEASURES; m++) {
        bo__row_number(row, names[m][0], l->result.mean[m]);
        bo__row_number(row, names[m][1], l->result.error[m]);
    }
    for (int m = 0; m < BO_MEASURES; m++)
        bo__row_number(row, names[m][2], l->paper ? l->paper[m] : NAN);
}

/* CSV, or a JSON array with one object a line. */
static bo_status write_lines(FILE *file, bool json, size_t count, const line *lines,
                             bo_message *message)
{
    bo__row row = {0};
    bo_status status = BO_OK;
    static const line none = {"", "", "", {0}, NULL};
    for (size_t i = json ? 1 : 0; !status && i <= count; i++) {
        bo__row_begin(&row, i == 0 ? BO_ROW_HEADER : json ? BO_ROW_JSON : BO_ROW_CSV);
        add_fields(&row, i == 0 ? &none : &lines[i - 1]);
        status = bo__row_end(&row, message);
        if (status)
            break;
        if (json)
            fprintf(file, "%s%.*s", i == 1 ? "[\n" : ",\n", (int)(row.length - 1), row.text);
        else
            fputs(row.text, file);
    }
    if (json && !status)
        fputs(count ? "\n]\n" : "[]\n", file);
    bo__row_free(&row);
    return status;
}

static bo_status write_output(const settings *s, size_t count, const line *lines,
                              bo_message *message)
{
    bo__output *output;
    bo_status status = bo__output_open(&output, s->output, message);
    if (status)
        return status;
    status = write_lines(bo__output_stream(output), bo__path_ends(s->output, ".json"), count,
                         lines, message);
    if (!status)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}

/* ---- the work -------------------------------------------------------------------------- */

typedef struct ticker {
    bo__progress bar;
    size_t before; /* tasks of the models that are finished */
    const char *model;
} ticker;

static bool tick(void *data, size_t tasks)
{
    ticker *t = data;
    bo__progress_update(&t->bar, t->before + tasks, "%s", t->model);
    return bo__interrupted();
}

static size_t name_width(const settings *s)
{
    size_t wide = strlen("exact GP, sd >= 0.1");
    for (size_t i = 0; i < s->models.count; i++)
        if (strlen(s->models.model[i]->name) > wide)
            wide = strlen(s->models.model[i]->name);
    return wide;
}

/* The two lines that say what is possible; only Gaussian processes have them. */
static void add_limit(line *l, bo__predictor *p, bool clipped)
{
    l->model = clipped ? "exact GP, sd >= 0.1" : "exact GP";
    l->kind = clipped ? "gp-clipped" : "gp";
    l->paper = NULL;
    *p = (bo__predictor){.floor = clipped ? 0.1 : 0};
}

static bo_status score(const settings *s, bo__prior_kind kernel, size_t i, line *l, ticker *t,
                       bo_message *message)
{
    size_t dim = s->models.model[0]->model[0].spec.dim_x;
    bo__predictor predictor;
    l->kernel = bo__prior_name(kernel);
    if (i < s->models.count) {
        const bo__eval_model *e = s->models.model[i];
        l->model = e->name;
        l->kind = e->kind;
        l->paper = dim == 1 && !s->base ? bo__eval_paper(e->kind, kernel) : NULL;
        predictor = bo__eval_predictor(e);
    } else
        add_limit(l, &predictor, i > s->models.count);
    bo__regression_plan plan = {.prior = {.count = 1, .kinds = {kernel}, .dim = dim,
                                          .series = &s->series},
                                .seed = s->seed, .tasks = s->tasks,
                                .samples = s->base ? 0 : s->samples, .threads = s->threads,
                                .progress = tick, .progress_data = t};
    t->model = l->model;
    bo_status status = bo__regression(&predictor, &plan, &l->result, message);
    t->before += s->tasks;
    return status;
}

static bo_status run(const settings *s, bo_message *message)
{
    line *lines = calloc(MOST_LINES, sizeof *lines);
    if (!lines)
        return bo__fail(message, BO_ENOMEM, "no memory for the table");
    size_t count = 0, wide = name_width(s), rows = s->models.count + 2;
    ticker t = {.before = 0};
    bo_status status = BO_OK;
    bo__progress_start(&t.bar, stderr, "tasks", s->kernels.count * rows * s->tasks);
    for (size_t k = 0; !status && k < s->kernels.count; k++) {
        bo__prior_kind kernel = s->kernels.kinds[k];
        size_t here = kernel >= BO_PRIOR_TNOISE ? s->models.count : rows;
        bo__progress_clear(&t.bar);
        if (k)
            printf("\n");
        print_head(bo__prior_name(kernel), s->tasks, wide);
        for (size_t i = 0; !status && i < here; i++) {
            status = score(s, kernel, i, &lines[count], &t, message);
            bo__progress_clear(&t.bar);
            if (!status)
                print_line(&lines[count++], wide);
        }
    }
    bo__progress_end(&t.bar);
    if ((!status || status == BO_STOPPED) && s->output)
        status = write_output(s, count, lines, message);
    free(lines);
    return status == BO_STOPPED ? BO_OK : status;
}

/* ---- the command line ------------------------------------------------------------------ */

static int parse(settings *s, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "model", .value = "MODEL", .kind = BO_ARG_CALL, .call = bo__eval_name_model,
         .target = &s->models, .group = "models",
         .help = "A model to score, see below; may be given several times. Without it: all "
                 "shipped ones."},
        {.name = "variant", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->variant,
         .group = "models", .help = "Of the weights of surrogates that are named without one."},
        {.name = "kind", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->models.kind,
         .group = "models", .help = "What a file without metadata holds: cnp, np, … banp."},
        {.name = "ablation", .value = "PART", .kind = BO_ARG_TEXT, .target = &s->models.ablation,
         .group = "models",
         .help = "Predict without a part: paired, adaptation (bnp, banp), or with a naive "
                 "bootstrap: naive (cnp, canp)."},
        {.name = "samples", .value = "N", .kind = BO_ARG_SIZE, .target = &s->samples, .least = 1,
         .most = 10000, .group = "models", .help = "Samples of np, bnp, anp, banp."},
        {.name = "base", .kind = BO_ARG_FLAG, .target = &s->base, .group = "models",
         .help = "The base path of bnp and banp, the mean of the latent variable of np and anp."},
        {.name = "kernel", .value = "NAMES", .kind = BO_ARG_TEXT, .target = &s->kernel,
         .group = "tasks",
         .help = "rbf, matern52, periodic, tnoise, several with commas between, or all (four); or "
                 "predator, hare-lynx."},
        {.name = "data", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->data,
         .group = "tasks",
         .help = "Series for --kernel hare-lynx, see below (default: the one that is shipped)."},
        {.name = "tasks", .value = "N", .kind = BO_ARG_SIZE, .target = &s->tasks, .least = 1,
         .most = 1e7, .group = "tasks",
         .help = "Rounded up to whole groups of 16; the paper's tables have 48000."},
        {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &s->seed,
         .group = "tasks", .help = "Of the tasks and samples."},
        {.name = "threads", .value = "N", .kind = BO_ARG_SIZE, .target = &s->threads,
         .group = "tasks", .help = "Default: all cores. Results do not depend on it."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "output", .help = "Write the table too, as .csv or .json."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-eval regression", .purpose = purpose,
                                 .usage = "[options] [MODEL…]", .examples = examples,
                                 .notes = notes, .args = table,
                                 .operand = bo__eval_name_model, .operand_target = &s->models};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    const char *names = strcmp(s->kernel, "all") ? s->kernel : "rbf,matern52,periodic,tnoise";
    if (bo__prior_parse(&s->kernels, names, 1, &message))
        return bo__args_error(&command, "option '--kernel': %s", message.text);
    if (s->output && !bo__path_ends(s->output, ".csv") && !bo__path_ends(s->output, ".json"))
        return bo__args_error(&command, "option '--output': '%s' ends neither with .csv nor with "
                              ".json", s->output);
    if (s->output && bo__output_check(s->output, &message))
        return bo__args_error(&command, "%s", message.text);
    s->tasks = (s->tasks + BO_REGRESSION_GROUP - 1) / BO_REGRESSION_GROUP * BO_REGRESSION_GROUP;
    return -1;
}

int bo__eval_main_regression(int argc, char **argv)
{
    static settings s;
    s = (settings){.kernel = "rbf", .variant = "paper", .tasks = 1600, .samples = 50};
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bo_status status = bo__eval_read_series(&s.kernels, s.data, &s.series, &message);
    if (!status)
        status = bo__eval_load(&s.models, s.variant, &message);
    if (!status)
        status = run(&s, &message);
    bo__series_free(&s.series);
    bo__eval_free(&s.models);
    if (status)
        fprintf(stderr, "bo-eval regression: %s\n", message.text);
    return status ? 1 : 0;
}
