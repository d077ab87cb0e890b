/* safetensors.c - weight files: named float32 tensors and a map of texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a good file has beyond the grammar: every name once; dtype F32; data_offsets that match
 * the shape; tensors that fill the rest of the file without gaps or overlaps.  Names and places are
 * compared once they are sorted: a header has room for hundreds of thousands.
 */
#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "message.h"

/* ---- reading --------------------------------------------------------------------------- */

void bo__safetensors_free(bo__safetensors *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->count; i++)
        free((char *)file->tensors[i].name);
    for (size_t i = 0; i < file->texts; i++) {
        free((char *)file->text[i].key);
        free((char *)file->text[i].text);
    }
    free(file->tensors);
    free(file->text);
    free(file->bytes);
    free(file);
}

/* Room for one more of `size` bytes each in an array that doubles. */
static bool grow(void **items, size_t count, size_t size)
{
    if (count & (count - 1)) /* it grew at the last power of two */
        return true;
    size_t room = count ? 2 * count : 1;
    void *more = realloc(*items, room * size);
    if (more)
        *items = more;
    return more != NULL;
}

static bo_status no_memory(bo__json *j)
{
    return bo__fail(j->message, BO_ENOMEM, "%s: no memory for its header", j->path);
}

/* "key": "text" of the metadata. */
static bo_status read_text(bo__json *j, bo__safetensors *file)
{
    if (!grow((void **)&file->text, file->texts, sizeof *file->text))
        return no_memory(j);
    char *key, *text = NULL;
    bo_status status = bo__json_string(j, &key);
    if (!status)
        status = bo__json_expect(j, ':');
    if (!status)
        status = bo__json_string(j, &text);
    if (status) {
        free(key);
        return status;
    }
    file->text[file->texts++] = (bo__text_pair){key, text};
    return BO_OK;
}

static bo_status read_metadata(bo__json *j, bo__safetensors *file)
{
    bo_status status = bo__json_expect(j, '{');
    if (status || bo__json_accept(j, '}'))
        return status;
    do
        status = read_text(j, file);
    while (!status && bo__json_accept(j, ','));
    return status ? status : bo__json_expect(j, '}');
}

static bo_status read_dtype(bo__json *j, const char *name)
{
    char *dtype;
    bo_status status = bo__json_string(j, &dtype);
    if (!status && strcmp(dtype, "F32"))
        status = bo__fail(j->message, BO_EFORMAT, "%s: tensor '%.80s' has dtype %.20s, not F32",
                          j->path, name, dtype);
    free(dtype);
    return status;
}

static bo_status read_shape(bo__json *j, bo__stored *t)
{
    bo_status status = bo__json_expect(j, '[');
    t->size = 1;
    if (status || bo__json_accept(j, ']'))
        return status;
    do {
        if (t->dims == BO__STORED_DIMS)
            return bo__fail(j->message, BO_EFORMAT, "%s: tensor '%.80s' has more than %d sides",
                            j->path, t->name, BO__STORED_DIMS);
        size_t *side = &t->shape[t->dims++];
        status = bo__json_size(j, side);
        if (!status && *side > 0 && t->size > SIZE_MAX / sizeof(float) / *side)
            status = bo__fail(j->message, BO_EFORMAT, "%s: tensor '%.80s' is too large", j->path,
                              t->name);
        if (!status)
            t->size *= *side;
    } while (!status && bo__json_accept(j, ','));
    return status ? status : bo__json_expect(j, ']');
}

/* [begin, end], counted from the end of the header. */
static bo_status read_offsets(bo__json *j, size_t offsets[2])
{
    bo_status status = bo__json_expect(j, '[');
    if (!status)
        status = bo__json_size(j, &offsets[0]);
    if (!status)
        status = bo__json_expect(j, ',');
    if (!status)
        status = bo__json_size(j, &offsets[1]);
    return status ? status : bo__json_expect(j, ']');
}

/* One member of a tensor's object; `seen` has a bit for each of the three. */
static bo_status read_member(bo__json *j, bo__stored *t, size_t offsets[2], unsigned *seen)
{
    char *key;
    bo_status status = bo__json_string(j, &key);
    if (status)
        return status;
    unsigned bit = !strcmp(key, "dtype")          ? 1
                   : !strcmp(key, "shape")        ? 2
                   : !strcmp(key, "data_offsets") ? 4
                                                  : 0;
    if (!bit || (*seen & bit))
        status = bo__fail(j->message, BO_EFORMAT, "%s: tensor '%.80s' has %s member '%.40s'",
                          j->path, t->name, bit ? "a second" : "an unknown", key);
    free(key);
    *seen |= bit;
    if (!status)
        status = bo__json_expect(j, ':');
    if (status)
        return status;
    return bit == 1 ? read_dtype(j, t->name) : bit == 2 ? read_shape(j, t)
                                                        : read_offsets(j, offsets);
}

static bo_status check_place(bo__json *j, bo__stored *t, const size_t offsets[2], size_t room)
{
    if (offsets[0] > offsets[1] || offsets[1] > room)
        return bo__fail(j->message, BO_EFORMAT,
                        "%s: tensor '%.80s' is at %zu to %zu, but there are %zu bytes of data",
                        j->path, t->name, offsets[0], offsets[1], room);
    if (offsets[1] - offsets[0] != t->size * sizeof(float))
        return bo__fail(j->message, BO_EFORMAT,
                        "%s: tensor '%.80s' has %zu bytes, its shape needs %zu", j->path, t->name,
                        offsets[1] - offsets[0], t->size * sizeof(float));
    t->begin = 8 + j->length + offsets[0];
    return BO_OK;
}

/* {"dtype": …, "shape": …, "data_offsets": …}; takes the name in any case. */
static bo_status read_tensor(bo__json *j, bo__safetensors *file, char *name)
{
    if (!grow((void **)&file->tensors, file->count, sizeof *file->tensors)) {
        free(name);
        return no_memory(j);
    }
    bo__stored *t = &file->tensors[file->count++];
    *t = (bo__stored){.name = name};
    size_t offsets[2] = {0};
    unsigned seen = 0;
    bo_status status = bo__json_expect(j, '{');
    do
        status = status ? status : read_member(j, t, offsets, &seen);
    while (!status && bo__json_accept(j, ','));
    if (!status)
        status = bo__json_expect(j, '}');
    if (!status && seen != 7)
        status = bo__fail(j->message, BO_EFORMAT, "%s: tensor '%.80s' lacks %s", j->path, name,
                          !(seen & 1) ? "dtype" : !(seen & 2) ? "shape" : "data_offsets");
    return status ? status : check_place(j, t, offsets, file->length - 8 - j->length);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* No name stands twice among those of `what`; sorts them. */
static bo_status check_names(bo__json *j, const char *what, size_t count, const char **names)
{
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(names[i - 1], names[i]))
            return bo__fail(j->message, BO_EFORMAT, "%s: %s '%.80s' is there twice", j->path, what,
                            names[i]);
    return BO_OK;
}

static bo_status check_unique(bo__json *j, const bo__safetensors *file)
{
    size_t most = file->count > file->texts ? file->count : file->texts;
    const char **names = malloc((most + 1) * sizeof *names);
    if (!names)
        return no_memory(j);
    for (size_t i = 0; i < file->texts; i++)
        names[i] = file->text[i].key;
    bo_status status = check_names(j, "metadata", file->texts, names);
    for (size_t i = 0; i < file->count; i++)
        names[i] = file->tensors[i].name;
    if (!status)
        status = check_names(j, "tensor", file->count, names);
    free(names);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const bo__stored *p = *(const bo__stored *const *)a, *q = *(const bo__stored *const *)b;
    return p->begin != q->begin ? (p->begin > q->begin) - (p->begin < q->begin)
                                : (p->size > q->size) - (p->size < q->size);
}

/* Tensors follow one another from the end of the header to the end of the file. */
static bo_status check_tiling(bo__json *j, const bo__safetensors *file)
{
    const bo__stored **order = malloc((file->count + 1) * sizeof *order);
    if (!order)
        return no_memory(j);
    for (size_t i = 0; i < file->count; i++)
        order[i] = &file->tensors[i];
    qsort(order, file->count, sizeof *order, by_place);
    size_t at = 8 + j->length;
    bo_status status = BO_OK;
    for (size_t i = 0; !status && i < file->count; at += order[i++]->size * sizeof(float))
        if (order[i]->begin != at)
            status = bo__fail(j->message, BO_EFORMAT, "%s: tensor '%.80s' %s", j->path,
                              order[i]->name,
                              order[i]->begin < at ? "overlaps another" : "follows a gap");
    free(order);
    if (!status && at != file->length)
        status = bo__fail(j->message, BO_EFORMAT, "%s: %zu bytes follow the last tensor", j->path,
                          file->length - at);
    return status;
}

static bo_status read_entry(bo__json *j, bo__safetensors *file, bool *metadata)
{
    char *name;
    bo_status status = bo__json_string(j, &name);
    if (!status)
        status = bo__json_expect(j, ':');
    if (status) {
        free(name);
        return status;
    }
    if (strcmp(name, "__metadata__"))
        return read_tensor(j, file, name);
    free(name);
    if (*metadata)
        return bo__fail(j->message, BO_EFORMAT, "%s: __metadata__ is there twice", j->path);
    *metadata = true;
    return read_metadata(j, file);
}

static bo_status read_header(bo__json *j, bo__safetensors *file)
{
    bool metadata = false;
    bo_status status = bo__json_expect(j, '{');
    if (!status && !bo__json_accept(j, '}')) {
        do
            status = read_entry(j, file, &metadata);
        while (!status && bo__json_accept(j, ','));
        if (!status)
            status = bo__json_expect(j, '}');
    }
    if (!status)
        status = bo__json_end(j);
    if (!status)
        status = check_unique(j, file);
    return status ? status : check_tiling(j, file);
}

/* Takes the file, whose bytes are there; frees it on failure. */
static bo_status read_all(bo__safetensors *file, const char *path, bo_message *message)
{
    uint64_t size = 0;
    bo_status status = BO_OK;
    for (size_t i = 0; i < 8 && i < file->length; i++)
        size |= (uint64_t)file->bytes[i] << 8 * i;
    if (file->length < 8)
        status = bo__fail(message, BO_EFORMAT, "%s: %zu bytes are no weight file", path,
                          file->length);
    else if (size > file->length - 8 || size > BO__STORED_HEADER)
        status = bo__fail(message, BO_EFORMAT,
                          "%s: is no weight file, or is cut off: header of %llu bytes in a file "
                          "of %zu", path, (unsigned long long)size, file->length);
    else {
        bo__json j = {path, file->bytes + 8, 0, (size_t)size, message};
        status = read_header(&j, file);
    }
    if (status)
        bo__safetensors_free(file);
    return status;
}

bo_status bo__safetensors_parse(bo__safetensors **out, const char *path, const void *bytes,
                                size_t length, bo_message *message)
{
    *out = NULL;
    bo__safetensors *file = calloc(1, sizeof *file);
    if (file)
        file->bytes = malloc(length ? length : 1);
    if (!file || !file->bytes) {
        bo__safetensors_free(file);
        return bo__fail(message, BO_ENOMEM, "%s: no memory for %zu bytes", path, length);
    }
    if (length)
        memcpy(file->bytes, bytes, length);
    file->length = length;
    bo_status status = read_all(file, path, message);
    if (!status)
        *out = file;
    return status;
}

static bo_status read_stream(FILE *stream, bo__safetensors *file, const char *path,
                             bo_message *message)
{
    struct stat info;
    if (fstat(fileno(stream), &info))
        return bo__fail(message, BO_EIO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return bo__fail(message, BO_EIO, "%s: is not a regular file", path);
    if ((uint64_t)info.st_size > BO__STORED_FILE)
        return bo__fail(message, BO_EFORMAT, "%s: is larger than a gigabyte", path);
    file->length = (size_t)info.st_size;
    file->bytes = malloc(file->length ? file->length : 1);
    if (!file->bytes)
        return bo__fail(message, BO_ENOMEM, "%s: no memory for %zu bytes", path, file->length);
    if (fread(file->bytes, 1, file->length, stream) != file->length)
        return bo__fail(message, BO_EIO, "%s: cannot read all of it", path);
    return BO_OK;
}

/* Without waiting for someone who writes, as opening a FIFO otherwise does. */
static FILE *open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "rb");
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}

bo_status bo__safetensors_read(bo__safetensors **out, const char *path, bo_message *message)
{
    *out = NULL;
    FILE *stream = open_file(path);
    if (!stream)
        return bo__fail(message, BO_EIO, "%s: %s", path, strerror(errno));
    bo__safetensors *file = calloc(1, sizeof *file);
    bo_status status = file ? read_stream(stream, file, path, message)
                            : bo__fail(message, BO_ENOMEM, "%s: no memory", path);
    fclose(stream);
    if (status) {
        bo__safetensors_free(file);
        return status;
    }
    status = read_all(file, path, message);
    if (!status)
        *out = file;
    return status;
}

const bo__stored *bo__safetensors_find(const bo__safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (!strcmp(file->tensors[i].name, name))
            return &file->tensors[i];
    return NULL;
}

const char *bo__safetensors_text(const bo__safetensors *file, const char *key)
{
    for (size_t i = 0; i < file->texts; i++)
        if (!strcmp(file->text[i].key, key))
            return file->text[i].text;
    return NULL;
}

void bo__safetensors_copy(const bo__safetensors *file, const bo__stored *tensor, float *out)
{
    if (!tensor->size)
        return;
    memcpy(out, file->bytes + tensor->begin, tensor->size * sizeof *out);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < tensor->size; i++) {
        uint32_t bits;
        memcpy(&bits, &out[i], 4);
        bits = __builtin_bswap32(bits);
        memcpy(&out[i], &bits, 4);
    }
#endif
}
