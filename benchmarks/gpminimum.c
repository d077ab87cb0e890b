/* gpminimum.c - the global minimum of a function drawn from a Gaussian-process prior.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The box is screened with a set of points so dense, where that can be paid for, that every
 * minimum has several of them in its basin; L-BFGS descends from the best that lie apart.
 *
 * The screen is the product of a set in the first half of the coordinates and a set in the
 * second.  A wave at a point (a, b) of the product is the real part of a product,
 *
 *   w·cos(ω·(a, b) + φ) = Re( w·e^{i(ω_a·a + φ)} · e^{iω_b·b} ),
 *
 * so the values at all of them are one product of two matrices of sines and cosines: a million
 * points cost what a BLAS needs for 8·10⁹ multiplications.  Single precision is enough to choose
 * where to start.
 *
 * Each set is an additive recurrence x_i = frac(½ + i·α), α_j = g^-j with g^(k+1) = g + 1
 * (Roberts' generalised golden ratio), which is even in few dimensions.
 */
#include <cblas.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "gppriortype.h"
#include "message.h"

enum {
    MOST_POINTS = 1 << 21, /* bounds the time: below a second at about 40 GFLOP/s */
    LEAST_POINTS = 1 << 12,
    CANDIDATES = 1 << 15,  /* best points of the screen that are kept */
    STARTS = 128,          /* of those, how many are started from */
    BLOCK = 128,           /* rows of the screen computed at once */
    MOST_EVALUATIONS = 300 /* of a start; some twenty to fifty are usual */
};

/* One of the two sets of points: `count` of them in coordinates first … first+dim-1. */
typedef struct part {
    size_t first, dim, count;
    double ratio; /* g */
} part;

typedef struct candidate {
    float value;
    size_t index; /* left index · right count + right index */
} candidate;

typedef struct search {
    const bo__gpprior *draw;
    size_t dim;
    double *lower, *upper; /* of one period, for periodic functions */
    double length;         /* distance over which the function changes */
    part left, right;
    candidate *heap; /* largest value first, until they are sorted */
    size_t candidates;
    float *table;   /* right: count × 2·features */
    float *block;   /* left: BLOCK × 2·features */
    float *product; /* BLOCK × right count */
    double *start;  /* STARTS × dim */
    double *x;      /* dim: best of the descent at hand */
    double value;   /* there */
} search;

/* ---- the screen -------------------------------------------------------------------------- */

/* g > 1 with g^(dim+1) = g + 1; the iteration shrinks the error at least threefold. */
static double golden_ratio(size_t dim)
{
    double g = 1.5;
    for (int i = 0; i < 60; i++)
        g = pow(1 + g, 1 / (double)(dim + 1));
    return g;
}

/* Point i of a part, to its coordinates of x. */
static void part_point(const search *s, const part *p, size_t i, double *x)
{
    double step = 1, whole;
    for (size_t j = p->first; j < p->first + p->dim; j++) {
        step /= p->ratio;
        double u = modf(0.5 + (double)i * step, &whole);
        x[j] = s->lower[j] + u * (s->upper[j] - s->lower[j]);
    }
}

/* Rows begin … end-1 of a part's matrix: w·cos, then w·sin of the waves' angles on the left
 * (with the phase); cos, then -sin on the right. */
static void fill_rows(search *s, const part *p, size_t begin, size_t end, float *rows)
{
    const bo__gpprior *draw = s->draw;
    bool left = p == &s->left;
    for (size_t i = begin; i < end; i++, rows += 2 * draw->features) {
        part_point(s, p, i, s->x);
        for (size_t f = 0; f < draw->features; f++) {
            const double *omega = draw->frequency + f * s->dim;
            double angle = left ? draw->phase[f] : 0;
            for (size_t j = p->first; j < p->first + p->dim; j++)
                angle += omega[j] * s->x[j];
            float sine, cosine;
            sincosf((float)angle, &sine, &cosine);
            rows[f] = left ? (float)draw->weight[f] * cosine : cosine;
            rows[draw->features + f] = left ? (float)draw->weight[f] * sine : -sine;
        }
    }
}

static int compare_candidates(const void *one, const void *other)
{
    const candidate *a = one, *b = other;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Puts c into the heap at `at` or below, where it belongs: the largest stands on top. */
static void sift_down(candidate *heap, size_t count, size_t at, candidate c)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && compare_candidates(&heap[child + 1], &heap[child]) > 0)
            child++;
        if (compare_candidates(&heap[child], &c) <= 0)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = c;
}

/* Keeps the CANDIDATES least values: the first are gathered, then made a heap. */
static void keep_candidate(search *s, candidate c)
{
    if (s->candidates < CANDIDATES) {
        s->heap[s->candidates++] = c;
        if (s->candidates == CANDIDATES)
            for (size_t i = CANDIDATES / 2; i-- > 0;)
                sift_down(s->heap, CANDIDATES, i, s->heap[i]);
    } else if (c.value < s->heap[0].value) {
        sift_down(s->heap, CANDIDATES, 0, c);
    }
}

/* Values at all points of the screen; the best go to heap, sorted. */
static void screen(search *s)
{
    size_t inner = 2 * s->draw->features, columns = s->right.count;
    fill_rows(s, &s->right, 0, columns, s->table);
    for (size_t begin = 0; begin < s->left.count; begin += BLOCK) {
        size_t end = begin + BLOCK < s->left.count ? begin + BLOCK : s->left.count;
        fill_rows(s, &s->left, begin, end, s->block);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - begin), (int)columns,
                    (int)inner, 1, s->block, (int)inner, s->table, (int)inner, 0, s->product,
                    (int)columns);
        for (size_t i = 0; i < (end - begin) * columns; i++)
            keep_candidate(s, (candidate){s->product[i], begin * columns + i});
    }
    qsort(s->heap, s->candidates, sizeof *s->heap, compare_candidates);
}

/* The best points of the screen of which no two are closer than half a length. */
static size_t choose_starts(search *s)
{
    size_t starts = 0;
    double apart = 0.25 * s->length * s->length;
    for (size_t c = 0; c < s->candidates && starts < STARTS; c++) {
        double *x = s->start + starts * s->dim;
        part_point(s, &s->left, s->heap[c].index / s->right.count, x);
        part_point(s, &s->right, s->heap[c].index % s->right.count, x);
        bool alone = true;
        for (size_t i = 0; alone && i < starts; i++) {
            double distance = 0;
            for (size_t j = 0; j < s->dim; j++)
                distance += (x[j] - s->start[i * s->dim + j]) * (x[j] - s->start[i * s->dim + j]);
            alone = distance >= apart;
        }
        starts += alone;
    }
    return starts;
}

/* ---- descent ----------------------------------------------------------------------------- */

static double descent_value(unsigned dim, const double *x, double *dx, void *data)
{
    search *s = data;
    double value = bo__gpprior_value(s->draw, x, dx);
    if (value < s->value) {
        s->value = value;
        memcpy(s->x, x, dim * sizeof *x);
    }
    return value;
}

/* Descends from every start; the best point seen anywhere ends up in s->x. */
static bo_status descend(search *s, size_t starts, bo_message *message)
{
    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)s->dim);
    if (!opt)
        return bo__fail(message, BO_ENOMEM, "no memory to find the minimum of a drawn function");
    nlopt_set_lower_bounds(opt, s->lower);
    nlopt_set_upper_bounds(opt, s->upper);
    nlopt_set_min_objective(opt, descent_value, s);
    nlopt_set_vector_storage(opt, 10); /* the default clears megabytes on each call */
    nlopt_set_maxeval(opt, MOST_EVALUATIONS);
    nlopt_set_ftol_rel(opt, 1e-15); /* as far as rounding allows */
    s->value = INFINITY;
    for (size_t i = 0; i < starts; i++) {
        double value;
        /* Failures such as "roundoff limited" do not matter: the best point seen is kept. */
        nlopt_optimize(opt, s->start + i * s->dim, &value);
    }
    nlopt_destroy(opt);
    return BO_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Five points per length in each coordinate would be plenty; MOST_POINTS is what there may be. */
static void plan_screen(search *s, const double *lower, const double *upper)
{
    const bo__objective_prior *prior = &s->draw->prior;
    bool periodic = prior->kernel == BO_PERIODIC;
    s->length = prior->lengthscale * (periodic ? prior->period / (2 * M_PI) : 1);
    double points = 1;
    for (size_t j = 0; j < s->dim; j++) {
        s->lower[j] = lower[j];
        s->upper[j] = periodic ? fmin(upper[j], lower[j] + prior->period) : upper[j];
        points *= 1 + 5 * (s->upper[j] - s->lower[j]) / s->length;
    }
    points = fmax(LEAST_POINTS, fmin(points, MOST_POINTS));
    s->left.dim = (s->dim + 1) / 2;
    s->right.first = s->left.dim;
    s->right.dim = s->dim - s->left.dim;
    s->left.count = (size_t)ceil(pow(points, (double)s->left.dim / (double)s->dim));
    s->right.count = (size_t)ceil(pow(points, (double)s->right.dim / (double)s->dim));
    s->left.ratio = golden_ratio(s->left.dim);
    s->right.ratio = golden_ratio(s->right.dim);
}

static void search_free(search *s)
{
    free(s->lower);
    free(s->heap);
    free(s->table);
    free(s->block);
    free(s->product);
    free(s->start);
}

bo_status bo__gpprior_minimize(const bo__gpprior *draw, const double *lower, const double *upper,
                               double *argmin, double *least, bo_message *message)
{
    size_t dim = draw->dim, inner = 2 * draw->features;
    search s = {.draw = draw, .dim = dim};
    s.lower = malloc(3 * dim * sizeof *s.lower);
    if (s.lower) {
        s.upper = s.lower + dim;
        s.x = s.lower + 2 * dim;
        plan_screen(&s, lower, upper);
        s.heap = malloc(CANDIDATES * sizeof *s.heap);
        s.table = malloc(s.right.count * inner * sizeof *s.table);
        s.block = malloc(BLOCK * inner * sizeof *s.block);
        s.product = malloc(BLOCK * s.right.count * sizeof *s.product);
        s.start = malloc(STARTS * dim * sizeof *s.start);
    }
    bo_status status;
    if (!s.lower || !s.heap || !s.table || !s.block || !s.product || !s.start) {
        status = bo__fail(message, BO_ENOMEM,
                          "no memory to find the minimum of a drawn function");
    } else {
        screen(&s);
        status = descend(&s, choose_starts(&s), message);
    }
    if (!status) {
        memcpy(argmin, s.x, dim * sizeof *argmin);
        *least = s.value;
    }
    search_free(&s);
    return status;
}
