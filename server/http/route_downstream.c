/*
 * GET /downstream/{seed}: the way of a drop from a place to the sea or an inland lake, as GeoJSON.
 *
 *     place ──► walk over regions that are in memory ──► one is not: the pool ──► walk on ... ──► the line
 *
 * Which region comes next is known where the last one ends; which will come then the lattice above tells, and these are made by
 * workers that are free meanwhile. Workers walk and write, in the client's turn; a region is made, or found, as those of tiles
 * are. What is held is bounded however long the way is (drop_way.h).
 */
#include <stdlib.h>

#include "../render/product.h"
#include "drop_way.h"
#include "guard.h"

enum {
    WAY_VERSION = 1,   /* of the text: part of the ETag */
    TURN_REGIONS = 64, /* walked over in one go */
    PAUSE_MS = 20,     /* before a region is asked for again that there was no room for */
    HELD_BYTES = 4 << 20
};
_Static_assert(sizeof(struct drop_way) + 8 * WAY_RIVERS + WAY_POINTS * 96 + WAY_RIVERS * 20 < HELD_BYTES,
               "the way, and its text");

struct work {
    struct drop_way *way;
    struct terrane_region region; /* that comes next */
    struct digest digest;         /* its name */
    struct blob *blob;            /* it, where the pool has brought it */
    bool let_in;                  /* by a render's token */
    bool paid;                    /* ... for the region that comes next */
    struct terrane_region ahead[WAY_AHEAD];
    int aheads; /* of these, worth making meanwhile */

    /* Between request_sleep and the wake a worker's. */
    bool failed, missing;
    struct reply_text text; /* the answer, owned */
};

static void work_free(void *context)
{
    struct work *work = context;
    drop_way_free(work->way);
    blob_release(work->blob);
    free(work->text.data);
    free(work);
}

/* ---- Workers' part ------------------------------------------------------------------------------------- */

static bool walk_over(struct work *work, const struct blob *blob)
{
    struct terrane_region_view view = {.copy = NULL};
    const bool went = terrane_region_open(&work->region, &(struct terrane_packed){blob->data, blob->bytes},
                                          NULL, &view) == 0 &&
                      drop_way_go(work->way, &view.drained);
    terrane_region_close(&view, NULL);
    return went;
}

/* Where the lattice above is at hand. */
static void look_ahead(struct request *request, struct work *work)
{
    struct terrane_region above;
    work->aheads = 0;
    if (!drop_way_above(work->way, &above))
        return;
    const struct product_key key = product_of_region(&above);
    const struct digest digest = product_digest(&key, &request->world);
    struct blob *blob = memory_get(request->service->memory, &digest);
    struct terrane_region_view view = {.copy = NULL};
    if (blob &&
        terrane_region_open(&above, &(struct terrane_packed){blob->data, blob->bytes}, NULL, &view) == 0)
        work->aheads = drop_way_ahead(work->way, &view.drained, work->ahead);
    terrane_region_close(&view, NULL);
    blob_release(blob);
}

static void walk(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    struct work *work = request->work;
    for (int n = 0; n < TURN_REGIONS && !drop_way_ended(work->way); n++) {
        work->region = drop_way_region(work->way);
        const struct product_key key = product_of_region(&work->region);
        work->digest = product_digest(&key, &request->world);
        struct blob *blob = work->blob && digest_equal(&work->blob->key, &work->digest)
                                ? blob_hold(work->blob)
                                : memory_get(request->service->memory, &work->digest);
        work->missing = !blob;
        if (!blob) {
            look_ahead(request, work);
            return;
        }
        if (blob_first_use(blob))
            metrics_add(&request->service->metrics.prefetch_used, 1);
        work->failed = !walk_over(work, blob);
        blob_release(blob);
        if (work->failed)
            return;
    }
    if (drop_way_ended(work->way))
        reply_text_take(&work->text, drop_way_text(work->way));
}

/* ---- Regions ------------------------------------------------------------------------------------------- */

static enum MHD_Result give_up(struct request *request, enum pool_outcome why)
{
    guard_give_back(request, BUCKET_TILES, 0);
    return reply_unmade(request, why);
}

static enum MHD_Result note_walked(struct request *request);
static enum MHD_Result note_region(struct request *request);

static enum MHD_Result go_on(struct request *request)
{
    return request_run(request, walk, note_walked);
}

static struct pool_ask region_ask(struct request *request, const struct terrane_region *region,
                                  const struct digest *digest)
{
    return (struct pool_ask){
        .region = region,
        .digest = digest,
        .world = &request->world,
        .owner = &request->settings->references,
        .class = priority_class(request_header(request, "Priority"), request_header(request, "Sec-Purpose")),
        .payer = guard_payer(request, BUCKET_RENDERS),
        .until_ns = request_until_ns(request),
        .again = true,
    };
}

static void ask_ahead(struct request *request)
{
    struct work *work = request->work;
    for (int k = 0; k < work->aheads; k++) {
        const struct product_key key = product_of_region(&work->ahead[k]);
        const struct digest digest = product_digest(&key, &request->world);
        if (request_is_made(request, &digest))
            continue;
        if (!guard_owe(request))
            break;
        struct pool_ask ask = region_ask(request, &work->ahead[k], &digest);
        ask.lent = true;
        if (ask.class < CLASS_NEIGHBOUR)
            ask.class = CLASS_NEIGHBOUR;
        const enum metric_prefetch result = pool_prefetch(request->service->pool, &ask);
        if (result != PREFETCH_QUEUED)
            guard_refund(request);
        if (result == PREFETCH_REFUSED)
            break;
    }
    work->aheads = 0;
}

/* Suspends first: the pool may wake the request before it returns, and then it is not ours. */
static enum MHD_Result ask_region(struct request *request)
{
    struct work *work = request->work;
    const struct pool_ask ask = region_ask(request, &work->region, &work->digest);
    work->paid = work->paid || (work->let_in && guard_owe(request)); /* else it is kept, or not made yet */
    request->woken = note_region;
    request->waiter.left = request_left;
    ask_ahead(request);
    request_sleep(request);
    if (!pool_submit(request->service->pool, &ask, &request->waiter))
        request_wake(&request->waiter);
    return MHD_YES;
}

/* A little later, since there was no room. */
static enum MHD_Result ask_later(struct request *request)
{
    struct waiter *waiter = &request->waiter;
    request->woken = ask_region;
    request_sleep(request);
    if (!pool_backpressure(request->service->pool, waiter, CLASSES, PAUSE_MS))
        request_wake(waiter);
    return MHD_YES;
}

static enum MHD_Result note_region(struct request *request)
{
    struct work *work = request->work;
    struct waiter *waiter = &request->waiter;
    const bool full = waiter->outcome == POOL_FULL || waiter->outcome == POOL_OVER;
    if (full && uv_hrtime() < request_until_ns(request))
        return ask_later(request);
    if (work->paid && (waiter->outcome != POOL_DONE || waiter->tier != TIER_RENDER))
        guard_refund(request);
    else if (!work->paid && waiter->outcome == POOL_DONE && waiter->tier == TIER_RENDER)
        guard_charge(request);
    if (waiter->outcome != POOL_DONE)
        return give_up(request, waiter->outcome);
    blob_release(work->blob);
    work->blob = waiter->blob;
    waiter->blob = NULL;
    return go_on(request);
}

static enum MHD_Result reply_way(struct request *request)
{
    struct work *work = request->work;
    struct MHD_Response *response =
        reply_coded_as(request, work->text.data, work->text.bytes, work->text.coding);
    work->text.data = NULL;
    return reply_own(request, MHD_HTTP_OK, response, response != NULL);
}

static enum MHD_Result note_walked(struct request *request)
{
    struct work *work = request->work;
    enum MHD_Result result;
    if (request->waiter.outcome != POOL_DONE)
        return give_up(request, request->waiter.outcome);
    if (work->failed && !work->way->short_of_memory) { /* a tier has kept what was never made */
        guard_give_back(request, BUCKET_TILES, 0);
        return reply_problem(request, 503, NULL, "Drainage cannot be read; try again shortly.", 2);
    }
    if (work->failed || (drop_way_ended(work->way) && !work->text.data))
        return give_up(request, POOL_FAILED);
    if (work->text.data)
        return reply_way(request);
    if (!work->missing)
        return go_on(request);
    work->paid = !work->let_in && guard_afford(request, BUCKET_RENDERS); /* of later ones: ask_region */
    if (!work->let_in && !work->paid && !request_is_made(request, &work->digest)) {
        if (guard_take(request, BUCKET_RENDERS, 1, &result))
            return result;
        work->paid = true; /* it has come in the meantime */
    }
    work->let_in = work->let_in || work->paid;
    return ask_region(request);
}

/* ---- Questions ----------------------------------------------------------------------------------------- */

/* The world, as if a tile had been asked for; true where it was answered. */
static bool resolve_world(struct request *request, enum MHD_Result *result)
{
    struct target *target = &request->target;
    const struct terrane_recipe *recipe = &target->recipe->world;
    target->key.level = recipe->rivers.bottom;
    if (route_tiles_resolve(request, LAYER_RIVER, FORMAT_GEOJSON, result))
        return true;
    if (recipe->rivers.top > 0)
        return false;
    *result = reply_problem(request, 404, "recipe",
                            "the recipe has no rivers: nothing says where its water goes", 0);
    return true;
}

enum MHD_Result route_downstream(struct request *request)
{
    enum MHD_Result result;
    if (resolve_world(request, &result) || request_lacks_place(request, &result) ||
        request_place_answered(request, "downstream", WAY_VERSION, "", &result))
        return result;
    struct work *work = request_work(request, sizeof *work, work_free);
    if (!work)
        return reply_unmade(request, POOL_FAILED);
    work->text.coding = reply_coding(request);
    work->way = drop_way_create(&request->world, request->target.place.x_m, request->target.place.y_m);
    if (!work->way)
        return reply_unmade(request, POOL_FAILED);
    if (stream_room_take(request, HELD_BYTES, &result) || guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    return go_on(request);
}
