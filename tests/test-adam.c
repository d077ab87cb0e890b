/* test-adam.c - the optimiser of weights against a plain double-precision version.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "adam.h"
#include "rng.h"

enum { N = 48 };

typedef struct plain {
    double theta[N], m[N], v[N], average[N];
} plain;

static void plain_step(const bo__adam_options *o, plain *p, size_t step, const float *g,
                       double scale)
{
    double t = (double)step + 1, rate = bo__adam_rate(o, step);
    double decay = fmin(o->average, (1 + t) / (10 + t));
    for (size_t i = 0; i < N; i++) {
        double d = scale * g[i];
        p->m[i] = 0.9 * p->m[i] + 0.1 * d;
        p->v[i] = 0.999 * p->v[i] + 0.001 * d * d;
        double m = p->m[i] / (1 - pow(0.9, t)), v = p->v[i] / (1 - pow(0.999, t));
        p->theta[i] -= rate * o->weight_decay * p->theta[i];
        p->theta[i] -= rate * m / (sqrt(v) + 1e-8);
        p->average[i] = decay * p->average[i] + (1 - decay) * p->theta[i];
    }
}

static void test_steps(void **state)
{
    bo__adam_options o = {.rate = 1e-2, .weight_decay = 0.1, .clip = 5, .average = 0.5,
                          .warmup = 4, .steps = 40};
    float theta[N], m[N] = {0}, v[N] = {0}, average[N], g[N];
    bo__adam_state s = {N, theta, m, v, average};
    plain p = {0};
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (size_t i = 0; i < N; i++)
        p.theta[i] = p.average[i] = theta[i] = average[i] = (float)bo__rng_normal(&rng);
    for (size_t step = 0; step < 40; step++) {
        for (size_t i = 0; i < N; i++)
            g[i] = (float)bo__rng_normal(&rng);
        double scale = bo__adam_clip(&o, sqrt(bo__adam_squares(g, 0, N)));
        bo__adam_step(&o, &s, step, g, scale, 0, 16); /* in two pieces, as threads do it */
        bo__adam_step(&o, &s, step, g, scale, 16, N);
        plain_step(&o, &p, step, g, scale);
    }
    for (size_t i = 0; i < N; i++) {
        assert_true(fabs(theta[i] - p.theta[i]) < 2e-6);
        assert_true(fabs(average[i] - p.average[i]) < 2e-6);
    }
}

static void test_schedule(void **state)
{
    bo__adam_options o = {.rate = 2, .warmup = 10, .steps = 100};
    assert_true(fabs(bo__adam_rate(&o, 0) - 0.2) < 1e-12);
    assert_true(fabs(bo__adam_rate(&o, 50) - 1) < 1e-12);
    assert_true(fabs(bo__adam_rate(&o, 100)) < 1e-12);
    for (size_t i = 10; i < 100; i++)
        assert_true(bo__adam_rate(&o, i + 1) < bo__adam_rate(&o, i));
    o.warmup = 0;
    assert_true(bo__adam_rate(&o, 0) == 2);
}

static void test_clip(void **state)
{
    bo__adam_options o = {.clip = 2};
    assert_true(bo__adam_clip(&o, 1) == 1);
    assert_true(bo__adam_clip(&o, 8) == 0.25);
    o.clip = 0;
    assert_true(bo__adam_clip(&o, 1e9) == 1);
    float g[] = {3, 4, 12};
    assert_true(bo__adam_squares(g, 0, 3) == 169);
    assert_true(bo__adam_squares(g, 1, 2) == 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
