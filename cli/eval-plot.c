/* eval-plot.c - bo-eval plot: tasks with one input, and what models make of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row of panels for each kernel and output, a column for each model: the mixture's mean with
 * bands of one and two standard deviations, the context, the targets, and the mean log-likelihood
 * of the targets (figure 2 of Lee et al., 2020).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "eval.h"
#include "message.h"
#include "oracle.h"
#include "plot.h"

enum { GRID = 401, MOST_COLUMNS = 8, POINTS = BO_REGRESSION_POINTS };

typedef struct settings {
    bo__eval_models models;
    const char *kernel, *output, *variant, *data;
    size_t samples, task;
    uint64_t seed;
    bool limit;
    bo__prior kernels;
    bo__series series;
} settings;

/* One panel: curves on the grid, and the likelihood of the targets. */
typedef struct panel {
    char title[120];
    double mean[GRID], sd[GRID];
    double target;
} panel;

typedef struct task {
    bo__regression_task drawn;
    size_t outputs, output; /* how many, and which is drawn */
    double low, high;       /* of x */
    double x[POINTS], y[POINTS * BO__SERIES_OUTPUTS];
    double at[GRID + POINTS]; /* the grid, then the points */
} task;

static const char purpose[] =
    "Draws tasks with one input, and the predictions of models for them, side by side.";

static const char examples[] =
    "  The attentive models on a task of each kernel:\n"
    "    bo-eval plot --model anp --model banp --kernel all --output tasks.png\n\n"
    "  Another task, in the terminal:\n"
    "    bo-eval plot --model banp --task 7 --output -\n";

static const char notes[] =
    "PANELS. The line is the mean, the bands are one and two standard deviations; filled points are "
    "the context, hollow ones the targets; the number is the mean log-likelihood of the targets. "
    "Models are named as for bo-eval regression. A series has a row for the predators and one for the "
    "prey, in units of their sd in the context.";

/* ---- predictions ----------------------------------------------------------------------- */

static bo_status draw_task(const settings *s, bo__prior_kind kernel, task *t, bo_message *message)
{
    bo__prior prior = {.count = 1, .kinds = {kernel}, .dim = 1, .series = &s->series};
    t->drawn.x = t->x;
    t->drawn.y = t->y;
    t->outputs = bo__prior_outputs(&prior);
    t->output = 0;
    bo_status status = bo__regression_draw(&prior, s->seed, s->task, &t->drawn, message);
    if (status)
        return status;
    t->low = -BO__PRIOR_SIDE, t->high = BO__PRIOR_SIDE;
    for (size_t i = 0; i < t->drawn.n; i++) { /* times of series may be anywhere */
        t->low = fmin(t->low, t->x[i]);
        t->high = fmax(t->high, t->x[i]);
        t->at[GRID + i] = t->x[i];
    }
    for (size_t i = 0; i < GRID; i++)
        t->at[i] = t->low + (t->high - t->low) * (double)i / (GRID - 1);
    return BO_OK;
}

static void fill_panel(panel *p, const task *t, const bo__eval_answer *a)
{
    size_t context = t->drawn.context, n = t->drawn.n, d = a->outputs;
    for (size_t i = 0; i < GRID; i++)
        bo__eval_answer_moments(a, i, t->output, &p->mean[i], &p->sd[i]);
    p->target = 0;
    for (size_t i = context; i < n; i++) {
        size_t at = (GRID + i) * a->K * d;
        p->target += bo__mixture_log_density(a->K, d, a->mean + at, a->sd + at, t->y + i * d) /
                     (double)(n - context);
    }
}

static bo_status panel_of_model(const settings *s, const bo__eval_model *e, const task *t,
                                panel *p, bo_message *message)
{
    const bo__npspec *spec = &e->model[0].spec;
    if (spec->dim_x != 1 || spec->dim_y != t->outputs)
        return bo__fail(message, BO_EINVAL, "%s has %zu inputs and %zu outputs; these tasks have "
                        "1 and %zu", e->name, spec->dim_x, spec->dim_y, t->outputs);
    bo__eval_answer a;
    bo__npsampling sampling = {s->samples, s->seed, s->task};
    bo_status status = bo__eval_answer_new(&a, e, t->drawn.context, t->x, t->y,
                                           GRID + t->drawn.n, t->at, sampling, message);
    if (status)
        return status;
    fill_panel(p, t, &a);
    snprintf(p->title, sizeof p->title, "%s", e->name);
    bo__eval_answer_free(&a);
    return BO_OK;
}

static bo_status panel_of_limit(const task *t, panel *p, bo_message *message)
{
    static double mean[GRID + POINTS], sd[GRID + POINTS];
    bo__eval_answer a = {.m = GRID + t->drawn.n, .K = 1, .outputs = 1, .mean = mean, .sd = sd};
    bo_status status = bo__oracle_predict(&t->drawn.prior, 1, t->drawn.context, t->x, t->y, a.m,
                                          t->at, 0, mean, sd, message);
    if (!status)
        fill_panel(p, t, &a);
    snprintf(p->title, sizeof p->title, "exact GP");
    return status;
}

/* ---- drawing --------------------------------------------------------------------------- */

static void write_points(FILE *script, const char *name, const task *t, size_t from, size_t to)
{
    fprintf(script, "$%s << EOD\n", name);
    for (size_t i = from; i < to; i++)
        fprintf(script, "%.6g %.6g\n", t->x[i], t->y[i * t->outputs + t->output]);
    fprintf(script, "EOD\n");
}

static void write_curves(FILE *script, const panel *p, const task *t)
{
    fprintf(script, "$curve << EOD\n");
    for (size_t i = 0; i < GRID; i++)
        fprintf(script, "%.5g %.6g %.6g\n", t->at[i], p->mean[i], p->sd[i]);
    fprintf(script, "EOD\n");
}

/* The range of all panels of a row: what is to be seen of the data and the curves. */
static void range_of(const panel *panels, size_t count, const task *t, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (size_t i = 0; i < t->drawn.n; i++) {
        double y = t->y[i * t->outputs + t->output];
        *low = fmin(*low, y);
        *high = fmax(*high, y);
    }
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < GRID; i++) {
            *low = fmin(*low, panels[c].mean[i] - panels[c].sd[i]);
            *high = fmax(*high, panels[c].mean[i] + panels[c].sd[i]);
        }
    double margin = 0.05 * (*high - *low);
    *low -= margin;
    *high += margin;
}

static void draw_panel(FILE *script, const panel *p, const task *t, bool text, const char *kernel)
{
    static const char *const species[] = {" (predators)", " (prey)"};
    char title[200];
    snprintf(title, sizeof title, "%s%s, %s: %.3f", kernel,
             t->outputs > 1 ? species[t->output] : "", p->title, p->target);
    fprintf(script, "set title ");
    bo__plot_quote(script, title);
    fprintf(script, " noenhanced\n");
    write_curves(script, p, t);
    fprintf(script, "plot ");
    if (text)
        fprintf(script, "$curve using 1:($2-2*$3) with lines notitle, "
                        "$curve using 1:($2+2*$3) with lines notitle, ");
    else
        fprintf(script,
                "$curve using 1:($2-2*$3):($2+2*$3) with filledcurves lc '%s' fs transparent "
                "solid 0.15 noborder notitle, $curve using 1:($2-$3):($2+$3) with filledcurves "
                "lc '%s' fs transparent solid 0.25 noborder notitle, ",
                BO_PLOT_BLUE, BO_PLOT_BLUE);
    fprintf(script,
            "$curve using 1:2 with lines lw 2 lc '%s' notitle, $targets with points pt 6 ps 0.8 "
            "lc '%s' notitle, $context with points pt 7 ps 0.8 lc '%s' notitle\n",
            BO_PLOT_BLUE, BO_PLOT_VERMILION, BO_PLOT_BLACK);
}

/* The row of one output of a task. */
static bo_status draw_row(const settings *s, FILE *script, bool text, const task *t,
                          bo__prior_kind kernel, size_t columns, panel *panels,
                          bo_message *message)
{
    bo_status status = BO_OK;
    size_t count = 0;
    for (; !status && count < s->models.count; count++)
        status = panel_of_model(s, s->models.model[count], t, &panels[count], message);
    bool limit = s->limit && kernel < BO_PRIOR_TNOISE;
    if (!status && limit)
        status = panel_of_limit(t, &panels[count++], message);
    if (status)
        return status;
    double low, high;
    range_of(panels, count, t, &low, &high);
    write_points(script, "context", t, 0, t->drawn.context);
    write_points(script, "targets", t, t->drawn.context, t->drawn.n);
    fprintf(script, "set xtics 1\nset xrange [%g:%g]\nset yrange [%.6g:%.6g]\n", t->low, t->high,
            low, high);
    for (size_t c = 0; c < columns; c++)
        if (c < count)
            draw_panel(script, &panels[c], t, text, bo__prior_name(kernel));
        else
            fprintf(script, "set multiplot next\n");
    return BO_OK;
}

static bo_status draw_kernel(const settings *s, FILE *script, bool text, bo__prior_kind kernel,
                             size_t columns, panel *panels, bo_message *message)
{
    task t;
    bo_status status = draw_task(s, kernel, &t, message);
    for (; !status && t.output < t.outputs; t.output++)
        status = draw_row(s, script, text, &t, kernel, columns, panels, message);
    return status;
}

static bo_status run(settings *s, bo_message *message)
{
    bo_status status = bo__eval_read_series(&s->kernels, s->data, &s->series, message);
    if (!status)
        status = bo__eval_load(&s->models, s->variant, message);
    size_t columns = s->models.count + s->limit;
    size_t rows = s->kernels.count * bo__prior_outputs(&s->kernels);
    if (!status && columns > MOST_COLUMNS)
        status = bo__fail(message, BO_EINVAL, "at most %d models side by side", MOST_COLUMNS);
    panel *panels = calloc(MOST_COLUMNS, sizeof *panels);
    if (!status && !panels)
        status = bo__fail(message, BO_ENOMEM, "no memory for the panels");
    bo__plot *plot = NULL;
    if (!status)
        status = bo__plot_open(&plot, s->output, 3.2 * (double)columns + 0.4,
                               2.5 * (double)rows + 0.3, message);
    if (!status) {
        FILE *script = bo__plot_script(plot);
        fprintf(script, "set multiplot layout %zu,%zu\nset key off\n", rows, columns);
        for (size_t k = 0; !status && k < s->kernels.count; k++)
            status = draw_kernel(s, script, bo__plot_is_text(plot), s->kernels.kinds[k],
                                 columns, panels, message);
        fprintf(script, "unset multiplot\n");
    }
    free(panels);
    bo__series_free(&s->series);
    bo__eval_free(&s->models);
    if (!status)
        return bo__plot_close(plot, message);
    bo__plot_abort(plot);
    return status;
}

static int parse(settings *s, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "model", .value = "MODEL", .kind = BO_ARG_CALL, .call = bo__eval_name_model,
         .target = &s->models, .group = "models",
         .help = "A model to draw; may be given several times. Without it: all shipped ones."},
        {.name = "variant", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->variant,
         .group = "models", .help = "Of the weights of surrogates that are named without one."},
        {.name = "kind", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->models.kind,
         .group = "models", .help = "What a file without metadata holds: cnp, np, … banp."},
        {.name = "ablation", .value = "PART", .kind = BO_ARG_TEXT, .target = &s->models.ablation,
         .group = "models", .help = "As for bo-eval regression."},
        {.name = "samples", .value = "N", .kind = BO_ARG_SIZE, .target = &s->samples, .least = 1,
         .most = 10000, .group = "models", .help = "Samples of np, bnp, anp, banp."},
        {.name = "limit", .kind = BO_ARG_FLAG, .target = &s->limit, .group = "models",
         .help = "Draw the exact Gaussian process of the task as well."},
        {.name = "kernel", .value = "NAMES", .kind = BO_ARG_TEXT, .target = &s->kernel,
         .group = "tasks",
         .help = "rbf, matern52, periodic, tnoise, several with commas between, or all (four); or "
                 "predator, hare-lynx."},
        {.name = "data", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->data,
         .group = "tasks", .help = "Series for --kernel hare-lynx, as for bo-eval regression."},
        {.name = "task", .value = "N", .kind = BO_ARG_SIZE, .target = &s->task, .group = "tasks",
         .help = "Number of the task."},
        {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &s->seed,
         .group = "tasks", .help = "Of the tasks and samples, as for bo-eval regression."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "output", .help = "The picture: .png, .svg or .pdf, or - for the terminal."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-eval plot", .purpose = purpose,
                                 .usage = "--output FILE [options] [MODEL…]",
                                 .examples = examples, .notes = notes, .args = table,
                                 .operand = bo__eval_name_model, .operand_target = &s->models};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    const char *names = strcmp(s->kernel, "all") ? s->kernel : "rbf,matern52,periodic,tnoise";
    if (bo__prior_parse(&s->kernels, names, 1, &message))
        return bo__args_error(&command, "option '--kernel': %s", message.text);
    if (!s->output)
        return bo__args_error(&command, "option '--output' is needed");
    if (bo__plot_check(s->output, &message))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

int bo__eval_main_plot(int argc, char **argv)
{
    static settings s;
    s = (settings){.kernel = "rbf", .variant = "paper", .samples = 50};
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bo_status status = run(&s, &message);
    if (status)
        fprintf(stderr, "bo-eval plot: %s\n", message.text);
    return status ? 1 : 0;
}
