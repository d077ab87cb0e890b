/* progress.h - a progress bar on a terminal, nothing elsewhere.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bo__progress bar;
 *     bo__progress_start(&bar, stderr, "training", steps);
 *     for (…)
 *         bo__progress_update(&bar, step, "loss %.3f", loss);
 *     bo__progress_end(&bar);
 *
 * Shows label, bar, done/total, the extra text and the time left, on one line redrawn at most ten
 * times a second.  Where the terminal is too narrow the bar is shorter, then the line is cut.
 */
#ifndef BO_PROGRESS_H
#define BO_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct bo__progress {
    FILE *stream;
    const char *label;
    size_t total; /* may be changed between updates; 0: unknown */
    bool live;    /* stream is a terminal, or ends at one */
    bool drawn;   /* a line stands there */
    bool utf8;
    double begin; /* seconds on the monotonic clock */
    double last;  /* when it was drawn */
} bo__progress;

/* The label is not copied. */
void bo__progress_start(bo__progress *bar, FILE *stream, const char *label, size_t total);

/* The stream is no terminal itself but ends at one, by way of mpirun: draw on it. */
void bo__progress_relayed(bo__progress *bar);

/* done of total turns are over; format adds text, NULL for none. */
__attribute__((format(printf, 3, 4))) void bo__progress_update(bo__progress *bar, size_t done,
                                                               const char *format, ...);

/* Takes the line away, so that other text can be printed; the next update draws it again. */
void bo__progress_clear(bo__progress *bar);
void bo__progress_end(bo__progress *bar);

/* Writes the line for a given moment to buffer (its end is cut to width columns). */
void bo__progress_line(char *buffer, size_t room, const bo__progress *bar, size_t width,
                       size_t done, double elapsed, const char *extra);

/* "0:07", "12:40", "3:05:00". */
void bo__progress_time(char *buffer, size_t room, double seconds);

/* Seconds on the monotonic clock. */
double bo__progress_clock(void);

#endif
