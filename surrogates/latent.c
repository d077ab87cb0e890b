/* latent.c - what the two latent-variable models share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "latent.h"

static const bo__deviation rho = {.sigmoid = true, .floor = 0.1f};

/* The first half of the columns; no derivative, it serves prediction. */
static bo__tensor *means_of(bo__tape *tape, const bo__tensor *raw)
{
    size_t d = raw->cols / 2, rows = bo__tensor_rows(raw);
    bo__tensor *z = bo__tensor_new(tape, raw->samples, raw->tasks, raw->points, d, false);
    for (size_t i = 0; z && i < rows; i++)
        for (size_t j = 0; j < d; j++)
            z->data[i * d + j] = raw->data[i * 2 * d + j];
    return z;
}

bo__tensor *bo__latent_draw(bo__tape *tape, bo__tensor *raw, const bo__tensor *noise)
{
    if (!raw || noise)
        return bo__reparameterise(tape, raw, noise, rho);
    return means_of(tape, raw);
}

double bo__latent_loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b,
                       bo__tensor *answer, bo__tensor *z, bo__tensor *prior,
                       bo__tensor *posterior)
{
    bo__tensor *log_p = bo__log_normal(tape, answer, b->y, bo__npmodel_sigma(m));
    float scale = -b->weight / (float)b->x->points;
    if (b->samples == 1) {
        double divergence = bo__total(tape, bo__divergence(tape, posterior, prior, rho), -scale);
        return divergence + bo__total(tape, log_p, scale);
    }
    bo__tensor *terms[] = {bo__pool(tape, log_p, NULL, 1),
                           bo__log_normal(tape, prior, z, rho),
                           bo__log_normal(tape, posterior, z, rho)};
    bo__tensor *log_w = bo__combine(tape, 3, terms, (const float[]){1, 1, -1});
    return bo__total(tape, bo__log_mean_exp(tape, log_w), scale);
}
