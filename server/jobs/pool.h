/*
 * The render pool: one job a product, own worker threads, a bounded queue, deadlines.
 *
 *   tile:   submit ──► LOOKING ──► ASKING ──► TILES ────┐        all inputs at hand
 *                                   │ ▲                 ├──► begun ─────────────────────┐
 *   region: a job ───► LOOKING ──► ASKING ──► REGIONS ──┘      │                        ▼
 *           needs it                ▼ │                        │ some are missing     made ──► answered, gone
 *                                  ABROAD                      ▼                        ▲
 *                                                           PARKED ──the last──► READY ─┘
 *                                                              │     came
 *                                                              └── its inputs' own jobs, made or joined
 *
 * A job is looked for on disk, then asked for in the shared tier; where it is found it is answered. Without a tier there is
 * no such step, and while the shared one is unwell nothing is asked. Threads of their own look and ask, so a tile that is
 * on disk never waits behind tiles that have to be made; the workers only make.
 *
 * Nodes that share a tier make a product once: the one that is to make it takes its lease first. A job whose lease another node
 * has is abroad: it waits among the tiles that wait to be made and asks again every few milliseconds, at most for
 * remote_wait_ms and for half of the time that its client waits. Then it is made all the same, to the same bytes (pool_find.c).
 *
 * No worker waits for another. One that begins a job takes its inputs from memory; for each that is not there it joins
 * or makes that product's job, and parks the job: a parked job belongs to no queue and no worker until its last input
 * has come. Inputs are handed over as references, so no eviction can take away what a job rests on.
 *
 * Clients have equal shares of the workers, measured in CPU time: their turns go round, each as long as two tiles take on the
 * average (jobs_flow.c). Of one client's jobs those come first whose inputs have come; then regions and tiles that have not
 * begun, whichever is due first: its age put off by a penalty of its class (jobs.c), so nothing starves. A region is as old and
 * as urgent as the job that first needed it, and a job becomes as urgent as a request that joins it, and its client's if that
 * has had less. Of tiles only as many are begun that no more than POOL_BEGUN and 8 a worker are under way, of what is less
 * urgent half and a quarter of that: what was begun holds memory, and is finished first. A client that has begun none may begin
 * one all the same.
 *
 * What a client's jobs cost is charged to its bucket of renders when it is known. One that owes more than a second is refused
 * (POOL_OVER), and so is what it has asked for and no worker has; as long as what workers make for it may cost all that it
 * has and a second, no other is begun for it. So a token lets in no more than two seconds of CPU time.
 *
 * The queue of tiles that wait to be made is filled by CLASS_WAITING alone; others may fill half of it, and a quarter. Where it
 * is full, a client that holds less than the one that holds most gets the place of that one's youngest, which is refused.
 *
 * CLASS_IDLE is made where nothing else has been to do for POOL_QUIET_MS, by half of the workers; by a worker that is the only one
 * after five times as long.
 *
 * A waiter is late when the deadline has passed since it asked, and since a worker has last begun or ended something for its client:
 * what is to be made is waited for. While a worker has something of its client's in hand that is POOL_IN_HAND deadlines, since workers
 * have a low priority, and take long where the machine is busy with something else; so it is for one whose job has begun, and as long
 * as the workers get on.
 *
 * A job is wanted as long as a waiter or a prefetch is there for it or for some job that rests on it. One that nothing wants
 * and no worker has ends at once, and what only it needed with it; one that a worker has is finished, into the caches.
 */
#ifndef TERRANE_SERVER_POOL_H
#define TERRANE_SERVER_POOL_H

#include "../../lib/terrane_make.h"
#include "../access/clients.h"
#include "../base/refcount.h"
#include "../cache/disk.h"
#include "../cache/memory.h"
#include "../cache/remote.h"
#include "../observe/metrics.h"

enum {
    POOL_BEGUN = 16,
    POOL_PREFETCH_MS = 20000,
    POOL_QUIET_MS = 200,
    POOL_IN_HAND =
        12, /* deadlines that a job may be under a worker's hand: a minute, for what takes a second of CPU time */
    POOL_LOOKERS = 1, /* threads that look on the disk, and its readers 0 .. POOL_LOOKERS - 1 */
    POOL_ASKERS = 4   /* threads that ask the shared tier, and its readers 0 .. POOL_ASKERS - 1 */
};

enum pool_outcome {
    POOL_DONE,    /* blob is set */
    POOL_FULL,    /* the queue is full: try again later */
    POOL_OVER,    /* it is, or was, full of this client's tiles, or the client owes too much */
    POOL_EXPIRED, /* the deadline passed */
    POOL_GONE,    /* the client has left */
    POOL_FAILED,  /* memory is short */
    POOL_STOPPED  /* the pool is being stopped */
};

/*
 * What waits for a tile. Embedded in the caller's request; the pool's from pool_submit until wake is
 * called, once, from any thread and with none of the pool's locks held.
 */
struct waiter {
    void (*wake)(struct waiter *waiter);
    bool (*left)(struct waiter *waiter); /* has the client gone? Quick; called under the pool's lock */
    enum pool_outcome outcome;
    struct blob *blob;     /* owned by the waiter when POOL_DONE */
    enum metric_tier tier; /* where the blob came from */
    uint64_t queue_ns;     /* until its job was begun */
    uint64_t shared_ns;    /* spent on asking the shared tier; of what was made, a part of queue_ns */
    uint64_t region_ns;    /* from there until all its regions had come */
    uint64_t surface_ns, encode_ns;
    /* the pool's */
    struct job *job;
    struct waiter *next, *previous; /* of the job */
    struct flow *flow;              /* whose client it is */
    struct waiter *later, *earlier; /* by deadline */
    uint64_t deadline_ns, until_ns;
    /* of one that naps; the caller's: since when it has wanted room, and whose it is */
    uint64_t since_ns;
    struct client_id client;
    enum metric_class class;
};

struct pool_options {
    unsigned threads; /* that make; one more looks things up on the disk, POOL_ASKERS in the shared tier */
    unsigned queue;   /* tiles that wait to be made, parked ones included */
    unsigned deadline_ms; /* of a waiter for whose client nothing is made (jobs_late) */
    struct memory *memory;
    struct disk *disk;       /* or NULL */
    struct remote *remote;   /* the shared tier, or NULL */
    bool remote_regions;     /* it is for regions, too */
    unsigned remote_wait_ms; /* for what another node makes, at most */
    unsigned remote_turn_ms; /* for its turn to be asked for, at most, and an eighth of the deadline */
    struct metrics *metrics;
};

struct pool;

/* Starts the workers. Returns owned; NULL when threads or memory are short. Borrows what the options name. */
struct pool *pool_start(const struct pool_options *options);

/* A tile, or a region, that is asked for. What key and world borrow from is owner's: the job holds it as long as it is. */
struct pool_ask {
    const struct tile_key *key;
    const struct terrane_region *region; /* instead of a tile; else NULL */
    const struct digest *digest;         /* product_digest */
    const struct terrane_world *world;
    struct refcount *owner; /* or NULL: what is borrowed outlives the pool */
    enum metric_class class;
    struct payer payer; /* whose share it comes from, and whose bucket of renders; all 0: nobody's */
    uint64_t
        until_ns; /* it is not waited for any longer, by uv_hrtime, whatever the pool's deadline; 0: that alone */
    bool again; /* a refused one naps, then asks again: not counted, and never before others that nap */
    bool turn;  /* woken from a nap, since there is room: once */
};

/*
 * Asks for a tile. Any thread. Returns true when the waiter will be woken; false when the answer is there at
 * once: outcome POOL_DONE (it turned up in memory), POOL_FULL, POOL_FAILED or POOL_STOPPED.
 */
bool pool_submit(struct pool *pool, const struct pool_ask *ask, struct waiter *waiter);

/*
 * Asks for a tile that nobody waits for: it is made when its turn comes, and forgotten where that takes longer than
 * POOL_PREFETCH_MS. Any thread. PREFETCH_CACHED: it is in memory, or a job makes it already. PREFETCH_REFUSED: there is no
 * room, or the pool is being stopped. Counts nothing itself but what becomes of the tiles it takes.
 */
enum metric_prefetch pool_prefetch(struct pool *pool, const struct pool_ask *ask);

/*
 * Wakes a waiter that waits for no tile: with POOL_DONE as soon as there is room for a tile of its class, the one that has
 * wanted it longest first (waiter->since_ns, waiter->client); with POOL_FULL when so many milliseconds have passed; with
 * POOL_STOPPED where the pool is stopped. class CLASSES: it waits for no room, but the time alone. Looked after in ticks.
 * false: the pool is stopped already, and none will be woken.
 */
bool pool_nap(struct pool *pool, struct waiter *waiter, enum metric_class class, unsigned ms);

/*
 * Something else for a worker to do in a client's turn, once: run(waiter), without any lock, and then wake with POOL_DONE; or wake
 * with POOL_STOPPED or POOL_OVER, and it has not run. No deadline holds, and nobody asks whether the client has left: what run uses
 * is there until the wake. false: it has not been taken, the outcome says why.
 */
bool pool_run(struct pool *pool, const struct payer *payer, enum metric_class class,
              void (*run)(struct waiter *waiter), struct waiter *waiter);

/* Whether a job makes, or will make, the product of that name now. Any thread. */
bool pool_has(struct pool *pool, const struct digest *digest);

/* Wakes waiters whose deadline has passed, and drops those whose clients left. Call it every few milliseconds. */
void pool_tick(struct pool *pool);

/* Changes the length of the queue and the deadline of those that come from now on. Any thread. */
void pool_limit(struct pool *pool, unsigned queue, unsigned deadline_ms);

/* Wakes all with POOL_STOPPED and refuses further work; jobs under way are finished. */
void pool_refuse(struct pool *pool);

/* Refuses, and ends the workers: when it returns, every waiter has been woken. pool_submit still refuses. NULL is fine. */
void pool_join(struct pool *pool);

/* Joins where that has not been done, and frees. NULL is fine. */
void pool_free(struct pool *pool);

#endif
