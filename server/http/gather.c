/*
 * Gathers. Three concerns over one state:
 *
 *   asking     A slot's tile is looked for in memory, paid for, and asked of the pool, again where the answer is one of a moment.
 *              Where there is neither room nor token, the whole gather naps: there is one nap, and after it comes the
 *              lowest tile first.
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
#include "gather.h"

#include <poll.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "guard.h"

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
    struct payer payer; /* since the drop */

    /* the loop's thread's */
    struct request *request; /* not after the drop */
    struct loop *loop;
    struct MHD_Connection *connection;
    int socket;
    struct gather_plan plan;
    size_t next, taken; /* tiles that have a slot or had one, those taken */
    bool let_in;        /* it has had a render's token, and may owe others */
    bool over;          /* it has lost patience for want of one: without one there is nothing more */
    bool waited;        /* since the last gather_take */
    bool paused;        /* in the midst of PHASE_SEND, of which left_ns were left */
    uint64_t left_ns;
    uint64_t patience_ns;
    uint64_t refused_ns; /* since when it has been refused; 0: the last one was not */
    enum metric_class class;
    struct waiter nap;
    unsigned slots;
    struct slot slot[];
};

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
static bool is_passing(enum pool_outcome outcome)
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
        if (slot->paid && !was_made(waiter))
            payer_refund(&gather->payer, BUCKET_RENDERS);
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

/* ---- One tile ------------------------------------------------------------------------------------------ */

/* Gives a slot's render's token back where nothing was made for it. */
static void refund(struct gather *gather, struct slot *slot, bool made)
{
    struct request *request = gather->request;
    if (slot->paid && !made && request->paid[BUCKET_RENDERS] > 0)
        guard_give_back(request, BUCKET_RENDERS, request->paid[BUCKET_RENDERS] - 1);
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

/* Whether the tile costs no render: it is on disk, or made for another request already. */
static bool is_made(const struct gather *gather, const struct digest *digest)
{
    const struct service *service = gather->request->service;
    const int reader = (int)(POOL_LOOKERS + gather->loop->index);
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
        .until_ns = gather->plan.whole ? request_until_ns(request) : uv_hrtime() + gather->patience_ns,
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
    const struct digest digest = tile_key_digest(&key, &world);
    if (recall(gather, slot, &digest))
        return true;
    if (!slot->tried)
        metrics_add(&gather->request->service->metrics.misses, 1);
    slot->tried = true;
    slot->paid = afford(gather);
    gather->over = gather->over && !slot->paid;
    slot->waiter.outcome = POOL_DONE; /* not full, then */
    if (!slot->paid && !is_made(gather, &digest))
        return false;
    submit(gather, slot, &key, &world, &digest);
    uv_mutex_lock(&gather->lock);
    const bool full = slot->state == SLOT_CAME && is_full(slot);
    if (full)
        slot->state = SLOT_ASK;
    uv_mutex_unlock(&gather->lock);
    if (full)
        refund(gather, slot, false);
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
    const bool first = !gather->napping;
    gather->napping = true;
    gather->references += first;
    uv_mutex_unlock(&gather->lock);
    if (!first)
        return true;
    gather->nap.wake = nap_wake;
    gather->nap.client = guard_payer(gather->request, BUCKET_RENDERS).client;
    gather->nap.since_ns = gather->refused_ns ? gather->refused_ns : uv_hrtime();
    gather->refused_ns = gather->nap.since_ns; /* it had its turn and found no room: it keeps its place */
    if (pool_nap(gather->request->service->pool, &gather->nap, for_room ? class_of(gather, slot) : CLASSES,
                 for_room ? patience_ms(gather) : TOKEN_MS))
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
static void fill(struct gather *gather)
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
            refund(gather, slot, false);
        uv_mutex_lock(&gather->lock);
        slot->final = !again;
        slot->state = again ? SLOT_ASK : SLOT_CAME;
        uv_mutex_unlock(&gather->lock);
    }
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
    fill(gather);
    if (!lacks_token(gather, result))
        return gather;
    gather_drop(gather);
    return NULL;
}

/* ---- Taking -------------------------------------------------------------------------------------------- */

enum gather_state gather_take(struct gather *gather, struct gather_item *item)
{
    awake(gather);
    mend(gather);
    fill(gather);
    uv_mutex_lock(&gather->lock);
    struct slot *slot = takeable(gather);
    uv_mutex_unlock(&gather->lock);
    if (!slot)
        return gather->taken == gather->plan.count ? GATHER_END : GATHER_WAIT;
    const struct waiter *waiter = &slot->waiter;
    const bool done = waiter->outcome == POOL_DONE;
    *item = (struct gather_item){slot->index, waiter->outcome, waiter->tier, done ? waiter->blob : NULL};
    refund(gather, slot, was_made(waiter));
    uv_mutex_lock(&gather->lock);
    slot->waiter.blob = NULL;
    slot->state = SLOT_FREE;
    gather->taken++;
    uv_mutex_unlock(&gather->lock);
    fill(gather);
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
            SLOT_ASKED) /* else it is paid back when it comes: it may be in the midst of being made */
            refund(gather, slot, slot->state == SLOT_CAME && was_made(&slot->waiter));
    }
    uv_mutex_unlock(&gather->lock);
    for (unsigned i = 0; i < blobs; i++)
        blob_release(blob[i]);
    guard_give_back(request, BUCKET_TILES, gather->taken + gather->plan.refused);
    request->gather = NULL;
    gather->request = NULL;
    release(gather);
}
