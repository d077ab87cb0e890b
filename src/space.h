/* space.h - the one home of the conversion between a user's point x and the unit cube's u.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_SPACE_H
#define BO_SPACE_H

#include "bo.h"
#include "maximize.h"

bo_space *bo__space_copy(const bo_space *space); /* NULL when out of memory */

size_t bo__space_width(const bo_space *space);
void bo__space_groups(const bo_space *space, size_t *group); /* width: parameter of each column */

/* Blocks of columns for the maximiser, dim of them; they live as long as the space.
 * BO_ENOMEM, or BO_OK. */
bo_status bo__space_columns(bo_space *space, const bo__column **columns);

/* Number of different points; INFINITY when a parameter is real. */
double bo__space_size(const bo_space *space);

/* BO_EINVAL with a message that names the parameter when x is not a point of the space. */
bo_status bo__space_check(const bo_space *space, const double *x, bo_message *message);

void bo__space_encode(const bo_space *space, const double *x, double *u);
void bo__space_decode(const bo_space *space, const double *u, double *x);

/* Whether u decodes to exactly x. */
bool bo__space_decodes_to(const bo_space *space, const double *u, const double *x);

/* A point from one number in [0, 1) per parameter: every value of a discrete one equally often. */
void bo__space_spread(const bo_space *space, const double *fraction, double *x);

/* Derivatives by u (width) to derivatives by x (dim); 0 where the parameter is not real. */
void bo__space_slopes(const bo_space *space, const double *x, const double *du, double *dx);

#endif
