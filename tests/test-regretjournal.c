/* test-regretjournal.c - journals of the regret experiment: continued, cut, refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blas.h"
#include "check.h"
#include "regretbench.h"

static bo_message message;
static char folder[] = "/tmp/bo-journal-XXXXXX", path[PATH_MAX];
static bo__regret_plan plan;
enum { RUNS = 6 };

static int open_folder(void **state)
{
    plan = (bo__regret_plan){.functions = 2, .iterations = 3, .init = 1, .seed = 1, .noise = NAN};
    bo_options_init(&plan.options);
    return bo__regret_read_settings(&plan, "rbf", &message) ||
           bo__regret_read_surrogates(&plan, "gp,gp-oracle,random", &message) ||
           !mkdtemp(folder) || bo__regret_path(path, folder, "journal", &message);
}

static int close_folder(void **state)
{
    unlink(path);
    return rmdir(folder);
}

static bo__regret_record *make_record(size_t run)
{
    size_t numbers = 4 * bo__regret_row(1);
    size_t size = sizeof(bo__regret_record) + numbers * sizeof(double);
    bo__regret_record *r = calloc(1, size);
    *r = (bo__regret_record){.size = size, .run = run, .dim = 1, .points = 4, .range = 1};
    for (size_t i = 0; i < numbers; i++)
        r->row[i] = (double)(run * 100 + i) / 7;
    return r;
}

/* Opens, checks that just the runs of `wanted` (a bit each) are there, adds another, closes. */
static void visit(unsigned wanted, size_t add)
{
    bo__regret_journal *j;
    bo__regret_record *records[RUNS] = {NULL};
    size_t found;
    assert_int_equal(bo__regret_journal_open(&j, folder, &plan, records, &found, &message), BO_OK);
    for (size_t i = 0; i < RUNS; i++) {
        assert_int_equal(records[i] != NULL, wanted >> i & 1);
        if (!records[i])
            continue;
        bo__regret_record *made = make_record(i);
        assert_memory_equal(records[i], made, made->size);
        free(made);
        free(records[i]);
        found--;
    }
    assert_int_equal(found, 0);
    if (add < RUNS) {
        bo__regret_record *r = make_record(add);
        assert_int_equal(bo__regret_journal_add(j, r, &message), BO_OK);
        assert_int_equal(bo__regret_journal_sync(j, &message), BO_OK);
        free(r);
    }
    bo__regret_journal_close(j);
}

static off_t size_now(void)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_size;
}

static void test_goes_on(void **state)
{
    unlink(path);
    visit(0, 3);
    visit(1 << 3, 0);
    visit(1 << 3 | 1, RUNS);
    visit(1 << 3 | 1, 0); /* the same run twice: the first counts */
    visit(1 << 3 | 1, RUNS);
}

/* Killed while it wrote, at any byte: what was whole before is kept, and it can go on. */
static void test_torn(void **state)
{
    unlink(path);
    visit(0, 1);
    off_t first = size_now();
    visit(1 << 1, 2);
    off_t second = size_now();
    for (off_t cut = first; cut < second; cut += cut < first + 300 ? 1 : 37) {
        assert_int_equal(truncate(path, cut), 0);
        visit(1 << 1, 2);
        assert_int_equal(size_now(), second);
        visit(1 << 1 | 1 << 2, RUNS);
    }
    for (off_t cut = 0; cut < 100; cut++) { /* in the description */
        assert_int_equal(truncate(path, cut), 0);
        visit(0, 1);
        assert_int_equal(size_now(), first);
    }
}

static void test_damaged(void **state)
{
    unlink(path);
    visit(0, 1);
    off_t first = size_now();
    visit(1 << 1, 2);
    for (off_t at = first; at < first + 400; at += 13) {
        FILE *file = fopen(path, "r+");
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x40, file);
        fclose(file);
        visit(1 << 1, 2);
    }
}

static void refused(const bo__regret_plan *other, const char *word)
{
    bo__regret_journal *j;
    bo__regret_record *records[64] = {NULL};
    size_t found;
    assert_int_not_equal(bo__regret_journal_open(&j, folder, other, records, &found, &message),
                         BO_OK);
    assert_null(j);
    for (size_t i = 0; i < 64; i++)
        free(records[i]);
    if (!strstr(message.text, word))
        fail_msg("'%s' does not say '%s'", message.text, word);
}

static void test_other_plans(void **state)
{
    unlink(path);
    visit(0, 1);
    bo__regret_plan other = plan;
    other.seed = 2;
    refused(&other, "'seed 1', and this is 'seed 2'");
    other = plan;
    other.noise = 0.5;
    refused(&other, "noise");
    other = plan;
    other.options.kernel = BO_PERIODIC;
    refused(&other, "periodic");
    other = plan;
    assert_int_equal(bo__regret_read_surrogates(&other, "gp", &message), BO_OK);
    refused(&other, "surrogates gp'");
    visit(1 << 1, RUNS); /* and nothing was lost by it */
}

/* On another kind of CPU the last digits would differ: the line of the description says so. */
static void test_other_cpu(void **state)
{
    unlink(path);
    visit(0, 1);
    char cpu[128], wanted[400], text[4096] = "";
    bo__blas_name(cpu, sizeof cpu);
    snprintf(wanted, sizeof wanted, "\ncpu %s\n", cpu);
    FILE *file = fopen(path, "r+");
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    char *line = strstr(text, wanted);
    assert_non_null(line);
    fseek(file, line + 5 - text, SEEK_SET);
    fputc('?', file);
    fclose(file);
    snprintf(wanted, sizeof wanted, "holds runs with 'cpu ?%s', and this is 'cpu %s'", cpu + 1,
             cpu);
    refused(&plan, wanted);
    unlink(path);
}

/* Runs without weights at first, later with some: the others are kept, but none may change. */
static void test_other_weights(void **state)
{
    unlink(path);
    visit(0, 1);
    plan.weights[0][0] = 7; /* run 1 is of surrogate 1 */
    visit(1 << 1, RUNS);
    bo__regret_plan other = plan;
    other.weights[0][1] = 9;
    refused(&other, "gp-oracle with other weights");
    plan.weights[0][0] = 0;
    visit(1 << 1, RUNS);
}

static void test_other_files(void **state)
{
    FILE *file = fopen(path, "w");
    fputs("my diary\n\nDear diary", file);
    fclose(file);
    refused(&plan, "not a journal");
    unlink(path);
}

static void test_two_at_once(void **state)
{
    bo__regret_journal *j;
    bo__regret_record *records[RUNS] = {NULL};
    size_t found;
    unlink(path);
    assert_int_equal(bo__regret_journal_open(&j, folder, &plan, records, &found, &message), BO_OK);
    refused(&plan, "another bo-bench");
    bo__regret_journal_close(j);
    visit(0, RUNS);
}

static void test_no_folder(void **state)
{
    bo__regret_journal *j;
    bo__regret_record *records[RUNS] = {NULL};
    size_t found;
    assert_int_equal(bo__regret_journal_open(&j, "/nowhere/at/all", &plan, records, &found,
                                             &message), BO_EIO);
    assert_non_null(strstr(message.text, "/nowhere/at/all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),     cmocka_unit_test(test_torn),
        cmocka_unit_test(test_damaged),     cmocka_unit_test(test_other_plans),
        cmocka_unit_test(test_other_files), cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_no_folder),   cmocka_unit_test(test_other_weights),
        cmocka_unit_test(test_other_cpu),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
