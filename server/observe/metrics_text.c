/*
 * The Prometheus text, version 0.0.4. Series of requests appear with their first count: most pairs of route and status never
 * happen. All other series exist from the start, so that rates work; those of the process exist if the system provides them.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/file_text.h"
#include "../base/text.h"
#include "metrics.h"

/* ---- The process ------------------------------------------------------------------------------------- */

/* Statistics of the process. Files of /proc are read whole into the stack; a malformed value counts as missing. */

/* A false has_: the system does not provide the value, for example without /proc. */
struct process_stats {
    bool has_start, has_resident, has_descriptors, has_descriptors_max;
    double start_s; /* since the epoch */
    double cpu_s;   /* of user and system */
    uint64_t resident_bytes;
    uint64_t descriptors, descriptors_max;
};

/* Reads the number after so many blanks. */
static bool field(const char *text, int blanks, uint64_t *value)
{
    char *end;

    for (; blanks > 0 && text; blanks--) {
        text = strchr(text, ' ');
        text = text ? text + 1 : NULL;
    }
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0;
}

/* When the machine started, in seconds since the epoch: once, since clocks are set. A service's sandbox has no /proc/stat to read it from. */
static pthread_once_t boot_once = PTHREAD_ONCE_INIT;
static double boot_s;

static void find_boot(void)
{
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    boot_s = (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) / 1e9;
}

static bool start_time(double *seconds)
{
    char text[2048];
    uint64_t ticks;
    const long per_second = sysconf(_SC_CLK_TCK);

    if (per_second <= 0 || !file_head("/proc/self/stat", text, sizeof text))
        return false;
    const char *const name_end = strrchr(text, ')'); /* the name may hold blanks and parentheses */
    if (!name_end || !field(name_end, 20, &ticks))
        return false;
    pthread_once(&boot_once, find_boot);
    *seconds = boot_s + (double)ticks / (double)per_second;
    return true;
}

static bool count_descriptors(uint64_t *count, bool limited, uint64_t max)
{
    struct stat info;

    if (stat("/proc/self/fd", &info) != 0)
        return false;
    if (info.st_size > 0) { /* from Linux 6.2 on it is their number, and asking takes no descriptor */
        *count = (uint64_t)info.st_size;
        return true;
    }
    DIR *const directory = opendir("/proc/self/fd");
    if (!directory) {
        *count = max; /* there is none left to count with */
        return errno == EMFILE && limited;
    }
    *count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        *count += entry->d_name[0] != '.';
    *count -= *count > 0; /* the directory's own */
    closedir(directory);
    return true;
}

/* Reads them: some 50 us, and more with thousands of descriptors where the kernel is older than 6.2. Any thread. */
static void process_stats_read(struct process_stats *out)
{
    struct rlimit descriptors;
    struct rusage usage;
    char text[256];
    uint64_t pages;
    const long page_bytes = sysconf(_SC_PAGESIZE);

    *out = (struct process_stats){0};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        out->cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                     ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e-6;
    if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur != RLIM_INFINITY) {
        out->has_descriptors_max = true;
        out->descriptors_max = descriptors.rlim_cur;
    }
    out->has_descriptors =
        count_descriptors(&out->descriptors, out->has_descriptors_max, out->descriptors_max);
    if (page_bytes > 0 && file_head("/proc/self/statm", text, sizeof text) && field(text, 1, &pages)) {
        out->has_resident = true;
        out->resident_bytes = pages * (uint64_t)page_bytes;
    }
    out->has_start = start_time(&out->start_s);
}

static const char *const stage_name[STAGES] = {
    [STAGE_QUEUE] = "queue",     [STAGE_DISK] = "disk",     [STAGE_SHARED] = "shared",
    [STAGE_SURFACE] = "surface", [STAGE_ENCODE] = "encode", [STAGE_REGION] = "region",
    [STAGE_CODING] = "coding",
};
static const char *const bucket_name[BUCKETS + 1] = {
    [BUCKET_TILES] = "tiles", [BUCKET_RENDERS] = "renders", [BUCKETS] = "queue"};
static const char *const refusal_name[REFUSALS] = {
    [REFUSED_LIMIT] = "limit",
    [REFUSED_ADDRESS] = "address",
    [REFUSED_DESCRIPTORS] = "descriptors",
};
static const char *const stream_name[STREAM_REFUSALS] = {
    [STREAM_LIMIT] = "limit", [STREAM_CLIENT] = "client"};
static const char *const batch_name[BATCHES] = {
    [BATCH_WRITTEN] = "written",     [BATCH_KNOWN] = "known",     [BATCH_INVALID] = "invalid",
    [BATCH_FORBIDDEN] = "forbidden", [BATCH_LIMITED] = "limited", [BATCH_CONFLICT] = "conflict",
    [BATCH_CHANGED] = "changed",     [BATCH_FULL] = "full",       [BATCH_FAILED] = "failed",
};
static const char *const handed_name[HANDED] = {[HANDED_ON] = "answered", [HANDED_AWAY] = "away"};
static const char *const cut_name[CUTS] = {
    [CUT_IDLE] = "idle", [CUT_REQUEST] = "request", [CUT_SEND] = "send",
    [CUT_ROOM] = "room", [CUT_BEHIND] = "behind",
};
static const char *const prefetch_name[PREFETCHES] = {
    [PREFETCH_QUEUED] = "queued",
    [PREFETCH_CACHED] = "cached",
    [PREFETCH_REFUSED] = "refused",
};
static const char *const reload_name[2] = {"refused", "done"};
static const char *const side_name[2] = {"before", "after"};
static const char *const lease_name[REMOTE_LEASES] = {"ours", "theirs", "found", "none"};

/* ---- Families ------------------------------------------------------------------------------------------ */

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void number(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void counter(FILE *out, const char *name, const char *help, const atomic_uint_fast64_t *value)
{
    number(out, name, "counter", help, metrics_read(value));
}

static void gauge(FILE *out, const char *name, const char *help, const atomic_int_fast64_t *value)
{
    head(out, name, "gauge", help);
    fprintf(out, "%s %" PRIdFAST64 "\n", name, atomic_load_explicit(value, memory_order_relaxed));
}

static void counters(FILE *out, const char *name, const char *help, const char *label,
                     const char *const *values, const atomic_uint_fast64_t *counts, int n)
{
    head(out, name, "counter", help);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, values[i], metrics_read(&counts[i]));
}

/* Memory's and the disk's. */
static void tiers(FILE *out, const char *name, const char *type, const char *help, uint64_t memory,
                  uint64_t disk)
{
    head(out, name, type, help);
    fprintf(out, "%s{tier=\"memory\"} %" PRIu64 "\n%s{tier=\"disk\"} %" PRIu64 "\n", name, memory, name,
            disk);
}

static void histogram(FILE *out, const char *name, const char *label, const char *value,
                      const struct histogram *histogram)
{
    uint64_t count = 0;
    for (int i = 0; i <= METRIC_BUCKETS; i++) {
        count += atomic_load_explicit(&histogram->bucket[i], memory_order_acquire);
        if (i < METRIC_BUCKETS)
            fprintf(out, "%s_bucket{%s=\"%s\",le=\"%g\"} %" PRIu64 "\n", name, label, value,
                    (double)metric_bound_ns[i] / 1e9, count);
        else
            fprintf(out, "%s_bucket{%s=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, label, value, count);
    }
    fprintf(out, "%s_sum{%s=\"%s\"} %.9f\n", name, label, value,
            (double)metrics_read(&histogram->sum_ns) / 1e9);
    fprintf(out, "%s_count{%s=\"%s\"} %" PRIu64 "\n", name, label, value, count);
}

static void histograms(FILE *out, const char *name, const char *help, const char *label,
                       const char *const *values, const struct histogram *all, int n)
{
    head(out, name, "histogram", help);
    for (int i = 0; i < n; i++)
        histogram(out, name, label, values[i], &all[i]);
}

/* ---- What there is ------------------------------------------------------------------------------------- */

static void requests_text(FILE *out, const struct metrics *m)
{
    head(out, "terrane_requests_total", "counter", "Answered requests.");
    for (int r = 0; r < ROUTES; r++)
        for (int s = 0; s < METRIC_STATUSES; s++) {
            const uint64_t n = metrics_read(&m->requests[r][s]);
            if (n && s < METRIC_STATUSES - 1)
                fprintf(out, "terrane_requests_total{route=\"%s\",status=\"%u\"} %" PRIu64 "\n",
                        route_name[r], metric_status_code[s], n);
            else if (n)
                fprintf(out, "terrane_requests_total{route=\"%s\",status=\"other\"} %" PRIu64 "\n",
                        route_name[r], n);
        }
    counter(out, "terrane_left_total", "Requests whose client left while they waited for a tile.", &m->left);
    counter(out, "terrane_response_bytes_total", "Bytes of answers' bodies.", &m->response_bytes);
    counters(out, "terrane_coded_bytes_total", "Bytes of tiles that were compressed, before and after.",
             "side", side_name, m->coded_bytes, 2);
    histograms(out, "terrane_request_seconds",
               "Time from request line to last byte, by where the tile came from.", "tier", metric_tier_name,
               m->latency, TIERS);
}

/* Of worlds whose home is another server. */
static void follow_text(FILE *out, const struct metrics *m, const struct follow_gauges *g)
{
    number(out, "terrane_follow_worlds", "gauge", "Worlds of another server's that are followed.", g->worlds);
    number(out, "terrane_follow_refused", "gauge",
           "Those that are not served, since the copy here is another one than their home has.", g->refused);
    number(out, "terrane_follow_away", "gauge", "Whether a stream of their home's events is not open.",
           (uint64_t)g->away);
    number(
        out, "terrane_follow_behind_edits", "gauge",
        "Operations that their home is known to have and this server has not, of the world that lacks most.",
        g->behind);
    head(out, "terrane_follow_silent_seconds", "gauge",
         "Time since something was heard of their home, of the world where that is longest.");
    fprintf(out, "terrane_follow_silent_seconds %.3f\n", (double)g->silent_ms / 1000);
    counters(out, "terrane_follow_handed_total",
             "Writes that were handed on to their home, by whether it answered.", "result", handed_name,
             m->handed_on, HANDED);
}

static void overload_text(FILE *out, const struct metrics *m, const struct cache_gauges *g)
{
    counters(out, "terrane_refused_total", "Requests that found the queue full, by class.", "class",
             metric_class_name, m->refused, CLASSES);
    counter(out, "terrane_expired_total", "Requests answered 503 at their deadline.", &m->expired);
    counters(out, "terrane_limited_total",
             "Requests answered 429, by the bucket that was empty; queue: "
             "too many of the client's tiles waited already.",
             "bucket", bucket_name, m->limited, BUCKETS + 1);
    counter(out, "terrane_pushed_out_total", "Tiles that gave their place in the queue to another client's.",
            &m->pushed_out);
    counters(out, "terrane_connections_refused_total",
             "Connections not taken: too many in all, too many of the address, or no descriptor.", "why",
             refusal_name, m->connections_refused, REFUSALS);
    counters(out, "terrane_connections_cut_total",
             "Connections closed: idle, too slow to send a request or to take an answer, idle where "
             "others needed room, or behind what happened in a world while they took nothing.",
             "why", cut_name, m->connections_cut, CUTS);
    gauge(out, "terrane_connections", "Open connections.", &m->connections);
    number(out, "terrane_connections_limit", "gauge", "Connections that may be open.", g->connections_limit);
    counters(out, "terrane_streams_refused_total",
             "Regions and batches for which there was no memory left: in all (503), or for the client (429).",
             "why", stream_name, m->streams_refused, STREAM_REFUSALS);
    counters(out, "terrane_world_batches_total",
             "Batches of operations on worlds that people change, by what became of them.", "result",
             batch_name, m->batches, BATCHES);
    counter(out, "terrane_world_edits_total", "Operations that were written.", &m->edits);
    histograms(out, "terrane_world_write_seconds", "Time until a batch was on the disk.", "result",
               batch_name, &m->write, BATCH_WRITTEN + 1);
    gauge(out, "terrane_world_listeners", "Streams of events of worlds that people change.", &m->listeners);
    counter(out, "terrane_world_events_total", "Events made for those streams.", &m->events);
    follow_text(out, m, &g->follow);
    gauge(out, "terrane_stream_bytes", "Bytes set aside for regions and batches under way.",
          &m->stream_bytes);
    number(out, "terrane_stream_limit_bytes", "gauge", "Bytes that may be set aside for them; 0: no limit.",
           g->stream_limit_bytes);
    gauge(out, "terrane_inflight", "Requests that wait for a job.", &m->inflight);
    gauge(out, "terrane_queue_depth", "Jobs that wait for a worker.", &m->queue_depth);
    gauge(out, "terrane_parked", "Jobs that wait for regions.", &m->parked);
    gauge(out, "terrane_abroad", "Jobs that wait for what another node makes.", &m->remote_pending);
    head(out, "terrane_queue_tiles", "gauge", "Tiles that wait to be made, by class.");
    for (int c = 0; c < CLASSES; c++)
        fprintf(out, "terrane_queue_tiles{class=\"%s\"} %" PRIdFAST64 "\n", metric_class_name[c],
                atomic_load_explicit(&m->queue_class[c], memory_order_relaxed));
    number(out, "terrane_queue_limit_tiles", "gauge", "Tiles that may wait to be made.", g->queue_limit);
    histograms(out, "terrane_wait_seconds", "Time from a tile's asking until it was begun, by class.",
               "class", metric_class_name, m->wait, CLASSES);
}

static void work_text(FILE *out, const struct metrics *m)
{
    counters(out, "terrane_renders_total", "Tiles made, by layer.", "layer", tile_layer_name, m->renders,
             LAYERS);
    counters(out, "terrane_regions_total", "Regions made for tiles, by product.", "product",
             terrane_region_name, m->regions, TERRANE_REGIONS);
    counter(out, "terrane_coalesced_total", "Requests that joined a job under way.", &m->coalesced);
    counter(out, "terrane_dropped_total", "Jobs not started because every client had left.", &m->dropped);
    counter(out, "terrane_failed_total", "Jobs that ran out of memory.", &m->failed);
    histograms(out, "terrane_stage_seconds", "Time that jobs spend, by stage.", "stage", stage_name, m->stage,
               STAGES);
    counters(out, "terrane_prefetch_tiles_total", "Tiles that prefetches asked for, by what came of it.",
             "result", prefetch_name, m->prefetch, PREFETCHES);
    counter(out, "terrane_prefetch_made_total",
            "Tiles made for nobody but a prefetch, and regions for a drop that comes later.",
            &m->prefetch_made);
    counter(out, "terrane_prefetch_used_total", "Those of them that were asked for later.",
            &m->prefetch_used);
    counter(out, "terrane_prefetch_dropped_total", "Tiles of prefetches that were not begun in time.",
            &m->prefetch_dropped);
}

static void cache_text(FILE *out, const struct metrics *m, const struct cache_gauges *g)
{
    const int all = TIER_SHARED + 1;
    _Static_assert(TIER_MEMORY == 0 && TIER_DISK == 1 && TIER_SHARED == 2, "those that have hits come first");

    counters(out, "terrane_cache_hits_total", "Tiles found, by cache tier.", "tier", metric_tier_name,
             m->hits, all);
    counters(out, "terrane_region_hits_total", "Regions found, by cache tier.", "tier", metric_tier_name,
             m->region_hits, all);
    counter(out, "terrane_cache_misses_total", "Tiles not found in memory.", &m->misses);
    tiers(out, "terrane_cache_bytes", "gauge", "Bytes held.", g->memory.bytes, g->disk.bytes);
    tiers(out, "terrane_cache_budget_bytes", "gauge", "Bytes that may be held.", g->memory_budget_bytes,
          g->disk_budget_bytes);
    tiers(out, "terrane_cache_entries", "gauge", "Tiles and regions held.", g->memory.entries, g->disk.rows);
    tiers(out, "terrane_cache_evictions_total", "counter", "Tiles and regions evicted.", g->memory.evictions,
          g->disk.evicted);
    number(out, "terrane_disk_stores_total", "counter", "Tiles and regions written to disk.", g->disk.stores);
    number(out, "terrane_disk_dropped_total", "counter",
           "Tiles and regions not written: queue full or disk unwell.", g->disk.dropped);
    number(out, "terrane_disk_damaged_total", "counter", "Stored tiles and regions that failed verification.",
           g->disk.damaged);
    number(out, "terrane_disk_errors_total", "counter", "Failed disk operations.", g->disk.errors);
    number(out, "terrane_disk_degraded", "gauge", "1 while the disk tier is not in service.",
           g->disk.degraded != 0);
}

static void shared_text(FILE *out, const struct remote_stats *g)
{
    number(out, "terrane_shared_hits_total", "counter", "Intact entries that the shared tier had.", g->hits);
    number(out, "terrane_shared_misses_total", "counter", "Looks that found nothing there.", g->misses);
    number(out, "terrane_shared_stores_total", "counter", "Entries stored there.", g->stores);
    number(out, "terrane_shared_dropped_total", "counter",
           "Entries not stored there: queue full or tier unwell.", g->dropped);
    number(out, "terrane_shared_damaged_total", "counter", "Entries of it that failed verification.",
           g->damaged);
    number(out, "terrane_shared_errors_total", "counter",
           "Operations on it that failed: connection, deadline, protocol.", g->errors);
    number(out, "terrane_shared_refused_total", "counter",
           "Commands that it answered with an error: full, read-only, no permission.", g->refused);
    head(out, "terrane_shared_leases_total", "counter", "Leases asked for, by the answer.");
    for (int i = 0; i < REMOTE_LEASES; i++)
        fprintf(out, "terrane_shared_leases_total{answer=\"%s\"} %" PRIu64 "\n", lease_name[i], g->leases[i]);
    head(out, "terrane_shared_bytes_total", "counter", "Payload that came from it, and went there.");
    fprintf(out, "terrane_shared_bytes_total{direction=\"in\"} %" PRIu64 "\n", g->bytes_in);
    fprintf(out, "terrane_shared_bytes_total{direction=\"out\"} %" PRIu64 "\n", g->bytes_out);
    number(out, "terrane_shared_breaker_opened_total", "counter", "Times that its breaker opened.",
           g->opened);
    number(out, "terrane_shared_breaker_open", "gauge", "1 while the shared tier is not asked: it failed.",
           g->open != 0);
}

static void service_text(FILE *out, const struct metrics *m, const struct cache_gauges *g)
{
    head(out, "terrane_build_info", "gauge", "Version, generator and kernels.");
    fprintf(out, "terrane_build_info{version=\"%s\",generator=\"%d\",isa=\"%s\"} 1\n", TERRANE_VERSION,
            TERRANE_GENERATOR_VERSION, terrane_isa());
    number(out, "terrane_ready", "gauge", "1 while /readyz says so.", g->ready != 0);
    number(out, "terrane_draining", "gauge", "1 while the server finishes what is under way before it ends.",
           g->draining != 0);
    counters(out, "terrane_reloads_total", "Readings of the configuration anew, by what came of it.",
             "result", reload_name, m->reloads, 2);
    gauge(out, "terrane_files_changed",
          "Files of heights that have changed on the disk since they were read: a reload makes other worlds "
          "of them.",
          &m->files_changed);
    counter(out, "terrane_access_log_dropped_total",
            "Lines of the access log that were not written: its queue was full or its file failed.",
            &m->access_log_dropped);
}

/* Writes the process metrics under their conventional names. */
static void process_text(FILE *out)
{
    struct process_stats p;

    process_stats_read(&p);
    head(out, "process_cpu_seconds_total", "counter", "Processor time of user and system.");
    fprintf(out, "process_cpu_seconds_total %.6f\n", p.cpu_s);
    if (p.has_start) {
        head(out, "process_start_time_seconds", "gauge", "When the process was started, since the epoch.");
        fprintf(out, "process_start_time_seconds %.2f\n", p.start_s);
    }
    if (p.has_resident)
        number(out, "process_resident_memory_bytes", "gauge", "Memory that is resident.", p.resident_bytes);
    if (p.has_descriptors)
        number(out, "process_open_fds", "gauge", "Open descriptors.", p.descriptors);
    if (p.has_descriptors_max)
        number(out, "process_max_fds", "gauge", "Descriptors that may be open.", p.descriptors_max);
}

char *metrics_text(const struct metrics *metrics, const struct cache_gauges *gauges, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    if (!out)
        return NULL;
    service_text(out, metrics, gauges);
    requests_text(out, metrics);
    overload_text(out, metrics, gauges);
    work_text(out, metrics);
    cache_text(out, metrics, gauges);
    shared_text(out, &gauges->shared);
    process_text(out);
    return text_end(out, &text);
}
