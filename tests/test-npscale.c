/* test-npscale.c - values that look like training values stay, others are rescaled.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include <math.h>

#include "npscale.h"
#include "rng.h"

static void test_fits(void **state)
{
    double z[] = {-1, 0.5, 1, -0.7, 0.2};
    bo_data d = {.n = 5, .z = z, .shift = 0, .scale = 0.5};
    assert_true(bo__npscale_fits(&d, 0.6));
    d.scale = 2.9;
    assert_true(bo__npscale_fits(&d, 0.6));
    d.scale = 3.1; /* some |y| above 5 · 0.6 */
    assert_false(bo__npscale_fits(&d, 0.6));
    d.scale = 0.5;
    d.shift = 2.6;
    assert_false(bo__npscale_fits(&d, 0.6));
    d.shift = -2.6;
    assert_false(bo__npscale_fits(&d, 0.6));
    d.shift = 0;
    d.scale = 0.04; /* range 0.08, below 0.1 */
    assert_false(bo__npscale_fits(&d, 0.6));
    d.n = 4; /* too few to tell */
    assert_true(bo__npscale_fits(&d, 0.6));
    d.n = 1;
    d.scale = 1e308;
    d.shift = -1e308;
    assert_false(bo__npscale_fits(&d, 0.6)); /* overflows */
    d.n = 0;
    assert_true(bo__npscale_fits(&d, 0.6));
}

static void test_units(void **state)
{
    double z[] = {-1, 1};
    bo_data d = {.n = 2, .z = z, .shift = 0.4, .scale = 0.5};
    bo__npinfo info;
    bo__npinfo_init(&info);
    bo__npunits raw = bo__npscale_units(&d, &info, BO_RESCALE_AUTO);
    assert_close(raw.x_shift + raw.x_scale * 0.25, -1, 1e-12); /* [0, 1] to [-2, 2] */
    assert_close((z[1] - raw.y_shift) / raw.y_scale, 0.9, 1e-12); /* y itself */
    bo__npunits scaled = bo__npscale_units(&d, &info, BO_RESCALE_ALWAYS);
    assert_close((z[1] - scaled.y_shift) / scaled.y_scale, sqrt(0.37), 1e-12);
    d.scale = 1000;
    scaled = bo__npscale_units(&d, &info, BO_RESCALE_AUTO);
    assert_close((z[0] - scaled.y_shift) / scaled.y_scale, -sqrt(0.37), 1e-12);
    raw = bo__npscale_units(&d, &info, BO_RESCALE_NEVER);
    assert_close((z[0] - raw.y_shift) / raw.y_scale, 0.4 - 1000, 1e-9);
}

/* As values are added one by one, the choice changes at most twice. */
static void test_steady(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (size_t run = 0; run < 200; run++) {
        double y[60], z[60], size = pow(10, 3 * bo__rng_uniform(&rng) - 2);
        size_t changes = 0;
        bool before = true;
        for (size_t n = 1; n <= 60; n++) {
            double mean = 0, sd = 0;
            y[n - 1] = size * bo__rng_normal(&rng);
            for (size_t i = 0; i < n; i++)
                mean += y[i] / (double)n;
            for (size_t i = 0; i < n; i++)
                sd += (y[i] - mean) * (y[i] - mean) / (double)n;
            sd = n > 1 ? sqrt(sd) : 1;
            for (size_t i = 0; i < n; i++)
                z[i] = (y[i] - mean) / sd;
            bo_data d = {.n = n, .z = z, .shift = mean, .scale = sd};
            bool now = bo__npscale_fits(&d, 0.6);
            changes += n > 5 && now != before;
            before = now;
        }
        assert_true(changes <= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fits),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
