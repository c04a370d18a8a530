/*
 * The render pool's own: what asking (pool.c) and working (pool_work.c) share.
 */
#ifndef TERRANE_SERVER_POOL_STATE_H
#define TERRANE_SERVER_POOL_STATE_H

#include <uv.h>

#include "jobs.h"

struct pool {
    struct pool_options options; /* queue and deadline_ms under the lock: pool_limit changes them */
    uv_mutex_t lock;
    uv_cond_t to_make, to_look; /* what workers sleep on */
    struct jobs jobs;
    struct waiter *napping; /* by next; who has waited longest is the first */
    unsigned for_room;      /* of these, those that wait for room */
    bool refusing, stopping;
    unsigned started;
    struct worker *worker; /* options.threads that make; with a disk tier, one more that looks */
};

struct worker {
    struct pool *pool;
    int index;                 /* also the reader's of the disk tier */
    struct producer *producer; /* NULL: it looks things up */
    uv_thread_t thread;
};

/* A worker's thread: returns when the pool stops. */
void pool_work(void *worker);

/* Under the lock: into the first of its queues. */
void pool_start_job(struct pool *pool, struct job *job);

/* Under the lock: may one more tile of a class wait to be made, besides those that wait now? */
bool pool_has_room(const struct pool *pool, enum metric_class class);

/* Under the lock, after jobs have ended, or were raised: tiles may have become free to begin. */
void pool_stir(struct pool *pool);

/* Wakes a chain of waiters. The lock is not held. */
void pool_wake(struct waiter *waiters, enum pool_outcome outcome);

/* Counts and frees jobs that ended because nobody wants them. The lock is not held. */
void pool_drop(struct pool *pool, struct job *ended);

#endif
