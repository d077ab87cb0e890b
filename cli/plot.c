/* plot.c - drawing with gnuplot: the process, the file, the style.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The script is kept in memory until it is complete, then gnuplot reads it from an unnamed file
 * and draws to a temporary file beside the final one.  So gnuplot can neither block us nor be
 * left with half a script, and what it complains about can be shown.
 */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "message.h"
#include "output.h"

const char *const bo__plot_colour[BO_PLOT_COLOURS] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                                      "#e69f00", "#56b4e9", "#cc79a7", "#f0e442"};

typedef enum ending { ENDING_NONE, ENDING_TEXT, ENDING_PNG, ENDING_SVG, ENDING_PDF } ending;

struct bo__plot {
    ending ending;
    char *path;
    char *temporary; /* what gnuplot draws to; NULL for text */
    char *text;      /* the script */
    size_t length;
    FILE *script;
};

static ending ending_of(const char *path)
{
    if (!strcmp(path, "-"))
        return ENDING_TEXT;
    if (bo__path_ends(path, ".png"))
        return ENDING_PNG;
    if (bo__path_ends(path, ".svg"))
        return ENDING_SVG;
    return bo__path_ends(path, ".pdf") ? ENDING_PDF : ENDING_NONE;
}

bo_status bo__plot_check(const char *path, bo_message *message)
{
    ending kind = ending_of(path);
    if (kind == ENDING_NONE)
        return bo__fail(message, BO_EINVAL,
                        "'%s' must end with .png, .svg or .pdf, or be - for the terminal", path);
    return kind == ENDING_TEXT ? BO_OK : bo__output_check(path, message);
}

bool bo__plot_available(bo_message *message)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : "/usr/bin:/bin"), *rest = copy, *folder;
    bool found = false;
    while (copy && !found && (folder = strsep(&rest, ":"))) {
        char name[4096];
        snprintf(name, sizeof name, "%s/gnuplot", *folder ? folder : ".");
        found = !access(name, X_OK);
    }
    free(copy);
    if (!found)
        bo__fail(message, BO_EUNSUPPORTED,
                 "no gnuplot on the PATH, so nothing can be drawn (Debian: apt-get install "
                 "gnuplot-nox)");
    return found;
}

/* Columns and rows for a drawing of characters. */
static void text_size(size_t *columns, size_t *rows)
{
    struct winsize size;
    *columns = bo__args_width(stdout);
    *rows = 24;
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row > 12)
        *rows = size.ws_row - 4u;
    *columns = *columns < 40 ? 40 : *columns > 120 ? 120 : *columns;
    *rows = *rows > 30 ? 30 : *rows;
}

static void write_terminal(FILE *script, ending kind, double width, double height)
{
    /* PNG at 200 dots an inch, so that it is sharp on the screens of today. */
    static const double DPI = 200, POINTS = 72;
    size_t columns, rows;
    switch (kind) {
    case ENDING_PNG:
        fprintf(script,
                "set terminal pngcairo enhanced size %.0f,%.0f font 'DejaVu Sans,10' "
                "fontscale %.3f linewidth %.3f pointscale %.3f background '#ffffff'\n",
                width * DPI, height * DPI, DPI / POINTS * 0.75, DPI / POINTS * 0.75,
                DPI / POINTS * 0.75);
        break;
    case ENDING_SVG:
        fprintf(script,
                "set terminal svg enhanced size %.0f,%.0f font 'DejaVu Sans,10' "
                "background '#ffffff'\n",
                width * POINTS, height * POINTS);
        break;
    case ENDING_PDF:
        fprintf(script, "set terminal pdfcairo enhanced size %gin,%gin font 'DejaVu Sans,10'\n",
                width, height);
        break;
    default:
        text_size(&columns, &rows);
        fprintf(script, "set terminal dumb noenhanced size %zu,%zu\n", columns, rows);
    }
}

static void write_style(FILE *script, ending kind)
{
    fprintf(script, "set encoding utf8\nset datafile missing '?'\n");
    if (kind == ENDING_TEXT)
        return;
    fprintf(script, "set border 3 lc '#444444' lw 0.8\n"
                    "set tics nomirror out scale 0.6 textcolor '#222222'\n"
                    "set grid back lc '#e4e4e4' lt 1 lw 0.6\n"
                    "set key noautotitle samplen 1.6 spacing 1.15 textcolor '#222222'\n"
                    "set style fill solid noborder\n");
    for (int i = 0; i < BO_PLOT_COLOURS; i++)
        fprintf(script, "set linetype %d lc '%s' lw 1.5 pt 7\n", i + 1, bo__plot_colour[i]);
}

static void write_head(FILE *script, ending kind, const char *path, double width, double height)
{
    write_terminal(script, kind, width, height);
    if (kind != ENDING_TEXT) {
        fprintf(script, "set output ");
        bo__plot_quote(script, path);
        fputc('\n', script);
    }
    write_style(script, kind);
}

void bo__plot_terminal(FILE *script, const char *path, double width, double height)
{
    write_terminal(script, ending_of(path), width, height);
}

void bo__plot_head(FILE *script, const char *path, double width, double height)
{
    write_head(script, ending_of(path), path, width, height);
}

bo_status bo__plot_open(bo__plot **out, const char *path, double width, double height,
                        bo_message *message)
{
    *out = NULL;
    bo__plot *plot = calloc(1, sizeof *plot);
    size_t room = strlen(path) + 32;
    if (!plot)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    plot->ending = ending_of(path);
    plot->path = strdup(path);
    plot->script = open_memstream(&plot->text, &plot->length);
    if (plot->ending != ENDING_TEXT && (plot->temporary = malloc(room)))
        snprintf(plot->temporary, room, "%s.%ld.part", path, (long)getpid());
    if (!plot->path || !plot->script || (plot->ending != ENDING_TEXT && !plot->temporary)) {
        bo__plot_abort(plot);
        return bo__fail(message, BO_ENOMEM, "out of memory");
    }
    write_head(plot->script, plot->ending, plot->temporary, width, height);
    *out = plot;
    return BO_OK;
}

FILE *bo__plot_script(bo__plot *plot)
{
    return plot->script;
}

bool bo__plot_is_text(const bo__plot *plot)
{
    return plot->ending == ENDING_TEXT;
}

void bo__plot_abort(bo__plot *plot)
{
    if (!plot)
        return;
    if (plot->script)
        fclose(plot->script);
    if (plot->temporary)
        unlink(plot->temporary);
    free(plot->text);
    free(plot->temporary);
    free(plot->path);
    free(plot);
}

/* gnuplot with its input and its complaints in unnamed files; its exit status, or -1. */
static int run_gnuplot(FILE *input, FILE *complaints)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(input), STDIN_FILENO);
        dup2(fileno(complaints), STDERR_FILENO);
        execlp("gnuplot", "gnuplot", "-", (char *)NULL);
        _exit(127);
    }
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The last line of a file that says something: gnuplot repeats the command first. */
static void last_line(FILE *file, char *line, int room)
{
    char next[256];
    *line = 0;
    rewind(file);
    while (fgets(next, sizeof next, file)) {
        next[strcspn(next, "\n")] = 0;
        if (strspn(next, " \t^") < strlen(next))
            snprintf(line, (size_t)room, "%s", next + strspn(next, " \t"));
    }
}

static bo_status draw(bo__plot *plot, bo_message *message)
{
    char complaint[256];
    FILE *input = tmpfile(), *complaints = tmpfile();
    bo_status status = BO_EIO;
    if (!input || !complaints ||
        fwrite(plot->text, 1, plot->length, input) != plot->length || fflush(input)) {
        bo__fail(message, BO_EIO, "cannot hand the drawing to gnuplot: %s", strerror(errno));
    } else {
        rewind(input);
        int code = run_gnuplot(input, complaints);
        last_line(complaints, complaint, sizeof complaint);
        if (code)
            bo__fail(message, BO_EIO, "gnuplot could not draw '%s': %s", plot->path,
                     *complaint ? complaint : "it ended with an error");
        else if (plot->temporary && rename(plot->temporary, plot->path))
            bo__fail(message, BO_EIO, "cannot write '%s': %s", plot->path, strerror(errno));
        else
            status = BO_OK;
    }
    if (input)
        fclose(input);
    if (complaints)
        fclose(complaints);
    return status;
}

bo_status bo__plot_close(bo__plot *plot, bo_message *message)
{
    fprintf(plot->script, "\nunset output\n");
    bool whole = !fclose(plot->script);
    plot->script = NULL;
    bo_status status = whole ? draw(plot, message) : bo__fail(message, BO_ENOMEM, "out of memory");
    bo__plot_abort(plot);
    return status;
}

void bo__plot_quote(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', script);
        fputc(*text == '\n' ? ' ' : *text, script);
    }
    fputc('\'', script);
}

void bo__plot_number(FILE *script, double value)
{
    if (isfinite(value))
        fprintf(script, " %.9g", value);
    else
        fputs(" ?", script);
}
