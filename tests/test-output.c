/* test-output.c - files that are never half-written, journals, rows of CSV and JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

static char folder[64], path[128];

static int make_folder(void **state)
{
    strcpy(folder, "output-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.csv", folder);
    return 0;
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static int remove_folder(void **state)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        unlink(name);
    }
    closedir(dir);
    return rmdir(folder);
}

static const char *content(const char *name)
{
    static char text[4096];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void put(const char *text)
{
    bo__output *output;
    bo_message message;
    assert_int_equal(bo__output_open(&output, path, &message), BO_OK);
    fputs(text, bo__output_stream(output));
    assert_int_equal(bo__output_commit(output, &message), BO_OK);
}

static void writes_whole_files(void **state)
{
    struct stat about;
    mode_t mask = umask(022);
    put("one\n");
    umask(mask);
    assert_string_equal(content(path), "one\n");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    put("two\n");
    assert_string_equal(content(path), "two\n");
    assert_int_equal(count_files(), 1);
}

static void aborts_without_a_trace(void **state)
{
    bo__output *output;
    put("one\n");
    assert_int_equal(bo__output_open(&output, path, NULL), BO_OK);
    fputs("half", bo__output_stream(output));
    fflush(bo__output_stream(output));
    assert_string_equal(content(path), "one\n");
    bo__output_abort(output);
    assert_string_equal(content(path), "one\n");
    assert_int_equal(count_files(), 1);
    bo__output_abort(NULL);
}

static void names_what_cannot_be_written(void **state)
{
    bo__output *output;
    bo_message message;
    assert_int_equal(bo__output_open(&output, "no-such-folder/a.csv", &message), BO_EIO);
    assert_null(output);
    assert_string_equal(message.text,
                        "cannot write 'no-such-folder/a.csv': No such file or directory");
    assert_int_equal(bo__output_check(folder, &message), BO_EIO);
    assert_non_null(strstr(message.text, "it is a folder"));
    assert_int_equal(bo__output_check("", &message), BO_EIO);
    assert_int_equal(bo__output_check(path, &message), BO_OK);
    assert_int_equal(count_files(), 0);
}

/* A limit on the size of files stands in for a full disk. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void full_disk_changes_nothing(void **state)
{
    bo__output *output;
    bo__journal *journal;
    bo_message message;
    signal(SIGXFSZ, SIG_IGN);
    put("one\n");
    assert_int_equal(bo__output_open(&output, path, &message), BO_OK);
    limit_files(8);
    fputs("more than eight bytes\n", bo__output_stream(output));
    assert_int_equal(bo__output_commit(output, &message), BO_EIO);
    limit_files(RLIM_INFINITY);
    assert_non_null(strstr(message.text, path));
    assert_string_equal(content(path), "one\n");
    assert_int_equal(count_files(), 1);

    assert_int_equal(bo__journal_open(&journal, path, "t\n", &message), BO_OK);
    assert_int_equal(bo__journal_write(journal, "12\n", &message), BO_OK);
    limit_files(8);
    assert_int_equal(bo__journal_write(journal, "1234567\n", &message), BO_EIO);
    limit_files(RLIM_INFINITY);
    assert_string_equal(content(path), "t\n12\n");
    bo__journal_close(journal);
}

static void journal_keeps_the_previous(void **state)
{
    bo__journal *journal;
    char kept[160];
    snprintf(kept, sizeof kept, "%s~", path);
    put("old\n");
    assert_int_equal(bo__journal_open(&journal, path, "head\n", NULL), BO_OK);
    assert_string_equal(content(kept), "old\n");
    assert_string_equal(content(path), "head\n");
    assert_int_equal(bo__journal_write(journal, "1\n", NULL), BO_OK);
    assert_string_equal(content(path), "head\n1\n");
    assert_int_equal(bo__journal_sync(journal, NULL), BO_OK);
    bo__journal_close(journal);
    assert_int_equal(count_files(), 2);
    bo__journal_close(NULL);
}

static void journal_survives_a_kill(void **state)
{
    int status;
    pid_t child = fork();
    if (!child) {
        bo__journal *journal;
        if (bo__journal_open(&journal, path, "head\n", NULL) ||
            bo__journal_write(journal, "1\n", NULL) || bo__journal_write(journal, "2\n", NULL))
            _exit(1);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_string_equal(content(path), "head\n1\n2\n");
    assert_int_equal(count_files(), 1);
}

static void make_row(bo__row *row, bo__row_form form)
{
    bo__row_begin(row, form);
    bo__row_size(row, "trial", 3);
    bo__row_text(row, "a,b", "say \"hi\"\n");
    bo__row_number(row, "y", 0.1);
    bo__row_number(row, "sd", NAN);
    assert_int_equal(bo__row_end(row, NULL), BO_OK);
}

static void quotes_rows(void **state)
{
    bo__row row = {0};
    make_row(&row, BO_ROW_HEADER);
    assert_string_equal(row.text, "trial,\"a,b\",y,sd\n");
    make_row(&row, BO_ROW_CSV);
    assert_string_equal(row.text, "3,\"say \"\"hi\"\"\n\",0.1,\n");
    make_row(&row, BO_ROW_JSON);
    assert_string_equal(row.text, "{\"trial\": 3, \"a,b\": \"say \\\"hi\\\"\\u000a\", \"y\": 0.1, "
                                  "\"sd\": null}\n");
    bo__row_free(&row);
}

static void numbers_read_back(void **state)
{
    const double values[] = {0, -1, 0.1, 1.0 / 3, 1e300, 5e-324, -0.39788735772973816, 1e22};
    char buffer[BO_NUMBER_ROOM];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(strtod(bo__number_text(buffer, values[i]), NULL) == values[i]);
    assert_string_equal(bo__number_text(buffer, 0.1), "0.1");
    assert_string_equal(bo__number_text(buffer, 1.0 / 3), "0.3333333333333333");
}

static void knows_endings(void **state)
{
    assert_true(bo__path_ends("a.csv", ".csv"));
    assert_true(bo__path_ends("b/a.CSV", ".csv"));
    assert_false(bo__path_ends(".csv", ".csv"));
    assert_false(bo__path_ends("acsv", ".csv"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(writes_whole_files),
        IN_FOLDER(aborts_without_a_trace),
        IN_FOLDER(names_what_cannot_be_written),
        IN_FOLDER(full_disk_changes_nothing),
        IN_FOLDER(journal_keeps_the_previous),
        IN_FOLDER(journal_survives_a_kill),
        cmocka_unit_test(quotes_rows),
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(knows_endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
