/*
 * The operators' listener: probes and metrics for all that reach it, the rest for those with the token.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/json_text.h"
#include "guard.h"
#include "http.h"

/* ---- Reading ------------------------------------------------------------------------------------------- */

static void gauges_fill(const struct request *request, struct cache_gauges *gauges)
{
    const struct service *service = request->service;
    const struct config *config = &request->settings->config;
    struct follow_state follow = {.worlds = 0};
    if (service->follow)
        follow_tell_all(service->follow, &follow);
    *gauges = (struct cache_gauges){
        .memory_budget_bytes = config->cache.memory_bytes,
        .disk_budget_bytes = service->disk ? config->cache.disk_bytes : 0,
        .queue_limit = config->render.queue,
        .connections_limit = config->http.connections,
        .stream_limit_bytes = config->limits.stream_bytes,
        .ready = http_ready(service),
        .draining = atomic_load(&service->draining),
        .follow = {follow.worlds, follow.refused, follow.behind, follow.silent_ms, follow.away},
    };
    memory_stats(service->memory, &gauges->memory);
    if (service->disk)
        disk_stats(service->disk, &gauges->disk);
    if (service->remote)
        remote_stats(service->remote, &gauges->shared);
}

static enum MHD_Result route_metrics(struct request *request)
{
    struct cache_gauges gauges;
    size_t bytes;
    gauges_fill(request, &gauges);
    char *text = metrics_text(&request->service->metrics, &gauges, &bytes);
    if (!text)
        return MHD_NO;
    const enum MHD_Result result = reply_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", text);
    free(text);
    return result;
}

static enum MHD_Result reply_object(struct request *request, json_t *object)
{
    size_t bytes;
    char *text = json_text(object, JSON_INDENT(2), &bytes);
    return text ? reply_json(request, 200, (unsigned char *)text, bytes, NULL) : MHD_NO;
}

static json_t *tier_stats(uint64_t bytes, uint64_t entries, uint64_t evictions, uint64_t budget)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "bytes", (json_int_t)bytes, "budget_bytes", (json_int_t)budget,
                     "entries", (json_int_t)entries, "evictions", (json_int_t)evictions);
}

/* NULL: there is no shared tier. */
static json_t *shared_stats(const struct service *service, const struct remote_stats *g)
{
    if (!service->remote)
        return NULL;
    return json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "well", g->open ? 0 : 1, "hits",
                     (json_int_t)g->hits, "misses", (json_int_t)g->misses, "stores", (json_int_t)g->stores,
                     "damaged", (json_int_t)g->damaged, "errors", (json_int_t)g->errors, "refused",
                     (json_int_t)g->refused);
}

/* For people; programs read /metrics. */
static enum MHD_Result route_stats(struct request *request)
{
    const struct service *service = request->service;
    const struct config_cache *cache = &request->settings->config.cache;
    const struct metrics *metrics = &service->metrics;
    struct cache_gauges g;
    uint64_t renders = 0;
    gauges_fill(request, &g);
    for (int l = 0; l < LAYERS; l++)
        renders += metrics_read(&metrics->renders[l]);
    json_t *work = json_pack("{s:I, s:I, s:I, s:I}", "renders", (json_int_t)renders, "queued",
                             (json_int_t)atomic_load(&metrics->queue_depth), "waiting",
                             (json_int_t)atomic_load(&metrics->inflight), "connections",
                             (json_int_t)atomic_load(&metrics->connections));
    return reply_object(
        request,
        json_pack("{s:s, s:i, s:s, s:b, s:s, s:i, s:i, s:o, s:o, s:o*, s:o}", "version", TERRANE_VERSION,
                  "generator", TERRANE_GENERATOR_VERSION, "isa", terrane_isa(), "ready",
                  atomic_load(&service->ready) ? 1 : 0, "log_level", log_level_name[log_get_level()],
                  "settings", (int)request->settings_version, "keys",
                  request->settings->keys ? (int)keys_count(request->settings->keys) : 0, "memory",
                  tier_stats(g.memory.bytes, g.memory.entries, g.memory.evictions, cache->memory_bytes),
                  "disk", tier_stats(g.disk.bytes, g.disk.rows, g.disk.evicted, cache->disk_bytes), "shared",
                  shared_stats(service, &g.shared), "work", work));
}

/* ---- Changing ------------------------------------------------------------------------------------------ */

/* The world of seed= and recipe=, read as a target's are; false: answered. */
static bool world_asked(struct request *request, uint64_t *world, enum MHD_Result *result)
{
    const struct target_names names = request_names(request->settings);
    const char *seed = request_argument(request, "seed"), *recipe = request_argument(request, "recipe");
    struct terrane_world found;
    struct target target;
    char path[256];
    if (!seed || strlen(seed) > 64 || strpbrk(seed, "/?%") || (recipe && strpbrk(recipe, "&%"))) {
        *result = reply_problem(request, 400, "seed",
                                "Say which world: seed= and, where it has one, recipe=; or all=1.", 0);
        return false;
    }
    snprintf(path, sizeof path, "/world/%s%s%.100s", seed, recipe ? "?recipe=" : "", recipe ? recipe : "");
    target_parse(&target, path, strlen(path), &names);
    if (target.status) {
        *result = reply_problem(request, target.status, target.parameter, target.detail, 0);
        return false;
    }
    alias_world_init(&found, &target.recipe->world, target.key.seed, target.key.alias);
    *world = 0;
    for (int i = 7; i >= 0; i--)
        *world = *world << 8 | found.digest.byte[i];
    return true;
}

static enum MHD_Result route_purge(struct request *request)
{
    struct service *service = request->service;
    const char *all = request_argument(request, "all");
    const bool everything = all && strcmp(all, "1") == 0;
    uint64_t world = 0;
    enum MHD_Result result;
    if (all && !everything)
        return reply_problem(request, 400, "all", "all is 1, or left out.", 0);
    if (everything && (request_argument(request, "seed") || request_argument(request, "recipe")))
        return reply_problem(request, 400, "all", "Say all=1, or which world; not both.", 0);
    if (!everything && !world_asked(request, &world, &result))
        return result;
    /* The disk first: what is read from it meanwhile would be in memory again. */
    const int64_t disk = service->disk ? disk_purge(service->disk, everything, world) : 0;
    const uint64_t memory = memory_purge(service->memory, everything, world);
    log_write(LOG_INFO, "admin", "purged %llu tiles and regions from memory, %lld from disk",
              (unsigned long long)memory, (long long)disk);
    if (disk < 0)
        return reply_problem(request, 503, NULL, "Memory is purged; the disk is not well, try again later.",
                             10);
    /* The shared tier knows no worlds. What is there is what would be made again, to the byte, so it may stay. */
    return reply_object(request, json_pack("{s:I, s:I, s:s*}", "memory", (json_int_t)memory, "disk",
                                           (json_int_t)disk, "shared", service->remote ? "kept" : NULL));
}

static enum MHD_Result route_log_level(struct request *request)
{
    const char *asked = request_argument(request, "level");
    int level = 0;
    if (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0)
        return reply_object(request, json_pack("{s:s}", "level", log_level_name[log_get_level()]));
    while (level < LOG_LEVELS && (!asked || strcmp(asked, log_level_name[level]) != 0))
        level++;
    if (level == LOG_LEVELS)
        return reply_problem(request, 400, "level", "level must be one of error, warning, info, debug.", 0);
    log_set_level((enum log_level)level);
    return reply_object(request, json_pack("{s:s}", "level", log_level_name[level]));
}

static enum MHD_Result route_reload(struct request *request)
{
    char restart[400], error[CONFIG_ERROR_BYTES];
    if (service_reload(request->service, false, restart, sizeof restart, error, sizeof error) != 0)
        return reply_problem(request, 409, NULL, error, 0);
    return reply_object(request, json_pack("{s:s}", "restart", restart));
}

/* ---- The routes ---------------------------------------------------------------------------------------- */

static enum MHD_Result (*const answer[ROUTES])(struct request *request) = {
    [ROUTE_HEALTH] = route_health, [ROUTE_READY] = route_health, [ROUTE_METRICS] = route_metrics,
    [ROUTE_STATS] = route_stats,   [ROUTE_PURGE] = route_purge,  [ROUTE_LOG_LEVEL] = route_log_level,
    [ROUTE_RELOAD] = route_reload,
};

enum MHD_Result route_admin(struct request *request, const char *method)
{
    const enum route route = request->target.route;
    enum MHD_Result result;
    if (guard_check(request, &result))
        return result;
    if (!answer[route])
        return reply_problem(request, 404, "path",
                             "Here are /metrics, /healthz, /readyz, /stats, /purge, /log-level and /reload.",
                             0);
    if (method_check(request, method, &result) || (route_row[route].guarded && guard_admin(request, &result)))
        return result;
    return answer[route](request);
}
