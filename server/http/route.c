/*
 * From a request to its reply: the contract's order of checks. What needs no tile is answered here and now; a
 * tile is looked for in memory, and only then asked of the pool, with the connection suspended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <xxhash.h>

#include "../check.h"
#include "../encode/describe.h"
#include "../recipe/recipe_json.h"
#include "request.h"

/* The world that a target names; the last one of this thread is kept, since its digest takes longer than a hit. */
static const struct terrane_world *world_of(const struct target *target)
{
    static _Thread_local struct terrane_world world;
    if (world.recipe != &target->recipe->world || world.seed != target->key.seed)
        terrane_world_init(&world, &target->recipe->world, target->key.seed);
    return &world;
}

/* ---- Waiting for the pool ------------------------------------------------------------------------------ */

static struct request *request_of(struct waiter *waiter)
{
    struct request *request = (struct request *)((char *)waiter - offsetof(struct request, waiter));
    CHECK(request->magic == REQUEST_MAGIC);
    return request;
}

static void wake(struct waiter *waiter)
{
    MHD_resume_connection(request_of(waiter)->connection);
}

/* libmicrohttpd does not watch a suspended connection: peek. An end of stream means the client has gone, or
 * will not read. */
static bool left(struct waiter *waiter)
{
    char byte;
    const ssize_t n = recv(request_of(waiter)->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

enum MHD_Result route_woken(struct request *request)
{
    switch (request->waiter.outcome) {
    case POOL_DONE:
        return reply_tile_made(request);
    case POOL_FULL:
        return reply_problem(request, 503, NULL, "The render queue is full; try again shortly.", 1);
    case POOL_EXPIRED:
        return reply_problem(request, 503, NULL, "The tile was not ready in time; try again shortly.", 1);
    case POOL_STOPPED:
        return reply_problem(request, 503, NULL, "The server is stopping; try again shortly.", 1);
    case POOL_FAILED:
        return reply_problem(request, 503, NULL, "The server is short of memory; try again shortly.", 2);
    case POOL_GONE:
    default:
        return MHD_NO;
    }
}

/* Suspends first: the pool may wake the request before it returns. */
static enum MHD_Result ask_pool(struct request *request, const struct digest *digest)
{
    request->waiter.wake = wake;
    request->waiter.left = left;
    request->waiting = true;
    MHD_suspend_connection(request->connection);
    if (!pool_submit(request->service->pool, &request->target.key, digest, &request->world, &request->waiter))
        MHD_resume_connection(request->connection);
    return MHD_YES;
}

/* ---- Routes -------------------------------------------------------------------------------------------- */

static const char *header(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result target_problem(struct request *request)
{
    const struct target *target = &request->target;
    return reply_problem(request, target->status, target->parameter, target->detail, 0);
}

/* 32 hexadecimal digits in quotes. By hand: formatting them was a hundredth of a hit. */
static void etag_write(char etag[36], const struct digest *digest)
{
    static const char digit[] = "0123456789abcdef";
    char *at = etag;
    *at++ = '"';
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = digit[digest->high >> shift & 15];
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = digit[digest->low >> shift & 15];
    *at++ = '"';
    *at = 0;
}

/*
 * Whether a URL with v= means the same world for ever. Recipes that ship do not change without the generator's
 * version; an operator's files, and what the configuration names or makes the default, may change at any start.
 */
static bool is_lasting(const struct target *target)
{
    const struct recipe *recipe = target->recipe;
    const bool means_itself = target->names_recipe || strcmp(recipe->name, RECIPE_SHIPPED_DEFAULT) == 0;
    return recipe->shipped && means_itself && !target->configured;
}

static enum MHD_Result route_tile(struct request *request, bool head)
{
    struct target *target = &request->target;
    struct metrics *metrics = &request->service->metrics;
    if (target->negotiated)
        target_finish(target, accept_choose(header(request, "Accept")));
    if (target->status)
        return target_problem(request);

    target->pinned = target->pinned && is_lasting(target);
    request->world = *world_of(target);
    if (target->recipe != request->service->worlds.standard)
        target->key.recipe = target->recipe->name;
    const struct digest digest = tile_key_digest(&target->key, &request->world);
    etag_write(request->etag, &digest);
    const char *known = header(request, "If-None-Match");
    if (known && etag_matches(known, request->etag))
        return reply_not_modified(request, request->etag);

    struct blob *blob = memory_get(request->service->memory, &digest);
    if (blob) {
        metrics_add(&metrics->hits[TIER_MEMORY], 1);
        return reply_tile_view(request, blob);
    }
    if (head)
        return reply_tile_head(request);
    metrics_add(&metrics->misses, 1);
    return ask_pool(request, &digest);
}

/* The text itself makes the ETag: names of terms and descriptions are in no digest. */
static enum MHD_Result route_world(struct request *request)
{
    struct target *target = &request->target;
    const struct recipe *recipe = target->recipe;
    target->pinned = target->pinned && is_lasting(target);
    const struct world_facts facts = {
        .recipe = recipe->name,
        .description = recipe->description,
        .standard = recipe == request->service->worlds.standard,
    };
    char etag[36];
    unsigned char *data;
    size_t bytes;
    if (describe_world(world_of(target), &facts, &data, &bytes) != 0)
        return MHD_NO;
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    etag_write(etag, &(struct digest){.low = hash.low64, .high = hash.high64});
    const char *known = header(request, "If-None-Match");
    if (known && etag_matches(known, etag)) {
        free(data);
        return reply_not_modified(request, etag);
    }
    return reply_json(request, data, bytes, etag);
}

static enum MHD_Result route_health(struct request *request)
{
    return reply_text(request, 200, "text/plain; charset=utf-8", "ok\n");
}

static enum MHD_Result route_ready(struct request *request)
{
    if (atomic_load(&request->service->ready))
        return reply_text(request, 200, "text/plain; charset=utf-8", "ready\n");
    return reply_text(request, 503, "text/plain; charset=utf-8", "not ready: starting or stopping\n");
}

static enum MHD_Result route_metrics(struct request *request)
{
    struct service *service = request->service;
    struct memory_stats memory;
    struct disk_stats disk = {0};
    size_t bytes;
    memory_stats(service->memory, &memory);
    if (service->disk)
        disk_stats(service->disk, &disk);
    const struct cache_gauges gauges = {
        .memory_bytes = memory.bytes,
        .memory_entries = memory.entries,
        .memory_evictions = memory.evictions,
        .disk_bytes = disk.bytes,
        .disk_entries = disk.rows,
        .disk_evictions = disk.evicted,
        .disk_stores = disk.stores,
        .disk_dropped = disk.dropped,
        .disk_damaged = disk.damaged,
        .disk_errors = disk.errors,
        .disk_degraded = disk.degraded,
    };
    char *text = metrics_text(&service->metrics, &gauges, &bytes);
    if (!text)
        return MHD_NO;
    const enum MHD_Result result = reply_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", text);
    free(text);
    return result;
}

/* What no route need look at. true: answered, *result says how. */
static bool line_check(struct request *request, enum MHD_Result *result)
{
    if (request->too_long)
        *result = reply_problem(request, 414, NULL, "The request target is too long.", 0);
    else if (request->no_host)
        *result = reply_problem(request, 400, "Host", "HTTP/1.1 requests need a Host header.", 0);
    else
        return false;
    return true;
}

/* Methods, once the path is known to lead somewhere. true: answered, *result says how. */
static bool method_check(struct request *request, const char *method, enum MHD_Result *result)
{
    if (strcmp(method, "OPTIONS") == 0)
        *result = reply_preflight(request);
    else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        *result = reply_problem(request, 405, NULL, "Use GET, HEAD or OPTIONS.", 0);
    else
        return false;
    return true;
}

static enum MHD_Result not_here(struct request *request)
{
    return reply_problem(request, 404, "path",
                         "There is nothing here; tiles are at /tile/{seed}/{lod}/{x}/{y}.", 0);
}

enum MHD_Result route_public(struct request *request, const char *method)
{
    struct target *target = &request->target;
    enum MHD_Result result;
    if (line_check(request, &result))
        return result;
    if (target->route == ROUTE_METRICS)
        return not_here(request);
    if (target->route == ROUTE_UNKNOWN)
        return target_problem(request);
    if (method_check(request, method, &result))
        return result;
    if (target->status)
        return target_problem(request);
    switch (target->route) {
    case ROUTE_TILE:
        return route_tile(request, strcmp(method, "HEAD") == 0);
    case ROUTE_WORLD:
        return route_world(request);
    case ROUTE_HEALTH:
        return route_health(request);
    default:
        return route_ready(request);
    }
}

enum MHD_Result route_admin(struct request *request, const char *method)
{
    const enum metric_route route = request->target.route;
    enum MHD_Result result;
    if (line_check(request, &result))
        return result;
    if (route != ROUTE_METRICS && route != ROUTE_HEALTH && route != ROUTE_READY)
        return reply_problem(request, 404, "path", "Here are /metrics, /healthz and /readyz.", 0);
    if (method_check(request, method, &result))
        return result;
    return route == ROUTE_METRICS  ? route_metrics(request)
           : route == ROUTE_HEALTH ? route_health(request)
                                   : route_ready(request);
}
