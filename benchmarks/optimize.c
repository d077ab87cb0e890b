/* optimize.c - runs an optimiser many times, from different seeds, in several processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Processes, not threads, so that each run has BLAS and memory to itself and a crash in one is
 * reported instead of ending all.  The workers take runs from a counter in memory they share with
 * the parent, and leave their regrets there.  The parent only waits and reports progress.
 */
#include "optimize.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "message.h"

/* ---- one run ------------------------------------------------------------------------------- */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bo_status bo__bench_space(bo_space **out, const bo__objective *objective, bo_message *message)
{
    bo_space *space = *out = bo_space_new();
    if (!space)
        return bo__fail(message, BO_ENOMEM, "no memory for a space");
    for (size_t i = 0; i < bo__objective_dim(objective); i++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", i + 1);
        bo_status status = bo_space_add_real(space, name, bo__objective_lower(objective)[i],
                                             bo__objective_upper(objective)[i]);
        if (status)
            return bo__fail(message, status, "%s", bo_space_errmsg(space));
    }
    return BO_OK;
}

/* Everything a run holds, so that it is freed in one place. */
typedef struct run {
    bo__objective *objective;
    bo_space *space;
    bo_optimizer *optimizer;
    double *x;
} run;

static void run_close(run *r)
{
    bo_optimizer_free(r->optimizer);
    bo_space_free(r->space);
    bo__objective_free(r->objective);
    free(r->x);
}

static bo_status run_open(run *r, const bo__bench_task *task, const bo_options *options,
                          uint64_t seed, bo_message *message)
{
    bo_options own = *options;
    own.seed = seed;
    own.threads = options->threads ? options->threads : 1;
    bo_status status = bo__objective_new(&r->objective, task->type, task->dim, seed, message);
    if (status)
        return status;
    status = bo__bench_space(&r->space, r->objective, message);
    if (status)
        return status;
    r->x = malloc(bo__objective_dim(r->objective) * sizeof *r->x);
    if (!r->x)
        return bo__fail(message, BO_ENOMEM, "no memory for a point");
    status = bo_optimizer_new(&r->optimizer, r->space, &own);
    if (status)
        return bo__fail(message, status, "%s",
                        r->optimizer ? bo_optimizer_errmsg(r->optimizer) : "no memory");
    return BO_OK;
}

bo_status bo__bench_run(const bo__bench_task *task, const bo_options *options, uint64_t seed,
                        bo__bench_poll poll, void *poll_data, double *regret, double *seconds,
                        bo_message *message)
{
    run r = {NULL, NULL, NULL, NULL};
    bo__rng noise;
    bo__rng_init(&noise, seed, "bench noise", 0);
    bo_status status = run_open(&r, task, options, seed, message);
    double best = INFINITY;
    *seconds = 0;
    for (size_t i = 0; !status && i < task->evaluations; i++) {
        double begin = cpu_seconds();
        status = bo_optimizer_ask(r.optimizer, 1, r.x);
        *seconds += cpu_seconds() - begin;
        if (!status) {
            best = fmin(best, bo__objective_value(r.objective, r.x));
            double y = bo__objective_observe(r.objective, r.x, bo__objective_noise(r.objective),
                                             &noise);
            begin = cpu_seconds();
            status = bo_optimizer_tell(r.optimizer, r.x, options->maximize ? -y : y);
            *seconds += cpu_seconds() - begin;
        }
        if (status)
            bo__fail(message, status, "%s", bo_optimizer_errmsg(r.optimizer));
        /* at the optimum rounding can put a value just below the least one */
        regret[i] = fmax(0, best - bo__objective_least(r.objective));
        if (!status && poll && poll(poll_data))
            status = BO_STOPPED;
    }
    run_close(&r);
    return status;
}

/* ---- many runs ----------------------------------------------------------------------------- */

/* One run's place in the shared memory. */
typedef struct slot {
    bool over;
    bo_status status;
    double seconds;
    bo_message message;
} slot;

typedef struct shared {
    atomic_size_t next;        /* run to be taken */
    atomic_size_t evaluations; /* done so far, of all runs */
    atomic_bool stop;
    slot slot[]; /* one per run; the regrets follow */
} shared;

typedef struct campaign {
    const bo__bench_task *task;
    const bo_options *options;
    uint64_t first;
    size_t tasks, seeds, total; /* total evaluations */
    size_t bytes;
    shared *shared;
    double *regret; /* in the shared memory: per task seeds × evaluations */
    pid_t parent;
} campaign;

/* Called in a worker after each evaluation.  An orphan stops too. */
static bool worker_poll(void *data)
{
    campaign *c = data;
    atomic_fetch_add(&c->shared->evaluations, 1);
    return atomic_load(&c->shared->stop) || getppid() != c->parent;
}

/* Where a task's regrets begin. */
static double *task_regret(const campaign *c, size_t task)
{
    double *regret = c->regret;
    for (size_t t = 0; t < task; t++)
        regret += c->seeds * c->task[t].evaluations;
    return regret;
}

/* Runs are taken seed by seed, all tasks of one seed first, so that long and short ones mix. */
static void work(campaign *c)
{
    size_t i;
    while (!atomic_load(&c->shared->stop) &&
           (i = atomic_fetch_add(&c->shared->next, 1)) < c->tasks * c->seeds) {
        size_t t = i % c->tasks, seed = i / c->tasks;
        slot *s = &c->shared->slot[i];
        s->status = bo__bench_run(&c->task[t], c->options, c->first + seed, worker_poll, c,
                                  task_regret(c, t) + seed * c->task[t].evaluations, &s->seconds,
                                  &s->message);
        if (s->status)
            atomic_store(&c->shared->stop, true); /* one failure is enough */
        s->over = true;
    }
}

static bo_status campaign_map(campaign *c, bo_message *message)
{
    size_t header = sizeof *c->shared + c->tasks * c->seeds * sizeof *c->shared->slot;
    header = (header + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    for (size_t t = 0; t < c->tasks; t++)
        c->total += c->seeds * c->task[t].evaluations;
    c->bytes = header + c->total * sizeof *c->regret;
    c->shared = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->shared == MAP_FAILED)
        return bo__fail(message, BO_ENOMEM, "no shared memory for the runs: %s", strerror(errno));
    c->regret = (double *)((char *)c->shared + header);
    return BO_OK;
}

/* Waits for one worker, reporting progress meanwhile; returns its exit status. */
static int await(campaign *c, pid_t pid, bo__bench_progress progress, void *progress_data)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    int status = 0;
    pid_t got;
    while ((got = waitpid(pid, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (progress && progress(progress_data, atomic_load(&c->shared->evaluations), c->total))
            atomic_store(&c->shared->stop, true);
        nanosleep(&nap, NULL);
    }
    return status;
}

/* The first thing that went wrong, if any did. */
static bo_status campaign_outcome(const campaign *c, int killed, bo_message *message)
{
    bool unfinished = false;
    for (size_t i = 0; i < c->tasks * c->seeds; i++) {
        const slot *s = &c->shared->slot[i];
        const char *name = bo__objective_type_name(c->task[i % c->tasks].type);
        if (s->over && s->status != BO_OK && s->status != BO_STOPPED)
            return bo__fail(message, s->status < 0 ? s->status : BO_EINVAL,
                            "%s, seed %" PRIu64 ": %s", name, c->first + i / c->tasks,
                            *s->message.text ? s->message.text : bo_status_text(s->status));
        unfinished |= !s->over || s->status == BO_STOPPED;
    }
    if (killed)
        return bo__fail(message, BO_ENUMERIC, "a worker was ended by signal %d (%s)", killed,
                        strsignal(killed));
    return unfinished ? BO_STOPPED : BO_OK;
}

static bo_status run_workers(campaign *c, size_t jobs, bo__bench_progress progress,
                             void *progress_data, bo_message *message)
{
    pid_t *pid = calloc(jobs, sizeof *pid);
    if (!pid)
        return bo__fail(message, BO_ENOMEM, "no memory for %zu jobs", jobs);
    size_t started = 0;
    int killed = 0;
    c->parent = getpid();
    while (started < jobs) {
        pid[started] = fork();
        if (pid[started] == 0) {
            work(c);
            _exit(0); /* what the parent has yet to write out is not for us to write */
        }
        if (pid[started] < 0)
            break; /* the others do its work */
        started++;
    }
    for (size_t i = 0; i < started; i++) {
        int status = await(c, pid[i], progress, progress_data);
        if (WIFSIGNALED(status)) {
            killed = WTERMSIG(status);
            atomic_store(&c->shared->stop, true);
        }
    }
    free(pid);
    if (!started)
        return bo__fail(message, BO_ENOMEM, "no process can be started: %s", strerror(errno));
    return campaign_outcome(c, killed, message);
}

static bo_status collect(bo__bench_runs **out, const campaign *c, bo_message *message)
{
    bo__bench_runs *runs = calloc(c->tasks ? c->tasks : 1, sizeof *runs);
    for (size_t t = 0; runs && t < c->tasks; t++) {
        size_t count = c->seeds * c->task[t].evaluations;
        runs[t].seeds = c->seeds;
        runs[t].evaluations = c->task[t].evaluations;
        runs[t].regret = malloc((count + c->seeds) * sizeof *runs[t].regret);
        if (!runs[t].regret) {
            bo__bench_runs_free(runs, c->tasks);
            runs = NULL;
            break;
        }
        runs[t].seconds = runs[t].regret + count;
        memcpy(runs[t].regret, task_regret(c, t), count * sizeof *runs[t].regret);
        for (size_t seed = 0; seed < c->seeds; seed++)
            runs[t].seconds[seed] = c->shared->slot[seed * c->tasks + t].seconds;
    }
    *out = runs;
    return runs ? BO_OK : bo__fail(message, BO_ENOMEM, "no memory for the runs");
}

bo_status bo__bench_optimize(bo__bench_runs **out, size_t tasks, const bo__bench_task *task,
                             const bo_options *options, uint64_t first, size_t seeds,
                             size_t jobs, bo__bench_progress progress, void *progress_data,
                             bo_message *message)
{
    *out = NULL;
    if (tasks == 0 || seeds == 0)
        return bo__fail(message, BO_EINVAL, "there is nothing to run: %zu functions, %zu seeds",
                        tasks, seeds);
    campaign c = {.task = task, .options = options, .first = first, .tasks = tasks, .seeds = seeds};
    bo_status status = campaign_map(&c, message);
    if (status)
        return status;
    jobs = jobs < 1 ? 1 : jobs > tasks * seeds ? tasks * seeds : jobs;
    status = run_workers(&c, jobs, progress, progress_data, message);
    if (!status)
        status = collect(out, &c, message);
    munmap(c.shared, c.bytes);
    return status;
}

void bo__bench_runs_free(bo__bench_runs *runs, size_t tasks)
{
    if (!runs)
        return;
    for (size_t t = 0; t < tasks; t++)
        free(runs[t].regret);
    free(runs);
}
