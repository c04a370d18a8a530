/*
 * POST /prefetch: queues the tiles that a moving viewer will need, and that no request waits for.
 *
 * They are made where there is nothing else to do (CLASS_IDLE). Each that has to be made costs the client what it would if it had
 * asked for the tile itself: prefetching is no way around a limit. A client that has no token left gets fewer. The pool gives
 * the token back if the tile turns out to be on disk or in the store, or is not made in time.
 */
#include <stdlib.h>

#include "../encode/encode.h"
#include "guard.h"
#include "prefetch.h"

/* One tile; PREFETCH_REFUSED also where the client's tokens are spent. */
static enum metric_prefetch queue_tile(struct request *request, const struct tile_key *key)
{
    struct service *service = request->service;
    const struct digest digest = tile_key_digest(key, &request->world);
    uint64_t bytes;
    if (memory_has(service->memory, &digest, &bytes))
        return PREFETCH_CACHED;
    const unsigned paid = request->paid[BUCKET_RENDERS];
    if (!guard_afford(request, BUCKET_RENDERS))
        return PREFETCH_REFUSED;
    const struct pool_ask ask = {.key = key,
                                 .digest = &digest,
                                 .world = &request->world,
                                 .owner = &request->settings->references,
                                 .class = CLASS_IDLE,
                                 .payer = guard_payer(request, BUCKET_RENDERS),
                                 .lent = true};
    const enum metric_prefetch result = pool_prefetch(service->pool, &ask);
    if (result != PREFETCH_QUEUED)
        guard_give_back(request, BUCKET_RENDERS, paid);
    return result;
}

static enum MHD_Result reply_plan(struct request *request, const struct prefetch_plan *plan)
{
    /* As the client takes answers, so it will take tiles. */
    const enum tile_coding coding = request->service->compression ? request_coding(request) : CODING_IDENTITY;
    unsigned count[PREFETCHES] = {0};
    size_t bytes;
    request->target.key = plan->key;
    request->target.recipe = plan->recipe;
    request->world = *request_world(request);
    for (size_t i = 0; i < plan->count; i++) {
        struct tile_key key = prefetch_key(plan, i);
        tile_key_code(&key, coding);
        const enum metric_prefetch result = queue_tile(request, &key);
        count[result]++;
        metrics_add(&request->service->metrics.prefetch[result], 1);
    }
    char *text = prefetch_answer(plan, base_path_of(request), count[PREFETCH_QUEUED], count[PREFETCH_CACHED],
                                 count[PREFETCH_REFUSED], &bytes);
    return text ? reply_json(request, 202, (unsigned char *)text, bytes, NULL) : MHD_NO;
}

enum MHD_Result route_prefetch(struct request *request)
{
    const struct settings *settings = request->settings;
    const struct target_names names = request_names(settings);
    struct prefetch_plan plan;
    const char *parameter = NULL;
    char detail[TARGET_DETAIL_BYTES];
    enum MHD_Result result;
    if (guard_take(request, BUCKET_TILES, 1, &result))
        return result;
    const unsigned status = prefetch_read(&plan, request->body ? request->body : "", request->body_length,
                                          settings->config.prefetch.tiles, &names, &parameter, detail);
    if (status)
        return reply_problem(request, status, parameter, detail, status == 503);
    if (settings_allow_world(settings, &plan.key, plan.recipe))
        result = reply_plan(request, &plan);
    else
        result = reply_problem(request, 404, "seed",
                               "This server serves the worlds that its configuration names.", 0);
    free(plan.tile);
    return result;
}
