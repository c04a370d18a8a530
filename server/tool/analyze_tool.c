/*
 * terrane analyze and terrane path: a program of its own takes over, since what draws and transforms is not for the server.
 * It stands in a folder beside this one, or, installed, in ../libexec.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

int analyze_command(int argc, char **argv)
{
    static const char *const place[] = {"analyze/main.py", "../libexec/terrane/main.py"};
    char self[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)argc;

    self[length > 0 ? length : 0] = 0;
    char *const slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t k = 0; slash && k < sizeof place / sizeof *place; k++) {
        snprintf(path, sizeof path, "%s/%s", self, place[k]);
        if (access(path, F_OK) != 0)
            continue;
        execv(path, argv - 2); /* the command's name is its first word */
        break;
    }
    fprintf(stderr, "terrane %s: %s: %s (it needs python3; make build/analyze builds it)\n", argv[-1],
            slash ? path : "/proc/self/exe", strerror(errno));
    return 1;
}
