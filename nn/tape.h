/* tape.h - tensors, and the tape that remembers how they were made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tensor holds rows of `cols` float32 numbers for samples × tasks × points, samples outermost:
 * row ((s · tasks + t) · points + p).  Where an operator takes several tensors, one that has a
 * single sample, task or point stands for all of them (it is broadcast); nothing is copied.
 *
 * An operator computes its output at once and, when the tape records and one of its inputs wants
 * a derivative, leaves a node on the tape.  bo__tape_backward goes through the nodes from the
 * last to the first; each adds to the derivatives of its inputs.
 *
 * Weights live outside: one flat array `theta`, and a flat array `dtheta` of the same layout to
 * which backward adds (NULL: no derivatives by weights).
 *
 * When memory runs out, tape->failed is set and stays set, operators return NULL and take NULL
 * for an input as well, and the caller checks once, at the end.  Wrong shapes are programming
 * errors and stop at an assert.
 */
#ifndef BO_TAPE_H
#define BO_TAPE_H

#include "arena.h"
#include "matmul.h"
#include "profile.h"

typedef struct bo__tensor {
    size_t samples, tasks, points, cols;
    float *data;
    float *grad;   /* NULL: no derivative wanted */
    bool touched;  /* grad holds something; else it is not even cleared */
} bo__tensor;

typedef struct bo__tape bo__tape;
typedef struct bo__node bo__node;

struct bo__node {
    bo__node *previous;
    bo__op op;
    void (*backward)(bo__tape *tape, bo__node *node);
};

struct bo__tape {
    bo__arena *arena;
    const float *theta;
    const float *turned; /* NULL, or copies of the matrices of theta, each transposed in its place */
    const float *pairs, *turned_pairs; /* NULL, or theta and turned as bo__matmul_pair packs them */
    float *dtheta;
    bo__node *last;
    bool recording; /* false: operators leave no nodes and their outputs have no grad */
    bool failed;    /* memory ran out; every result is void */
    double flops;   /* of matrix products so far */
    bo__op op;      /* that began last */
    bo__profile *profile; /* NULL: none is made */
    bo__precision precision; /* of matrix products; auto when the tape is new */
};

/* A matrix (or, with cols 1, a vector) of weights: rows × cols at theta + offset, whose rows are
 * `stride` apart, so that a block of columns of a matrix is a matrix too. */
typedef struct bo__weight {
    size_t offset, rows, cols, stride;
    size_t turned; /* its first row in the transposed copies, whose rows are `rows` apart */
    size_t turned_pairs; /* and in those copies' pairs */
} bo__weight;

/* A new, empty tape.  The arena is the caller's, and is reset by the caller. */
void bo__tape_init(bo__tape *tape, bo__arena *arena, const float *theta, float *dtheta);

/* Operators call it first. */
void bo__tape_begin(bo__tape *tape, bo__op op);

/* A product of the tape's: bo__matmul, counted. */
void bo__tape_multiply(bo__tape *tape, const bo__product *p);

/* Runs all nodes backwards, from what seeds are in the grads, and empties the tape. */
void bo__tape_backward(bo__tape *tape);

size_t bo__tensor_rows(const bo__tensor *t);
size_t bo__tensor_size(const bo__tensor *t); /* rows × cols */
bool bo__tensor_finite(const bo__tensor *t); /* whether all its numbers are */

/* An uninitialised tensor, for data or an operator's output; with_grad: derivatives wanted.
 * NULL when memory ran out (and then tape->failed is set). */
bo__tensor *bo__tensor_new(bo__tape *tape, size_t samples, size_t tasks, size_t points,
                           size_t cols, bool with_grad);

/* Memory from the tape's arena, and a node of `size` bytes; NULL when memory ran out. */
void *bo__tape_take(bo__tape *tape, size_t size);
void *bo__tape_node(bo__tape *tape, size_t size, void (*backward)(bo__tape *, bo__node *));

/* Whether an operator with these inputs must leave a node. */
bool bo__tape_wants(const bo__tape *tape, const bo__tensor *a, const bo__tensor *b);

/* For backward: false when the caller must store to t->grad, true when it must add to it.
 * Marks it as filled. */
bool bo__tensor_add(bo__tensor *t);

/* The same for operators that scatter: clears grad if nothing is in it yet. */
void bo__tensor_open(bo__tensor *t);

#endif
