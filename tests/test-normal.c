/* test-normal.c - the normal distribution's functions against references.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables were computed with 400 digits (Python's mpmath): erfc by its own function, tails
 * beyond 1000 by the asymptotic series of Mills' ratio.
 */
#include "mixture-check.h"
#include "normal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_erf.h>

static const struct {
    double t, log_h, slope, log_cdf;
} tail[] = {
    {-1e+154, -5.00000000000000037e+307, 1.00000000000000004e+154, -5.00000000000000037e+307},
    {-1e+100, -5.00000000000000016e+199, 1.00000000000000002e+100, -5.00000000000000016e+199},
    {-1e+16, -5.0e+31, 10000000000000000.0, -5.0e+31},
    {-100000000.0, -5000000000000037.76, 100000000.00000002, -5000000000000019.34},
    {-12345670.0, -76207783874483.5766, 12345670.000000162, -76207783874467.2478},
    {-1000000.0, -500000000028.54996, 1000000.000002, -500000000014.734449},
    {-54321.5, -1475412703.84928929, 54321.5000368178345, -1475412692.94661391},
    {-1000, -500014.734452091158, 1000.00199999400004, -500007.826694812184},
    {-123.456, -7631.24287295511029, 123.472196916436994, -7626.42685695056966},
    {-40.5, -828.448367583725702, 40.5492927787372025, -824.745849244038018},
    {-37.25, -701.937649059675117, 37.3035757726519277, -698.318559872401573},
    {-25.125, -323.004204044905729, 25.2042278235375167, -319.777192293684996},
    {-12, -77.9091005450073483, 12.1633525715857398, -75.4106730015687959},
    {-7.75, -35.0928890561407669, 7.99647111228723873, -33.0138887227430872},
    {-6.5, -25.8534242097778935, 6.78880352440732794, -23.9381494951618386},
    {-6.0009765625, -22.5850418014531817, 6.31077344110944998, -20.7427835585432471},
    {-6, -22.5788793921697974, 6.30984077320983158, -20.7367689499747057},
    {-5.9990234375, -22.5727178936892005, 6.30890811700153403, -20.7307552722040873},
    {-5.5, -19.5430714528241054, 5.83395466272300476, -17.7793763526252605},
    {-4.25, -12.9859103828097518, 4.66258788183810568, -11.4463397493658471},
    {-3, -7.86968605960302852, 3.53233751762516052, -6.60772622151034954},
    {-2.125, -5.11014478486940426, 2.78255588164426501, -4.08677489765309748},
    {-1.5, -3.52993592080570985, 2.27958069415644616, -2.70594440082388981},
    {-1.0009765625, -2.48698100987389044, 1.90497634852349506, -1.84251141684552972},
    {-1, -2.48512102571264134, 1.90427123332969182, -1.84102164500926351},
    {-0.9990234375, -2.4832617300829745, 1.90356623585152278, -1.83953263697297758},
    {-0.5, -1.62051626438731992, 1.55987314834807967, -1.17591176159361861},
    {-0.001, -0.920192132769726437, 1.25388502236480593, -0.693945383466965179},
    {-1e-10, -0.918938533330004156, 1.25331413737257988, -0.693147180639733766},
    {0, -0.918938533204672742, 1.25331413731550025, -0.693147180559945309},
    {1e-10, -0.918938533079341328, 1.25331413725842062, -0.693147180480156853},
    {0.25, -0.622978230906767887, 1.11627154638778135, -0.512984075409430432},
    {0.75, -0.126508206891952981, 0.877668727612557613, -0.256994266838365237},
    {1.5, 0.424814556762259296, 0.610206403670761506, -0.069143455612233983},
    {3, 1.09873966532770777, 0.332840968451795236, -0.0013508099647481938},
    {5.5, 1.70474809283024466, 0.181818178257930567, -1.8989562646189463e-8},
    {8.875, 2.18323833536147949, 0.112676056338028169, -3.49667069821390078e-19},
    {9.125, 2.2110178994685552, 0.109589041095890411, -3.58681293664972839e-20},
    {20, 2.99573227355399099, 0.05, -2.7536241186062337e-89},
    {40, 3.6888794541139363, 0.025, 0},
    {1000.0, 6.90775527898213705, 0.001, 0.0},
    {100000000.0, 18.4206807439523655, 1.0e-8, 0.0},};

static const struct {
    double x, value;
} scaled[] = {
    {-26.25, 3.60637955349009005e+299},
    {-10, 5.3762342836322709e+43},
    {-3.3, 107274.435932814358},
    {-1, 5.00898008076228347},
    {-0.1, 1.12364335419920948},
    {0, 1.0},
    {0.1, 0.896456979969126637},
    {0.5, 0.615690344192925875},
    {1, 0.427583576155807004},
    {1.9, 0.26650937366167266},
    {2.5, 0.210806364061143581},
    {4, 0.13699945762506139},
    {7.75, 0.0722071708146697605},
    {12.3, 0.0457189573563652973},
    {24.9990234375, 0.0225504519058429325},
    {25, 0.0225495724326413589},
    {25.5, 0.0221081080525198266},
    {100.25, 0.00562754632196642088},
    {100000.0, 5.64189583519546808e-6},
    {1e+100, 5.64189583547756278e-101},
    {1e+300, 5.64189583547756257e-301},};

static void test_log_h(void **state)
{
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
        double slope, value = bo__normal_log_h(tail[i].t, &slope);
        assert_near(value, tail[i].log_h, 5e-14, 1e-15);
        assert_near(slope, tail[i].slope, 5e-14, 0);
    }
}

static void test_log_cdf(void **state)
{
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
        if (tail[i].log_cdf == 0 || tail[i].log_cdf < -1e-300)
            assert_near(bo__normal_log_cdf(tail[i].t), tail[i].log_cdf, 2e-14, 0);
}

/* h, Φ and φ where they are normal doubles: a rounded exponent costs t²·2⁻⁵³. */
static void test_h(void **state)
{
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
        double t = tail[i].t, cdf, pdf, h = bo__normal_h(t, &cdf, &pdf);
        if (t < -37.3) {
            assert_true(h >= 0 && cdf >= 0 && pdf >= 0 && h < 1e-300);
            continue;
        }
        double tolerance = 5e-14 + 2 * fabs(tail[i].log_h) * 0x1p-52;
        assert_near(h, exp(tail[i].log_h), tolerance, 0);
        tolerance = 5e-14 + 2 * fabs(tail[i].log_cdf) * 0x1p-52;
        assert_near(cdf, exp(tail[i].log_cdf), tolerance, 0);
        assert_near(bo__normal_cdf(t), exp(tail[i].log_cdf), tolerance, 0);
        assert_true(pdf == bo__normal_pdf(t));
    }
}

static void test_erfcx(void **state)
{
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        assert_near(bo__erfcx(scaled[i].x), scaled[i].value, 4e-15, 0);
    assert_true(isinf(bo__erfcx(-30)) && bo__erfcx(-30) > 0);
    assert_true(bo__erfcx(INFINITY) == 0);
}

/* Everywhere, not only at the table's points. */
static void test_against_gsl(void **state)
{
    bo__rng rng;
    bo__rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < 20000; i++) {
        double t = 30 * (2 * bo__rng_uniform(&rng) - 1);
        assert_near(bo__normal_pdf(t), gsl_sf_erf_Z(t), 1e-13, 1e-300);
        assert_near(bo__normal_cdf(t), gsl_cdf_ugaussian_P(t), 5e-13, 0);
        assert_near(bo__normal_log_cdf(t), gsl_sf_log_erfc(-t / sqrt(2)) - log(2), 1e-12, 1e-15);
        double slope;
        bo__normal_log_h(t, &slope);
        double hazard = gsl_sf_hazard(-t); /* φ(t)/Φ(t), so that Φ/h = 1/(hazard + t) */
        assert_near(slope, 1 / (hazard + t), 1e-14 * (1 + t * t * (2 + t * t)), 0);
    }
}

/* The pieces meet without a step: slope and value rise as they should. */
static void test_monotone(void **state)
{
    double last = -INFINITY, last_slope = INFINITY;
    for (double t = -50; t < 12; t += 1.0 / 128) {
        double slope, value = bo__normal_log_h(t, &slope);
        assert_true(value > last && slope < last_slope);
        last = value;
        last_slope = slope;
    }
    double slope;
    assert_true(bo__normal_log_h(-INFINITY, &slope) == -INFINITY);
    assert_true(isnan(bo__normal_log_h(NAN, &slope)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_h),  cmocka_unit_test(test_log_cdf),
        cmocka_unit_test(test_h),      cmocka_unit_test(test_erfcx),
        cmocka_unit_test(test_against_gsl), cmocka_unit_test(test_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
