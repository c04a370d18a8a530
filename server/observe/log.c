/*
 * The log. A line is put together on the stack and handed to the kernel by one write(2), so lines of several
 * threads (and of several processes on one pipe) never mix. There is no buffer and nothing to flush: a line that standard
 * error does not take at once, as a pipe that is full because nobody reads it, is lost, and keeps nobody waiting.
 */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "../base/text.h"

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

/* One thread at a time: the room that one has seen is not another's. */
static void line_end(const char *line, size_t length)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
    ssize_t written = 0;

    pthread_mutex_lock(&lock);
    if (poll(&room, 1, 0) > 0 && (room.revents & POLLOUT))
        do
            written = write(STDERR_FILENO, line, length);
        while (written < 0 && errno == EINTR);
    pthread_mutex_unlock(&lock);
}

void log_write(enum log_level level, const char *part, const char *format, ...)
{
    const int saved_errno = errno;
    char line[LINE_BYTES + 1]; /* the text, the newline, and a zero that is not written */
    size_t length;
    va_list arguments;

    if ((int)level > atomic_load_explicit(&log_level_max, memory_order_relaxed))
        return;
    length = line_begin(line, sizeof line, level, part);
    va_start(arguments, format);
    errno = saved_errno; /* for %m */
    length += text_print_list(line + length, LINE_BYTES - length, format, arguments);
    va_end(arguments);
    line[length++] = '\n'; /* over its zero */
    line_end(line, length);
    errno = saved_errno;
}
