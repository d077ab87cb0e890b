/* interrupt.h - Ctrl-C as a flag that commands poll.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first SIGINT or SIGTERM sets the flag, and the command ends its work in good order.  The
 * second one ends the process at once, after wiping the progress bar off the terminal.
 */
#ifndef BO_INTERRUPT_H
#define BO_INTERRUPT_H

#include <stdbool.h>

/* From now on signals set the flag.  Call once, early in main. */
void bo__interrupt_catch(void);

/* The signal that came, 0 when none did. */
int bo__interrupt_signal(void);
static inline bool bo__interrupted(void)
{
    return bo__interrupt_signal() != 0;
}

/* The exit status of a command that ended in good order: 128 + signal (130 for Ctrl-C) when it
 * was interrupted, as shells expect, else `status`. */
int bo__interrupt_status(int status);

/* While a line without a newline stands on this terminal, the second signal wipes it first;
 * -1: no line stands anywhere. */
void bo__interrupt_line(int fd);

#endif
