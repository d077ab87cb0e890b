/* args.h - command lines from one table of options per command.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table serves the parser and --help alike.  A command fills it in main, where the targets
 * hold the defaults, and calls bo__args_parse:
 *
 *     const bo__arg table[] = {
 *         {.name = "iterations", .value = "N", .kind = BO_ARG_SIZE, .target = &run.iterations,
 *          .group = "stopping", .help = "Evaluations after the initial ones."},
 *         {.name = NULL}};
 *     const bo__command command = {.name = "bo-run", .args = table, …};
 *     int done = bo__args_parse(&command, argc, argv);
 *     if (done >= 0)
 *         return done;
 *
 * Accepted are --name value, --name=value, operands (when the command takes any), "--" before
 * operands that begin with a hyphen, --help (-h) and --version.
 */
#ifndef BO_ARGS_H
#define BO_ARGS_H

#include <stdio.h>

#include "bo.h"

typedef enum bo__arg_kind {
    BO_ARG_FLAG,   /* bool *target becomes true; takes no value */
    BO_ARG_TEXT,   /* const char **target; not copied */
    BO_ARG_SIZE,   /* size_t *target; a default of 0 is not shown in the help */
    BO_ARG_UINT64, /* uint64_t *target */
    BO_ARG_DOUBLE, /* double *target; finite; a default of NAN or infinity is not shown */
    BO_ARG_CHOICE, /* int *target gets the index in choices */
    BO_ARG_CALL    /* call(target, value, message); value is NULL when the table's value is */
} bo__arg_kind;

typedef bo_status (*bo__arg_call)(void *target, const char *value, bo_message *message);

typedef struct bo__arg {
    const char *name;  /* without the hyphens; NULL ends the table */
    const char *value; /* placeholder for the help: "N"; NULL for flags */
    const char *help;  /* sentences; the default is added when the kind is typed */
    const char *group; /* headline it stands under; headlines come in order of appearance */
    bo__arg_kind kind;
    void *target;
    double least, most;         /* size and double: the range, unless both are 0; use INFINITY */
    bool above;                 /* double: the range leaves out `least` itself */
    const char *const *choices; /* choice: ends with NULL */
    bo__arg_call call;
} bo__arg;

typedef struct bo__command {
    const char *name;     /* "bo-run" */
    const char *purpose;  /* a sentence or a paragraph */
    const char *usage;    /* lines that follow the name: "[options]\n--list" */
    const char *examples; /* text printed as it is; lines that begin with two spaces */
    const char *notes;    /* paragraphs after the options, wrapped; "\n\n" between them; or NULL */
    const bo__arg *args;

    /* Options of the library, taken in whole: bo_option_describe and bo_options_set with the
     * struct they change.  An option of the command's own table hides the one of the same name.
     * Leave NULL for none. */
    const bo_option_info *(*describe)(size_t i);
    bo_status (*set)(bo_options *options, const char *name, const char *value,
                     bo_message *message);
    bo_options *options;

    /* Called for each operand; NULL: the command takes none. */
    bo__arg_call operand;
    void *operand_target;

    FILE *out, *err; /* NULL: stdout and stderr */
} bo__command;

/* Parses; returns -1 to go on, else the exit status: 0 after --help or --version, 2 after an
 * error, which has been printed. */
int bo__args_parse(const bo__command *command, int argc, char **argv);

/* Prints "name: message" and where to find help; returns 2.  For what only the command can see,
 * such as two options that exclude each other. */
__attribute__((format(printf, 2, 3))) int bo__args_error(const bo__command *command,
                                                         const char *format, ...);

void bo__args_help(const bo__command *command, FILE *stream, size_t width);

/* Numbers as options take them; false when the text is anything else. */
bool bo__args_read_double(const char *text, double *value); /* finite */
bool bo__args_read_uint64(const char *text, uint64_t *value);
bool bo__args_read_size(const char *text, size_t *value);

/* The one of `count` names that text was most likely meant to be; NULL when none is near. */
const char *bo__args_nearest(const char *text, const char *const *names, size_t count);

/* Columns of the terminal on stream, else of $COLUMNS, else 80. */
size_t bo__args_width(FILE *stream);

/* Prints text wrapped to width, later lines indented; column is where the first one begins.
 * Ends without a newline. */
void bo__args_wrap(FILE *stream, const char *text, size_t column, size_t indent, size_t width);

#endif
