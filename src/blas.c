/* blas.c - what OpenBLAS made of this CPU, and how many threads it may use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenBLAS built for many CPUs (DYNAMIC_ARCH) looks its CPU up in a list of models.  One that is
 * newer than the list becomes a "Prescott" of 2004, with SSE3 kernels: on a CPU with AVX-512
 * matrix products then run at a quarter of the speed.  The right question is what instructions
 * the CPU has, so that is what is asked here.
 */
#include "blas.h"

#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"

/* The names OpenBLAS 0.3 gives x86-64 kernels without AVX-512.  A name that is not listed is
 * newer than this table and taken for good. */
static const struct {
    const char *name;
    bo__blas_level level;
} cores[] = {
    {"Atom", BO__BLAS_OLD},
    {"Barcelona", BO__BLAS_OLD},
    {"Bobcat", BO__BLAS_OLD},
    {"Bulldozer", BO__BLAS_OLD},
    {"Core2", BO__BLAS_OLD},
    {"Dunnington", BO__BLAS_OLD},
    {"Excavator", BO__BLAS_AVX2},
    {"Haswell", BO__BLAS_AVX2},
    {"Nano", BO__BLAS_OLD},
    {"Nehalem", BO__BLAS_OLD},
    {"Opteron", BO__BLAS_OLD},
    {"Opteron_SSE3", BO__BLAS_OLD},
    {"Penryn", BO__BLAS_OLD},
    {"Piledriver", BO__BLAS_OLD},
    {"Prescott", BO__BLAS_OLD},
    {"Sandybridge", BO__BLAS_OLD},
    {"Steamroller", BO__BLAS_OLD},
    {"Zen", BO__BLAS_AVX2},
};

bo__blas_level bo__blas_cpu(void)
{
#ifdef __x86_64__
    /* These ask the operating system too, whether it saves the wide registers. */
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return BO__BLAS_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return BO__BLAS_AVX2;
#endif
    return BO__BLAS_OLD;
}

const char *bo__blas_judge(const char *corename, bo__blas_level cpu)
{
    static const char *const advice[] = {NULL, "Haswell", "SkylakeX"};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (!strcmp(corename, cores[i].name))
            return cores[i].level < cpu ? advice[cpu] : NULL;
    return NULL;
}

const char *bo_blas_advice(void)
{
    const char *set = getenv("OPENBLAS_CORETYPE");
    if (set && *set)
        return NULL;
    if (!strstr(openblas_get_config(), "DYNAMIC_ARCH"))
        return NULL; /* built for one CPU: it has no other kernels */
    return bo__blas_judge(openblas_get_corename(), bo__blas_cpu());
}

void bo__blas_name(char *name, size_t room)
{
    static const char *const levels[] = {"no AVX2", "AVX2", "AVX-512"};
    snprintf(name, room, "%s, %s", openblas_get_corename(), levels[bo__blas_cpu()]);
}

static void one_thread(void)
{
    openblas_set_num_threads(1);
}

void bo__blas_single(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, one_thread);
}
