/*
 * The render pool: one job a key, own worker threads, a bounded queue, deadlines.
 *
 *            submit                      worker takes it          disk hit / made
 *   (none) ---------> LOOKING (queue 1) ----------------> busy --------------------> answered, gone
 *     |                                      | not on disk            ^
 *     | joins a job under way                v                        |
 *     +------------>                     MAKING (queue 2) ------------+
 *
 * Looking comes first: a tile that is on disk never waits behind tiles that have to be made.
 */
#ifndef TERRANE_SERVER_POOL_H
#define TERRANE_SERVER_POOL_H

#include "../cache/disk.h"
#include "../cache/memory.h"
#include "../metrics.h"

enum pool_outcome {
    POOL_DONE,    /* blob is set */
    POOL_FULL,    /* the queue is full: try again later */
    POOL_EXPIRED, /* the deadline passed */
    POOL_GONE,    /* the client has left */
    POOL_FAILED,  /* memory is short */
    POOL_STOPPED  /* the pool is being stopped */
};

/*
 * Somebody who waits for a tile. Embedded in the caller's request; the pool's from pool_submit until wake is
 * called, once, from any thread and with none of the pool's locks held.
 */
struct waiter {
    void (*wake)(struct waiter *waiter);
    bool (*left)(struct waiter *waiter); /* has the client gone? Quick; called under the pool's lock */
    enum pool_outcome outcome;
    struct blob *blob;     /* owned by the waiter when POOL_DONE */
    enum metric_tier tier; /* where the blob came from */
    uint64_t queue_ns, surface_ns, encode_ns;
    /* the pool's */
    struct job *job;
    struct waiter *next, *previous; /* of the job */
    struct waiter *later, *earlier; /* by deadline */
    uint64_t deadline_ns;
};

struct pool_options {
    unsigned threads;
    unsigned queue;       /* jobs that wait to be made */
    unsigned deadline_ms; /* of a waiter */
    struct memory *memory;
    struct disk *disk; /* or NULL */
    struct metrics *metrics;
};

struct pool;

/* Starts the workers. Returns owned; NULL when threads or memory are short. Borrows what the options name. */
struct pool *pool_start(const struct pool_options *options);

/*
 * Asks for a tile. Any thread. Returns true when the waiter will be woken; false when the answer is there at
 * once: outcome POOL_DONE (it turned up in memory), POOL_FULL, POOL_FAILED or POOL_STOPPED.
 */
bool pool_submit(struct pool *pool, const struct tile_key *key, const struct digest *digest,
                 const struct terrane_world *world, struct waiter *waiter);

/* Wakes waiters whose deadline has passed. Call it every few milliseconds. */
void pool_expire(struct pool *pool);

/* Wakes everybody with POOL_STOPPED and refuses further work; jobs under way are finished. */
void pool_refuse(struct pool *pool);

/* Refuses, and ends the workers: when it returns, every waiter has been woken. pool_submit still refuses. NULL is fine. */
void pool_join(struct pool *pool);

/* Joins where that has not been done, and frees. NULL is fine. */
void pool_free(struct pool *pool);

#endif
