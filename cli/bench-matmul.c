/* bench-matmul.c - bo-bench matmul: the speed of matrix products by shape and precision.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The three products of a layer of 128 by 128 with M rows: forward Y = max(0, X Wᵀ + b), input
 * gradient dX = dY W and weight gradient dW += dYᵀ X, each counted as 2·M·128·128 operations.
 * Times are of the thread's CPU clock, the best of several batches taken in turns, so that other
 * programs disturb little and all precisions alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "bench.h"
#include "interrupt.h"
#include "matmul.h"
#include "rng.h"

enum { WIDTH = 128, MOST_SIZES = 16, TURNS = 12, FORMS = 3, PRECISIONS = 3 };

static const bo__precision precisions[PRECISIONS] = {BO__PRECISION_FLOAT32, BO__PRECISION_BF16X3,
                                                     BO__PRECISION_BF16};
static const char *const forms[FORMS] = {"forward", "input", "weight"};

static const char purpose[] = "Measures matrix products as they occur in a layer of 128 by 128.";

static const char examples[] = "  Layers of 100 to 4000 rows:\n"
                               "    bo-bench matmul\n\n"
                               "  Of 50 and 500:\n"
                               "    bo-bench matmul --rows 50,500\n";

static const char notes[] =
    "TABLE. product: forward with bias and ReLU, input gradient, or weight gradient; rows; then "
    "10^9 operations a second on one core in float32, in bf16x3 (split bf16, as exact as training "
    "needs) and in bf16. What the CPU cannot do is done in float32: bf16x3 without AMX, bf16 without "
    "AMX and AVX-512 bf16.";

/* Aligned as tensors are. */
typedef struct matrices {
    float *x, *y; /* rows × 128 */
    float *w, *dw, *bias;
} matrices;

static bo__product product(matrices *a, size_t rows, size_t form, bo__precision precision)
{
    bo__product p = {.precision = precision};
    if (form == 2) {
        p.m = p.n = WIDTH;
        p.k = rows;
        p.a = (bo__matrix){a->y, WIDTH, true};
        p.b = (bo__matrix){a->x, WIDTH, false};
        p.c = a->dw;
        p.add = true;
    } else {
        p.m = rows;
        p.n = p.k = WIDTH;
        p.a = (bo__matrix){a->x, WIDTH, false};
        p.b = (bo__matrix){a->w, WIDTH, form == 0};
        p.c = a->y;
        p.bias = form == 0 ? a->bias : NULL;
        p.relu = form == 0;
    }
    p.c_stride = WIDTH;
    return p;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of one product, from a batch of them. */
static double time_batch(const bo__product *p, size_t repeats)
{
    double begin = seconds();
    for (size_t i = 0; i < repeats; i++)
        bo__matmul(p);
    return (seconds() - begin) / (double)repeats;
}

static void measure(matrices *a, size_t rows, size_t form, size_t kinds)
{
    double best[PRECISIONS] = {1e9, 1e9, 1e9};
    for (size_t turn = 0; turn < TURNS && !bo__interrupted(); turn++)
        for (size_t i = 0; i < kinds; i++) {
            bo__product p = product(a, rows, form, precisions[i]);
            double once = time_batch(&p, 20000 / rows + 1);
            best[i] = once < best[i] ? once : best[i];
        }
    printf("%-8s %6zu", forms[form], rows);
    for (size_t i = 0; i < kinds; i++)
        printf(" %8.1f", 2e-9 * (double)rows * WIDTH * WIDTH / best[i]);
    printf("\n");
    fflush(stdout);
}

static float *floats(size_t rows)
{
    float *x = aligned_alloc(64, rows * WIDTH * sizeof *x);
    if (x)
        memset(x, 0, rows * WIDTH * sizeof *x);
    return x;
}

static void release(matrices *a)
{
    free(a->x);
    free(a->y);
    free(a->w);
    free(a->dw);
    free(a->bias);
}

static bool fill(matrices *a, size_t rows)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "bench", 0);
    *a = (matrices){floats(rows), floats(rows), floats(WIDTH), floats(WIDTH), floats(1)};
    if (!a->x || !a->y || !a->w || !a->dw || !a->bias)
        return false;
    for (size_t i = 0; i < rows * WIDTH; i++) {
        a->x[i] = (float)bo__rng_normal(&rng);
        a->y[i] = (float)bo__rng_normal(&rng);
    }
    for (size_t i = 0; i < WIDTH * WIDTH; i++)
        a->w[i] = (float)(0.1 * bo__rng_normal(&rng));
    return true;
}

static void measure_all(matrices *a, const size_t *rows, size_t count)
{
    size_t kinds = PRECISIONS;
    printf("%-8s %6s", "product", "rows");
    for (size_t i = 0; i < kinds; i++)
        printf(" %8s", bo__precision_name(precisions[i]));
    printf("\n");
    for (size_t form = 0; form < FORMS; form++)
        for (size_t i = 0; i < count && !bo__interrupted(); i++)
            measure(a, rows[i], form, kinds);
}

int bo__bench_main_matmul(int argc, char **argv)
{
    const char *list = NULL;
    const bo__arg table[] = {
        {.name = "rows", .value = "LIST", .kind = BO_ARG_TEXT, .target = &list,
         .group = "options", .help = "Rows (default 100,250,500,1000,2000,4000)."},
        {.name = NULL}};
    const bo__command command = {.name = "bo-bench matmul", .purpose = purpose,
                                 .usage = "[options]", .examples = examples, .notes = notes,
                                 .args = table};
    int done = bo__args_parse(&command, argc, argv);
    if (done >= 0)
        return done;
    bo_message message = {""};
    size_t rows[MOST_SIZES], count, most = 0;
    if (bo__bench_read_sizes(rows, MOST_SIZES, &count, list ? list : "100,250,500,1000,2000,4000",
                             &message))
        return bo__args_error(&command, "--rows: %s", message.text);
    for (size_t i = 0; i < count; i++)
        most = rows[i] > most ? rows[i] : most;
    if (most > 1000000)
        return bo__args_error(&command, "--rows: at most 1000000, not %zu", most);
    matrices a;
    bool good = fill(&a, most);
    bo__matmul_single();
    if (good)
        measure_all(&a, rows, count);
    else
        fprintf(stderr, "bo-bench matmul: no memory for %zu rows\n", most);
    release(&a);
    return good ? 0 : 1;
}
