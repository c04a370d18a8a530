/*
 * The render pool.
 *
 * Invariants, under the one lock:
 *   (1) a key has at most one job, and the job is in the table from its making until its answer is in the
 *       memory tier: whoever misses the tier under this lock finds the job (single flight);
 *   (2) a job is in one of the two queues, or with one worker;
 *   (3) a waiter is in its job's list and in the list by deadline, or in neither and about to be woken.
 * All waiters have the same time to wait, so the list by deadline is the order of arrival.
 *
 * Waiters are taken out under the lock and woken after it is dropped: a wake may take locks of its own.
 */
#include "pool.h"

#include <stdlib.h>
#include <uv.h>

#include "../check.h"
#include "../log.h"
#include "produce.h"

enum {
    TABLE = 4096,
    LOOKING = 4 /* times options.queue: looking takes microseconds, but waits for a worker that makes */
};

struct job {
    struct digest digest;
    struct tile_key key;
    struct terrane_world world;
    struct waiter *waiters;
    struct job *chain; /* in the table */
    struct job *next;  /* in a queue */
    uint64_t since_ns;
};

struct queue {
    struct job *first, **last;
    unsigned count;
};

struct pool {
    struct pool_options options;
    uv_mutex_t lock;
    uv_cond_t work;
    struct job *table[TABLE];
    struct queue looking, making;
    struct waiter *soonest, *latest; /* by deadline */
    bool refusing, stopping;
    unsigned started;
    struct worker *worker;
};

struct worker {
    struct pool *pool;
    int index;
    struct producer *producer;
    uv_thread_t thread;
};

/* ---- Lists, under the lock ----------------------------------------------------------------------------- */

static void queue_push(struct pool *pool, struct queue *queue, struct job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
    queue->count++;
    metrics_move(&pool->options.metrics->queue_depth, 1);
}

static struct job *queue_pop(struct pool *pool, struct queue *queue)
{
    struct job *job = queue->first;
    if (!job)
        return NULL;
    queue->first = job->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->count--;
    metrics_move(&pool->options.metrics->queue_depth, -1);
    return job;
}

static struct job **table_at(struct pool *pool, const struct digest *digest)
{
    return &pool->table[digest->low % TABLE];
}

static struct job *table_find(struct pool *pool, const struct digest *digest)
{
    struct job *job = *table_at(pool, digest);
    while (job && !digest_equal(&job->digest, digest))
        job = job->chain;
    return job;
}

static void table_remove(struct pool *pool, struct job *job)
{
    struct job **at = table_at(pool, &job->digest);
    while (*at != job)
        at = &(*at)->chain;
    *at = job->chain;
}

static void waiter_add(struct pool *pool, struct job *job, struct waiter *waiter)
{
    waiter->job = job;
    waiter->previous = NULL;
    waiter->next = job->waiters;
    if (job->waiters)
        job->waiters->previous = waiter;
    job->waiters = waiter;

    waiter->later = NULL;
    waiter->earlier = pool->latest;
    *(pool->latest ? &pool->latest->later : &pool->soonest) = waiter;
    pool->latest = waiter;
    metrics_move(&pool->options.metrics->inflight, 1);
}

static void waiter_remove(struct pool *pool, struct waiter *waiter)
{
    CHECK(waiter->job);
    *(waiter->previous ? &waiter->previous->next : &waiter->job->waiters) = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    *(waiter->earlier ? &waiter->earlier->later : &pool->soonest) = waiter->later;
    *(waiter->later ? &waiter->later->earlier : &pool->latest) = waiter->earlier;
    waiter->job = NULL;
    metrics_move(&pool->options.metrics->inflight, -1);
}

/* Takes all waiters of a job; they are chained by next. */
static struct waiter *waiters_take(struct pool *pool, struct job *job)
{
    struct waiter *taken = NULL;
    while (job->waiters) {
        struct waiter *waiter = job->waiters;
        waiter_remove(pool, waiter);
        waiter->next = taken;
        taken = waiter;
    }
    return taken;
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

/* The lock is not held. */
static void wake_all(struct waiter *waiters, enum pool_outcome outcome)
{
    for (struct waiter *waiter = waiters, *next; waiter; waiter = next) {
        next = waiter->next;
        waiter->outcome = outcome;
        waiter->wake(waiter);
    }
}

static struct job *job_create(struct pool *pool, const struct tile_key *key, const struct digest *digest,
                              const struct terrane_world *world)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        return NULL;
    struct job **at = table_at(pool, digest);
    *job =
        (struct job){.digest = *digest, .key = *key, .world = *world, .chain = *at, .since_ns = uv_hrtime()};
    *at = job;
    return job;
}

/* Under the lock: whether the waiter waits; else its outcome is set. */
static bool submit(struct pool *pool, const struct tile_key *key, const struct digest *digest,
                   const struct terrane_world *world, struct waiter *waiter)
{
    struct job *job = table_find(pool, digest);
    if (job) {
        waiter->tier = TIER_COALESCED;
        metrics_add(&pool->options.metrics->coalesced, 1);
        waiter_add(pool, job, waiter);
        return true;
    }
    waiter->blob =
        memory_get(pool->options.memory, digest); /* answered between the caller's look and the lock? */
    if (waiter->blob) {
        waiter->tier = TIER_MEMORY;
        waiter->outcome = POOL_DONE;
        return false;
    }
    if (pool->options.disk ? pool->looking.count >= LOOKING * pool->options.queue
                           : pool->making.count >= pool->options.queue) {
        waiter->outcome = POOL_FULL;
        return false;
    }
    job = job_create(pool, key, digest, world);
    if (!job) {
        waiter->outcome = POOL_FAILED;
        return false;
    }
    waiter_add(pool, job, waiter);
    queue_push(pool, pool->options.disk ? &pool->looking : &pool->making, job);
    uv_cond_signal(&pool->work);
    return true;
}

bool pool_submit(struct pool *pool, const struct tile_key *key, const struct digest *digest,
                 const struct terrane_world *world, struct waiter *waiter)
{
    bool waits = false;
    waiter->tier = TIER_RENDER;
    waiter->blob = NULL;
    waiter->deadline_ns = uv_hrtime() + (uint64_t)pool->options.deadline_ms * 1000000;
    uv_mutex_lock(&pool->lock);
    if (pool->refusing)
        waiter->outcome = POOL_STOPPED;
    else
        waits = submit(pool, key, digest, world, waiter);
    uv_mutex_unlock(&pool->lock);
    if (!waits && waiter->outcome == POOL_FULL)
        metrics_add(&pool->options.metrics->refused, 1);
    return waits;
}

void pool_expire(struct pool *pool)
{
    const uint64_t now = uv_hrtime();
    struct waiter *late = NULL;
    uint64_t count = 0;
    uv_mutex_lock(&pool->lock);
    while (pool->soonest && pool->soonest->deadline_ns <= now) {
        struct waiter *waiter = pool->soonest;
        waiter_remove(pool, waiter);
        waiter->next = late;
        late = waiter;
        count++;
    }
    uv_mutex_unlock(&pool->lock);
    metrics_add(&pool->options.metrics->expired, count);
    wake_all(late, POOL_EXPIRED);
}

void pool_refuse(struct pool *pool)
{
    struct waiter *taken = NULL;
    uv_mutex_lock(&pool->lock);
    pool->refusing = true;
    while (pool->soonest) {
        struct waiter *waiter = pool->soonest;
        waiter_remove(pool, waiter);
        waiter->next = taken;
        taken = waiter;
    }
    uv_mutex_unlock(&pool->lock);
    wake_all(taken, POOL_STOPPED);
}

/* ---- Working ------------------------------------------------------------------------------------------- */

/* Is anybody still there? Those who left are taken into *gone. Under the lock. */
static bool wanted(struct pool *pool, struct job *job, struct waiter **gone)
{
    while (job->waiters && job->waiters->left(job->waiters)) {
        struct waiter *waiter = job->waiters;
        waiter_remove(pool, waiter);
        waiter->next = *gone;
        *gone = waiter;
    }
    return job->waiters != NULL;
}

/* Ends a job under the lock; its waiters are the caller's to wake. */
static struct waiter *job_end(struct pool *pool, struct job *job)
{
    struct waiter *waiters = waiters_take(pool, job);
    table_remove(pool, job);
    return waiters;
}

/* Answers a job's waiters and frees it. The lock is not held. */
static void answer(struct pool *pool, struct job *job, struct blob *blob, enum metric_tier tier,
                   const struct produce_times *times, uint64_t queue_ns)
{
    if (blob) {
        memory_put(pool->options.memory, blob); /* before the job goes: invariant 1 */
        if (tier == TIER_RENDER && pool->options.disk)
            disk_put(pool->options.disk, blob);
    }
    uv_mutex_lock(&pool->lock);
    struct waiter *waiters = job_end(pool, job);
    uv_mutex_unlock(&pool->lock);
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
        waiter->blob = blob ? blob_hold(blob) : NULL;
        waiter->tier = waiter->tier == TIER_COALESCED ? TIER_COALESCED : tier;
        waiter->queue_ns = queue_ns;
        waiter->surface_ns = times->surface_ns;
        waiter->encode_ns = times->encode_ns;
    }
    wake_all(waiters, blob ? POOL_DONE : POOL_FAILED);
    blob_release(blob);
    free(job);
}

static void make(struct worker *worker, struct job *job)
{
    struct metrics *metrics = worker->pool->options.metrics;
    struct produce_times times = {0};
    const uint64_t queue_ns = uv_hrtime() - job->since_ns;
    struct blob *blob = produce(worker->producer, &job->key, &job->world, &times);
    if (blob) {
        metrics_add(&metrics->renders[job->key.layer], 1);
        metrics_observe(&metrics->stage[STAGE_QUEUE], queue_ns);
        metrics_observe(&metrics->stage[STAGE_SURFACE], times.surface_ns);
        metrics_observe(&metrics->stage[STAGE_ENCODE], times.encode_ns);
    } else {
        metrics_add(&metrics->failed, 1);
        log_write(LOG_ERROR, "render", "out of memory for a tile");
    }
    answer(worker->pool, job, blob, TIER_RENDER, &times, queue_ns);
}

/* Looks on the disk; what is not there goes to the second queue, or back where that is full. */
static void look(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    const uint64_t start = uv_hrtime();
    struct blob *blob = disk_get(pool->options.disk, worker->index, &job->digest);
    metrics_observe(&pool->options.metrics->stage[STAGE_DISK], uv_hrtime() - start);
    if (blob) {
        metrics_add(&pool->options.metrics->hits[TIER_DISK], 1);
        answer(pool, job, blob, TIER_DISK, &(struct produce_times){0}, start - job->since_ns);
        return;
    }
    struct waiter *refused = NULL;
    uint64_t count = 0;
    uv_mutex_lock(&pool->lock);
    if (pool->making.count < pool->options.queue) {
        queue_push(pool, &pool->making, job);
        uv_cond_signal(&pool->work);
        job = NULL;
    } else {
        refused = job_end(pool, job);
    }
    uv_mutex_unlock(&pool->lock);
    for (struct waiter *waiter = refused; waiter; waiter = waiter->next)
        count++;
    metrics_add(&pool->options.metrics->refused, count);
    wake_all(refused, POOL_FULL);
    free(job);
}

/* Takes the next job that somebody still waits for, or NULL at the end. */
static struct job *take(struct pool *pool, bool *looking)
{
    for (;;) {
        struct waiter *gone = NULL;
        struct job *job;
        uv_mutex_lock(&pool->lock);
        while (!pool->looking.first && !pool->making.first && !pool->stopping)
            uv_cond_wait(&pool->work, &pool->lock);
        *looking = pool->looking.first != NULL;
        job = queue_pop(pool, *looking ? &pool->looking : &pool->making);
        const bool go = job && wanted(pool, job, &gone);
        if (job && !go)
            table_remove(pool, job);
        uv_mutex_unlock(&pool->lock);
        wake_all(gone, POOL_GONE);
        if (go || !job)
            return job;
        metrics_add(&pool->options.metrics->dropped, 1);
        free(job);
    }
}

static void work(void *argument)
{
    struct worker *worker = argument;
    bool looking;
    for (struct job *job; (job = take(worker->pool, &looking)) != NULL;)
        (looking ? look : make)(worker, job);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

struct pool *pool_start(const struct pool_options *options)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->options = *options;
    pool->looking.last = &pool->looking.first;
    pool->making.last = &pool->making.first;
    if (uv_mutex_init(&pool->lock) != 0) {
        free(pool);
        return NULL;
    }
    CHECK(uv_cond_init(&pool->work) == 0);
    pool->worker = calloc(options->threads, sizeof *pool->worker);
    for (unsigned i = 0; pool->worker && i < options->threads; i++) {
        struct worker *worker = &pool->worker[i];
        worker->pool = pool;
        worker->index = (int)i;
        worker->producer = producer_create();
        if (!worker->producer || uv_thread_create(&worker->thread, work, worker) != 0) {
            producer_free(worker->producer);
            break;
        }
        pool->started++;
    }
    if (pool->started < options->threads) {
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
    uv_cond_broadcast(&pool->work);
    uv_mutex_unlock(&pool->lock);
    for (; pool->started > 0; pool->started--) {
        struct worker *worker = &pool->worker[pool->started - 1];
        uv_thread_join(&worker->thread);
        producer_free(worker->producer);
    }
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pool_join(pool);
    free(pool->worker);
    uv_cond_destroy(&pool->work);
    uv_mutex_destroy(&pool->lock);
    free(pool);
}
