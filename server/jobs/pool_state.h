/*
 * The render pool's own: what asking (pool.c), working (pool_work.c) and the shared tier (pool_shared.c) share.
 */
#ifndef TERRANE_SERVER_POOL_STATE_H
#define TERRANE_SERVER_POOL_STATE_H

#include <uv.h>

#include "jobs.h"

/* Who had to go, to be woken and freed without the lock (pool_oust). */
struct ousted {
    struct waiter *waiters;
    struct job *ended;
};

enum work { WORK_MAKE, WORK_LOOK, WORK_ASK, WORKS };

struct pool {
    struct pool_options options; /* queue and deadline_ms under the lock: pool_limit changes them */
    uv_mutex_t lock;
    uv_cond_t to_do[WORKS]; /* what workers sleep on */
    struct jobs jobs;
    struct waiter *napping;                /* for room, by next; who has waited longest is the first */
    struct waiter *resting, *resting_last; /* until a time, by that */
    uint64_t runs;                         /* names of jobs that run something */
    bool refusing, stopping;
    unsigned started;
    struct worker
        *worker; /* options.threads that make; one that looks and some that ask, where there is where */
};

struct worker {
    struct pool *pool;
    enum work work;
    int index;                 /* of those of its work, and among readers of the tier that it looks in */
    struct producer *producer; /* of those that make */
    uv_thread_t thread;
};

/* A worker's thread: returns when the pool stops. */
void pool_work(void *worker);

/* Under the lock: into the first of its queues. */
void pool_start_job(struct pool *pool, struct job *job);

/* Under the lock: to be made, found nowhere. */
void pool_make_job(struct pool *pool, struct job *job);

/* ---- Room (pool_room.c) ---------------------------------------------------------------------------------- */

/* Under the lock: may another tile come in, which finds room to wait to be made when all before it have? */
bool pool_has_room(const struct pool *pool, enum metric_class class);

/* Under the lock: may it be looked for, at least? */
bool pool_may_look(const struct pool *pool, enum metric_class class);

/* Under the lock: does another flow's tile give way to one of this flow's? */
bool pool_make_room(struct pool *pool, const struct flow *flow, enum metric_class class,
                    struct ousted *ousted);

/* Under the lock: do others of the client, who nap, come before one who asks again? Nobody waits for other clients who nap. */
bool pool_others_first(const struct pool *pool, const struct pool_ask *ask, const struct flow *flow);

struct rested {
    struct waiter *roomy, *late;
};

/* Under the lock: takes out those for whom there is room, each after those before him, and those whose time is up. */
struct rested pool_take_rested(struct pool *pool, uint64_t now_ns);

/* Under the lock: is a job that was not found still wanted, and is there room for it, or does another one give way to it? */
bool pool_may_go_on(struct pool *pool, const struct job *job, struct ousted *ousted);

/* Under the lock, which it drops: ends a busy job that goes no further. Who still waits for it is to come again. */
void pool_turn_away(struct pool *pool, struct job *job);

/* What a job's waiters are told besides the blob. */
struct answer {
    enum metric_tier tier;
    uint64_t queue_ns, region_ns;
    struct produce_times times;
};

/* Answers a job's waiters and the jobs that rest on it, and frees it. Takes the blob. The lock is not held. */
void pool_answer(struct pool *pool, struct job *job, struct blob *blob, const struct answer *answer);

/* Wakes with POOL_OVER, and frees. The lock is not held. */
void pool_oust(struct pool *pool, const struct ousted *ousted);

/* Under the lock: what a flow is told for which there is no room: whether it holds more than its share. */
enum pool_outcome pool_no_room(const struct pool *pool, const struct flow *flow, enum metric_class class);

/* Under the lock: has there been nothing to do but CLASS_IDLE for POOL_QUIET_MS, and is there that? */
bool pool_is_quiet(const struct pool *pool, uint64_t now_ns);

/* Under the lock, after jobs have ended, were raised or moved: others may be made now. */
void pool_stir(struct pool *pool);

/* Wakes a chain of waiters. The lock is not held. */
void pool_wake(struct waiter *waiters, enum pool_outcome outcome);

/* Frees jobs that have ended. The lock is not held. */
void pool_free_jobs(struct pool *pool, struct job *ended);

/* Likewise, and counts them: they ended because nobody wants them. */
void pool_drop(struct pool *pool, struct job *ended);

/* ---- The shared tier (pool_shared.c) ------------------------------------------------------------------- */

/* Is the shared tier for the product? */
bool pool_is_shared(const struct pool *pool, const struct job *job);

/* Is it of use to ask there now? */
bool pool_may_ask(const struct pool *pool, const struct job *job);

/* Under the lock: to be asked for there. */
void pool_ask_later(struct pool *pool, struct job *job);

/* Asks for a job of QUEUE_ASKING. The lock is not held. */
void pool_ask_for(struct worker *worker, struct job *job);

/* Under the lock: those abroad whose time has come ask again, or are made. */
void pool_recall(struct pool *pool, uint64_t now_ns);

/* Stores what a job has made, and its lease goes back after that. The job is the caller's. */
void pool_share(struct pool *pool, struct job *job, struct blob *blob);

#endif
