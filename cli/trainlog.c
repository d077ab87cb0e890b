/* trainlog.c - the log of a training run, as CSV, and its curve.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "trainlog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "plot.h"

struct bo__trainlog {
    bo__journal *journal;
    bo__row row;
};

static const char header[] = "step,loss,context,target,rate,norm,tasks_per_second,seconds\n";

/* The header and the rows of an old log up to a step, in new memory. */
static char *kept_rows(const char *path, size_t step)
{
    char *text = NULL, *line = NULL;
    size_t length = 0, room = 0;
    FILE *memory = open_memstream(&text, &length), *old = step ? fopen(path, "re") : NULL;
    if (!memory) {
        if (old)
            fclose(old);
        return NULL;
    }
    fputs(header, memory);
    while (old && getline(&line, &room, old) > 0) {
        char *end;
        unsigned long long at = strtoull(line, &end, 10);
        if (end != line && *end == ',' && at <= step && strchr(line, '\n'))
            fputs(line, memory);
    }
    free(line);
    if (old)
        fclose(old);
    if (fclose(memory)) {
        free(text);
        return NULL;
    }
    return text;
}

bo_status bo__trainlog_open(bo__trainlog **out, const char *path, size_t step,
                            bo_message *message)
{
    *out = NULL;
    bo__trainlog *log = calloc(1, sizeof *log);
    char *first = kept_rows(path, step);
    bo_status status = log && first
                           ? bo__journal_open(&log->journal, path, first, message)
                           : bo__fail(message, BO_ENOMEM, "%s: no memory for the log", path);
    free(first);
    if (status) {
        free(log);
        return status;
    }
    *out = log;
    return BO_OK;
}

bo_status bo__trainlog_add(bo__trainlog *log, const bo__trainlog_row *row, bo_message *message)
{
    bo__row *r = &log->row;
    bo__row_begin(r, BO_ROW_CSV);
    bo__row_size(r, "step", row->step);
    bo__row_number(r, "loss", row->loss);
    bo__row_number(r, "context", row->context);
    bo__row_number(r, "target", row->target);
    bo__row_number(r, "rate", row->rate);
    bo__row_number(r, "norm", row->norm);
    bo__row_number(r, "tasks_per_second", row->speed);
    bo__row_number(r, "seconds", row->seconds);
    bo_status status = bo__row_end(r, message);
    return status ? status : bo__journal_write(log->journal, r->text, message);
}

void bo__trainlog_close(bo__trainlog *log)
{
    if (!log)
        return;
    bo__journal_close(log->journal);
    bo__row_free(&log->row);
    free(log);
}

/* ---- the curve ------------------------------------------------------------------------- */

/* The log as a block of data; false: there is no row. */
static bool write_data(FILE *script, const char *path)
{
    char *rows = kept_rows(path, SIZE_MAX), *first = rows ? strchr(rows, '\n') : NULL;
    bool any = first && first[1];
    if (any)
        fprintf(script, "$log << EOD\n%sEOD\nset datafile separator ','\n", first + 1);
    free(rows);
    return any;
}

/* A curve hardly shows with two or three scores, so that each has a mark. */
#define LINE "with linespoints lw 1.5 pt 7 ps 0.3 "

static void panel_score(FILE *script, bool text)
{
    fputs("set ylabel 'log-likelihood per point'\nset key bottom right\n", script);
    if (text)
        fputs("set xlabel 'step'\nplot $log using 1:4 with lines title 'held-out targets', "
              "$log using 1:3 with lines title 'their context'\n", script);
    else
        fprintf(script,
                "plot $log using 1:4 " LINE "lc '%s' title 'held-out targets', "
                "$log using 1:3 " LINE "lc '%s' title 'their context'\n",
                BO_PLOT_BLUE, BO_PLOT_ORANGE);
}

/* Apart from the scores: for bnp and banp the loss is the sum of two terms. */
static void panel_loss(FILE *script)
{
    fprintf(script,
            "unset title\nset key off\nset ylabel 'training loss'\nset xlabel 'step'\n"
            "plot $log using 1:2 " LINE "lc '%s'\n",
            BO_PLOT_VERMILION);
}

bo_status bo__trainlog_plot(const char *path, const char *picture, const char *title,
                            bo_message *message)
{
    bo__plot *plot;
    bo_status status = bo__plot_open(&plot, picture, 7.5, 6, message);
    if (status)
        return status;
    FILE *script = bo__plot_script(plot);
    bool text = bo__plot_is_text(plot);
    if (!write_data(script, path)) {
        bo__plot_abort(plot);
        return bo__fail(message, BO_EIO, "%s: has no rows to draw", path);
    }
    fputs("set title ", script);
    bo__plot_quote(script, title);
    fputs(" noenhanced\nset lmargin 11\nset autoscale xfixmax\n", script);
    if (!text)
        fputs("set multiplot layout 2,1\n", script);
    panel_score(script, text);
    if (!text) {
        panel_loss(script);
        fputs("unset multiplot\n", script);
    }
    return bo__plot_close(plot, message);
}
