/* bo-bench.c - the command that measures: how good and how fast the optimiser is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One subcommand per kind of measurement, each in a file of its own with its own options.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "startup.h"

static const struct {
    const char *name, *summary;
    int (*main)(int argc, char **argv);
} subcommands[] = {
    {"matmul", "speed of matrix products by shape and precision", bo__bench_main_matmul},
    {"optimize", "simple regret over seeds on the standard functions, beside other systems'",
     bo__bench_main_optimize},
    {"predict", "time of a fit and of a query of each surrogate", bo__bench_main_predict},
    {"regret", "simple and cumulative regret of surrogates under kernel and noise mismatch",
     bo__bench_main_regret},
    {"suggest", "milliseconds per suggestion at growing numbers of observations",
     bo__bench_main_suggest},
    {"train", "milliseconds per training step of the neural processes",
     bo__bench_main_train},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void)
{
    printf("Usage: bo-bench SUBCOMMAND [options]\n\n"
           "Measures how good and how fast the optimiser is.\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        printf("  %-10s  %s\n", subcommands[i].name, subcommands[i].summary);
    printf("\nbo-bench SUBCOMMAND --help tells more about each.\n");
}

static int unknown(const char *name)
{
    const char *names[SUBCOMMANDS];
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        names[i] = subcommands[i].name;
    const char *near = bo__args_nearest(name, names, SUBCOMMANDS);
    fprintf(stderr, "bo-bench: unknown subcommand '%s'", name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry 'bo-bench --help'.\n");
    return 2;
}

int main(int argc, char **argv)
{
    bo__startup(argc, argv);
    if (argc < 2) {
        fprintf(stderr, "bo-bench: what shall be measured?\nTry 'bo-bench --help'.\n");
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help();
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("bo-bench %s\n", bo_version());
        return 0;
    }
    bo__interrupt_catch();
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (!strcmp(argv[1], subcommands[i].name))
            return bo__interrupt_status(subcommands[i].main(argc - 1, argv + 1));
    return unknown(argv[1]);
}
