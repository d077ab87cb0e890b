/* regrettable.c - the table of bo-bench regret on the terminal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "regretbench.h"

bo__regret_group bo__regret_group_of(const char *surrogate)
{
    static const char *const nets[] = {"cnp", "np", "bnp", "canp", "anp", "banp"};
    size_t length = strcspn(surrogate, "@+:");
    for (size_t i = 0; i < 6; i++)
        if (strlen(nets[i]) == length && !strncmp(surrogate, nets[i], length))
            return i < 3 ? BO_REGRET_PLAINNET : BO_REGRET_ATTENTIVE;
    return BO_REGRET_REFERENCE;
}

/* A number after its mark, or blanks where there is none (NaN), such as the error of one run. */
static void print_number(FILE *stream, const char *mark, int width, int digits, double value)
{
    if (isnan(value))
        fprintf(stream, "%*s", width + (*mark ? 1 : 0), "");
    else
        fprintf(stream, "%s%*.*g", mark, width, digits, value);
}

static void print_cell(FILE *stream, const bo__regret_plan *plan, const bo__regret_cell *cell)
{
    size_t end = plan->iterations;
    const bo__regret_point *simple = &cell->curve[BO_SIMPLE][end];
    const bo__regret_point *cumulative = &cell->curve[BO_CUMULATIVE][end];
    fprintf(stream, " %5zu  %9.3g ", cell->runs, simple->mean);
    print_number(stream, "±", 8, 2, simple->se);
    fprintf(stream, "  %9.3g [%8.2g,%8.2g]  %8.3g ", simple->median, simple->lower, simple->upper,
            cumulative->mean);
    print_number(stream, "±", 7, 2, cumulative->se);
    fprintf(stream, "  %8.2f", cell->milliseconds);
    if (cell->pairs) {
        fprintf(stream, "  %8.2g ", cell->cumulative.difference);
        print_number(stream, "±", 7, 2, cell->cumulative.difference_se);
        fprintf(stream, "  %8.2g  %+6.2f", cell->cumulative.holm,
                cell->cumulative.wilcoxon.effect);
    }
    fputc('\n', stream);
}

/* The widest name of a surrogate, at least "surrogate". */
static int name_width(const bo__regret_plan *plan)
{
    int width = 9;
    for (size_t i = 0; i < plan->surrogates; i++)
        width = (int)fmax(width, (double)strlen(plan->surrogate[i].name));
    return width;
}

void bo__regret_print(FILE *stream, const bo__regret_summary *summary)
{
    const bo__regret_plan *plan = summary->plan;
    int width = name_width(plan);
    size_t reference = bo__regret_reference(plan);
    for (size_t s = 0; s < plan->settings; s++) {
        fprintf(stream, "%s%s, %zu functions, %zu + %zu evaluations, %s protocol\n", s ? "\n" : "",
                plan->setting[s].name, plan->functions, plan->init, plan->iterations,
                plan->protocol == BO_REGRET_PAPER ? "paper" : "plain");
        fprintf(stream, "%-*s %5s  %-19s  %-29s  %-17s  %8s", width, "surrogate", "runs",
                "simple regret, mean", "   median [quartiles]", "cumulative, mean", "ms");
        if (reference < plan->surrogates)
            fprintf(stream, "  less %-12s  p (Holm)  effect", plan->surrogate[reference].name);
        fputc('\n', stream);
        for (size_t i = 0; i < plan->surrogates; i++) {
            const bo__regret_cell *cell = bo__regret_cell_at(summary, s, i);
            fprintf(stream, "%-*s", width, plan->surrogate[i].name);
            if (cell->runs)
                print_cell(stream, plan, cell);
            else
                fprintf(stream, " %5d  all runs failed\n", 0);
        }
    }
}

void bo__regret_explain(FILE *stream, const bo__regret_summary *summary)
{
    const bo__regret_plan *plan = summary->plan;
    int width = name_width(plan);
    for (size_t s = 0; s < plan->settings; s++) {
        fprintf(stream, "\n%s: how the suggestions were spent\n%-*s %8s %12s %9s %9s %13s\n",
                plan->setting[s].name, width, "surrogate", "repeats", "at incumbent", "sd",
                "last ten", "ending > 0.1");
        for (size_t i = 0; i < plan->surrogates; i++) {
            const bo__regret_cell *cell = bo__regret_cell_at(summary, s, i);
            const bo__regret_habits *h = &cell->habits;
            if (!cell->runs)
                continue;
            fprintf(stream, "%-*s %7.0f%% %11.0f%%", width, plan->surrogate[i].name,
                    100 * h->repeats, 100 * h->incumbent);
            print_number(stream, "", 10, 3, h->sd);
            print_number(stream, "", 10, 3, h->sd_end);
            fprintf(stream, " %12.0f%%\n", 100 * h->stuck);
        }
    }
}
