/* bench-predict.c - bo-bench predict: time of a fit and of a query, for each surrogate.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "timepredict.h"

enum { MOST_SIZES = 64, MOST_SURROGATES = 32 };

typedef struct settings {
    bo_options options;
    const char *surrogates, *sizes, *output;
    size_t dim;
    double seconds;
    size_t count, n[MOST_SIZES];
    size_t types;
    const bo_surrogate_type *type[MOST_SURROGATES];
} settings;

static const char purpose[] =
    "Measures how long surrogates take to read n observations, and to answer queries about them.";

static const char examples[] =
    "  All neural surrogates with weights for one dimension:\n"
    "    bo-bench predict\n\n"
    "  Two of them with few components, at other sizes:\n"
    "    bo-bench predict --surrogates anp,banp --samples 10 --sizes 20,100\n";

static const char notes[] =
    "TABLE. surrogate; n; K: components of the mixture; fit: CPU milliseconds of a fit; screen: "
    "microseconds a point when 512 are predicted at once; climb: microseconds of one point's "
    "prediction and its derivative, as the maximiser's climbs ask for them. All are medians.";

/* "banp,gp": the names of surrogates. */
static bo_status read_surrogates(settings *s, bo_message *message)
{
    const char *list = s->surrogates;
    char name[64];
    for (s->types = 0; s->types < MOST_SURROGATES; list++) {
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), list);
        const bo_surrogate_type *type = bo_surrogate_find(name);
        if (!type)
            return bo__fail(message, BO_EINVAL, "there is no surrogate '%s'", name);
        s->type[s->types++] = type;
        list += length;
        if (!*list)
            return BO_OK;
    }
    return bo__fail(message, BO_EINVAL, "at most %d surrogates", MOST_SURROGATES);
}

static void add_row(bo__row *row, const char *name, size_t n, const bo__timepredict *t)
{
    bo__row_text(row, "surrogate", name);
    bo__row_size(row, "n", n);
    bo__row_size(row, "components", t->components);
    bo__row_number(row, "fit_ms", t->fit_ms);
    bo__row_number(row, "screen_us", t->screen_us);
    bo__row_number(row, "climb_us", t->climb_us);
}

static bo_status write_row(FILE *file, bo__row_form form, const char *name, size_t n,
                           const bo__timepredict *t, bo_message *message)
{
    bo__row row = {0};
    bo__row_begin(&row, form);
    add_row(&row, name, n, t);
    bo_status status = bo__row_end(&row, message);
    if (!status)
        fputs(row.text, file);
    bo__row_free(&row);
    return status;
}

static bo_status measure(settings *s, FILE *file, bo_message *message)
{
    bo__progress bar;
    bo_status status = BO_OK;
    bo__timepredict t = {0};
    size_t total = s->types * s->count;
    bo__progress_start(&bar, stderr, "predictions", total);
    printf("%-9s %5s %5s %10s %10s %10s\n", "surrogate", "n", "K", "fit ms", "screen us",
           "climb us");
    if (file)
        status = write_row(file, BO_ROW_HEADER, "", 0, &t, message);
    for (size_t i = 0; !status && i < total && !bo__interrupted(); i++) {
        size_t n = s->n[i % s->count];
        s->options.surrogate = s->type[i / s->count];
        const char *name = bo_surrogate_name(s->options.surrogate);
        bo__progress_update(&bar, i, "%s, n = %zu", name, n);
        status = bo__timepredict_run(&s->options, s->dim, n, s->seconds, &t, message);
        bo__progress_clear(&bar);
        if (status)
            break;
        printf("%-9s %5zu %5zu %10.3f %10.2f %10.1f\n", name, n, t.components, t.fit_ms,
               t.screen_us, t.climb_us);
        fflush(stdout);
        if (file)
            status = write_row(file, BO_ROW_CSV, name, n, &t, message);
    }
    bo__progress_end(&bar);
    return status;
}

static bo_status run(settings *s, bo_message *message)
{
    bo__output *output = NULL;
    bo_status status = s->output ? bo__output_open(&output, s->output, message) : BO_OK;
    if (!status)
        status = measure(s, output ? bo__output_stream(output) : NULL, message);
    if (!status && output)
        return bo__output_commit(output, message);
    bo__output_abort(output);
    return status;
}

static int parse(settings *s, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "surrogates", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s->surrogates,
         .group = "what to measure", .help = "Names, with commas between."},
        {.name = "sizes", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s->sizes,
         .group = "what to measure", .help = "Numbers of observations, with commas between."},
        {.name = "dim", .value = "N", .kind = BO_ARG_SIZE, .target = &s->dim, .least = 1,
         .most = 40, .group = "what to measure", .help = "Dimensions."},
        {.name = "seconds", .value = "S", .kind = BO_ARG_DOUBLE, .target = &s->seconds,
         .least = 0, .most = 60, .above = true, .group = "what to measure",
         .help = "Time for each measurement."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "output", .help = "Write the table as CSV."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-bench predict", .purpose = purpose,
                                 .usage = "[options]", .examples = examples, .notes = notes,
                                 .args = table, .describe = bo_option_describe,
                                 .set = bo_options_set, .options = &s->options};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    if (read_surrogates(s, &message))
        return bo__args_error(&command, "option '--surrogates': %s", message.text);
    if (bo__bench_read_sizes(s->n, MOST_SIZES, &s->count, s->sizes, &message))
        return bo__args_error(&command, "option '--sizes': %s", message.text);
    if (s->output && bo__output_check(s->output, &message))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

int bo__bench_main_predict(int argc, char **argv)
{
    settings s = {.surrogates = "gp,cnp,np,bnp,canp,anp,banp", .sizes = "10,50,200,1000",
                  .dim = 1, .seconds = 0.3};
    bo_options_init(&s.options);
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bo_status status = run(&s, &message);
    if (!status)
        return 0;
    fprintf(stderr, "bo-bench predict: %s\n", message.text);
    return 1;
}
