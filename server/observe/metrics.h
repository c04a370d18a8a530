/*
 * The program's counters, and their Prometheus text.
 *
 * Counters are relaxed atomics, written from any thread; a scrape reads them one by one. Labels come from
 * fixed sets (route, status, layer, product, tier, stage): no request can make a new series.
 */
#ifndef TERRANE_SERVER_METRICS_H
#define TERRANE_SERVER_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "../../lib/terrane_make.h"
#include "../tile/route.h"
#include "../tile/tile.h"
#include "tier_stats.h"

/* The urgency of a job; the pool serves urgent ones as if they had come earlier. */
enum metric_class {
    CLASS_WAITING,   /* somebody looks at an empty screen */
    CLASS_NEIGHBOUR, /* will be looked at soon: prefetched */
    CLASS_BULK,      /* nobody looks */
    CLASS_IDLE,      /* nobody waits: made when there is no other work */
    CLASSES
};
extern const char *const metric_class_name[CLASSES];

/* What became of a batch of operations on a world that people change. */
enum metric_batch {
    BATCH_WRITTEN,
    BATCH_KNOWN,     /* by its tokens: written before */
    BATCH_INVALID,   /* 400, 413 */
    BATCH_FORBIDDEN, /* 401, 403 */
    BATCH_LIMITED,   /* 429 */
    BATCH_CONFLICT,  /* 409 */
    BATCH_CHANGED,   /* 412 */
    BATCH_FULL,      /* 507 */
    BATCH_FAILED,    /* 503 */
    BATCHES
};

/* What became of a write that was handed on to a world's home. */
enum metric_handed { HANDED_ON, HANDED_AWAY, HANDED };

/* Reasons for refusing a stream: no room in all, or in its client's share. */
enum metric_stream { STREAM_LIMIT, STREAM_CLIENT, STREAM_REFUSALS };

/* Reasons for refusing or closing a connection. */
enum metric_refusal { REFUSED_LIMIT, REFUSED_ADDRESS, REFUSED_DESCRIPTORS, REFUSALS };
enum metric_cut { CUT_IDLE, CUT_REQUEST, CUT_SEND, CUT_ROOM, CUT_BEHIND, CUTS };

enum metric_bucket { BUCKET_TILES, BUCKET_RENDERS, BUCKETS };
enum metric_prefetch { PREFETCH_QUEUED, PREFETCH_CACHED, PREFETCH_REFUSED, PREFETCHES };

/* The source of an answer. */
enum metric_tier { TIER_MEMORY, TIER_DISK, TIER_SHARED, TIER_RENDER, TIER_COALESCED, TIER_NONE, TIERS };
extern const char *const metric_tier_name[TIERS];

/*
 * The stages of a job's time. STAGE_QUEUE, _SURFACE and _ENCODE: of tiles; STAGE_REGION: making a region; STAGE_SHARED:
 * asking the shared tier once, for the entry and for its lease.
 */
enum metric_stage {
    STAGE_QUEUE,
    STAGE_DISK,
    STAGE_SHARED,
    STAGE_SURFACE,
    STAGE_ENCODE,
    STAGE_REGION,
    STAGE_CODING,
    STAGES
};

enum {
    METRIC_STATUSES = 25, /* distinct status codes, and one for the rest */
    METRIC_BUCKETS = 16
};

struct histogram {
    atomic_uint_fast64_t bucket[METRIC_BUCKETS + 1]; /* not cumulative; the last: above all bounds */
    atomic_uint_fast64_t sum_ns;
};

/* The labels of a scrape's tables. */
extern const unsigned metric_status_code[METRIC_STATUSES - 1];
extern const uint64_t metric_bound_ns[METRIC_BUCKETS];

struct metrics {
    atomic_uint_fast64_t requests[ROUTES][METRIC_STATUSES];
    atomic_uint_fast64_t renders[LAYERS];
    atomic_uint_fast64_t regions[TERRANE_REGIONS];
    atomic_uint_fast64_t hits[TIERS];        /* TIER_MEMORY, TIER_DISK and TIER_SHARED */
    atomic_uint_fast64_t region_hits[TIERS]; /* likewise, of regions that jobs asked for */
    atomic_uint_fast64_t misses;             /* of the memory tier */
    atomic_uint_fast64_t coalesced;          /* requests that joined a job under way */
    atomic_uint_fast64_t dropped;            /* jobs whose clients had all left before they started */
    atomic_uint_fast64_t expired;            /* requests that passed their deadline */
    atomic_uint_fast64_t refused[CLASSES];   /* requests that found the queue full */
    atomic_uint_fast64_t pushed_out;         /* tiles that gave way to another client's */
    atomic_uint_fast64_t failed;             /* jobs that ran out of memory */
    atomic_uint_fast64_t left;               /* requests whose client left while they waited */
    atomic_uint_fast64_t
        limited[BUCKETS + 1]; /* requests answered 429; the last: over their share of the queue */
    atomic_uint_fast64_t streams_refused[STREAM_REFUSALS]; /* requests that found no room for a stream */
    atomic_uint_fast64_t connections_refused[REFUSALS];
    atomic_uint_fast64_t connections_cut[CUTS];
    atomic_uint_fast64_t response_bytes;       /* of bodies */
    atomic_uint_fast64_t prefetch[PREFETCHES]; /* tiles that prefetches asked for, by outcome */
    atomic_uint_fast64_t prefetch_made;        /* tiles and regions made for nobody but a prefetch */
    atomic_uint_fast64_t prefetch_used;        /* those that were asked for later */
    atomic_uint_fast64_t prefetch_dropped;     /* those that were not begun in time */
    atomic_uint_fast64_t reloads[2];           /* of the configuration: refused, done */
    atomic_int_fast64_t files_changed;         /* of heights, since they were read */
    atomic_uint_fast64_t access_log_dropped;   /* lines that the access log's queue had no room for */
    atomic_uint_fast64_t coded_bytes[2];       /* of compressed representations: before, after */
    atomic_int_fast64_t queue_class[CLASSES];  /* tiles that wait to be made */
    atomic_int_fast64_t queue_depth;           /* jobs that wait for a worker */
    atomic_int_fast64_t parked;                /* jobs that wait for regions */
    atomic_int_fast64_t remote_pending;        /* jobs that wait for another node */
    atomic_int_fast64_t inflight;              /* requests that wait for a job */
    atomic_uint_fast64_t events;               /* of worlds that people change, made for listeners */
    atomic_uint_fast64_t batches[BATCHES];
    atomic_uint_fast64_t edits; /* operations written */
    atomic_uint_fast64_t handed_on[HANDED];
    struct histogram write; /* of batches that were written: until they were on the disk */
    atomic_int_fast64_t listeners;
    atomic_int_fast64_t connections;
    atomic_int_fast64_t stream_bytes; /* that streams may hold */
    struct histogram latency[TIERS];
    struct histogram stage[STAGES];
    struct histogram wait[CLASSES]; /* from a tile's asking until it was begun */
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

void metrics_request(struct metrics *metrics, enum route route, unsigned status);
void metrics_observe(struct histogram *histogram, uint64_t ns);

/* Gauges that a scrape gets from other parts. */
struct cache_gauges {
    struct memory_stats memory;
    struct disk_stats disk;     /* all 0 if there is none */
    struct remote_stats shared; /* likewise */
    uint64_t memory_budget_bytes, disk_budget_bytes;
    uint64_t queue_limit, connections_limit; /* render.queue, http.connections */
    uint64_t stream_limit_bytes;             /* limits.stream_bytes */
    int ready, draining;                     /* the service */
    struct follow_gauges {
        uint64_t worlds, refused, behind, silent_ms;
        int away;
    } follow; /* of another server's worlds; all 0 where none is followed */
};

/* The exposition text, owned (malloc), zero-terminated; NULL when memory is short. */
char *metrics_text(const struct metrics *metrics, const struct cache_gauges *gauges, size_t *bytes);

#endif
