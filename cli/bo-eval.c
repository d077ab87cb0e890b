/* bo-eval.c - the command that looks at trained neural processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "eval.h"
#include "interrupt.h"
#include "matmul.h"
#include "startup.h"

static const struct {
    const char *name, *summary;
    int (*main)(int argc, char **argv);
} subcommands[] = {
    {"regression", "likelihood, calibration and sharpness on tasks, beside the paper's",
     bo__eval_main_regression},
    {"predict", "mean and sd at given points, from given observations", bo__eval_main_predict},
    {"plot", "a picture of one-dimensional tasks and what models make of them",
     bo__eval_main_plot},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void)
{
    printf("Usage: bo-eval SUBCOMMAND [options]\n\n"
           "Looks at trained neural processes.\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        printf("  %-10s  %s\n", subcommands[i].name, subcommands[i].summary);
    printf("\nbo-eval SUBCOMMAND --help tells more about each.\n");
}

static int unknown(const char *name)
{
    const char *names[SUBCOMMANDS];
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        names[i] = subcommands[i].name;
    const char *near = bo__args_nearest(name, names, SUBCOMMANDS);
    fprintf(stderr, "bo-eval: unknown subcommand '%s'", name);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry 'bo-eval --help'.\n");
    return 2;
}

int main(int argc, char **argv)
{
    bo__startup(argc, argv);
    if (argc < 2) {
        fprintf(stderr, "bo-eval: what shall be done?\nTry 'bo-eval --help'.\n");
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help();
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("bo-eval %s\n", bo_version());
        return 0;
    }
    bo__matmul_single();
    bo__interrupt_catch();
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (!strcmp(argv[1], subcommands[i].name))
            return bo__interrupt_status(subcommands[i].main(argc - 1, argv + 1));
    return unknown(argv[1]);
}
