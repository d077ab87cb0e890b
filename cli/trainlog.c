/* trainlog.c - the log of a training run, as CSV, and its curve.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "trainlog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "message.h"
#include "output.h"

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

static const char *terminal_of(const char *picture)
{
    return bo__path_ends(picture, ".png")   ? "pngcairo size 900,600"
           : bo__path_ends(picture, ".svg") ? "svg size 900,600"
           : bo__path_ends(picture, ".pdf") ? "pdfcairo size 9,6"
                                            : NULL;
}

/* A text in gnuplot's single quotes. */
static void put_quoted(FILE *pipe, const char *text)
{
    putc('\'', pipe);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', pipe);
        putc(*text, pipe);
    }
    putc('\'', pipe);
}

bo_status bo__trainlog_plot(const char *path, const char *picture, bo_message *message)
{
    const char *terminal = terminal_of(picture);
    if (!terminal)
        return bo__fail(message, BO_EINVAL, "%s: a picture ends with .png, .svg or .pdf", picture);
    FILE *pipe = popen("gnuplot 2>/dev/null", "w");
    if (!pipe)
        return bo__fail(message, BO_EIO, "%s: cannot start gnuplot: %s", picture,
                        strerror(errno));
    fprintf(pipe, "set terminal %s\nset output ", terminal);
    put_quoted(pipe, picture);
    fputs("\nset datafile separator ','\nset xlabel 'step'\nset grid\nset key right center\n"
          "set ylabel 'log-likelihood per point'\nplot ", pipe);
    put_quoted(pipe, path);
    fputs(" every ::1 using 1:4 with lines lw 2 title 'held-out target', ", pipe);
    put_quoted(pipe, path);
    fputs(" every ::1 using 1:(-$2) with lines title 'minus loss'\n", pipe);
    int status = pclose(pipe);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status))
        return bo__fail(message, BO_EIO, "%s: gnuplot failed, or is not installed", picture);
    return BO_OK;
}
