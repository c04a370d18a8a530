/*
 * Gathers: beginning, handing over, ending. All of it is the loop's thread's; states and invariants: gather_parts.h.
 */
#include <stdlib.h>

#include "../base/check.h"
#include "gather_parts.h"

/* ---- Beginning ----------------------------------------------------------------------------------------- */

unsigned gather_slots(const struct gather_plan *plan)
{
    return plan->count < plan->ahead ? (unsigned)plan->count : plan->ahead;
}

static struct gather *create(struct request *request, unsigned slots)
{
    struct gather *gather = calloc(1, sizeof *gather + slots * sizeof *gather->slot);
    if (!gather || uv_mutex_init(&gather->lock) != 0) {
        free(gather);
        return NULL;
    }
    gather->references = 1;
    gather->request = request;
    gather->loop = request->link->loop;
    gather->connection = request->connection;
    gather->socket = request->link->socket;
    gather->patience_ns = (uint64_t)request->settings->config.render.deadline_ms * 1000000;
    gather->class =
        priority_class(request_header(request, "Priority"), request_header(request, "Sec-Purpose"));
    gather->moved_ns = uv_hrtime();
    gather->slots = slots;
    for (unsigned i = 0; i < slots; i++)
        gather->slot[i].gather = gather;
    return gather;
}

/* Whether there are tiles to be made, none has been asked of the pool, and the client has no token for that. Answers then. */
static bool lacks_token(struct gather *gather, enum MHD_Result *result)
{
    bool wanting = false, asked = false;
    uv_mutex_lock(&gather->lock);
    for (unsigned i = 0; i < gather->slots; i++) {
        const struct slot *slot = &gather->slot[i];
        wanting = wanting || slot->state == SLOT_ASK;
        asked = asked || slot->state == SLOT_ASKED ||
                (slot->state == SLOT_CAME && slot->waiter.tier != TIER_MEMORY);
    }
    uv_mutex_unlock(&gather->lock);
    if (!wanting || asked || gather->let_in)
        return false;
    if (guard_take(gather->request, BUCKET_RENDERS, 1, result))
        return true;
    guard_give_back(gather->request, BUCKET_RENDERS,
                    0); /* it has come in the meantime: the next look takes it */
    return false;
}

struct gather *gather_begin(struct request *request, const struct gather_plan *plan, enum MHD_Result *result)
{
    CHECK(!request->gather && plan->count > 0 && plan->ahead > 0 && plan->ahead <= GATHER_AHEAD_MOST);
    if (guard_take(request, BUCKET_TILES, plan->count + plan->refused, result))
        return NULL;
    struct gather *gather = create(request, gather_slots(plan));
    if (!gather) {
        guard_give_back(request, BUCKET_TILES, 0);
        *result = reply_unmade(request, POOL_FAILED);
        return NULL;
    }
    request->gather = gather;
    gather->plan = *plan;
    gather_fill(gather);
    if (!lacks_token(gather, result))
        return gather;
    gather_drop(gather);
    return NULL;
}

/* ---- Taking -------------------------------------------------------------------------------------------- */

enum gather_state gather_take(struct gather *gather, struct gather_item *item)
{
    gather_awake(gather);
    gather_mend(gather);
    gather_fill(gather);
    uv_mutex_lock(&gather->lock);
    struct slot *slot = gather_takeable(gather);
    uv_mutex_unlock(&gather->lock);
    if (!slot)
        return gather->taken == gather->plan.count ? GATHER_END : GATHER_WAIT;
    const struct waiter *waiter = &slot->waiter;
    const bool done = waiter->outcome == POOL_DONE;
    *item = (struct gather_item){slot->index, waiter->outcome, waiter->tier, done ? waiter->blob : NULL};
    gather_settle(gather, slot, gather_was_made(waiter));
    uv_mutex_lock(&gather->lock);
    slot->waiter.blob = NULL;
    slot->state = SLOT_FREE;
    gather->taken++;
    uv_mutex_unlock(&gather->lock);
    gather_fill(gather);
    return GATHER_ITEM;
}

/* ---- The end ------------------------------------------------------------------------------------------- */

void gather_drop(struct gather *gather)
{
    if (!gather)
        return;
    struct request *request = gather->request;
    struct blob *blob[GATHER_AHEAD_MOST];
    unsigned blobs = 0;
    uv_mutex_lock(&gather->lock);
    CHECK(!gather->sleeping);
    gather->payer = guard_payer(request, BUCKET_RENDERS);
    atomic_store(&gather->dropped, true);
    for (unsigned i = 0; i < gather->slots; i++) {
        struct slot *slot = &gather->slot[i];
        if (slot->state == SLOT_CAME)
            blob[blobs++] = slot->waiter.blob;
        if (slot->state !=
            SLOT_ASKED) /* else it is settled when it comes: it may be in the midst of being made */
            gather_settle(gather, slot, slot->state == SLOT_CAME && gather_was_made(&slot->waiter));
    }
    uv_mutex_unlock(&gather->lock);
    for (unsigned i = 0; i < blobs; i++)
        blob_release(blob[i]);
    guard_give_back(request, BUCKET_TILES, gather->taken + gather->plan.refused);
    request->gather = NULL;
    gather->request = NULL;
    gather_release(gather);
}
