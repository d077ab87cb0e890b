/* startup.h - what every command does first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_STARTUP_H
#define BO_STARTUP_H

/* Call it at the top of main, before anything is read or printed.  When OpenBLAS has taken the
 * CPU for an older one, the program starts again, once, with the right environment; either way
 * OpenBLAS uses a single thread afterwards.  A program whose output cannot be written says so when
 * it exits, with status 1. */
void bo__startup(int argc, char **argv);

#endif
