/* startup.c - what every command does first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenBLAS reads OPENBLAS_CORETYPE when it is loaded, before main; a program that wants another
 * value has to set it and execute itself again.  A second variable keeps that from happening
 * twice.  Both are taken away again afterwards, so that programs we start (the user's objective,
 * gnuplot) get the environment that we were given.
 *
 * A standard stream that the caller closed would lend its number to the next file we open, and
 * what we print would go there; /dev/null takes its place, opened the wrong way round, so that
 * writing still fails.  Whether all that was printed was also written is seen when we exit.
 */
#include "startup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "blas.h"
#include "bo.h"

#define AGAIN "BO_STARTED_AGAIN"
#define CORE "OPENBLAS_CORETYPE"

/* Returns only when it failed; then we are slower, but not wrong. */
static void start_again(char **argv, const char *core)
{
    if (setenv(AGAIN, "1", 1) || setenv(CORE, core, 1))
        return;
    /* The file's own name, so that ps shows it; the link, in case the file has been moved. */
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        execv(path, argv);
    }
    execv("/proc/self/exe", argv);
    unsetenv(AGAIN);
    unsetenv(CORE);
}

static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* At exit: output that was lost is an error, whatever else went well. */
static void check_output(void)
{
    bool failed = ferror(stdout);
    if (!fflush(stdout) && !failed)
        return;
    fprintf(stderr, "%s: cannot write to standard output\n", program_invocation_short_name);
    _exit(1);
}

void bo__startup(int argc, char **argv)
{
    fill_standard_streams();
    if (getenv(AGAIN)) {
        unsetenv(AGAIN);
        unsetenv(CORE);
    } else {
        const char *core = bo_blas_advice();
        if (core)
            start_again(argv, core);
    }
    bo__blas_single();
    atexit(check_output);
}
