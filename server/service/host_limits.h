/*
 * Processors and memory that this process may use, as limited by control groups (of containers and service managers,
 * version 2 and 1).
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

/* Reads the limits of this process now: a few small files, well under a millisecond. */
void host_limits_read(struct host_limits *limits);

/*
 * The same for tests: root is the directory that contains /proc and /sys ("" is the host's own), cores and
 * memory_bytes (both above 0) are the limits without control groups.
 */
void host_limits_read_at(struct host_limits *limits, const char *root, unsigned cores, uint64_t memory_bytes);

/* Number of threads that make tiles: render.threads, else a thread a core. */
unsigned host_limits_threads(const struct host_limits *limits, const struct config *config);

enum { HOST_LIMITS_NOTE_BYTES = 400 };

/*
 * Lowers memory budgets with default values (cache.memory_bytes, cache.write_behind_bytes, limits.stream_bytes) to their
 * shares of the host's memory; budgets that were set stay. note (HOST_LIMITS_NOTE_BYTES) becomes one line about the
 * lowered ones, or "". Returns false if the budgets still do not fit; then note says so.
 */
bool host_limits_fit(const struct host_limits *limits, struct config *config, char *note);

#endif
