/*
 * What the program counts, and its Prometheus text.
 *
 * Counters are relaxed atomics, written from any thread; a scrape reads them one by one. Labels come from
 * fixed sets (route, status, layer, product, tier, stage): no request can make a new series.
 */
#ifndef TERRANE_SERVER_METRICS_H
#define TERRANE_SERVER_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "tile.h"

enum metric_route {
    ROUTE_TILE,
    ROUTE_WORLD,
    ROUTE_HEALTH,
    ROUTE_READY,
    ROUTE_METRICS,
    ROUTE_UNKNOWN,
    ROUTES
};

/* Where an answer came from. */
enum metric_tier { TIER_MEMORY, TIER_DISK, TIER_RENDER, TIER_COALESCED, TIER_NONE, TIERS };
extern const char *const metric_tier_name[TIERS];

/* What a job spends its time on. STAGE_QUEUE, _SURFACE and _ENCODE: of tiles; STAGE_REGION: making a region. */
enum metric_stage { STAGE_QUEUE, STAGE_DISK, STAGE_SURFACE, STAGE_ENCODE, STAGE_REGION, STAGES };

/* What tiles are made from. */
enum metric_region { METRIC_EROSION, METRIC_ANCHOR, METRIC_LAKES, METRIC_REGIONS };

enum {
    METRIC_STATUSES = 10, /* status codes that are told apart, and one for the rest */
    METRIC_BUCKETS = 16
};

struct histogram {
    atomic_uint_fast64_t bucket[METRIC_BUCKETS + 1]; /* not cumulative; the last: above all bounds */
    atomic_uint_fast64_t sum_ns;
};

struct metrics {
    atomic_uint_fast64_t requests[ROUTES][METRIC_STATUSES];
    atomic_uint_fast64_t renders[LAYERS];
    atomic_uint_fast64_t regions[METRIC_REGIONS];
    atomic_uint_fast64_t hits[TIERS];        /* TIER_MEMORY and TIER_DISK */
    atomic_uint_fast64_t region_hits[TIERS]; /* likewise, of regions that jobs asked for */
    atomic_uint_fast64_t misses;             /* of the memory tier */
    atomic_uint_fast64_t coalesced;          /* requests that joined a job under way */
    atomic_uint_fast64_t dropped;            /* jobs whose clients had all left before they started */
    atomic_uint_fast64_t expired;            /* requests that passed their deadline */
    atomic_uint_fast64_t refused;            /* requests that found the queue full */
    atomic_uint_fast64_t failed;             /* jobs that ran out of memory */
    atomic_int_fast64_t queue_depth;         /* jobs that wait for a worker */
    atomic_int_fast64_t parked;              /* jobs that wait for regions */
    atomic_int_fast64_t inflight;            /* requests that wait for a job */
    atomic_int_fast64_t connections;
    struct histogram latency[TIERS];
    struct histogram stage[STAGES];
};

static inline void metrics_add(atomic_uint_fast64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline void metrics_move(atomic_int_fast64_t *gauge, int64_t by)
{
    atomic_fetch_add_explicit(gauge, by, memory_order_relaxed);
}

static inline uint64_t metrics_read(const atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void metrics_request(struct metrics *metrics, enum metric_route route, unsigned status);
void metrics_observe(struct histogram *histogram, uint64_t ns);

struct cache_gauges {
    uint64_t memory_bytes, memory_entries, memory_evictions;
    uint64_t disk_bytes, disk_entries, disk_evictions;
    uint64_t disk_stores, disk_dropped, disk_damaged, disk_errors;
    int disk_degraded;
};

/* The exposition text, owned (malloc), zero-terminated; NULL when memory is short. */
char *metrics_text(const struct metrics *metrics, const struct cache_gauges *gauges, size_t *bytes);

#endif
