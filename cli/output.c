/* output.c - files that are never half-written: whole files and journals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * rename() replaces a file in one step; fsync() of the file before it and of its folder after it
 * make both last through a power cut.  Things that are no regular files (/dev/stdout, a pipe) are
 * written directly, because a new file must not take their place.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

struct bo__output {
    FILE *stream;
    char *path;
    char *temporary; /* NULL: written directly */
};

struct bo__journal {
    int fd;
    char *path;
    bool regular;
};

static bo_status fail_file(bo_message *message, const char *what, const char *path)
{
    return bo__fail(message, BO_EIO, "cannot %s '%s': %s", what, path, strerror(errno));
}

static bool is_special(const char *path)
{
    struct stat about;
    return !stat(path, &about) && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* fsync where it makes sense: pipes and terminals refuse with EINVAL or similar. */
static bool sync_fd(int fd)
{
    return !fsync(fd) || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* Puts the new name itself on the disk; that it cannot be done on this system is no error. */
static void sync_folder(const char *path)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(copy);
}

static void free_output(bo__output *output)
{
    if (!output)
        return;
    free(output->path);
    free(output->temporary);
    free(output);
}

/* Makes the temporary file beside path, with the permissions a new file would have. */
static int open_temporary(bo__output *output)
{
    size_t room = strlen(output->path) + sizeof ".XXXXXX";
    output->temporary = malloc(room);
    if (!output->temporary)
        return -1;
    snprintf(output->temporary, room, "%s.XXXXXX", output->path);
    int fd = mkostemp(output->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return -1;
    }
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
    return fd;
}

bo_status bo__output_open(bo__output **out, const char *path, bo_message *message)
{
    struct stat about;
    *out = NULL;
    if (!*path)
        return bo__fail(message, BO_EIO, "the name of the output file is empty");
    if (!stat(path, &about) && S_ISDIR(about.st_mode))
        return bo__fail(message, BO_EIO, "cannot write '%s': it is a folder", path);
    bo__output *output = calloc(1, sizeof *output);
    if (!output || !(output->path = strdup(path))) {
        free_output(output);
        return bo__fail(message, BO_ENOMEM, "out of memory");
    }
    int fd = is_special(path) ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(output);
    output->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (!output->stream) {
        bo_status status = fail_file(message, "write", path);
        if (fd >= 0)
            close(fd);
        if (output->temporary)
            unlink(output->temporary);
        free_output(output);
        return status;
    }
    *out = output;
    return BO_OK;
}

FILE *bo__output_stream(bo__output *output)
{
    return output->stream;
}

void bo__output_abort(bo__output *output)
{
    if (!output)
        return;
    if (output->stream)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free_output(output);
}

bo_status bo__output_commit(bo__output *output, bo_message *message)
{
    FILE *stream = output->stream;
    bool good = !fflush(stream) && !ferror(stream) && sync_fd(fileno(stream));
    int reason = errno;
    output->stream = NULL;
    if (fclose(stream) && good) {
        good = false;
        reason = errno;
    }
    if (good && output->temporary && rename(output->temporary, output->path)) {
        good = false;
        reason = errno;
    }
    if (!good) {
        errno = reason;
        bo_status status = fail_file(message, "write", output->path);
        bo__output_abort(output);
        return status;
    }
    sync_folder(output->path);
    free_output(output);
    return BO_OK;
}

bo_status bo__output_check(const char *path, bo_message *message)
{
    bo__output *output;
    bo_status status = bo__output_open(&output, path, message);
    bo__output_abort(output);
    return status;
}

/* Keeps a file that has the name already under name~. */
static bo_status keep_previous(const char *path, bo_message *message)
{
    struct stat about;
    if (lstat(path, &about))
        return BO_OK;
    size_t room = strlen(path) + 2;
    char *kept = malloc(room);
    if (!kept)
        return bo__fail(message, BO_ENOMEM, "out of memory");
    snprintf(kept, room, "%s~", path);
    bo_status status = BO_OK;
    /* A second name first, so that the old file is never without one. */
    unlink(kept);
    if (about.st_size > 0 && link(path, kept) && rename(path, kept))
        status = fail_file(message, "keep the previous", path);
    free(kept);
    return status;
}

static bo_status write_first(const char *path, const char *first, bo_message *message)
{
    bo__output *output;
    bo_status status = bo__output_open(&output, path, message);
    if (status)
        return status;
    if (output->temporary && (status = keep_previous(path, message))) {
        bo__output_abort(output);
        return status;
    }
    fputs(first, output->stream);
    return bo__output_commit(output, message);
}

bo_status bo__journal_open(bo__journal **out, const char *path, const char *first,
                           bo_message *message)
{
    struct stat about;
    *out = NULL;
    bo__journal *journal = calloc(1, sizeof *journal);
    if (!journal || !(journal->path = strdup(path))) {
        free(journal);
        return bo__fail(message, BO_ENOMEM, "out of memory");
    }
    journal->fd = -1;
    bo_status status = write_first(path, first, message);
    if (!status) {
        journal->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (journal->fd < 0 || fstat(journal->fd, &about))
            status = fail_file(message, "write", path);
        else
            journal->regular = S_ISREG(about.st_mode);
    }
    if (status) {
        bo__journal_close(journal);
        return status;
    }
    *out = journal;
    return BO_OK;
}

/* Writes all of it, whatever signals come. */
static bool write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

bo_status bo__journal_write(bo__journal *journal, const char *lines, bo_message *message)
{
    off_t before = journal->regular ? lseek(journal->fd, 0, SEEK_END) : 0;
    if (write_all(journal->fd, lines, strlen(lines)))
        return BO_OK;
    bo_status status = fail_file(message, "write", journal->path);
    if (journal->regular && before >= 0)
        (void)!ftruncate(journal->fd, before);
    return status;
}

bo_status bo__journal_sync(bo__journal *journal, bo_message *message)
{
    return sync_fd(journal->fd) ? BO_OK : fail_file(message, "write", journal->path);
}

void bo__journal_close(bo__journal *journal)
{
    if (!journal)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal->path);
    free(journal);
}

bool bo__path_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && !strcasecmp(path + length - tail, ending);
}
