/*
 * The log. A line is put together on the stack and handed to the kernel by one write(2), so lines of several
 * threads (and of several processes on one pipe) never mix. There is no buffer, no lock and nothing to flush
 * or to fail: a line that standard error does not take is lost.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

const char *const log_level_name[LOG_LEVELS] = {"error", "warning", "info", "debug"};

static atomic_int log_level_max = LOG_INFO;

void log_set_level(enum log_level level)
{
    atomic_store_explicit(&log_level_max, (int)level, memory_order_relaxed);
}

enum log_level log_get_level(void)
{
    return (enum log_level)atomic_load_explicit(&log_level_max, memory_order_relaxed);
}

/* Fills line with "2026-11-21T03:25:55.123Z warning cache: "; returns its length. */
static size_t line_begin(char *line, size_t bytes, enum log_level level, const char *part)
{
    struct timespec now = {0};
    struct tm utc = {0};
    int length;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    length = snprintf(line, bytes, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ %s %.32s: ", utc.tm_year + 1900,
                      utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                      (int)(now.tv_nsec / 1000000), log_level_name[level], part);
    return length > 0 ? (size_t)length : 0;
}

/* Replaces control characters (C0, DEL and, in UTF-8, C1): a line stays a line and drives no terminal. */
static void line_clean(unsigned char *line, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
        else if (i + 1 < bytes && line[i] == 0xc2 && line[i + 1] >= 0x80 && line[i + 1] < 0xa0)
            line[i] = line[i + 1] = '?';
    }
}

/* Takes an incomplete UTF-8 sequence off the end of a line that was cut. */
static size_t line_cut(const unsigned char *line, size_t bytes)
{
    size_t first = bytes - 1; /* of the last sequence */
    size_t whole;

    while (first > 0 && bytes - first < 4 && (line[first] & 0xc0) == 0x80)
        first--;
    whole = line[first] >= 0xf0 ? 4 : line[first] >= 0xe0 ? 3 : line[first] >= 0xc0 ? 2 : 1;
    return bytes - first < whole ? first : bytes;
}

void log_write(enum log_level level, const char *part, const char *format, ...)
{
    const int saved_errno = errno;
    char line[LINE_BYTES + 1]; /* the text, the newline, and a zero that is not written */
    size_t length, room;
    va_list arguments;
    ssize_t written;
    int text;

    if ((int)level > atomic_load_explicit(&log_level_max, memory_order_relaxed))
        return;
    length = line_begin(line, sizeof line, level, part);
    room = LINE_BYTES - length; /* vsnprintf's zero is overwritten by the newline */
    va_start(arguments, format);
    errno = saved_errno; /* for %m */
    text = vsnprintf(line + length, room, format, arguments);
    va_end(arguments);
    if (text > 0 && (size_t)text < room)
        length += (size_t)text;
    else if (text > 0)
        length = line_cut((unsigned char *)line, length + room - 1);
    line_clean((unsigned char *)line, length);
    line[length++] = '\n';
    do
        written = write(STDERR_FILENO, line, length);
    while (written < 0 && errno == EINTR);
    errno = saved_errno;
}
