/*
 * What a gather asks for, and asks for again (gather.c). The loop's thread.
 */
#include "../base/check.h"
#include "../encode/encode.h"
#include "gather_parts.h"
#include "guard.h"

enum { TOKEN_MS = 20 /* between two looks for a render's token */ };

/* Gives a slot's render's token back where nothing was made for it. */
void gather_refund(struct gather *gather, struct slot *slot, bool made)
{
    if (slot->paid && !made)
        guard_refund(gather->request);
    else if (!slot->paid && made)
        guard_charge(gather->request); /* as of a single tile (route.c) */
    slot->paid = false;
}

/* The slot's tile is there, or why it is not. */
static void come(struct gather *gather, struct slot *slot, enum pool_outcome outcome, enum metric_tier tier,
                 struct blob *blob)
{
    uv_mutex_lock(&gather->lock);
    slot->waiter.outcome = outcome;
    slot->waiter.tier = tier;
    slot->waiter.blob = blob;
    slot->final = true;
    slot->state = SLOT_CAME;
    uv_mutex_unlock(&gather->lock);
}

/* Whether it may still be asked for again. */
static bool is_patient(struct gather *gather, const struct slot *slot)
{
    uv_mutex_lock(&gather->lock);
    const uint64_t moved_ns = gather->moved_ns;
    uv_mutex_unlock(&gather->lock);
    const uint64_t since_ns = moved_ns > slot->since_ns ? moved_ns : slot->since_ns;
    return uv_hrtime() <
           (gather->plan.whole ? request_until_ns(gather->request) : since_ns + gather->patience_ns);
}

/* A tile that is in memory comes at once. */
static bool recall(struct gather *gather, struct slot *slot, const struct digest *digest)
{
    struct service *service = gather->request->service;
    struct blob *blob = memory_get(service->memory, digest);
    if (!blob)
        return false;
    metrics_add(&service->metrics.hits[TIER_MEMORY], 1);
    if (blob_first_use(blob))
        metrics_add(&service->metrics.prefetch_used, 1);
    come(gather, slot, POOL_DONE, TIER_MEMORY, blob);
    return true;
}

static enum metric_class class_of(const struct gather *gather, const struct slot *slot)
{
    return slot->index < GATHER_URGENT && !gather_is_spare(gather, slot->index) ? gather->class : CLASS_BULK;
}

/*
 * A render's token. What the request will cost is not known before: the first token lets it in, others may be owed, by all of
 * a client's requests together no more than CLIENTS_DEBT_NS is worth.
 */
static bool afford(struct gather *gather)
{
    if (gather->let_in)
        return guard_owe(gather->request);
    gather->let_in = guard_afford(gather->request, BUCKET_RENDERS);
    return gather->let_in;
}

/* To the pool. */
static void submit(struct gather *gather, struct slot *slot, const struct tile_key *key,
                   const struct terrane_world *world, const struct digest *digest)
{
    struct request *request = gather->request;
    struct pool_ask ask = {
        .key = key,
        .digest = digest,
        .world = world,
        .owner = &request->settings->references,
        .class = class_of(gather, slot),
        .payer = guard_payer(request, BUCKET_RENDERS),
        .until_ns = gather->plan.whole  ? request_until_ns(request)
                    : gather->plan.held ? 0
                                        : uv_hrtime() + gather->patience_ns,
        .again = true,
    };
    slot->waiter.wake = gather_slot_wake;
    slot->waiter.left = gather_slot_left;
    uv_mutex_lock(&gather->lock);
    ask.turn = gather->turn;
    gather->turn = false;
    slot->state = SLOT_ASKED;
    gather->references++;
    uv_mutex_unlock(&gather->lock);
    if (pool_submit(request->service->pool, &ask, &slot->waiter))
        return;
    uv_mutex_lock(&gather->lock);
    slot->state = SLOT_CAME;
    gather->references--;
    uv_mutex_unlock(&gather->lock);
}

/* Whether there was no room, or none for this client. */
static bool is_full(const struct slot *slot)
{
    return slot->waiter.outcome == POOL_FULL || slot->waiter.outcome == POOL_OVER;
}

/* Asks for a slot's tile. false: there is no room, or no token, for it now. */
static bool ask(struct gather *gather, struct slot *slot)
{
    struct tile_key key;
    struct terrane_world world = gather->request->world;
    gather->plan.key_of(gather->plan.context, slot->index, &key, &world);
    const struct digest digest = request_digest(gather->request, &key, &world);
    if (recall(gather, slot, &digest))
        return true;
    if (!slot->tried)
        metrics_add(&gather->request->service->metrics.misses, 1);
    slot->tried = true;
    slot->paid = afford(gather);
    gather->over = gather->over && !slot->paid;
    slot->waiter.outcome = POOL_DONE; /* not full, then */
    if (!slot->paid && !request_is_made(gather->request, &digest))
        return false;
    submit(gather, slot, &key, &world, &digest);
    uv_mutex_lock(&gather->lock);
    const bool full = slot->state == SLOT_CAME && is_full(slot);
    if (full)
        slot->state = SLOT_ASK;
    uv_mutex_unlock(&gather->lock);
    if (full)
        gather_refund(gather, slot, false);
    else
        gather->refused_ns = 0;
    return !full;
}

/* How long room is waited for. */
static unsigned patience_ms(const struct gather *gather)
{
    const uint64_t now_ns = uv_hrtime(), until_ns = request_until_ns(gather->request);
    const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    return (unsigned)((gather->plan.whole ? left_ns : gather->patience_ns) / 1000000);
}

/* Comes back when it is its turn, or for a token in a while, unless it will already. false: the pool is stopping. */
static bool nap(struct gather *gather, const struct slot *slot)
{
    const bool for_room = is_full(slot);
    uv_mutex_lock(&gather->lock);
    const bool first = !gather->backpressured;
    gather->backpressured = true;
    gather->references += first;
    uv_mutex_unlock(&gather->lock);
    if (!first)
        return true;
    gather->nap.wake = gather_pause_wake;
    gather->nap.client = guard_payer(gather->request, BUCKET_RENDERS).client;
    gather->nap.since_ns = gather->refused_ns ? gather->refused_ns : uv_hrtime();
    gather->refused_ns = gather->nap.since_ns; /* it had its turn and found no room: it keeps its place */
    if (pool_backpressure(gather->request->service->pool, &gather->nap,
                          for_room ? class_of(gather, slot) : CLASSES,
                          for_room ? patience_ms(gather) : TOKEN_MS))
        return true;
    uv_mutex_lock(&gather->lock);
    gather->backpressured = false;
    gather->references--;
    uv_mutex_unlock(&gather->lock);
    return false;
}

/* A slot for one more tile of the plan, or one whose tile is to be asked for again; NULL: none. */
static struct slot *slot_to_ask(struct gather *gather)
{
    struct slot *found = NULL;
    uv_mutex_lock(&gather->lock);
    for (unsigned i = 0; i < gather->slots; i++) {
        struct slot *slot = &gather->slot[i];
        const bool better = !found || found->state == SLOT_FREE || slot->index < found->index;
        if (slot->state == SLOT_ASK ? better
                                    : slot->state == SLOT_FREE && !found && gather->next < gather->plan.count)
            found = slot;
    }
    if (found && found->state == SLOT_FREE) {
        found->index = gather->next++;
        found->since_ns = uv_hrtime();
        found->tried = found->paid = found->final = false;
        found->state = SLOT_ASK;
    }
    uv_mutex_unlock(&gather->lock);
    return found;
}

/* Asks for as many as may be asked for. */
void gather_fill(struct gather *gather)
{
    for (struct slot *slot; (slot = slot_to_ask(gather)) != NULL;) {
        if (ask(gather, slot))
            continue;
        const enum pool_outcome why = is_full(slot) ? slot->waiter.outcome : POOL_OVER; /* it lacks a token */
        const bool patient = !(gather->over && why == POOL_OVER) && is_patient(gather, slot);
        if (patient && nap(gather, slot))
            return;
        gather->over = why == POOL_OVER;
        come(gather, slot, patient ? POOL_STOPPED : why, TIER_NONE, NULL);
    }
}

/* What came without a tile, and may be asked for again, will be; or not, when the patience with it has ended. */
void gather_mend(struct gather *gather)
{
    for (unsigned i = 0; i < gather->slots; i++) {
        struct slot *slot = &gather->slot[i];
        uv_mutex_lock(&gather->lock);
        const bool failed =
            slot->state == SLOT_CAME && gather_is_passing(slot->waiter.outcome) && !slot->final;
        uv_mutex_unlock(&gather->lock);
        if (!failed)
            continue;
        const bool again = is_patient(gather, slot);
        if (again)
            gather_refund(gather, slot, false);
        uv_mutex_lock(&gather->lock);
        slot->final = !again;
        slot->state = again ? SLOT_ASK : SLOT_CAME;
        uv_mutex_unlock(&gather->lock);
    }
}
