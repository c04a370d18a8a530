/*
 * Many tiles for one request, few of them at a time.
 *
 *     gather_begin ──► gather_take ──► GATHER_ITEM   a tile, or why there is none
 *                        ▲    │   ──► GATHER_END    all have been taken
 *                        │    ▼
 *                        └─ gather_wait              GATHER_WAIT: the connection sleeps until there is more to take
 *
 * At most `ahead` tiles are asked for and not yet taken, so what is held is bounded however large the request, and however
 * slow its client. A tile that the pool has no room for, or that was late while others came, is asked for again, gathers in
 * turn: one gives up when nothing has come to it for render.deadline_ms, and a whole one when its request has waited for as long. All but its first few tiles are CLASS_BULK:
 * a client that waits for one tile does not wait for those.
 *
 * Tokens. gather_begin takes one of BUCKET_TILES a tile, and one for each target that is answered without a tile; tiles that
 * are not taken give theirs back. Each tile that is made takes one of BUCKET_RENDERS when it is asked for: of the first one
 * there has to be one, others may be owed (clients.h); where a client's other requests have owed as much already, the gather
 * waits for them as for room.
 *
 * Threads. All calls are the loop's thread's. The pool's threads reach a gather through its waiters, each of which holds a
 * reference: it outlives its request until the last of them has been woken.
 */
#ifndef TERRANE_SERVER_GATHER_H
#define TERRANE_SERVER_GATHER_H

#include "request.h"

enum { GATHER_AHEAD_MAX = 64, GATHER_URGENT = 4 /* tiles of the request's own class */ };

struct gather_item {
    size_t index;
    enum pool_outcome outcome;
    enum metric_tier tier; /* where the blob came from */
    struct blob *blob;     /* the taker's; NULL unless POOL_DONE */
};

enum gather_state { GATHER_ITEM, GATHER_WAIT, GATHER_END };

/* Fills the finished key of a tile, 0 .. count - 1. *world is request->world; another one, whose recipe is of the request's
 * settings, may be put in. Pure: it may be asked more than once. */
typedef void gather_key(const void *context, size_t index, struct tile_key *key, struct terrane_world *world);

struct gather_plan {
    size_t count; /* tiles, 1 or more */
    gather_key *key_of;
    const void *context; /* borrowed until gather_drop */
    unsigned ahead;      /* 1 .. GATHER_AHEAD_MAX */
    bool ordered;        /* items come by index, else as they are ready */
    bool whole;          /* nothing is sent before all have come: request_until_ns bounds them */
    bool held;           /* a tile that is in hand is waited for as by a request for it alone (pool.h) */
    size_t refused;      /* what the request answers besides, without a tile: each is paid for as one */
    size_t
        spare; /* the last so many tiles are asked for while others are awaited, and not waited for, nor paid for as tiles */
};

/* How many tiles a gather of this plan asks for, or holds, at once. */
unsigned gather_slots(const struct gather_plan *plan);

/*
 * Begins to ask for tiles of request->world. The gather is the request's (request->gather), which has one at a time; its end
 * drops it. NULL: answered (429; 503 where memory is short), and *result says how.
 *
 * A route that waits before it has queued a response sets request->woken: the handler goes on there.
 */
struct gather *gather_begin(struct request *request, const struct gather_plan *plan, enum MHD_Result *result);

/* The next item; GATHER_WAIT: nothing yet; GATHER_END: all but spare ones have been taken. An item that failed counts as taken. */
enum gather_state gather_take(struct gather *gather, struct gather_item *item);

/*
 * After GATHER_WAIT: suspends the connection until there is something to take, and returns true: the caller returns to
 * libmicrohttpd (MHD_YES from a handler, 0 from a content reader), and is called again. false: there is something already.
 * The clock of PHASE_SEND stands still meanwhile.
 */
bool gather_wait(struct gather *gather);

/* Suspends the connection for one turn of its loop, so that others are served before it goes on. */
void gather_yield(struct gather *gather);

/*
 * The same for requests that have tiles of a gather, and nothing of an answer before all of them: the next tile, or GATHER_END.
 * GATHER_WAIT: *result is what a handler returns: the connection sleeps, or there is no such tile and that was answered.
 */
enum gather_state gather_next(struct request *request, struct gather_item *item, enum MHD_Result *result);

/*
 * All of a plan, for requests that go on when it is there: begins the gather, or goes on with the one that there is, gives every blob to
 * take, which owns it, and drops the gather. false: *result is what a handler returns, and request->woken comes here again.
 */
bool gather_all(struct request *request, const struct gather_plan *plan,
                void (*take)(struct request *request, size_t index, struct blob *blob),
                enum MHD_Result *result);

/* Answers a request of which nothing has been sent: it gets no tiles (request->gather may be NULL), and pays for none. */
enum MHD_Result gather_give_up(struct request *request, enum pool_outcome why);

/* The request is over, or needs no more: nobody waits for what is outstanding. NULL is fine. */
void gather_drop(struct gather *gather);

#endif
