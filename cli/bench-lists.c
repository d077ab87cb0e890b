/* bench-lists.c - comma-separated lists on the command line of bo-bench.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "bench.h"
#include "message.h"

/* The next item of a list, to buffer; NULL when there is none left.  An item that does not fit
 * is cut, which no name or number survives. */
static const char *next_item(const char *list, char *buffer, size_t room)
{
    if (!*list)
        return NULL;
    size_t length = strcspn(list, ",");
    snprintf(buffer, room, "%.*s", (int)(length < room ? length : room), list);
    return list + length + (list[length] == ',');
}

static const bo__objective_type *find_function(const char *name, bo_message *message)
{
    const char *names[256];
    size_t count = 0;
    const bo__objective_type *type = bo__objective_find(name);
    if (type)
        return type;
    for (; count < 256 && bo__objective_at(count); count++)
        names[count] = bo__objective_type_name(bo__objective_at(count));
    const char *near = bo__args_nearest(name, names, count);
    if (near)
        bo__fail(message, BO_EINVAL, "there is no function '%s'; did you mean '%s'?", name, near);
    else
        bo__fail(message, BO_EINVAL, "there is no function '%s'; 'bo-run --list' shows all", name);
    return NULL;
}

static bo_status read_function(bo__bench_task *task, char *item, bo_message *message)
{
    char *colon = strchr(item, ':');
    if (colon)
        *colon = 0;
    task->type = find_function(item, message);
    if (!task->type)
        return BO_EINVAL;
    task->dim = bo__objective_type_usual_dim(task->type);
    task->evaluations = 0;
    if (colon && (!bo__args_read_size(colon + 1, &task->dim) || task->dim == 0))
        return bo__fail(message, BO_EINVAL, "'%s' is not a dimension of %s", colon + 1, item);
    size_t least = bo__objective_type_least_dim(task->type);
    size_t most = bo__objective_type_most_dim(task->type);
    if (task->dim >= least && task->dim <= most)
        return BO_OK;
    if (most == SIZE_MAX)
        return bo__fail(message, BO_EINVAL, "%s takes a dimension of %zu or more, not %zu", item,
                        least, task->dim);
    return bo__fail(message, BO_EINVAL, "%s has dimension %zu, not %zu", item, least, task->dim);
}

bo_status bo__bench_read_functions(bo__bench_functions *out, const char *list,
                                   bo_message *message)
{
    char item[64];
    out->count = 0;
    while ((list = next_item(list, item, sizeof item))) {
        if (out->count == BO_BENCH_FUNCTIONS)
            return bo__fail(message, BO_EINVAL, "more than %d functions", BO_BENCH_FUNCTIONS);
        bo_status status = read_function(&out->task[out->count++], item, message);
        if (status)
            return status;
    }
    return out->count ? BO_OK : bo__fail(message, BO_EINVAL, "no function is named");
}

bo_status bo__bench_read_sizes(size_t *out, size_t room, size_t *count, const char *list,
                               bo_message *message)
{
    char item[32];
    *count = 0;
    while ((list = next_item(list, item, sizeof item))) {
        if (*count == room)
            return bo__fail(message, BO_EINVAL, "more than %zu numbers", room);
        if (!bo__args_read_size(item, &out[*count]) || out[*count] == 0)
            return bo__fail(message, BO_EINVAL, "'%s' is not a whole number of at least 1", item);
        ++*count;
    }
    return *count ? BO_OK : bo__fail(message, BO_EINVAL, "no number is given");
}
