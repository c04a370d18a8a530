/*
 * Preloaded, this makes syncs of the files of shared worlds fail or take long: SYNC_FILE names a file of 64 bits, the milliseconds that one
 * takes; less than 0: it fails with EIO.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static int pass(int fd)
{
    char name[40], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(name, path, sizeof path - 1);

    path[bytes > 0 ? bytes : 0] = 0;
    const int64_t ms = strstr(path, ".world") ? atomic_load(slow_ms) : 0;
    if (ms > 0)
        usleep((useconds_t)ms * 1000);
    errno = EIO;
    return ms < 0 ? -1 : 0;
}

int fdatasync(int fd)
{
    int (*really)(int);
    *(void **)&really = dlsym(RTLD_NEXT, "fdatasync");
    return pass(fd) != 0 ? -1 : really(fd);
}

int fsync(int fd)
{
    int (*really)(int);
    *(void **)&really = dlsym(RTLD_NEXT, "fsync");
    return pass(fd) != 0 ? -1 : really(fd);
}
