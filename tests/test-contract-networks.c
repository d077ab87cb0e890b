/* test-contract-networks.c - every neural surrogate with every acquisition: derivatives against
 * integrals, with the weights that are shipped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contract-check.h"

static void test_derivatives_of_networks(void **state)
{
    const size_t counts[] = {1, 2, 50};
    const bo_surrogate_type *s;
    const bo_acquisition_type *a;
    for (size_t i = 0; (s = bo_surrogate_at(i)); i++)
        for (size_t k = 0; is_network(s) && (a = bo_acquisition_at(k)); k++)
            for (size_t c = 0; c < 3; c++)
                for (int collapsed = 0; collapsed < 2; collapsed++) {
                    fixture f;
                    char what[100];
                    if (!fixture_init(&f, box(1), s, a))
                        fail_msg("%s: no weights for one dimension", s->name);
                    f.options.moment_match = collapsed;
                    tell(&f, counts[c], c == 2 ? 4 : 0);
                    snprintf(what, sizeof what, "%s, %s%s, n = %zu", s->name, a->name,
                             collapsed ? ", collapsed" : "", counts[c]);
                    if (ready(&f))
                        check_integrals(&f, what);
                    fixture_free(&f);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_of_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
