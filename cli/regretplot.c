/* regretplot.c - the curves of bo-bench regret: a row per setting, simple and cumulative regret.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Neural processes without and with attention have panels of their own, so that each has few
 * curves; the references stand in both.  A family (cnp and canp, say) has the same colour in both.
 * The same script is left beside the pictures, with its data, to be changed by hand.
 */
#include <math.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "plot.h"
#include "regretbench.h"

/* In inches: a panel, the room around it, the legend's rows. */
static const double PANEL_WIDTH = 2.55, PANEL_HEIGHT = 1.75, GAP = 0.62, ROW_GAP = 0.3;
static const double LEFT = 0.9, RIGHT = 0.15, BOTTOM = 0.55, TITLE = 0.3, LEGEND_ROW = 0.2;

typedef struct figure {
    const bo__regret_summary *summary;
    size_t groups; /* of panels: 1 or 2 */
    bo__regret_group group[2];
    size_t legend_rows, per_row; /* entries of the legend */
    double entry;                /* width of one */
    double width, height;
} figure;

/* ---- which curve looks how ------------------------------------------------------------------ */

enum { DASHES = 5 }; /* of gnuplot: solid, and four others */

typedef struct look {
    const char *colour;
    int dash;
    double width;
    int mark; /* point type of gnuplot; 0: none */
} look;

/* Of a neural process: its colour and, to be told in grey too, its marks by family; its dashes by
 * the variant of its weights (5 kinds of them; a sixth variant begins anew).  Each variant is a
 * little wider, too: the svg terminal of gnuplot 5.4 takes two lines of a legend that differ in
 * nothing but their dashes for one. */
static look look_of(const bo__regret_plan *plan, size_t surrogate)
{
    static const struct {
        const char *name;
        look look;
    } looks[] = {{"gp", {"#000000", 1, 2.2, 0}},     {"gp-oracle", {"#777777", 4, 1.6, 0}},
                 {"random", {"#888888", 3, 2.2, 0}}, {"cnp", {"#0072b2", 1, 1.8, 6}},
                 {"canp", {"#0072b2", 1, 1.8, 6}},   {"np", {"#e69f00", 1, 1.8, 8}},
                 {"anp", {"#e69f00", 1, 1.8, 8}},    {"bnp", {"#d55e00", 1, 1.8, 4}},
                 {"banp", {"#d55e00", 1, 1.8, 4}},   {"cnp+de", {"#009e73", 1, 1.8, 12}},
                 {"canp+de", {"#009e73", 1, 1.8, 12}}};
    static const char *const others[] = {"#cc79a7", "#56b4e9", "#b0a000"};
    const char *name = plan->surrogate[surrogate].name;
    size_t length = strcspn(name, "@");
    look l = {others[surrogate % 3], 1, 1.8, 10};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (strlen(looks[i].name) == length && !strncmp(looks[i].name, name, length))
            l = looks[i].look;
    int before = 0;
    for (size_t i = 0; i < surrogate; i++)
        before += strcspn(plan->surrogate[i].name, "@") == length &&
                  !strncmp(plan->surrogate[i].name, name, length);
    if (before)
        l.dash = 1 + before % DASHES;
    l.width += 0.01 * before;
    return l;
}

static bool shown(const figure *f, size_t group, size_t setting, size_t surrogate)
{
    const bo__regret_plan *plan = f->summary->plan;
    return (bo__regret_group_of(plan->surrogate[surrogate].name) & f->group[group]) &&
           bo__regret_cell_at(f->summary, setting, surrogate)->runs;
}

/* ---- data ----------------------------------------------------------------------------------- */

static bo_status write_data(const char *path, const bo__regret_summary *summary,
                            bo_message *message)
{
    const bo__regret_plan *plan = summary->plan;
    bo__output *output;
    bo_status status = bo__output_open(&output, path, message);
    if (status)
        return status;
    FILE *out = bo__output_stream(output);
    fprintf(out, "# iteration, then mean and standard error of: simple regret, cumulative regret, "
                 "both normalised\n");
    for (size_t s = 0; s < plan->settings; s++)
        for (size_t i = 0; i < plan->surrogates; i++) {
            const bo__regret_cell *cell = bo__regret_cell_at(summary, s, i);
            fprintf(out, "# index %zu: %s, %s\n", s * plan->surrogates + i, plan->setting[s].name,
                    plan->surrogate[i].name);
            for (size_t t = 0; cell->runs && t <= plan->iterations; t++) {
                static const bo__regret_quantity quantities[] = {
                    BO_SIMPLE, BO_CUMULATIVE, BO_SIMPLE_NORM, BO_CUMULATIVE_NORM};
                fprintf(out, "%zu", t);
                for (size_t q = 0; q < 4; q++) {
                    const bo__regret_point *p = &cell->curve[quantities[q]][t];
                    bo__plot_number(out, p->mean);
                    bo__plot_number(out, isnan(p->se) ? 0 : p->se);
                }
                fputc('\n', out);
            }
            if (!cell->runs)
                fprintf(out, "? ? ? ? ? ? ? ? ?\n");
            fprintf(out, "\n\n");
        }
    return bo__output_commit(output, message);
}

/* ---- script --------------------------------------------------------------------------------- */

static void write_variables(FILE *script, const figure *f, const char *data)
{
    const bo__regret_plan *plan = f->summary->plan;
    fprintf(script,
            "\n# What to change: the data, 1 for normalised regrets, the look of each curve.\n"
            "DATA = ");
    bo__plot_quote(script, data);
    fprintf(script, "\nNORMALISED = 0\nBAND = 0.14  # how dark the standard error is\n"
                    "EVERY = %zu  # iterations from mark to mark\n",
            plan->iterations > 5 ? plan->iterations / 5 : (size_t)1);
    for (size_t i = 0; i < plan->surrogates; i++) {
        look l = look_of(plan, i);
        fprintf(script, "look%zu = \"lc rgb '%s' lw %.4g dt %d\"  # %s\n", i, l.colour, l.width,
                l.dash, plan->surrogate[i].name);
        fprintf(script, "band%zu = \"lc rgb '%s'\"\n", i, l.colour);
        if (l.mark)
            fprintf(script, "mark%zu = \"pt %d ps 0.7\"\n", i, l.mark);
    }
    /* On a logarithmic scale a band that reaches below 0 ends at a twentieth of the mean. */
    fprintf(script, "low(m, e, log) = log && m - e < m / 20 ? m / 20 : m - e\n"
                    "positive(m, log) = log && m <= 0 ? NaN : m\n");
}

/* A line and a name for each curve of a group, above its panels. */
static void write_legend(FILE *script, const figure *f, size_t group, double left)
{
    const bo__regret_plan *plan = f->summary->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->surrogates; i++) {
        if (!(bo__regret_group_of(plan->surrogate[i].name) & f->group[group]))
            continue;
        double x = left + f->entry * (double)(n % f->per_row);
        double y = f->height - (f->groups > 1 ? 0.42 : 0.2) -
                   LEGEND_ROW * (double)(n / f->per_row);
        size_t tag = 1 + group * plan->surrogates + i;
        fprintf(script,
                "set arrow %zu from screen %.5f, %.5f to screen %.5f, %.5f nohead @look%zu\n"
                "set label %zu ",
                tag, x / f->width, y / f->height, (x + 0.3) / f->width, y / f->height, i, tag);
        bo__plot_quote(script, plan->surrogate[i].name);
        fprintf(script, " at screen %.5f, %.5f left noenhanced\n", (x + 0.36) / f->width,
                y / f->height);
        if (look_of(plan, i).mark)
            fprintf(script, "set label %zu '' at screen %.5f, %.5f point @mark%zu @band%zu\n",
                    3000 + tag, (x + 0.15) / f->width, y / f->height, i, i);
        n++;
    }
    if (f->groups > 1)
        fprintf(script, "set label %zu '%s' at screen %.5f, %.5f left font ',11'\n",
                1000 + group, group ? "with attention" : "without attention", left / f->width,
                1 - 0.18 / f->height);
}

/* Decades are named 10^k; where there are few of them, 2 and 5 are named as well. */
static void write_log_axis(FILE *script, double least, double most)
{
    const char *comma = "";
    bool few = most / least < 500, very_few = most / least < 6;
    fprintf(script, "set yrange [%.9g:%.9g]; set format y '%s'; set ytics (", least, most,
            few ? "%g" : "10^{%T}");
    for (int decade = (int)floor(log10(least)); decade <= (int)ceil(log10(most)); decade++)
        for (int digit = 1; digit < 10; digit++) {
            double tick = digit * pow(10, decade);
            if (tick < least || tick > most)
                continue;
            bool named = digit == 1 || very_few || (few && (digit == 2 || digit == 5));
            fprintf(script, named ? "%s%.9g" : "%s'' %.9g 1", comma, tick);
            comma = ", ";
        }
    fprintf(script, ")\n");
}

/* The least and the most of a quantity in a row, so that its panels share an axis. */
static void find_range(const figure *f, size_t setting, bo__regret_quantity quantity,
                       double *least, double *most)
{
    const bo__regret_plan *plan = f->summary->plan;
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < plan->surrogates; i++) {
        const bo__regret_cell *cell = bo__regret_cell_at(f->summary, setting, i);
        for (size_t t = 0; cell->runs && t <= plan->iterations; t++) {
            const bo__regret_point *p = &cell->curve[quantity][t];
            *most = fmax(*most, p->mean + (isnan(p->se) ? 0 : p->se));
            if (p->mean > 0)
                *least = fmin(*least, p->mean);
        }
    }
    *least = isfinite(*least) ? *least : 1e-3;
    *most = *most > *least ? *most : 10 * *least;
    /* a mean of 1e-9 must not squeeze the others into the top of the panel */
    *least = fmax(*least, *most * 1e-5);
}

/* The axis of the raw regrets and that of the normalised ones. */
static void write_axis(FILE *script, const figure *f, size_t setting, bool cumulative)
{
    for (int norm = 0; norm < 2; norm++) {
        static const bo__regret_quantity quantities[2][2] = {
            {BO_SIMPLE, BO_SIMPLE_NORM}, {BO_CUMULATIVE, BO_CUMULATIVE_NORM}};
        double least, most;
        find_range(f, setting, quantities[cumulative][norm], &least, &most);
        fprintf(script, norm ? "if (NORMALISED) " : "if (!NORMALISED) ");
        if (cumulative)
            fprintf(script, "set yrange [0:%.9g]\n", 1.03 * most);
        else
            write_log_axis(script, least / 1.3, most * 1.1);
    }
}

static void write_curves(FILE *script, const figure *f, size_t group, size_t setting,
                         bool cumulative)
{
    const bo__regret_plan *plan = f->summary->plan;
    int log = !cumulative;
    bool any = false;
    fprintf(script, "M = %d + 4 * NORMALISED; E = M + 1\nplot", cumulative ? 4 : 2);
    for (int lines = 0; lines < 2; lines++)
        for (size_t i = 0; i < plan->surrogates; i++) {
            size_t index = setting * plan->surrogates + i;
            if (!shown(f, group, setting, i))
                continue;
            fprintf(script, "%s \\\n  DATA index %zu using 1:", any ? "," : "", index);
            if (lines)
                fprintf(script, look_of(plan, i).mark
                                    ? "(positive(column(M), %d)) with linespoints @look%zu "
                                      "@mark%zu pi EVERY"
                                    : "(positive(column(M), %d)) with lines @look%zu",
                        log, i, i);
            else
                fprintf(script,
                        "(low(column(M), column(E), %d)):(column(M) + column(E)) with "
                        "filledcurves @band%zu fs transparent solid BAND noborder",
                        log, i);
            any = true;
        }
    fprintf(script, any ? "\n" : " NaN\n");
}

static void write_panel(FILE *script, const figure *f, size_t group, size_t setting,
                        bool cumulative)
{
    const bo__regret_plan *plan = f->summary->plan;
    size_t column = 2 * group + cumulative;
    double left = LEFT + (double)column * (PANEL_WIDTH + GAP);
    double top = TITLE + LEGEND_ROW * (double)f->legend_rows + 0.3 +
                 (double)setting * (PANEL_HEIGHT + ROW_GAP);
    fprintf(script, "\n# %s, %s regret\n", plan->setting[setting].name,
            cumulative ? "cumulative" : "simple");
    fprintf(script,
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
            "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            left / f->width, (left + PANEL_WIDTH) / f->width, 1 - top / f->height,
            1 - (top + PANEL_HEIGHT) / f->height);
    fprintf(script, cumulative ? "unset logscale y\nset ytics autofreq\nset format y '%%g'\n"
                               : "set logscale y\n");
    write_axis(script, f, setting, cumulative);
    if (setting == 0)
        fprintf(script, "set title '%s regret' offset 0,-0.6\n",
                cumulative ? "cumulative" : "simple");
    else
        fprintf(script, "unset title\n");
    if (setting + 1 == plan->settings)
        fprintf(script, "set xlabel 'iteration' offset 0,0.4\nset format x '%%g'\n");
    else
        fprintf(script, "unset xlabel\nset format x ''\n");
    if (column == 0) {
        fprintf(script, "set label 2000 ");
        bo__plot_quote(script, plan->setting[setting].name);
        fprintf(script, " at screen %.5f, %.5f rotate center font ',12' noenhanced\n",
                0.2 / f->width, 1 - (top + PANEL_HEIGHT / 2) / f->height);
    }
    write_curves(script, f, group, setting, cumulative);
    /* the legend is drawn with the first panel only */
    fprintf(script, "unset label\nunset arrow\n");
}

static void write_script(FILE *script, const figure *f, const char *data)
{
    const bo__regret_plan *plan = f->summary->plan;
    write_variables(script, f, data);
    fprintf(script, "\nset multiplot\nset key off\nset xrange [0:%zu]\n", plan->iterations);
    for (size_t g = 0; g < f->groups; g++)
        write_legend(script, f, g, LEFT + (double)g * 2 * (PANEL_WIDTH + GAP));
    for (size_t s = 0; s < plan->settings; s++)
        for (size_t g = 0; g < f->groups; g++) {
            write_panel(script, f, g, s, false);
            write_panel(script, f, g, s, true);
        }
    fprintf(script, "unset multiplot\n");
}

/* ---- all of it ------------------------------------------------------------------------------ */

static figure layout(const bo__regret_summary *summary)
{
    const bo__regret_plan *plan = summary->plan;
    figure f = {.summary = summary};
    size_t nets[4] = {0}, most = 0, longest = 0;
    for (size_t i = 0; i < plan->surrogates; i++) {
        size_t length = strlen(plan->surrogate[i].name);
        longest = length > longest ? length : longest;
        nets[bo__regret_group_of(plan->surrogate[i].name)]++;
    }
    if (nets[BO_REGRET_PLAINNET] && nets[BO_REGRET_ATTENTIVE]) {
        f.groups = 2;
        f.group[0] = BO_REGRET_PLAINNET;
        f.group[1] = BO_REGRET_ATTENTIVE;
        most = nets[1] > nets[2] ? nets[1] : nets[2];
    } else {
        f.groups = 1;
        f.group[0] = BO_REGRET_REFERENCE;
        most = nets[1] + nets[2];
    }
    most += nets[BO_REGRET_REFERENCE];
    /* a line, the name at about 0.09 inches a letter, and room */
    f.entry = 0.36 + 0.09 * (double)longest + 0.2;
    f.per_row = (size_t)fmax(1, (2 * PANEL_WIDTH + GAP) / f.entry);
    f.legend_rows = (most + f.per_row - 1) / f.per_row;
    f.width = LEFT + RIGHT + (double)f.groups * 2 * PANEL_WIDTH +
              (double)(2 * f.groups - 1) * GAP;
    f.height = TITLE + LEGEND_ROW * (double)f.legend_rows + 0.3 + BOTTOM - ROW_GAP +
               (double)plan->settings * (PANEL_HEIGHT + ROW_GAP);
    return f;
}

static bo_status leave_script(const char *path, const figure *f, bo_message *message)
{
    bo__output *output;
    bo_status status = bo__output_open(&output, path, message);
    if (status)
        return status;
    FILE *script = bo__output_stream(output);
    fprintf(script, "# Draws curves.svg from curves.dat: gnuplot curves.gp\n"
                    "# For a PNG or a PDF two of these lines take the place of the first "
                    "commands:\n");
    for (size_t i = 0; i < 2; i++) {
        static const char *const others[] = {"curves.png", "curves.pdf"};
        fprintf(script, "# ");
        bo__plot_terminal(script, others[i], f->width, f->height);
        fprintf(script, "# set output '%s'\n", others[i]);
    }
    bo__plot_head(script, "curves.svg", f->width, f->height);
    write_script(script, f, "curves.dat");
    return bo__output_commit(output, message);
}

/* One picture.  *drawn says whether it is there. */
static bo_status draw_picture(const char *folder, const char *name, const figure *f,
                              const char *data, bool *drawn, bo_message *message)
{
    char path[PATH_MAX];
    bo__plot *plot;
    bo_status status = bo__regret_path(path, folder, name, message);
    if (!status)
        status = bo__plot_open(&plot, path, f->width, f->height, message);
    if (status)
        return status;
    write_script(bo__plot_script(plot), f, data);
    status = bo__plot_close(plot, message);
    *drawn = status == BO_OK;
    return status;
}

bo_status bo__regret_draw(const char *folder, const bo__regret_summary *summary,
                          bo__regret_drawn *drawn, bo_message *message)
{
    const struct {
        const char *name;
        bool *drawn;
    } pictures[] = {{"curves.png", &drawn->png}, {"curves.svg", &drawn->svg},
                    {"curves.pdf", &drawn->pdf}};
    figure f = layout(summary);
    char data[PATH_MAX], path[PATH_MAX];
    *drawn = (bo__regret_drawn){.png = false};
    bo_status status = bo__regret_path(data, folder, "curves.dat", message);
    if (!status)
        status = write_data(data, summary, message);
    if (!status)
        status = bo__regret_path(path, folder, "curves.gp", message);
    if (!status)
        status = leave_script(path, &f, message);
    if (!status && !bo__plot_available(message))
        status = BO_EUNSUPPORTED;
    if (status)
        return status;
    /* a gnuplot that lacks one terminal still draws the others; the first complaint is kept */
    for (size_t i = 0; i < 3; i++) {
        bo_message own;
        bo_status one = draw_picture(folder, pictures[i].name, &f, data, pictures[i].drawn, &own);
        if (one && !status) {
            status = one;
            *message = own;
        }
    }
    return status;
}
