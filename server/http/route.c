/*
 * From a request to its reply: the contract's order of checks. What needs no tile is answered here and now; a
 * tile is looked for in memory, and only then asked of the pool, with the connection suspended.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>
#include <xxhash.h>

#include "../base/check.h"
#include "../base/turn.h"
#include "../encode/coding.h"
#include "../encode/describe.h"
#include "../encode/encode.h"
#include "../recipe/recipe_json.h"
#include "edit_json.h"
#include "guard.h"
#include "http.h"

/* The last world of this thread is kept, since its digest takes longer than a hit. */
const struct terrane_world *request_world(const struct request *request)
{
    static _Thread_local struct terrane_world world;
    static _Thread_local unsigned
        version; /* of the settings: another recipe may stand in a freed one's place */
    static _Thread_local const struct alias *alias;
    const struct target *target = &request->target;
    if (version != request->settings_version || world.recipe != &target->recipe->world ||
        world.seed != target->key.seed || alias != target->key.alias)
        alias_world_init(&world, &target->recipe->world, target->key.seed, target->key.alias);
    version = request->settings_version;
    alias = target->key.alias;
    return &world;
}

/* ---- Waiting for the pool ------------------------------------------------------------------------------ */

struct request *request_of(struct waiter *waiter)
{
    struct request *request = (struct request *)((char *)waiter - offsetof(struct request, waiter));
    CHECK(request->magic == REQUEST_MAGIC);
    return request;
}

void request_wake(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    loop_resume(request->link->loop, request->connection);
}

void request_sleep(struct request *request)
{
    request->waiter.wake = request_wake;
    connection_enter(request->link, PHASE_WAIT, 0);
    MHD_suspend_connection(request->connection);
}

uint64_t request_until_ns(const struct request *request)
{
    return request->start_ns + request->ran_ns +
           (uint64_t)request->settings->config.render.deadline_ms * 1000000;
}

enum MHD_Result request_run(struct request *request, void (*run)(struct waiter *waiter),
                            enum MHD_Result (*woken)(struct request *request))
{
    const struct payer payer = guard_payer(request, BUCKET_RENDERS);
    request->woken = woken;
    request->run_ns = uv_hrtime();
    request_sleep(request);
    if (!pool_run(request->service->pool, &payer, CLASS_WAITING, run, &request->waiter))
        request_wake(&request->waiter);
    return MHD_YES;
}

/* libmicrohttpd does not watch a suspended connection. An end of stream means that the client has gone, or will not read. */
bool request_left(struct waiter *waiter)
{
    struct pollfd end = {.fd = request_of(waiter)->link->socket, .events = POLLRDHUP};
    return poll(&end, 1, 0) == 1;
}

/* A client pays for what it got: the render's token goes back where nothing was made for it. */
static void give_back_unused(struct request *request)
{
    const struct waiter *waiter = &request->waiter;
    const bool got = waiter->outcome == POOL_DONE;
    if (!got)
        guard_give_back(request, BUCKET_TILES, 0);
    if (!got || waiter->tier != TIER_RENDER)
        guard_give_back(request, BUCKET_RENDERS, 0);
    else if (request->paid[BUCKET_RENDERS] == 0)
        guard_charge(request); /* it seemed to be there, or somebody else's, who has left */
}

enum MHD_Result route_woken(struct request *request)
{
    give_back_unused(request);
    return request->waiter.outcome == POOL_DONE ? reply_tile_made(request)
                                                : reply_unmade(request, request->waiter.outcome);
}

/* Suspends first: the pool may wake the request before it returns. */
static enum MHD_Result ask_pool(struct request *request, const struct digest *digest)
{
    const struct pool_ask ask = {
        .key = &request->target.key,
        .digest = digest,
        .world = &request->world,
        .owner = &request->settings->references,
        .class = priority_class(request_header(request, "Priority"), request_header(request, "Sec-Purpose")),
        .payer = guard_payer(request, BUCKET_RENDERS),
    };
    request->waiter.left = request_left;
    request->waiting = true;
    request_sleep(request);
    if (!pool_submit(request->service->pool, &ask, &request->waiter))
        request_wake(&request->waiter);
    return MHD_YES;
}

/* ---- Routes -------------------------------------------------------------------------------------------- */

static enum MHD_Result target_problem(struct request *request)
{
    const struct target *target = &request->target;
    return reply_problem(request, target->status, target->parameter, target->detail,
                         target->status == 503 ? 5 : 0);
}

/* 32 hexadecimal digits in quotes. By hand: formatting them was a hundredth of a hit. */
static void etag_write(char etag[static 36], const struct digest *digest)
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

void etag_of(char etag[static 36], const void *data, size_t bytes, uint64_t seed)
{
    const XXH128_hash_t hash = XXH3_128bits_withSeed(data, bytes, seed);
    etag_write(etag, &(struct digest){.low = hash.low64, .high = hash.high64});
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

/* Whether Accept-Encoding makes a difference: whether any coding is worthwhile. */
static bool has_codings(const struct tile_key *key)
{
    struct tile_key coded = *key;
    bool any = false;
    for (int c = CODING_IDENTITY + 1; c < CODINGS && !any; c++) {
        coded.coding = (enum tile_coding)c;
        any = tile_coding_worthwhile(&coded);
    }
    return any;
}

struct digest request_digest(struct request *request, const struct tile_key *key,
                             const struct terrane_world *world)
{
    if (!key->edits || key->at == edit_log_count(key->edits))
        return tile_key_digest(key, world);
    const struct payer payer = guard_payer(request, BUCKET_RENDERS);
    const uint64_t start_ns = turn_cpu_ns();
    const struct digest digest = tile_key_digest(key, world);
    clients_charge(&payer, turn_cpu_ns() - start_ns, uv_hrtime());
    return digest;
}

/* false: answered. */
static bool digest_charged(struct request *request, struct digest *digest, enum MHD_Result *result)
{
    if (request->target.past && guard_debt(request, result))
        return false;
    *digest = request_digest(request, &request->target.key, &request->world);
    return true;
}

uint64_t request_moment(const struct request *request)
{
    const struct tile_key *key = &request->target.key;
    const char *epoch = alias_epoch(key->alias);
    return key->at ^ (epoch ? strtoull(epoch, NULL, 16) : 0);
}

bool route_tile_resolve(struct request *request, struct digest *digest, enum MHD_Result *result)
{
    struct target *target = &request->target;
    char text[REQUEST_LIST_BYTES];
    if (target->negotiated && target->status == 0)
        target_finish(target, accept_choose_of(request_list(request, "Accept", text), target->key.layer));
    if (target->status == 0 && !settings_allow_world(request->settings, &target->key, target->recipe))
        target_refuse(target, 404, "seed", "this server serves the worlds that its configuration names");
    if (target->status) {
        *result = target_problem(request);
        return true;
    }
    if (target->route == ROUTE_TERRAIN && !target->names_extensions)
        target->key.metadata = accept_extension(request_list(request, "Accept", text), "metadata");
    const bool linked = target->key.format == FORMAT_JSON && *base_path_of(request);
    request->vary_coding = !linked && request->service->compression && has_codings(&target->key);
    if (request->vary_coding)
        tile_key_code(&target->key, request_coding(request));
    target->pinned = target->past || (target->pinned && is_lasting(target));
    request->world = *request_world(request);
    target_name_recipe(&target->key, target->recipe, request->settings->worlds.standard);
    if (!digest_charged(request, digest, result))
        return true;
    if (linked)
        etag_of(request->etag, request->prefix, strlen(request->prefix), digest->low ^ digest->high);
    else
        etag_write(request->etag, digest);
    return false;
}

bool route_tiles_resolve(struct request *request, enum tile_layer layer, enum tile_format format,
                         enum MHD_Result *result)
{
    struct target *target = &request->target;
    struct digest digest;
    target->key.layer = layer;
    target->key.enc = ENC_TERRARIUM;
    target_finish(target, format);
    if (route_tile_resolve(request, &digest, result))
        return true;
    target->key.coding = CODING_IDENTITY;
    request->vary_coding = false;
    return false;
}

/* Threads look one after another, and none behind one that hangs: a disk keeps one of those that answer at most. */
bool request_on_disk(const struct request *request, const struct digest *digest, uint64_t *bytes)
{
    enum { HANG_NS = 50000000 };       /* a look takes some 50 us */
    static _Atomic uint64_t looked_ns; /* when a thread began to look; 0: none does */
    struct disk *disk = request->service->disk;
    uint64_t other_ns = 0, now_ns = uv_hrtime();
    if (!disk || pool_disk_hangs(request->service->pool))
        return false;
    for (; !atomic_compare_exchange_strong(&looked_ns, &other_ns, now_ns);
         other_ns = 0, now_ns = uv_hrtime()) {
        if (now_ns >= other_ns + HANG_NS)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    const bool has = disk_has(disk, (int)(POOL_LOOKERS + request->link->loop->index), digest, bytes);
    atomic_store(&looked_ns, 0);
    return has;
}

bool request_is_made(const struct request *request, const struct digest *digest)
{
    uint64_t bytes;
    return pool_has(request->service->pool, digest) || request_on_disk(request, digest, &bytes);
}

static enum MHD_Result route_tile(struct request *request)
{
    const bool head = strcmp(request->method, "HEAD") == 0;
    struct metrics *metrics = &request->service->metrics;
    struct digest digest;
    enum MHD_Result result;
    if (route_tile_resolve(request, &digest, &result))
        return result;
    if (request_is_of_other(request, request->etag, &result))
        return result;
    if (request_knows(request, request->etag))
        return reply_not_modified(request, request->etag);
    if (!head && guard_take(request, BUCKET_TILES, 1, &result))
        return result;

    struct blob *blob = memory_get(request->service->memory, &digest);
    if (blob) {
        metrics_add(&metrics->hits[TIER_MEMORY], 1);
        if (blob_first_use(blob))
            metrics_add(&metrics->prefetch_used, 1);
        return reply_tile_view(request, blob);
    }
    if (head)
        return reply_tile_head(request);
    if (!guard_afford(request, BUCKET_RENDERS) && !request_is_made(request, &digest) &&
        guard_take(request, BUCKET_RENDERS, 1, &result))
        return result;
    metrics_add(&metrics->misses, 1);
    return ask_pool(request, &digest);
}

/* What a named world's recipe says, where its operator lets clients make it; else NULL. */
static const char *client_text(const struct request *request, size_t *bytes)
{
    const struct target *target = &request->target;
    const struct config_world *world =
        target->configured && !target->names_recipe
            ? config_world_find(&request->settings->config, target->name, strlen(target->name))
            : NULL;
    return world && world->client ? book_text(request->settings->worlds.book, target->recipe, bytes) : NULL;
}

/* Whose copy a shared world is, and how far; NULL: this server is its home. */
static json_t *follows_of(const struct request *request, const struct shared_world *world)
{
    struct follow *follow = request->service->follow;
    struct follow_state state;
    if (!follow || !follow_tell(follow, world->name, &state))
        return NULL;
    return json_pack("{s:s, s:b, s:I}", "home", follow_home(follow), "away", state.away, "behind",
                     (json_int_t)state.behind);
}

/* The text itself makes the ETag: names of terms and descriptions are in no digest. */
static enum MHD_Result route_world(struct request *request)
{
    struct target *target = &request->target;
    const struct recipe *recipe = target->recipe;
    if (!settings_allow_world(request->settings, &target->key, recipe)) {
        target_refuse(target, 404, "seed", "this server serves the worlds that its configuration names");
        return target_problem(request);
    }
    char etag[36];
    unsigned char *data;
    size_t bytes;
    enum MHD_Result result;
    struct spawn spawn;
    if (!request_spawn(request, route_world, &spawn, &result))
        return result;
    target->pinned = false; /* which generators there are changes with an upgrade */
    size_t text_bytes = 0;
    const char *text = client_text(request, &text_bytes);
    const struct shared_world *shared = shared_of(&target->key);
    json_t *edits = shared ? edit_json_facts(shared, target->key.at, follows_of(request, shared)) : NULL;
    if (edits)
        json_object_set_new(edits, "undo",
                            json_integer((json_int_t)request->settings->config.worlds.undo_edits));
    const struct world_facts facts = {
        .text = text,
        .text_bytes = text_bytes,
        .recipe = recipe,
        .standard = recipe_same(recipe, request->settings->worlds.standard),
        .key = &target->key,
        .prefix = base_path_of(request),
        .edits = edits,
        .spawn_m = {spawn.x_m, spawn.y_m, spawn.height_m},
    };
    const bool told =
        (edits || !shared) && describe_world(request_world(request), &facts, &data, &bytes) == 0;
    json_decref(edits);
    if (!told)
        return MHD_NO;
    etag_of(etag, data, bytes, 0);
    const bool known = request_knows(request, etag);
    if (!known && !guard_take(request, BUCKET_TILES, 1, &result))
        return reply_json(request, 200, data, bytes, etag);
    free(data);
    return known ? reply_not_modified(request, etag) : result;
}

enum MHD_Result route_health(struct request *request)
{
    const struct service *service = request->service;
    static const char plain[] = "text/plain; charset=utf-8";
    if (request->target.route == ROUTE_HEALTH)
        return reply_text(request, 200, plain, "ok\n");
    if (atomic_load(&service->draining))
        return reply_text(request, 503, plain, "not ready: stopping\n");
    if (!atomic_load(&service->ready))
        return reply_text(request, 503, plain, "not ready: starting\n");
    if (service->follow && !follow_is_ready(service->follow))
        return reply_text(request, 503, plain, "not ready: copying worlds from their home\n");
    if (!http_alive(atomic_load(&service->front)))
        return reply_text(request, 503, plain, "not ready: the listener does not answer\n");
    return reply_text(request, 200, plain, "ready\n");
}

bool method_check(struct request *request, const char *method, enum MHD_Result *result)
{
    const char *const known = route_allow(request->target.route); /* a list that ends with OPTIONS */
    const char *at = strstr(known, method);
    const char after = at ? at[strlen(method)] : 0;
    if (strcmp(method, "OPTIONS") == 0)
        *result = reply_preflight(request, known);
    else if (!at || (at > known && at[-1] != ' ') || after != ',')
        *result = reply_method(request, known);
    else
        return false;
    return true;
}

bool request_lacks_place(struct request *request, enum MHD_Result *result)
{
    const struct target *target = &request->target;
    const double max_m = terrane_lattice_m(&request->world, 0, TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES);
    const double x_m = target->place.x_m, y_m = target->place.y_m;
    char why[120];
    if (!target->place.given) {
        *result =
            reply_problem(request, 400, request_argument(request, "x") ? "y" : "x",
                          "x and y are needed: metres to the east and the south, as in ?x=1200.5&y=-300", 0);
        return true;
    }
    const char *outside = x_m < -max_m || x_m >= max_m ? "x" : y_m < -max_m || y_m >= max_m ? "y" : NULL;
    if (!outside)
        return false;
    snprintf(why, sizeof why, "%s: the world's tiles at lod 0 span %.17g to %.17g m", outside, -max_m, max_m);
    *result = reply_problem(request, 404, outside, why, 0);
    return true;
}

bool request_place_answered(struct request *request, const char *route, int version, const char *more,
                            enum MHD_Result *result)
{
    const struct target *target = &request->target;
    struct tile_key key = target->key;
    char text[240];
    key.x = key.y = 0;
    const struct digest tile = tile_key_digest(&key, &request->world);
    const int n = snprintf(text, sizeof text, "%s %d %" PRIx64 " %" PRIx64 " %a %a%s", route, version,
                           tile.high, tile.low, target->place.x_m, target->place.y_m, more);
    CHECK(n > 0 && (size_t)n < sizeof text);
    etag_of(request->etag, text, (size_t)n, request_moment(request));
    if (request_is_of_other(request, request->etag, result))
        return true;
    if (request_knows(request, request->etag))
        *result = reply_not_modified(request, request->etag);
    else if (strcmp(request->method, "HEAD") == 0)
        *result = reply_own(request, MHD_HTTP_OK, reply_bodiless(0), true);
    else
        return false;
    return true;
}

static enum MHD_Result (*const answer[ROUTES])(struct request *request) = {
    [ROUTE_TILE] = route_tile,         [ROUTE_STATUS] = route_status,
    [ROUTE_XYZ] = route_tile,          [ROUTE_TERRAIN] = route_tile,
    [ROUTE_3DTILES] = route_tile,      [ROUTE_TILEJSON] = route_document,
    [ROUTE_STYLE] = route_document,    [ROUTE_LAYER] = route_document,
    [ROUTE_GDAL] = route_document,     [ROUTE_TILESET] = route_document,
    [ROUTE_POINT] = route_point,       [ROUTE_REGION] = route_region,
    [ROUTE_PATH] = route_path,         [ROUTE_BATCH] = route_batch,
    [ROUTE_VIEWER] = route_viewer,     [ROUTE_WORLD] = route_world,
    [ROUTE_PREFETCH] = route_prefetch, [ROUTE_OPENAPI] = route_openapi,
    [ROUTE_HEALTH] = route_health,     [ROUTE_READY] = route_health,
    [ROUTE_RIVER] = route_path,        [ROUTE_DOWNSTREAM] = route_downstream,
    [ROUTE_MODEL] = route_model,       [ROUTE_VECTORS] = route_document,
    [ROUTE_FIND] = route_find,         [ROUTE_EDITS] = route_edits,
    [ROUTE_UNDO] = route_edits,        [ROUTE_MARKS] = route_edits,
    [ROUTE_EVENTS] = route_events,     [ROUTE_LOG] = route_log,
    [ROUTE_WORLDS] = route_worlds,
};

/* Whether the path leads somewhere on this listener, as it is configured. */
static bool is_here(const struct request *request)
{
    const struct config *config = &request->settings->config;
    const enum route route = request->target.route;
    if ((route == ROUTE_PREFETCH && config->prefetch.tiles == 0) ||
        (route == ROUTE_STATUS && !config->http.status))
        return false;
    return answer[route] != NULL;
}

enum MHD_Result route_public(struct request *request, const char *method)
{
    struct target *target = &request->target;
    enum MHD_Result result;
    if (guard_check(request, &result))
        return result;
    if (target->route == ROUTE_UNKNOWN && target->status)
        return target_problem(request);
    if (!is_here(request))
        return reply_problem(request, 404, "path",
                             "There is nothing here; tiles are at /tile/{seed}/{lod}/{x}/{y}.", 0);
    if (method_check(request, method, &result))
        return result;
    if (target->status)
        return target_problem(request);
    if (route_row[target->route].works && !atomic_load(&request->service->tested))
        return reply_problem(request, 503, NULL, "The server is starting; try again shortly.", 1);
    return answer[target->route](request);
}
