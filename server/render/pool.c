/*
 * The render pool: asking, the clock, and its life. pool_work.c has the workers, pool_shared.c what nodes share.
 *
 * Invariants, under the one lock, besides those of jobs:
 *   (1) a product has at most one job, and the job is in the table from its making until its answer is in the
 *       memory tier: whoever misses the tier under this lock finds the job (single flight);
 *   (2) a job that is queued or busy will end: queues are served as long as a worker runs, and workers run until the
 *       queues are empty for good. So every parked job ends (jobs.c, 3), and none is left when the workers are;
 *   (3) regions never find a queue full: their number is bounded by that of the tiles that rest on them;
 *   (4) a pool that refuses has no job but busy ones: nobody wants any, and none is queued or parked that nobody wants;
 *   (5) a lease that a job holds is given back once, behind its blob where it was made and stored, else when it is freed.
 *
 * Waiters are taken out under the lock and woken after it is dropped: a wake may take locks of its own. Owners are
 * released without it, too.
 */
#include "pool.h"

#include <stdlib.h>

#include "../check.h"
#include "pool_state.h"

enum {
    /*
     * Tiles that are looked for although those that wait to be made leave no room: they may be on disk, or in the shared tier.
     * A look that finds nothing takes 20 to 50 us on disk and 100 to 500 us there, with POOL_ASKERS at once: who has to be
     * refused knows within 25 ms, or 64. A store that answers only at its deadline has its breaker opened soon.
     */
    LOOKING_MOST = 512,
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

/*
 * Each class but the first has a share, so that the first always finds some of the queue; whatever others hold, all is all.
 * Besides those that wait, so many more are to come, and so many more of the class.
 */
static bool room_besides(const struct pool *pool, enum metric_class class, unsigned all, unsigned of_class)
{
    static const unsigned divisor[CLASSES] = {[CLASS_WAITING] = 1, [CLASS_NEIGHBOUR] = 2, [CLASS_BULK] = 4};
    const unsigned share = pool->options.queue / divisor[class];
    return pool->jobs.tiles + all < pool->options.queue &&
           pool->jobs.places[class] + of_class < (share ? share : 1);
}

bool pool_has_room(const struct pool *pool, enum metric_class class)
{
    return room_besides(pool, class, 0, 0);
}

/* Under the lock: may another tile come in, which finds room to wait to be made when all before it have? */
static bool has_room(const struct pool *pool, enum metric_class class)
{
    return pool->jobs.looking + pool->jobs.tiles < pool->options.queue && pool_has_room(pool, class);
}

/* Under the lock: may it be looked for, at least? */
static bool may_look(const struct pool *pool, enum metric_class class)
{
    return (pool->options.disk || pool->options.remote) &&
           pool->jobs.looking < (unsigned)LOOKING_MOST >> class;
}

void pool_make_job(struct pool *pool, struct job *job)
{
    jobs_push(&pool->jobs, job->needed ? QUEUE_REGIONS : QUEUE_TILES, job);
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
    if (jobs_first(&pool->jobs, QUEUE_TILES, JOBS_ALL_CLASSES))
        uv_cond_broadcast(&pool->to_do[WORK_MAKE]);
}

/* Under the lock: a job for a tile; NULL when memory is short. */
static struct job *job_of(struct pool *pool, const struct pool_ask *ask)
{
    const struct product_key product = product_of_tile(ask->key);
    return jobs_create(&pool->jobs, &(struct job_order){.key = &product,
                                                        .digest = ask->digest,
                                                        .world = ask->world,
                                                        .owner = ask->owner,
                                                        .class = ask->class,
                                                        .since_ns = uv_hrtime()});
}

/* Under the lock: joins a job that makes the tile already. */
static void join(struct pool *pool, struct job *job, const struct pool_ask *ask, struct waiter *waiter)
{
    waiter->tier = TIER_COALESCED;
    metrics_add(&pool->options.metrics->coalesced, 1);
    jobs_wait(&pool->jobs, job, waiter);
    if (jobs_raise(&pool->jobs, job, ask->class))
        pool_stir(pool);
}

/* Under the lock: whether the waiter waits; else its outcome is set. */
static bool submit(struct pool *pool, const struct pool_ask *ask, struct waiter *waiter)
{
    struct metrics *metrics = pool->options.metrics;
    struct job *job = jobs_find(&pool->jobs, ask->digest);
    if (job) {
        join(pool, job, ask, waiter);
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
    const bool others_first = ask->again && !ask->turn && pool->for_room > 0;
    if (others_first || (!has_room(pool, ask->class) && !may_look(pool, ask->class))) {
        metrics_add(&metrics->refused[ask->class], ask->again ? 0 : 1);
        waiter->outcome = POOL_FULL;
        return false;
    }
    job = job_of(pool, ask);
    if (!job) {
        waiter->outcome = POOL_FAILED;
        return false;
    }
    jobs_wait(&pool->jobs, job, waiter);
    pool_start_job(pool, job);
    return true;
}

bool pool_submit(struct pool *pool, const struct pool_ask *ask, struct waiter *waiter)
{
    bool waits = false;
    waiter->tier = TIER_RENDER;
    waiter->blob = NULL;
    waiter->queue_ns = waiter->shared_ns = waiter->region_ns = waiter->surface_ns = waiter->encode_ns = 0;
    uv_mutex_lock(&pool->lock);
    waiter->deadline_ns = uv_hrtime() + (uint64_t)pool->options.deadline_ms * 1000000;
    if (pool->refusing)
        waiter->outcome = POOL_STOPPED;
    else
        waits = submit(pool, ask, waiter);
    uv_mutex_unlock(&pool->lock);
    return waits;
}

/* Under the lock. */
static enum metric_prefetch prefetch(struct pool *pool, const struct pool_ask *ask)
{
    uint64_t bytes;
    if (pool->refusing)
        return PREFETCH_REFUSED;
    if (jobs_find(&pool->jobs, ask->digest) || memory_has(pool->options.memory, ask->digest, &bytes))
        return PREFETCH_CACHED;
    struct job *job = has_room(pool, ask->class) ? job_of(pool, ask) : NULL;
    if (!job)
        return PREFETCH_REFUSED;
    jobs_prefetch(&pool->jobs, job, job->since_ns + (uint64_t)POOL_PREFETCH_MS * 1000000);
    pool_start_job(pool, job);
    return PREFETCH_QUEUED;
}

enum metric_prefetch pool_prefetch(struct pool *pool, const struct pool_ask *ask)
{
    uv_mutex_lock(&pool->lock);
    const enum metric_prefetch result = prefetch(pool, ask);
    uv_mutex_unlock(&pool->lock);
    return result;
}

/* Under the lock: behind those who have waited for as long, or longer. */
static void insert_by_age(struct pool *pool, struct waiter *waiter)
{
    struct waiter **at = &pool->napping;
    while (*at && (*at)->since_ns <= waiter->since_ns)
        at = &(*at)->next;
    waiter->next = *at;
    *at = waiter;
}

bool pool_nap(struct pool *pool, struct waiter *waiter, enum metric_class class, unsigned ms)
{
    uv_mutex_lock(&pool->lock);
    const bool naps = !pool->refusing;
    if (naps) {
        waiter->blob = NULL;
        waiter->class = class;
        waiter->deadline_ns = uv_hrtime() + (uint64_t)ms * 1000000;
        insert_by_age(pool, waiter);
        pool->for_room += class < CLASSES;
    }
    uv_mutex_unlock(&pool->lock);
    return naps;
}

struct rested {
    struct waiter *roomy, *late;
};

/* Under the lock: takes out those for whom there is room, each after those before him, and those whose time is up. */
static struct rested take_rested(struct pool *pool, uint64_t now)
{
    struct rested rested = {0};
    unsigned taken[CLASSES] = {0}, all = 0;
    for (struct waiter **at = &pool->napping, *waiter; (waiter = *at) != NULL;) {
        const enum metric_class class = waiter->class;
        const bool late = waiter->deadline_ns <= now;
        if (!late && (class >= CLASSES || !room_besides(pool, class, all, taken[class]))) {
            at = &waiter->next;
            continue;
        }
        *at = waiter->next;
        if (class < CLASSES)
            pool->for_room--;
        if (!late) {
            taken[class]++;
            all++;
        }
        struct waiter **to = late ? &rested.late : &rested.roomy;
        waiter->next = *to;
        *to = waiter;
    }
    return rested;
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
    const uint64_t most_ns[CLASSES] = {0, 1000000000, 5000000000};
    const uint64_t deadline_ns = (uint64_t)pool->options.deadline_ms * 1000000;
    const uint64_t share_ns[CLASSES] = {0, deadline_ns / 10, deadline_ns / 2};
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

/* Ends waiting whose time is up, forgets prefetches, recalls jobs. Returns how many clients are to be asked in this tick. */
static unsigned expire(struct pool *pool)
{
    const uint64_t now = uv_hrtime();
    struct waiter *late = NULL;
    struct job *ended = NULL;
    uint64_t count = 0;
    uv_mutex_lock(&pool->lock);
    for (; pool->jobs.soonest && pool->jobs.soonest->deadline_ns <= now; count++)
        jobs_release(&pool->jobs, pool->jobs.soonest, &late, &ended);
    jobs_forget(&pool->jobs, now, &ended);
    if (ended)
        pool_stir(pool);
    pool_recall(pool, now);
    const unsigned waiting = pool->jobs.waiting;
    const struct rested rested = take_rested(pool, now);
    uv_mutex_unlock(&pool->lock);
    metrics_add(&pool->options.metrics->expired, count);
    pool_wake(late, POOL_EXPIRED);
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
    while (pool->jobs.soonest)
        jobs_release(&pool->jobs, pool->jobs.soonest, &taken, &ended);
    jobs_forget(&pool->jobs, UINT64_MAX, &ended);
    const struct rested rested = take_rested(pool, UINT64_MAX);
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
    free(pool->worker);
    for (int work = 0; work < WORKS; work++)
        uv_cond_destroy(&pool->to_do[work]);
    uv_mutex_destroy(&pool->lock);
    free(pool);
}
