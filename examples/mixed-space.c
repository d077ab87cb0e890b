/* mixed-space.c - parameters of all kinds, a stopping rule and a callback.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands for the tuning of a network: a learning rate on a logarithmic scale, a whole number of
 * layers, a choice of three activations, and a switch.
 */
#include <bo.h>
#include <math.h>
#include <stdio.h>

enum { RATE, LAYERS, ACTIVATION, DROPOUT, DIM };
static const char *const activations[] = {"relu", "tanh", "gelu"};

/* Stands for a training that gives the error on held-out data. */
static double train(size_t dim, const double *x, void *data)
{
    static const double penalty[] = {0.02, 0.05, 0};
    int *trainings = data;
    (void)dim;
    ++*trainings;
    return 0.1 + 0.02 * pow(log10(x[RATE]) + 3, 2) + 0.01 * pow(x[LAYERS] - 5, 2) +
           penalty[(int)x[ACTIVATION]] + (x[DROPOUT] ? 0 : 0.01);
}

/* Called after each evaluation; true would stop the run. */
static bool watch(const bo_optimizer *optimizer, void *data)
{
    double x[DIM], y;
    (void)data;
    if (bo_optimizer_count(optimizer) % 10 == 0 && !bo_optimizer_best(optimizer, x, &y))
        printf("after %zu: error %.4f\n", bo_optimizer_count(optimizer), y);
    return false;
}

static bo_status fill(bo_space *space)
{
    bo_status status = bo_space_add_log_real(space, "rate", 1e-5, 1e-1);
    if (!status)
        status = bo_space_add_integer(space, "layers", 1, 12);
    if (!status)
        status = bo_space_add_categorical(space, "activation", 3, activations);
    return status ? status : bo_space_add_boolean(space, "dropout");
}

int main(void)
{
    bo_space *space = bo_space_new();
    bo_stop stop;
    bo_message message = {""};
    double x[DIM], y;
    int trainings = 0;
    bo_stop_init(&stop);
    stop.evaluations = 50;
    stop.patience = 20; /* or 20 in a row without a better one */
    stop.callback = watch;
    bo_status status = space ? fill(space) : BO_ENOMEM;
    if (!status)
        status = bo_minimize(train, &trainings, space, &stop, NULL, x, &y, &message);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", bo_status_text(status), message.text);
    else
        printf("error %.4f after %d trainings (%s): rate %.2g, %g layers, %s, %s dropout\n", y,
               trainings, bo_status_text(status), x[RATE], x[LAYERS],
               activations[(int)x[ACTIVATION]], x[DROPOUT] ? "with" : "without");
    bo_space_free(space);
    return status < 0;
}
