/* bo-run.c - the command that optimises: a built-in objective, or any program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "design.h"
#include "interrupt.h"
#include "message.h"
#include "parameter.h"
#include "plot.h"
#include "run.h"
#include "startup.h"

static const char purpose[] =
    "Finds the least value of a function with as few evaluations as it can: it fits a model (the "
    "surrogate) to the values seen so far, lets the acquisition pick the most promising point, "
    "evaluates there, and begins again. The function is one of the built-in objectives "
    "(--objective) or a program of yours (--command).";

static const char examples[] =
    "  A test function, with its regret (how far from the optimum):\n"
    "    bo-run --objective branin\n"
    "\n"
    "  Another surrogate and acquisition, fifty iterations, every trial in a file:\n"
    "    bo-run --objective hartmann6 --kernel rbf --acquisition ei --iterations 50 \\\n"
    "           --output trials.csv\n"
    "\n"
    "  A function drawn from a Gaussian process, with a picture of the posterior:\n"
    "    bo-run --objective gp_rbf --dim 1 --init 3 --iterations 10 --plot posterior.png\n"
    "\n"
    "  A program of yours, which prints a number on its last line:\n"
    "    bo-run --parameter rate=log:1e-5:1e-1 --parameter depth=int:1:8 \\\n"
    "           --parameter kind=cat:relu,tanh --iterations 20 \\\n"
    "           --command './train --rate {rate} --depth {depth} --kind {kind}'\n"
    "\n"
    "  The same through a shell, four at a time, maximised:\n"
    "    bo-run --parameter x=0:10 --batch 4 --maximize \\\n"
    "           --command \"sh -c 'awk -v x=\\$1 \\\"BEGIN {{ print sin(x) }\\\"' sh {x}\"\n";

static const char notes[] =
    "PROGRAMS. The command is split into words as a shell does, with quotes and backslashes, but "
    "no shell runs it: nothing in a value can be taken for anything else. {NAME} is replaced by "
    "the value of the parameter (the label of a category, 0 or 1 for a boolean), {{ by one brace. "
    "All values are in the environment too, as BO_NAME, and the number of the trial as BO_TRIAL. "
    "The value is the number on the last line of standard output. A trial fails when there is no "
    "number, the exit status is not 0, or the time is over; the search then keeps away from such "
    "points. With --batch, so many programs run at the same time.\n\n"
    "LINES. When standard output is no terminal there is one line per trial: trial=N y=VALUE "
    "best=VALUE regret=VALUE NAME=VALUE …, y=failed for a failed one, and no regret where the "
    "optimum is not known. A summary follows after an empty line.\n\n"
    "FILES. --output has the columns trial, the parameters by name, y, best, regret, mean, sd, "
    "acquisition, fit_ms, suggest_ms, eval_ms. y is empty (null in JSON) for a failed trial, "
    "regret where the optimum is not known; mean, sd (predicted before the evaluation) and "
    "acquisition are empty for initial points. Regret is that of the noise-free value at the best "
    "observed point. Every trial is written as soon as it is evaluated: a run that is killed loses "
    "none. A file that has the name already is kept as NAME~.\n\n"
    "INTERRUPTED. Ctrl-C ends the run in good order: a program that runs is ended and its trial "
    "left out, files and plot are complete, the summary is printed. A second Ctrl-C ends at "
    "once.\n\n"
    "EXIT STATUS. 0: the run ended as asked, also when gnuplot is missing for --plot. 1: it "
    "failed, or no evaluation succeeded. 2: the command line is wrong. 130: interrupted by Ctrl-C "
    "(143: by SIGTERM).";

static bo_status add_parameter(void *target, const char *value, bo_message *message)
{
    bo_space **space = target;
    if (!*space && !(*space = bo_space_new()))
        return bo__fail(message, BO_ENOMEM, "out of memory");
    return bo__parameter_add(*space, value, message);
}

static bo_status set_known_noise(void *target, const char *value, bo_message *message)
{
    return bo_options_set(target, "noise", value, message);
}

static bo_status set_objective_seed(void *target, const char *value, bo_message *message)
{
    bo__run_settings *settings = target;
    if (!bo__args_read_uint64(value, &settings->objective_seed))
        return bo__fail(message, BO_EINVAL, "'%s' is not a whole number", value);
    settings->objective_seed_given = true;
    return BO_OK;
}

static bo_status set_output(void *target, const char *value, bo_message *message)
{
    *(const char **)target = value;
    return bo__record_check(value, message);
}

static bo_status set_plot(void *target, const char *value, bo_message *message)
{
    *(const char **)target = value;
    return bo__plot_check(value, message);
}

/* The table; the targets hold the defaults. */
static int parse(bo__run_settings *s, bo__command *command, int argc, char **argv)
{
    const bo__arg table[] = {
        {.name = "objective", .value = "NAME", .kind = BO_ARG_TEXT, .target = &s->objective,
         .group = "what to optimise", .help = "A built-in function; --list shows all."},
        {.name = "dim", .value = "N", .kind = BO_ARG_SIZE, .target = &s->dim, .least = 1,
         .group = "what to optimise",
         .help = "Its dimension, where it has a choice (default: the usual one)."},
        {.name = "noise", .value = "SD", .kind = BO_ARG_DOUBLE, .target = &s->noise, .least = 0,
         .most = INFINITY, .group = "what to optimise",
         .help = "Standard deviation of the Gaussian noise added to each observation of the "
                 "objective (default: 0.02 for the gp_ ones, which bring it with them, else 0). "
                 "The surrogate is not told: see --known-noise."},
        {.name = "objective-seed", .value = "N", .kind = BO_ARG_CALL, .target = s,
         .call = set_objective_seed, .group = "what to optimise",
         .help = "Which function, for the objectives drawn at random (default: that of --seed)."},
        {.name = "command", .value = "COMMAND", .kind = BO_ARG_TEXT, .target = &s->command,
         .group = "what to optimise",
         .help = "Your program with {NAME} for each parameter; see PROGRAMS below."},
        {.name = "parameter", .value = "NAME=KIND", .kind = BO_ARG_CALL, .target = &s->space,
         .call = add_parameter, .group = "what to optimise",
         .help = "A parameter of the program, once for each: NAME=real:LOW:HIGH (or "
                 "NAME=LOW:HIGH), log:LOW:HIGH, int:LOW:HIGH, logint:LOW:HIGH, cat:A,B,C or "
                 "bool."},
        {.name = "timeout", .value = "SECONDS", .kind = BO_ARG_DOUBLE, .target = &s->timeout,
         .above = true, .group = "what to optimise",
         .help = "The program fails when it takes longer (default: no limit)."},
        {.name = "list", .kind = BO_ARG_FLAG, .target = &s->list, .group = "what to optimise",
         .help = "Show the surrogates, acquisitions and objectives, and end."},
        {.name = "iterations", .value = "N", .kind = BO_ARG_SIZE, .target = &s->iterations,
         .group = "when to stop", .help = "Evaluations after the initial ones of --init."},
        {.name = "seconds", .value = "S", .kind = BO_ARG_DOUBLE, .target = &s->seconds,
         .above = true, .group = "when to stop",
         .help = "Begin no evaluation after so many seconds (default: no limit)."},
        {.name = "target", .value = "Y", .kind = BO_ARG_DOUBLE, .target = &s->target,
         .group = "when to stop", .help = "Stop when a value as good as this was observed."},
        {.name = "patience", .value = "N", .kind = BO_ARG_SIZE, .target = &s->patience,
         .group = "when to stop",
         .help = "Stop after N evaluations in a row without a new best (default: never)."},
        {.name = "output", .value = "FILE", .kind = BO_ARG_CALL, .target = &s->output,
         .call = set_output, .group = "output",
         .help = "Record every trial in FILE.csv or FILE.jsonl; see FILES below."},
        {.name = "plot", .value = "FILE", .kind = BO_ARG_CALL, .target = &s->plot,
         .call = set_plot, .group = "output",
         .help = "Draw FILE.png, FILE.svg or FILE.pdf with gnuplot, or - for the terminal: the "
                 "convergence; for one dimension the posterior and the acquisition, for two "
                 "contours, for more each parameter."},
        {.name = "quiet", .kind = BO_ARG_FLAG, .target = &s->quiet, .group = "output",
         .help = "Print only the summary."},
        {.name = "batch", .value = "N", .kind = BO_ARG_SIZE, .target = &s->batch, .least = 1,
         .most = 1024, .group = "optimisation",
         .help = "Points to ask for and evaluate at the same time."},
        {.name = "known-noise", .value = "SD", .kind = BO_ARG_CALL, .target = &s->options,
         .call = set_known_noise, .group = "surrogate",
         .help = "Tell the surrogate the standard deviation of the noise in the values (default: "
                 "it is learned)."},
        {.name = "oracle", .kind = BO_ARG_FLAG, .target = &s->oracle, .group = "surrogate",
         .help = "GP on a gp_ objective: the kernel, its parameters and the noise are those the "
                 "function was drawn with."},
        {.name = NULL}};
    command->args = table;
    int done = bo__args_parse(command, argc, argv);
    command->args = NULL;
    return done;
}

/* What only several options together can get wrong; -1 when all is well. */
static int check_together(const bo__run_settings *s, const bo__command *command)
{
    if (s->objective && s->command)
        return bo__args_error(command, "'--objective' and '--command' exclude each other");
    if (!s->objective && !s->command)
        return bo__args_error(command, "what shall be optimised? Give '--objective NAME' "
                                       "('--list' shows them) or '--command COMMAND'");
    if (s->command && !s->space)
        return bo__args_error(command, "'--command' needs at least one '--parameter'");
    if (s->objective && s->space)
        return bo__args_error(command, "'--parameter' goes with '--command', not '--objective'");
    if (s->command && (s->dim || !isnan(s->noise) || s->objective_seed_given || s->oracle))
        return bo__args_error(command, "'--dim', '--noise', '--objective-seed' and '--oracle' go "
                                       "with '--objective', not '--command'");
    if (s->objective && isfinite(s->timeout))
        return bo__args_error(command, "'--timeout' goes with '--command', not '--objective'");
    if (s->options.init > SIZE_MAX / 4 || s->iterations > SIZE_MAX / 4)
        return bo__args_error(command, "'--iterations' is too large");
    return -1;
}

/* Hands the surrogate what the function was drawn with; lengthscales has a place per parameter. */
static bo_status become_oracle(bo_options *options, const bo__problem *problem,
                               double *lengthscales, bo_message *message)
{
    bo__objective_prior prior;
    if (!problem->objective || !bo__objective_prior_of(problem->objective, &prior))
        return bo__fail(message, BO_EINVAL,
                        "option '--oracle': %s was not drawn from a Gaussian process",
                        problem->title);
    size_t dim = bo__objective_dim(problem->objective);
    const double *lower = bo__objective_lower(problem->objective);
    const double *upper = bo__objective_upper(problem->objective);
    for (size_t i = 0; i < dim; i++)
        lengthscales[i] = prior.lengthscale;
    /* In the unit cube a periodic kernel's length is without units; the others' are lengths. */
    for (size_t i = 0; i < dim && prior.kernel != BO_PERIODIC; i++)
        lengthscales[i] /= upper[i] - lower[i];
    options->kernel = prior.kernel;
    options->lengthscales = lengthscales;
    options->scale = prior.scale;
    options->mean = 0;
    options->period = prior.period / (upper[0] - lower[0]);
    options->noise = problem->noise;
    return BO_OK;
}

static bo_status make_problem(bo__problem *problem, bo__run_settings *s, bo_message *message)
{
    if (s->command) {
        bo_space *space = s->space;
        s->space = NULL;
        bo_status status = bo__problem_external(problem, s->command, space, s->timeout, message);
        if (status) {
            bo_message reason = message ? *message : (bo_message){""};
            return bo__fail(message, status, "option '--command': %.450s", reason.text);
        }
        return BO_OK;
    }
    return bo__problem_builtin(problem, s->objective, s->dim,
                               s->objective_seed_given ? s->objective_seed : s->options.seed,
                               s->noise, s->options.seed, s->options.maximize, message);
}

static int complain(const char *text)
{
    fprintf(stderr, "bo-run: %s\n", text);
    return 1;
}

/* Runs and reports; the exit status. */
static int optimise(bo__run *run, bool draw)
{
    bo_message message = {""};
    bo__view_open(run);
    bo_status status = bo__run_loop(run, &message);
    bo__view_close(run);
    int code = status < 0 ? complain(*message.text ? message.text : bo_status_text(status)) : 0;
    bo__view_summary(run);
    if (draw && bo__run_has_best(run)) {
        if (bo__runplot_draw(run, &message))
            code = complain(message.text);
        else if (strcmp(run->settings->plot, "-"))
            printf("%-12s %s\n", "plot", run->settings->plot);
    }
    if (!code && !bo__run_has_best(run) && !bo__interrupted())
        code = complain("no evaluation succeeded");
    return code ? code : bo__interrupt_status(0);
}

/* Everything that can be wrong is found before the first evaluation. */
static int prepare_and_run(bo__run_settings *s, const bo__command *command)
{
    bo_message message = {""};
    bo__problem problem = {.optimum = NAN};
    bo__run run = {0};
    double *lengthscales = NULL;
    int code;
    bo_status status = make_problem(&problem, s, &message);
    if (!status && s->oracle) {
        lengthscales = calloc(bo_space_dim(problem.space), sizeof *lengthscales);
        status = lengthscales ? become_oracle(&s->options, &problem, lengthscales, &message)
                              : bo__fail(&message, BO_ENOMEM, "out of memory");
    }
    if (!status && !s->options.init)
        s->options.init = bo__design_size(bo_space_dim(problem.space));
    bool draw = s->plot && bo__plot_available(&message);
    if (!status && s->plot && !draw)
        complain(message.text);
    if (!status)
        status = bo__run_open(&run, s, &problem, &message);
    if (status == BO_EINVAL)
        code = bo__args_error(command, "%s", message.text);
    else
        code = status ? complain(message.text) : optimise(&run, draw);
    bo__run_close(&run);
    bo__problem_free(&problem);
    free(lengthscales);
    return code;
}

int main(int argc, char **argv)
{
    bo__startup(argc, argv);
    bo__run_settings settings = {.noise = NAN,
                                 .timeout = INFINITY,
                                 .iterations = 30,
                                 .batch = 1,
                                 .seconds = INFINITY,
                                 .target = NAN};
    bo_options_init(&settings.options);
    bo__command command = {.name = "bo-run",
                           .purpose = purpose,
                           .usage = "--objective NAME [options]\n"
                                    "--command COMMAND --parameter NAME=KIND… [options]\n"
                                    "--list",
                           .examples = examples,
                           .notes = notes,
                           .describe = bo_option_describe,
                           .set = bo_options_set,
                           .options = &settings.options};
    int code = parse(&settings, &command, argc, argv);
    if (code < 0 && settings.list) {
        bo__view_list(stdout);
        code = 0;
    } else if (code < 0) {
        bo__interrupt_catch();
        code = check_together(&settings, &command);
        if (code < 0)
            code = prepare_and_run(&settings, &command);
    }
    bo_space_free(settings.space);
    return code;
}
