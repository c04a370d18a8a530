/*
 * Gathers.
 *
 *     FREE ──a tile of the plan──► ASK ──► ASKED (the pool has its waiter) ──► CAME ──taken──► FREE
 *                                   ▲  └────────── in memory, or refused ───────▲ │
 *                                   └──────────── full or late, and not yet out of patience
 *
 * Invariants.
 *   (1) The lock guards states, sleeping, stirred, napping, moved_ns and references. Of a slot that is ASKED everything
 *       else is the pool's; of others it is the loop's thread's.
 *   (2) A gather that is not dropped and has not ended has a slot that CAME and may be taken, one that is ASKED, or naps:
 *       whoever waits will be woken.
 *   (3) sleeping is set together with the suspension, under the lock, and whoever clears it resumes, once. A connection
 *       that is suspended does not end, so it is there to be resumed.
 */
#include "gather.h"

#include <poll.h>
#include <stdlib.h>

#include "../check.h"

enum {
    TOKEN_MS = 20 /* between two looks for a render's token */
};

enum slot_state { SLOT_FREE, SLOT_ASK, SLOT_ASKED, SLOT_CAME };

struct slot {
    struct waiter waiter;
    struct gather *gather;
    enum slot_state state;
    size_t index;
    uint64_t since_ns; /* when it was first asked for */
    bool tried;        /* it has been counted */
    bool paid;         /* a render's token */
    bool final;        /* full or late, and the patience with it has ended */
};

struct gather {
    uv_mutex_t lock;
    unsigned references; /* the request's, one a slot that is ASKED, one of the nap */
    atomic_bool dropped;
    bool sleeping; /* the connection is suspended */
    bool stirred;  /* the loop's thread has to look: something may be asked for again */
    bool napping;  /* nap is the pool's */
    bool turn;     /* the pool has room, and it is this one's turn to ask */
    uint64_t moved_ns;

    /* the loop's thread's */
    struct request *request; /* not after the drop */
    struct loop *loop;
    struct MHD_Connection *connection;
    int socket;
    gather_key *key_of;
    const void *context;
    size_t count, next, taken; /* tiles in all, those that have a slot or had one, those taken */
    size_t served;             /* those of them that were there */
    bool ordered;
    bool waited; /* since the last gather_take */
    bool paused; /* in the midst of PHASE_SEND, of which left_ns were left */
    uint64_t left_ns;
    uint64_t patience_ns;
    uint64_t refused_ns; /* since when it has been refused; 0: the last one was not */
    enum metric_class class;
    struct waiter nap;
    unsigned slots;
    struct slot slot[];
};

/* ---- Waking -------------------------------------------------------------------------------------------- */

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

/* Whether an outcome is one of a moment, so that asking again makes sense. */
static bool is_passing(enum pool_outcome outcome)
{
    return outcome == POOL_FULL || outcome == POOL_EXPIRED;
}

/* Under the lock: the slot to take next; NULL: none. What may be asked for again is not taken before mend has decided. */
static struct slot *takeable(struct gather *gather)
{
    for (unsigned i = 0; i < gather->slots; i++) {
        struct slot *slot = &gather->slot[i];
        if (slot->state != SLOT_CAME || (gather->ordered && slot->index != gather->taken))
            continue;
        if (slot->final || !is_passing(slot->waiter.outcome))
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

static void slot_wake(struct waiter *waiter)
{
    struct slot *slot = (struct slot *)((char *)waiter - offsetof(struct slot, waiter));
    struct gather *gather = slot->gather;
    uv_mutex_lock(&gather->lock);
    CHECK(slot->state == SLOT_ASKED);
    if (atomic_load(&gather->dropped)) {
        slot->state = SLOT_FREE;
        blob_release(waiter->blob);
    } else {
        slot->state = SLOT_CAME;
        gather->stirred = gather->stirred || is_passing(waiter->outcome);
        if (waiter->outcome == POOL_DONE)
            gather->moved_ns = uv_hrtime();
    }
    rouse(gather);
}

static void nap_wake(struct waiter *waiter)
{
    struct gather *gather = (struct gather *)((char *)waiter - offsetof(struct gather, nap));
    uv_mutex_lock(&gather->lock);
    gather->napping = false;
    gather->turn = waiter->outcome == POOL_DONE;
    gather->stirred = true;
    rouse(gather);
}

/* As of one tile's waiter (route.c): an end of stream means that the client has gone. */
static bool slot_left(struct waiter *waiter)
{
    const struct gather *gather = ((struct slot *)((char *)waiter - offsetof(struct slot, waiter)))->gather;
    struct pollfd end = {.fd = gather->socket, .events = POLLRDHUP};
    return atomic_load(&gather->dropped) || poll(&end, 1, 0) == 1;
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

static void settle(struct gather *gather, struct slot *slot, bool made)
{
    if (slot->paid && !made)
        guard_give_back(gather->request, BUCKET_RENDERS);
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
    return uv_hrtime() - since_ns < gather->patience_ns;
}

/* Whether the tile costs no render: it is on disk, or made for somebody already. */
static bool is_made(const struct gather *gather, const struct digest *digest)
{
    const struct service *service = gather->request->service;
    const int reader = (int)(service->disk_readers_begin + gather->loop->index);
    uint64_t bytes;
    return pool_has(service->pool, digest) ||
           (service->disk && disk_has(service->disk, reader, digest, &bytes));
}

/* A tile that is in memory comes at once. */
static bool recall(struct gather *gather, struct slot *slot, const struct digest *digest)
{
    struct service *service = gather->request->service;
    struct blob *blob = memory_get(service->memory, digest);
    if (!blob)
        return false;
    metrics_add(&service->metrics.hits[TIER_MEMORY], 1);
    if (atomic_load_explicit(&blob->prefetched, memory_order_relaxed) &&
        atomic_exchange(&blob->prefetched, false))
        metrics_add(&service->metrics.prefetch_used, 1);
    come(gather, slot, POOL_DONE, TIER_MEMORY, blob);
    return true;
}

static enum metric_class class_of(const struct gather *gather, const struct slot *slot)
{
    return slot->index < GATHER_URGENT ? gather->class : CLASS_BULK;
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
        .owner = &request->settings->shared,
        .class = class_of(gather, slot),
        .again = true,
    };
    slot->waiter.wake = slot_wake;
    slot->waiter.left = slot_left;
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

/* Asks for a slot's tile. false: there is no room, or no token, for it now. */
static bool ask(struct gather *gather, struct slot *slot)
{
    struct tile_key key;
    struct terrane_world world = gather->request->world;
    gather->key_of(gather->context, slot->index, &key, &world);
    const struct digest digest = tile_key_digest(&key, &world);
    if (recall(gather, slot, &digest))
        return true;
    if (!slot->tried)
        metrics_add(&gather->request->service->metrics.misses, 1);
    slot->tried = true;
    slot->paid = guard_afford(gather->request, BUCKET_RENDERS);
    slot->waiter.outcome = POOL_DONE; /* not full, then */
    if (!slot->paid && !is_made(gather, &digest))
        return false;
    submit(gather, slot, &key, &world, &digest);
    uv_mutex_lock(&gather->lock);
    const bool full = slot->state == SLOT_CAME && slot->waiter.outcome == POOL_FULL;
    if (full)
        slot->state = SLOT_ASK;
    uv_mutex_unlock(&gather->lock);
    if (full)
        settle(gather, slot, false);
    else
        gather->refused_ns = 0;
    return !full;
}

/* Comes back when it is its turn, or for a token in a while, unless it will already. false: the pool is stopping. */
static bool nap(struct gather *gather, const struct slot *slot)
{
    const bool for_room = slot->waiter.outcome == POOL_FULL;
    uv_mutex_lock(&gather->lock);
    const bool first = !gather->napping;
    gather->napping = true;
    gather->references += first;
    uv_mutex_unlock(&gather->lock);
    if (!first)
        return true;
    gather->nap.wake = nap_wake;
    gather->nap.since_ns = gather->refused_ns ? gather->refused_ns : uv_hrtime();
    gather->refused_ns = gather->nap.since_ns; /* who has his turn, and yet finds no room, keeps his place */
    if (pool_nap(gather->request->service->pool, &gather->nap, for_room ? class_of(gather, slot) : CLASSES,
                 for_room ? (unsigned)(gather->patience_ns / 1000000) : TOKEN_MS))
        return true;
    uv_mutex_lock(&gather->lock);
    gather->napping = false;
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
                                    : slot->state == SLOT_FREE && !found && gather->next < gather->count)
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
static void fill(struct gather *gather)
{
    for (struct slot *slot; (slot = slot_to_ask(gather)) != NULL;) {
        if (ask(gather, slot))
            continue;
        const bool patient = is_patient(gather, slot);
        if (patient && nap(gather, slot))
            return;
        come(gather, slot, patient ? POOL_STOPPED : POOL_FULL, TIER_NONE, NULL);
    }
}

/* What came without a tile, and may be asked for again, will be; or not, when the patience with it has ended. */
static void mend(struct gather *gather)
{
    for (unsigned i = 0; i < gather->slots; i++) {
        struct slot *slot = &gather->slot[i];
        uv_mutex_lock(&gather->lock);
        const bool failed = slot->state == SLOT_CAME && is_passing(slot->waiter.outcome) && !slot->final;
        uv_mutex_unlock(&gather->lock);
        if (!failed)
            continue;
        const bool again = is_patient(gather, slot);
        if (again)
            settle(gather, slot, false);
        uv_mutex_lock(&gather->lock);
        slot->final = !again;
        slot->state = again ? SLOT_ASK : SLOT_CAME;
        uv_mutex_unlock(&gather->lock);
    }
}

/* ---- Beginning ----------------------------------------------------------------------------------------- */

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
    if (!wanting || asked)
        return false;
    if (guard_take(gather->request, BUCKET_RENDERS, result))
        return true;
    guard_give_back(gather->request, BUCKET_RENDERS); /* there was no room in the queue */
    return false;
}

struct gather *gather_begin(struct request *request, size_t count, gather_key *key_of, const void *context,
                            unsigned ahead, bool ordered, enum MHD_Result *result)
{
    CHECK(!request->gather && count > 0 && ahead > 0 && ahead <= GATHER_AHEAD_MOST);
    if (guard_take_many(request, BUCKET_TILES, count, result))
        return NULL;
    struct gather *gather = create(request, count < ahead ? (unsigned)count : ahead);
    if (!gather) {
        guard_give_back_all(request, BUCKET_TILES, 0);
        *result = reply_unmade(request, POOL_FAILED);
        return NULL;
    }
    request->gather = gather;
    gather->key_of = key_of;
    gather->context = context;
    gather->count = count;
    gather->ordered = ordered;
    fill(gather);
    if (!lacks_token(gather, result))
        return gather;
    gather_drop(gather);
    return NULL;
}

/* ---- Taking -------------------------------------------------------------------------------------------- */

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
        gather->moved_ns = now; /* it was the client who took his time */
    uv_mutex_unlock(&gather->lock);
    gather->waited = false;
}

enum gather_state gather_take(struct gather *gather, struct gather_item *item)
{
    awake(gather);
    mend(gather);
    fill(gather);
    uv_mutex_lock(&gather->lock);
    struct slot *slot = takeable(gather);
    uv_mutex_unlock(&gather->lock);
    if (!slot)
        return gather->taken == gather->count ? GATHER_END : GATHER_WAIT;
    const struct waiter *waiter = &slot->waiter;
    const bool done = waiter->outcome == POOL_DONE;
    *item = (struct gather_item){slot->index, waiter->outcome, waiter->tier, done ? waiter->blob : NULL};
    settle(gather, slot, done && waiter->tier == TIER_RENDER);
    gather->served += done;
    uv_mutex_lock(&gather->lock);
    slot->waiter.blob = NULL;
    slot->state = SLOT_FREE;
    gather->taken++;
    uv_mutex_unlock(&gather->lock);
    fill(gather);
    return GATHER_ITEM;
}

/* Suspends under the lock: whoever wakes the gather from here on finds the connection suspended. */
bool gather_wait(struct gather *gather)
{
    struct connection *link = gather->request->link;
    uv_mutex_lock(&gather->lock);
    if (gather->stirred || takeable(gather)) {
        uv_mutex_unlock(&gather->lock);
        gather->waited = true;
        return false;
    }
    CHECK(gather->references > 1 && gather->taken < gather->count);
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
    atomic_store(&gather->dropped, true);
    for (unsigned i = 0; i < gather->slots; i++)
        if (gather->slot[i].state == SLOT_CAME)
            blob[blobs++] = gather->slot[i].waiter.blob;
    uv_mutex_unlock(&gather->lock);
    for (unsigned i = 0; i < blobs; i++)
        blob_release(blob[i]);
    for (unsigned i = 0; i < gather->slots; i++)
        settle(gather, &gather->slot[i], false);
    guard_give_back_all(request, BUCKET_TILES, gather->served);
    request->gather = NULL;
    gather->request = NULL;
    release(gather);
}
