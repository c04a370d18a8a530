/*
 * What commands share, and terrane analyze and terrane path, where a program of its own takes over, since what draws and
 * transforms is not for the server. It stands in a folder beside this one, or, installed, in ../libexec.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/terrane.h"
#include "tool.h"

bool tool_is_file(const char *recipe)
{
    const size_t bytes = recipe ? strlen(recipe) : 0;
    return recipe && (strchr(recipe, '/') || (bytes > 5 && strcmp(recipe + bytes - 5, ".json") == 0));
}

int tool_init_kernels(void)
{
    const char *isa = getenv("TERRANE_ISA");
    const int error = terrane_init(isa && *isa ? isa : NULL);
    if (error == 0)
        return 0;
    fprintf(stderr, "terrane: %s%s%s; usable here:", error == TERRANE_EISA ? "TERRANE_ISA=" : "",
            error == TERRANE_EISA ? isa : terrane_error_text(error),
            error == TERRANE_EISA ? ": instruction set unknown, or not usable on this machine" : "");
    for (int k = 0; terrane_isa_usable(k); k++)
        fprintf(stderr, " %s", terrane_isa_usable(k));
    fprintf(stderr, "\n");
    return -1;
}

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
