/* runplot.h - panels that bo-run's pictures are made of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_RUNPLOT_H
#define BO_RUNPLOT_H

#include "plot.h"
#include "run.h"

/* Where x stands on its axis: its logarithm for log-scaled parameters. */
double bo__axis_place(const bo_parameter *parameter, double x);
/* The value a share (0 … 1) along the axis. */
double bo__axis_value(const bo_parameter *parameter, double share);
void bo__axis_label(FILE *script, char axis, const bo_parameter *parameter);

/* Edges of the next panel, as shares of the picture. */
void bo__panel_place(FILE *script, double left, double right, double bottom, double top);
void bo__panel_title(FILE *script, const char *text);
void bo__panel_reset(FILE *script);
/* One entry of a key that stands above the panel, so many inches from its right end: a point
 * or a piece of line (the other style is NULL).  Slots 0, 1, … until the next reset. */
void bo__panel_mark(FILE *script, int slot, double inches, const char *point, const char *line,
                    const char *colour, const char *text);
/* About `count` round tics over the range on axis 'x' or 'y'. */
void bo__axis_tics(FILE *script, char axis, double range, int count);
void bo__panel_values(FILE *script, const bo__run *run, char axis);
void bo__panel_best(FILE *script, const bo__run *run);
void bo__panel_regret(FILE *script, const bo__run *run);
bool bo__plot_has_regret(const bo__run *run);

/* runmap.c: two real parameters. */
bo_status bo__runmap_draw(FILE *script, const bo__run *run, bo_message *message);

#endif
