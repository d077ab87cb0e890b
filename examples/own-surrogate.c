/* own-surrogate.c - a surrogate of one's own: a kernel smoother.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each observed point votes with a weight that falls with the distance; a vote for zero with
 * weight one stands for the prior (z is standardised):
 *
 *     w_i  = C exp(-|u - u_i|² / 2L²)      W = 1 + Σ w_i
 *     mean = Σ w_i z_i / W                 sd = 1/√W
 *
 * and, since dw_i/du = -w_i (u - u_i)/L²,
 *
 *     dmean/dw_i = (z_i - mean)/W          dsd/dw_i = -sd/(2W)
 */
#include <bo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double L = 0.04, C = 100;

typedef struct smoother {
    size_t n, width;
    double *u, *z;
} smoother;

static void smoother_free(void *self)
{
    smoother *s = self;
    if (!s)
        return;
    free(s->u);
    free(s->z);
    free(s);
}

static bo_status create(void **self, const bo_setup *setup, bo_message *message)
{
    (void)message;
    smoother *s = calloc(1, sizeof *s);
    *self = s;
    if (!s)
        return BO_ENOMEM;
    s->width = setup->width;
    return BO_OK;
}

/* Copies the data: they are the caller's. */
static bo_status fit(void *self, const bo_data *data, bo_message *message)
{
    smoother *s = self;
    (void)message;
    free(s->u);
    free(s->z);
    s->n = data->n;
    s->u = malloc((data->n * s->width + 1) * sizeof *s->u);
    s->z = malloc((data->n + 1) * sizeof *s->z);
    if (!s->u || !s->z)
        return BO_ENOMEM;
    if (data->n) {
        memcpy(s->u, data->u, data->n * s->width * sizeof *s->u);
        memcpy(s->z, data->z, data->n * sizeof *s->z);
    }
    return BO_OK;
}

static size_t components(const void *self)
{
    (void)self;
    return 1;
}

static size_t workspace(const void *self, size_t m)
{
    (void)self, (void)m;
    return 0;
}

static double weight(const smoother *s, size_t i, const double *u)
{
    double t = 0;
    for (size_t j = 0; j < s->width; j++)
        t += pow(u[j] - s->u[i * s->width + j], 2);
    return C * exp(-t / (2 * L * L));
}

static double belief(const smoother *s, const double *u, double *mean)
{
    double total = 1, sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        double w = weight(s, i, u);
        total += w;
        sum += w * s->z[i];
    }
    *mean = sum / total;
    return total;
}

static bo_status predict(const void *self, size_t m, const double *u, double *mean, double *sd,
                         void *work)
{
    const smoother *s = self;
    (void)work;
    for (size_t k = 0; k < m; k++)
        sd[k] = 1 / sqrt(belief(s, u + k * s->width, &mean[k]));
    return BO_OK;
}

/* From derivatives by mean and sd to derivatives by u. */
static bo_status pullback(const void *self, size_t m, const double *u, const double *dmean,
                          const double *dsd, double *du, void *work)
{
    const smoother *s = self;
    (void)work;
    memset(du, 0, m * s->width * sizeof *du);
    for (size_t k = 0; k < m; k++) {
        const double *at = u + k * s->width;
        double mean, total = belief(s, at, &mean), sd = 1 / sqrt(total);
        for (size_t i = 0; i < s->n; i++) {
            double w = weight(s, i, at);
            double dw = dmean[k] * (s->z[i] - mean) / total - dsd[k] * sd / (2 * total);
            for (size_t j = 0; j < s->width; j++)
                du[k * s->width + j] -= dw * w * (at[j] - s->u[i * s->width + j]) / (L * L);
        }
    }
    return BO_OK;
}

static const bo_surrogate_type type = {
    .name = "smoother",
    .summary = "kernel smoother",
    .create = create,
    .free = smoother_free,
    .fit = fit,
    .components = components,
    .workspace = workspace,
    .predict = predict,
    .pullback = pullback,
};

static double wave(size_t dim, const double *x, void *data)
{
    (void)dim, (void)data;
    return sin(3 * x[0]) + 0.1 * pow(x[0] - 2, 2);
}

int main(void)
{
    bo_space *space = bo_space_new();
    bo_options options;
    bo_stop stop;
    bo_message message = {""};
    double x, y;
    bo_options_init(&options);
    bo_stop_init(&stop);
    options.surrogate = &type;
    stop.evaluations = 30;
    bo_status status = space ? bo_space_add_real(space, "x", -3, 7) : BO_ENOMEM;
    if (!status)
        status = bo_minimize(wave, NULL, space, &stop, &options, &x, &y, &message);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", bo_status_text(status), message.text);
    else
        printf("%.4f at %.4f\n", y, x);
    bo_space_free(space);
    return status < 0;
}
