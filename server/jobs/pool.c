/*
 * The render pool: asking, the clock, and its life. pool_room.c has who finds room, pool_work.c the workers, pool_shared.c what
 * nodes share.
 *
 * Invariants, under the one lock, besides those of jobs:
 *   (1) a product has at most one job, and the job is in the table from its making until its answer is in the
 *       memory tier: whoever misses the tier under this lock finds the job (single flight);
 *   (2) a job that is queued or busy will end: queues are served as long as a worker runs, and workers run until the
 *       queues are empty for good. So every parked job ends (jobs.c, 3), and none is left when the workers are;
 *   (3) regions never find a queue full: their number is bounded by that of the tiles that rest on them;
 *   (4) a pool that refuses has no job but busy ones: nobody wants any, and none is queued or parked that nobody wants;
 *   (5) a lease that a job holds is given back once, behind its blob where it was made and stored, else when it is freed;
 *   (6) a waiter whose job is to run something (pool_run) is not released while a worker has it.
 *
 * Waiters are taken out under the lock and woken after it is dropped: a wake may take locks of its own. Owners are
 * released without it, too.
 */
#include "pool.h"

#include <stdlib.h>

#include "../base/check.h"
#include "pool_state.h"

enum {
    /* Clients asked in one go under the lock, at about a microsecond each; in a tick; and rounds of ticks to ask all. */
    ASK_AT_ONCE = 64,
    ASK_LEAST = 256,
    ASK_ROUND = 6
};

/* ---- Asking -------------------------------------------------------------------------------------------- */

void pool_wake(struct waiter *waiters, enum pool_outcome outcome)
{
    for (struct waiter *waiter = waiters, *next; waiter; waiter = next) {
        next = waiter->next;
        waiter->outcome = outcome;
        waiter->wake(waiter);
    }
}

void pool_drop(struct pool *pool, struct job *ended)
{
    struct metrics *metrics = pool->options.metrics;
    for (const struct job *job = ended; job; job = job->next)
        metrics_add(job->prefetched && !job->asked ? &metrics->prefetch_dropped : &metrics->dropped, 1);
    pool_free_jobs(pool, ended);
}

/* Who has joined while it was looked for may have it made sooner. */
void pool_make_job(struct pool *pool, struct job *job)
{
    jobs_push(&pool->jobs, job->needed ? QUEUE_REGIONS : QUEUE_TILES, job);
    for (const struct waiter *waiter = job->waiters; waiter; waiter = waiter->next)
        jobs_share(&pool->jobs, job, waiter->flow);
    uv_cond_signal(&pool->to_do[WORK_MAKE]);
}

/* Not to be made at once where the shared tier is unwell: there may be no room, which is found out when it is asked. */
void pool_start_job(struct pool *pool, struct job *job)
{
    if (pool->options.disk) {
        jobs_push(&pool->jobs, QUEUE_LOOKING, job);
        uv_cond_signal(&pool->to_do[WORK_LOOK]);
    } else if (pool_is_shared(pool, job)) {
        pool_ask_later(pool, job);
    } else {
        pool_make_job(pool, job);
    }
}

void pool_stir(struct pool *pool)
{
    const struct jobs *jobs = &pool->jobs;
    if (jobs_length(jobs, QUEUE_READY) + jobs_length(jobs, QUEUE_REGIONS) + jobs_length(jobs, QUEUE_TILES) >
        0)
        uv_cond_broadcast(&pool->to_do[WORK_MAKE]);
}

/* Under the lock: a job for a tile; NULL when memory is short. */
static struct job *job_of(struct pool *pool, const struct pool_ask *ask, struct flow *flow)
{
    const struct product_key product = product_of_tile(ask->key);
    return jobs_create(&pool->jobs, &(struct job_order){.key = &product,
                                                        .digest = ask->digest,
                                                        .world = ask->world,
                                                        .owner = ask->owner,
                                                        .flow = flow,
                                                        .class = ask->class,
                                                        .since_ns = uv_hrtime()});
}

/* Under the lock: joins a job that makes the tile already. */
static void join(struct pool *pool, struct job *job, const struct pool_ask *ask, struct waiter *waiter,
                 struct flow *flow)
{
    waiter->tier = TIER_COALESCED;
    metrics_add(&pool->options.metrics->coalesced, 1);
    jobs_wait(&pool->jobs, job, waiter, flow);
    const bool sooner = jobs_share(&pool->jobs, job, flow);
    if (jobs_raise(&pool->jobs, job, ask->class) || sooner)
        pool_stir(pool);
}

/* Under the lock: whether the waiter waits; else its outcome is set. */
static bool submit(struct pool *pool, const struct pool_ask *ask, struct flow *flow, struct waiter *waiter,
                   struct ousted *ousted)
{
    struct metrics *metrics = pool->options.metrics;
    struct job *job = jobs_find(&pool->jobs, ask->digest);
    if (job) {
        join(pool, job, ask, waiter, flow);
        return true;
    }
    /* answered between the caller's look and the lock? */
    waiter->blob = memory_get(pool->options.memory, ask->digest);
    if (waiter->blob) {
        if (atomic_exchange(&waiter->blob->prefetched, false))
            metrics_add(&metrics->prefetch_used, 1);
        waiter->tier = TIER_MEMORY;
        waiter->outcome = POOL_DONE;
        return false;
    }
    if (pool_others_first(pool, ask, flow) ||
        (!pool_has_room(pool, ask->class) && !pool_may_look(pool, ask->class) &&
         !pool_make_room(pool, flow, ask->class, ousted))) {
        metrics_add(&metrics->refused[ask->class], ask->again ? 0 : 1);
        waiter->outcome = pool_no_room(pool, flow, ask->class);
        return false;
    }
    job = job_of(pool, ask, flow);
    if (!job) {
        waiter->outcome = POOL_FAILED;
        return false;
    }
    jobs_wait(&pool->jobs, job, waiter, flow);
    pool_start_job(pool, job);
    return true;
}

bool pool_submit(struct pool *pool, const struct pool_ask *ask, struct waiter *waiter)
{
    struct ousted ousted = {0};
    bool waits = false;
    waiter->tier = TIER_RENDER;
    waiter->blob = NULL;
    waiter->queue_ns = waiter->shared_ns = waiter->region_ns = waiter->surface_ns = waiter->encode_ns = 0;
    uv_mutex_lock(&pool->lock);
    waiter->deadline_ns = uv_hrtime() + (uint64_t)pool->options.deadline_ms * 1000000;
    struct flow *flow = pool->refusing ? NULL : jobs_flow(&pool->jobs, &ask->payer);
    if (flow)
        waits = submit(pool, ask, flow, waiter, &ousted);
    else
        waiter->outcome = pool->refusing ? POOL_STOPPED : POOL_FAILED;
    jobs_flow_drop(&pool->jobs, flow);
    uv_mutex_unlock(&pool->lock);
    pool_oust(pool, &ousted);
    return waits;
}

/* Under the lock. */
static enum metric_prefetch prefetch(struct pool *pool, const struct pool_ask *ask, struct flow *flow)
{
    uint64_t bytes;
    if (jobs_find(&pool->jobs, ask->digest) || memory_has(pool->options.memory, ask->digest, &bytes))
        return PREFETCH_CACHED;
    struct job *job = pool_has_room(pool, ask->class) ? job_of(pool, ask, flow) : NULL;
    if (!job)
        return PREFETCH_REFUSED;
    jobs_prefetch(&pool->jobs, job, job->since_ns + (uint64_t)POOL_PREFETCH_MS * 1000000);
    pool_start_job(pool, job);
    return PREFETCH_QUEUED;
}

enum metric_prefetch pool_prefetch(struct pool *pool, const struct pool_ask *ask)
{
    uv_mutex_lock(&pool->lock);
    struct flow *flow = pool->refusing ? NULL : jobs_flow(&pool->jobs, &ask->payer);
    const enum metric_prefetch result = flow ? prefetch(pool, ask, flow) : PREFETCH_REFUSED;
    jobs_flow_drop(&pool->jobs, flow);
    uv_mutex_unlock(&pool->lock);
    return result;
}

/* Under the lock: a job of a name that no product has, with all that it needs. NULL: memory is short. */
static struct job *job_to_run(struct pool *pool, struct flow *flow, enum metric_class class)
{
    static const struct terrane_world nowhere;
    const struct product_key nothing = {.product = PRODUCT_TILE};
    const struct digest name = {.low = ++pool->runs, .high = UINT64_MAX};
    return jobs_create(&pool->jobs, &(struct job_order){.key = &nothing,
                                                        .digest = &name,
                                                        .world = &nowhere,
                                                        .flow = flow,
                                                        .class = class,
                                                        .since_ns = uv_hrtime(),
                                                        .needed = true});
}

bool pool_run(struct pool *pool, const struct payer *payer, enum metric_class class,
              void (*run)(struct waiter *waiter), struct waiter *waiter)
{
    waiter->tier = TIER_NONE;
    waiter->blob = NULL;
    waiter->deadline_ns = UINT64_MAX;
    waiter->outcome = POOL_FAILED;
    uv_mutex_lock(&pool->lock);
    if (pool->refusing)
        waiter->outcome = POOL_STOPPED;
    struct flow *flow = pool->refusing ? NULL : jobs_flow(&pool->jobs, payer);
    struct job *job = flow ? job_to_run(pool, flow, class) : NULL;
    if (job) {
        job->run = run;
        jobs_wait(&pool->jobs, job, waiter, flow);
        jobs_push(&pool->jobs, QUEUE_READY, job);
        uv_cond_signal(&pool->to_do[WORK_MAKE]);
    }
    jobs_flow_drop(&pool->jobs, flow);
    uv_mutex_unlock(&pool->lock);
    return job != NULL;
}

bool pool_has(struct pool *pool, const struct digest *digest)
{
    uv_mutex_lock(&pool->lock);
    const bool has = jobs_find(&pool->jobs, digest) != NULL;
    uv_mutex_unlock(&pool->lock);
    return has;
}

/*
 * A second is what a viewer moves on until it looks at what was fetched for it. Work in bulk waits at most half of the time
 * that it is given, so that it is begun in time even where there is always something more urgent.
 */
static void set_penalties(struct pool *pool)
{
    const uint64_t most_ns[CLASSES] = {0, 1000000000, 5000000000, 5000000000};
    const uint64_t deadline_ns = (uint64_t)pool->options.deadline_ms * 1000000;
    const uint64_t share_ns[CLASSES] = {0, deadline_ns / 10, deadline_ns / 2, deadline_ns / 2};
    for (int class = 0; class < CLASSES; class ++)
        pool->jobs.penalty_ns[class] = most_ns[class] < share_ns[class] ? most_ns[class] : share_ns[class];
}

void pool_limit(struct pool *pool, unsigned queue, unsigned deadline_ms)
{
    uv_mutex_lock(&pool->lock);
    pool->options.queue = queue;
    pool->options.deadline_ms = deadline_ms;
    set_penalties(pool);
    uv_mutex_unlock(&pool->lock);
}

/* ---- The clock ----------------------------------------------------------------------------------------- */

/*
 * Whether a client who was late was so because of himself: he has asked for more than one, nobody for more than he, and others
 * have asked for something in the meantime.
 */
static bool is_crowd(const struct pool *pool, const struct flow *flow, uint64_t now)
{
    const uint64_t deadline_ns = (uint64_t)pool->options.deadline_ms * 1000000;
    return flow->tiles > 1 && pool->jobs.askers_ns > 0 && now - pool->jobs.askers_ns < deadline_ns &&
           jobs_greatest(&pool->jobs, CLASSES)->tiles <= flow->tiles;
}

/* Ends waiting whose time is up, forgets prefetches, recalls jobs. Returns how many clients are to be asked in this tick. */
static unsigned expire(struct pool *pool)
{
    const uint64_t now = uv_hrtime();
    struct waiter *late = NULL, *over = NULL;
    struct job *ended = NULL;
    uint64_t count = 0;
    uv_mutex_lock(&pool->lock);
    if (pool->jobs.askers > 1)
        pool->jobs.askers_ns = now;
    for (; pool->jobs.soonest && pool->jobs.soonest->deadline_ns <= now; count++)
        jobs_release(&pool->jobs, pool->jobs.soonest,
                     is_crowd(pool, pool->jobs.soonest->flow, now) ? &over : &late, &ended);
    jobs_forget(&pool->jobs, now, &ended);
    if (ended || pool_is_quiet(pool, now))
        pool_stir(pool);
    pool_recall(pool, now);
    const unsigned waiting = pool->jobs.waiting;
    const struct rested rested = pool_take_rested(pool, now);
    uv_mutex_unlock(&pool->lock);
    metrics_add(&pool->options.metrics->expired, count);
    pool_wake(late, POOL_EXPIRED);
    pool_wake(over, POOL_OVER);
    pool_wake(rested.roomy, POOL_DONE);
    pool_wake(rested.late, POOL_FULL);
    pool_drop(pool, ended);
    const unsigned share = waiting / ASK_ROUND + 1;
    return waiting < ASK_LEAST ? waiting : share < ASK_LEAST ? ASK_LEAST : share;
}

/* Asks clients, a few at a time so that nobody waits for the lock for long. */
void pool_tick(struct pool *pool)
{
    for (unsigned left = expire(pool); left > 0;) {
        const unsigned most = left < ASK_AT_ONCE ? left : ASK_AT_ONCE;
        struct waiter *gone = NULL;
        struct job *ended = NULL;
        uv_mutex_lock(&pool->lock);
        metrics_add(&pool->options.metrics->left, jobs_ask_leavers(&pool->jobs, most, &gone, &ended));
        if (ended)
            pool_stir(pool);
        uv_mutex_unlock(&pool->lock);
        pool_wake(gone, POOL_GONE);
        pool_drop(pool, ended);
        left -= most;
    }
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

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
    const struct rested rested = pool_take_rested(pool, UINT64_MAX);
    uv_mutex_unlock(&pool->lock);
    pool_wake(taken, POOL_STOPPED);
    pool_wake(rested.late, POOL_STOPPED);
    pool_drop(pool, ended);
}

static bool worker_start(struct pool *pool, unsigned index)
{
    struct worker *worker = &pool->worker[index];
    const unsigned asks_from = pool->options.threads + (pool->options.disk ? 1 : 0);
    worker->pool = pool;
    worker->work = index < pool->options.threads ? WORK_MAKE : index < asks_from ? WORK_LOOK : WORK_ASK;
    worker->index = (int)(worker->work == WORK_ASK ? index - asks_from : index);
    const bool makes = worker->work == WORK_MAKE;
    if (makes)
        worker->producer = producer_create();
    if ((!makes || worker->producer) && uv_thread_create(&worker->thread, pool_work, worker) == 0)
        return true;
    producer_free(worker->producer);
    return false;
}

struct pool *pool_start(const struct pool_options *options)
{
    const unsigned workers = options->threads + (options->disk ? 1 : 0) + (options->remote ? POOL_ASKERS : 0);
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->options = *options;
    jobs_init(&pool->jobs, options->metrics);
    set_penalties(pool);
    if (uv_mutex_init(&pool->lock) != 0) {
        free(pool);
        return NULL;
    }
    for (int work = 0; work < WORKS; work++)
        CHECK(uv_cond_init(&pool->to_do[work]) == 0);
    pool->worker = calloc(workers, sizeof *pool->worker);
    while (pool->worker && pool->started < workers && worker_start(pool, pool->started))
        pool->started++;
    if (pool->started < workers) {
        pool_free(pool);
        return NULL;
    }
    return pool;
}

void pool_join(struct pool *pool)
{
    if (!pool)
        return;
    pool_refuse(pool);
    uv_mutex_lock(&pool->lock);
    pool->stopping = true;
    for (int work = 0; work < WORKS; work++)
        uv_cond_broadcast(&pool->to_do[work]);
    uv_mutex_unlock(&pool->lock);
    for (; pool->started > 0; pool->started--) {
        struct worker *worker = &pool->worker[pool->started - 1];
        uv_thread_join(&worker->thread);
        producer_free(worker->producer);
    }
    CHECK(pool->jobs.all == 0 && pool->jobs.parked == 0 && pool->jobs.tiles == 0 && pool->jobs.looking == 0);
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pool_join(pool);
    jobs_free_flows(&pool->jobs);
    free(pool->worker);
    for (int work = 0; work < WORKS; work++)
        uv_cond_destroy(&pool->to_do[work]);
    uv_mutex_destroy(&pool->lock);
    free(pool);
}
