/*
 * The render pool: waits for room (naps), and what time ends. Any thread naps; a tick of the clock wakes and ends.
 */
#include "pool.h"

#include "jobs.h"

/* Clients checked at once under the lock, at about a microsecond each; in a tick; and rounds of ticks to check all. */
enum { ASK_AT_ONCE = 64, ASK_MIN = 256, ASK_ROUND = 6 };

/* ---- Naps ---------------------------------------------------------------------------------------------- */

/* Under the lock: inserts a waiter for time only, by deadline; most go to the end. */
static void insert_by_deadline(struct pool *pool, struct waiter *waiter)
{
    struct waiter *before = pool->resting_last;
    while (before && before->deadline_ns > waiter->deadline_ns)
        before = before->previous;
    waiter->previous = before;
    waiter->next = before ? before->next : pool->resting;
    *(before ? &before->next : &pool->resting) = waiter;
    *(waiter->next ? &waiter->next->previous : &pool->resting_last) = waiter;
}

/* Under the lock: inserts a waiter after those that have waited as long, or longer. */
static void insert_by_age(struct pool *pool, struct waiter *waiter)
{
    struct waiter **at = &pool->backpressured;
    while (*at && (*at)->since_ns <= waiter->since_ns)
        at = &(*at)->next;
    waiter->next = *at;
    *at = waiter;
}

bool pool_backpressure(struct pool *pool, struct waiter *waiter, enum metric_class class, unsigned ms)
{
    uv_mutex_lock(&pool->lock);
    const bool naps = !pool->refusing;
    if (naps) {
        waiter->blob = NULL;
        waiter->class = class;
        waiter->deadline_ns = uv_hrtime() + (uint64_t)ms * 1000000;
        (class < CLASSES ? insert_by_age : insert_by_deadline)(pool, waiter);
    }
    uv_mutex_unlock(&pool->lock);
    return naps;
}

struct rested {
    struct waiter *roomy, *late;
};

/* Under the lock: removes waiters for which there is room, in order, and those whose time is up. */
static struct rested take_rested(struct pool *pool, uint64_t now)
{
    struct rested rested = {0};
    unsigned taken[CLASSES] = {0}, all = 0;
    for (struct waiter **at = &pool->backpressured, *waiter; (waiter = *at) != NULL;) {
        const enum metric_class class = waiter->class;
        const bool late = waiter->deadline_ns <= now;
        if (!late && !pool_has_room(pool, class, all, taken[class])) {
            at = &waiter->next;
            continue;
        }
        *at = waiter->next;
        if (!late) {
            taken[class]++;
            all++;
        }
        struct waiter **to = late ? &rested.late : &rested.roomy;
        waiter->next = *to;
        *to = waiter;
    }
    for (struct waiter *waiter; (waiter = pool->resting) != NULL && waiter->deadline_ns <= now;) {
        pool->resting = waiter->next;
        *(waiter->next ? &waiter->next->previous : &pool->resting_last) = NULL;
        waiter->next = rested.late;
        rested.late = waiter;
    }
    return rested;
}

/* ---- The clock ----------------------------------------------------------------------------------------- */

/*
 * True if a client expired because of its own load: it has asked for more than one tile, none for more than it,
 * and others have asked for something meanwhile.
 */
static bool is_crowd(const struct pool *pool, const struct flow *flow, uint64_t now)
{
    const uint64_t deadline_ns = (uint64_t)pool->options.deadline_ms * 1000000;
    return flow->tiles > 1 && pool->jobs.askers_ns > 0 && now - pool->jobs.askers_ns < deadline_ns &&
           jobs_largest(&pool->jobs, CLASSES)->tiles <= flow->tiles;
}

/* Ends expired waits and prefetches, recalls jobs. Returns how many clients to check in this tick. */
static unsigned expire(struct pool *pool)
{
    const uint64_t now = uv_hrtime();
    struct waiter *late = NULL, *over = NULL;
    struct job *ended = NULL;
    uint64_t count = 0;
    uv_mutex_lock(&pool->lock);
    const uint64_t patience_ns = (uint64_t)pool->options.deadline_ms * 1000000;
    if (pool->jobs.askers > 1)
        pool->jobs.askers_ns = now;
    for (struct waiter *waiter; (waiter = jobs_late(&pool->jobs, now, patience_ns)) != NULL; count++)
        jobs_release(&pool->jobs, waiter, is_crowd(pool, waiter->flow, now) ? &over : &late, &ended);
    jobs_forget(&pool->jobs, now, &ended);
    if (ended || pool_is_quiet(pool, now))
        pool_stir(pool);
    pool_recall(pool, now);
    const unsigned waiting = pool->jobs.waiting;
    const struct rested rested = take_rested(pool, now);
    uv_mutex_unlock(&pool->lock);
    metrics_add(&pool->options.metrics->expired, count);
    pool_wake(late, POOL_EXPIRED);
    pool_wake(over, POOL_OVER);
    pool_wake(rested.roomy, POOL_DONE);
    pool_wake(rested.late, POOL_FULL);
    pool_drop(pool, ended);
    pool_pass_by_disk(pool, now);
    const unsigned share = waiting / ASK_ROUND + 1;
    return waiting < ASK_MIN ? waiting : share < ASK_MIN ? ASK_MIN : share;
}

/* Checks clients, a few at a time so that no thread waits for the lock for long. */
void pool_tick(struct pool *pool)
{
    for (unsigned left = expire(pool); left > 0;) {
        const unsigned max = left < ASK_AT_ONCE ? left : ASK_AT_ONCE;
        struct waiter *gone = NULL;
        struct job *ended = NULL;
        uv_mutex_lock(&pool->lock);
        metrics_add(&pool->options.metrics->left, jobs_ask_leavers(&pool->jobs, max, &gone, &ended));
        if (ended)
            pool_stir(pool);
        uv_mutex_unlock(&pool->lock);
        pool_wake(gone, POOL_GONE);
        pool_drop(pool, ended);
        left -= max;
    }
}

/* ---- Refusing ------------------------------------------------------------------------------------------ */

void pool_refuse(struct pool *pool)
{
    struct waiter *taken = NULL;
    struct job *ended = NULL;
    uv_mutex_lock(&pool->lock);
    pool->refusing = true;
    for (struct waiter *waiter = pool->jobs.soonest, *later; waiter; waiter = later) {
        later = waiter->later;
        if (!waiter->job->run || waiter->job->state != JOB_BUSY)
            jobs_release(&pool->jobs, waiter, &taken, &ended);
    }
    jobs_forget(&pool->jobs, UINT64_MAX, &ended);
    const struct rested rested = take_rested(pool, UINT64_MAX);
    uv_mutex_unlock(&pool->lock);
    pool_wake(taken, POOL_STOPPED);
    pool_wake(rested.late, POOL_STOPPED);
    pool_drop(pool, ended);
}
