/* plot.h - drawing with gnuplot: the process, the file, a palette everybody can tell apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bo__plot *plot;
 *     bo_status status = bo__plot_open(&plot, "regret.png", 9, 6, &message);
 *     FILE *script = bo__plot_script(plot);     (write gnuplot commands, data in $blocks)
 *     status = bo__plot_close(plot, &message);  (draws it)
 *
 * The terminal and a plain style are set already.  The picture appears under its name only when
 * gnuplot drew all of it.  The name "-" draws with characters on standard output.
 */
#ifndef BO_PLOT_H
#define BO_PLOT_H

#include <stdio.h>

#include "bo.h"

typedef struct bo__plot bo__plot;

/* Colours of Okabe and Ito (2008), told apart with any kind of colour vision, as "#rrggbb". */
enum { BO_PLOT_COLOURS = 8 };
extern const char *const bo__plot_colour[BO_PLOT_COLOURS];
#define BO_PLOT_BLACK bo__plot_colour[0]
#define BO_PLOT_BLUE bo__plot_colour[1]
#define BO_PLOT_VERMILION bo__plot_colour[2]
#define BO_PLOT_GREEN bo__plot_colour[3]
#define BO_PLOT_ORANGE bo__plot_colour[4]
#define BO_PLOT_SKY bo__plot_colour[5]
#define BO_PLOT_PURPLE bo__plot_colour[6]
#define BO_PLOT_YELLOW bo__plot_colour[7]

/* Before a run: the name ends with .png, .svg or .pdf (else BO_EINVAL) and can be written (else
 * BO_EIO); or it is "-". */
bo_status bo__plot_check(const char *path, bo_message *message);

/* Whether gnuplot is on the PATH; if not the message says which package brings it. */
bool bo__plot_available(bo_message *message);

/* Sizes are in inches at a font of 10 points; ignored for "-", which takes the terminal's. */
bo_status bo__plot_open(bo__plot **out, const char *path, double width, double height,
                        bo_message *message);
FILE *bo__plot_script(bo__plot *plot);

/* What open begins a script with, for one that is kept: terminal, output to path, style. */
void bo__plot_head(FILE *script, const char *path, double width, double height);

/* The command for the terminal alone, one line. */
void bo__plot_terminal(FILE *script, const char *path, double width, double height);

bool bo__plot_is_text(const bo__plot *plot); /* drawn with characters */

/* Both free it.  abort takes NULL. */
bo_status bo__plot_close(bo__plot *plot, bo_message *message);
void bo__plot_abort(bo__plot *plot);

/* Writes text as a gnuplot string, quoted, so that nothing in it is taken for markup. */
void bo__plot_quote(FILE *script, const char *text);

/* A number as data: NaN becomes a gap. */
void bo__plot_number(FILE *script, double value);

#endif
