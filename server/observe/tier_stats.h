/*
 * What the cache's tiers count: snapshots of them.
 */
#ifndef TERRANE_SERVER_TIER_STATS_H
#define TERRANE_SERVER_TIER_STATS_H

#include <stdint.h>

struct memory_stats {
    uint64_t bytes, entries, evictions;
};

struct disk_stats {
    uint64_t hits, misses, stores, dropped, evicted, damaged;
    uint64_t errors;      /* failed operations of the file system or SQLite */
    uint64_t bytes, rows; /* stored now */
    int degraded;         /* 1: not serving or not storing at the moment */
};

enum { REMOTE_LEASES = 4 }; /* answers to who asks for a lease */

struct remote_stats {
    uint64_t hits,
        misses; /* of remote_get, failures among the misses; calls at an open breaker are neither */
    uint64_t stores, dropped, damaged;
    uint64_t errors;  /* operations that failed: connection, deadline, protocol */
    uint64_t refused; /* commands that the store answered with an error: full, read-only, no permission */
    uint64_t leases[REMOTE_LEASES]; /* answers of remote_lease, by enum remote_lease */
    uint64_t opened;                /* times that the breaker opened, or did not close at the start */
    int open;                       /* 1: the breaker is open now: nothing is asked */
    uint64_t bytes_in, bytes_out;   /* payload of entries that came, and went */
};

#endif
