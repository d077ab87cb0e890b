/* external.c - a user's program as the function to optimise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each program gets a process group of its own, so that Ctrl-C reaches us alone and we can end
 * the program with all it started.  One loop polls the outputs of all programs that run at the
 * same time.  Only async-signal-safe calls stand between fork and exec, because the library may
 * have threads.
 */
#include "external.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "args.h"
#include "interrupt.h"
#include "message.h"
#include "parameter.h"
#include "progress.h"
#include "words.h"

extern char **environ;

static const double GRACE = 2; /* seconds between SIGTERM and SIGKILL */
enum { TICK_MS = 50 };         /* longest wait before clocks and signals are looked at */
enum { LINE_ROOM = 200 };

struct bo__external {
    char **words;
    const bo_space *space;
    double timeout;
};

/* Keeps the last line of an output that is not empty. */
typedef struct tail {
    char line[LINE_ROOM], last[LINE_ROOM];
    size_t length;
} tail;

/* One running program. */
typedef struct child {
    pid_t pid; /* 0: it has ended and was waited for */
    int fd[2]; /* its standard output and error; -1: at their end */
    tail tail[2];
    int status;
    double begin, ended;
    bool timed_out, abandoned, killed;
    double term_time; /* when SIGTERM was sent; 0: not yet */
} child;

bo_status bo__external_new(bo__external **out, const char *command, const bo_space *space,
                           double timeout, bo_message *message)
{
    *out = NULL;
    bo__external *external = calloc(1, sizeof *external);
    if (!external)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    external->space = space;
    external->timeout = timeout;
    bo_status status = bo__words_split(&external->words, command, message);
    if (!status)
        status = bo__words_check(external->words, space, message);
    if (status)
        bo__external_free(external);
    else
        *out = external;
    return status;
}

void bo__external_free(bo__external *external)
{
    if (!external)
        return;
    bo__words_free(external->words);
    free(external);
}

/* Our own environment with BO_TRIAL and BO_name added; NULL when out of memory. */
static char **make_environment(const bo_space *space, size_t trial, const double *x)
{
    size_t have = 0, added = 0, dim = bo_space_dim(space);
    while (environ[have])
        have++;
    char **list = calloc(have + dim + 2, sizeof *list);
    bool good = list && asprintf(&list[added++], "BO_TRIAL=%zu", trial) >= 0;
    for (size_t i = 0; good && i < dim; i++) {
        const bo_parameter *parameter = bo_space_parameter(space, i);
        char value[BO_VALUE_ROOM];
        good = asprintf(&list[added], "BO_%s=%s", parameter->name,
                        bo__parameter_text(parameter, x[i], value)) >= 0;
        for (char *c = good ? list[added] : ""; *c && *c != '='; c++)
            if (!isalnum((unsigned char)*c))
                *c = '_';
        added++;
    }
    for (size_t i = 0; good && i < have; i++)
        if (strncmp(environ[i], "BO_TRIAL=", 9))
            good = (list[added++] = strdup(environ[i]));
    if (!good) {
        bo__words_free(list);
        return NULL;
    }
    return list;
}

/* In the new process: connects the streams and becomes the program.  What goes wrong is written
 * to the pipe `report`, which closes by itself when all goes well. */
static void become(char **words, char **environment, int out, int err, int report)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends with us, even when we are killed */
#endif
    signal(SIGPIPE, SIG_DFL);
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
        dup2(err, STDERR_FILENO) >= 0)
        execvpe(words[0], words, environment);
    int reason = errno;
    (void)!write(report, &reason, sizeof reason);
    _exit(127);
}

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* Forks with three pipes: output, errors, report.  Returns 0, or the errno of what failed. */
static int spawn(child *run, char **words, char **environment)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1}, report[2] = {-1, -1}, reason = 0;
    if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || pipe2(report, O_CLOEXEC) ||
        (run->pid = fork()) < 0) {
        reason = errno;
        run->pid = 0;
    } else if (!run->pid) {
        become(words, environment, out[1], err[1], report[1]);
    } else {
        setpgid(run->pid, run->pid); /* both do it, so that it is done whoever comes first */
        close(report[1]);
        report[1] = -1;
        ssize_t got;
        while ((got = read(report[0], &reason, sizeof reason)) < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            reason = 0;
        run->fd[0] = out[0];
        run->fd[1] = err[0];
        out[0] = err[0] = -1;
    }
    close_pipe(out);
    close_pipe(err);
    close_pipe(report);
    return reason;
}

static void end_line(tail *t)
{
    t->line[t->length] = 0;
    if (t->line[strspn(t->line, " \t\r")])
        memcpy(t->last, t->line, sizeof t->last);
    t->length = 0;
}

static void feed(tail *t, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            end_line(t);
        else if (t->length + 1 < sizeof t->line)
            t->line[t->length++] = text[i] ? text[i] : ' ';
    }
}

/* Reads what there is; closes at the end of the output. */
static void drain(child *run, int which)
{
    char buffer[4096];
    ssize_t got = read(run->fd[which], buffer, sizeof buffer);
    if (got > 0)
        feed(&run->tail[which], buffer, (size_t)got);
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        close(run->fd[which]);
        run->fd[which] = -1;
    }
}

/* Reads without waiting what a program that has ended left in its pipes. */
static void drain_rest(child *run)
{
    for (int which = 0; which < 2; which++) {
        struct pollfd ready = {.fd = run->fd[which], .events = POLLIN};
        while (run->fd[which] >= 0 && poll(&ready, 1, 0) > 0)
            drain(run, which);
        end_line(&run->tail[which]);
        if (run->fd[which] >= 0)
            close(run->fd[which]);
        run->fd[which] = -1;
    }
}

static void check_ended(child *run)
{
    if (!run->pid || waitpid(run->pid, &run->status, WNOHANG) != run->pid)
        return;
    run->pid = 0;
    run->ended = bo__progress_clock();
    drain_rest(run);
}

/* Ends programs that took too long, or all when we were interrupted: politely, then not. */
static void check_clock(child *run, double timeout, double now)
{
    if (!run->pid)
        return;
    bool late = now - run->begin > timeout;
    if (!run->term_time && (late || bo__interrupted())) {
        run->timed_out = late;
        run->abandoned = !late;
        run->term_time = now;
        kill(-run->pid, SIGTERM);
    } else if (run->term_time && !run->killed && now - run->term_time > GRACE) {
        run->killed = true;
        kill(-run->pid, SIGKILL);
    }
}

/* One turn of the loop: waits for output or the next tick.  Returns whether any still run. */
static bool attend(child *runs, size_t q, struct pollfd *ready, double timeout)
{
    nfds_t count = 0;
    bool alive = false, quiet = false;
    for (size_t i = 0; i < q; i++) {
        for (int which = 0; which < 2; which++)
            if (runs[i].fd[which] >= 0)
                ready[count++] = (struct pollfd){.fd = runs[i].fd[which], .events = POLLIN};
        quiet |= runs[i].pid && runs[i].fd[0] < 0 && runs[i].fd[1] < 0;
    }
    /* A program whose outputs are closed is about to end: do not sleep a whole tick. */
    poll(ready, count, quiet ? 1 : TICK_MS);
    for (nfds_t k = 0; k < count; k++)
        for (size_t i = 0; ready[k].revents && i < q; i++)
            for (int which = 0; which < 2; which++)
                if (runs[i].fd[which] == ready[k].fd && ready[k].revents) {
                    drain(&runs[i], which);
                    ready[k].revents = 0;
                }
    double now = bo__progress_clock();
    for (size_t i = 0; i < q; i++) {
        check_ended(&runs[i]);
        check_clock(&runs[i], timeout, now);
        alive |= runs[i].pid != 0;
    }
    return alive;
}

/* The text without blanks at either end, in place. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    return text;
}

static void judge(child *run, double timeout, bo__external_result *result)
{
    char *last = trim(run->tail[0].last), *complaint = trim(run->tail[1].last);
    char *reason = result->reason;
    size_t room = sizeof result->reason;
    *result = (bo__external_result){
        .y = NAN, .seconds = run->ended - run->begin, .abandoned = run->abandoned};
    if (run->abandoned)
        snprintf(reason, room, "interrupted");
    else if (run->timed_out)
        snprintf(reason, room, "took longer than %g s", timeout);
    else if (WIFSIGNALED(run->status))
        snprintf(reason, room, "ended by signal %d%s%s", WTERMSIG(run->status),
                 *complaint ? ": " : "", complaint);
    else if (WEXITSTATUS(run->status))
        snprintf(reason, room, "exit status %d%s%s", WEXITSTATUS(run->status),
                 *complaint ? ": " : "", complaint);
    else if (!*last)
        snprintf(reason, room, "printed nothing");
    else if (!bo__args_read_double(last, &result->y))
        snprintf(reason, room, "its last line is not a finite number: %s", last);
}

static bo_status start(child *run, const bo__external *external, size_t trial, const double *x,
                       bo_message *message)
{
    char **words = bo__words_fill(external->words, external->space, x);
    char **environment = make_environment(external->space, trial, x);
    bo_status status = BO_OK;
    run->begin = bo__progress_clock();
    if (!words || !environment) {
        status = bo__fail(message, BO_ENOMEM, "out of memory");
    } else {
        int reason = spawn(run, words, environment);
        if (reason)
            status = bo__fail(message, BO_EIO, "cannot run '%s': %s", words[0],
                              strerror(reason));
    }
    bo__words_free(words);
    bo__words_free(environment);
    return status;
}

bo_status bo__external_run(const bo__external *external, size_t trial, size_t q, const double *x,
                           bo__external_result *results, bo_message *message)
{
    size_t dim = bo_space_dim(external->space);
    child *runs = calloc(q, sizeof *runs);
    struct pollfd *ready = calloc(2 * q, sizeof *ready);
    bo_status status = runs && ready ? BO_OK : bo__fail(message, BO_ENOMEM, "out of memory");
    for (size_t i = 0; runs && i < q; i++)
        runs[i].fd[0] = runs[i].fd[1] = -1;
    for (size_t i = 0; !status && i < q; i++)
        status = start(&runs[i], external, trial + i, x + i * dim, message);
    if (runs && ready) /* after an error: wait for those that did start, at no length */
        while (attend(runs, q, ready, status ? 0 : external->timeout))
            continue;
    for (size_t i = 0; !status && i < q; i++)
        judge(&runs[i], external->timeout, &results[i]);
    free(runs);
    free(ready);
    return status;
}
