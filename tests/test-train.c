/* test-train.c - training: threads, teams, and that it learns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parallel.h"
#include "score.h"
#include "trainer.h"

static bo__train_options small(const bo__nptype *type)
{
    bo__train_options o;
    bo__train_options_init(&o, type);
    o.model.width = 32;
    o.model.heads = 2;
    o.batch = 7;
    o.samples = 2;
    o.adam.steps = 20;
    o.adam.rate = 1e-3;
    o.threads = 1;
    return o;
}

static bo__trainer *made(const bo__train_options *o)
{
    bo__trainer *t;
    bo_message message;
    if (bo__trainer_new(&t, o, &message))
        fail_msg("%s", message.text);
    return t;
}

static void run(bo__trainer *t, size_t steps)
{
    bo__train_report report;
    bo_message message;
    for (size_t i = 0; i < steps; i++) {
        if (bo__trainer_step(t, &report, &message))
            fail_msg("%s", message.text);
        assert_true(isfinite(report.loss) && report.norm > 0 && report.rate > 0);
    }
}

static void assert_same(const bo__trainer *a, const bo__trainer *b)
{
    size_t bytes = bo__trainer_model(a)->set.size * sizeof(float);
    assert_int_equal(bo__trainer_steps(a), bo__trainer_steps(b));
    assert_true(a->smooth == b->smooth);
    assert_memory_equal(bo__trainer_weights(a), bo__trainer_weights(b), bytes);
}

/* The same with simulated series of two outputs. */
static bo__train_options small_series(const bo__nptype *type)
{
    bo__train_options o = small(type);
    o.prior.kinds[0] = BO_PRIOR_PREDATOR;
    o.model.dim_y = 2;
    return o;
}

static void test_threads_change_nothing(void **state)
{
    for (size_t i = 0; bo__nptype_at(i / 2); i++) {
        const bo__nptype *type = bo__nptype_at(i / 2);
        bo__train_options o = i % 2 ? small(type) : small_series(type);
        o.group_sizes = i % 4 < 2;
        o.lanes = 3;
        o.optimizer = i % 3 == 2 ? BO__OPTIMIZER_MUON : BO__OPTIMIZER_ADAM;
        bo__trainer *one = made(&o);
        o.threads = 3;
        bo__trainer *three = made(&o);
        run(one, 3);
        run(three, 3);
        assert_same(one, three);
        bo__trainer_free(one);
        bo__trainer_free(three);
    }
}

/* A team of threads: each leaves its numbers on a table, and all add them up in the same order. */
enum { MOST = 4 };

typedef struct table {
    size_t ranks;
    pthread_barrier_t barrier;
    float *gradients[MOST];
    double totals[MOST][2];
    void *shared;
} table;

typedef struct member {
    table *table;
    size_t rank;
    bo__train_options options;
    bo__trainer *trainer;
} member;

/* The sums of element i over ranks begin … begin + count - 1, by halves. */
static float gradients(const table *t, size_t i, size_t begin, size_t count)
{
    return count == 1 ? t->gradients[begin][i]
                      : gradients(t, i, begin, count / 2) +
                            gradients(t, i, begin + count / 2, count / 2);
}

static double totals_of(const table *t, size_t i, size_t begin, size_t count)
{
    return count == 1 ? t->totals[begin][i]
                      : totals_of(t, i, begin, count / 2) +
                            totals_of(t, i, begin + count / 2, count / 2);
}

static bo_status add_up(void *context, size_t n, float *gradient, double totals[2],
                        bo_message *message)
{
    member *m = context;
    table *t = m->table;
    t->gradients[m->rank] = gradient;
    memcpy(t->totals[m->rank], totals, 2 * sizeof *totals);
    pthread_barrier_wait(&t->barrier);
    float *sum = malloc(n * sizeof *sum);
    for (size_t i = 0; i < n; i++)
        sum[i] = gradients(t, i, 0, t->ranks);
    for (size_t i = 0; i < 2; i++)
        totals[i] = totals_of(t, i, 0, t->ranks);
    pthread_barrier_wait(&t->barrier);
    memcpy(gradient, sum, n * sizeof *sum);
    free(sum);
    pthread_barrier_wait(&t->barrier);
    return BO_OK;
}

static bo_status share_out(void *context, size_t bytes, void *data, bo_message *message)
{
    member *m = context;
    if (m->rank == 0)
        m->table->shared = data;
    pthread_barrier_wait(&m->table->barrier);
    if (m->rank)
        memcpy(data, m->table->shared, bytes);
    pthread_barrier_wait(&m->table->barrier);
    return BO_OK;
}

/* Rank 0 is two steps ahead before it shares its state. */
static void *work(void *argument)
{
    member *m = argument;
    bo__train_report report;
    bo_message message;
    m->options.team = (bo__train_team){m->rank, m->table->ranks, m, add_up, share_out};
    if (bo__trainer_new(&m->trainer, &m->options, &message))
        return "no trainer";
    for (size_t i = 0; i < 2; i++)
        if (bo__trainer_step(m->trainer, &report, &message))
            return "no step";
    return bo__trainer_share(m->trainer, &message) ||
                   bo__trainer_step(m->trainer, &report, &message)
               ? "not shared"
               : NULL;
}

static void run_team(size_t ranks, const bo__train_options *o, const bo__trainer *alone)
{
    table t = {.ranks = ranks};
    member members[MOST];
    pthread_t ids[MOST];
    pthread_barrier_init(&t.barrier, NULL, (unsigned)ranks);
    for (size_t i = 0; i < ranks; i++) {
        members[i] = (member){.table = &t, .rank = i, .options = *o};
        assert_int_equal(pthread_create(&ids[i], NULL, work, &members[i]), 0);
    }
    for (size_t i = 0; i < ranks; i++) {
        void *wrong;
        pthread_join(ids[i], &wrong);
        if (wrong)
            fail_msg("rank %zu of %zu: %s", i, ranks, (char *)wrong);
        assert_same(alone, members[i].trainer);
        bo__trainer_free(members[i].trainer);
    }
    pthread_barrier_destroy(&t.barrier);
}

static void test_team(void **state)
{
    bo__train_options o = small(&bo__nptype_bnp);
    o.lanes = 4;
    o.adam.average = 0.9;
    o.adam.clip = 0.1;
    bo__trainer *alone = made(&o);
    run(alone, 3);
    run_team(2, &o, alone);
    run_team(4, &o, alone);
    bo__trainer_free(alone);
}

static void test_lanes(void **state)
{
    bo__train_options o = small(&bo__nptype_cnp);
    const size_t batches[][2] = {{1, 1}, {9, 1}, {10, 2}, {19, 2}, {20, 4}, {1000, 4}};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        o.batch = batches[i][0];
        assert_int_equal(bo__train_lanes(&o), batches[i][1]);
    }
    o.lanes = 30;
    assert_int_equal(bo__train_lanes(&o), 30);
    o.batch = 7;
    assert_int_equal(bo__train_lanes(&o), 7);
}

/* However many are asked for: each takes memory. */
static void test_idle_threads(void **state)
{
    bo__train_options o = small(&bo__nptype_cnp);
    size_t cores = bo__parallel_cores();
    o.lanes = 3;
    o.threads = 1000;
    bo__trainer *t = made(&o);
    assert_true(t->threads <= (cores > 3 ? cores : 3));
    bo__trainer_free(t);
}

static void test_bad_options(void **state)
{
    bo__trainer *t;
    bo_message message;
    bo__train_options o = small(&bo__nptype_cnp);
    o.batch = 0;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    o = small(&bo__nptype_cnp);
    o.adam.rate = NAN;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    o = small(&bo__nptype_cnp);
    o.prior.dim = 2;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    o = small(&bo__nptype_cnp);
    o.team = (bo__train_team){.rank = 0, .ranks = 2, .add = add_up, .share = share_out};
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "lanes"));
    assert_null(t);
    o = small(&bo__nptype_cnp);
    o.model.dim_y = 2;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    o = small_series(&bo__nptype_cnp);
    o.prior.kinds[0] = BO_PRIOR_SERIES;
    assert_int_equal(bo__trainer_new(&t, &o, &message), BO_EINVAL);
    assert_non_null(strstr(message.text, "predator"));
    bo__trainer_free(NULL);
}

/* A rate that blows the weights up: the step fails and the weights stay. */
static void test_divergence(void **state)
{
    bo__train_options o = small(&bo__nptype_cnp);
    o.adam.rate = 1;
    o.adam.weight_decay = 1e30;
    bo__trainer *t = made(&o);
    size_t bytes = bo__trainer_model(t)->set.size * sizeof(float);
    float *before = malloc(bytes);
    bo__train_report report;
    bo_message message;
    bo_status status = BO_OK;
    for (size_t i = 0; i < 20 && !status; i++) {
        memcpy(before, bo__trainer_weights(t), bytes);
        status = bo__trainer_step(t, &report, &message);
    }
    assert_int_equal(status, BO_ENUMERIC);
    assert_memory_equal(before, bo__trainer_weights(t), bytes);
    free(before);
    bo__trainer_free(t);
}

static double score_of(const bo__trainer *t, const bo__prior *prior, size_t threads)
{
    bo__score score;
    bo__score_plan plan = {.prior = *prior, .seed = 5,
                           .batches = 8, .tasks = 5, .samples = 3, .threads = threads};
    bo_message message;
    if (bo__score_model(bo__trainer_model(t), bo__trainer_weights(t), &plan, &score, &message))
        fail_msg("%s", message.text);
    assert_true(score.target_error > 0 && score.context > -20);
    return score.target;
}

static void test_it_learns(void **state)
{
    const bo__nptype *type;
    for (size_t i = 0; (type = bo__nptype_at(i / 2)); i++) {
        bo__train_options o = i % 2 ? small(type) : small_series(type);
        o.batch = 16;
        o.adam.steps = 60;
        o.adam.rate = 3e-3;
        bo__trainer *t = made(&o);
        double before = score_of(t, &o.prior, 1);
        assert_true(before == score_of(t, &o.prior, 2));
        run(t, 60);
        double after = score_of(t, &o.prior, 1);
        if (!(after > before + 0.05))
            fail_msg("%s: score %g before, %g after", o.model.type->name, before, after);
        bo__trainer_free(t);
    }
}

/* Where all weights are 0, so are the gradients of matrices, and their momenta only decay: numbers
 * that the CPU is slow with become 0. */
static void test_tiny_momenta_end(void **state)
{
    for (int muon = 0; muon < 2; muon++) {
        bo__train_options o = small(&bo__nptype_cnp);
        o.optimizer = muon ? BO__OPTIMIZER_MUON : BO__OPTIMIZER_ADAM;
        o.threads = 2;
        bo__trainer *t = made(&o);
        for (size_t i = 0; i < t->state.size; i++) {
            t->state.theta[i] = 0;
            t->state.first[i] = 1e-40F;
        }
        run(t, 1);
        for (size_t i = 0; i < t->state.size; i++)
            if (t->state.first[i] != 0 && !isnormal(t->state.first[i]))
                fail_msg("momentum %zu is %g", i, (double)t->state.first[i]);
        volatile float tiny = 1e-40F;
        assert_true(tiny * 0.5F > 0); /* the caller's arithmetic is as before */
        bo__trainer_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_change_nothing), cmocka_unit_test(test_team),
        cmocka_unit_test(test_lanes),                  cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_divergence),             cmocka_unit_test(test_it_learns),
        cmocka_unit_test(test_tiny_momenta_end),
        cmocka_unit_test(test_idle_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
