/* regretpage.c - the results of bo-bench regret as one page that needs nothing but a browser.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "regretbench.h"

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:88rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}h1,h2{font-weight:600;line-height:1.2}h2{margin-top:2.2rem}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6rem 0}"
    "th,td{padding:.22rem .45rem;text-align:right;white-space:nowrap;"
    "border-bottom:1px solid #e4e4e4}"
    "th{font-weight:600;border-bottom:2px solid #888;vertical-align:bottom}"
    "td:first-child,th:first-child{text-align:left}td.best{font-weight:700}"
    "small,.quiet{color:#666}.wide{overflow-x:auto}svg{width:100%;height:auto}";

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
}

static void put_head(FILE *out, const bo__regret_plan *plan)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n"
            "<title>bo-bench regret</title>\n<style>%s</style></head>\n<body>\n"
            "<h1>Regret of surrogates under kernel and noise mismatch</h1>\n",
            style);
    fprintf(out,
            "<p>%zu functions a setting, %zu initial point%s, %zu iterations, seed %llu, "
            "%s protocol, bo %s. All surrogates see the same functions and the same initial "
            "points.</p>\n",
            plan->functions, plan->init, plan->init == 1 ? "" : "s", plan->iterations,
            (unsigned long long)plan->seed,
            plan->protocol == BO_REGRET_PAPER ? "paper&#8217;s" : "plain", bo_version());
    fprintf(out,
            "<p>Simple regret is the noise-free value at the best observed point less the least "
            "value of the function; cumulative regret is its sum over iterations 0 to %zu. "
            "&#177; is the standard error of the mean over functions. Normalised regrets are "
            "divided by the function&#8217;s range.",
            plan->iterations);
    size_t reference = bo__regret_reference(plan);
    if (reference < plan->surrogates)
        fprintf(out,
                " Function by function against the reference, %s: the mean difference of the "
                "cumulative regret with its standard error, Wilcoxon&#8217;s signed-rank test "
                "with p after Holm&#8217;s adjustment, and as effect the rank-biserial "
                "correlation: negative where a surrogate regrets less.",
                plan->surrogate[reference].name);
    fprintf(out, "</p>\n");
}

/* The gnuplot drawing without what stands before <svg. */
static bo_status put_curves(FILE *out, const char *folder, bo_message *message)
{
    char path[PATH_MAX], line[4096];
    bo_status status = bo__regret_path(path, folder, "curves.svg", message);
    FILE *svg = status ? NULL : fopen(path, "r");
    if (!svg)
        return bo__fail(message, BO_EIO, "cannot read '%s': %s", path, strerror(errno));
    bool inside = false;
    fprintf(out, "<h2>Curves</h2>\n<p class=\"quiet\">Mean over functions; the band is the "
                 "standard error.</p>\n<div class=\"wide\">\n");
    while (fgets(line, sizeof line, svg)) {
        const char *at = inside ? line : strstr(line, "<svg");
        if (at)
            fputs(at, out);
        inside |= at != NULL;
    }
    fprintf(out, "</div>\n");
    fclose(svg);
    return BO_OK;
}

/* The least mean of a quantity at the end, over the models; random and oracle do not compete. */
static double best_of(const bo__regret_summary *s, size_t setting, bo__regret_quantity quantity)
{
    double best = INFINITY;
    for (size_t i = 0; i < s->plan->surrogates; i++) {
        const bo__regret_cell *cell = bo__regret_cell_at(s, setting, i);
        if (cell->runs && s->plan->surrogate[i].kind == BO_REGRET_MODEL)
            best = fmin(best, cell->curve[quantity][s->plan->iterations].mean);
    }
    return best;
}

static void put_mean(FILE *out, const bo__regret_point *p, double best)
{
    fprintf(out, "<td%s>%.3g", p->mean == best ? " class=\"best\"" : "", p->mean);
    if (isfinite(p->se)) /* not of a single run */
        fprintf(out, " <small>&#177; %.2g</small>", p->se);
    fprintf(out, "</td>");
}

static void put_test(FILE *out, const bo__regret_test *test)
{
    put_mean(out, &(bo__regret_point){.mean = test->difference, .se = test->difference_se}, NAN);
    fprintf(out, "<td>%.2g</td><td>%+.2f</td>", test->holm, test->wilcoxon.effect);
}

static void put_row(FILE *out, const bo__regret_summary *s, size_t setting, size_t i)
{
    const bo__regret_cell *cell = bo__regret_cell_at(s, setting, i);
    size_t end = s->plan->iterations, tenth = end < 10 ? end : 10;
    fprintf(out, "<tr><td>");
    put_text(out, s->plan->surrogate[i].name);
    fprintf(out, "</td><td>%zu</td>", cell->runs);
    if (!cell->runs) {
        fprintf(out, "<td colspan=\"10\">all runs failed: ");
        put_text(out, cell->reason);
        fprintf(out, "</td></tr>\n");
        return;
    }
    const bo__regret_point *simple = &cell->curve[BO_SIMPLE][end];
    put_mean(out, &cell->curve[BO_SIMPLE][tenth], NAN);
    put_mean(out, simple, best_of(s, setting, BO_SIMPLE));
    fprintf(out, "<td>%.3g <small>[%.2g, %.2g]</small></td>", simple->median, simple->lower,
            simple->upper);
    put_mean(out, &cell->curve[BO_CUMULATIVE][end], best_of(s, setting, BO_CUMULATIVE));
    put_mean(out, &cell->curve[BO_SIMPLE_NORM][end], NAN);
    put_mean(out, &cell->curve[BO_CUMULATIVE_NORM][end], NAN);
    fprintf(out, "<td>%.2f</td>", cell->milliseconds);
    if (cell->pairs)
        put_test(out, &cell->cumulative);
    else
        fprintf(out, "<td></td><td></td><td></td>");
    fprintf(out, "</tr>\n");
}

static void put_tables(FILE *out, const bo__regret_summary *s)
{
    size_t end = s->plan->iterations;
    for (size_t setting = 0; setting < s->plan->settings; setting++) {
        fprintf(out, "<h2>");
        put_text(out, s->plan->setting[setting].name);
        fprintf(out,
                "</h2>\n<div class=\"wide\"><table>\n<tr><th>surrogate</th><th>runs</th>"
                "<th>simple,<br>iteration %zu</th><th>simple,<br>iteration %zu</th>"
                "<th>median [quartiles]</th><th>cumulative</th><th>simple,<br>normalised</th>"
                "<th>cumulative,<br>normalised</th><th>ms per<br>suggestion</th>"
                "<th>cumulative,<br>difference</th><th>p</th><th>effect</th></tr>\n",
                end < 10 ? end : (size_t)10, end);
        for (size_t i = 0; i < s->plan->surrogates; i++)
            put_row(out, s, setting, i);
        fprintf(out, "</table></div>\n");
    }
}

static void put_failures(FILE *out, const bo__regret_summary *s)
{
    if (!s->failed)
        return;
    fprintf(out, "<h2>Runs that failed</h2>\n<ul>\n");
    for (size_t setting = 0; setting < s->plan->settings; setting++)
        for (size_t i = 0; i < s->plan->surrogates; i++) {
            const bo__regret_cell *cell = bo__regret_cell_at(s, setting, i);
            if (!cell->failed)
                continue;
            fprintf(out, "<li>%zu of ", cell->failed);
            put_text(out, s->plan->surrogate[i].name);
            fprintf(out, " on ");
            put_text(out, s->plan->setting[setting].name);
            fprintf(out, ": ");
            put_text(out, cell->reason);
            fprintf(out, "</li>\n");
        }
    fprintf(out, "</ul>\n");
}

static void put_links(FILE *out, bo__regret_drawn drawn)
{
    fprintf(out,
            "<p class=\"quiet\">Every iteration: <a href=\"summary.csv\">summary.csv</a>, "
            "<a href=\"summary.json\">summary.json</a>, <a href=\"steptimes.csv\">"
            "steptimes.csv</a>. Every evaluation of every run: "
            "<a href=\"runs.csv\">runs.csv</a>. All tests: <a href=\"tests.csv\">tests.csv</a>. "
            "Curves: %s<a href=\"curves.gp\">their script</a>.</p>\n</body></html>\n",
            drawn.pdf ? "<a href=\"curves.pdf\">curves.pdf</a>, " : "");
}

bo_status bo__regret_page(const char *folder, const bo__regret_summary *summary,
                          bo__regret_drawn drawn, bo_message *message)
{
    char path[PATH_MAX];
    bo__output *output;
    bo_status status = bo__regret_path(path, folder, "index.html", message);
    if (!status)
        status = bo__output_open(&output, path, message);
    if (status)
        return status;
    FILE *out = bo__output_stream(output);
    put_head(out, summary->plan);
    if (drawn.svg)
        status = put_curves(out, folder, message);
    else
        fprintf(out, "<p class=\"quiet\">No curves: gnuplot was not there, or failed.</p>\n");
    put_tables(out, summary);
    put_failures(out, summary);
    put_links(out, drawn);
    if (!status)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}
