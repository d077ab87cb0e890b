/* test-regretsum.c - summaries of made-up runs, against what they were made of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "regretsum.h"

enum { FUNCTIONS = 5, ITERATIONS = 2 };

static bo_message message;
static bo__regret_record *records[3 * FUNCTIONS];
static bo__regret_plan plan;

/* A run in one dimension whose value at evaluation i is 10·(surrogate + 1)·(function + 1)/(i + 1);
 * the least is 0 and the range 10. */
static double value_of(size_t surrogate, size_t function, size_t i)
{
    return 10.0 * (double)(surrogate + 1) * (double)(function + 1) / (double)(i + 1);
}

static void make_records(void)
{
    size_t points = ITERATIONS + 1;
    plan = (bo__regret_plan){.functions = FUNCTIONS, .iterations = ITERATIONS, .init = 1};
    assert_int_equal(bo__regret_read_settings(&plan, "rbf", &message), BO_OK);
    assert_int_equal(bo__regret_read_surrogates(&plan, "gp-oracle,gp,random", &message), BO_OK);
    for (size_t run = 0; run < 3 * FUNCTIONS; run++) {
        bo__regret_place place = bo__regret_place_of(&plan, run);
        bo__regret_record *r =
            calloc(1, sizeof *r + points * bo__regret_row(1) * sizeof(double));
        *r = (bo__regret_record){.run = run, .dim = 1, .points = points, .range = 10};
        for (size_t i = 0; i < points; i++) {
            double *columns = r->row + i * bo__regret_row(1) + 1;
            columns[BO_REGRET_Y] = columns[BO_REGRET_F] =
                value_of(place.surrogate, place.function, i);
            columns[BO_REGRET_SECONDS] = i ? 0.001 * (double)i : 0;
        }
        records[run] = r;
    }
}

static void drop_records(void)
{
    for (size_t run = 0; run < 3 * FUNCTIONS; run++)
        free(records[run]);
}

static void test_curves(void **state)
{
    bo__regret_summary *s;
    make_records();
    assert_int_equal(bo__regret_sum_up(&s, &plan, records, &message), BO_OK);
    assert_int_equal(s->failed, 0);
    for (size_t i = 0; i < 3; i++) {
        const bo__regret_cell *cell = bo__regret_cell_at(s, 0, i);
        double unit = (double)(i + 1) * 10, sum = 0;
        assert_int_equal(cell->runs, FUNCTIONS);
        for (size_t t = 0; t <= ITERATIONS; t++) {
            const bo__regret_point *p = &cell->curve[BO_SIMPLE][t];
            double part = unit / (double)(t + 1);
            /* functions 1 … 5: mean 3, sample variance 2.5 */
            assert_close(p->mean, 3 * part, 1e-12);
            assert_close(p->se, part * sqrt(2.5 / 5), 1e-12);
            assert_close(p->median, 3 * part, 1e-12);
            assert_close(p->lower, 2 * part, 1e-12);
            assert_close(p->upper, 4 * part, 1e-12);
            sum += 3 * part;
            assert_close(cell->curve[BO_CUMULATIVE][t].mean, sum, 1e-12);
            assert_close(cell->curve[BO_INSTANTANEOUS][t].mean, 3 * part, 1e-12);
            assert_close(cell->curve[BO_SIMPLE_NORM][t].mean, 3 * part / 10, 1e-12);
            assert_close(cell->curve[BO_CUMULATIVE_NORM][t].mean, sum / 10, 1e-12);
        }
        assert_close(cell->milliseconds, 1.5, 1e-12);
        assert_close(cell->slowest, 2, 1e-12);
        for (size_t t = 0; t <= ITERATIONS; t++) {
            assert_close(cell->curve[BO_MILLISECONDS][t].mean, (double)t, 1e-12);
            assert_close(cell->curve[BO_MILLISECONDS][t].median, (double)t, 1e-12);
        }
    }
    bo__regret_summary_free(s);
    drop_records();
}

/* gp-oracle is always better than gp, random always worse: with five pairs p = 2/2⁵ each. */
static void test_against_gp(void **state)
{
    bo__regret_summary *s;
    make_records();
    assert_int_equal(bo__regret_reference(&plan), 1);
    assert_int_equal(bo__regret_sum_up(&s, &plan, records, &message), BO_OK);
    const bo__regret_cell *oracle = bo__regret_cell_at(s, 0, 0), *gp = bo__regret_cell_at(s, 0, 1);
    const bo__regret_cell *random = bo__regret_cell_at(s, 0, 2);
    assert_int_equal(gp->pairs, 0);
    assert_int_equal(oracle->pairs, FUNCTIONS);
    assert_close(oracle->simple.wilcoxon.p, 0.0625, 1e-12);
    assert_close(oracle->simple.holm, 0.125, 1e-12);
    assert_close(random->cumulative.holm, 0.125, 1e-12);
    assert_close(oracle->cumulative.wilcoxon.effect, -1, 1e-12);
    assert_close(random->cumulative.wilcoxon.effect, 1, 1e-12);
    /* 10·(f + 1)/3 less 20·(f + 1)/3: mean 3, sample variance 2.5 of 1 … 5 */
    assert_close(oracle->simple.difference, -10, 1e-12);
    assert_close(oracle->simple.difference_se, 10.0 / 3 * sqrt(2.5 / 5), 1e-12);
    assert_string_equal(random->against, "gp");
    bo__regret_summary_free(s);
    drop_records();
}

/* Another reference: now gp is better than random. */
static void test_reference(void **state)
{
    bo__regret_summary *s;
    make_records();
    strcpy(plan.reference, "random");
    assert_int_equal(bo__regret_reference(&plan), 2);
    assert_int_equal(bo__regret_sum_up(&s, &plan, records, &message), BO_OK);
    const bo__regret_cell *gp = bo__regret_cell_at(s, 0, 1);
    assert_string_equal(gp->against, "random");
    assert_int_equal(gp->pairs, FUNCTIONS);
    assert_int_equal(bo__regret_cell_at(s, 0, 2)->pairs, 0);
    assert_close(gp->simple.difference, -10, 1e-12);
    bo__regret_summary_free(s);
    drop_records();
}

/* Holm: p of 1/16 and 1/8 become 1/8 and, because none may be less than one before it, 1/8. */
static void test_holm(void **state)
{
    bo__regret_summary *s;
    make_records();
    /* one function where random is better than gp, by the least difference: p = 2·2/2⁵ */
    bo__regret_record *r = records[bo__regret_run_at(&plan, (bo__regret_place){.surrogate = 2})];
    for (size_t i = 0; i <= ITERATIONS; i++)
        r->row[i * bo__regret_row(1) + 1 + BO_REGRET_F] = value_of(1, 0, i) * 0.99;
    assert_int_equal(bo__regret_sum_up(&s, &plan, records, &message), BO_OK);
    assert_close(bo__regret_cell_at(s, 0, 0)->simple.holm, 0.125, 1e-12);
    assert_close(bo__regret_cell_at(s, 0, 2)->simple.wilcoxon.p, 0.125, 1e-12);
    assert_close(bo__regret_cell_at(s, 0, 2)->simple.holm, 0.125, 1e-12);
    bo__regret_summary_free(s);
    drop_records();
}

/* What failed, or was never run, is counted and left out, also of the pairs. */
static void test_failures(void **state)
{
    bo__regret_summary *s;
    make_records();
    size_t a = bo__regret_run_at(&plan, (bo__regret_place){.function = 4, .surrogate = 1});
    bo__regret_record_failed(records[a], a, BO_ENUMERIC, "no good");
    for (size_t f = 0; f < FUNCTIONS; f++) {
        size_t run = bo__regret_run_at(&plan, (bo__regret_place){.function = f, .surrogate = 2});
        free(records[run]);
        records[run] = NULL;
    }
    assert_int_equal(bo__regret_sum_up(&s, &plan, records, &message), BO_OK);
    const bo__regret_cell *gp = bo__regret_cell_at(s, 0, 1), *random = bo__regret_cell_at(s, 0, 2);
    assert_int_equal(s->failed, 1 + FUNCTIONS);
    assert_int_equal(gp->runs, 4);
    assert_int_equal(gp->failed, 1);
    assert_string_equal(gp->reason, "no good");
    assert_close(gp->curve[BO_SIMPLE][0].mean, 2.5 * 20, 1e-12);
    assert_int_equal(random->runs, 0);
    assert_null(random->curve[BO_SIMPLE]);
    assert_int_equal(random->pairs, 0);
    assert_int_equal(bo__regret_cell_at(s, 0, 0)->pairs, 4);
    bo__regret_summary_free(s);
    drop_records();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_against_gp),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_holm),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
