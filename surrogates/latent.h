/* latent.h - what the two latent-variable models share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   q(z | D) = N(μ_z, ρ²) with (μ_z, ρ') = latent encoder(D), ρ = 0.1 + 0.9·sigmoid(ρ')
 */
#ifndef BO_LATENT_H
#define BO_LATENT_H

#include "npmodel.h"

/* z for a raw [1, B, 1, 2·width]: drawn with the given noise, or without it the mean. */
bo__tensor *bo__latent_draw(bo__tape *tape, bo__tensor *raw, const bo__tensor *noise);

/* The loss, given what the decoder says, z, and the two raws: with S > 1 samples
 *   log w_s = Σ_i log p(y_i | z_s) + log q(z_s | context) - log q(z_s | all),
 *   loss = -log (1/S Σ_s w_s) / n
 * (Burda et al., 2016), with one the evidence bound with its analytic divergence. */
double bo__latent_loss(bo__tape *tape, const bo__npmodel *m, const bo__npbatch *b,
                       bo__tensor *answer, bo__tensor *z, bo__tensor *prior,
                       bo__tensor *posterior);

#endif
