/*
 * The directory that results go into.
 */
#include "directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int make_one(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return 0;
    const int why = errno;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return 0;
    errno = why == EEXIST ? ENOTDIR : why;
    return -1;
}

/* The name is cut at every slash in turn, and mended. */
int directory_make(const char *path)
{
    char *name = strdup(path);
    int result = name ? 0 : -1;
    for (char *at = name; result == 0 && *at; at++)
        if (*at == '/' && at > name) {
            *at = 0;
            result = make_one(name);
            *at = '/';
        }
    if (result == 0)
        result = make_one(name);
    free(name);
    return result;
}
