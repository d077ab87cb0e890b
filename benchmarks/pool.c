/* pool.c - work shared out over processes, where a crash costs one piece of work and no more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each worker has a socket to the caller's process: down come the numbers of items, up go the
 * results, each with its size in front.  A worker that dies closes its socket; the item it had is
 * reported as lost and another worker takes its place.  When the caller's process dies the
 * workers read the end of the file, or are killed by the system where it can do that.
 */
#include "pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "message.h"

typedef struct worker {
    pid_t pid; /* 0: none */
    int fd;
    bool busy;
    size_t item;
} worker;

typedef struct crew {
    const bo__pool *pool;
    worker *worker;
    struct pollfd *fds;
    size_t busy;
    bool over;    /* there is no item left */
    char *result; /* the last one read */
    size_t room;
} crew;

/* ---- both sides ---------------------------------------------------------------------------- */

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- the worker ---------------------------------------------------------------------------- */

static void be_worker(const bo__pool *pool, int fd, pid_t parent)
{
    uint64_t item;
    /* Ctrl-C reaches the whole group; the caller's process decides what it means. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    while (getppid() == parent && read_all(fd, &item, sizeof item)) {
        size_t size = 0;
        const void *result = pool->work(pool->data, (size_t)item, &size);
        uint64_t count = result ? size : 0;
        if (!write_all(fd, &count, sizeof count) || !write_all(fd, result, (size_t)count))
            break;
    }
    _exit(0); /* what the caller has yet to write out is not for us to write */
}

/* ---- the caller's process ------------------------------------------------------------------ */

static bool start_worker(crew *c, worker *w)
{
    int fd[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
        return false;
    w->pid = fork();
    if (w->pid == 0) {
        close(fd[0]);
        for (size_t i = 0; i < c->pool->jobs; i++)
            if (c->worker[i].pid && &c->worker[i] != w)
                close(c->worker[i].fd);
        be_worker(c->pool, fd[1], parent);
    }
    int reason = errno;
    close(fd[1]);
    if (w->pid < 0) {
        close(fd[0]);
        w->pid = 0;
        errno = reason;
        return false;
    }
    w->fd = fd[0];
    w->busy = false;
    return true;
}

/* Ends a worker and says which signal had ended it before, 0 for none. */
static int end_worker(worker *w, bool force)
{
    int status = 0;
    close(w->fd);
    if (force)
        kill(w->pid, SIGKILL);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Gives work to those that have none.  False when there is work and nobody to do it. */
static bool hand_out(crew *c)
{
    for (size_t i = 0; i < c->pool->jobs && !c->over; i++) {
        worker *w = &c->worker[i];
        if (w->busy)
            continue;
        bo__pool_next what = c->pool->next(c->pool->data, &w->item);
        c->over = what == BO_POOL_OVER;
        if (what != BO_POOL_ITEM)
            break;
        uint64_t item = w->item;
        /* A worker that died while idle is replaced once; the item has not been begun. */
        if (w->pid && !write_all(w->fd, &item, sizeof item))
            end_worker(w, false);
        if (!w->pid && (!start_worker(c, w) || !write_all(w->fd, &item, sizeof item)))
            return false;
        w->busy = true;
        c->busy++;
    }
    return true;
}

/* Takes the result of a worker that has something to say, be it that it died. */
static void take(crew *c, worker *w)
{
    uint64_t size = 0;
    bool whole = read_all(w->fd, &size, sizeof size);
    if (whole && size > c->room) {
        char *result = realloc(c->result, (size_t)size);
        if (result) {
            c->result = result;
            c->room = (size_t)size;
        }
        whole = result != NULL;
    }
    whole = whole && read_all(w->fd, c->result, (size_t)size);
    int killed = whole ? 0 : end_worker(w, false);
    w->busy = false;
    c->busy--;
    c->pool->done(c->pool->data, w->item, whole && size ? c->result : NULL, (size_t)size, killed);
}

static void wait_for_results(crew *c)
{
    nfds_t count = 0;
    for (size_t i = 0; i < c->pool->jobs; i++) {
        c->fds[i].fd = c->worker[i].busy ? c->worker[i].fd : -1;
        c->fds[i].events = POLLIN;
        c->fds[i].revents = 0;
        count++;
    }
    if (poll(c->fds, count, c->pool->wait) <= 0)
        return;
    for (size_t i = 0; i < c->pool->jobs; i++)
        if (c->fds[i].revents)
            take(c, &c->worker[i]);
}

bo_status bo__pool_run(const bo__pool *pool, bo_message *message)
{
    crew c = {.pool = pool};
    bo_status status = BO_OK;
    c.worker = calloc(pool->jobs, sizeof *c.worker);
    c.fds = calloc(pool->jobs, sizeof *c.fds);
    if (!c.worker || !c.fds)
        status = bo__fail(message, BO_ENOMEM, "no memory for %zu jobs", pool->jobs);
    while (!status) {
        if (!hand_out(&c))
            status = bo__fail(message, BO_ENOMEM, "no process can be started: %s",
                              strerror(errno));
        else if (c.over && !c.busy)
            break;
        else if (pool->poll(pool->data))
            status = BO_STOPPED;
        else
            wait_for_results(&c);
    }
    for (size_t i = 0; c.worker && i < pool->jobs; i++)
        if (c.worker[i].pid)
            end_worker(&c.worker[i], status != BO_OK);
    free(c.worker);
    free(c.fds);
    free(c.result);
    return status;
}
