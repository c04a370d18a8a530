/*
 * Counting, and the Prometheus text. Series of requests appear with their first count: most pairs of route and status never
 * happen. All other series stand from the start, so that rates can be taken of them.
 */
#include "metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const metric_tier_name[TIERS] = {"memory", "disk", "render", "coalesced", "none"};

static const char *const route_name[ROUTES] = {"/tile",   "/world",   "/healthz",
                                               "/readyz", "/metrics", "unknown"};
static const char *const stage_name[STAGES] = {"queue", "disk", "surface", "encode", "region"};
static const char *const region_name[METRIC_REGIONS] = {"erosion", "anchor", "lakes"};

static const unsigned status_code[METRIC_STATUSES - 1] = {200, 204, 304, 400, 404, 405, 410, 414, 503};

static const uint64_t bound_ns[METRIC_BUCKETS] = {
    25000,    50000,    100000,   250000,    500000,    1000000,    2500000,    5000000,
    10000000, 25000000, 50000000, 100000000, 250000000, 1000000000, 2500000000, 5000000000};

void metrics_request(struct metrics *metrics, enum metric_route route, unsigned status)
{
    int i = 0;
    while (i < METRIC_STATUSES - 1 && status_code[i] != status)
        i++;
    metrics_add(&metrics->requests[route][i], 1);
}

void metrics_observe(struct histogram *histogram, uint64_t ns)
{
    int i = 0;
    while (i < METRIC_BUCKETS && ns > bound_ns[i])
        i++;
    /* The sum first: a scrape that sees the count sees its time, too. */
    metrics_add(&histogram->sum_ns, ns);
    atomic_fetch_add_explicit(&histogram->bucket[i], 1, memory_order_release);
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void gauge(FILE *out, const char *name, const char *help, const atomic_int_fast64_t *value)
{
    head(out, name, "gauge", help);
    fprintf(out, "%s %" PRIdFAST64 "\n", name, atomic_load_explicit(value, memory_order_relaxed));
}

static void histogram_text(FILE *out, const char *name, const char *label, const char *value,
                           const struct histogram *histogram)
{
    uint64_t count = 0;
    for (int i = 0; i <= METRIC_BUCKETS; i++) {
        count += atomic_load_explicit(&histogram->bucket[i], memory_order_acquire);
        if (i < METRIC_BUCKETS)
            fprintf(out, "%s_bucket{%s=\"%s\",le=\"%g\"} %" PRIu64 "\n", name, label, value,
                    (double)bound_ns[i] / 1e9, count);
        else
            fprintf(out, "%s_bucket{%s=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, label, value, count);
    }
    fprintf(out, "%s_sum{%s=\"%s\"} %.9f\n", name, label, value,
            (double)metrics_read(&histogram->sum_ns) / 1e9);
    fprintf(out, "%s_count{%s=\"%s\"} %" PRIu64 "\n", name, label, value, count);
}

static void requests_text(FILE *out, const struct metrics *metrics)
{
    head(out, "terrane_requests_total", "counter", "Answered requests.");
    for (int r = 0; r < ROUTES; r++)
        for (int s = 0; s < METRIC_STATUSES; s++) {
            const uint64_t n = metrics_read(&metrics->requests[r][s]);
            if (n && s < METRIC_STATUSES - 1)
                fprintf(out, "terrane_requests_total{route=\"%s\",status=\"%u\"} %" PRIu64 "\n",
                        route_name[r], status_code[s], n);
            else if (n)
                fprintf(out, "terrane_requests_total{route=\"%s\",status=\"other\"} %" PRIu64 "\n",
                        route_name[r], n);
        }
}

static void work_text(FILE *out, const struct metrics *metrics)
{
    head(out, "terrane_renders_total", "counter", "Tiles made, by layer.");
    for (int l = 0; l < LAYERS; l++)
        fprintf(out, "terrane_renders_total{layer=\"%s\"} %" PRIu64 "\n", tile_layer_name[l],
                metrics_read(&metrics->renders[l]));
    head(out, "terrane_regions_total", "counter", "Regions made for tiles, by product.");
    for (int r = 0; r < METRIC_REGIONS; r++)
        fprintf(out, "terrane_regions_total{product=\"%s\"} %" PRIu64 "\n", region_name[r],
                metrics_read(&metrics->regions[r]));
    head(out, "terrane_region_hits_total", "counter", "Regions found, by cache tier.");
    for (int t = TIER_MEMORY; t <= TIER_DISK; t++)
        fprintf(out, "terrane_region_hits_total{tier=\"%s\"} %" PRIu64 "\n", metric_tier_name[t],
                metrics_read(&metrics->region_hits[t]));
    head(out, "terrane_cache_hits_total", "counter", "Tiles found, by cache tier.");
    for (int t = TIER_MEMORY; t <= TIER_DISK; t++)
        fprintf(out, "terrane_cache_hits_total{tier=\"%s\"} %" PRIu64 "\n", metric_tier_name[t],
                metrics_read(&metrics->hits[t]));
    one(out, "terrane_cache_misses_total", "counter", "Tiles not found in memory.",
        metrics_read(&metrics->misses));
    one(out, "terrane_coalesced_total", "counter", "Requests that joined a job under way.",
        metrics_read(&metrics->coalesced));
    one(out, "terrane_dropped_total", "counter", "Jobs not started because every client had left.",
        metrics_read(&metrics->dropped));
    one(out, "terrane_expired_total", "counter", "Requests answered 503 at their deadline.",
        metrics_read(&metrics->expired));
    one(out, "terrane_refused_total", "counter", "Requests answered 503 because the queue was full.",
        metrics_read(&metrics->refused));
    one(out, "terrane_failed_total", "counter", "Jobs that ran out of memory.",
        metrics_read(&metrics->failed));
    gauge(out, "terrane_queue_depth", "Jobs that wait for a worker.", &metrics->queue_depth);
    gauge(out, "terrane_parked", "Jobs that wait for regions.", &metrics->parked);
    gauge(out, "terrane_inflight", "Requests that wait for a job.", &metrics->inflight);
    gauge(out, "terrane_connections", "Open connections.", &metrics->connections);
}

static void tier_pair(FILE *out, const char *name, const char *type, const char *help, uint64_t memory,
                      uint64_t disk)
{
    head(out, name, type, help);
    fprintf(out, "%s{tier=\"memory\"} %" PRIu64 "\n%s{tier=\"disk\"} %" PRIu64 "\n", name, memory, name,
            disk);
}

static void cache_text(FILE *out, const struct cache_gauges *g)
{
    tier_pair(out, "terrane_cache_bytes", "gauge", "Bytes held.", g->memory_bytes, g->disk_bytes);
    tier_pair(out, "terrane_cache_entries", "gauge", "Tiles and regions held.", g->memory_entries,
              g->disk_entries);
    tier_pair(out, "terrane_cache_evictions_total", "counter", "Tiles and regions evicted.",
              g->memory_evictions, g->disk_evictions);
    one(out, "terrane_disk_stores_total", "counter", "Tiles and regions written to disk.", g->disk_stores);
    one(out, "terrane_disk_dropped_total", "counter",
        "Tiles and regions not written: queue full or disk unwell.", g->disk_dropped);
    one(out, "terrane_disk_damaged_total", "counter", "Stored tiles and regions that failed verification.",
        g->disk_damaged);
    one(out, "terrane_disk_errors_total", "counter", "Failed disk operations.", g->disk_errors);
    one(out, "terrane_disk_degraded", "gauge", "1 while the disk tier is not in service.",
        (uint64_t)g->disk_degraded);
}

char *metrics_text(const struct metrics *metrics, const struct cache_gauges *gauges, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    if (!out)
        return NULL;
    head(out, "terrane_build_info", "gauge", "Version, generator and kernels.");
    fprintf(out, "terrane_build_info{version=\"%s\",generator=\"%d\",isa=\"%s\"} 1\n", TERRANE_VERSION,
            TERRANE_GENERATOR_VERSION, terrane_isa());
    requests_text(out, metrics);
    work_text(out, metrics);
    cache_text(out, gauges);
    head(out, "terrane_request_seconds", "histogram",
         "Time from request line to last byte, by where the tile came from.");
    for (int t = 0; t < TIERS; t++)
        histogram_text(out, "terrane_request_seconds", "tier", metric_tier_name[t], &metrics->latency[t]);
    head(out, "terrane_stage_seconds", "histogram", "Time that jobs spend, by stage.");
    for (int s = 0; s < STAGES; s++)
        histogram_text(out, "terrane_stage_seconds", "stage", stage_name[s], &metrics->stage[s]);
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
