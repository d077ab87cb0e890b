/* weights.c - where trained weights are found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* Folder i of $BO_MODELS. */
static bool from_environment(size_t i, char folder[BO__WEIGHTS_PATH])
{
    const char *list = getenv("BO_MODELS");
    if (!list)
        return false;
    for (;;) {
        size_t length = strcspn(list, ":");
        if (length && i-- == 0) {
            snprintf(folder, BO__WEIGHTS_PATH, "%.*s", (int)length, list);
            return length < BO__WEIGHTS_PATH;
        }
        if (!list[length])
            return false;
        list += length + 1;
    }
}

/* The folder of the running program. */
static bool program_folder(char folder[BO__WEIGHTS_PATH])
{
    ssize_t length = readlink("/proc/self/exe", folder, BO__WEIGHTS_PATH - 1);
    if (length <= 0)
        return false;
    folder[length] = 0;
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = 0;
    return true;
}

static bool append(char folder[BO__WEIGHTS_PATH], const char *more)
{
    if (strlen(folder) + strlen(more) + 1 > BO__WEIGHTS_PATH)
        return false;
    strcat(folder, more);
    return true;
}

/* models/ of the build tree: the program lies in it, in tests/, or in .libs of one of them. */
static bool from_build(char folder[BO__WEIGHTS_PATH])
{
    char mark[BO__WEIGHTS_PATH];
    if (!program_folder(folder))
        return false;
    for (int up = 0; up < 3; up++) {
        snprintf(mark, sizeof mark, "%s", folder);
        if (append(mark, "/config.status") && !access(mark, F_OK))
            return append(folder, "/models");
        char *slash = strrchr(folder, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return false;
}

static bool from_prefix(char folder[BO__WEIGHTS_PATH])
{
    return program_folder(folder) && append(folder, "/../share/bo/models");
}

static bool from_configure(char folder[BO__WEIGHTS_PATH])
{
    snprintf(folder, BO__WEIGHTS_PATH, "%s", BO_MODELS_DIR);
    return true;
}

bool bo__weights_folder(size_t i, char folder[BO__WEIGHTS_PATH])
{
    static bool (*const places[])(char *) = {from_build, from_prefix, from_configure};
    for (size_t j = 0; from_environment(j, folder); j++)
        if (i-- == 0)
            return true;
    for (size_t j = 0; j < sizeof places / sizeof *places; j++)
        if (places[j](folder) && i-- == 0)
            return true;
    return false;
}

static void file_name(const bo__weights_key *key, char *name, size_t room)
{
    char dim[32] = "", seed[32] = "";
    if (key->dim != 1)
        snprintf(dim, sizeof dim, "-%zud", key->dim);
    if (key->seed != 1)
        snprintf(seed, sizeof seed, "-s%zu", key->seed);
    snprintf(name, room, "%s-%.60s%s%s.safetensors", key->kind, key->variant, dim, seed);
}

/* "A, B": the folders that were looked in, as many as fit. */
static void list_places(char places[200])
{
    char folder[BO__WEIGHTS_PATH];
    *places = 0;
    for (size_t i = 0; bo__weights_folder(i, folder); i++)
        if (strlen(places) + strlen(folder) + 3 < 200)
            strcat(strcat(places, i ? ", " : ""), folder);
}

/* "no weights …; looked in A, B; train them with …" */
static bo_status missing(const bo__weights_key *key, const char *name, bo_message *message)
{
    char places[200];
    list_places(places);
    bool sharp = !strcmp(key->variant, "sharp"), paper = !strcmp(key->variant, "paper");
    if (!sharp && !paper)
        return bo__fail(message, BO_ENOMODEL,
                        "variant '%.60s' of %s is unknown: known are sharp and paper, and there "
                        "is no %s in %s", key->variant, key->kind, name, places);
    char seed[32] = "";
    if (key->seed != 1)
        snprintf(seed, sizeof seed, " --seed %zu", key->seed);
    return bo__fail(message, BO_ENOMODEL,
                    "no weights for %s in %zu dimension%s: there is no %s in %s; make it with "
                    "bo-train --model %s --dim %zu --sigma-floor %s%s --output %s and set "
                    "BO_MODELS to its folder, or name a file where there is an option --model",
                    key->kind, key->dim,
                    key->dim == 1 ? "" : "s", name, places, key->kind, key->dim,
                    sharp ? "0.01 --clip 1" : "0.1", seed, name);
}

/* Looks for a file in all folders. */
static bool find_file(const char *name, char path[BO__WEIGHTS_PATH])
{
    for (size_t i = 0; !strchr(name, '/') && bo__weights_folder(i, path); i++)
        if (append(path, "/") && append(path, name) && !access(path, R_OK))
            return true;
    return false;
}

bo_status bo__weights_data(const char *name, char path[BO__WEIGHTS_PATH], bo_message *message)
{
    char places[200];
    if (find_file(name, path))
        return BO_OK;
    list_places(places);
    return bo__fail(message, BO_ENOMODEL, "there is no %.60s in %s: set BO_MODELS to its folder",
                    name, places);
}

bo_status bo__weights_find(const bo__weights_key *key, char path[BO__WEIGHTS_PATH],
                           bo_message *message)
{
    char name[160];
    file_name(key, name, sizeof name);
    return find_file(name, path) ? BO_OK : missing(key, name, message);
}
