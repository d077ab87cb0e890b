/* test-plot.c - gnuplot's process: names, pictures that appear whole or not at all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot.h"

static void checks_names(void **state)
{
    bo_message message;
    assert_int_equal(bo__plot_check("-", NULL), BO_OK);
    assert_int_equal(bo__plot_check("a.png", NULL), BO_OK);
    assert_int_equal(bo__plot_check("a.SVG", NULL), BO_OK);
    assert_int_equal(bo__plot_check("a.jpg", &message), BO_EINVAL);
    assert_string_equal(message.text,
                        "'a.jpg' must end with .png, .svg or .pdf, or be - for the terminal");
    assert_int_equal(bo__plot_check("no-such-folder/a.pdf", &message), BO_EIO);
    assert_non_null(strstr(message.text, "no-such-folder/a.pdf"));
}

static void quotes(void **state)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    bo__plot_quote(stream, "it's\na \"b\"");
    bo__plot_number(stream, 0.5);
    bo__plot_number(stream, NAN);
    fclose(stream);
    assert_string_equal(text, "'it''s a \"b\"' 0.5 ?");
    free(text);
}

static void looks_for_gnuplot(void **state)
{
    bo_message message = {""};
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/no-such-folder", 1);
    assert_false(bo__plot_available(&message));
    assert_non_null(strstr(message.text, "gnuplot-nox"));
    setenv("PATH", path, 1);
    free(path);
}

static bo_status draw(const char *path, const char *command, bo_message *message)
{
    bo__plot *plot;
    assert_int_equal(bo__plot_open(&plot, path, 4, 3, message), BO_OK);
    assert_false(bo__plot_is_text(plot));
    fputs(command, bo__plot_script(plot));
    return bo__plot_close(plot, message);
}

static void draws_whole_pictures(void **state)
{
    static const struct {
        const char *path, *begins;
    } cases[] = {{"plot-test.png", "\x89PNG"}, {"plot-test.svg", "<?xml"}, {"plot-test.pdf", "%PDF"}};
    bo_message message = {""};
    if (!bo__plot_available(NULL))
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char start[6] = "";
        assert_int_equal(draw(cases[i].path, "plot x\n", &message), BO_OK);
        FILE *file = fopen(cases[i].path, "r");
        assert_non_null(file);
        assert_int_equal(fread(start, 1, 5, file), 5);
        assert_memory_equal(start, cases[i].begins, strlen(cases[i].begins));
        fclose(file);
        /* What gnuplot cannot draw leaves the picture that was there. */
        assert_int_equal(draw(cases[i].path, "plot no_such_thing(x)\n", &message), BO_EIO);
        assert_non_null(strstr(message.text, cases[i].path));
        assert_int_equal(access(cases[i].path, R_OK), 0);
        unlink(cases[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_names),
        cmocka_unit_test(quotes),
        cmocka_unit_test(looks_for_gnuplot),
        cmocka_unit_test(draws_whole_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
