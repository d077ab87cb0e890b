/* blas.h - what OpenBLAS made of this CPU, and how many threads it may use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BO_BLAS_H
#define BO_BLAS_H

#include <stddef.h>

/* Classes of x86-64 by what matters to matrix products, lowest first. */
typedef enum bo__blas_level { BO__BLAS_OLD, BO__BLAS_AVX2, BO__BLAS_AVX512 } bo__blas_level;

/* The class of the CPU that runs this; BO__BLAS_OLD when it is no x86-64. */
bo__blas_level bo__blas_cpu(void);

/* The core type a CPU of this class should be given when OpenBLAS chose `corename`, or NULL when
 * the choice is as good as the CPU, or is not known here. */
const char *bo__blas_judge(const char *corename, bo__blas_level cpu);

/* What numbers are computed with, such as "SkylakeX, AVX-512": the kernels of OpenBLAS and our own.
 * With others the last digits differ.  Cut to room bytes. */
void bo__blas_name(char *name, size_t room);

/* From now on OpenBLAS uses the calling thread alone.  Our loops share work out themselves, and
 * BLAS threads inside them would fight for the cores and make sums depend on their number.
 * Cheap to call again. */
void bo__blas_single(void);

#endif
