/* test-numbers.c - tables of numbers are read, and bad ones refused with their place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "numbers.h"

static bo_status read_bytes(bo__numbers *n, const char *text, size_t length, bo_message *message)
{
    char path[] = "/tmp/bo-numbers-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    close(fd);
    bo_status status = bo__numbers_read(n, path, message);
    unlink(path);
    return status;
}

static bo_status read_text(bo__numbers *n, const char *text, bo_message *message)
{
    return read_bytes(n, text, strlen(text), message);
}

#define BOM "\xef\xbb\xbf"

static void test_good(void **state)
{
    const char *const texts[] = {"x,y\n1,2\n3,-4e1\n",
                                 "1, 2\r\n3 ,-40",
                                 "# note\n\n1;2\n\n3 -40\n",
                                 BOM "1,2\n3,-40\n",
                                 BOM "x,y\n1,2\n3,-40\n",
                                 "# note\n \t\nx y\n 1\t2 \n# note\n3 -40",
                                 "nanoseconds,infeed\n1,2\n3,-40\n",
                                 "\"x\",\"y\"\r\n1,2\r\n\r\n3,-40\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bo__numbers n;
        assert_int_equal(read_text(&n, texts[i], NULL), BO_OK);
        assert_int_equal(n.rows, 2);
        assert_int_equal(n.cols, 2);
        assert_true(n.data[0] == 1 && n.data[1] == 2 && n.data[2] == 3 && n.data[3] == -40);
        bo__numbers_free(&n);
    }
}

static void test_bad(void **state)
{
    const struct {
        const char *text, *said;
    } cases[] = {{"", "no numbers"},         {"x,y\n", "no numbers"},
                 {"1,2\n3\n", "line 2 has"}, {"1,2\n3,four\n", "line 2, column 2"},
                 {"1\ninf\n", "line 2"},     {"x\n1\nnan\n", "line 3"},
                 {"1,nan\n0.5,1\n", "line 1, column 2 is not a number"},
                 {"1,2x\n0.5,1\n", "line 1, column 2 is not a number"},
                 {"2x\n0.5\n", "line 1, column 1 is not a number"},
                 {"nan,x\n0.5,1\n", "line 1, column 1 is not a number"},
                 {"# note\n\nx,y\na,b\n1,2\n", "line 4, column 1 is not a number"},
                 {"1,,2\n", "line 1, column 2 is empty"},
                 {"1,2\n3,\n", "line 2, column 2 is empty"},
                 {"1;2\n;3\n", "line 2, column 1 is empty"},
                 {",\n1,2\n", "line 1, column 1 is empty"},
                 {"x,,y\n1,2,3\n", "line 1, column 2 is empty"},
                 {"1,x,\n", "line 1, column 2 is not a number"},
                 {"1,2\n" BOM "3,4\n", "line 2, column 1 is not a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bo__numbers n;
        bo_message message;
        assert_int_equal(read_text(&n, cases[i].text, &message), BO_EFORMAT);
        assert_null(n.data);
        if (!strstr(message.text, cases[i].said))
            fail_msg("'%s' does not say '%s'", message.text, cases[i].said);
    }
    bo__numbers n;
    assert_int_equal(read_bytes(&n, "1,2\0,3\n", 7, NULL), BO_EFORMAT);
    assert_int_equal(bo__numbers_read(&n, "/no/such/file", NULL), BO_EIO);
    bo_message message;
    assert_int_equal(bo__numbers_read(&n, "/", &message), BO_EIO);
    assert_non_null(strstr(message.text, "directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
