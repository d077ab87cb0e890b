/* progress.c - a progress bar on a terminal, nothing elsewhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time left is what the turns so far took, scaled to the turns that remain.
 */
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "interrupt.h"

enum { BAR = 24, LEAST = 4, LINE = 1024 }; /* cells of the bar, and where there is no room */
static const double INTERVAL = 0.1; /* seconds between two drawings: smooth, and costs nothing */

double bo__progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether the terminal shows UTF-8, by the first of the usual variables that is set. */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

/* Whether the terminal can go back to the beginning of a line. */
static bool can_redraw(void)
{
    const char *term = getenv("TERM");
    return !term || strcmp(term, "dumb");
}

void bo__progress_start(bo__progress *bar, FILE *stream, const char *label, size_t total)
{
    *bar = (bo__progress){.stream = stream, .label = label, .total = total, .last = -INFINITY};
    bar->live = isatty(fileno(stream)) && can_redraw();
    bar->utf8 = speaks_utf8();
    bar->begin = bo__progress_clock();
}

void bo__progress_relayed(bo__progress *bar)
{
    bar->live = can_redraw();
}

void bo__progress_time(char *buffer, size_t room, double seconds)
{
    if (!(seconds < 1e7)) {
        snprintf(buffer, room, "?");
        return;
    }
    unsigned long whole = (unsigned long)ceil(fmax(seconds, 0));
    if (whole >= 3600)
        snprintf(buffer, room, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(buffer, room, "%lu:%02lu", whole / 60, whole % 60);
}

/* Cuts UTF-8 text after `width` characters. */
static void cut(char *text, size_t width)
{
    size_t count = 0;
    for (char *c = text; *c; c++)
        if (((unsigned char)*c & 0xC0) != 0x80 && ++count > width) {
            *c = 0;
            return;
        }
}

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* The bar, and a space behind it, as long as the other text leaves room for. */
static void draw_cells(char cells[BAR * 3 + 2], const bo__progress *bar, size_t done, size_t room)
{
    size_t count = room < LEAST ? LEAST : room > BAR ? BAR : room, at = 0;
    size_t full = (size_t)(fmin((double)done / (double)bar->total, 1) * (double)count);
    for (size_t i = 0; i < count; i++) {
        const char *cell = bar->utf8 ? (i < full ? "━" : "─") : i < full ? "#" : "-";
        at += (size_t)sprintf(cells + at, "%s", cell);
    }
    sprintf(cells + at, " ");
}

void bo__progress_line(char *buffer, size_t room, const bo__progress *bar, size_t width,
                       size_t done, double elapsed, const char *extra)
{
    char cells[BAR * 3 + 2] = "", left[32] = "", total[32] = "", text[LINE];
    if (bar->total && done && done < bar->total) {
        char time[24];
        bo__progress_time(time, sizeof time,
                          elapsed * (double)(bar->total - done) / (double)done);
        snprintf(left, sizeof left, "  %s left", time);
    }
    if (bar->total)
        snprintf(total, sizeof total, "/%zu", bar->total);
    snprintf(text, sizeof text, "%zu%s%s%s%s", done, total, left, *extra ? "  " : "", extra);
    size_t taken = characters(bar->label) + 2 + characters(text);
    if (bar->total)
        draw_cells(cells, bar, done, width > taken ? width - taken : 0);
    snprintf(buffer, room, "%s%s%s%s", bar->label, *bar->label ? " " : "", cells, text);
    cut(buffer, width);
}

void bo__progress_update(bo__progress *bar, size_t done, const char *format, ...)
{
    char extra[LINE / 2] = "", line[LINE];
    double now = bo__progress_clock();
    if (!bar->live || now - bar->last < INTERVAL)
        return;
    if (format) {
        va_list list;
        va_start(list, format);
        vsnprintf(extra, sizeof extra, format, list);
        va_end(list);
    }
    /* The last column stays free: writing there makes some terminals wrap. */
    bo__progress_line(line, sizeof line, bar, bo__args_width(bar->stream) - 1, done,
                      now - bar->begin, extra);
    bo__interrupt_line(fileno(bar->stream));
    fprintf(bar->stream, "\r%s\033[K", line);
    fflush(bar->stream);
    bar->drawn = true;
    bar->last = now;
}

void bo__progress_clear(bo__progress *bar)
{
    if (!bar->drawn)
        return;
    fputs("\r\033[K", bar->stream);
    fflush(bar->stream);
    bo__interrupt_line(-1);
    bar->drawn = false;
    bar->last = -INFINITY;
}

void bo__progress_end(bo__progress *bar)
{
    bo__progress_clear(bar);
    bar->live = false;
}
