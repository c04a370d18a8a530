/*
 * What this process may use of its host: processors and memory, as control groups (those of containers and of service
 * managers, version 2 and 1) leave them.
 */
#ifndef TERRANE_SERVER_HOST_LIMITS_H
#define TERRANE_SERVER_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "../config/config.h"

struct host_limits {
    unsigned cores;        /* at least 1 */
    uint64_t memory_bytes; /* at least 1 */
    bool quota;            /* a control group leaves fewer processors than the host has */
    bool bounded;          /* a control group leaves less memory than the host has */
};

/* Those of this process, read now: a few small files, well under a millisecond. */
void host_limits_read(struct host_limits *limits);

/*
 * The same for tests: root is the directory in which /proc and /sys are looked for ("" is the host's own), cores and
 * memory_bytes (both above 0) are what there is without control groups.
 */
void host_limits_read_at(struct host_limits *limits, const char *root, unsigned cores, uint64_t memory_bytes);

/* How many threads make tiles: render.threads, else a thread a core. */
unsigned host_limits_threads(const struct host_limits *limits, const struct config *config);

enum { HOST_LIMITS_NOTE_BYTES = 400 };

/*
 * Lowers the budgets of memory that nobody has set (cache.memory_bytes, cache.write_behind_bytes, limits.stream_bytes) to
 * their shares of what the host leaves; those that somebody has set stay. note (HOST_LIMITS_NOTE_BYTES) becomes one line
 * about what was lowered, or "". Returns false where, with all that, the budgets do not fit: note says so then.
 */
bool host_limits_fit(const struct host_limits *limits, struct config *config, char *note);

#endif
