/* weights.h - where trained weights are found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file is called <kind>-<variant>[-<dim>d][-s<seed>].safetensors: no dimension for one, no seed
 * for the first: banp-sharp.safetensors, canp-paper-s3.safetensors, cnp-sharp-2d.safetensors.
 * Looked at, in this order, are
 *   1. the folders in $BO_MODELS, with colons between them;
 *   2. models/ of the build tree the program runs in, if it runs in one;
 *   3. ../share/bo/models, seen from the folder of the program;
 *   4. the folder that was given to configure.
 */
#ifndef BO_WEIGHTS_H
#define BO_WEIGHTS_H

#include "bo.h"

#define BO__WEIGHTS_PATH 4096

typedef struct bo__weights_key {
    const char *kind, *variant; /* "banp", "sharp" */
    size_t dim;
    size_t seed; /* 1 is the one without a number */
} bo__weights_key;

/* The path of the file; BO_ENOMODEL says where it was sought and how to make one. */
bo_status bo__weights_find(const bo__weights_key *key, char path[BO__WEIGHTS_PATH],
                           bo_message *message);

/* The same for a file of data that lies with them. */
bo_status bo__weights_data(const char *name, char path[BO__WEIGHTS_PATH], bo_message *message);

/* Folder i of the list above that there is; false past the end. */
bool bo__weights_folder(size_t i, char folder[BO__WEIGHTS_PATH]);

#endif
