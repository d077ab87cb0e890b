/* eval-predict.c - bo-eval predict: what a model says at given points, from given observations.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "eval.h"
#include "message.h"
#include "numbers.h"
#include "output.h"

typedef struct settings {
    bo__eval_models models;
    const char *context, *at, *output, *variant;
    size_t samples;
    uint64_t seed;
    bool base, components;
} settings;

static const char purpose[] =
    "Prints the mean and standard deviation that a neural process predicts at the points of one "
    "CSV file, from the observations in another, as CSV.";

static const char examples[] =
    "  What banp makes of three observations, at 0 and 1:\n"
    "    printf '%s\\n' x,y -1,0.2 0.5,-0.3 1.5,0.1 >context.csv\n"
    "    printf '%s\\n' x 0 1 >at.csv\n"
    "    bo-eval predict --model banp --context context.csv --at at.csv\n";

static const char notes[] =
    "MODEL. As for bo-eval regression.\n\n"
    "FILES. Numbers with commas between them, one point a line, none missing; a first line in "
    "which no field begins with a number is a header; empty lines and lines that begin with # do "
    "not count. A line of the context has the inputs, then the outputs; a line of the points the "
    "inputs. They are in the model's own units: inputs within the box it was trained on, outputs "
    "of the size of its training functions. A model that was trained on standardised series "
    "(bo-train --prior predator) takes any units: mean and sd of the context set them. Numbers so "
    "large that the network overflows are an error.";

static bo_status check_columns(const char *path, size_t have, size_t want, const char *what,
                               bo_message *message)
{
    if (have == want)
        return BO_OK;
    return bo__fail(message, BO_EINVAL, "%s: has %zu columns; %zu were expected (%s)", path, have,
                    want, what);
}

/* ---- output ---------------------------------------------------------------------------- */

/* "mean", "mean_2", "mean_2_k7": of an output when there are several, of a component. */
static void field(bo__row *row, const char *what, size_t output, size_t outputs, size_t component,
                  double value)
{
    char name[80], number[32] = "", part[32] = "";
    if (outputs > 1)
        snprintf(number, sizeof number, "_%zu", output + 1);
    if (component)
        snprintf(part, sizeof part, "_k%zu", component);
    snprintf(name, sizeof name, "%s%s%s", what, number, part);
    bo__row_number(row, name, value);
}

static void add_fields(bo__row *row, const settings *s, const bo__eval_answer *a,
                       const bo__numbers *at, size_t i)
{
    for (size_t j = 0; j < at->cols; j++)
        field(row, "x", j, at->cols, 0, at->data[i * at->cols + j]);
    for (size_t j = 0; j < a->outputs; j++) {
        double mean, sd;
        bo__eval_answer_moments(a, i, j, &mean, &sd);
        field(row, "mean", j, a->outputs, 0, mean);
        field(row, "sd", j, a->outputs, 0, sd);
    }
    for (size_t k = 0; s->components && k < a->K; k++)
        for (size_t j = 0; j < a->outputs; j++) {
            size_t from = (i * a->K + k) * a->outputs + j;
            field(row, "mean", j, a->outputs, k + 1, a->mean[from]);
            field(row, "sd", j, a->outputs, k + 1, a->sd[from]);
        }
}

static bo_status print_answer(FILE *file, const settings *s, const bo__eval_answer *a,
                              const bo__numbers *at, bo_message *message)
{
    bo__row row = {0};
    bo_status status = BO_OK;
    for (size_t i = 0; !status && i <= a->m; i++) {
        bo__row_begin(&row, i ? BO_ROW_CSV : BO_ROW_HEADER);
        add_fields(&row, s, a, at, i ? i - 1 : 0);
        status = bo__row_end(&row, message);
        if (!status)
            fputs(row.text, file);
    }
    bo__row_free(&row);
    return status;
}

static bo_status write_answer(const settings *s, const bo__eval_answer *a, const bo__numbers *at,
                              bo_message *message)
{
    if (!s->output)
        return print_answer(stdout, s, a, at, message);
    bo__output *output;
    bo_status status = bo__output_open(&output, s->output, message);
    if (status)
        return status;
    status = print_answer(bo__output_stream(output), s, a, at, message);
    if (!status)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}

/* ---- the work -------------------------------------------------------------------------- */

/* The answer at `at` to x and y, the columns of the context, which may be changed. */
static bo_status ask(const settings *s, const bo__numbers *context, double *x, double *y,
                     const bo__numbers *at, bo__eval_answer *a, bo_message *message)
{
    const bo__eval_model *e = s->models.model[0];
    size_t in = at->cols, out = context->cols - in, n = context->rows, size = at->rows * in;
    bo__npsampling sampling = {s->base ? 0 : s->samples, s->seed, 0};
    if (!e->info.standardised)
        return bo__eval_answer_new(a, e, n, x, y, at->rows, at->data, sampling, message);
    bo__eval_scale scale = {0};
    double *points = malloc((size + 1) * sizeof *points);
    bo_status status = points ? bo__eval_scale_new(&scale, n, in + out, context->data) : BO_ENOMEM;
    if (status)
        bo__fail(message, status, "no memory for %zu points", at->rows);
    else {
        memcpy(points, at->data, size * sizeof *points);
        bo__eval_scale_in(&scale, 0, n, in, x);
        bo__eval_scale_in(&scale, in, n, out, y);
        bo__eval_scale_in(&scale, 0, at->rows, in, points);
        status = bo__eval_answer_new(a, e, n, x, y, at->rows, points, sampling, message);
    }
    if (!status)
        bo__eval_scale_out(&scale, in, a);
    bo__eval_scale_free(&scale);
    free(points);
    return status;
}

static bo_status answer(const settings *s, const bo__numbers *context, const bo__numbers *at,
                        bo_message *message)
{
    const bo__eval_model *e = s->models.model[0];
    size_t in = e->model[0].spec.dim_x, out = e->model[0].spec.dim_y, n = context->rows;
    bo_status status = check_columns(s->context, context->cols, in + out,
                                     "the model's inputs and outputs", message);
    if (!status)
        status = check_columns(s->at, at->cols, in, "the model's inputs", message);
    if (status)
        return status;
    double *x = malloc(n * in * sizeof *x), *y = malloc(n * out * sizeof *y);
    bo__eval_answer a = {0};
    if (!x || !y)
        status = bo__fail(message, BO_ENOMEM, "no memory for %zu observations", n);
    for (size_t i = 0; !status && i < n; i++) {
        memcpy(x + i * in, context->data + i * (in + out), in * sizeof *x);
        memcpy(y + i * out, context->data + i * (in + out) + in, out * sizeof *y);
    }
    if (!status)
        status = ask(s, context, x, y, at, &a, message);
    if (!status)
        status = write_answer(s, &a, at, message);
    bo__eval_answer_free(&a);
    free(x);
    free(y);
    return status;
}

static bo_status run(settings *s, bo_message *message)
{
    bo__numbers context = {0}, at = {0};
    bo_status status = bo__eval_load(&s->models, s->variant, message);
    if (!status)
        status = bo__numbers_read(&context, s->context, message);
    if (!status)
        status = bo__numbers_read(&at, s->at, message);
    if (!status)
        status = answer(s, &context, &at, message);
    bo__numbers_free(&context);
    bo__numbers_free(&at);
    bo__eval_free(&s->models);
    return status;
}

static int parse(settings *s, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "model", .value = "MODEL", .kind = BO_ARG_CALL, .call = bo__eval_name_model,
         .target = &s->models, .group = "model", .help = "The model, see below."},
        {.name = "variant", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->variant,
         .group = "model", .help = "Of the weights, when a surrogate is named without one."},
        {.name = "kind", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->models.kind,
         .group = "model", .help = "What a file without metadata holds: cnp, np, … banp."},
        {.name = "ablation", .value = "PART", .kind = BO_ARG_TEXT, .target = &s->models.ablation,
         .group = "model",
         .help = "Predict without a part: paired, adaptation (bnp, banp), or with a naive "
                 "bootstrap: naive (cnp, canp)."},
        {.name = "samples", .value = "N", .kind = BO_ARG_SIZE, .target = &s->samples, .least = 1,
         .most = 10000, .group = "model", .help = "Samples of np, bnp, anp, banp."},
        {.name = "base", .kind = BO_ARG_FLAG, .target = &s->base, .group = "model",
         .help = "The base path of bnp and banp, the mean of the latent variable of np and anp."},
        {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &s->seed,
         .group = "model", .help = "Of the samples."},
        {.name = "context", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->context,
         .group = "data", .help = "The observations, as CSV; - is standard input."},
        {.name = "at", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->at, .group = "data",
         .help = "The points to predict at, as CSV; - is standard input."},
        {.name = "components", .kind = BO_ARG_FLAG, .target = &s->components, .group = "output",
         .help = "Print the Gaussians of the mixture too, as mean_k1, sd_k1, mean_k2 …"},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "output", .help = "Write there instead of to standard output."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-eval predict", .purpose = purpose,
                                 .usage = "--model MODEL --context FILE --at FILE [options]",
                                 .examples = examples, .notes = notes, .args = table};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    if (s->models.count != 1)
        return bo__args_error(&command, "one --model is needed, not %zu", s->models.count);
    if (!s->context || !s->at)
        return bo__args_error(&command, "option '--%s' is needed", s->context ? "at" : "context");
    if (!strcmp(s->context, "-") && !strcmp(s->at, "-"))
        return bo__args_error(&command, "only one of --context and --at can be standard input");
    if (s->output && bo__output_check(s->output, &message))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

int bo__eval_main_predict(int argc, char **argv)
{
    static settings s;
    s = (settings){.variant = "sharp", .samples = 50};
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bo_status status = run(&s, &message);
    if (status)
        fprintf(stderr, "bo-eval predict: %s\n", message.text);
    return status ? 1 : 0;
}
