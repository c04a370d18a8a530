/*
 * Standard error: one line of progress, which is taken away before anything else is written.
 */
#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char shown[128]; /* the line that stands on the terminal; empty: none */

static bool on_terminal(void)
{
    static int known = -1;
    if (known < 0)
        known = isatty(STDERR_FILENO);
    return known == 1;
}

void say_error(const char *format, ...)
{
    va_list arguments;

    say_done();
    fputs("terrane analyze: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void say_progress(const char *what, int64_t done, int64_t all)
{
    char line[sizeof shown];

    if (!on_terminal() || all < 1)
        return;
    snprintf(line, sizeof line, "%.100s: %3d %%", what, (int)(100 * done / all));
    if (strcmp(line, shown) == 0)
        return;
    memcpy(shown, line, sizeof shown);
    fprintf(stderr, "\r\033[K%s", shown);
    fflush(stderr);
}

void say_done(void)
{
    fflush(stdout);
    if (!shown[0])
        return;
    fputs("\r\033[K", stderr);
    shown[0] = 0;
}
