/* runmap.c - bo-run --plot in two dimensions: maps of the posterior mean and of the truth.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A map shows bands of equal area: its levels are quantiles, so that valleys show beside
 * mountains a thousand times higher.  Both maps share the levels of the truth, where it is known.
 * Values are predicted on a grid of SIDE × SIDE points and interpolated between them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "runplot.h"

enum { SIDE = 81, FINE = 4, BANDS = 12 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* levels[0 … BANDS]: quantiles of the n values. */
static bo_status find_levels(const double *values, size_t n, double *levels)
{
    double *sorted = malloc(n * sizeof *sorted);
    size_t finite = 0;
    if (!sorted)
        return BO_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            sorted[finite++] = values[i];
    qsort(sorted, finite, sizeof *sorted, by_value);
    for (size_t k = 0; k <= BANDS; k++)
        levels[k] = finite ? sorted[k * (finite - 1) / BANDS] : 0;
    free(sorted);
    return BO_OK;
}

/* Where a value stands among the levels: 0 … BANDS, linear between two of them. */
static double band_of(double value, const double *levels)
{
    if (!(value > levels[0]))
        return 0;
    for (size_t k = 0; k < BANDS; k++)
        if (value < levels[k + 1])
            return (double)k + (value - levels[k]) / (levels[k + 1] - levels[k]);
    return BANDS;
}

/* Bilinear between the four points of the grid around (row, column), in fine steps. */
static double interpolate(const double *grid, size_t row, size_t column)
{
    size_t r = row / FINE, c = column / FINE;
    r = r + 1 < SIDE ? r : SIDE - 2;
    c = c + 1 < SIDE ? c : SIDE - 2;
    double s = (double)row / FINE - (double)r, t = (double)column / FINE - (double)c;
    const double *at = grid + r * SIDE + c;
    return (1 - s) * ((1 - t) * at[0] + t * at[1]) + s * ((1 - t) * at[SIDE] + t * at[SIDE + 1]);
}

static void write_map(FILE *script, const char *name, const bo__run *run, const double *grid,
                      const double *levels)
{
    const bo_parameter *across = bo_space_parameter(run->problem->space, 0);
    const bo_parameter *up = bo_space_parameter(run->problem->space, 1);
    size_t last = FINE * (SIDE - 1);
    fprintf(script, "$%s << EOD\n", name);
    for (size_t row = 0; row <= last; row++) {
        double y = bo__axis_place(up, bo__axis_value(up, (double)row / (double)last));
        for (size_t column = 0; column <= last; column++) {
            double share = (double)column / (double)last;
            fprintf(script, "%.7g %.7g %.4g\n",
                    bo__axis_place(across, bo__axis_value(across, share)), y,
                    band_of(interpolate(grid, row, column), levels));
        }
        fputc('\n', script);
    }
    fprintf(script, "EOD\n");
}

/* The mean and the truth on the grid. */
static bo_status fill(const bo__run *run, double *x, double *mean, double *sd, double *truth,
                      bo_message *message)
{
    const bo_space *space = run->problem->space;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        x[2 * i] = bo__axis_value(bo_space_parameter(space, 0),
                                  (double)(i % SIDE) / (double)(SIDE - 1));
        x[2 * i + 1] = bo__axis_value(bo_space_parameter(space, 1),
                                      (double)(i / SIDE) / (double)(SIDE - 1));
        truth[i] = bo__problem_truth(run->problem, x + 2 * i);
    }
    bo_status status =
        bo_optimizer_predict(run->optimizer, SIDE * SIDE, x, mean, sd, NULL, NULL);
    return status ? bo__fail(message, status, "%s", bo_optimizer_errmsg(run->optimizer)) : BO_OK;
}

/* A level in few characters: 616, 0.546, 8e4, 6e-4. */
static void write_level(FILE *script, double level)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", level);
    char *e = strchr(text, 'e');
    if (e || (level != 0 && fabs(level) < 0.001)) {
        snprintf(text, sizeof text, "%.0e", level);
        e = strchr(text, 'e');
        snprintf(e + 1, sizeof text - (size_t)(e + 1 - text), "%d", atoi(e + 1));
    }
    fprintf(script, "'%s'", text);
}

/* viridis (van der Walt and Smith, 2015), at nine places: even steps to any eye, also in grey. */
static void write_palette(FILE *script, const double *levels)
{
    fprintf(script, "set palette maxcolors %d defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', "
                    "3 '#2c718e', 4 '#21908d', 5 '#27ad81', 6 '#5cc863', 7 '#aadc32', "
                    "8 '#fde725')\nset cbrange [0:%d]\nset cbtics scale 0 (",
            BANDS, BANDS);
    for (int k = 0; k <= BANDS; k += 2) {
        write_level(script, levels[k]);
        fprintf(script, " %d%s", k, k < BANDS ? ", " : "");
    }
    fprintf(script, ")\n");
}

/* The marks of the maps, in colours that show on white. */
static void key_points(FILE *script)
{
    bo__panel_mark(script, 0, 2.2, "pt 6 ps 0.8 lw 1.3", NULL, BO_PLOT_BLACK, "initial");
    bo__panel_mark(script, 1, 1.55, "pt 7 ps 0.6", NULL, BO_PLOT_BLACK, "suggested");
    bo__panel_mark(script, 2, 0.55, "pt 7 ps 0.95", NULL, BO_PLOT_VERMILION, "best");
}

static void plot_optimum(FILE *script, const bo__run *run)
{
    const double *x = bo__objective_argmin(run->problem->objective);
    if (x && !run->settings->options.maximize)
        fprintf(script,
                ", '+' using (%.9g):(%.9g) every ::0::0 with points pt 2 ps 1.2 lw 4 lc '#000000'"
                ", '+' using (%.9g):(%.9g) every ::0::0 with points pt 2 ps 1.2 lw 2 lc '%s'",
                x[0], x[1], x[0], x[1], BO_PLOT_YELLOW);
}

static void panel_map(FILE *script, const bo__run *run, const char *map, const char *title,
                      bool truth)
{
    const bo_parameter *across = bo_space_parameter(run->problem->space, 0);
    const bo_parameter *up = bo_space_parameter(run->problem->space, 1);
    bo__panel_reset(script);
    bo__panel_title(script, title);
    bo__axis_label(script, 'x', across);
    bo__axis_label(script, 'y', up);
    fprintf(script, "set ylabel offset 1,0\n");
    fprintf(script, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n",
            bo__axis_place(across, across->lower), bo__axis_place(across, across->upper),
            bo__axis_place(up, up->lower), bo__axis_place(up, up->upper));
    if (truth)
        bo__panel_mark(script, 0, 1.05, "pt 2 ps 0.9 lw 2", NULL, "#aa8800", "an optimum");
    else
        key_points(script);
    fprintf(script,
            "plot $%s using 1:2:3 with image, "
            "$trials using 6:($5==0?$7:NaN) with points pt 6 ps 0.8 lw 2.6 lc '#000000', "
            "$trials using 6:($5==0?$7:NaN) with points pt 6 ps 0.8 lw 1.3 lc '#ffffff', "
            "$trials using 6:($5==1?$7:NaN) with points pt 7 ps 0.75 lc '#000000', "
            "$trials using 6:($5==1?$7:NaN) with points pt 7 ps 0.5 lc '#ffffff', "
            "$trials using 6:($8==1?$7:NaN) with points pt 7 ps 1.25 lc '#000000', "
            "$trials using 6:($8==1?$7:NaN) with points pt 7 ps 0.95 lc '%s'",
            map, BO_PLOT_VERMILION);
    if (truth)
        plot_optimum(script, run);
    fputc('\n', script);
}

/* Two maps above, the convergence below. */
static void draw_both(FILE *script, const bo__run *run)
{
    bool regret = bo__plot_has_regret(run);
    fprintf(script, "set multiplot\nunset grid\nunset colorbox\n");
    bo__panel_place(script, 0.085, 0.455, 0.46, 0.94);
    panel_map(script, run, "mean", "Posterior mean", false);
    fprintf(script, "set colorbox user origin screen 0.92,0.46 size screen 0.015,0.48\n");
    bo__panel_place(script, 0.54, 0.91, 0.46, 0.94);
    panel_map(script, run, "truth", "Truth", true);
    fprintf(script, "unset colorbox\nset grid back lc '#e4e4e4' lt 1 lw 0.6\n");
    bo__panel_place(script, 0.085, regret ? 0.455 : 0.91, 0.085, 0.33);
    bo__panel_best(script, run);
    if (regret) {
        bo__panel_place(script, 0.54, 0.91, 0.085, 0.33);
        bo__panel_regret(script, run);
    }
    fprintf(script, "unset multiplot\n");
}

/* The map and the convergence side by side. */
static void draw_mean(FILE *script, const bo__run *run)
{
    fprintf(script, "set multiplot\nunset grid\n"
                    "set colorbox user origin screen 0.495,0.11 size screen 0.015,0.82\n");
    bo__panel_place(script, 0.085, 0.485, 0.11, 0.93);
    panel_map(script, run, "mean", "Posterior mean", false);
    fprintf(script, "unset colorbox\nset grid back lc '#e4e4e4' lt 1 lw 0.6\n");
    bo__panel_place(script, 0.645, 0.985, 0.11, 0.93);
    bo__panel_best(script, run);
    fprintf(script, "unset multiplot\n");
}

bo_status bo__runmap_draw(FILE *script, const bo__run *run, bo_message *message)
{
    const size_t n = SIDE * SIDE;
    double levels[BANDS + 1];
    double *x = calloc(5 * n, sizeof *x), *mean = x + 2 * n, *sd = mean + n, *truth = sd + n;
    bool known = run->problem->objective;
    bo_status status = x ? fill(run, x, mean, sd, truth, message) : BO_ENOMEM;
    if (!status)
        status = find_levels(known ? truth : mean, n, levels);
    if (!status) {
        write_map(script, "mean", run, mean, levels);
        if (known)
            write_map(script, "truth", run, truth, levels);
        write_palette(script, levels);
        if (known)
            draw_both(script, run);
        else
            draw_mean(script, run);
    }
    free(x);
    return status == BO_ENOMEM ? bo__fail(message, status, "out of memory") : status;
}
