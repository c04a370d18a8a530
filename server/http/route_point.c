/*
 * /point/{seed}: what the ground is at a place (GET), or at many (POST).
 *
 * Everything comes from tiles of f32, size 257: height, water, normals and, where the recipe has rivers, these: three or four
 * for each tile that the places lie in. They
 * are gathered a few at a time, and let go of as soon as they have said what they say of their places. Zones are computed,
 * since a tile of weights would cost more than 1024 of them. One place is told what it is called (point_names.h), for which tiles of lines
 * or areas may be gathered, too.
 *
 *     resolve_world ──► read the places ──► locate ──► gather: fill ──► gather: name ──► zones, and the JSON
 *
 * The loop's thread, but for the first and the last step of many places, which take milliseconds: a worker of the pool does those. The
 * work is the request's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/json_text.h"
#include "../encode/encode.h"
#include "../observe/log.h"
#include "../recipe/recipe_json.h"
#include "gather.h"
#include "guard.h"
#include "places.h"
#include "point_names.h"

enum {
    POINT_AHEAD = 8,
    HERE_BYTES = 1024, /* of a body that is read here and now */
    POINT_VERSION = 6  /* of the JSON: part of the ETag */
};

struct work {
    struct places *places;
    size_t layers; /* so many of enum point_layer */
    struct tile_key
        key; /* finished, of any tile of the level: the others have the same but for x, y and layer */
    const char *prefix;              /* of its links: the request's */
    char past[64];                   /* what they say of the past, behind all else: "&at=..", or "" */
    struct point_names names;        /* of one place */
    struct body_complaint complaint; /* why there are no places */
    struct reply_text text;          /* the answer, owned; NULL: not written, or memory was short */
};

static void work_free(void *context)
{
    struct work *work = context;
    free(work->places);
    free(work->text.data);
    free(work);
}

static enum MHD_Result complain(struct request *request, const struct body_complaint *complaint)
{
    return reply_problem(request, complaint->status, complaint->parameter, complaint->detail,
                         complaint->status == 503);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* The path of the f32 that the height is from. */
static json_t *url_of(const struct work *work, const struct point *point, const struct terrane_recipe *recipe)
{
    const struct tile_key *key = &work->key;
    const bool varied = key->variant != tile_variant_default(recipe);
    char seed[TILE_SEED_BYTES], query[TILE_WORLD_QUERY_BYTES];
    tile_world_query(key, '?', query);
    return json_sprintf("%s/tile/%s/%d/%" PRId64 "/%" PRId64 ".f32%s%s%s%s", work->prefix,
                        tile_world_name(key, seed), key->level, point->tile_x, point->tile_y, query,
                        varied ? (*query ? "&variant=" : "?variant=") : "",
                        varied ? tile_variant_name[key->variant] : "", work->past);
}

/* What rivers there are, and where to ask for the way of the place's water. Recipes without rivers say nothing of them. Takes the
 * object; NULL: memory is short. */
static json_t *with_river(json_t *object, const struct work *work, const struct point *point)
{
    char url[300 + BASE_URL_PREFIX_BYTES], seed[TILE_SEED_BYTES], query[TILE_WORLD_QUERY_BYTES];
    if (work->layers <= POINT_RIVER)
        return object;
    snprintf(url, sizeof url, "%s/downstream/%s?x=%.17g&y=%.17g%s%s", work->prefix,
             tile_world_name(&work->key, seed), point->x_m, point->y_m,
             tile_world_query(&work->key, '&', query), work->past);
    json_put(&object, "discharge_m3s", json_real(point->discharge_m3s));
    json_put(&object, "downstream", json_string(url));
    return object;
}

static json_t *json_of(const struct work *work, const struct point *point,
                       const struct terrane_recipe *recipe)
{
    char error[100];
    if (point->outside) {
        snprintf(error, sizeof error, "%s lies outside of the world's tiles at lod %d", point->outside,
                 work->places->level);
        return json_pack("{s:f, s:f, s:s}", "x", point->x_m, "y", point->y_m, "error", error);
    }
    json_t *object =
        json_pack("{s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:[f, f, f], s:{s:i, s:s}, s:{s:i, s:I, s:I, s:o}}",
                  "x", point->x_m, "y", point->y_m, "lod", work->places->level, "height_m", point->height_m,
                  "surface_m", point->height_m + point->water_m, "water_m", point->water_m, "slope_degrees",
                  point_slope_degrees(point), "normal", point->normal[0], point->normal[1], point->normal[2],
                  "zone", "id", point->zone, "name", recipe->partition.zone[point->zone].name, "tile", "lod",
                  work->places->level, "x", (json_int_t)point->tile_x, "y", (json_int_t)point->tile_y, "url",
                  url_of(work, point, recipe));
    object = with_river(object, work, point);
    point_names_tell(&work->names, &object);
    return object;
}

static json_t *list_of(const struct work *work, const struct terrane_recipe *recipe)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < work->places->count; i++)
        json_append(&list, json_of(work, &work->places->point[i], recipe));
    return list;
}

/* false: memory is short. */
static bool find_zones(struct places *places, const struct terrane_world *world)
{
    const struct terrane_memory memory = {.scratch =
                                              aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes)};
    for (size_t t = 0; memory.scratch && t < places->tiles; t++)
        places_zones(places, t, world, &memory);
    free(memory.scratch);
    return memory.scratch != NULL;
}

/* Leaves the text NULL where memory is short. */
static void write_places(struct waiter *waiter)
{
    const struct request *request = request_of(waiter);
    struct work *work = request->work;
    const struct terrane_recipe *recipe = request->world.recipe;
    const bool one = strcmp(request->method, "POST") != 0;
    const char *member = tile_world_member(&work->key);
    char seed[TILE_SEED_BYTES];
    if (!find_zones(work->places, &request->world))
        return;
    const char *name = tile_world_name(&work->key, seed);
    json_t *value = one ? json_pack("{s:s}", member, name)
                        : json_pack("{s:s, s:i, s:o}", member, name, "lod", work->places->level, "places",
                                    list_of(work, recipe));
    if (one)
        json_put_all(&value, json_of(work, work->places->point, recipe));
    size_t bytes;
    reply_text_take(&work->text, json_text(value, one ? JSON_INDENT(2) : JSON_COMPACT, &bytes));
}

static enum MHD_Result reply_written(struct request *request)
{
    struct work *work = request->work;
    const bool one = strcmp(request->method, "POST") != 0;
    if (request->waiter.outcome != POOL_DONE || !work->text.data)
        return reply_unmade(request,
                            request->waiter.outcome != POOL_DONE ? request->waiter.outcome : POOL_FAILED);
    return reply_json_coded(request, MHD_HTTP_OK, &work->text, one ? request->etag : NULL);
}

static enum MHD_Result reply_places(struct request *request)
{
    const struct work *work = request->work;
    if (work->places->count > 1)
        return request_run(request, write_places, reply_written);
    write_places(&request->waiter);
    request->waiter.outcome = POOL_DONE;
    return reply_written(request);
}

/* ---- Gathering ----------------------------------------------------------------------------------------- */

static const struct point *any_of_tile(const struct places *places, size_t t)
{
    return &places->point[places->order[places->first[t]]];
}

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    static const enum tile_layer layer[POINT_LAYERS] = {[POINT_HEIGHT] = LAYER_HEIGHT,
                                                        [POINT_WATER] = LAYER_WATER,
                                                        [POINT_NORMAL] = LAYER_NORMAL,
                                                        [POINT_RIVER] = LAYER_RIVER};
    const struct work *work = context;
    const struct point *point = any_of_tile(work->places, index / work->layers);
    *key = work->key;
    key->x = point->tile_x;
    key->y = point->tile_y;
    key->layer = layer[index % work->layers];
    if (key->layer == LAYER_RIVER)
        tile_key_vary(key, world->recipe); /* there are none of base ground */
}

/* The tile that may name the one place. */
static void key_of_name(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    const struct work *work = context;
    (void)index;
    key_of(context, POINT_HEIGHT, key, world);
    point_names_key(&work->names, world, work->places->point, key);
}

/* Takes the blob. */
static void use(struct work *work, const struct terrane_world *world, const struct gather_item *item)
{
    const struct point *point = work->places->point;
    const struct blob *blob = item->blob;
    if (!work->names.asked && !work->names.listed)
        places_fill(work->places, item->index / work->layers, (enum point_layer)(item->index % work->layers),
                    blob->data);
    else if (point_names_read(&work->names, world, point, work->places->level, blob->data, blob->bytes) != 0)
        log_write(LOG_ERROR, "point", "a tile that names a place cannot be read");
    blob_release(item->blob);
}

/* Whether another tile may name the one place: it is asked for next. */
static bool goes_on_to_name(struct work *work, const struct terrane_world *world)
{
    return work->places->count == 1 &&
           point_names_ask(&work->names, world, work->places->point, work->places->level);
}

static enum MHD_Result gather_places(struct request *request)
{
    struct work *work = request->work;
    const struct gather_plan one = {.count = 1, .key_of = key_of_name, .context = work, .ahead = 1};
    struct gather_item item;
    enum gather_state state;
    enum MHD_Result result;
    while ((state = gather_next(request, &item, &result)) == GATHER_ITEM)
        use(work, &request->world, &item);
    if (state != GATHER_END)
        return result;
    if (!goes_on_to_name(work, &request->world))
        return reply_places(request);
    gather_drop(request->gather);
    return gather_begin(request, &one, &result) ? gather_places(request) : result;
}

static enum MHD_Result begin(struct request *request)
{
    struct work *work = request->work;
    enum MHD_Result result;
    if (work->places->tiles == 0)
        return guard_take(request, BUCKET_TILES, 1, &result) ? result : reply_places(request);
    request->woken = gather_places;
    const struct gather_plan plan = {
        .count = work->places->tiles * work->layers, .key_of = key_of, .context = work, .ahead = POINT_AHEAD};
    return gather_begin(request, &plan, &result) ? gather_places(request) : result;
}

/* ---- Questions ----------------------------------------------------------------------------------------- */

/* What a tile's name says, the place in it, and names that links may need. */
static void make_etag(struct request *request, const struct work *work)
{
    const struct point *point = work->places->point;
    struct tile_key key = work->key;
    char text[232 + BASE_URL_PREFIX_BYTES], query[TILE_WORLD_QUERY_BYTES];
    key.x = point->tile_x;
    key.y = point->tile_y;
    const struct digest tile = request_digest(request, &key, &request->world);
    const int n =
        snprintf(text, sizeof text, "point %d %" PRIx64 " %" PRIx64 " %a %a %s%s", POINT_VERSION, tile.high,
                 tile.low, point->x_m, point->y_m, tile_world_query(&key, '?', query), work->prefix);
    CHECK(n > 0 && (size_t)n < sizeof text); /* a world's query has at most 96 bytes */
    etag_of(request->etag, text, (size_t)n, request_moment(request));
}

/* Uses a tile that is in memory; false: it is not there. */
static bool recall_tile(struct request *request, gather_key *key_of_tile, size_t index)
{
    struct tile_key key;
    struct terrane_world world = request->world;
    key_of_tile(request->work, index, &key, &world);
    const struct digest digest = tile_key_digest(&key, &world);
    const struct gather_item item = {.index = index, .blob = memory_get(request->service->memory, &digest)};
    if (item.blob)
        use(request->work, &world, &item);
    return item.blob != NULL;
}

/* Fills the place from tiles that are in memory; false: they are not all there. */
static bool recall(struct request *request)
{
    struct work *work = request->work;
    for (size_t i = 0; i < work->layers; i++)
        if (!recall_tile(request, key_of, i))
            return false;
    while (goes_on_to_name(work, &request->world))
        if (!recall_tile(request, key_of_name, 0))
            return false;
    return true;
}

/* As of a tile: what GET would say where nothing has to be made for it, else all but the length, which is the answer's. */
static enum MHD_Result reply_head(struct request *request)
{
    if (recall(request))
        return reply_places(request);
    return reply_typed(request, reply_bodiless(0), "application/json", request->etag);
}

static enum MHD_Result ask_one(struct request *request)
{
    struct work *work = request->work;
    const struct target *target = &request->target;
    struct body_complaint complaint;
    enum MHD_Result result;
    if (!target->place.given)
        return reply_problem(request, 400, request_argument(request, "x") ? "y" : "x",
                             "x and y are needed: metres to the east and the south, as in ?x=1200.5&y=-300",
                             0);
    work->places = places_one(target->place.x_m, target->place.y_m);
    if (!work->places)
        return reply_unmade(request, POOL_FAILED);
    places_locate(work->places, &request->world, target->key.level,
                  &complaint); /* one lies in one tile at most */
    const char *outside = work->places->point->outside;
    if (outside) {
        snprintf(
            complaint.detail, sizeof complaint.detail,
            "%s: the world's tiles at lod %d span %.17g to %.17g m", outside, target->key.level,
            terrane_lattice_m(&request->world, target->key.level, -TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES),
            terrane_lattice_m(&request->world, target->key.level, TERRANE_TILE_LIMIT * TERRANE_TILE_SAMPLES));
        return reply_problem(request, 404, outside, complaint.detail, 0);
    }
    make_etag(request, work);
    if (request_is_of_other(request, request->etag, &result))
        return result;
    if (request_knows(request, request->etag))
        return reply_not_modified(request, request->etag);
    return strcmp(request->method, "HEAD") == 0 ? reply_head(request) : begin(request);
}

static void read_places(struct waiter *waiter)
{
    const struct request *request = request_of(waiter);
    const struct target *target = &request->target;
    struct work *work = request->work;
    struct places *places =
        places_read(request->body ? request->body : "", request->body_length, &work->complaint);
    if (places &&
        !places_locate(places, &request->world, target->says_lod ? target->key.level : PLACES_LEVEL_CHOSEN,
                       &work->complaint)) {
        free(places);
        places = NULL;
    }
    work->places = places;
}

static enum MHD_Result note_places(struct request *request)
{
    struct work *work = request->work;
    if (request->waiter.outcome != POOL_DONE)
        return reply_unmade(request, request->waiter.outcome);
    if (!work->places)
        return complain(request, &work->complaint);
    work->key.level = work->places->level;
    return begin(request);
}

static enum MHD_Result ask_many(struct request *request)
{
    if (request->body_length > HERE_BYTES)
        return request_run(request, read_places, note_places);
    read_places(&request->waiter);
    request->waiter.outcome = POOL_DONE;
    return note_places(request);
}

enum MHD_Result route_point(struct request *request)
{
    enum MHD_Result result;
    if (route_tiles_resolve(request, LAYER_HEIGHT, FORMAT_F32, &result))
        return result;
    struct work *work = request_work(request, sizeof *work, work_free);
    if (!work)
        return reply_unmade(request, POOL_FAILED);
    work->key = request->target.key;
    work->prefix = base_path_of(request);
    work->text.coding = reply_coding(request);
    if (request->target.past)
        snprintf(work->past, sizeof work->past, "&at=%" PRIu64 "&epoch=%s", request->target.key.at,
                 request->target.key.alias->epoch);
    work->layers = request->world.recipe->rivers.top > 0 ? POINT_LAYERS : POINT_RIVER;
    return strcmp(request->method, "POST") == 0 ? ask_many(request) : ask_one(request);
}
