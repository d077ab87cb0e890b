/* runplot.c - bo-run --plot: what happened, and what the surrogate now believes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One real parameter: the posterior mean with a band of two standard deviations, the data, the
 * true function where it is known, the acquisition below.  Two: maps of the mean and, where it is
 * known, of the truth (runmap.c).  Otherwise: the values against each parameter.  All of them
 * beside the convergence: values, the best so far, and the regret on a logarithmic scale.
 */
#include "runplot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "parameter.h"

double bo__axis_place(const bo_parameter *parameter, double x)
{
    return parameter->log ? log10(x) : x;
}

double bo__axis_value(const bo_parameter *parameter, double share)
{
    double x = parameter->lower + share * (parameter->upper - parameter->lower);
    if (parameter->log)
        x = parameter->lower * pow(parameter->upper / parameter->lower, share);
    return fmin(fmax(x, parameter->lower), parameter->upper);
}

void bo__axis_label(FILE *script, char axis, const bo_parameter *parameter)
{
    char label[256];
    snprintf(label, sizeof label, "%s%s", parameter->log ? "log10 " : "", parameter->name);
    fprintf(script, "set %clabel ", axis);
    bo__plot_quote(script, label);
    fprintf(script, " noenhanced\n");
}

void bo__panel_place(FILE *script, double left, double right, double bottom, double top)
{
    fprintf(script,
            "L = %g; R = %g; T = %g\n"
            "set lmargin at screen L\nset rmargin at screen R\n"
            "set bmargin at screen %g\nset tmargin at screen T\n",
            left, right, top, bottom);
}

/* Titles and keys stand on one line, so many inches above the panel; W and H are the picture's. */
#define ABOVE "screen T + 0.13 / H"

void bo__panel_title(FILE *script, const char *text)
{
    fprintf(script, "set label 1 ");
    bo__plot_quote(script, text);
    fprintf(script, " at screen L, " ABOVE " left front noenhanced\n");
}

void bo__panel_reset(FILE *script)
{
    fprintf(script, "unset logscale\nset autoscale\nset xtics autofreq\nset ytics autofreq\n"
                    "set format\nunset xlabel\nunset ylabel\nunset label\nunset arrow\nset key off\n");
}

void bo__panel_mark(FILE *script, int slot, double inches, const char *point, const char *line,
                    const char *colour, const char *text)
{
    fprintf(script, "X = R - %g / W\nset label %d '%s' at screen X + 0.13 / W, " ABOVE
                    " left noenhanced\n",
            inches, slot + 10, text);
    if (point)
        fprintf(script, "set label %d '' at screen X, " ABOVE " point %s lc '%s'\n", slot + 20,
                point, colour);
    if (line)
        fprintf(script,
                "set arrow %d from screen X - 0.13 / W, " ABOVE " to screen X + 0.07 / W, " ABOVE
                " nohead %s lc '%s'\n",
                slot + 10, line, colour);
}

void bo__axis_tics(FILE *script, char axis, double range, int count)
{
    double step = pow(10, floor(log10(range / count))), rest = range / count / step;
    step *= rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1;
    if (isfinite(step) && step > 0)
        fprintf(script, "set %ctics %.9g\n", axis, step);
}

/* number, y, best, regret, then 0 for initial and 1 for suggested; then x, one place each. */
static void write_trials(FILE *script, const bo__run *run)
{
    fprintf(script, "$trials << EOD\n");
    for (size_t i = 0; i < run->count; i++) {
        const bo__run_trial *trial = &run->trials[i];
        fprintf(script, "%zu", trial->number);
        bo__plot_number(script, trial->y);
        bo__plot_number(script, trial->best);
        bo__plot_number(script, trial->regret > 0 ? trial->regret : NAN);
        fprintf(script, " %d", trial->suggested);
        for (size_t j = 0; j < run->dim; j++)
            bo__plot_number(script, bo__axis_place(bo_space_parameter(run->problem->space, j),
                                                   trial->x[j]));
        fprintf(script, " %d\n", i == run->best);
    }
    fprintf(script, "EOD\n");
}

bool bo__plot_has_regret(const bo__run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->trials[i].regret > 0)
            return true;
    return false;
}

/* Vertical room for the values: failed ones and rare giants must not flatten the rest, so the
 * range ends FAR times the middle half's height beyond it, where data go further. */
void bo__panel_values(FILE *script, const bo__run *run, char axis)
{
    static const double FAR = 6;
    double *y = malloc((run->count + 1) * sizeof *y);
    size_t n = 0;
    for (size_t i = 0; y && i < run->count; i++) {
        size_t at = n;
        if (isnan(run->trials[i].y))
            continue;
        for (; at && y[at - 1] > run->trials[i].y; at--)
            y[at] = y[at - 1];
        y[at] = run->trials[i].y;
        n++;
    }
    if (n >= 8) {
        double low = y[n / 4], high = y[3 * n / 4], height = high - low;
        double bottom = fmax(y[0], low - FAR * height), top = fmin(y[n - 1], high + FAR * height);
        if (run->settings->options.maximize)
            top = y[n - 1];
        else
            bottom = y[0];
        double gap = 0.06 * (top - bottom);
        if (top > bottom)
            fprintf(script, "set %crange [%.9g:%.9g]\n", axis, bottom - gap, top + gap);
    }
    free(y);
}

void bo__panel_best(FILE *script, const bo__run *run)
{
    bo__panel_reset(script);
    bo__panel_title(script, "Values");
    bo__panel_values(script, run, 'y');
    bo__panel_mark(script, 0, 2.62, "pt 6 ps 0.5", NULL, "#777777", "initial");
    bo__panel_mark(script, 1, 2.02, "pt 7 ps 0.45", NULL, BO_PLOT_SKY, "suggested");
    bo__panel_mark(script, 2, 0.92, NULL, "lw 2", BO_PLOT_BLUE, "best so far");
    fprintf(script,
            "set xlabel 'evaluations'\nset xrange [0:%zu]\n"
            "plot $trials using 1:($5==0?$2:NaN) with points pt 6 ps 0.5 lc '#777777', "
            "$trials using 1:($5==1?$2:NaN) with points pt 7 ps 0.45 lc '%s', "
            "$trials using 1:3 with steps lw 2 lc '%s'\n",
            run->count + 1, BO_PLOT_SKY, BO_PLOT_BLUE);
}

void bo__panel_regret(FILE *script, const bo__run *run)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->trials[i].regret > 0) {
            least = fmin(least, run->trials[i].regret);
            most = fmax(most, run->trials[i].regret);
        }
    bo__panel_reset(script);
    bo__panel_title(script, "Regret of the best so far");
    if (most > 10 * least) /* else a logarithmic axis has hardly a tic */
        fprintf(script, "set logscale y\nset format y '10^{%%T}'\n");
    fprintf(script,
            "set xlabel 'evaluations'\nset xrange [0:%zu]\n"
            "plot $trials using 1:4 with steps lw 2 lc '%s'\n",
            run->count + 1, BO_PLOT_VERMILION);
}

/* The belief over one parameter: x, mean, sd, truth, acquisition at `points` places. */
static bo_status write_belief(FILE *script, const bo__run *run, size_t points, double *lowest,
                              double *highest, bo_message *message)
{
    const bo_parameter *parameter = bo_space_parameter(run->problem->space, 0);
    double *table = calloc(4 * points, sizeof *table);
    double *x = table, *mean = x + points, *sd = mean + points, *value = sd + points;
    if (!table)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    for (size_t i = 0; i < points; i++)
        x[i] = bo__axis_value(parameter, (double)i / (double)(points - 1));
    bo_status status = bo_optimizer_predict(run->optimizer, points, x, mean, sd, NULL, NULL);
    if (!status)
        status = bo_optimizer_acquisition(run->optimizer, points, x, value);
    *lowest = INFINITY;
    *highest = -INFINITY;
    fprintf(script, "$belief << EOD\n");
    for (size_t i = 0; !status && i < points; i++) {
        fprintf(script, "%.9g", bo__axis_place(parameter, x[i]));
        bo__plot_number(script, mean[i]);
        bo__plot_number(script, sd[i]);
        bo__plot_number(script, bo__problem_truth(run->problem, x + i));
        bo__plot_number(script, value[i]);
        fputc('\n', script);
        if (isfinite(value[i])) {
            *lowest = fmin(*lowest, value[i]);
            *highest = fmax(*highest, value[i]);
        }
    }
    fprintf(script, "EOD\n");
    free(table);
    return status ? bo__fail(message, status, "%s", bo_optimizer_errmsg(run->optimizer)) : BO_OK;
}

static void x_range(FILE *script, const bo_parameter *parameter)
{
    fprintf(script, "set xrange [%.9g:%.9g]\n", bo__axis_place(parameter, parameter->lower),
            bo__axis_place(parameter, parameter->upper));
}

static void panel_posterior(FILE *script, const bo__run *run)
{
    bo__panel_reset(script);
    bo__panel_title(script, "Posterior");
    x_range(script, bo_space_parameter(run->problem->space, 0));
    bo__panel_mark(script, 0, 4.05, NULL, "lw 2", BO_PLOT_BLUE, "mean ± 2 sd");
    if (run->problem->objective)
        bo__panel_mark(script, 4, 2.80, NULL, "lw 1.5 dt (8,6)", BO_PLOT_BLACK, "truth");
    bo__panel_mark(script, 1, 2.15, "pt 6 ps 0.8 lw 1.5", NULL, BO_PLOT_BLACK, "initial");
    bo__panel_mark(script, 2, 1.52, "pt 7 ps 0.6", NULL, BO_PLOT_VERMILION, "suggested");
    bo__panel_mark(script, 3, 0.55, "pt 6 ps 1.4 lw 2", NULL, BO_PLOT_GREEN, "best");
    fprintf(script,
            "set format x ''\nset ylabel 'y'\nplot "
            "$belief using 1:($2-2*$3):($2+2*$3) with filledcurves fc '%s' fs transparent solid "
            "0.3 noborder, $belief using 1:2 with lines lw 2 lc '%s', ",
            BO_PLOT_SKY, BO_PLOT_BLUE);
    if (run->problem->objective)
        fprintf(script, "$belief using 1:4 with lines lw 1.5 dt 2 lc '%s', ", BO_PLOT_BLACK);
    fprintf(script,
            "$trials using 6:($5==0?$2:NaN) with points pt 6 ps 0.8 lw 1.5 lc '%s', "
            "$trials using 6:($5==1?$2:NaN) with points pt 7 ps 0.6 lc '%s', "
            "$trials using 6:($7==1?$2:NaN) with points pt 6 ps 1.6 lw 2 lc '%s'\n",
            BO_PLOT_BLACK, BO_PLOT_VERMILION, BO_PLOT_GREEN);
}

static const char *acquisition_name(const bo__run *run)
{
    const bo_acquisition_type *type = run->settings->options.acquisition;
    return type ? bo_acquisition_name(type) : "logei";
}

static void panel_acquisition(FILE *script, const bo__run *run, double lowest, double highest)
{
    /* Logarithms of tiny values fall without end; 20 below the top nothing is of interest. */
    double floor = fmax(lowest, highest - 20), gap = 0.08 * (highest - floor);
    bo__panel_reset(script);
    char title[128];
    snprintf(title, sizeof title, "Acquisition (%s) for the next point", acquisition_name(run));
    bo__panel_title(script, title);
    x_range(script, bo_space_parameter(run->problem->space, 0));
    bo__axis_label(script, 'x', bo_space_parameter(run->problem->space, 0));
    if (gap > 0)
        fprintf(script, "set yrange [%.9g:%.9g]\n", floor - gap, highest + gap);
    bo__axis_tics(script, 'y', highest - floor, 4);
    fprintf(script,
            "plot $belief using 1:5:(%.9g) with filledcurves fc '%s' fs transparent solid 0.25 "
            "noborder, $belief using 1:5 with lines lw 1.5 lc '%s'\n",
            floor - gap - 1, BO_PLOT_GREEN, BO_PLOT_GREEN);
}

static bo_status draw_curve(FILE *script, const bo__run *run, bo_message *message)
{
    double lowest, highest;
    bool regret = bo__plot_has_regret(run);
    bo_status status = write_belief(script, run, 401, &lowest, &highest, message);
    if (status)
        return status;
    fprintf(script, "set multiplot\n");
    bo__panel_place(script, 0.075, 0.565, 0.40, 0.93);
    panel_posterior(script, run);
    bo__panel_place(script, 0.075, 0.565, 0.10, 0.30);
    panel_acquisition(script, run, lowest, highest);
    bo__panel_place(script, 0.645, 0.985, regret ? 0.62 : 0.10, 0.93);
    bo__panel_best(script, run);
    if (regret) {
        bo__panel_place(script, 0.645, 0.985, 0.10, 0.45);
        bo__panel_regret(script, run);
    }
    fprintf(script, "unset multiplot\n");
    return BO_OK;
}

/* Values against one parameter; categories get their labels. */
static void panel_parameter(FILE *script, const bo__run *run, size_t j, bool first)
{
    const bo_parameter *parameter = bo_space_parameter(run->problem->space, j);
    double lower = bo__axis_place(parameter, parameter->lower);
    double upper = bo__axis_place(parameter, parameter->upper);
    double gap = parameter->kind == BO_REAL ? 0.03 * (upper - lower) : 0.5;
    if (parameter->kind == BO_INTEGER && (parameter->log || upper - lower > 20))
        gap = 0.03 * (upper - lower);
    bo__panel_reset(script);
    bo__panel_values(script, run, 'y');
    bo__axis_label(script, 'x', parameter);
    fprintf(script, "set xrange [%.9g:%.9g]\n", lower - gap, upper + gap);
    fprintf(script, first ? "set ylabel 'y'\n" : "set format y ''\n");
    bo__axis_tics(script, 'x', upper - lower, 4);
    if (parameter->kind == BO_CATEGORICAL || parameter->kind == BO_BOOLEAN) {
        fprintf(script, "set xtics (");
        for (size_t i = 0; i < parameter->count; i++) {
            char buffer[BO_VALUE_ROOM];
            fprintf(script, "%s", i ? ", " : "");
            bo__plot_quote(script, bo__parameter_text(parameter, (double)i, buffer));
            fprintf(script, " %zu", i);
        }
        fprintf(script, ") noenhanced\n");
    }
    fprintf(script,
            "plot $trials using %zu:($5==0?$2:NaN) with points pt 6 ps 0.5 lc '#777777', "
            "$trials using %zu:($5==1?$2:NaN) with points pt 7 ps 0.5 lc '%s', "
            "$trials using %zu:($%zu==1?$2:NaN) with points pt 6 ps 1.4 lw 2 lc '%s'\n",
            j + 6, j + 6, BO_PLOT_SKY, j + 6, run->dim + 6, BO_PLOT_GREEN);
}

static void draw_parameters(FILE *script, const bo__run *run)
{
    bool regret = bo__plot_has_regret(run);
    size_t panels = run->dim < 9 ? run->dim : 9;
    size_t columns = panels <= 2 ? 1 : panels <= 4 ? 2 : 3;
    size_t rows = (panels + columns - 1) / columns;
    double left = 0.50, width = 0.99 - left, height = 0.93;
    fprintf(script, "set multiplot\n");
    bo__panel_place(script, 0.065, 0.43, regret ? 0.62 : 0.11, 0.93);
    bo__panel_best(script, run);
    if (regret) {
        bo__panel_place(script, 0.065, 0.43, 0.11, 0.45);
        bo__panel_regret(script, run);
    }
    for (size_t j = 0; j < panels; j++) {
        double cell = width / (double)columns, step = height / (double)rows;
        double from = left + cell * (double)(j % columns), top = 0.97 - step * (double)(j / columns);
        bo__panel_place(script, from + 0.03, from + cell - 0.015, top - step + 0.10, top - 0.01);
        panel_parameter(script, run, j, j % columns == 0);
    }
    fprintf(script, "unset multiplot\n");
}

/* With characters: one drawing after the other, the essentials only. */
static bo_status draw_text(FILE *script, const bo__run *run, bool curve, bo_message *message)
{
    bo_status status = BO_OK;
    double lowest, highest;
    if (curve && !(status = write_belief(script, run, 161, &lowest, &highest, message))) {
        fprintf(script, "set key below\nset title 'posterior'\n");
        x_range(script, bo_space_parameter(run->problem->space, 0));
        fprintf(script, "plot $belief using 1:($2-2*$3) with dots title 'mean ± 2 sd', "
                        "$belief using 1:($2+2*$3) with dots notitle, "
                        "$belief using 1:2 with lines title 'mean', "
                        "$trials using 6:2 with points pt 'o' title 'data'\n"
                        "set autoscale x\n");
    }
    bool regret = bo__plot_has_regret(run);
    fprintf(script, "set key off\nset title '%s'\nset xlabel 'evaluations'\n%s"
                    "plot $trials using 1:%d with steps\n",
            regret ? "regret of the best so far" : "best so far",
            regret ? "set logscale y\nset format y '%.0e'\n" : "", regret ? 4 : 3);
    return status;
}

bo_status bo__runplot_draw(const bo__run *run, bo_message *message)
{
    const bo_space *space = run->problem->space;
    bool real = true;
    for (size_t i = 0; i < run->dim; i++)
        real &= bo_space_parameter(space, i)->kind == BO_REAL;
    bool curve = real && run->dim == 1, map = real && run->dim == 2;
    bool both = map && run->problem->objective;
    double width = curve || (map && !both) ? 10.2 : 9, height = both ? 7.4 : 5.4;
    bo__plot *plot;
    bo_status status = bo__plot_open(&plot, run->settings->plot, width, height, message);
    if (status)
        return status;
    FILE *script = bo__plot_script(plot);
    fprintf(script, "W = %.2f; H = %.2f\n", width, height);
    write_trials(script, run);
    if (bo__plot_is_text(plot))
        status = draw_text(script, run, curve, message);
    else if (curve)
        status = draw_curve(script, run, message);
    else if (map)
        status = bo__runmap_draw(script, run, message);
    else
        draw_parameters(script, run);
    if (status) {
        bo__plot_abort(plot);
        return status;
    }
    return bo__plot_close(plot, message);
}
