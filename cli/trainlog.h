/* trainlog.h - the log of a training run, as CSV, and its curve.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_TRAINLOG_H
#define BO_TRAINLOG_H

#include "bo.h"

typedef struct bo__trainlog bo__trainlog;

typedef struct bo__trainlog_row {
    size_t step;
    double loss;            /* smoothed */
    double context, target; /* held-out log-likelihoods */
    double rate, norm;
    double speed;   /* tasks a second */
    double seconds; /* of this and, up to their last checkpoints, earlier starts */
} bo__trainlog_row;

/* Begins a log; of a log that is there, rows up to the given step are kept (0: none). */
bo_status bo__trainlog_open(bo__trainlog **out, const char *path, size_t step,
                            bo_message *message);
bo_status bo__trainlog_add(bo__trainlog *log, const bo__trainlog_row *row, bo_message *message);
void bo__trainlog_close(bo__trainlog *log); /* takes NULL */

/* Draws the scores of a log over the steps, and the loss in a panel below; see plot.h. */
bo_status bo__trainlog_plot(const char *path, const char *picture, const char *title,
                            bo_message *message);

#endif
