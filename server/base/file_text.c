/*
 * Reading a file that an operator names, which may be anything: a directory, a FIFO, a device that never ends; and making directories.
 */
#include "file_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *file_text(const char *path, size_t limit, size_t *bytes, char *why, size_t why_bytes)
{
    struct stat status;
    char *text = NULL;
    size_t filled = 0;
    const size_t room = limit + 1; /* one more than allowed, to detect longer files */
    ssize_t count;

    /* Without O_NONBLOCK opening a FIFO would wait for its other end. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || fstat(file, &status) != 0) {
        snprintf(why, why_bytes, "%s", strerror(errno));
        goto out;
    }
    if (!S_ISREG(status.st_mode)) {
        snprintf(why, why_bytes, "%s", S_ISDIR(status.st_mode) ? strerror(EISDIR) : "Not a regular file");
        goto out;
    }
    text = malloc(room);
    if (!text) {
        snprintf(why, why_bytes, "out of memory");
        goto out;
    }
    do {
        count = read(file, text + filled, room - filled);
        filled += count > 0 ? (size_t)count : 0;
    } while ((count > 0 && filled < room) || (count < 0 && errno == EINTR));
    if (count >= 0 && filled < room) {
        *bytes = filled;
        goto out;
    }
    if (count < 0)
        snprintf(why, why_bytes, "%s", strerror(errno));
    else
        snprintf(why, why_bytes, "the file is too large: allowed at most %zu bytes", limit);
    free(text);
    text = NULL;
out:
    if (file >= 0)
        close(file);
    return text;
}

bool file_head(const char *path, char *text, size_t bytes)
{
    size_t filled = 0;
    ssize_t count;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return false;
    do {
        count = read(file, text + filled, bytes - 1 - filled);
        filled += count > 0 ? (size_t)count : 0;
    } while ((count > 0 && filled < bytes - 1) || (count < 0 && errno == EINTR));
    close(file);
    text[filled] = '\0';
    return filled > 0;
}

int directories_make(char *path, mode_t mode)
{
    for (char *at = path + (*path != '\0'); *at; at++) {
        int failed;

        if (*at != '/')
            continue;
        *at = '\0';
        failed = mkdir(path, mode) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES;
        *at = '/';
        if (failed)
            return -1;
    }
    return mkdir(path, mode) != 0 && errno != EEXIST ? -1 : 0;
}
