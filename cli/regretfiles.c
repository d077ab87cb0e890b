/* regretfiles.c - runs and summaries of bo-bench regret as CSV and JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What depends on how fast the machine is stands in times.csv, steptimes.csv and times.json: the
 * other files are the same, byte by byte, whenever the seed is.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "message.h"
#include "output.h"
#include "regretbench.h"

static const char *const quantity_names[BO_QUANTITIES] = {
    "simple", "cumulative", "instantaneous", "simple_norm", "cumulative_norm",
    "instantaneous_norm", "milliseconds"};

/* Opens folder/name, lets `write` fill it, and puts it in place. */
typedef bo_status (*writer)(FILE *stream, const bo__regret_summary *summary,
                            bo__regret_record *const *records, bo_message *message);

static bo_status write_file(const char *folder, const char *name, writer write,
                            const bo__regret_summary *summary,
                            bo__regret_record *const *records, bo_message *message)
{
    char path[PATH_MAX];
    bo__output *output;
    bo_status status = bo__regret_path(path, folder, name, message);
    if (!status)
        status = bo__output_open(&output, path, message);
    if (status)
        return status;
    status = write(bo__output_stream(output), summary, records, message);
    if (!status)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}

/* ---- runs.csv ------------------------------------------------------------------------------ */

/* Nine digits: more than any use of a regret has, in half the bytes. */
static void put(FILE *stream, double value)
{
    if (isnan(value))
        fputc(',', stream);
    else
        fprintf(stream, ",%.9g", value);
}

static void write_run(FILE *stream, const bo__regret_plan *plan, const bo__regret_record *r,
                      double *curves)
{
    size_t length = plan->iterations + 1;
    double *simple = curves, *cumulative = curves + length, *instant = curves + 2 * length;
    bo__regret_place place = bo__regret_place_of(plan, r->run);
    bo__regret_curves(plan, r, simple, cumulative, instant);
    for (size_t i = 0; i < r->points; i++) {
        const double *x = r->row + i * bo__regret_row(r->dim);
        bool initial = i + 1 < plan->init;
        size_t t = initial ? 0 : i + 1 - plan->init;
        fprintf(stream, "%s,%s,%zu,%zu,%zu,", plan->setting[place.setting].name,
                plan->surrogate[place.surrogate].name, place.function, t, i + 1);
        for (size_t j = 0; j < r->dim; j++)
            fprintf(stream, "%s%.9g", j ? " " : "", x[j]);
        put(stream, bo__regret_get(r, i, BO_REGRET_Y));
        put(stream, bo__regret_get(r, i, BO_REGRET_F));
        put(stream, initial ? NAN : instant[t]);
        put(stream, initial ? NAN : simple[t]);
        put(stream, initial ? NAN : cumulative[t]);
        put(stream, r->range);
        for (int c = BO_REGRET_MEAN; c <= BO_REGRET_ACQUISITION; c++)
            put(stream, bo__regret_get(r, i, (bo__regret_column)c));
        fputc('\n', stream);
    }
}

static bo_status write_runs(FILE *stream, const bo__regret_summary *summary,
                            bo__regret_record *const *records, bo_message *message)
{
    const bo__regret_plan *plan = summary->plan;
    double *curves = malloc(3 * (plan->iterations + 1) * sizeof *curves);
    if (!curves)
        return bo__fail(message, BO_ENOMEM, "no memory for a run");
    fprintf(stream, "setting,surrogate,function,iteration,evaluation,x,y,f,instantaneous,simple,"
                    "cumulative,range,mean,sd,acquisition\n");
    for (size_t s = 0; s < plan->settings; s++)
        for (size_t i = 0; i < plan->surrogates; i++)
            for (size_t f = 0; f < plan->functions; f++) {
                bo__regret_place place = {.function = f, .setting = s, .surrogate = i};
                const bo__regret_record *r = records[bo__regret_run_at(plan, place)];
                if (r && r->status == BO_OK)
                    write_run(stream, plan, r, curves);
            }
    free(curves);
    return BO_OK;
}

/* ---- CSV with one row per something of a cell ---------------------------------------------- */

typedef void (*row_writer)(bo__row *row, const bo__regret_cell *cell, size_t line);

static bo_status write_row(FILE *stream, bo__row *row, bo__row_form form, const char *setting,
                           const char *surrogate, row_writer write, const bo__regret_cell *cell,
                           size_t line, bo_message *message)
{
    bo__row_begin(row, form);
    bo__row_text(row, "setting", setting);
    bo__row_text(row, "surrogate", surrogate);
    write(row, cell, line);
    bo_status status = bo__row_end(row, message);
    if (!status)
        fputs(row->text, stream);
    return status;
}

/* The header takes the names of the columns from a cell of zeros. */
static bo_status write_header(FILE *stream, bo__row *row, row_writer write, bo_message *message)
{
    bo__regret_point zero = {.mean = 0};
    bo__regret_cell cell = {.runs = 1, .against = ""};
    for (size_t q = 0; q < BO_QUANTITIES; q++)
        cell.curve[q] = &zero;
    return write_row(stream, row, BO_ROW_HEADER, "", "", write, &cell, 0, message);
}

static bo_status write_rows(FILE *stream, const bo__regret_summary *summary, row_writer write,
                            size_t lines, bool (*wanted)(const bo__regret_cell *cell),
                            bo_message *message)
{
    const bo__regret_plan *plan = summary->plan;
    bo__row row = {0};
    bo_status status = write_header(stream, &row, write, message);
    for (size_t c = 0; !status && c < plan->settings * plan->surrogates; c++) {
        const bo__regret_cell *cell = &summary->cell[c];
        const char *setting = plan->setting[c / plan->surrogates].name;
        const char *surrogate = plan->surrogate[c % plan->surrogates].name;
        for (size_t line = 0; !status && wanted(cell) && line < lines; line++)
            status = write_row(stream, &row, BO_ROW_CSV, setting, surrogate, write, cell, line,
                               message);
    }
    bo__row_free(&row);
    return status;
}

static bool has_runs(const bo__regret_cell *cell)
{
    return cell->runs > 0;
}

static bool has_pairs(const bo__regret_cell *cell)
{
    return cell->pairs > 0;
}

/* The five columns of the simple regret and the two of another. */
static void put_simple(bo__row *row, const bo__regret_point *p, bool norm)
{
    bo__row_number(row, norm ? "simple_mean_norm" : "simple_mean", p->mean);
    bo__row_number(row, norm ? "simple_se_norm" : "simple_se", p->se);
    bo__row_number(row, norm ? "simple_median_norm" : "simple_median", p->median);
    bo__row_number(row, norm ? "simple_q25_norm" : "simple_q25", p->lower);
    bo__row_number(row, norm ? "simple_q75_norm" : "simple_q75", p->upper);
}

static void summary_row(bo__row *row, const bo__regret_cell *cell, size_t t)
{
    bo__row_size(row, "iteration", t);
    put_simple(row, &cell->curve[BO_SIMPLE][t], false);
    bo__row_number(row, "cumulative_mean", cell->curve[BO_CUMULATIVE][t].mean);
    bo__row_number(row, "cumulative_se", cell->curve[BO_CUMULATIVE][t].se);
    put_simple(row, &cell->curve[BO_SIMPLE_NORM][t], true);
    bo__row_number(row, "cumulative_mean_norm", cell->curve[BO_CUMULATIVE_NORM][t].mean);
    bo__row_number(row, "cumulative_se_norm", cell->curve[BO_CUMULATIVE_NORM][t].se);
    bo__row_number(row, "instantaneous_mean", cell->curve[BO_INSTANTANEOUS][t].mean);
    bo__row_number(row, "instantaneous_se", cell->curve[BO_INSTANTANEOUS][t].se);
    bo__row_number(row, "instantaneous_mean_norm", cell->curve[BO_INSTANTANEOUS_NORM][t].mean);
    bo__row_number(row, "instantaneous_se_norm", cell->curve[BO_INSTANTANEOUS_NORM][t].se);
    bo__row_size(row, "runs", cell->runs);
}

static bo_status write_summary(FILE *stream, const bo__regret_summary *summary,
                               bo__regret_record *const *records, bo_message *message)
{
    return write_rows(stream, summary, summary_row, summary->plan->iterations + 1, has_runs,
                      message);
}

static void test_row(bo__row *row, const bo__regret_cell *cell, size_t line)
{
    const bo__regret_test *test = line ? &cell->cumulative : &cell->simple;
    bo__row_text(row, "regret", line ? "cumulative" : "simple");
    bo__row_text(row, "against", cell->against);
    bo__row_size(row, "pairs", cell->pairs);
    bo__row_number(row, "difference", test->difference);
    bo__row_number(row, "difference_se", test->difference_se);
    bo__row_size(row, "differing", test->wilcoxon.n);
    bo__row_number(row, "rank_sum_worse", test->wilcoxon.positive);
    bo__row_number(row, "rank_sum_better", test->wilcoxon.negative);
    bo__row_number(row, "p", test->wilcoxon.p);
    bo__row_number(row, "p_holm", test->holm);
    bo__row_number(row, "effect", test->wilcoxon.effect);
    bo__row_text(row, "p_is", test->wilcoxon.exact ? "exact" : "normal");
}

static bo_status write_tests(FILE *stream, const bo__regret_summary *summary,
                             bo__regret_record *const *records, bo_message *message)
{
    return write_rows(stream, summary, test_row, 2, has_pairs, message);
}

static void time_row(bo__row *row, const bo__regret_cell *cell, size_t line)
{
    bo__row_size(row, "runs", cell->runs);
    bo__row_number(row, "milliseconds", cell->milliseconds);
    bo__row_number(row, "milliseconds_se", cell->milliseconds_se);
    bo__row_number(row, "slowest", cell->slowest);
}

static bo_status write_times(FILE *stream, const bo__regret_summary *summary,
                             bo__regret_record *const *records, bo_message *message)
{
    return write_rows(stream, summary, time_row, 1, has_runs, message);
}

static void step_row(bo__row *row, const bo__regret_cell *cell, size_t line)
{
    const bo__regret_point *p = &cell->curve[BO_MILLISECONDS][line];
    bo__row_size(row, "iteration", line);
    bo__row_size(row, "runs", cell->runs);
    bo__row_number(row, "milliseconds_mean", p->mean);
    bo__row_number(row, "milliseconds_se", p->se);
    bo__row_number(row, "milliseconds_median", p->median);
    bo__row_number(row, "milliseconds_q25", p->lower);
    bo__row_number(row, "milliseconds_q75", p->upper);
}

static bo_status write_steps(FILE *stream, const bo__regret_summary *summary,
                             bo__regret_record *const *records, bo_message *message)
{
    return write_rows(stream, summary, step_row, summary->plan->iterations + 1, has_runs, message);
}

static void habit_row(bo__row *row, const bo__regret_cell *cell, size_t line)
{
    const bo__regret_habits *h = &cell->habits;
    bo__row_size(row, "runs", cell->runs);
    bo__row_number(row, "repeats", h->repeats);
    bo__row_number(row, "at_incumbent", h->incumbent);
    bo__row_number(row, "sd", h->sd);
    bo__row_number(row, "sd_last_ten", h->sd_end);
    bo__row_number(row, "ending_above_tenth", h->stuck);
}

static bo_status write_habits(FILE *stream, const bo__regret_summary *summary,
                              bo__regret_record *const *records, bo_message *message)
{
    return write_rows(stream, summary, habit_row, 1, has_runs, message);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_number(FILE *stream, double value)
{
    char buffer[BO_NUMBER_ROOM];
    fputs(isfinite(value) ? bo__number_text(buffer, value) : "null", stream);
}

static void json_list(FILE *stream, const char *name, const bo__regret_point *curve,
                      size_t length, size_t offset, bool last)
{
    fprintf(stream, "\"%s\": [", name);
    for (size_t t = 0; t < length; t++) {
        fputs(t ? ", " : "", stream);
        json_number(stream, *(const double *)((const char *)&curve[t] + offset));
    }
    fprintf(stream, "]%s", last ? "" : ", ");
}

static void json_test(FILE *stream, const char *name, const bo__regret_test *test)
{
    fprintf(stream, ", \"%s_against_reference\": {\"difference\": ", name);
    json_number(stream, test->difference);
    fprintf(stream, ", \"difference_se\": ");
    json_number(stream, test->difference_se);
    fprintf(stream, ", \"p\": ");
    json_number(stream, test->wilcoxon.p);
    fprintf(stream, ", \"p_holm\": ");
    json_number(stream, test->holm);
    fprintf(stream, ", \"effect\": ");
    json_number(stream, test->wilcoxon.effect);
    fprintf(stream, "}");
}

static void json_curve(FILE *stream, const char *name, const bo__regret_point *curve, size_t length)
{
    fprintf(stream, ",\n          \"%s\": {", name);
    json_list(stream, "mean", curve, length, offsetof(bo__regret_point, mean), false);
    json_list(stream, "se", curve, length, offsetof(bo__regret_point, se), false);
    json_list(stream, "median", curve, length, offsetof(bo__regret_point, median), false);
    json_list(stream, "q25", curve, length, offsetof(bo__regret_point, lower), false);
    json_list(stream, "q75", curve, length, offsetof(bo__regret_point, upper), true);
    fprintf(stream, "}");
}

/* What a file has of a cell. */
typedef void (*json_part)(FILE *stream, const bo__regret_cell *cell, size_t length);

static void json_regrets(FILE *stream, const bo__regret_cell *cell, size_t length)
{
    for (size_t q = 0; cell->runs && q < BO_REGRETS; q++)
        json_curve(stream, quantity_names[q], cell->curve[q], length);
    if (!cell->pairs)
        return;
    fprintf(stream, ",\n          \"pairs\": %zu", cell->pairs);
    json_test(stream, "simple", &cell->simple);
    json_test(stream, "cumulative", &cell->cumulative);
}

static void json_times(FILE *stream, const bo__regret_cell *cell, size_t length)
{
    if (!cell->runs)
        return;
    fprintf(stream, ",\n          \"suggestion\": {\"mean\": ");
    json_number(stream, cell->milliseconds);
    fprintf(stream, ", \"se\": ");
    json_number(stream, cell->milliseconds_se);
    fprintf(stream, ", \"slowest\": ");
    json_number(stream, cell->slowest);
    fprintf(stream, "}");
    json_curve(stream, quantity_names[BO_MILLISECONDS], cell->curve[BO_MILLISECONDS], length);
}

static void json_file(FILE *stream, const bo__regret_summary *summary, json_part part)
{
    const bo__regret_plan *plan = summary->plan;
    size_t reference = bo__regret_reference(plan);
    fprintf(stream,
            "{\"protocol\": \"%s\", \"functions\": %zu, \"iterations\": %zu, \"init\": %zu, "
            "\"seed\": %llu,\n",
            plan->protocol == BO_REGRET_PAPER ? "paper" : "plain", plan->functions,
            plan->iterations, plan->init, (unsigned long long)plan->seed);
    if (reference < plan->surrogates)
        fprintf(stream, "  \"reference\": \"%s\",\n", plan->surrogate[reference].name);
    fprintf(stream, "  \"settings\": {\n");
    for (size_t s = 0; s < plan->settings; s++) {
        fprintf(stream, "    \"%s\": {\n      \"surrogates\": {\n", plan->setting[s].name);
        for (size_t i = 0; i < plan->surrogates; i++) {
            const bo__regret_cell *cell = bo__regret_cell_at(summary, s, i);
            fprintf(stream, "        \"%s\": {\"runs\": %zu, \"failed\": %zu",
                    plan->surrogate[i].name, cell->runs, cell->failed);
            part(stream, cell, plan->iterations + 1);
            fputs(i + 1 < plan->surrogates ? "},\n" : "}}}", stream);
        }
        fputs(s + 1 < plan->settings ? ",\n" : "\n  }}\n", stream);
    }
}

static bo_status write_json(FILE *stream, const bo__regret_summary *summary,
                            bo__regret_record *const *records, bo_message *message)
{
    json_file(stream, summary, json_regrets);
    return BO_OK;
}

static bo_status write_json_times(FILE *stream, const bo__regret_summary *summary,
                                  bo__regret_record *const *records, bo_message *message)
{
    json_file(stream, summary, json_times);
    return BO_OK;
}

bo_status bo__regret_write(const char *folder, const bo__regret_summary *summary,
                           bo__regret_record *const *records, bo_message *message)
{
    static const struct {
        const char *name;
        writer write;
    } files[] = {{"runs.csv", write_runs},       {"summary.csv", write_summary},
                 {"summary.json", write_json},   {"tests.csv", write_tests},
                 {"habits.csv", write_habits},   {"times.csv", write_times},
                 {"steptimes.csv", write_steps}, {"times.json", write_json_times}};
    bo_status status = BO_OK;
    for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
        status = write_file(folder, files[i].name, files[i].write, summary, records, message);
    return status;
}
