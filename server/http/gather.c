/*
 * Gathers. Three concerns over one state:
 *
 *   asking     A slot's tile is looked for in memory, paid for, and asked of the pool, again where the answer is one of a moment.
 *              Where there is neither room nor token, the whole gather naps: there is one nap, and after it comes the
 *              lowest tile first. gather_ask.c
 *   waking     The pool's threads come in through the waiters of slots and of the nap, each with a reference to the gather; the
 *              loop's thread lies down in gather_wait. Under the lock either sees what the other has done: a tile that comes while
 *              the loop's thread is about to sleep keeps it awake.
 *   taking     What came is handed over. All but waking is the loop's thread's.
 *
 *     FREE ──a tile of the plan──► ASK ──► ASKED (the pool has its waiter) ──► CAME ──taken──► FREE
 *                                   ▲  └────────── in memory, or refused ───────▲ │
 *                                   └──────────── full or late, and not yet out of patience
 *
 * Invariants.
 *   (1) The lock guards states, sleeping, stirred, napping, turn, moved_ns and references. Of a slot that is ASKED everything
 *       else is the pool's; of others it is the loop's thread's.
 *   (2) A gather that is not dropped and has not ended has a slot that CAME and may be taken, one that is ASKED, or naps:
 *       a gather that waits will be woken.
 *   (3) sleeping is set together with the suspension, under the lock, and the thread that clears it resumes, once. A connection
 *       that is suspended does not end, so it is there to be resumed.
 */
#include <poll.h>
#include <stdlib.h>

#include "../base/check.h"
#include "gather_parts.h"
#include "guard.h"

/* ---- Waking -------------------------------------------------------------------------------------------- */

/* Drops a reference; the last one frees. */
static void release(struct gather *gather)
{
    uv_mutex_lock(&gather->lock);
    const unsigned left = --gather->references;
    uv_mutex_unlock(&gather->lock);
    if (left > 0)
        return;
    uv_mutex_destroy(&gather->lock);
    free(gather);
}

/* Whether a tile was made for this waiter, which then costs its token, whether its client is still there or not. */
static bool was_made(const struct waiter *waiter)
{
    return waiter->outcome == POOL_DONE && waiter->tier == TIER_RENDER;
}

/* Whether an outcome is one of a moment, so that asking again makes sense. */
bool gather_is_passing(enum pool_outcome outcome)
{
    return outcome == POOL_FULL || outcome == POOL_OVER || outcome == POOL_EXPIRED;
}

/* Under the lock: the slot to take next; NULL: none. What may be asked for again is not taken before mend has decided. */
static struct slot *takeable(struct gather *gather)
{
    for (unsigned i = 0; i < gather->slots; i++) {
        struct slot *slot = &gather->slot[i];
        if (slot->state != SLOT_CAME || (gather->plan.ordered && slot->index != gather->taken))
            continue;
        if (slot->final || !gather_is_passing(slot->waiter.outcome))
            return slot;
    }
    return NULL;
}

/* Under the lock, which it drops: resumes the connection where it sleeps and there is something to do. */
static void rouse(struct gather *gather)
{
    const bool resume = gather->sleeping && (gather->stirred || takeable(gather));
    if (resume)
        gather->sleeping = false;
    uv_mutex_unlock(&gather->lock);
    if (resume)
        loop_resume(gather->loop, gather->connection);
    release(gather);
}

void gather_slot_wake(struct waiter *waiter)
{
    struct slot *slot = (struct slot *)((char *)waiter - offsetof(struct slot, waiter));
    struct gather *gather = slot->gather;
    uv_mutex_lock(&gather->lock);
    CHECK(slot->state == SLOT_ASKED);
    if (atomic_load(&gather->dropped)) {
        slot->state = SLOT_FREE;
        blob_release(waiter->blob);
        if (slot->paid && !was_made(waiter))
            payer_refund(&gather->payer, BUCKET_RENDERS);
        else if (!slot->paid && was_made(waiter))
            clients_charge(&gather->payer, CLIENTS_TOKEN_NS, uv_hrtime());
    } else {
        slot->state = SLOT_CAME;
        gather->stirred = gather->stirred || gather_is_passing(waiter->outcome);
        if (waiter->outcome == POOL_DONE)
            gather->moved_ns = uv_hrtime();
    }
    rouse(gather);
}

void gather_pause_wake(struct waiter *waiter)
{
    struct gather *gather = (struct gather *)((char *)waiter - offsetof(struct gather, nap));
    uv_mutex_lock(&gather->lock);
    gather->backpressured = false;
    gather->turn = waiter->outcome == POOL_DONE;
    gather->stirred = true;
    rouse(gather);
}

/* As of one tile's waiter (route.c): an end of stream means that the client has gone. */
bool gather_slot_left(struct waiter *waiter)
{
    const struct gather *gather = ((struct slot *)((char *)waiter - offsetof(struct slot, waiter)))->gather;
    struct pollfd end = {.fd = gather->socket, .events = POLLRDHUP};
    return atomic_load(&gather->dropped) || poll(&end, 1, 0) == 1;
}

/* ---- Sleeping ------------------------------------------------------------------------------------------ */

/* The clock that gather_wait stopped goes on. */
static void awake(struct gather *gather)
{
    const uint64_t now = uv_hrtime();
    if (gather->paused) {
        gather->request->link->phase = PHASE_SEND;
        gather->request->link->deadline_ns = now + gather->left_ns;
        gather->paused = false;
    }
    uv_mutex_lock(&gather->lock);
    gather->stirred = false;
    if (!gather->waited)
        gather->moved_ns = now; /* it was the client that took its time */
    uv_mutex_unlock(&gather->lock);
    gather->waited = false;
}

/* Suspends under the lock: what wakes the gather from here on finds the connection suspended. */
bool gather_wait(struct gather *gather)
{
    struct connection *link = gather->request->link;
    uv_mutex_lock(&gather->lock);
    if (gather->stirred || takeable(gather)) {
        uv_mutex_unlock(&gather->lock);
        gather->waited = true;
        return false;
    }
    CHECK(gather->references > 1 && gather->taken < gather->plan.count - gather->plan.spare);
    const uint64_t now = uv_hrtime();
    gather->waited = true;
    gather->paused = link->phase == PHASE_SEND;
    gather->left_ns = link->deadline_ns > now ? link->deadline_ns - now : 0;
    connection_enter(link, PHASE_WAIT, 0);
    gather->sleeping = true;
    MHD_suspend_connection(gather->connection);
    uv_mutex_unlock(&gather->lock);
    return true;
}

void gather_yield(struct gather *gather)
{
    MHD_suspend_connection(gather->connection);
    loop_resume(gather->loop, gather->connection);
}

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
    gather->let_in = request->paid[BUCKET_RENDERS] > 0;
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
    CHECK(!request->gather && plan->count > plan->spare && plan->ahead > 0 &&
          plan->ahead <= GATHER_AHEAD_MAX && !(plan->spare && plan->ordered));
    const unsigned before = request->paid[BUCKET_TILES];
    if (guard_take(request, BUCKET_TILES, plan->count - plan->spare + plan->refused, result))
        return NULL;
    struct gather *gather = create(request, gather_slots(plan));
    if (!gather) {
        guard_give_back(request, BUCKET_TILES, 0);
        *result = reply_unmade(request, POOL_FAILED);
        return NULL;
    }
    request->gather = gather;
    gather->plan = *plan;
    gather->before = before;
    gather_fill(gather);
    if (!lacks_token(gather, result))
        return gather;
    gather_drop(gather);
    return NULL;
}

/* ---- Taking -------------------------------------------------------------------------------------------- */

enum gather_state gather_take(struct gather *gather, struct gather_item *item)
{
    awake(gather);
    if (gather->taken == gather->plan.count - gather->plan.spare)
        return GATHER_END;
    gather_mend(gather);
    gather_fill(gather);
    uv_mutex_lock(&gather->lock);
    struct slot *slot = takeable(gather);
    uv_mutex_unlock(&gather->lock);
    if (!slot)
        return GATHER_WAIT;
    const struct waiter *waiter = &slot->waiter;
    const bool done = waiter->outcome == POOL_DONE;
    *item = (struct gather_item){slot->index, waiter->outcome, waiter->tier, done ? waiter->blob : NULL};
    gather_refund(gather, slot, was_made(waiter));
    uv_mutex_lock(&gather->lock);
    slot->waiter.blob = NULL;
    slot->state = SLOT_FREE;
    gather->taken += !gather_is_spare(gather, slot->index);
    uv_mutex_unlock(&gather->lock);
    gather_fill(gather);
    return GATHER_ITEM;
}

enum gather_state gather_next(struct request *request, struct gather_item *item, enum MHD_Result *result)
{
    enum gather_state state;
    for (;;) {
        state = gather_take(request->gather, item);
        if (state == GATHER_WAIT && gather_wait(request->gather)) {
            *result = MHD_YES;
            return GATHER_WAIT;
        }
        if (state == GATHER_ITEM && gather_is_spare(request->gather, item->index))
            blob_release(item->blob);
        else if (state != GATHER_WAIT)
            break;
    }
    if (state == GATHER_END || item->outcome == POOL_DONE)
        return state;
    *result = gather_give_up(request, item->outcome);
    return GATHER_WAIT;
}

bool gather_all(struct request *request, const struct gather_plan *plan,
                void (*take)(struct request *request, size_t index, struct blob *blob),
                enum MHD_Result *result)
{
    struct gather_item item;
    enum gather_state state;
    if (!request->gather && !gather_begin(request, plan, result))
        return false;
    while ((state = gather_next(request, &item, result)) == GATHER_ITEM)
        take(request, item.index, item.blob);
    if (state == GATHER_WAIT)
        return false;
    gather_drop(request->gather);
    return true;
}

/* ---- The end ------------------------------------------------------------------------------------------- */

void gather_drop(struct gather *gather)
{
    if (!gather)
        return;
    struct request *request = gather->request;
    struct blob *blob[GATHER_AHEAD_MAX];
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
            SLOT_ASKED) /* else it is paid back when it comes: it may be in the midst of being made */
            gather_refund(gather, slot, slot->state == SLOT_CAME && was_made(&slot->waiter));
    }
    uv_mutex_unlock(&gather->lock);
    for (unsigned i = 0; i < blobs; i++)
        blob_release(blob[i]);
    guard_give_back(request, BUCKET_TILES, gather->before + gather->taken + gather->plan.refused);
    request->gather = NULL;
    gather->request = NULL;
    release(gather);
}

enum MHD_Result gather_give_up(struct request *request, enum pool_outcome why)
{
    gather_drop(request->gather);
    guard_give_back(request, BUCKET_TILES, 0);
    return reply_unmade(request, why);
}
