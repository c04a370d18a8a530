/*
 * Counting, and the values of labels; names of metrics are in metrics_text.c. Every table is indexed by an enum of metrics.h, or has the length of a constant there; the
 * unit test finds a member without a name.
 */
#include "metrics.h"

const char *const metric_tier_name[TIERS] = {
    [TIER_MEMORY] = "memory", [TIER_DISK] = "disk",           [TIER_SHARED] = "shared",
    [TIER_RENDER] = "render", [TIER_COALESCED] = "coalesced", [TIER_NONE] = "none",
};

const char *const metric_class_name[CLASSES] = {
    [CLASS_WAITING] = "waiting",
    [CLASS_NEIGHBOUR] = "neighbour",
    [CLASS_BULK] = "bulk",
    [CLASS_IDLE] = "idle",
};

const unsigned metric_status_code[METRIC_STATUSES - 1] = {
    200, 201, 202, 204, 206,                                                   /* done */
    304,                                                                       /* the client has it */
    400, 401, 403, 404, 405, 409, 410, 412, 413, 414, 416, 421, 422, 429, 431, /* the client's fault */
    500, 503, 507,
};

/* Fine for cached tiles, and up to the longest wait by default. */
const uint64_t metric_bound_ns[METRIC_BUCKETS] = {
    25000,    50000,    100000,   250000,    500000,    1000000,    2500000,    5000000,
    10000000, 25000000, 50000000, 100000000, 250000000, 1000000000, 2500000000, 5000000000,
};

void metrics_request(struct metrics *metrics, enum route route, unsigned status)
{
    int i = 0;
    while (i < METRIC_STATUSES - 1 && metric_status_code[i] != status)
        i++;
    metrics_add(&metrics->requests[route][i], 1);
}

void metrics_observe(struct histogram *histogram, uint64_t ns)
{
    int i = 0;
    while (i < METRIC_BUCKETS && ns > metric_bound_ns[i])
        i++;
    /* Adds the sum first: a scrape that sees the count sees its time, too. */
    metrics_add(&histogram->sum_ns, ns);
    atomic_fetch_add_explicit(&histogram->bucket[i], 1, memory_order_release);
}
