/*
 * A way is routed over tiles of heights, gathered as any others, by a worker:
 *
 *     places ──► tiles of a window (gather) ──► a worker finds the line ──► it is written as the line it became
 *                                                      └─► there is none: 422, and where
 */
#include "route_way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../base/little_endian.h"
#include "gather.h"
#include "guard.h"
#include "http.h"

enum { SIDE = 256, SAMPLES = SIDE + 1, HELD_BYTES = 16 << 20 /* while a way is routed */ };

struct work {
    struct shared_world *world;
    struct edit_body body; /* its operations are owned */
    struct shared_write form;
    way_then *then;
    struct tile_key key; /* what its tiles have in common */
    struct terrane_window window;
    int64_t x, y; /* of the first tile */
    size_t columns, rows;
    float *heights; /* of the window: owned */
    /* between request_run and its end a worker's */
    int error;
    struct terrane_way_place why;
};

static void work_free(void *context)
{
    struct work *work = context;
    free(work->body.edit);
    free(work->heights);
    free(work);
}

/* ---- Ground ---------------------------------------------------------------------------------------------- */

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    const struct work *work = context;
    *key = work->key;
    key->level = work->window.level;
    key->x = work->x + (int64_t)(index % work->columns);
    key->y = work->y + (int64_t)(index / work->columns);
    key->variant = tile_variant_default(world->recipe);
    tile_key_vary(key, world->recipe);
    CHECK(tile_key_finish(key) == TILE_FINE);
}

/* A tile's samples that the window has. */
static void take_tile(struct request *request, size_t index, struct blob *blob)
{
    struct work *work = request->work;
    const unsigned char *data = blob->data;
    const int64_t gi = (work->x + (int64_t)(index % work->columns)) * SIDE - work->window.gi,
                  gj = (work->y + (int64_t)(index / work->columns)) * SIDE - work->window.gj;
    const int64_t from = gi < 0 ? -gi : 0, width = work->window.width - gi,
                  to = width < SAMPLES ? width : SAMPLES;
    for (int64_t j = 0; j < SAMPLES; j++)
        for (int64_t i = from; i < to && gj + j >= 0 && gj + j < work->window.height; i++) {
            const uint32_t bits = (uint32_t)get_le(data + 4 * (j * SAMPLES + i), 4);
            memcpy(&work->heights[(gj + j) * work->window.width + gi + i], &bits, sizeof bits);
        }
    blob_release(blob);
}

/* ---- The line -------------------------------------------------------------------------------------------- */

static void route(struct waiter *waiter)
{
    struct work *work = request_of(waiter)->work;
    struct shared_edit *edit = work->body.edit;
    const int32_t strength = edit->entry.edit.strength;
    work->error = terrane_way_route(&work->world->recipe.world, &work->body.way, &work->window, work->heights,
                                    NULL, edit_json_room(edit, 1), &edit->entry.edit, &work->why);
    edit->entry.edit.strength = strength;
}

/* Why there is none, in metres. */
static enum MHD_Result refuse(struct request *request)
{
    const struct work *work = request->work;
    const struct terrane_way_place *why = &work->why;
    const double part_m = work->world->recipe.world.spacing_m / TERRANE_EDIT_PARTS;
    const double x = (double)why->x * part_m, y = (double)why->y * part_m,
                 by = (double)why->by / TERRANE_EDIT_UNITS;
    char detail[240] = "";
    switch (why->fault) {
    case TERRANE_WAY_APART:
        snprintf(detail, sizeof detail, "All points are one place, at %.9g,%.9g.", x, y);
        break;
    case TERRANE_WAY_STEEP:
        snprintf(
            detail, sizeof detail,
            "The way is too steep: to its end at %.9g,%.9g it would have to climb or fall %.3g m more than "
            "its slope does between its ends, as the crow flies.",
            x, y, by);
        break;
    case TERRANE_WAY_DEEP:
        snprintf(
            detail, sizeof detail,
            "The way is too steep for the ground: at %.9g,%.9g it would be %.3g m above or below it, and "
            "depth allows %.9g.",
            x, y, by, (double)work->body.way.depth / TERRANE_EDIT_UNITS);
        break;
    case TERRANE_WAY_LONG:
        snprintf(detail, sizeof detail, "The way is too long, with its border, up to %.9g,%.9g: part it.", x,
                 y);
        break;
    }
    metrics_add(&request->service->metrics.batches[BATCH_INVALID], 1);
    return reply_problem(request, 422, "points", detail, 0);
}

static enum MHD_Result go_on(struct request *request)
{
    struct work *work = request->work;
    const enum pool_outcome outcome = request->waiter.outcome;
    if (outcome != POOL_DONE || (work->error && work->error != TERRANE_EEDIT))
        return reply_unmade(request, outcome != POOL_DONE ? outcome : POOL_FAILED);
    if (work->error)
        return refuse(request);
    const struct work done = *work;
    work->body.edit = NULL;
    work_free(work);
    request->work = NULL;
    request->work_free = NULL;
    return done.then(request, done.world, &done.body, &done.form);
}

/* What its tiles have in common, as if one had been asked for; true: answered. */
static bool resolve(struct request *request, enum MHD_Result *result)
{
    struct work *work = request->work;
    struct target *target = &request->target;
    target->key.variant = VARIANT_UNSAID;
    if (route_tiles_resolve(request, LAYER_HEIGHT, FORMAT_F32, result))
        return true;
    work->key = target->key;
    return false;
}

/* Begins to gather the ground, or goes on. */
static enum MHD_Result gather_ground(struct request *request)
{
    struct work *work = request->work;
    const struct gather_plan plan = {.count = work->columns * work->rows,
                                     .key_of = key_of,
                                     .context = work,
                                     .ahead = GATHER_AHEAD_MAX,
                                     .whole = true};
    enum MHD_Result result;
    request->woken = gather_ground;
    return gather_all(request, &plan, take_tile, &result) ? request_run(request, route, go_on) : result;
}

enum MHD_Result way_begin(struct request *request, struct shared_world *world, const struct edit_body *body,
                          const struct shared_write *form, way_then *then)
{
    struct work *work = request_work(request, sizeof *work, work_free);
    enum MHD_Result result;
    if (!work) {
        free(body->edit);
        return reply_unmade(request, POOL_FAILED);
    }
    *work = (struct work){.world = world, .body = *body, .form = *form, .then = then};
    CHECK(terrane_way_needs(&body->way, &work->window));
    const struct terrane_window *window = &work->window;
    work->x = window->gi >> 8;
    work->y = window->gj >> 8;
    work->columns = (size_t)(((window->gi + window->width - 1) >> 8) - work->x) + 1;
    work->rows = (size_t)(((window->gj + window->height - 1) >> 8) - work->y) + 1;
    work->heights = malloc((size_t)window->width * (size_t)window->height * sizeof *work->heights);
    if (!work->heights)
        return reply_unmade(request, POOL_FAILED);
    return resolve(request, &result) || stream_room_take(request, HELD_BYTES, &result)
               ? result
               : gather_ground(request);
}
