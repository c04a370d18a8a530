/*
 * Preloaded, this makes syncs of the files of shared worlds fail or take long: SYNC_FILE names a file of 64 bits, the milliseconds that one
 * takes; less than 0: it fails with EIO.
 *
 * Into the directory SYNC_KEEP it writes what a disk has for certain. Of a file of a world that was synced: N, what was in it then, where N is
 * its inode, and N.live, itself. Of the directory "worlds" where it was synced: names, a line for each of its files then, its inode and name.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic int64_t *slow_ms;

__attribute__((constructor)) static void begin(void)
{
    const char *const path = getenv("SYNC_FILE");
    const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *const at =
        fd >= 0 ? mmap(NULL, sizeof *slow_ms, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

    if (at == MAP_FAILED)
        abort();
    slow_ms = at;
    close(fd);
}

static void path_of(int fd, char path[static PATH_MAX])
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(name, path, PATH_MAX - 1);
    path[bytes > 0 ? bytes : 0] = 0;
}

static int pass(int fd)
{
    char path[PATH_MAX];
    path_of(fd, path);
    const int64_t ms = strstr(path, ".world") ? atomic_load(slow_ms) : 0;
    if (ms > 0)
        usleep((useconds_t)ms * 1000);
    errno = EIO;
    return ms < 0 ? -1 : 0;
}

/* A file in SYNC_KEEP, under a name that it has once it is whole. */
static int keep_open(char path[static PATH_MAX], const char *keep, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s.new", keep, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        abort();
    return fd;
}

static void keep_close(int fd, const char *path)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%.*s", (int)(strlen(path) - strlen(".new")), path);
    if (close(fd) != 0 || rename(path, whole) != 0)
        abort();
}

static void keep_names(int directory, const char *keep)
{
    char path[PATH_MAX];
    const int out = keep_open(path, keep, "names");
    DIR *const files = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const struct dirent *file; files && (file = readdir(files)) != NULL;)
        if (strstr(file->d_name, ".world"))
            dprintf(out, "%llu %s\n", (unsigned long long)file->d_ino, file->d_name);
    closedir(files);
    keep_close(out, path);
}

static void keep_file(int fd, const char *keep, const char *file, const struct stat *status)
{
    char path[PATH_MAX], name[32], live[PATH_MAX];
    snprintf(name, sizeof name, "%llu", (unsigned long long)status->st_ino);
    snprintf(live, sizeof live, "%s/%s.live", keep, name);
    const int out = keep_open(path, keep, name);
    for (off_t at = 0; at < status->st_size;)
        if (sendfile(out, fd, &at, (size_t)(status->st_size - at)) <= 0)
            abort();
    keep_close(out, path);
    if (link(file, live) != 0 && errno != EEXIST && errno != ENOENT)
        abort();
}

static int synced(int fd)
{
    char path[PATH_MAX];
    struct stat status;
    const char *const keep = getenv("SYNC_KEEP");
    path_of(fd, path);
    if (!keep || fstat(fd, &status) != 0)
        return 0;
    if (S_ISDIR(status.st_mode) && strcmp(basename(path), "worlds") == 0)
        keep_names(fd, keep);
    else if (strstr(path, ".world"))
        keep_file(fd, keep, path, &status);
    return 0;
}

int fdatasync(int fd)
{
    int (*really)(int);
    *(void **)&really = dlsym(RTLD_NEXT, "fdatasync");
    return pass(fd) != 0 || really(fd) != 0 ? -1 : synced(fd);
}

int fsync(int fd)
{
    int (*really)(int);
    *(void **)&really = dlsym(RTLD_NEXT, "fsync");
    return pass(fd) != 0 || really(fd) != 0 ? -1 : synced(fd);
}
