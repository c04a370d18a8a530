/*
 * The access log: one line of JSON a request, to a file or to standard output, written by a thread of its own.
 *
 *     {"time":"2026-11-21T13:25:55.123Z","id":"5f0c...","client":"192.0.2.7","key":"game","method":"GET",
 *      "target":"/tile/42/0/3/-7.png","route":"/tile","status":200,"bytes":81211,"tier":"render",
 *      "queue_ms":0.041,"region_ms":12.103,"render_ms":1.402,"total_ms":14.002,"agent":"..."}
 *
 * A thread that answers never waits for the file: lines go into a queue of ACCESS_LOG_BYTES; if it is full they are dropped and
 * counted. The thread writes whole lines, within 100 ms.
 */
#ifndef TERRANE_SERVER_ACCESS_LOG_H
#define TERRANE_SERVER_ACCESS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "metrics.h"

enum { ACCESS_LOG_BYTES = 4 << 20, ACCESS_LOG_LINE = 4096 };

/*
 * The contents of a line. Strings may be NULL (then the member is left out) and may hold any bytes: they are escaped
 * and cut.
 */
struct access_entry {
    const char *id, *client, *key, *method, *target, *agent;
    enum route route;
    unsigned status; /* 0: the client left before it was answered; written as null */
    uint64_t bytes;
    enum metric_tier tier;
    uint64_t queue_ns, region_ns, render_ns, total_ns;
};

struct access_log;

/* path: "-" is standard output; a file is appended to, and made with mode 0640. Returns owned, or NULL with a line in error. */
struct access_log *access_log_open(const char *path, struct metrics *metrics, char *error,
                                   size_t error_bytes);

/*
 * Reopens the path (after a rotation), or another one, without losing lines. 0, or -1 with a line in error: then nothing
 * changes. Any thread, one at a time.
 */
int access_log_reopen(struct access_log *log, const char *path, char *error, size_t error_bytes);

/* Writes a line. The value of the query parameter `key` is a secret, written as "-". Any thread. */
void access_log_write(struct access_log *log, const struct access_entry *entry);

/* Writes the queue, and frees. NULL is fine. */
void access_log_close(struct access_log *log);

/*
 * The text of one line. A pure function of bytes (access_line.c); its input may be hostile.
 *
 * Fills line with an entry at a time as a JSON object and a line feed, and returns the length, at most ACCESS_LOG_LINE; not
 * zero-terminated. Always valid JSON and valid UTF-8 on one line: invalid UTF-8 becomes \ufffd, control characters are escaped.
 * Strings are cut at 1 KiB as written (all but target and agent, which the server makes or bounds, at 256 bytes) and then end
 * with "…". About 0.3 us.
 */
size_t access_line(char line[static ACCESS_LOG_LINE], const struct access_entry *entry,
                   const struct timespec *time);

#endif
