/*
 * The spawn of a target's world, for routes that tell it.
 *
 *     found lately? ──no──► a worker looks at base ground ──► tiles of height and water of each stage ──► settled, kept
 *
 * Where nothing is done to base ground, or spawn=coarse is asked, there are no stages. Tiles are gathered as /point gathers them: their renders are
 * paid for, they are kept in the caches, and made once.
 */
#include <stdlib.h>

#include "../base/check.h"
#include "../render/tile_make.h"
#include "gather.h"
#include "guard.h"

enum spawn_layer { SPAWN_HEIGHT, SPAWN_WATER, SPAWN_LAYERS };

struct search {
    struct spawn spawn;
    bool looked; /* at base ground */
    int stage;
    struct tile_key key; /* of the stage's tile, but for the layer */
    struct blob *blob[SPAWN_LAYERS];
};

static void drop_blobs(struct search *search)
{
    for (int k = 0; k < SPAWN_LAYERS; k++) {
        if (search->blob[k])
            blob_release(search->blob[k]);
        search->blob[k] = NULL;
    }
}

static void search_free(void *context)
{
    drop_blobs(context);
    free(context);
}

/* Of several that look for the same one, those that come later find it. */
static void look(struct waiter *waiter)
{
    const struct request *request = request_of(waiter);
    struct search *search = request->work;
    struct spawns *spawns = request->service->spawns;
    const bool coarse = request->target.coarse,
               kept = spawns_get(spawns, &request->world.digest, coarse, &search->spawn);
    if (kept || coarse)
        search->stage = SPAWN_STAGES;
    search->looked = kept || spawn_find(&request->world, &search->spawn) == 0;
}

/* ---- On the ground as it is served ----------------------------------------------------------------------- */

static void key_of(const void *context, size_t index, struct tile_key *key, struct terrane_world *world)
{
    const struct search *search = context;
    (void)world;
    *key = search->key;
    key->layer = index == SPAWN_HEIGHT ? LAYER_HEIGHT : LAYER_WATER;
}

/* The key of the stage's tile. Whether anything is done to base ground there. */
static bool is_worked(struct request *request)
{
    struct search *search = request->work;
    const struct tile_key *target = &request->target.key;
    struct tile_plan plan;
    search->key = (struct tile_key){
        .seed = target->seed,
        .level = spawn_stage_level[search->stage],
        .layer = LAYER_WATER,
        .variant = VARIANT_UNSAID,
        .format = FORMAT_F32,
        .alias = target->alias,
    };
    spawn_tile(&search->spawn, &request->world, search->stage, &search->key.x, &search->key.y);
    target_name_recipe(&search->key, request->target.recipe, request->settings->worlds.standard);
    tile_key_vary(&search->key, request->world.recipe);
    tile_key_finish(&search->key);
    tile_plan_make(&search->key, request->world.recipe, &plan);
    return plan.ground.regions > 0;
}

static void keep(struct request *request, size_t index, struct blob *blob)
{
    struct search *search = request->work;
    search->blob[index] = blob;
}

/* true: the stage's tiles are there, or nothing is done to its ground (*worked). */
static bool gather_stage(struct request *request, bool *worked, enum MHD_Result *result)
{
    struct search *search = request->work;
    *worked = request->gather || is_worked(request);
    if (!*worked)
        return true;
    const struct gather_plan plan = {
        .count = SPAWN_LAYERS, .key_of = key_of, .context = search, .ahead = SPAWN_LAYERS, .held = true};
    if (!gather_all(request, &plan, keep, result))
        return false;
    guard_give_back(request, BUCKET_TILES, 0); /* nobody gets them: the answer itself is paid for */
    return true;
}

/* With both tiles; returns the next stage. */
static int settle(struct request *request)
{
    struct search *search = request->work;
    const struct blob *height = search->blob[SPAWN_HEIGHT], *water = search->blob[SPAWN_WATER];
    CHECK(height && water);
    return spawn_settle(&search->spawn, &request->world, search->stage, height->data, water->data);
}

/* ---- The search ------------------------------------------------------------------------------------------ */

/* false: it has not come to its end, and *result is what to return. */
static bool go_on(struct request *request, enum MHD_Result *result)
{
    struct search *search = request->work;
    const enum pool_outcome outcome = request->waiter.outcome;
    if (!search->looked) {
        *result = reply_unmade(request, outcome == POOL_DONE ? POOL_FAILED : outcome);
        return false;
    }
    while (search->stage < SPAWN_STAGES) {
        bool worked;
        if (!gather_stage(request, &worked, result))
            return false;
        search->stage = worked ? settle(request) : SPAWN_STAGES;
        drop_blobs(search);
    }
    return true;
}

bool request_spawn(struct request *request, enum MHD_Result (*again)(struct request *), struct spawn *spawn,
                   enum MHD_Result *result)
{
    struct search *search = request->work;
    struct spawns *spawns = request->service->spawns;
    if (search) {
        if (!go_on(request, result))
            return false;
        *spawn = search->spawn;
        if (!spawns_get(spawns, &request->world.digest, request->target.coarse, &search->spawn))
            spawns_put(spawns, &request->world.digest, request->target.coarse, spawn);
        return true;
    }
    request->world = *request_world(request);
    if (spawns_get(spawns, &request->world.digest, request->target.coarse, spawn))
        return true;
    if (guard_debt(request, result))
        return false;
    search = request_work(request, sizeof *search, search_free);
    *result = search ? request_run(request, look, again) : reply_unmade(request, POOL_FAILED);
    return false;
}
