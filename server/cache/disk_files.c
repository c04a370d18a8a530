/*
 * The directory: one lock, one database, at most one damaged database.
 *
 *     lock              empty; flock'ed by the process that uses the directory, for as long as it does
 *     tiles.db          SQLite's database
 *     tiles.db-wal      its write-ahead log, which SQLite removes when the database is closed in peace
 *     tiles.db-shm      the log's index as another program would keep it; ours is in memory (disk_sql.c)
 *     tiles.db-journal  exists while a new database is made
 *     tiles.db.damaged the last database that was not usable, kept for diagnosis
 *
 *  (1) Nothing but SQLite opens tiles.db and its companions: on Linux, closing any descriptor of a file
 *      gives up the process's locks on it. Here they are only looked at, renamed and removed.
 *  (2) They are renamed or removed only while no connection is open: a connection goes by their names.
 *  (3) The lock is the only thing that keeps two processes apart. A lock file that is no longer the one
 *      at its path (the directory was removed) locks nothing and is taken anew.
 */
#include "disk_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/file_text.h"

static const char *const file_name[FILE_NAMES] = {
    "tiles.db", "tiles.db-wal", "tiles.db-shm", "tiles.db-journal", "tiles.db.damaged", "lock",
};

/* "a" and "b" into "a/b", malloc'ed, or NULL. */
static char *path_join(const char *a, const char *b)
{
    char *path;

    return asprintf(&path, "%s/%s", a, b) < 0 ? NULL : path;
}

int files_init(struct files *files, const char *dir)
{
    char here[PATH_MAX];

    *files = (struct files){.lock = -1};
    if (dir[0] == '/')
        files->dir = strdup(dir);
    else if (getcwd(here, sizeof here))
        files->dir = path_join(here, dir);
    if (!files->dir)
        goto fail;
    for (int i = 0; i < FILE_NAMES; i++) {
        files->path[i] = path_join(files->dir, file_name[i]);
        if (!files->path[i])
            goto fail;
    }
    return 0;
fail:
    files_close(files);
    return -1;
}

void files_close(struct files *files)
{
    if (files->lock >= 0)
        close(files->lock);
    for (int i = 0; i < FILE_NAMES; i++)
        free(files->path[i]);
    free(files->dir);
    *files = (struct files){.lock = -1};
}

static struct file_identity identity_of(const struct stat *status)
{
    return (struct file_identity){status->st_dev, status->st_ino};
}

static bool identity_equal(const struct file_identity *a, const struct file_identity *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/* The identity of the file at a path now; inode 0 if there is none. */
static struct file_identity identity_at(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 ? identity_of(&status) : (struct file_identity){0};
}

static bool descriptor_is(int descriptor, const char *path)
{
    const struct file_identity there = identity_at(path);
    struct file_identity here;
    struct stat status;

    if (fstat(descriptor, &status) != 0)
        return false;
    here = identity_of(&status);
    return identity_equal(&here, &there);
}

static enum files_result files_lock(struct files *files)
{
    const char *const path = files->path[FILE_LOCK];
    int saved_errno;

    if (files->lock >= 0 && descriptor_is(files->lock, path))
        return FILES_OK;
    if (files->lock >= 0)
        close(files->lock);
    files->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (files->lock < 0)
        return FILES_FAILED;
    if (flock(files->lock, LOCK_EX | LOCK_NB) == 0) {
        if (descriptor_is(files->lock, path))
            return FILES_OK;
        errno = ESTALE; /* removed under our hands: the next attempt takes the new one */
    }
    saved_errno = errno;
    close(files->lock);
    files->lock = -1;
    errno = saved_errno;
    return errno == EWOULDBLOCK ? FILES_HELD : FILES_FAILED;
}

static int file_remove(const char *path)
{
    return unlink(path) != 0 && errno != ENOENT ? -1 : 0;
}

static int companions_remove(const struct files *files)
{
    int result = 0;

    for (int i = FILE_WAL; i <= FILE_JOURNAL; i++)
        if (file_remove(files->path[i]) != 0)
            result = -1;
    return result;
}

int files_trim(const struct files *files, uint64_t damaged_max)
{
    return files_bytes(files, FILE_DAMAGED) > damaged_max ? file_remove(files->path[FILE_DAMAGED]) : 0;
}

/* The database first: companions without one are no database, but are cleared away by files_prepare. */
int files_remove(const struct files *files)
{
    return file_remove(files->path[FILE_DB]) == 0 ? companions_remove(files) : -1;
}

enum files_result files_prepare(struct files *files, uint64_t damaged_max, bool looks)
{
    enum files_result result;
    struct stat status;
    bool kept;

    if (directories_make(files->dir, 0700) != 0)
        return FILES_FAILED;
    result = files_lock(files);
    if (result != FILES_OK)
        return result;
    if (files_trim(files, damaged_max) != 0 || file_remove(files->path[FILE_SHM]) != 0)
        return FILES_FAILED;
    if (lstat(files->path[FILE_DB], &status) != 0)
        return errno == ENOENT && companions_remove(files) == 0 ? FILES_OK : FILES_FAILED;
    if (S_ISREG(status.st_mode))
        return FILES_OK;
    errno = EPERM; /* of a look */
    return looks ? FILES_FAILED : files_set_aside(files, damaged_max, &kept);
}

uint64_t files_bytes(const struct files *files, enum file_name name)
{
    struct stat status;

    return lstat(files->path[name], &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

void files_note(struct files *files)
{
    for (int i = 0; i < FILES_SHARED; i++)
        files->identity[i] = identity_at(files->path[i]);
}

bool files_same(const struct files *files)
{
    for (int i = 0; i < FILES_SHARED; i++) {
        const struct file_identity there = identity_at(files->path[i]);

        if (!identity_equal(&files->identity[i], &there))
            return false;
    }
    return true;
}

enum files_result files_set_aside(struct files *files, uint64_t damaged_max, bool *kept)
{
    const char *const damaged = files->path[FILE_DAMAGED];

    *kept = files_bytes(files, FILE_DB) <= damaged_max;
    if (file_remove(damaged) != 0 && errno != EISDIR && errno != EPERM)
        return FILES_FAILED;
    if (!*kept && file_remove(files->path[FILE_DB]) != 0)
        return FILES_FAILED;
    if (*kept && rename(files->path[FILE_DB], damaged) != 0 && errno != ENOENT)
        return FILES_FAILED;
    return companions_remove(files) == 0 ? FILES_OK : FILES_FAILED;
}
