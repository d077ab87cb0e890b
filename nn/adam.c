/* adam.c - the optimiser of weights: Adam with its schedule, clipping and averaging.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   m = β1 m + (1 - β1) g      v = β2 v + (1 - β2) g²
 *   θ = θ (1 - rate·decay) - rate · m/(1 - β1ᵗ) / (√(v/(1 - β2ᵗ)) + ε)
 * (Kingma and Ba, 2015; decay after Loshchilov and Hutter, 2019), β1 = 0.9, β2 = 0.999, ε = 1e-8.
 * The average of the weights, a = d a + (1 - d) θ, begins with a smaller d, (1 + t)/(10 + t), so
 * that the first weights are soon forgotten.
 */
#include "adam.h"

#include <math.h>

#include "lanes.h"

#define BETA1 0.9
#define BETA2 0.999
#define EPSILON 1e-8f

double bo__adam_rate(const bo__adam_options *options, size_t step)
{
    double rise = options->warmup ? (double)(step + 1) / (double)options->warmup : 1;
    double part = options->steps ? (double)step / (double)options->steps : 0;
    const double pi = 3.14159265358979323846;
    return options->rate * fmin(1, rise) * (1 + cos(pi * fmin(1, part))) / 2;
}

/* Sixteen sums side by side, so that an addition need not wait for the one before. */
BO__FAST static double squares(const float *gradient, size_t begin, size_t end)
{
    double sums[BO__LANES] = {0}, sum = 0;
    size_t i = begin;
    for (; i + BO__LANES <= end; i += BO__LANES)
        for (size_t l = 0; l < BO__LANES; l++)
            sums[l] += (double)gradient[i + l] * gradient[i + l];
    for (size_t l = 0; l < BO__LANES; l++)
        sum += sums[l];
    for (; i < end; i++)
        sum += (double)gradient[i] * gradient[i];
    return sum;
}

double bo__adam_squares(const float *gradient, size_t begin, size_t end)
{
    return squares(gradient, begin, end);
}

double bo__adam_clip(const bo__adam_options *options, double norm)
{
    return options->clip > 0 && norm > options->clip ? options->clip / norm : 1;
}

float bo__adam_decay(const bo__adam_options *options, size_t step)
{
    double t = (double)step + 1;
    return (float)fmin(options->average, (1 + t) / (10 + t));
}

typedef struct factors {
    float scale, rate, keep, unbias, average;
} factors;

BO__FAST static void update(factors f, const float *g, float *theta, float *m, float *v, float *a,
                            size_t n)
{
    const float b1 = BETA1, b2 = BETA2;
    for (size_t i = 0; i < n; i += BO__LANES) {
        bo__v16 d = f.scale * bo__load(g + i);
        bo__v16 first = b1 * bo__load(m + i) + (1 - b1) * d;
        bo__v16 second = b2 * bo__load(v + i) + (1 - b2) * d * d;
        bo__store(m + i, first);
        bo__store(v + i, second);
        float root[BO__LANES];
        bo__store(root, second * f.unbias);
        for (int l = 0; l < BO__LANES; l++)
            root[l] = sqrtf(root[l]);
        bo__v16 t = f.keep * bo__load(theta + i) - f.rate * first / (bo__load(root) + EPSILON);
        bo__store(theta + i, t);
        if (a)
            bo__store(a + i, t + f.average * (bo__load(a + i) - t));
    }
}

void bo__adam_step(const bo__adam_options *options, bo__adam_state *state, size_t step,
                   const float *gradient, double scale, size_t begin, size_t end)
{
    double t = (double)step + 1, rate = bo__adam_rate(options, step);
    factors f = {.scale = (float)scale,
                 .rate = (float)(rate / (1 - pow(BETA1, t))),
                 .keep = (float)(1 - rate * options->weight_decay),
                 .unbias = (float)(1 / (1 - pow(BETA2, t))),
                 .average = bo__adam_decay(options, step)};
    update(f, gradient + begin, state->theta + begin, state->first + begin,
           state->second + begin, state->average ? state->average + begin : NULL, end - begin);
}
