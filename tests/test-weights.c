/* test-weights.c - where weights are sought.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights.h"

static char top[64];

static void touch(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", top, folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", top, folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static int make_folders(void **state)
{
    strcpy(top, "/tmp/bo-weights-XXXXXX");
    assert_non_null(mkdtemp(top));
    touch("a", "banp-paper.safetensors");
    touch("b", "banp-paper.safetensors");
    touch("b", "cnp-sharp-3d.safetensors");
    touch("b", "cnp-sharp-s4.safetensors");
    touch("b", "cnp-mine-2d-s2.safetensors");
    char list[300];
    snprintf(list, sizeof list, "%s/none::%s/a:%s/b:", top, top, top);
    setenv("BO_MODELS", list, 1);
    return 0;
}

static int remove_folders(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", top);
    return system(command);
}

static void expect_at(const char *kind, const char *variant, size_t dim, size_t seed,
                      const char *where)
{
    char path[BO__WEIGHTS_PATH], right[200];
    bo__weights_key key = {kind, variant, dim, seed};
    snprintf(right, sizeof right, "%s/%s.safetensors", top, where);
    assert_int_equal(bo__weights_find(&key, path, NULL), BO_OK);
    assert_string_equal(path, right);
}

static void test_found(void **state)
{
    expect_at("banp", "paper", 1, 1, "a/banp-paper"); /* the first that has it */
    expect_at("cnp", "sharp", 3, 1, "b/cnp-sharp-3d");
    expect_at("cnp", "sharp", 1, 4, "b/cnp-sharp-s4");
    expect_at("cnp", "mine", 2, 2, "b/cnp-mine-2d-s2");
}

static void test_missing(void **state)
{
    char path[BO__WEIGHTS_PATH];
    bo_message message;
    bo__weights_key key = {"canp", "sharp", 7, 3};
    assert_int_equal(bo__weights_find(&key, path, &message), BO_ENOMODEL);
    assert_non_null(strstr(message.text, "canp-sharp-7d-s3.safetensors"));
    assert_non_null(strstr(message.text, top));
    assert_non_null(strstr(message.text, "bo-train --model canp --dim 7 --sigma-floor 0.01 "
                                         "--clip 1 --seed 3"));
    assert_non_null(strstr(message.text, "--model"));
    key.variant = "paper";
    assert_int_equal(bo__weights_find(&key, path, &message), BO_ENOMODEL);
    assert_non_null(strstr(message.text, "--sigma-floor 0.1 --seed 3"));
    key = (bo__weights_key){"cnp", "../b/cnp-sharp", 1, 4}; /* a name, not a path */
    assert_int_equal(bo__weights_find(&key, path, NULL), BO_ENOMODEL);
}

static void test_data(void **state)
{
    char path[BO__WEIGHTS_PATH];
    bo_message message;
    assert_int_equal(bo__weights_data("hare-lynx.txt", path, &message), BO_OK); /* build tree */
    assert_int_equal(bo__weights_data("cnp-sharp-s4.safetensors", path, &message), BO_OK);
    assert_non_null(strstr(path, "/b/"));
    assert_int_equal(bo__weights_data("nothing.txt", path, &message), BO_ENOMODEL);
    assert_non_null(strstr(message.text, "nothing.txt"));
    assert_non_null(strstr(message.text, top));
}

/* The build tree comes after the environment: this test runs in one. */
static void test_folders(void **state)
{
    char folder[BO__WEIGHTS_PATH];
    assert_true(bo__weights_folder(2, folder)); /* none, a, b */
    assert_non_null(strstr(folder, "/b"));
    assert_true(bo__weights_folder(3, folder));
    assert_string_equal(folder + strlen(folder) - strlen("/models"), "/models");
    size_t count = 4;
    while (bo__weights_folder(count, folder))
        count++;
    assert_int_equal(count, 6);
    unsetenv("BO_MODELS");
    assert_true(bo__weights_folder(2, folder));
    assert_false(bo__weights_folder(3, folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_folders),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
