/*
 * GET /find/{seed}: the nearest lake, river, peak, town and so on from a place, as GeoJSON.
 *
 *     place ──► tiles of a stage (gather) ──► a worker looks at them ──► tiles of the next one, as the search wants (render/seek.h)
 *                                                     └─► it wants none ──► the answer
 *
 * Tiles are gathered as /point gathers them: each is paid for, and what is made is kept in the caches.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../render/seek.h"
#include "gather.h"
#include "guard.h"

enum { FIND_VERSION = 7 /* of the text: part of the ETag */, HELD_BYTES = 48 << 20 };

struct work {
    struct seek *seek;
    /* Between request_run and its end a worker's. */
    int error;
    char *text; /* the answer, owned */
    size_t bytes;
};

static void work_free(void *context)
{
    struct work *work = context;
    seek_free(work->seek);
    free(work->text);
    free(work);
}

static void step(struct waiter *waiter)
{
    struct work *work = request_of(waiter)->work;
    work->error = seek_step(work->seek);
    if (!work->error && seek_wants(work->seek) == 0)
        work->text = seek_text(work->seek, &work->bytes);
}

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    (void)world;
    seek_key(context, index, key);
}

static enum MHD_Result gather_stage(struct request *request);

static enum MHD_Result note_step(struct request *request)
{
    struct work *work = request->work;
    const enum pool_outcome outcome = request->waiter.outcome;
    if (outcome != POOL_DONE || work->error || (seek_wants(work->seek) == 0 && !work->text))
        return gather_give_up(request, outcome != POOL_DONE ? outcome : POOL_FAILED);
    if (!work->text)
        return gather_stage(request);
    struct MHD_Response *response = reply_coded(request, work->text, work->bytes);
    work->text = NULL;
    return reply_own(request, MHD_HTTP_OK, response, response != NULL);
}

static void give(struct request *request, size_t index, struct blob *blob)
{
    struct work *work = request->work;
    seek_give(work->seek, index, blob);
}

/* Begins to gather what the search wants, or goes on. */
static enum MHD_Result gather_stage(struct request *request)
{
    struct work *work = request->work;
    const size_t spare = seek_spares(work->seek); /* for workers that would have nothing to do */
    const struct gather_plan plan = {.count = seek_wants(work->seek) + spare,
                                     .spare = spare,
                                     .key_of = key_of,
                                     .context = work->seek,
                                     .ahead = GATHER_AHEAD_MAX,
                                     .whole = true};
    enum MHD_Result result;
    request->woken = gather_stage;
    return gather_all(request, &plan, give, &result) ? request_run(request, step, note_step) : result;
}

/* The world and what its tiles have in common, as if one had been asked for; true: answered. */
static bool resolve_world(struct request *request, enum MHD_Result *result)
{
    struct target *target = &request->target;
    if (route_tiles_resolve(request, LAYER_HEIGHT, FORMAT_F32, result))
        return true;
    target->key.format = FORMAT_GEOJSON; /* what is sent */
    return false;
}

enum MHD_Result route_find(struct request *request)
{
    const struct target *target = &request->target;
    enum MHD_Result result;
    char more[FIND_WHAT_BYTES + 16];
    if (resolve_world(request, &result) || request_lacks_place(request, &result))
        return result;
    if (target->geographic)
        return reply_problem(request, 400, "crs", "must be world: x and y, and what is found, are in metres",
                             0);
    snprintf(more, sizeof more, " %s %d", target->what, target->find.limit);
    if (request_place_answered(request, "find", FIND_VERSION, more, &result))
        return result;
    struct work *work = request_work(request, sizeof *work, work_free);
    if (!work)
        return reply_unmade(request, POOL_FAILED);
    struct tile_key key = target->key;
    key.format = FORMAT_F32;
    work->seek = seek_create(&request->world, &key, &target->find, target->place.x_m, target->place.y_m,
                             target->key.level);
    if (!work->seek)
        return reply_unmade(request, POOL_FAILED);
    return stream_room_take(request, HELD_BYTES, &result) ? result : gather_stage(request);
}
