/* interrupt.c - Ctrl-C as a flag that commands poll.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t received; /* the signal that came */
static volatile sig_atomic_t line_fd = -1;

/* Only async-signal-safe calls here. */
static void handle(int signal_number)
{
    if (received) {
        static const char wipe[] = "\r\033[K";
        if (line_fd >= 0 && write(line_fd, wipe, sizeof wipe - 1) < 0)
            _exit(128 + signal_number);
        _exit(128 + signal_number);
    }
    received = signal_number;
}

void bo__interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    /* No SA_RESTART: waits for a child or a pipe return early, so that the flag is seen. */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int bo__interrupt_signal(void)
{
    return received;
}

int bo__interrupt_status(int status)
{
    return received ? 128 + received : status;
}

void bo__interrupt_line(int fd)
{
    line_fd = fd;
}
