/*
 * The render pool: room in the queue of tiles, shedding, and requests. pool_work.c has the workers, pool_find.c the lookups on
 * disk and in the shared tier, pool_clock.c waits for room and what time ends.
 *
 * Invariants, under the one lock, besides those of jobs:
 *   (1) a product has at most one job, and the job is in the table from its creation until its answer is in the memory tier:
 *       a request that misses the tier under this lock finds the job (single flight);
 *   (2) a job that is queued or busy will end: queues are served as long as a worker runs, and workers run until the
 *       queues are empty for good. So every parked job ends (jobs.c, 3), and none is left when the workers are;
 *   (3) regions never find a queue full: their number is bounded by that of the tiles that need them;
 *   (4) a pool that refuses has only busy jobs: nobody wants any, and unwanted jobs are neither queued nor parked;
 *   (5) a job's lease is returned once: after its blob if that was made and stored, else when the job is freed;
 *   (6) a waiter whose job is to run something (pool_run) is not released while a worker has it.
 *
 * Waiters are removed under the lock and woken after it is dropped, since a wake may take other locks. Owners are also
 * released without it.
 */
#include "pool.h"

#include "jobs.h"

enum {
    /*
     * Max tiles that are looked up although the queue is full: they may be on disk, or in the shared tier. A miss takes 20 to
     * 50 us on disk and 100 to 500 us there, with POOL_ASKERS at once, so refusals come within 25 ms, or 64. A store that
     * answers only at its deadline soon opens its breaker.
     */
    LOOKING_MAX = 512,
};

/* ---- Ends ---------------------------------------------------------------------------------------------- */

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

void pool_stir(struct pool *pool)
{
    const struct jobs *jobs = &pool->jobs;
    if (jobs_length(jobs, QUEUE_READY) + jobs_length(jobs, QUEUE_REGIONS) + jobs_length(jobs, QUEUE_TILES) >
        0)
        uv_cond_broadcast(&pool->to_do[WORK_MAKE]);
}

void pool_wake_shed(struct pool *pool, const struct shed *shed)
{
    pool_wake(shed->waiters, POOL_OVER);
    pool_free_jobs(pool, shed->ended);
}

/* ---- Room ---------------------------------------------------------------------------------------------- */

unsigned pool_part(unsigned all, enum metric_class class)
{
    static const unsigned divisor[CLASSES] = {
        [CLASS_WAITING] = 1, [CLASS_NEIGHBOUR] = 2, [CLASS_BULK] = 4, [CLASS_IDLE] = 4};
    return all / divisor[class];
}

/* Max tiles of a class that may wait to be made. */
static unsigned share_of(const struct pool *pool, enum metric_class class)
{
    const unsigned share = pool_part(pool->options.queue, class);
    return share ? share : 1;
}

/* Number of tiles that compete with a class: CLASS_IDLE competes only with itself. */
static unsigned tiles_before(const struct pool *pool, enum metric_class class)
{
    return pool->jobs.tiles - (class == CLASS_IDLE ? 0 : pool->jobs.places[CLASS_IDLE]);
}

bool pool_has_room(const struct pool *pool, enum metric_class class, unsigned all, unsigned of_class)
{
    return tiles_before(pool, class) + all < pool->options.queue &&
           pool->jobs.places[class] + of_class < share_of(pool, class);
}

/* Under the lock: true if another tile fits the queue once all before it are in. */
static bool has_room(const struct pool *pool, enum metric_class class)
{
    return pool->jobs.looking + tiles_before(pool, class) < pool->options.queue &&
           pool_has_room(pool, class, 0, 0);
}

/* Under the lock: true if it may at least be looked up. */
static bool may_look(const struct pool *pool, enum metric_class class)
{
    return (pool->options.disk || pool->options.remote) &&
           pool->jobs.looking < (unsigned)LOOKING_MAX >> class;
}

/* The places of a class that a flow may hold if others want some. */
static unsigned fair_share(const struct pool *pool, const struct flow *flow, enum metric_class class)
{
    const unsigned askers = pool->jobs.askers + (flow->tiles == 0);
    const unsigned share = share_of(pool, class) / (askers ? askers : 1);
    return share ? share : 1;
}

enum pool_outcome pool_no_room(const struct pool *pool, const struct flow *flow, enum metric_class class)
{
    const bool alone = pool->jobs.askers - (flow->tiles > 0) == 0;
    return !alone && flow->tiles >= fair_share(pool, flow, class) ? POOL_OVER : POOL_FULL;
}

/*
 * Under the lock: sheds a tile of another flow for one of this flow; false: none. Takes the youngest of the flow that holds
 * most, if that has at least two more than this one: so the newcomer is not the next to go.
 */
static bool make_room(struct pool *pool, const struct flow *flow, enum metric_class class, struct shed *shed)
{
    const bool of_class = pool->jobs.places[class] >= share_of(pool, class);
    struct flow *largest = jobs_largest(&pool->jobs, of_class ? class : CLASSES);
    const unsigned own = of_class ? flow->places[class] : flow->tiles;
    if (!largest || largest == flow || (of_class ? largest->places[class] : largest->tiles) < own + 2)
        return false;
    const bool gone =
        jobs_push_out(&pool->jobs, largest, of_class ? class : CLASSES, &shed->ended, &shed->waiters);
    metrics_add(&pool->options.metrics->pushed_out, gone);
    return gone;
}

bool pool_may_go_on(struct pool *pool, const struct job *job, struct shed *shed)
{
    return jobs_wanted(job) && (job->needed || pool_has_room(pool, job->class, 0, 0) ||
                                make_room(pool, job->flow, job->class, shed));
}

/* True if another request of the client waits for room. Linear in the napping waiters. */
static bool naps(const struct pool *pool, const struct client_id *client)
{
    for (const struct waiter *waiter = pool->backpressured; waiter; waiter = waiter->next)
        if (waiter->client.low == client->low && waiter->client.high == client->high)
            return true;
    return false;
}

/*
 * Under the lock: true if napping requests of the same client come before one that asks again. Clients do not wait
 * for others' naps.
 */
static bool others_first(const struct pool *pool, const struct pool_ask *ask, const struct flow *flow)
{
    if (!ask->again || ask->turn || !pool->backpressured)
        return false;
    return flow->tiles >= fair_share(pool, flow, ask->class) || naps(pool, &ask->payer.client);
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

/* Under the lock: makes a job for a request; NULL when memory is short. */
static struct job *job_of(struct pool *pool, const struct pool_ask *ask, struct flow *flow)
{
    const struct product_key product =
        ask->region ? product_of_region(ask->region) : product_of_tile(ask->key);
    return jobs_create(&pool->jobs, &(struct job_order){.key = &product,
                                                        .digest = ask->digest,
                                                        .world = ask->world,
                                                        .owner = ask->owner,
                                                        .flow = flow,
                                                        .class = ask->class,
                                                        .since_ns = uv_hrtime()});
}

/* Under the lock: joins a job that already makes the tile. */
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

/* Under the lock: true if the waiter waits; else its outcome is set. */
static bool submit(struct pool *pool, const struct pool_ask *ask, struct flow *flow, struct waiter *waiter,
                   struct shed *shed)
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
        if (blob_first_use(waiter->blob))
            metrics_add(&metrics->prefetch_used, 1);
        waiter->tier = TIER_MEMORY;
        waiter->outcome = POOL_DONE;
        return false;
    }
    if (others_first(pool, ask, flow) || (!has_room(pool, ask->class) && !may_look(pool, ask->class) &&
                                          !make_room(pool, flow, ask->class, shed))) {
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
    struct shed shed = {0};
    bool waits = false;
    waiter->tier = TIER_RENDER;
    waiter->blob = NULL;
    waiter->again = ask->again;
    waiter->queue_ns = waiter->shared_ns = waiter->region_ns = waiter->surface_ns = waiter->encode_ns = 0;
    uv_mutex_lock(&pool->lock);
    waiter->deadline_ns = uv_hrtime() + (uint64_t)pool->options.deadline_ms * 1000000;
    waiter->until_ns = ask->until_ns ? ask->until_ns : UINT64_MAX;
    if (waiter->until_ns < waiter->deadline_ns)
        waiter->deadline_ns = waiter->until_ns;
    struct flow *flow = pool->refusing ? NULL : jobs_flow(&pool->jobs, &ask->payer);
    if (flow)
        waits = submit(pool, ask, flow, waiter, &shed);
    else
        waiter->outcome = pool->refusing ? POOL_STOPPED : POOL_FAILED;
    jobs_flow_drop(&pool->jobs, flow);
    uv_mutex_unlock(&pool->lock);
    pool_wake_shed(pool, &shed);
    return waits;
}

/* Under the lock. */
static enum metric_prefetch prefetch(struct pool *pool, const struct pool_ask *ask, struct flow *flow)
{
    uint64_t bytes;
    if (jobs_find(&pool->jobs, ask->digest) || memory_has(pool->options.memory, ask->digest, &bytes))
        return PREFETCH_CACHED;
    struct job *job = has_room(pool, ask->class) ? job_of(pool, ask, flow) : NULL;
    if (!job)
        return PREFETCH_REFUSED;
    if (ask->lent)
        job->lent = ask->payer;
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

/* Under the lock: makes a job with a name that no product has, and its waiter and flow. NULL: memory is short. */
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
    waiter->deadline_ns = waiter->until_ns = UINT64_MAX;
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
 * About a second passes until a viewer looks at prefetched tiles. Bulk work waits at most half of its deadline, so that it
 * begins in time even if there is always something more urgent.
 */
static void set_penalties(struct pool *pool)
{
    const uint64_t max_ns[CLASSES] = {0, 1000000000, 5000000000, 5000000000};
    const uint64_t deadline_ns = (uint64_t)pool->options.deadline_ms * 1000000;
    const uint64_t share_ns[CLASSES] = {0, deadline_ns / 10, deadline_ns / 2, deadline_ns / 2};
    for (int class = 0; class < CLASSES; class ++)
        pool->jobs.penalty_ns[class] = max_ns[class] < share_ns[class] ? max_ns[class] : share_ns[class];
}

void pool_limit(struct pool *pool, unsigned queue, unsigned deadline_ms)
{
    uv_mutex_lock(&pool->lock);
    pool->options.queue = queue;
    pool->options.deadline_ms = deadline_ms;
    set_penalties(pool);
    uv_mutex_unlock(&pool->lock);
}
