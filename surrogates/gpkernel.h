/* gpkernel.h - stationary kernels with one length-scale per parameter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A kernel is a function k(t) of t = Σ_f (s_f - s'_f)², the squared distance of scaled features:
 *
 *   RBF         k = exp(-t/2)
 *   Matérn 5/2  k = (1 + r + r²/3) exp(-r),  r = √(5t)
 *   Matérn 3/2  k = (1 + r) exp(-r),         r = √(3t)
 *
 * Features are the columns of u, s_f = u_f / l.  The periodic kernel
 * exp(-2 Σ sin²(π (u-u')/p) / l²) is the RBF of the features cos(2πu/p), sin(2πu/p), because
 * 4 sin²(π(a-b)/p) is the squared distance of the two points on the circle (MacKay, 1998).
 *
 * Feature matrices are held transposed, one row per feature, so that loops over points vectorise.
 */
#ifndef BO_GPKERNEL_H
#define BO_GPKERNEL_H

#include "bo.h"

/* k(t) for n values of t; and dk/dt unless NULL.  t and k may be the same array. */
void bo__kernel_apply(bo_kernel kernel, size_t n, const double *t, double *k, double *dk);

/* t[i] = Σ_f (st[f·ld + i] - s[f·step])² for i < n: one point against the first n of a set. */
void bo__kernel_distances(size_t n, size_t features, const double *st, size_t ld, const double *s,
                          size_t step, double *t);

/* out[f] += Σ_i weight[i]·(st[f·ld + i] - s[f·step])². */
void bo__kernel_moments(size_t n, size_t features, const double *st, size_t ld, const double *s,
                        size_t step, const double *weight, double *out);

/* out[f] += Σ_i weight[i]·(s[f·step] - st[f·ld + i]). */
void bo__kernel_differences(size_t n, size_t features, const double *st, size_t ld,
                            const double *s, size_t step, const double *weight, double *out);

#endif
