/* bench-regret.c - bo-bench regret: surrogates on the same functions from the same starts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "message.h"
#include "parallel.h"
#include "pool.h"
#include "progress.h"
#include "regretbench.h"

typedef struct settings {
    bo__regret_plan plan;
    const char *surrogates, *names, *reference, *output;
    size_t jobs; /* 0: chosen */
    bool explain;
    int protocol;
    char left_out[256]; /* of the default surrogates */
} settings;

static const char all_surrogates[] =
    "gp,cnp,np,bnp,canp,anp,banp,cnp+de,canp+de,gp-oracle,random";

static const char purpose[] =
    "Optimises the same functions from the same initial points with every surrogate, and shows "
    "what each of them regrets: simple regret, the noise-free value at the best observed point "
    "less the least value there is, and its cumulative sum.";

static const char examples[] =
    "  Two surrogates and random search, small:\n"
    "    bo-bench regret --surrogates gp,banp,random --settings rbf,periodic --functions 10\n\n"
    "  All of the paper's experiment, with curves and a page to read in a browser:\n"
    "    bo-bench regret --protocol paper --output results\n\n"
    "  Other functions, noisy, on three machines:\n"
    "    mpirun -n 3 bo-bench regret --surrogates gp,random --settings branin,hartmann6 \\\n"
    "        --noise 0.1 --init 10 --output standard\n";

static const char notes[] =
    "SETTINGS. rbf, matern52, periodic: functions drawn from a Gaussian process with that kernel, "
    "observed with noise of standard deviation 0.02; tnoise: as rbf, with heavy-tailed noise on "
    "top. Or any objective that 'bo-run --list' shows. NAME:DIM sets the dimension.\n\n"
    "SURROGATES. What 'bo-run --list' shows; banp@paper takes the weights of the variant 'paper'. "
    "Own weights: BO_MODELS=FOLDER bo-bench regret --surrogates gp,banp@mine, with "
    "banp-mine.safetensors in the folder. "
    "gp-oracle is a GP that is told the kernel, its parameters and the noise; random draws points "
    "uniformly. By default those of the list that can work on all settings: gp-oracle needs "
    "functions drawn from a prior, neural ones weights for the dimension. gp has the rbf kernel in "
    "every setting unless --kernel says otherwise.\n\n"
    "PROTOCOLS. plain: functions defined everywhere, noise in the observations and not in the "
    "function, exact mixtures, the acquisition maximised over the box. paper: functions on 1,000 "
    "points of [-2, 2] with the noise as part of them, mixtures of 200 samples collapsed to mean "
    "and variance, the acquisition maximised over the 1,000 points, points asked for again where "
    "it says so.\n\n"
    "TABLE. Mean and standard error, median and quartiles of the simple regret at the end, "
    "cumulative regret, CPU milliseconds of a suggestion; then the cumulative regret less "
    "that of the reference, gp or the one of --reference, function by function: mean with "
    "standard error; p of Wilcoxon's signed-rank test, adjusted after Holm for the number of "
    "surrogates; the rank-biserial correlation, from -1 (always less regret than the reference) "
    "to 1 (always more). With --explain a second one: the share of suggestions that repeat an "
    "evaluated point (within 0.0005 of the box's side), that repeat the best observed one, the "
    "predicted standard deviation at the suggestions, all and the last ten, and the share of runs "
    "that end with a regret above a tenth of the function's range.\n\n"
    "FILES in the folder of --output: runs.csv (every evaluation of every run), summary.csv, "
    "summary.json, tests.csv, habits.csv (what --explain shows), times.csv, steptimes.csv, "
    "times.json, curves.png, .svg and "
    ".pdf with their gnuplot script "
    "curves.gp and data curves.dat, and index.html. On one kind of CPU they depend on "
    "the seed only, the files of times, the times in index.html and the date in curves.pdf apart. "
    "The journal there holds the runs that are done: the same "
    "command, started again, goes on from there.\n\n"
    "A run that fails, or takes its process down, is reported and left out; the others go on, "
    "and the exit status is 1. The same command tries it again.";

/* ---- the command line ---------------------------------------------------------------------- */

static bo_status set_kernel(void *options, const char *value, bo_message *message)
{
    return bo_options_set(options, "kernel", value, message);
}

static bo_status set_acquisition(void *options, const char *value, bo_message *message)
{
    return bo_options_set(options, "acquisition", value, message);
}

static int parse(settings *s, int argc, char **argv)
{
    static const char *const protocols[] = {"plain", "paper", NULL};
    bo__regret_plan *plan = &s->plan;
    const bo__arg table[] = {
        {.name = "surrogates", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s->surrogates,
         .group = "what to run", .help = "What to compare; see SURROGATES below."},
        {.name = "settings", .value = "LIST", .kind = BO_ARG_TEXT, .target = &s->names,
         .group = "what to run", .help = "What to optimise; see SETTINGS below."},
        {.name = "protocol", .value = "NAME", .kind = BO_ARG_CHOICE, .target = &s->protocol,
         .choices = protocols, .group = "what to run",
         .help = "plain or paper; see PROTOCOLS below."},
        {.name = "functions", .value = "N", .kind = BO_ARG_SIZE, .target = &plan->functions,
         .least = 1, .most = 1e6, .group = "what to run", .help = "Functions of each setting."},
        {.name = "iterations", .value = "N", .kind = BO_ARG_SIZE, .target = &plan->iterations,
         .least = 1, .most = 1e5, .group = "what to run",
         .help = "Suggestions after the initial points."},
        {.name = "init", .value = "N", .kind = BO_ARG_SIZE, .target = &plan->init, .least = 1,
         .most = 1e5, .group = "what to run", .help = "Initial points, drawn uniformly."},
        {.name = "noise", .value = "SD", .kind = BO_ARG_DOUBLE, .target = &plan->noise,
         .least = 0, .most = INFINITY, .group = "what to run",
         .help = "Standard deviation of the noise in observations (default: the one that goes "
                 "with the function, none for the standard ones)."},
        {.name = "seed", .value = "N", .kind = BO_ARG_UINT64, .target = &plan->seed,
         .group = "what to run", .help = "Of functions, starts, noise and optimisers."},
        {.name = "kernel", .value = "NAME", .kind = BO_ARG_CALL, .target = &plan->options,
         .call = set_kernel, .group = "surrogates",
         .help = "Of gp: rbf, matern52, matern32 or periodic (default rbf)."},
        {.name = "samples", .value = "N", .kind = BO_ARG_SIZE, .target = &plan->options.samples,
         .group = "surrogates",
         .help = "Components of the mixtures of np, anp, bnp and banp (default: 50, or 200 in "
                 "the paper's protocol)."},
        {.name = "acquisition", .value = "NAME", .kind = BO_ARG_CALL, .target = &plan->options,
         .call = set_acquisition, .group = "surrogates",
         .help = "What to maximise (default logei, the logarithm of the expected improvement)."},
        {.name = "starts", .value = "N", .kind = BO_ARG_SIZE, .target = &plan->options.starts,
         .group = "surrogates", .help = "L-BFGS climbs a suggestion (default 8)."},
        {.name = "grid-stride", .value = "N", .kind = BO_ARG_SIZE,
         .target = &plan->options.grid_stride, .group = "surrogates",
         .help = "In the paper's protocol neural surrogates look at every N-th point of the grid "
                 "first, then at all near the best ones: quicker, but narrow peaks are missed "
                 "and results differ (default: at all)."},
        {.name = "reference", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->reference,
         .group = "how", .help = "The surrogate that the others are compared with (default gp)."},
        {.name = "explain", .kind = BO_ARG_FLAG, .target = &s->explain, .group = "how",
         .help = "Show how the suggestions were spent, too; see TABLE below."},
        {.name = "jobs", .value = "N", .kind = BO_ARG_SIZE, .target = &s->jobs, .least = 1,
         .most = 4096, .group = "how",
         .help = "Runs at the same time (default: one per core; under mpirun, one per rank)."},
        {.name = "output", .value = "DIR", .kind = BO_ARG_TEXT, .target = &s->output,
         .group = "how", .help = "Folder for the files and the journal; see FILES below."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-bench regret", .purpose = purpose,
                                 .usage = "[options]", .examples = examples, .notes = notes,
                                 .args = table};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message;
    plan->protocol = s->protocol ? BO_REGRET_PAPER : BO_REGRET_PLAIN;
    if (bo__regret_read_settings(plan, s->names, &message))
        return bo__args_error(&command, "option '--settings': %s", message.text);
    if (bo__regret_read_surrogates(plan, s->surrogates, &message))
        return bo__args_error(&command, "option '--surrogates': %s", message.text);
    if (s->reference)
        snprintf(plan->reference, sizeof plan->reference, "%s", s->reference);
    bo__regret_find_weights(plan);
    if (s->surrogates == all_surrogates)
        bo__regret_drop_unable(plan, s->left_out, sizeof s->left_out);
    if (bo__regret_check(plan, &message))
        return bo__args_error(&command, "%s", message.text);
    return -1;
}

/* ---- running ------------------------------------------------------------------------------- */

/* All that the processes of this rank share before they part. */
typedef struct campaign {
    const bo__regret_plan *plan;
    bo__ranks ranks;
    bo__ranks_desk desk;
    bo__regret_runner *runner;    /* used in the workers */
    bo__regret_record **records;  /* rank 0: one per run */
    size_t runs, next, done, due; /* rank 0: next to hand out; of `due` runs `done` are over */
    size_t failed;
    bo__regret_journal *journal; /* rank 0, with --output */
    bo__progress bar;
    bo_status status; /* why nothing more is handed out */
    bo_message *message;
} campaign;

/* The next run that is not done, on rank 0. */
static bool hand_out(void *data, size_t *run)
{
    campaign *c = data;
    while (c->next < c->runs && c->records[c->next])
        c->next++;
    *run = c->next;
    return c->status == BO_OK && c->next < c->runs ? (c->next++, true) : false;
}

/* A record that came in, on rank 0. */
static void take_record(void *data, const bo__regret_record *record, size_t size)
{
    campaign *c = data;
    bo__regret_record other;
    if (!bo__regret_record_fits(c->plan, record, size) || c->records[record->run])
        return;
    if (!bo__regret_record_current(c->plan, record)) {
        bo__regret_record_failed(&other, (size_t)record->run, BO_ENOMODEL,
                                 "another machine has other weights than the first one");
        record = &other;
        size = sizeof other;
    }
    bo__regret_record *own = malloc(size);
    if (!own) {
        c->status = bo__fail(c->message, BO_ENOMEM, "no memory for a run");
        return;
    }
    memcpy(own, record, size);
    c->records[own->run] = own;
    c->done++;
    c->failed += own->status != BO_OK;
    if (own->status == BO_OK && c->journal && !c->status)
        c->status = bo__regret_journal_add(c->journal, own, c->message);
}

static bo__pool_next pool_next(void *data, size_t *item)
{
    campaign *c = data;
    bool any = c->ranks.rank ? bo__ranks_ask(&c->ranks, item) : hand_out(c, item);
    return any ? BO_POOL_ITEM : BO_POOL_OVER;
}

static const void *pool_work(void *data, size_t item, size_t *size)
{
    campaign *c = data;
    /* The lock on the journal lasts as long as anybody has it open. */
    bo__regret_journal_close(c->journal);
    c->journal = NULL;
    if (!c->runner && !(c->runner = bo__regret_runner_new(c->plan)))
        return NULL;
    const bo__regret_record *record = bo__regret_run(c->runner, item);
    *size = record ? (size_t)record->size : 0;
    return record;
}

static void pool_done(void *data, size_t item, const void *result, size_t size, int killed)
{
    campaign *c = data;
    bo__regret_record lost;
    const bo__regret_record *record = result;
    if (!record) {
        char reason[128];
        if (killed)
            snprintf(reason, sizeof reason, "its process was ended by signal %d (%s)", killed,
                     strsignal(killed));
        else
            snprintf(reason, sizeof reason, "its process left without a result");
        bo__regret_record_failed(&lost, item, BO_ENUMERIC, reason);
        record = &lost;
        size = sizeof lost;
    }
    if (c->ranks.rank)
        bo__ranks_send(&c->ranks, record);
    else
        take_record(c, record, size);
}

static bool pool_poll(void *data)
{
    campaign *c = data;
    if (c->ranks.rank)
        return false; /* mpirun passes signals on; rank 0 stops giving out work */
    if (!c->status)
        c->status = bo__ranks_serve(&c->ranks, &c->desk, c->message);
    if (!c->status && c->journal)
        c->status = bo__regret_journal_sync(c->journal, c->message);
    if (!c->status && bo__interrupted())
        c->status = BO_STOPPED;
    if (c->failed)
        bo__progress_update(&c->bar, c->done, "%zu failed", c->failed);
    else
        bo__progress_update(&c->bar, c->done, NULL);
    return c->status != BO_OK;
}

/* Rank 0, when it has nothing to do itself: until all others have left. */
static void await_others(campaign *c)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    while (c->desk.left < c->ranks.count - 1) {
        bo_message unused;
        if (bo__ranks_serve(&c->ranks, &c->desk, &unused))
            break;
        pool_poll(c);
        nanosleep(&nap, NULL);
    }
}

static bo_status run_all(campaign *c, size_t jobs, bo_message *message)
{
    bo__pool pool = {.jobs = jobs, .data = c, .next = pool_next, .work = pool_work,
                     .done = pool_done, .poll = pool_poll, .wait = c->ranks.mpi ? 5 : 50};
    bo__progress_start(&c->bar, c->ranks.rank ? stdout : stderr, "runs", c->due);
    if (bo__ranks_terminal(&c->ranks))
        bo__progress_relayed(&c->bar);
    bo_status status = bo__pool_run(&pool, message);
    if (c->ranks.rank) {
        bo__ranks_leave(&c->ranks);
    } else {
        await_others(c);
        pool_poll(c);
        if (c->status)
            status = c->status;
    }
    bo__progress_end(&c->bar);
    return status;
}

/* ---- results ------------------------------------------------------------------------------- */

/* Why the run of a place failed; NULL: it did not. */
static const char *reason_of(const campaign *c, bo__regret_place place)
{
    const bo__regret_record *r = c->records[bo__regret_run_at(c->plan, place)];
    return !r ? "it was not run" : r->status ? r->reason : NULL;
}

/* One line for a reason: the first function it stopped and, in brackets, all of them.  Nothing
 * where an earlier function has the same reason. */
static void report_reason(const campaign *c, bo__regret_place place)
{
    const bo__regret_plan *plan = c->plan;
    const char *reason = reason_of(c, place), *other;
    size_t count = 0, first = place.function;
    for (bo__regret_place p = place; p.function < plan->functions; p.function++)
        count += (other = reason_of(c, p)) && !strcmp(reason, other);
    for (bo__regret_place p = {.setting = place.setting, .surrogate = place.surrogate};
         p.function < first; p.function++)
        if ((other = reason_of(c, p)) && !strcmp(reason, other))
            return;
    fprintf(stderr, "bo-bench regret: %s on %s: %zu of %zu runs failed: %s (function%s",
            plan->surrogate[place.surrogate].name, plan->setting[place.setting].name, count,
            plan->functions, reason, count == 1 ? "" : "s");
    for (; place.function < plan->functions; place.function++)
        if ((other = reason_of(c, place)) && !strcmp(reason, other))
            fprintf(stderr, "%s%zu", place.function == first ? " " : ",", place.function);
    fprintf(stderr, ")\n");
}

static void report_failures(const campaign *c)
{
    for (size_t i = 0; c->failed && i < c->plan->settings * c->plan->surrogates; i++) {
        bo__regret_place place = {.setting = i / c->plan->surrogates,
                                  .surrogate = i % c->plan->surrogates};
        for (; place.function < c->plan->functions; place.function++)
            if (reason_of(c, place))
                report_reason(c, place);
    }
}

/* The page comes also when the curves do not; *failed is set when gnuplot is there and fails. */
static bo_status write_results(const settings *s, const bo__regret_summary *summary,
                               bo__regret_record *const *records, bool *failed,
                               bo_message *message)
{
    bo_status status = bo__regret_write(s->output, summary, records, message);
    if (status)
        return status;
    bo__regret_drawn drawn;
    bo_status curves = bo__regret_draw(s->output, summary, &drawn, message);
    if (curves)
        fprintf(stderr, "bo-bench regret: %s\n", message->text);
    *failed |= curves && curves != BO_EUNSUPPORTED;
    return bo__regret_page(s->output, summary, drawn, message);
}

/* Rank 0: from the journal to the results.  *failed says whether a run failed. */
static bo_status lead(const settings *s, campaign *c, size_t jobs, bool *failed,
                      bo_message *message)
{
    size_t found = 0;
    c->runs = bo__regret_runs(c->plan);
    c->records = calloc(c->runs, sizeof *c->records);
    bo_status status = c->records ? BO_OK : bo__fail(message, BO_ENOMEM, "no memory for the runs");
    if (!status && s->output)
        status = bo__regret_journal_open(&c->journal, s->output, c->plan, c->records, &found,
                                         message);
    if (!bo__ranks_agree(&c->ranks, !status))
        return status;
    c->due = c->runs - found;
    if (*s->left_out)
        fprintf(stderr, "without %s, which cannot work on all settings: no weights for the "
                "dimension, or functions are not drawn from a prior\n", s->left_out);
    if (found)
        fprintf(stderr, "%zu of %zu runs are done already\n", found, c->runs);
    status = run_all(c, jobs, message);
    if (status == BO_STOPPED && s->output)
        fprintf(stderr, "%zu of %zu runs are done; the same command goes on from there\n",
                found + c->done - c->failed, c->runs);
    if (status)
        return status;
    bo__regret_summary *summary;
    status = bo__regret_sum_up(&summary, c->plan, c->records, message);
    if (status)
        return status;
    bo__regret_print(stdout, summary);
    if (s->explain)
        bo__regret_explain(stdout, summary);
    *failed = summary->failed > 0;
    if (s->output)
        status = write_results(s, summary, c->records, failed, message);
    report_failures(c);
    bo__regret_summary_free(summary);
    return status;
}

static bo_status run(const settings *s, bool *failed, bo_message *message)
{
    campaign c = {.plan = &s->plan, .message = message};
    bo_status status = bo__ranks_begin(&c.ranks, message);
    if (status)
        return status;
    char *description = bo__regret_describe(c.plan);
    status = bo__ranks_compare(&c.ranks, description ? description : "", message);
    free(description);
    if (status) {
        bo__ranks_end(&c.ranks);
        return status;
    }
    c.desk = (bo__ranks_desk){.data = &c, .next = hand_out, .take = take_record};
    size_t jobs = s->jobs ? s->jobs : c.ranks.mpi ? 1 : bo__parallel_cores();
    if (c.ranks.rank == 0)
        status = lead(s, &c, jobs, failed, message);
    else if (bo__ranks_agree(&c.ranks, true))
        status = run_all(&c, jobs, message);
    bo__regret_journal_close(c.journal);
    for (size_t i = 0; c.records && i < c.runs; i++)
        free(c.records[i]);
    free(c.records);
    free(c.desk.bytes);
    bo__ranks_end(&c.ranks);
    return status;
}

int bo__bench_main_regret(int argc, char **argv)
{
    static settings s = {
        .surrogates = all_surrogates,
        .names = "rbf,tnoise,matern52,periodic",
        .plan = {.functions = 100, .iterations = 50, .init = 1, .seed = 1, .noise = NAN}};
    bo_options_init(&s.plan.options);
    s.plan.options.kernel = BO_RBF; /* what the neural processes were trained on */
    int done = parse(&s, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    bool failed = false;
    bo_status status = run(&s, &failed, &message);
    if (status == BO_OK || (status == BO_STOPPED && bo__interrupted()))
        return failed;
    fprintf(stderr, "bo-bench regret: %s\n", *message.text ? message.text : bo_status_text(status));
    return 1;
}
