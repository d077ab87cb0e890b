/* npline.c - neural processes without attention on a line: their answers as pieces.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With w the weights by x and b the rest of the decoder's first layer, and W, c and V, e its other
 * two, a sample's raw outputs are
 *
 *   out(x) = e + V max(0, c + W max(0, w x + b)).
 *
 * Unit j of the first layer turns on or off at -b_j/w_j.  Between two such x the input of the
 * second layer is A x + B, where A = Σ W_j w_j and B = c + Σ W_j b_j over the units that are on,
 * so that passing one of them costs two columns; there, unit i of the second layer turns where
 * A_i x + B_i = 0, and between all these out is linear.  Sums are in double precision: they are
 * carried from one end of the line to the other.
 */
#include "npline.h"

#include <math.h>
#include <stdlib.h>

#include "vecmath.h"

/* Bins of equal width that find a piece without a search: about one kink falls into each. */
#define BINS 256

/* Where a unit turns. */
typedef struct kink {
    double x;
    size_t unit;
} kink;

/* One sample at work. */
typedef struct walk {
    bo__npline *line;
    size_t width;
    const float *turned;           /* W by columns */
    double *w, *b, *c;             /* first layer; second layer's bias */
    double *v;                     /* 2 × width: V */
    double e[2];
    double *A, *B;
    double *left, *right;          /* A x + B at both ends of an interval */
    kink *first, *second;          /* of the layers; of the second in one interval */
    double slope[2], intercept[2]; /* of the outputs */
} walk;

void bo__npline_free(bo__npline *line)
{
    free(line->piece);
    free(line->bin);
    free(line->scratch);
    free(line->turned);
    *line = (bo__npline){0};
}

bool bo__npline_serves(const bo__npmodel *model)
{
    const bo__npspec *spec = &model->spec;
    return !spec->type->attention && spec->dim_x == 1 && spec->dim_y == 1;
}

/* ---- the walk along the line ----------------------------------------------------------- */

static bool add_piece(walk *k, double x)
{
    bo__npline *line = k->line;
    if (line->pieces == line->room) {
        size_t room = line->room ? 2 * line->room : 4096;
        bo__npline_piece *more = realloc(line->piece, room * sizeof *more);
        if (!more)
            return false;
        line->piece = more;
        line->room = room;
    }
    float at = (float)x;
    line->piece[line->pieces++] = (bo__npline_piece){
        .x = at, .mean = (float)(k->e[0] + k->intercept[0] + k->slope[0] * at),
        .r = (float)(k->e[1] + k->intercept[1] + k->slope[1] * at),
        .dmean = (float)k->slope[0], .dr = (float)k->slope[1]};
    return true;
}

/* A, B += (a, b) · a column of W. */
BO_CLONES static void add_column(size_t width, const float *restrict column, double a, double b,
                                 double *restrict A, double *restrict B)
{
    for (size_t i = 0; i < width; i++) {
        A[i] += a * (double)column[i];
        B[i] += b * (double)column[i];
    }
}

/* The second layer at both ends, the outputs' line at the left one; returns how many units are
 * on at one end only. */
BO_CLONES static size_t look(walk *k, double from, double to)
{
    const double *restrict A = k->A, *restrict B = k->B, *restrict v = k->v;
    const double *restrict u = v + k->width;
    double *restrict left = k->left, *restrict right = k->right;
    double s0 = 0, s1 = 0, i0 = 0, i1 = 0, turning = 0;
#pragma omp simd reduction(+ : s0, s1, i0, i1, turning)
    for (size_t i = 0; i < k->width; i++) {
        double l = A[i] * from + B[i], r = A[i] * to + B[i];
        double on = l > 0 ? 1.0 : 0.0, then = r > 0 ? 1.0 : 0.0;
        left[i] = l;
        right[i] = r;
        turning += (on - then) * (on - then);
        s0 += on * v[i] * A[i];
        s1 += on * u[i] * A[i];
        i0 += on * v[i] * B[i];
        i1 += on * u[i] * B[i];
    }
    k->slope[0] = s0, k->slope[1] = s1;
    k->intercept[0] = i0, k->intercept[1] = i1;
    return (size_t)turning;
}

/* Puts a kink in its place among the count that are there, by x. */
static void insert(kink *list, size_t count, kink new)
{
    for (; count > 0 && list[count - 1].x > new.x; count--)
        list[count] = list[count - 1];
    list[count] = new;
}

/* The pieces between two kinks of the first layer. */
static bool add_interval(walk *k, double from, double to)
{
    size_t turning = look(k, from, to), found = 0;
    for (size_t i = 0; found < turning && i < k->width; i++) {
        double l = k->left[i], r = k->right[i];
        if ((l > 0) != (r > 0))
            insert(k->second, found++, (kink){from + (to - from) * (l / (l - r)), i});
    }
    bool good = add_piece(k, from);
    for (size_t i = 0; good && i < found; i++) {
        size_t unit = k->second[i].unit;
        double sign = k->right[unit] > 0 ? 1 : -1;
        for (size_t o = 0; o < 2; o++) {
            k->slope[o] += sign * k->v[o * k->width + unit] * k->A[unit];
            k->intercept[o] += sign * k->v[o * k->width + unit] * k->B[unit];
        }
        good = add_piece(k, k->second[i].x);
    }
    return good;
}

/* A and B at the left end; returns how many kinks of the first layer lie inside. */
static size_t start(walk *k, const float *share)
{
    size_t inside = 0;
    double low = k->line->low, high = k->line->high;
    for (size_t i = 0; i < k->width; i++) {
        k->A[i] = 0;
        k->B[i] = k->c[i];
    }
    for (size_t j = 0; j < k->width; j++) {
        double w = k->w[j], b = k->b[j] = share[j], at = w * low + b, turn = -b / w;
        if (at > 0 || (at == 0 && w > 0))
            add_column(k->width, k->turned + j * k->width, w, b, k->A, k->B);
        if (turn > low && turn < high)
            insert(k->first, inside++, (kink){turn, j});
    }
    return inside;
}

static bool add_sample(walk *k, const float *share)
{
    size_t inside = start(k, share);
    double from = k->line->low;
    bool good = true;
    for (size_t i = 0; good && i < inside; i++) {
        size_t j = k->first[i].unit;
        good = add_interval(k, from, k->first[i].x);
        double sign = k->w[j] > 0 ? 1 : -1;
        add_column(k->width, k->turned + j * k->width, sign * k->w[j], sign * k->b[j], k->A, k->B);
        from = k->first[i].x;
    }
    good = good && add_interval(k, from, k->line->high) && add_piece(k, from);
    if (good) /* a look for the next piece ends here */
        k->line->piece[k->line->pieces - 1].x = INFINITY;
    return good;
}

/* ---- the table ------------------------------------------------------------------------- */

static void fill_bins(const bo__npline *line, size_t first, uint32_t *bin)
{
    double step = (line->high - line->low) / BINS;
    size_t i = first;
    for (size_t t = 0; t < BINS; t++) {
        while (line->piece[i + 1].x <= line->low + (double)t * step)
            i++;
        bin[t] = (uint32_t)i;
    }
}

/* Memory, and the second layer's weights by columns, which stay from one build to the next. */
static bool prepare(bo__npline *line, const bo__npmodel *model, const float *theta, size_t samples)
{
    size_t h = model->spec.width;
    bo__weight W = model->dec.mlp[0].w;
    if (samples * BINS > line->bins_room) {
        free(line->bin);
        line->bin = malloc(samples * BINS * sizeof *line->bin);
        line->bins_room = line->bin ? samples * BINS : 0;
    }
    if (!line->scratch)
        line->scratch = malloc(9 * h * sizeof(double) + 2 * h * sizeof(kink));
    if (!line->turned && (line->turned = malloc(h * h * sizeof *line->turned)))
        for (size_t i = 0; i < h; i++)
            for (size_t j = 0; j < h; j++)
                line->turned[j * h + i] = theta[W.offset + i * W.stride + j];
    return line->bin && line->scratch && line->turned;
}

static walk walk_of(bo__npline *line, const bo__npmodel *model, const float *theta)
{
    const bo__decoder *d = &model->dec;
    size_t h = model->spec.width;
    double *s = line->scratch;
    walk k = {.line = line, .width = h, .turned = line->turned, .w = s, .b = s + h, .c = s + 2 * h,
              .v = s + 3 * h, .A = s + 5 * h, .B = s + 6 * h, .left = s + 7 * h,
              .right = s + 8 * h, .first = (kink *)(s + 9 * h)};
    k.second = k.first + h;
    for (size_t i = 0; i < h; i++) {
        k.w[i] = theta[d->fcx.offset + i * d->fcx.stride];
        k.c[i] = theta[d->mlp[0].b.offset + i];
        for (size_t o = 0; o < 2; o++)
            k.v[o * h + i] = theta[d->mlp[1].w.offset + o * d->mlp[1].w.stride + i];
    }
    for (size_t o = 0; o < 2; o++)
        k.e[o] = theta[d->mlp[1].b.offset + o];
    return k;
}

bo_status bo__npline_build(bo__npline *line, const bo__npmodel *model, const float *theta,
                           const bo__npcode *code, double low, double high)
{
    const bo__tensor *share = code->boot_share ? code->boot_share : code->share;
    line->samples = line->pieces = 0;
    line->low = low;
    line->high = high;
    if (!prepare(line, model, theta, share->samples))
        return BO_ENOMEM;
    walk k = walk_of(line, model, theta);
    for (size_t s = 0; s < share->samples; s++) {
        size_t first = line->pieces;
        if (!add_sample(&k, share->data + s * share->cols))
            return BO_ENOMEM;
        fill_bins(line, first, line->bin + s * BINS);
    }
    line->samples = share->samples;
    return BO_OK;
}

void bo__npline_at(const bo__npline *line, double x, double *mean, double *r, double *dmean,
                   double *dr)
{
    double share = (x - line->low) / (line->high - line->low);
    size_t bin = share < 1 ? (size_t)(share * BINS) : BINS - 1;
    for (size_t s = 0; s < line->samples; s++) {
        const bo__npline_piece *p = line->piece + line->bin[s * BINS + bin];
        while (p[1].x <= x)
            p++;
        double by = x - p->x;
        mean[s] = p->mean + p->dmean * by;
        r[s] = p->r + p->dr * by;
        if (dmean) {
            dmean[s] = p->dmean;
            dr[s] = p->dr;
        }
    }
}
