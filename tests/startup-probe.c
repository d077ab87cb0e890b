/* startup-probe.c - a command that tells what bo__startup made of it; see startup.sh.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PROBE_TRACE names a file that gets a line for each time main is entered.  PROBE_CORE is a core
 * name OpenBLAS is made to claim, whatever it uses: with "Prescott" every new CPU looks
 * misjudged for ever.
 */
#include <cblas.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "blas.h"
#include "bo.h"
#include "startup.h"

char *openblas_get_corename(void)
{
    char *claim = getenv("PROBE_CORE");
    char *(*real)(void) = (char *(*)(void))dlsym(RTLD_NEXT, "openblas_get_corename");
    return claim ? claim : real ? real() : "unknown";
}

static void show(const char *name)
{
    const char *value = getenv(name);
    printf("%s=%s\n", name, value ? value : "(unset)");
}

int main(int argc, char **argv)
{
    FILE *trace = getenv("PROBE_TRACE") ? fopen(getenv("PROBE_TRACE"), "a") : NULL;
    if (trace) {
        fprintf(trace, "main\n");
        fclose(trace);
    }
    bo__startup(argc, argv);
    for (int i = 1; i < argc; i++)
        printf("argument=%s\n", argv[i]);
    printf("core=%s\n", openblas_get_corename());
    printf("cpu=%d\n", (int)bo__blas_cpu());
    printf("threads=%d\n", openblas_get_num_threads());
    const char *advice = bo_blas_advice();
    printf("advice=%s\n", advice ? advice : "(none)");
    show("OPENBLAS_CORETYPE");
    show("BO_STARTED_AGAIN");
    return 0;
}
