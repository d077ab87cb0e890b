/* safetensors-write.c - writes weight files, whole or not at all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes go to a temporary file beside the place, PATH.PID.tmp, to the disk, and then under the
 * name.
 */
#include "safetensors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static void put_string(FILE *stream, const char *text)
{
    putc('"', stream);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            putc('\\', stream);
        if (c < 0x20)
            fprintf(stream, "\\u%04x", c);
        else
            putc(c, stream);
    }
    putc('"', stream);
}

static void put_header(FILE *stream, size_t count, const bo__stored *tensors, size_t texts,
                       const bo__text_pair *text)
{
    const char *comma = "";
    putc('{', stream);
    if (texts) {
        fputs("\"__metadata__\":{", stream);
        for (size_t i = 0; i < texts; i++) {
            fputs(i ? "," : "", stream);
            put_string(stream, text[i].key);
            putc(':', stream);
            put_string(stream, text[i].text);
        }
        putc('}', stream);
        comma = ",";
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++, comma = ",") {
        const bo__stored *t = &tensors[i];
        fputs(comma, stream);
        put_string(stream, t->name);
        fputs(":{\"dtype\":\"F32\",\"shape\":[", stream);
        for (size_t d = 0; d < t->dims; d++)
            fprintf(stream, "%s%zu", d ? "," : "", t->shape[d]);
        fprintf(stream, "],\"data_offsets\":[%zu,%zu]}", at, at + t->size * sizeof(float));
        at += t->size * sizeof(float);
    }
    putc('}', stream);
}

/* The header as text, padded so that the numbers begin at a multiple of eight. */
static char *make_header(size_t count, const bo__stored *tensors, size_t texts,
                         const bo__text_pair *text, size_t *length)
{
    char *header = NULL;
    FILE *memory = open_memstream(&header, length);
    if (!memory)
        return NULL;
    put_header(memory, count, tensors, texts, text);
    long at = ftell(memory);
    for (; at % 8; at++)
        putc(' ', memory);
    bool bad = ferror(memory);
    if (fclose(memory) || bad) {
        free(header);
        return NULL;
    }
    return header;
}

static void put_numbers(FILE *stream, const bo__stored *t)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < t->size; i++) {
        uint32_t bits;
        memcpy(&bits, &t->data[i], 4);
        bits = __builtin_bswap32(bits);
        fwrite(&bits, 4, 1, stream);
    }
#else
    fwrite(t->data, sizeof *t->data, t->size, stream);
#endif
}

static bool write_stream(FILE *stream, const char *header, size_t length, size_t count,
                         const bo__stored *tensors)
{
    for (size_t i = 0; i < 8; i++)
        putc((int)((uint64_t)length >> 8 * i & 0xff), stream);
    fwrite(header, 1, length, stream);
    for (size_t i = 0; i < count; i++)
        put_numbers(stream, &tensors[i]);
    return !fflush(stream) && !ferror(stream) && !fsync(fileno(stream));
}

/* The folder's entry is on the disk too; where folders cannot be opened, so be it. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(folder);
}

static bo_status write_file(const char *path, const char *temporary, int fd, const char *header,
                            size_t length, size_t count, const bo__stored *tensors,
                            bo_message *message)
{
    FILE *stream = fdopen(fd, "wb");
    if (!stream)
        close(fd);
    bool good = stream && write_stream(stream, header, length, count, tensors);
    int reason = errno;
    if (stream && fclose(stream) && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(temporary, path)) {
        good = false;
        reason = errno;
    }
    if (good) {
        sync_folder(path);
        return BO_OK;
    }
    unlink(temporary);
    return bo__fail(message, BO_EIO, "%s: cannot write: %s", path, strerror(reason));
}

/* A device or a folder must not be replaced by a file. */
static bo_status check_place(const char *path, bo_message *message)
{
    struct stat about;
    if (stat(path, &about) || S_ISREG(about.st_mode))
        return BO_OK;
    return bo__fail(message, BO_EIO, "%s: is not a regular file: weights are not written there",
                    path);
}

bo_status bo__safetensors_write(const char *path, size_t count, const bo__stored *tensors,
                                size_t texts, const bo__text_pair *text, bo_message *message)
{
    if (check_place(path, message))
        return BO_EIO;
    size_t length = 0, room = strlen(path) + 32;
    char *header = make_header(count, tensors, texts, text, &length), *temporary = malloc(room);
    bo_status status;
    if (!header || !temporary)
        status = bo__fail(message, BO_ENOMEM, "%s: no memory to write it", path);
    else {
        snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());
        int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        status = fd < 0 ? bo__fail(message, BO_EIO, "%s: %s", path, strerror(errno))
                        : write_file(path, temporary, fd, header, length, count, tensors,
                                     message);
    }
    free(header);
    free(temporary);
    return status;
}

/* Whether a name is BASE.PID.tmp of a process that is no more. */
static bool is_left_over(const char *name, const char *base)
{
    size_t length = strlen(base);
    if (strncmp(name, base, length) || name[length] != '.')
        return false;
    char *end;
    const char *digits = name + length + 1;
    long pid = *digits >= '1' && *digits <= '9' ? strtol(digits, &end, 10) : 0;
    return pid > 0 && pid <= INT_MAX && !strcmp(end, ".tmp") && kill((pid_t)pid, 0) &&
           errno == ESRCH;
}

void bo__safetensors_sweep(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    DIR *listing = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (is_left_over(entry->d_name, base))
            unlinkat(dirfd(listing), entry->d_name, 0);
    if (listing)
        closedir(listing);
    free(folder);
}
