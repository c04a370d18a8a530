/*
 * terrane analyze: terrane-analyze takes over, a program of its own, since what
 * draws and transforms is not for the server. It stands beside this one, or,
 * installed, in ../libexec.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

int tool_hand_over(char **argv)
{
    static const char *const place[] = {"terrane-analyze", "../libexec/terrane-analyze"};
    char self[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    self[length > 0 ? length : 0] = 0;
    char *const slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t k = 0; slash && k < sizeof place / sizeof *place; k++) {
        snprintf(path, sizeof path, "%s/%s", self, place[k]);
        execv(path, argv - 1); /* the word before is the command's name: argv[0] of
                              the other */
        if (errno != ENOENT)
            break;
    }
    fprintf(stderr, "terrane %s: %s: %s (make build/terrane-analyze builds it)\n", argv[-1],
            slash ? path : "/proc/self/exe", strerror(errno));
    return 1;
}

int analyze_command(int argc, char **argv)
{
    (void)argc;
    return tool_hand_over(argv);
}
