/* ensemble.c - deep ensembles (Lakshminarayanan et al., 2017) of conditional neural processes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same model trained from five seeds; the prediction is the equal mixture of the five.
 */
#include "builtin.h"
#include "npsurrogate.h"

#define MEMBERS 5

static bo_status create_cnp(void **self, const bo_setup *setup, bo_message *message)
{
    return bo__npsurrogate_create(self, setup, "cnp", MEMBERS, message);
}

static bo_status create_canp(void **self, const bo_setup *setup, bo_message *message)
{
    return bo__npsurrogate_create(self, setup, "canp", MEMBERS, message);
}

const bo_surrogate_type bo__surrogate_cnp_de =
    BO__NPSURROGATE("cnp+de", "deep ensemble of five cnp", create_cnp);
const bo_surrogate_type bo__surrogate_canp_de =
    BO__NPSURROGATE("canp+de", "deep ensemble of five canp", create_canp);
