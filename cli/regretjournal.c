/* regretjournal.c - what has been run, kept on disk, so that a second start goes on from there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file begins with text: a first line, the description of the plan, an empty line.  Then
 * come records as they are in memory, each followed by its FNV-1a hash.  A process that is killed
 * while it writes leaves a record that is short or does not match its hash; from there on the
 * file is cut off.  A lock on the file keeps a second process out; it ends with the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blas.h"
#include "message.h"
#include "regretbench.h"

#define FIRST_LINE "bo-bench regret: journal, version 2\n"

struct bo__regret_journal {
    int fd;
    bool dirty;
    char path[PATH_MAX];
};

bo_status bo__regret_path(char path[PATH_MAX], const char *folder, const char *name,
                          bo_message *message)
{
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return bo__fail(message, BO_EIO, "the name of the folder '%.80s…' is too long", folder);
    return BO_OK;
}

/* ---- the description ----------------------------------------------------------------------- */

static const char *kernel_name(bo_kernel kernel)
{
    static const char *const names[] = {"matern52", "matern32", "rbf", "periodic"};
    return names[kernel];
}

char *bo__regret_describe(const bo__regret_plan *plan)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const bo_options *o = &plan->options;
    fprintf(out, "bo %s\nprotocol %s\nsettings", bo_version(),
            plan->protocol == BO_REGRET_PAPER ? "paper" : "plain");
    for (size_t i = 0; i < plan->settings; i++)
        fprintf(out, "%c%s", i ? ',' : ' ', plan->setting[i].name);
    fprintf(out, "\nsurrogates");
    for (size_t i = 0; i < plan->surrogates; i++)
        fprintf(out, "%c%s", i ? ',' : ' ', plan->surrogate[i].name);
    fprintf(out, "\nfunctions %zu\niterations %zu\ninit %zu\nseed %llu\n", plan->functions,
            plan->iterations, plan->init, (unsigned long long)plan->seed);
    if (isnan(plan->noise))
        fprintf(out, "noise own\n");
    else
        fprintf(out, "noise %.17g\n", plan->noise);
    fprintf(out, "kernel %s\nacquisition %s\nsamples %zu\nstarts %zu\n", kernel_name(o->kernel),
            o->acquisition ? bo_acquisition_name(o->acquisition) : "default", o->samples,
            o->starts);
    if (o->grid_stride)
        fprintf(out, "grid-stride %zu\n", o->grid_stride);
    char cpu[128];
    bo__blas_name(cpu, sizeof cpu);
    fprintf(out, "cpu %s\n", cpu);
    return fclose(out) ? (free(text), NULL) : text;
}

bool bo__regret_differ(const char *there, const char *here, char *line, size_t room)
{
    while (*there && *here) {
        int a = (int)strcspn(there, "\n"), b = (int)strcspn(here, "\n");
        if (a != b || strncmp(there, here, (size_t)a)) {
            snprintf(line, room, "'%.*s', and this is '%.*s'", a, there, b, here);
            return true;
        }
        there += a + (there[a] == '\n');
        here += b + (here[b] == '\n');
    }
    return false;
}

static bo_status other_plan(const char *folder, const char *there, const char *here,
                            bo_message *message)
{
    char line[400];
    if (bo__regret_differ(there, here, line, sizeof line))
        return bo__fail(message, BO_EINVAL,
                        "'%s' holds runs with %s: choose another --output, or remove that folder",
                        folder, line);
    return bo__fail(message, BO_EINVAL, "'%s' holds other runs: choose another --output", folder);
}

/* ---- reading ------------------------------------------------------------------------------- */

static uint64_t hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

/* Takes the record at `at`, of which `left` bytes are there.  Returns the bytes it takes up, 0
 * when it is not whole or not of this plan. */
static size_t read_record(const bo__regret_plan *plan, const char *at, size_t left,
                          bo__regret_record **records, size_t *found)
{
    uint64_t size, sum;
    if (left < sizeof(bo__regret_record) + sizeof sum)
        return 0;
    memcpy(&size, at, sizeof size);
    if (size < sizeof(bo__regret_record) || size > left - sizeof sum)
        return 0;
    bo__regret_record *r = malloc((size_t)size);
    if (!r)
        return 0;
    memcpy(r, at, (size_t)size);
    memcpy(&sum, at + size, sizeof sum);
    if (sum != hash(r, (size_t)size) || !bo__regret_record_fits(plan, r, (size_t)size)) {
        free(r);
        return 0;
    }
    if (records[r->run]) {
        free(r);
    } else {
        records[r->run] = r;
        ++*found;
    }
    return (size_t)size + sizeof sum;
}

static char *read_whole(int fd, size_t size)
{
    char *bytes = malloc(size + 1);
    size_t have = 0;
    while (bytes && have < size) {
        ssize_t n = pread(fd, bytes + have, size - have, (off_t)have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            free(bytes);
            return NULL;
        }
        have += (size_t)n;
    }
    if (bytes)
        bytes[size] = 0;
    return bytes;
}

/* The first run that was done with other weights than are there now. */
static bo_status check_weights(const char *folder, const bo__regret_plan *plan,
                               bo__regret_record *const *records, bo_message *message)
{
    for (size_t i = 0; i < bo__regret_runs(plan); i++)
        if (records[i] && !bo__regret_record_current(plan, records[i]))
            return bo__fail(message, BO_EINVAL,
                            "'%s' holds runs of %s with other weights than there are now: choose "
                            "another --output, or remove that folder",
                            folder, plan->surrogate[bo__regret_place_of(plan, i).surrogate].name);
    return BO_OK;
}

/* Reads what is there; *good gets the bytes that are whole, 0 when the file has to be begun. */
static bo_status load(bo__regret_journal *j, const char *folder, size_t size,
                      const bo__regret_plan *plan, const char *description,
                      bo__regret_record **records, size_t *found, size_t *good,
                      bo_message *message)
{
    char *bytes = read_whole(j->fd, size);
    bo_status status = BO_OK;
    *good = 0;
    if (!bytes)
        return bo__fail(message, BO_EIO, "cannot read '%s': %s", j->path, strerror(errno));
    size_t first = strlen(FIRST_LINE);
    char *end = strstr(bytes, "\n\n");
    if (size && strncmp(bytes, FIRST_LINE, size < first ? size : first)) {
        status = bo__fail(message, BO_EINVAL, "'%s' is not a journal of bo-bench regret", j->path);
    } else if (end) {
        end[1] = 0;
        if (strcmp(bytes + first, description))
            status = other_plan(folder, bytes + first, description, message);
        *good = (size_t)(end + 2 - bytes);
        for (size_t n; !status && (n = read_record(plan, bytes + *good, size - *good, records,
                                                   found)) > 0;)
            *good += n;
        if (!status)
            status = check_weights(folder, plan, records, message);
    }
    free(bytes);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bo_status cannot_write(const bo__regret_journal *j, bo_message *message)
{
    return bo__fail(message, BO_EIO, "cannot write '%s': %s", j->path, strerror(errno));
}

/* Goes on after the first `good` bytes, or begins with the description. */
static bo_status continue_at(bo__regret_journal *j, size_t good, const char *description,
                             bo_message *message)
{
    if (ftruncate(j->fd, (off_t)good) || lseek(j->fd, (off_t)good, SEEK_SET) < 0)
        return cannot_write(j, message);
    if (good)
        return BO_OK;
    if (!write_all(j->fd, FIRST_LINE, strlen(FIRST_LINE)) ||
        !write_all(j->fd, description, strlen(description)) || !write_all(j->fd, "\n", 1))
        return cannot_write(j, message);
    j->dirty = true;
    return bo__regret_journal_sync(j, message);
}

static bo_status open_file(bo__regret_journal *j, const char *folder, bo_message *message)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return bo__fail(message, BO_EIO, "cannot make the folder '%s': %s", folder,
                        strerror(errno));
    bo_status status = bo__regret_path(j->path, folder, "journal", message);
    if (status)
        return status;
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0)
        return cannot_write(j, message);
    if (flock(j->fd, LOCK_EX | LOCK_NB))
        return bo__fail(message, BO_EIO, "another bo-bench is at work in '%s'", folder);
    return BO_OK;
}

bo_status bo__regret_journal_open(bo__regret_journal **out, const char *folder,
                                  const bo__regret_plan *plan, bo__regret_record **records,
                                  size_t *found, bo_message *message)
{
    *found = 0;
    *out = NULL;
    bo__regret_journal *j = calloc(1, sizeof *j);
    char *description = bo__regret_describe(plan);
    bo_status status = j && description ? BO_OK : bo__fail(message, BO_ENOMEM, "out of memory");
    struct stat about;
    size_t good = 0;
    if (j)
        j->fd = -1;
    if (!status)
        status = open_file(j, folder, message);
    if (!status && fstat(j->fd, &about))
        status = cannot_write(j, message);
    if (!status)
        status = load(j, folder, (size_t)about.st_size, plan, description, records, found, &good,
                      message);
    if (!status)
        status = continue_at(j, good, description, message);
    free(description);
    if (status) {
        bo__regret_journal_close(j);
        return status;
    }
    *out = j;
    return BO_OK;
}

bo_status bo__regret_journal_add(bo__regret_journal *j, const bo__regret_record *record,
                                 bo_message *message)
{
    uint64_t sum = hash(record, (size_t)record->size);
    j->dirty = true;
    if (!write_all(j->fd, record, (size_t)record->size) || !write_all(j->fd, &sum, sizeof sum))
        return cannot_write(j, message);
    return BO_OK;
}

bo_status bo__regret_journal_sync(bo__regret_journal *j, bo_message *message)
{
    if (!j->dirty)
        return BO_OK;
    j->dirty = false;
    return fsync(j->fd) ? cannot_write(j, message) : BO_OK;
}

void bo__regret_journal_close(bo__regret_journal *j)
{
    if (!j)
        return;
    if (j->fd >= 0)
        close(j->fd);
    free(j);
}
