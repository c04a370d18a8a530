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
 * A job is looked up on disk, then in the shared tier; if found, it is answered. A step is skipped if there is no such tier, or
 * the disk hangs, or the shared one is unwell. Separate threads look and ask, so a tile on disk never waits behind renders; the
 * workers only make.
 *
 * A coded tile is a job whose input is the plain one, which has a job, a lease and a blob of its own: who asks for it plain, or in another
 * coding, joins that job or finds its blob. One job for both would make the tile once for every coding. Textured and shifted tiles likewise.
 *
 * Nodes that share a tier make a product once: a node takes its lease first. A job whose lease another node has is in flight
 * there (ABROAD): it waits among the tiles to be made and asks again every few milliseconds, for at most remote_wait_ms and half
 * of the time that its client waits. Then this node makes it all the same, with the same bytes (pool_find.c).
 *
 * No worker waits for another. A worker that begins a job takes its inputs from memory. For each missing one it joins or makes
 * that product's job, and it parks the job: a parked job belongs to no queue and no worker until its last input has come. Inputs
 * are references, so no eviction can remove a job's inputs.
 *
 * Clients have equal shares of the workers, measured in CPU time: each has a client queue (struct flow), and they are served in
 * turns, each as long as two average tiles (jobs_flow.c). Among one client's jobs, those with all inputs come first; then regions
 * and tiles that have not begun, by due time, which is arrival plus a penalty of the class (jobs_queue.c), so nothing starves. A
 * region is as old and as urgent as the job that first needed it. A job becomes as urgent as a request that joins it, and moves
 * to that client's queue if it has had less. At most POOL_BEGUN tiles and 8 a worker are in progress, half and a quarter of that
 * for less urgent classes: begun tiles hold memory, and are finished first. A client that has begun none may always begin one.
 *
 * The cost of a client's jobs is charged to its bucket of renders when it is known. A client that owes more than a second is
 * refused (POOL_OVER), and so are its jobs that no worker has. While the jobs in workers' hands may cost all its tokens and a
 * second, no other is begun for it. So a token lets in no more than two seconds of CPU time.
 *
 * Only CLASS_WAITING may fill the whole queue of tiles; other classes half of it, and a quarter. When it is full, a client that
 * holds less than the one that holds most takes the place of that one's youngest tile, which is shed.
 *
 * CLASS_IDLE is made after no other work for POOL_QUIET_MS, by half of the workers; a single worker waits five times as long.
 *
 * A waiter expires when the deadline has passed since it asked, and since a worker last began or ended a job for its client.
 * While a worker has a job of its client in hand, that is POOL_IN_HAND deadlines, since workers have a low priority and are slow
 * on a busy machine. The same holds for a waiter whose job has begun, while the workers make progress.
 *
 * A job is wanted while a waiter or a prefetch exists for it or for a job that depends on it. An unwanted job that no worker has
 * ends at once, together with inputs that only it needed; one that a worker has is finished, into the caches.
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
        12, /* deadlines that a job may be in a worker's hands: a minute, for a second of CPU time */
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
 * A waiter for a tile. Embedded in the caller's request; owned by the pool from pool_submit until wake, which
 * is called once, from any thread and with none of the pool's locks held.
 */
struct waiter {
    void (*wake)(struct waiter *waiter);
    bool (*left)(struct waiter *waiter); /* has the client gone? Quick; called under the pool's lock */
    enum pool_outcome outcome;
    struct blob *blob;     /* owned by the waiter when POOL_DONE */
    enum metric_tier tier; /* source of the blob */
    uint64_t queue_ns;     /* until its job was begun */
    uint64_t shared_ns;    /* spent on asking the shared tier; for a made tile a part of queue_ns */
    uint64_t region_ns;    /* from there until all its regions had come */
    uint64_t surface_ns, encode_ns;
    /* the pool's */
    struct job *job;
    struct waiter *next, *previous; /* of the job */
    struct flow *flow;              /* whose client it is */
    bool again;                     /* as of its pool_ask */
    struct waiter *later, *earlier; /* by deadline */
    uint64_t deadline_ns, until_ns;
    /* of a backpressure wait (nap), set by the caller: since when it wants room, and its client */
    uint64_t since_ns;
    struct client_id client;
    enum metric_class class;
};

struct pool_options {
    unsigned threads; /* that make; one more looks things up on the disk, POOL_ASKERS in the shared tier */
    unsigned queue;   /* tiles that wait to be made, parked ones included */
    unsigned deadline_ms; /* of a waiter while nothing is made for its client (jobs_late) */
    struct memory *memory;
    struct disk *disk;       /* or NULL */
    struct remote *remote;   /* the shared tier, or NULL */
    bool remote_regions;     /* it is for regions, too */
    unsigned remote_wait_ms; /* max wait for another node */
    unsigned remote_turn_ms; /* max wait for its turn to ask, and an eighth of the deadline */
    struct metrics *metrics;
    bool untold; /* as of struct producer: tiles stay in this process */
};

struct pool;

/* Starts the workers. Returns owned; NULL when threads or memory are short. Borrows what the options name. */
struct pool *pool_start(const struct pool_options *options);

/* A request for a tile or a region. owner owns the memory behind key and world: the job holds a reference. */
struct pool_ask {
    const struct tile_key *key;
    const struct terrane_region *region; /* instead of a tile; else NULL */
    const struct digest *digest;         /* product_digest */
    const struct terrane_world *world;
    struct refcount *owner; /* or NULL: the borrowed memory outlives the pool */
    enum metric_class class;
    struct payer payer; /* its client's share and bucket of renders; all 0: nobody's */
    uint64_t until_ns;  /* end of waiting (uv_hrtime), besides the pool's deadline; 0: none */
    bool again;         /* a refused one naps, then asks again: not counted, never before other naps */
    bool turn;          /* woken once from a nap, since there is room */
    bool lent; /* of a prefetch: it has taken the payer's token, which goes back unless the tile is made */
};

/*
 * Asks for a tile. Any thread. Returns true when the waiter will be woken; false when the answer is there at
 * once: outcome POOL_DONE (it turned up in memory), POOL_FULL, POOL_FAILED or POOL_STOPPED.
 */
bool pool_submit(struct pool *pool, const struct pool_ask *ask, struct waiter *waiter);

/*
 * Asks for a tile that nobody waits for: it is made when its turn comes, and dropped if that takes longer than
 * POOL_PREFETCH_MS. Any thread. PREFETCH_CACHED: it is in memory, or a job makes it already. PREFETCH_REFUSED: there is no
 * room, or the pool is being stopped. Counts only the outcome of accepted tiles.
 */
enum metric_prefetch pool_prefetch(struct pool *pool, const struct pool_ask *ask);

/*
 * A backpressure wait, for no tile. Wakes the waiter with POOL_DONE as soon as there is room for a tile of its class, the
 * longest waiting first (waiter->since_ns, waiter->client); with POOL_FULL after so many milliseconds; with POOL_STOPPED
 * if the pool is stopped. class CLASSES: waits only for the time. Checked in ticks. False: the pool is stopped already,
 * and the waiter will not be woken.
 */
bool pool_backpressure(struct pool *pool, struct waiter *waiter, enum metric_class class, unsigned ms);

/*
 * Runs a function on a worker in a client's turn, once: run(waiter), without any lock, and then wake with POOL_DONE; or wake with
 * POOL_STOPPED or POOL_OVER without running it. There is no deadline and no check whether the client has left: everything that
 * run uses has to exist until the wake. False: not accepted, the outcome says why.
 */
bool pool_run(struct pool *pool, const struct payer *payer, enum metric_class class,
              void (*run)(struct waiter *waiter), struct waiter *waiter);

/* True if a job makes, or will make, the product of that name. Any thread. */
bool pool_has(struct pool *pool, const struct digest *digest);

/* True while the disk keeps the thread that looks waiting: no thread that answers should wait for it, too. Any thread. */
bool pool_disk_hangs(struct pool *pool);

/* Wakes waiters whose deadline has passed, and drops those whose clients left. Call it every few milliseconds. */
void pool_tick(struct pool *pool);

/* Changes the length of the queue, and the deadline of new waiters. Any thread. */
void pool_limit(struct pool *pool, unsigned queue, unsigned deadline_ms);

/* Wakes all with POOL_STOPPED and refuses further work; jobs under way are finished. */
void pool_refuse(struct pool *pool);

/* Refuses, and ends the workers: when it returns, every waiter has been woken. pool_submit still refuses. NULL is fine. */
void pool_join(struct pool *pool);

/* Joins if not done yet, and frees. NULL is fine. */
void pool_free(struct pool *pool);

#endif
