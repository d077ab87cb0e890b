/* test-blas.c - judging OpenBLAS's choice of kernels, and its threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "bo.h"

static const bo__blas_level levels[] = {BO__BLAS_OLD, BO__BLAS_AVX2, BO__BLAS_AVX512};

static void a_core_below_the_cpu_is_raised(void **state)
{
    assert_string_equal(bo__blas_judge("Prescott", BO__BLAS_AVX512), "SkylakeX");
    assert_string_equal(bo__blas_judge("Prescott", BO__BLAS_AVX2), "Haswell");
    assert_string_equal(bo__blas_judge("Sandybridge", BO__BLAS_AVX2), "Haswell");
    assert_string_equal(bo__blas_judge("Haswell", BO__BLAS_AVX512), "SkylakeX");
    assert_string_equal(bo__blas_judge("Zen", BO__BLAS_AVX512), "SkylakeX");
}

static void a_core_as_good_as_the_cpu_stays(void **state)
{
    assert_null(bo__blas_judge("Prescott", BO__BLAS_OLD));
    assert_null(bo__blas_judge("Haswell", BO__BLAS_OLD));
    assert_null(bo__blas_judge("Haswell", BO__BLAS_AVX2));
    assert_null(bo__blas_judge("Zen", BO__BLAS_AVX2));
}

/* What we advise is never advised against, and names we do not know are trusted. */
static void good_and_unknown_cores_stay(void **state)
{
    static const char *const names[] = {"SkylakeX", "Cooperlake", "SapphireRapids", "Zen9", ""};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            assert_null(bo__blas_judge(names[j], levels[i]));
        const char *advice = bo__blas_judge("Prescott", levels[i]);
        if (advice)
            assert_null(bo__blas_judge(advice, levels[i]));
    }
}

/* The kernel's own list of what the CPU has; an instruction is a word of its "flags" line. */
static bool kernel_lists(const char *word)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char *line = NULL, pattern[32];
    size_t size = 0;
    bool found = false;
    snprintf(pattern, sizeof pattern, " %s ", word);
    while (file && !found && getline(&line, &size, file) > 0) {
        if (strncmp(line, "flags", 5))
            continue;
        line[strlen(line) - 1] = ' ';
        found = strstr(line, pattern) != NULL;
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

static void the_cpu_is_what_the_kernel_says(void **state)
{
    bo__blas_level cpu = bo__blas_cpu();
    assert_int_equal(cpu >= BO__BLAS_AVX2, kernel_lists("avx2") && kernel_lists("fma"));
    assert_int_equal(cpu == BO__BLAS_AVX512,
                     kernel_lists("avx512f") && kernel_lists("avx512bw") &&
                         kernel_lists("avx512dq") && kernel_lists("avx512vl") &&
                         kernel_lists("avx512cd"));
}

static void the_users_choice_is_respected(void **state)
{
    const char *set = getenv("OPENBLAS_CORETYPE");
    char *before = set ? strdup(set) : NULL;
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    assert_null(bo_blas_advice());
    setenv("OPENBLAS_CORETYPE", "", 1); /* empty is as good as unset, to OpenBLAS too */
    const char *empty = bo_blas_advice();
    unsetenv("OPENBLAS_CORETYPE");
    assert_ptr_equal(empty, bo_blas_advice());
    if (strstr(openblas_get_config(), "DYNAMIC_ARCH"))
        assert_ptr_equal(empty, bo__blas_judge(openblas_get_corename(), bo__blas_cpu()));
    if (before)
        setenv("OPENBLAS_CORETYPE", before, 1);
    free(before);
}

static void single_means_one_thread(void **state)
{
    openblas_set_num_threads(2);
    bo__blas_single();
    assert_int_equal(openblas_get_num_threads(), 1);
    bo__blas_single();
    assert_int_equal(openblas_get_num_threads(), 1);
}

/* Both what OpenBLAS runs and what our own loops run. */
static void name_has_both_kernels(void **state)
{
    static const char *const ends[] = {", no AVX2", ", AVX2", ", AVX-512"};
    char name[128], wanted[128], cut[4];
    bo__blas_name(name, sizeof name);
    snprintf(wanted, sizeof wanted, "%s%s", openblas_get_corename(), ends[bo__blas_cpu()]);
    assert_string_equal(name, wanted);
    bo__blas_name(cut, sizeof cut);
    assert_int_equal(strlen(cut), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_below_the_cpu_is_raised),
        cmocka_unit_test(a_core_as_good_as_the_cpu_stays),
        cmocka_unit_test(good_and_unknown_cores_stay),
        cmocka_unit_test(the_cpu_is_what_the_kernel_says),
        cmocka_unit_test(the_users_choice_is_respected),
        cmocka_unit_test(single_means_one_thread),
        cmocka_unit_test(name_has_both_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
