/*
 * The access log: a ring of whole lines between the threads that answer requests and one that writes them.
 *
 *     lines of any thread -> ring -> the writer -> file, pipe, terminal
 *
 *  (1) The ring holds whole lines, and no line goes around its end: if one does not fit at the end, `end` marks the end of
 *      the lines, and it goes to 0. It is empty when head == tail, and head never catches up with tail.
 *  (2) Between tail and head only the writer reads, without the lock, and nobody writes; only the writer moves tail.
 *  (3) Only the writer waits for a file, at most WAIT_MS at a time, and gives up when the log is reopened, or PATIENCE_NS
 *      after a close began. (A regular file that hangs, on a network, hangs the writer with it, and so access_log_close; the
 *      lines of others are dropped meanwhile, as when a pipe is not read.)
 *  (4) Every line is written or counted as dropped. If a full disk cuts off a line, the rest is kept and written first when
 *      there is space again: a file has no half lines, except at its end.
 *
 * Writes to anything but a regular file have at most PIPE_BUF bytes, after poll has reported room: a pipe then takes them
 * whole and without blocking, whoever else writes to it.
 *
 * A line of 400 bytes costs the thread that answers 0.4 us of processor time (EPYC, -O3), 0.3 of them for its text.
 */
#include "access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "../base/check.h"
#include "../base/text.h"
#include "log.h"

enum {
    INTERVAL_MS = 100, /* lines wait no longer than this to be written */
    WAIT_MS = 100,
    SAY_S = 60,
    FILE_BYTES = 256 << 10, /* at once to a regular file */
};

#define MS          UINT64_C(1000000)
#define PATIENCE_NS (1000 * MS)

_Static_assert(ACCESS_LOG_LINE <= PIPE_BUF, "a pipe takes a line whole");
_Static_assert((int)ACCESS_LOG_LINE < (int)FILE_BYTES && (int)FILE_BYTES < (int)ACCESS_LOG_BYTES,
               "there is always a line to write");

struct access_log {
    struct metrics *metrics;
    uv_thread_t writer;
    uv_mutex_t lock;
    uv_cond_t work;

    /* Under the lock. */
    size_t head, tail, end;
    int next_fd; /* -1, or what to go on with */
    bool stop;
    uint64_t stop_ns;
    uint64_t full; /* lines that found no room, not reported yet */

    /* The writer's. */
    int fd;
    bool regular;
    char rest[ACCESS_LOG_LINE]; /* the rest of a line whose beginning is written */
    size_t rest_bytes;
    uint64_t lost; /* lines that were not written, not reported yet */
    int error;     /* errno of the last of them */
    uint64_t said_ns;

    char ring[ACCESS_LOG_BYTES];
};

/* ---- The ring ------------------------------------------------------------------------------------------ */

/* Under the lock: bytes that can be written at once, from tail on. */
static size_t ring_run(const struct access_log *log)
{
    return log->tail <= log->head ? log->head - log->tail : log->end - log->tail;
}

/* Under the lock: all bytes that wait. */
static size_t ring_bytes(const struct access_log *log)
{
    return log->tail <= log->head ? log->head - log->tail : log->end - log->tail + log->head;
}

/* Under the lock: the place of a new line; NULL: there is no room. */
static char *ring_place(struct access_log *log, size_t bytes)
{
    if (log->head == log->tail)
        log->head = log->tail = 0;
    if (log->tail <= log->head) {
        if (ACCESS_LOG_BYTES - log->head >= bytes)
            return log->ring + log->head;
        if (bytes >= log->tail)
            return NULL;
        log->end = log->head;
        log->head = 0;
    }
    return log->tail - log->head > bytes ? log->ring + log->head : NULL;
}

static void ring_take(struct access_log *log, size_t bytes)
{
    CHECK(bytes <= ring_run(log));
    log->tail += bytes;
    if (log->tail > log->head && log->tail == log->end)
        log->tail = 0;
}

void access_log_write(struct access_log *log, const struct access_entry *entry)
{
    char line[ACCESS_LOG_LINE];
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    const size_t bytes = access_line(line, entry, &now);

    uv_mutex_lock(&log->lock);
    const size_t before = ring_bytes(log);
    char *const place = ring_place(log, bytes);
    if (place) {
        memcpy(place, line, bytes);
        log->head += bytes;
    } else {
        log->full++;
    }
    const size_t after = before + bytes;
    const bool wake =
        place && (before == 0 || (before < ACCESS_LOG_BYTES / 4 && after >= ACCESS_LOG_BYTES / 4));
    if (wake)
        uv_cond_signal(&log->work);
    uv_mutex_unlock(&log->lock);
    if (!place)
        metrics_add(&log->metrics->access_log_dropped, 1);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void lose(struct access_log *log, uint64_t lines, int error)
{
    if (lines == 0)
        return;
    log->lost += lines;
    log->error = error;
    metrics_add(&log->metrics->access_log_dropped, lines);
}

/* Tells the operator of lines that were not written, once a minute. Not under the lock: standard error may be slow. */
static void say(struct access_log *log, bool last)
{
    const uint64_t now = uv_hrtime();
    if (!last && log->said_ns && now - log->said_ns < SAY_S * 1000 * MS)
        return;
    uv_mutex_lock(&log->lock);
    const uint64_t full = log->full;
    log->full = 0;
    uv_mutex_unlock(&log->lock);
    if (log->lost)
        log_write(LOG_WARNING, "access log", "%llu lines could not be written and are lost: %s",
                  (unsigned long long)log->lost,
                  log->error == EAGAIN ? "what should take them does not" : strerror(log->error));
    if (full)
        log_write(LOG_WARNING, "access log", "%llu lines are lost: they came faster than they are taken",
                  (unsigned long long)full);
    if (log->lost || full)
        log->said_ns = now;
    log->lost = 0;
}

/* True if the writer may no longer wait for its file. */
static bool is_hurried(struct access_log *log, bool *reopening)
{
    uv_mutex_lock(&log->lock);
    *reopening = log->next_fd >= 0;
    const bool hurried = *reopening || (log->stop && uv_hrtime() - log->stop_ns > PATIENCE_NS);
    uv_mutex_unlock(&log->lock);
    return hurried;
}

/* Waits until the file accepts bytes, or fails; false: time is up. */
static bool wait_writable(struct access_log *log, bool *reopening)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = log->fd, .events = POLLOUT};
        const bool hurried = is_hurried(log, reopening);
        const int ready = poll(&poll_fd, 1, hurried ? 0 : WAIT_MS);

        if (ready > 0)
            return true;
        if (hurried)
            return false;
        say(log, false);
    }
}

/* Writes bytes; returns how many. Fewer only after an error (errno), which is EAGAIN if time was up. */
static size_t put_bytes(struct access_log *log, const char *data, size_t bytes, bool *reopening)
{
    size_t done = 0;

    *reopening = false;
    while (done < bytes) {
        if (!log->regular && !wait_writable(log, reopening)) {
            errno = EAGAIN;
            break;
        }
        const ssize_t n = write(log->fd, data + done, bytes - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
            errno = n == 0 ? EIO : errno;
            break;
        }
    }
    return done;
}

static uint64_t count_lines(const char *data, size_t bytes)
{
    uint64_t lines = 0;

    for (const char *at = data; (at = memchr(at, '\n', bytes - (size_t)(at - data))); at++)
        lines++;
    return lines;
}

/* Writes lines, or drops them; returns how many bytes are done. Less than all if the log is reopened. */
static size_t put_lines(struct access_log *log, const char *data, size_t bytes)
{
    bool reopening;
    size_t done = put_bytes(log, log->rest, log->rest_bytes, &reopening);

    memmove(log->rest, log->rest + done, log->rest_bytes - done);
    log->rest_bytes -= done;
    done = log->rest_bytes ? 0 : put_bytes(log, data, bytes, &reopening);
    if (done == bytes)
        return bytes;
    const int error = errno;
    const char *const cut = data + done;
    const char *const begin = done ? memrchr(data, '\n', done) : NULL;
    const char *const whole =
        begin ? begin + 1 : data; /* the line that was cut, or the first one not begun */
    if (reopening)
        return (size_t)(whole - data);
    const char *left = whole;
    if (cut > whole) {
        left = (const char *)memchr(cut, '\n', bytes - done) + 1;
        log->rest_bytes = (size_t)(left - cut);
        memcpy(log->rest, cut, log->rest_bytes);
    }
    lose(log, count_lines(left, bytes - (size_t)(left - data)), error);
    return bytes;
}

static void use_fd(struct access_log *log, int fd)
{
    struct stat info;

    log->fd = fd;
    log->regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (log->rest_bytes)
        lose(log, 1, log->error);
    log->rest_bytes = 0;
}

/* Writes some lines; returns how many bytes. Under the lock, which it drops while it writes. */
static size_t write_some(struct access_log *log)
{
    if (log->next_fd >= 0) {
        close(log->fd);
        use_fd(log, log->next_fd);
        log->next_fd = -1;
    }
    const char *const data = log->ring + log->tail;
    const size_t max = log->regular ? FILE_BYTES : PIPE_BUF;
    size_t bytes = ring_run(log);
    if (bytes > max)
        bytes = (size_t)((const char *)memrchr(data, '\n', max) - data) + 1;
    uv_mutex_unlock(&log->lock);
    bytes = put_lines(log, data, bytes);
    uv_mutex_lock(&log->lock);
    ring_take(log, bytes);
    return bytes;
}

/* Under the lock: waits for lines, and then for more of them. */
static void wait_lines(struct access_log *log)
{
    const bool unsaid = log->full || log->lost;

    if (!log->stop && log->next_fd < 0 && ring_bytes(log) == 0) {
        if (unsaid)
            uv_cond_timedwait(&log->work, &log->lock, SAY_S * 1000 * MS);
        else
            uv_cond_wait(&log->work, &log->lock);
    }
    if (!log->stop && log->next_fd < 0 && ring_bytes(log) > 0 && ring_bytes(log) < ACCESS_LOG_BYTES / 4)
        uv_cond_timedwait(&log->work, &log->lock, INTERVAL_MS * MS);
}

static void writer_run(void *argument)
{
    struct access_log *const log = argument;
    bool last = false;

    uv_mutex_lock(&log->lock);
    while (!last) {
        wait_lines(log);
        last = log->stop;
        /* Writes only the lines present now: otherwise a busy server's lines would be written one by one. */
        for (size_t left = ring_bytes(log); left > 0 || log->next_fd >= 0;) {
            const size_t bytes = write_some(log);
            left -= bytes < left ? bytes : left;
        }
        uv_mutex_unlock(&log->lock);
        if (last && log->rest_bytes)
            lose(log, 1, log->error);
        say(log, last);
        uv_mutex_lock(&log->lock);
    }
    uv_mutex_unlock(&log->lock);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

/* Opens the path; -1 with a line in error. */
static int open_path(const char *path, char *error, size_t error_bytes)
{
    /* O_NONBLOCK: a FIFO that nobody reads is an error, and later on no reason to wait. */
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    const bool standard = strcmp(path, "-") == 0;
    const int fd = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, flags, 0640);

    if (fd < 0)
        text_print(error, error_bytes, "access log: cannot open %s: %s", standard ? "standard output" : path,
                   errno == ENXIO ? "it is a FIFO that nobody reads" : strerror(errno));
    return fd;
}

/* The writer blocks all signals: they are for the main thread, and a broken pipe is an error of write. */
static int start_writer(struct access_log *log)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int status = uv_thread_create(&log->writer, writer_run, log);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

struct access_log *access_log_open(const char *path, struct metrics *metrics, char *error, size_t error_bytes)
{
    struct access_log *log = NULL;
    const int fd = open_path(path, error, error_bytes);

    if (fd < 0)
        return NULL;
    log = calloc(1, sizeof *log);
    if (!log)
        goto memory;
    log->metrics = metrics;
    log->next_fd = -1;
    use_fd(log, fd);
    if (uv_mutex_init(&log->lock) != 0)
        goto memory;
    if (uv_cond_init(&log->work) != 0)
        goto mutex;
    if (start_writer(log) == 0)
        return log;
    uv_cond_destroy(&log->work);
mutex:
    uv_mutex_destroy(&log->lock);
memory:
    free(log);
    close(fd);
    text_print(error, error_bytes, "access log: memory or threads are short");
    return NULL;
}

int access_log_reopen(struct access_log *log, const char *path, char *error, size_t error_bytes)
{
    const int fd = open_path(path, error, error_bytes);

    if (fd < 0)
        return -1;
    uv_mutex_lock(&log->lock);
    const int unused = log->next_fd;
    log->next_fd = fd;
    uv_cond_signal(&log->work);
    uv_mutex_unlock(&log->lock);
    if (unused >= 0)
        close(unused);
    return 0;
}

void access_log_close(struct access_log *log)
{
    if (!log)
        return;
    uv_mutex_lock(&log->lock);
    log->stop = true;
    log->stop_ns = uv_hrtime();
    uv_cond_signal(&log->work);
    uv_mutex_unlock(&log->lock);
    CHECK(uv_thread_join(&log->writer) == 0);
    close(log->fd);
    if (log->next_fd >= 0)
        close(log->next_fd);
    uv_cond_destroy(&log->work);
    uv_mutex_destroy(&log->lock);
    free(log);
}
