/*
 * Counters and their text (server/observe/metrics.c), read as a scraper reads it: every line has to be a comment of
 * the exposition format or a sample of the family announced before it.
 */
#include "../unit.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../../../server/observe/metrics.h"

enum { SAMPLES_MOST = 1000, FAMILIES_MOST = 100 };

struct sample {
    char series[200]; /* name and labels as they stand */
    double value;
};

static struct sample sample[SAMPLES_MOST];
static char family[FAMILIES_MOST][80], type[FAMILIES_MOST][20];
static int samples, families;

/* ---- Reading ------------------------------------------------------------------------------------------- */

static size_t name_bytes(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == ':')
        n++;
    assert_true(n > 0 && !isdigit((unsigned char)text[0]));
    return n;
}

static void read_head(const char *line)
{
    static char helped[80];
    const bool help = strncmp(line, "# HELP ", 7) == 0;

    assert_true(help || strncmp(line, "# TYPE ", 7) == 0);
    line += 7;
    const size_t n = name_bytes(line);
    assert_int_equal(line[n], ' ');
    if (help) {
        assert_in_range(n, 1, sizeof helped - 1);
        snprintf(helped, sizeof helped, "%.*s", (int)n, line);
        assert_true(strlen(line + n) > 5); /* says something */
        return;
    }
    assert_true(strlen(helped) == n && memcmp(helped, line, n) == 0);
    for (int f = 0; f < families; f++)
        assert_string_not_equal(family[f], helped);
    assert_in_range(families, 0, FAMILIES_MOST - 1);
    memcpy(family[families], helped, n + 1);
    snprintf(type[families], sizeof type[0], "%s", line + n + 1);
    assert_true(strcmp(line + n + 1, "counter") == 0 || strcmp(line + n + 1, "gauge") == 0 ||
                strcmp(line + n + 1, "histogram") == 0);
    const bool total = n > 6 && strcmp(helped + n - 6, "_total") == 0;
    assert_int_equal(total, strcmp(type[families], "counter") == 0);
    families++;
}

/* name{label="value",...}: letters, and values that need no escape. */
static size_t labels_bytes(const char *text)
{
    size_t n = 1;

    if (*text != '{')
        return 0;
    for (;;) {
        n += name_bytes(text + n);
        assert_memory_equal(text + n, "=\"", 2);
        n += 2;
        n += strcspn(text + n, "\"\\\n");
        assert_int_equal(text[n], '"');
        n++;
        if (text[n] == '}')
            return n + 1;
        assert_int_equal(text[n++], ',');
    }
}

static void read_sample(const char *line)
{
    const size_t n = name_bytes(line), series = n + labels_bytes(line + n);
    char *end;

    assert_true(families > 0);
    const char *const name = family[families - 1];
    const size_t base = strlen(name);
    assert_true(n >= base && memcmp(line, name, base) == 0);
    if (strcmp(type[families - 1], "histogram") == 0)
        assert_true(strncmp(line + base, "_bucket{", 8) == 0 || strncmp(line + base, "_sum{", 5) == 0 ||
                    strncmp(line + base, "_count{", 7) == 0);
    else
        assert_int_equal(n, base);
    assert_int_equal(line[series], ' ');
    assert_in_range(samples, 0, SAMPLES_MOST - 1);
    assert_in_range(series, 1, sizeof sample[0].series - 1);
    snprintf(sample[samples].series, sizeof sample[0].series, "%.*s", (int)series, line);
    sample[samples].value = strtod(line + series + 1, &end);
    assert_true(end > line + series + 1 && *end == '\0');
    for (int s = 0; s < samples; s++)
        assert_string_not_equal(sample[s].series, sample[samples].series);
    samples++;
}

static void scrape(const struct metrics *metrics, const struct cache_gauges *gauges)
{
    size_t bytes = 0;
    char *const text = metrics_text(metrics, gauges, &bytes);

    samples = families = 0;
    assert_non_null(text);
    assert_int_equal(strlen(text), bytes);
    assert_true(bytes > 0 && text[bytes - 1] == '\n');
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        (*line == '#' ? read_head : read_sample)(line);
    }
    free(text);
}

static bool value_find(const char *series, double *value)
{
    for (int s = 0; s < samples; s++)
        if (strcmp(sample[s].series, series) == 0) {
            *value = sample[s].value;
            return true;
        }
    return false;
}

static double value_of(const char *series)
{
    double value = NAN;

    if (!value_find(series, &value))
        fail_msg("no series %s", series);
    return value;
}

static void assert_value(const char *series, double expected)
{
    const double value = value_of(series);

    if (value != expected)
        fail_msg("%s is %.17g, not %.17g", series, value, expected);
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static const struct cache_gauges no_gauges;

static void an_idle_server_has_its_series(void **state)
{
    static struct metrics metrics;
    static const char *const zero[] = {
        "terrane_cache_misses_total",
        "terrane_coalesced_total",
        "terrane_dropped_total",
        "terrane_expired_total",
        "terrane_refused_total{class=\"waiting\"}",
        "terrane_limited_total{bucket=\"tiles\"}",
        "terrane_connections_refused_total{why=\"descriptors\"}",
        "terrane_connections_cut_total{why=\"send\"}",
        "terrane_prefetch_tiles_total{result=\"cached\"}",
        "terrane_reloads_total{result=\"refused\"}",
        "terrane_coded_bytes_total{side=\"before\"}",
        "terrane_queue_tiles{class=\"bulk\"}",
        "terrane_wait_seconds_count{class=\"bulk\"}",
        "terrane_ready",
        "terrane_failed_total",
        "terrane_queue_depth",
        "terrane_inflight",
        "terrane_connections",
        "terrane_renders_total{layer=\"height\"}",
        "terrane_renders_total{layer=\"partition\"}",
        "terrane_cache_hits_total{tier=\"memory\"}",
        "terrane_cache_hits_total{tier=\"disk\"}",
        "terrane_cache_hits_total{tier=\"shared\"}",
        "terrane_disk_degraded",
        "terrane_shared_hits_total",
        "terrane_shared_leases_total{answer=\"theirs\"}",
        "terrane_shared_breaker_open",
        "terrane_abroad",
        "terrane_request_seconds_count{tier=\"memory\"}",
        "terrane_stage_seconds_sum{stage=\"encode\"}",
    };
    char series[200];

    (void)state;
    scrape(&metrics, &no_gauges);
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        assert_value(zero[i], 0);
    snprintf(series, sizeof series, "terrane_build_info{version=\"%s\",generator=\"%d\",isa=\"%s\"}",
             TERRANE_VERSION, TERRANE_GENERATOR_VERSION, terrane_isa());
    assert_value(series, 1);
}

static void requests_are_told_apart(void **state)
{
    static struct metrics metrics;
    double value;

    (void)state;
    for (int i = 0; i < 3; i++)
        metrics_request(&metrics, ROUTE_TILE, 200);
    metrics_request(&metrics, ROUTE_TILE, 503);
    metrics_request(&metrics, ROUTE_WORLD, 404);
    metrics_request(&metrics, ROUTE_UNKNOWN, 418);
    metrics_request(&metrics, ROUTE_UNKNOWN, 599);
    metrics_request(&metrics, ROUTE_HEALTH, 200);
    scrape(&metrics, &no_gauges);
    assert_value("terrane_requests_total{route=\"/tile\",status=\"200\"}", 3);
    assert_value("terrane_requests_total{route=\"/tile\",status=\"503\"}", 1);
    assert_value("terrane_requests_total{route=\"/world\",status=\"404\"}", 1);
    assert_value("terrane_requests_total{route=\"/healthz\",status=\"200\"}", 1);
    assert_value("terrane_requests_total{route=\"unknown\",status=\"other\"}", 2);
    assert_false(value_find("terrane_requests_total{route=\"/tile\",status=\"404\"}", &value));
}

/* Every status that the contract names has a series of its own, on every route. */
static void statuses_of_the_contract_are_known(void **state)
{
    static const unsigned statuses[] = {200, 202, 204, 206, 304, 400, 401, 403, 404, 405,
                                        410, 411, 413, 414, 416, 421, 429, 500, 503};
    static struct metrics metrics;
    int found = 0;

    (void)state;
    for (int route = 0; route < ROUTES; route++)
        for (size_t s = 0; s < sizeof statuses / sizeof *statuses; s++)
            metrics_request(&metrics, (enum route)route, statuses[s]);
    scrape(&metrics, &no_gauges);
    for (int s = 0; s < samples; s++)
        if (strncmp(sample[s].series, "terrane_requests_total{", 23) == 0) {
            assert_null(strstr(sample[s].series, "other"));
            assert_true(sample[s].value == 1);
            found++;
        }
    assert_int_equal(found, ROUTES * (int)(sizeof statuses / sizeof *statuses));
}

static void counters_and_gauges_are_shown(void **state)
{
    static struct metrics metrics;
    const struct cache_gauges gauges = {
        .memory_bytes = 11,
        .memory_entries = 12,
        .memory_evictions = 13,
        .memory_budget_bytes = 14,
        .disk_bytes = UINT64_C(1) << 53,
        .disk_entries = 22,
        .disk_evictions = 23,
        .disk_budget_bytes = 28,
        .disk_stores = 24,
        .disk_dropped = 25,
        .disk_damaged = 26,
        .disk_errors = 27,
        .disk_degraded = 1,
        .shared = {.hits = 41,
                   .misses = 42,
                   .stores = 43,
                   .dropped = 44,
                   .damaged = 45,
                   .errors = 46,
                   .refused = 47,
                   .leases = {48, 49, 50, 51},
                   .opened = 52,
                   .bytes_in = UINT64_C(1) << 52,
                   .bytes_out = 53,
                   .open = 2},
        .queue_limit = 29,
        .connections_limit = 30,
        .stream_limit_bytes = 31,
        .ready = 1,
        .draining = 2,
    };

    (void)state;
    metrics_add(&metrics.renders[LAYER_NORMAL], 5);
    metrics_add(&metrics.regions[METRIC_EROSION], 14);
    metrics_add(&metrics.regions[METRIC_LAKES], 15);
    metrics_add(&metrics.region_hits[TIER_MEMORY], 16);
    metrics_add(&metrics.region_hits[TIER_DISK], 17);
    metrics_add(&metrics.hits[TIER_MEMORY], 6);
    metrics_add(&metrics.hits[TIER_DISK], 7);
    metrics_add(&metrics.hits[TIER_SHARED], 20);
    metrics_add(&metrics.region_hits[TIER_SHARED], 21);
    metrics_move(&metrics.abroad, 22);
    metrics_add(&metrics.misses, 8);
    metrics_add(&metrics.coalesced, 9);
    metrics_add(&metrics.dropped, 10);
    metrics_add(&metrics.expired, 11);
    metrics_add(&metrics.failed, 13);
    metrics_move(&metrics.queue_depth, 3);
    metrics_move(&metrics.queue_depth, -1);
    metrics_move(&metrics.parked, 18);
    metrics_move(&metrics.inflight, -4); /* wrong, and shown as it is */
    metrics_move(&metrics.connections, 1000000);
    metrics_move(&metrics.stream_bytes, 19);
    scrape(&metrics, &gauges);
    assert_value("terrane_renders_total{layer=\"normal\"}", 5);
    assert_value("terrane_regions_total{product=\"erosion\"}", 14);
    assert_value("terrane_regions_total{product=\"lakes\"}", 15);
    assert_value("terrane_region_hits_total{tier=\"memory\"}", 16);
    assert_value("terrane_region_hits_total{tier=\"disk\"}", 17);
    assert_value("terrane_parked", 18);
    assert_value("terrane_cache_hits_total{tier=\"memory\"}", 6);
    assert_value("terrane_cache_hits_total{tier=\"disk\"}", 7);
    assert_value("terrane_cache_misses_total", 8);
    assert_value("terrane_coalesced_total", 9);
    assert_value("terrane_dropped_total", 10);
    assert_value("terrane_expired_total", 11);
    assert_value("terrane_failed_total", 13);
    assert_value("terrane_queue_depth", 2);
    assert_value("terrane_inflight", -4);
    assert_value("terrane_connections", 1000000);
    assert_value("terrane_cache_bytes{tier=\"memory\"}", 11);
    assert_value("terrane_cache_entries{tier=\"memory\"}", 12);
    assert_value("terrane_cache_budget_bytes{tier=\"memory\"}", 14);
    assert_value("terrane_cache_budget_bytes{tier=\"disk\"}", 28);
    assert_value("terrane_queue_limit_tiles", 29);
    assert_value("terrane_connections_limit", 30);
    assert_value("terrane_stream_limit_bytes", 31);
    assert_value("terrane_stream_bytes", 19);
    assert_value("terrane_ready", 1);
    assert_value("terrane_draining", 1);
    assert_value("terrane_cache_evictions_total{tier=\"memory\"}", 13);
    assert_value("terrane_cache_bytes{tier=\"disk\"}", 0x1p53);
    assert_value("terrane_cache_entries{tier=\"disk\"}", 22);
    assert_value("terrane_cache_evictions_total{tier=\"disk\"}", 23);
    assert_value("terrane_disk_stores_total", 24);
    assert_value("terrane_disk_dropped_total", 25);
    assert_value("terrane_disk_damaged_total", 26);
    assert_value("terrane_disk_errors_total", 27);
    assert_value("terrane_disk_degraded", 1);
    assert_value("terrane_cache_hits_total{tier=\"shared\"}", 20);
    assert_value("terrane_region_hits_total{tier=\"shared\"}", 21);
    assert_value("terrane_abroad", 22);
    assert_value("terrane_shared_hits_total", 41);
    assert_value("terrane_shared_misses_total", 42);
    assert_value("terrane_shared_stores_total", 43);
    assert_value("terrane_shared_dropped_total", 44);
    assert_value("terrane_shared_damaged_total", 45);
    assert_value("terrane_shared_errors_total", 46);
    assert_value("terrane_shared_refused_total", 47);
    assert_value("terrane_shared_leases_total{answer=\"ours\"}", 48);
    assert_value("terrane_shared_leases_total{answer=\"theirs\"}", 49);
    assert_value("terrane_shared_leases_total{answer=\"found\"}", 50);
    assert_value("terrane_shared_leases_total{answer=\"none\"}", 51);
    assert_value("terrane_shared_breaker_opened_total", 52);
    assert_value("terrane_shared_bytes_total{direction=\"in\"}", 0x1p52);
    assert_value("terrane_shared_bytes_total{direction=\"out\"}", 53);
    assert_value("terrane_shared_breaker_open", 1);
}

/*
 * Reads one histogram's buckets; checks that bounds rise, that counts never fall, and that the last is all.
 */
static int buckets_of(const char *prefix, double bound[40], double count[40])
{
    const size_t n = strlen(prefix);
    int buckets = 0;

    for (int s = 0; s < samples; s++) {
        const char *const series = sample[s].series;
        if (strncmp(series, prefix, n) != 0 || strncmp(series + n, ",le=\"", 5) != 0)
            continue;
        bound[buckets] = strcmp(series + n + 5, "+Inf\"}") == 0 ? INFINITY : strtod(series + n + 5, NULL);
        count[buckets] = sample[s].value;
        assert_true(buckets == 0 || bound[buckets] > bound[buckets - 1]);
        assert_true(buckets == 0 || count[buckets] >= count[buckets - 1]);
        buckets++;
        assert_in_range(buckets, 1, 39);
    }
    assert_true(buckets > 1 && isinf(bound[buckets - 1]));
    return buckets;
}

static void histograms_are_cumulative(void **state)
{
    static const uint64_t ns[] = {0,          1,          24999,      25000,      25001,         50000,
                                  1000000,    1000001,    7000000,    250000000,  250000001,     999999999,
                                  1000000000, 4999999999, 5000000000, 5000000001, 86400000000000};
    enum { COUNT = sizeof ns / sizeof *ns };
    static struct metrics metrics;
    double bound[40], count[40], sum = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        metrics_observe(&metrics.latency[TIER_DISK], ns[i]);
        sum += (double)ns[i] / 1e9;
    }
    metrics_observe(&metrics.stage[STAGE_ENCODE], 30000);
    scrape(&metrics, &no_gauges);

    const int buckets = buckets_of("terrane_request_seconds_bucket{tier=\"disk\"", bound, count);
    assert_int_equal(buckets, METRIC_BUCKETS + 1);
    for (int b = 0; b < buckets; b++) {
        int expected = 0; /* "le": what is as long as the bound is inside */
        for (int i = 0; i < COUNT; i++)
            expected += (double)ns[i] <= bound[b] * 1e9 + 1e-3;
        if (count[b] != expected)
            fail_msg("le %g: %g instead of %d", bound[b], count[b], expected);
    }
    assert_value("terrane_request_seconds_count{tier=\"disk\"}", COUNT);
    assert_true(fabs(value_of("terrane_request_seconds_sum{tier=\"disk\"}") - sum) < 1e-8);

    for (int tier = 0; tier < TIERS; tier++) {
        char prefix[100];
        snprintf(prefix, sizeof prefix, "terrane_request_seconds_bucket{tier=\"%s\"", metric_tier_name[tier]);
        assert_int_equal(buckets_of(prefix, bound, count), METRIC_BUCKETS + 1);
        assert_true(count[METRIC_BUCKETS] == (tier == TIER_DISK ? COUNT : 0));
    }
    assert_int_equal(buckets_of("terrane_stage_seconds_bucket{stage=\"encode\"", bound, count),
                     METRIC_BUCKETS + 1);
    assert_true(count[0] == 0 && count[1] == 1);
    assert_value("terrane_stage_seconds_sum{stage=\"encode\"}", 30e-6);
}

/* Each counter and gauge of overload, life and prefetch under the name of what it counts: every one has a number of its own. */
static void every_member_has_its_series(void **state)
{
    static const struct {
        const char *series;
        size_t at; /* in struct metrics */
    } counter[] = {
#define OF(member, series) {series, offsetof(struct metrics, member)}
        OF(refused[CLASS_WAITING], "terrane_refused_total{class=\"waiting\"}"),
        OF(refused[CLASS_NEIGHBOUR], "terrane_refused_total{class=\"neighbour\"}"),
        OF(refused[CLASS_BULK], "terrane_refused_total{class=\"bulk\"}"),
        OF(left, "terrane_left_total"),
        OF(limited[BUCKET_TILES], "terrane_limited_total{bucket=\"tiles\"}"),
        OF(limited[BUCKET_RENDERS], "terrane_limited_total{bucket=\"renders\"}"),
        OF(connections_refused[REFUSED_LIMIT], "terrane_connections_refused_total{why=\"limit\"}"),
        OF(connections_refused[REFUSED_ADDRESS], "terrane_connections_refused_total{why=\"address\"}"),
        OF(connections_refused[REFUSED_DESCRIPTORS],
           "terrane_connections_refused_total{why=\"descriptors\"}"),
        OF(connections_cut[CUT_IDLE], "terrane_connections_cut_total{why=\"idle\"}"),
        OF(connections_cut[CUT_REQUEST], "terrane_connections_cut_total{why=\"request\"}"),
        OF(connections_cut[CUT_SEND], "terrane_connections_cut_total{why=\"send\"}"),
        OF(connections_cut[CUT_ROOM], "terrane_connections_cut_total{why=\"room\"}"),
        OF(streams_refused[STREAM_LIMIT], "terrane_streams_refused_total{why=\"limit\"}"),
        OF(streams_refused[STREAM_CLIENT], "terrane_streams_refused_total{why=\"client\"}"),
        OF(response_bytes, "terrane_response_bytes_total"),
        OF(prefetch[PREFETCH_QUEUED], "terrane_prefetch_tiles_total{result=\"queued\"}"),
        OF(prefetch[PREFETCH_CACHED], "terrane_prefetch_tiles_total{result=\"cached\"}"),
        OF(prefetch[PREFETCH_REFUSED], "terrane_prefetch_tiles_total{result=\"refused\"}"),
        OF(prefetch_made, "terrane_prefetch_made_total"),
        OF(prefetch_used, "terrane_prefetch_used_total"),
        OF(prefetch_dropped, "terrane_prefetch_dropped_total"),
        OF(reloads[0], "terrane_reloads_total{result=\"refused\"}"),
        OF(reloads[1], "terrane_reloads_total{result=\"done\"}"),
        OF(access_log_dropped, "terrane_access_log_dropped_total"),
        OF(coded_bytes[0], "terrane_coded_bytes_total{side=\"before\"}"),
        OF(coded_bytes[1], "terrane_coded_bytes_total{side=\"after\"}"),
#undef OF
    };
    enum { COUNTERS = sizeof counter / sizeof *counter };
    static struct metrics metrics;
    double bound[40], count[40];

    (void)state;
    for (int i = 0; i < COUNTERS; i++)
        metrics_add((atomic_uint_fast64_t *)((char *)&metrics + counter[i].at), 100u + (unsigned)i);
    for (int class = 0; class < CLASSES; class ++) {
        metrics_move(&metrics.queue_class[class], 7 + class);
        for (int i = 0; i <= class; i++)
            metrics_observe(&metrics.wait[class], 30000);
    }
    scrape(&metrics, &no_gauges);
    for (int i = 0; i < COUNTERS; i++)
        assert_value(counter[i].series, 100 + i);
    for (int class = 0; class < CLASSES; class ++) {
        char series[100];
        snprintf(series, sizeof series, "terrane_queue_tiles{class=\"%s\"}", metric_class_name[class]);
        assert_value(series, 7 + class);
        snprintf(series, sizeof series, "terrane_wait_seconds_bucket{class=\"%s\"", metric_class_name[class]);
        assert_int_equal(buckets_of(series, bound, count), METRIC_BUCKETS + 1);
        assert_true(count[0] == 0 && count[1] == class + 1);
    }
}

/* What the system tells of this very process. */
static void the_process_is_seen(void **state)
{
    enum { MEMORY_BYTES = 32 << 20 };
    static struct metrics metrics;
    struct rlimit descriptors;
    int fd[10];

    (void)state;
    char *const memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    scrape(&metrics, &no_gauges);
    const double open_before = value_of("process_open_fds"),
                 cpu_before = value_of("process_cpu_seconds_total");
    const double resident = value_of("process_resident_memory_bytes");
    const double age = (double)time(NULL) - value_of("process_start_time_seconds");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &descriptors), 0);
    assert_value("process_max_fds", (double)descriptors.rlim_cur);
    assert_true(open_before >= 3 && open_before < 100);
    assert_true(resident > 100e3 && resident < 10e9);
    assert_true(age > -2 && age < 600);
    memset(memory, 1, MEMORY_BYTES); /* resident from now on */
    for (int i = 0; i < 10; i++)
        assert_true((fd[i] = open("/dev/null", O_RDONLY)) >= 0);
    do /* a clock tick or more */
        scrape(&metrics, &no_gauges);
    while (value_of("process_cpu_seconds_total") < cpu_before + 0.02);
    assert_value("process_open_fds", open_before + 10);
    assert_true(value_of("process_resident_memory_bytes") > resident + 0.9 * MEMORY_BYTES);
    munmap(memory, MEMORY_BYTES);
    for (int i = 0; i < 10; i++)
        close(fd[i]);
}

UNIT(metrics)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_server_has_its_series),
        cmocka_unit_test(requests_are_told_apart),
        cmocka_unit_test(statuses_of_the_contract_are_known),
        cmocka_unit_test(counters_and_gauges_are_shown),
        cmocka_unit_test(histograms_are_cumulative),
        cmocka_unit_test(every_member_has_its_series),
        cmocka_unit_test(the_process_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
