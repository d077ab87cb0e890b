/* test-progress.c - the progress bar: its text, and that it shows on terminals only; Ctrl-C.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "interrupt.h"
#include "progress.h"

static void says_done_and_left(void **state)
{
    bo__progress bar = {.label = "run", .total = 40};
    char line[256];
    bo__progress_line(line, sizeof line, &bar, 200, 10, 30, "best 1.5");
    assert_string_equal(line, "run ######------------------ 10/40  1:30 left  best 1.5");
    bo__progress_line(line, sizeof line, &bar, 39, 10, 30, "best 1.5");
    assert_string_equal(line, "run ##------ 10/40  1:30 left  best 1.5");
    bo__progress_line(line, sizeof line, &bar, 12, 10, 30, "best 1.5");
    assert_string_equal(line, "run #--- 10/");
    bo__progress_line(line, sizeof line, &bar, 200, 40, 30, "");
    assert_string_equal(line, "run ######################## 40/40");
    bo__progress_line(line, sizeof line, &bar, 200, 55, 30, "");
    assert_string_equal(line, "run ######################## 55/40");
    bar.total = 0;
    bo__progress_line(line, sizeof line, &bar, 200, 7, 30, "x");
    assert_string_equal(line, "run 7  x");
    bar.total = 4;
    bar.utf8 = true;
    bo__progress_line(line, sizeof line, &bar, 6, 4, 30, "x");
    assert_string_equal(line, "run ━━");
    bo__progress_line(line, sizeof line, &bar, 16, 2, 30, "é");
    assert_string_equal(line, "run ━━── 2/4  0:");
    /* What bo-train shows fits into 80 columns, of which the last stays free. */
    bar = (bo__progress){.label = "banp", .total = 100000};
    bo__progress_line(line, sizeof line, &bar, 79, 12345, 3600,
                      "loss -0.123  target -0.456  12345 tasks/s");
    assert_string_equal(line, "banp ---- 12345/100000  7:06:02 left  loss -0.123  target -0.456  "
                              "12345 tasks/s");
}

static void tells_time(void **state)
{
    char text[32];
    bo__progress_time(text, sizeof text, 6.2);
    assert_string_equal(text, "0:07");
    bo__progress_time(text, sizeof text, 760);
    assert_string_equal(text, "12:40");
    bo__progress_time(text, sizeof text, 11100);
    assert_string_equal(text, "3:05:00");
    bo__progress_time(text, sizeof text, INFINITY);
    assert_string_equal(text, "?");
}

static void silent_without_a_terminal(void **state)
{
    bo__progress bar;
    FILE *file = tmpfile();
    bo__progress_start(&bar, file, "run", 3);
    for (size_t i = 0; i < 3; i++)
        bo__progress_update(&bar, i, "best %g", 1.0);
    bo__progress_end(&bar);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

/* What mpirun passes on is drawn, except for a terminal that cannot take it. */
static void draws_when_relayed(void **state)
{
    bo__progress bar;
    FILE *file = tmpfile();
    setenv("TERM", "dumb", 1);
    bo__progress_start(&bar, file, "run", 3);
    bo__progress_relayed(&bar);
    bo__progress_update(&bar, 1, NULL);
    assert_int_equal(ftell(file), 0);
    setenv("TERM", "xterm", 1);
    bo__progress_relayed(&bar);
    bo__progress_update(&bar, 1, NULL);
    assert_true(ftell(file) > 0);
    bo__progress_end(&bar);
    fclose(file);
}

/* A pseudo-terminal; the end that a program writes to is returned. */
static FILE *open_terminal(int *master)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) || unlockpt(*master))
        return NULL;
    struct winsize size = {.ws_col = 40, .ws_row = 10};
    ioctl(*master, TIOCSWINSZ, &size);
    return fopen(ptsname(*master), "w");
}

/* What was written, up to the sequence that takes the bar away; it may come in pieces. */
static size_t read_terminal(int master, char *text, size_t room)
{
    size_t length = 0;
    while (length < 4 || memcmp(text + length - 4, "\r\033[K", 4)) {
        ssize_t got = read(master, text + length, room - 1 - length);
        assert_true(got > 0);
        length += (size_t)got;
    }
    text[length] = 0;
    return length;
}

static void draws_on_a_terminal(void **state)
{
    int master;
    char text[1024];
    bo__progress bar;
    FILE *terminal = open_terminal(&master);
    if (!terminal)
        skip();
    setenv("TERM", "xterm", 1);
    bo__progress_start(&bar, terminal, "run", 10);
    assert_true(bar.live);
    bo__progress_update(&bar, 1, "best %.1f", 1.25);
    bar.last += 3600; /* so that what follows comes too soon, however busy the machine */
    for (size_t i = 2; i <= 10; i++)
        bo__progress_update(&bar, i, "best %.1f", 1.25);
    bo__progress_end(&bar);
    size_t length = read_terminal(master, text, sizeof text);
    assert_ptr_equal(strstr(text, "\rrun "), text);
    assert_non_null(strstr(text, "1/10"));
    assert_null(strstr(text, "3/10"));
    assert_string_equal(text + length - 4, "\r\033[K");
    fclose(terminal);
    close(master);
}

static void second_signal_exits(void **state)
{
    int status;
    pid_t child = fork();
    if (!child) {
        bo__interrupt_catch();
        if (bo__interrupted() || bo__interrupt_status(3) != 3)
            _exit(1);
        raise(SIGINT);
        if (bo__interrupt_signal() != SIGINT || bo__interrupt_status(0) != 130)
            _exit(2);
        raise(SIGINT);
        _exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_done_and_left),        cmocka_unit_test(tells_time),
        cmocka_unit_test(silent_without_a_terminal),
        cmocka_unit_test(draws_when_relayed), cmocka_unit_test(draws_on_a_terminal),
        cmocka_unit_test(second_signal_exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
