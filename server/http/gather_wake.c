/*
 * Gathers: who sleeps, and who wakes whom.
 *
 * The pool's threads come in through the waiters of slots and of the nap, each with a reference to the gather; the loop's
 * thread lies down in gather_wait. Under the lock either sees what the other has done: a tile that comes while the loop's
 * thread is about to sleep keeps it awake. States and invariants: gather_parts.h.
 */
#include <poll.h>
#include <stdlib.h>

#include "../base/check.h"
#include "gather_parts.h"

/* ---- Waking -------------------------------------------------------------------------------------------- */

void gather_release(struct gather *gather)
{
    uv_mutex_lock(&gather->lock);
    const unsigned left = --gather->references;
    uv_mutex_unlock(&gather->lock);
    if (left > 0)
        return;
    uv_mutex_destroy(&gather->lock);
    free(gather);
}

bool gather_was_made(const struct waiter *waiter)
{
    return waiter->outcome == POOL_DONE && waiter->tier == TIER_RENDER;
}

bool gather_is_passing(enum pool_outcome outcome)
{
    return outcome == POOL_FULL || outcome == POOL_OVER || outcome == POOL_EXPIRED;
}

struct slot *gather_takeable(struct gather *gather)
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
    const bool resume = gather->sleeping && (gather->stirred || gather_takeable(gather));
    if (resume)
        gather->sleeping = false;
    uv_mutex_unlock(&gather->lock);
    if (resume)
        loop_resume(gather->loop, gather->connection);
    gather_release(gather);
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
        if (slot->paid && !gather_was_made(waiter))
            payer_refund(&gather->payer, BUCKET_RENDERS);
    } else {
        slot->state = SLOT_CAME;
        gather->stirred = gather->stirred || gather_is_passing(waiter->outcome);
        if (waiter->outcome == POOL_DONE)
            gather->moved_ns = uv_hrtime();
    }
    rouse(gather);
}

void gather_nap_wake(struct waiter *waiter)
{
    struct gather *gather = (struct gather *)((char *)waiter - offsetof(struct gather, nap));
    uv_mutex_lock(&gather->lock);
    gather->napping = false;
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

void gather_awake(struct gather *gather)
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
        gather->moved_ns = now; /* it was the client who took his time */
    uv_mutex_unlock(&gather->lock);
    gather->waited = false;
}

/* Suspends under the lock: whoever wakes the gather from here on finds the connection suspended. */
bool gather_wait(struct gather *gather)
{
    struct connection *link = gather->request->link;
    uv_mutex_lock(&gather->lock);
    if (gather->stirred || gather_takeable(gather)) {
        uv_mutex_unlock(&gather->lock);
        gather->waited = true;
        return false;
    }
    CHECK(gather->references > 1 && gather->taken < gather->plan.count);
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
