/*
 * Counters and their text (server/observe/metrics.c). That it is Prometheus' format, and what requests bring about:
 * tests/http/test_metrics.py.
 */
#include "../unit.h"

#include "../../../server/observe/metrics.h"

static char *text;

static void scrape(const struct metrics *metrics)
{
    static const struct cache_gauges none;
    size_t bytes = 0;
    free(text);
    text = metrics_text(metrics, &none, &bytes);
    assert_non_null(text);
    assert_int_equal(strlen(text), bytes);
}

static void assert_value(const char *series, double expected)
{
    char line[220];
    snprintf(line, sizeof line, "\n%s ", series);
    const char *at = strstr(text, line);
    if (!at || strtod(at + strlen(line), NULL) != expected)
        fail_msg("%s: %.20s, not %g", series, at ? at + strlen(line) : "no such series", expected);
}

/* Every status that the contract names has a series of its own, on every route. */
TEST(statuses_of_the_contract_are_known)
{
    static const unsigned statuses[] = {200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 409,
                                        410, 412, 413, 414, 416, 421, 422, 429, 500, 503, 507};
    static struct metrics metrics;
    int found = 0;

    for (int route = 0; route < ROUTES; route++)
        for (size_t s = 0; s < sizeof statuses / sizeof *statuses; s++)
            metrics_request(&metrics, (enum route)route, statuses[s]);
    scrape(&metrics);
    for (const char *at = text; (at = strstr(at, "\nterrane_requests_total{")); at++, found++) {
        const char *end = strchr(at + 1, '\n');
        assert_memory_equal(end - 3, "} 1", 3);
        assert_null(memmem(at, (size_t)(end - at), "other", 5));
    }
    assert_int_equal(found, ROUTES * (int)(sizeof statuses / sizeof *statuses));
}

/* Each counter and gauge of overload, life and prefetch under the name of what it counts: every one has a number of its own. */
TEST(every_member_has_its_series)
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
    for (int i = 0; i < COUNTERS; i++)
        metrics_add((atomic_uint_fast64_t *)((char *)&metrics + counter[i].at), 100u + (unsigned)i);
    for (int class = 0; class < CLASSES; class ++) {
        metrics_move(&metrics.queue_class[class], 7 + class);
        for (int i = 0; i <= class; i++)
            metrics_observe(&metrics.wait[class], 30000);
    }
    scrape(&metrics);
    for (int i = 0; i < COUNTERS; i++)
        assert_value(counter[i].series, 100 + i);
    for (int class = 0; class < CLASSES; class ++) {
        static const struct {
            const char *name, *more;
        } row[] = {{"terrane_queue_tiles", ""},
                   {"terrane_wait_seconds_bucket", ",le=\"2.5e-05\""},
                   {"terrane_wait_seconds_bucket", ",le=\"5e-05\""}};
        const int expected[] = {7 + class, 0, class + 1};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            char series[100];
            snprintf(series, sizeof series, "%s{class=\"%s\"%s}", row[i].name, metric_class_name[class],
                     row[i].more);
            assert_value(series, expected[i]);
        }
    }
}

GROUP(metrics);
