/*
 * The render pool.
 *
 * Invariants, under the one lock, besides those of jobs.c:
 *   (1) a product has at most one job, and the job is in the table from its making until its answer is in the
 *       memory tier: whoever misses the tier under this lock finds the job (single flight);
 *   (2) a job that is queued or busy will end: queues are served as long as a worker runs, and workers run until the
 *       queues are empty for good. So every parked job ends (jobs.c, 3), and none is left when the workers are;
 *   (3) regions never find a queue full: their number is bounded by that of the tiles that rest on them.
 * All waiters have the same time to wait, so the list by deadline is the order of arrival.
 *
 * Waiters are taken out under the lock and woken after it is dropped: a wake may take locks of its own.
 */
#include "pool.h"

#include <stdlib.h>
#include <uv.h>

#include "../check.h"
#include "../log.h"
#include "jobs.h"

enum {
    LOOKING = 4, /* times options.queue: looking takes microseconds, but waits for a worker that makes */
    BEGUN_PER_WORKER = 8 /* jobs under way for each worker, besides POOL_BEGUN */
};

struct pool {
    struct pool_options options;
    uv_mutex_t lock;
    uv_cond_t work;
    struct jobs jobs;
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

/* Under the lock: may another tile wait to be made? */
static bool has_room(const struct pool *pool)
{
    return pool->options.disk ? pool->jobs.queue[QUEUE_LOOKING].count < LOOKING * pool->options.queue
                              : pool->jobs.tiles < pool->options.queue;
}

/* Under the lock: into the first of its queues. */
static void job_start(struct pool *pool, struct job *job)
{
    const bool tile = job->key.product == PRODUCT_TILE;
    jobs_push(&pool->jobs, pool->options.disk ? QUEUE_LOOKING : tile ? QUEUE_TILES : QUEUE_REGIONS, job);
    uv_cond_signal(&pool->work);
}

/* Under the lock: whether the waiter waits; else its outcome is set. */
static bool submit(struct pool *pool, const struct product_key *key, const struct digest *digest,
                   const struct terrane_world *world, struct waiter *waiter)
{
    struct job *job = jobs_find(&pool->jobs, digest);
    if (job) {
        waiter->tier = TIER_COALESCED;
        metrics_add(&pool->options.metrics->coalesced, 1);
        jobs_wait(&pool->jobs, job, waiter);
        return true;
    }
    waiter->blob =
        memory_get(pool->options.memory, digest); /* answered between the caller's look and the lock? */
    if (waiter->blob) {
        waiter->tier = TIER_MEMORY;
        waiter->outcome = POOL_DONE;
        return false;
    }
    if (!has_room(pool)) {
        waiter->outcome = POOL_FULL;
        return false;
    }
    job = jobs_create(&pool->jobs, key, digest, world);
    if (!job) {
        waiter->outcome = POOL_FAILED;
        return false;
    }
    jobs_wait(&pool->jobs, job, waiter);
    job_start(pool, job);
    return true;
}

bool pool_submit(struct pool *pool, const struct tile_key *key, const struct digest *digest,
                 const struct terrane_world *world, struct waiter *waiter)
{
    const struct product_key product = product_of_tile(key);
    bool waits = false;
    waiter->tier = TIER_RENDER;
    waiter->blob = NULL;
    waiter->queue_ns = waiter->region_ns = waiter->surface_ns = waiter->encode_ns = 0;
    waiter->deadline_ns = uv_hrtime() + (uint64_t)pool->options.deadline_ms * 1000000;
    uv_mutex_lock(&pool->lock);
    if (pool->refusing)
        waiter->outcome = POOL_STOPPED;
    else
        waits = submit(pool, &product, digest, world, waiter);
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
    for (; pool->jobs.soonest && pool->jobs.soonest->deadline_ns <= now; count++)
        jobs_release(&pool->jobs, pool->jobs.soonest, &late);
    uv_mutex_unlock(&pool->lock);
    metrics_add(&pool->options.metrics->expired, count);
    wake_all(late, POOL_EXPIRED);
}

void pool_refuse(struct pool *pool)
{
    struct waiter *taken = NULL;
    uv_mutex_lock(&pool->lock);
    pool->refusing = true;
    while (pool->jobs.soonest)
        jobs_release(&pool->jobs, pool->jobs.soonest, &taken);
    uv_mutex_unlock(&pool->lock);
    wake_all(taken, POOL_STOPPED);
}

/* ---- Answering ----------------------------------------------------------------------------------------- */

/* What a job's waiters are told besides the blob. */
struct answer {
    enum metric_tier tier;
    uint64_t queue_ns, region_ns;
    struct produce_times times;
};

/* Answers a job's waiters and the jobs that rest on it, and frees it. Takes the blob. The lock is not held. */
static void answer(struct pool *pool, struct job *job, struct blob *blob, const struct answer *answer)
{
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    memory_put(pool->options.memory, blob); /* before the job goes: invariant 1 */
    if (answer->tier == TIER_RENDER && pool->options.disk)
        disk_put(pool->options.disk, blob);
    uv_mutex_lock(&pool->lock);
    if (job->dependants)
        uv_cond_broadcast(&pool->work);
    jobs_deliver(&pool->jobs, job, blob);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    uv_mutex_unlock(&pool->lock);
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
        waiter->blob = blob_hold(blob);
        waiter->tier = waiter->tier == TIER_COALESCED ? TIER_COALESCED : answer->tier;
        waiter->queue_ns = answer->queue_ns;
        waiter->region_ns = answer->region_ns;
        waiter->surface_ns = answer->times.surface_ns;
        waiter->encode_ns = answer->times.encode_ns;
    }
    wake_all(waiters, POOL_DONE);
    blob_release(blob);
    jobs_free(ended);
}

/* Ends a job that cannot be made, and all that rest on it. The lock is not held. */
static void answer_failure(struct pool *pool, struct job *job)
{
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    metrics_add(&pool->options.metrics->failed, 1);
    log_write(LOG_ERROR, "render", "out of memory for %s", product_name[job->key.product]);
    uv_mutex_lock(&pool->lock);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    uv_mutex_unlock(&pool->lock);
    wake_all(waiters, POOL_FAILED);
    jobs_free(ended);
}

/* ---- Working ------------------------------------------------------------------------------------------- */

static enum metric_region metric_of(enum product product)
{
    return product == PRODUCT_LAKES    ? METRIC_LAKES
           : product == PRODUCT_ANCHOR ? METRIC_ANCHOR
                                       : METRIC_EROSION;
}

static void count_made(struct metrics *metrics, const struct job *job, const struct produce_times *times)
{
    if (job->key.product == PRODUCT_TILE) {
        metrics_add(&metrics->renders[job->key.tile.layer], 1);
        metrics_observe(&metrics->stage[STAGE_QUEUE], job->begun_ns - job->since_ns);
        metrics_observe(&metrics->stage[STAGE_SURFACE], times->surface_ns);
        metrics_observe(&metrics->stage[STAGE_ENCODE], times->encode_ns);
    } else {
        metrics_add(&metrics->regions[metric_of(job->key.product)], 1);
        metrics_observe(&metrics->stage[STAGE_REGION], times->region_ns);
    }
}

/* Makes a job whose inputs are all there. */
static void make(struct worker *worker, struct job *job)
{
    struct blob *inputs[PRODUCT_INPUTS_MAX];
    struct answer how = {.tier = TIER_RENDER,
                         .queue_ns = job->begun_ns - job->since_ns,
                         .region_ns = uv_hrtime() - job->begun_ns};
    for (int i = 0; i < job->inputs; i++)
        inputs[i] = job->input[i].blob;
    struct blob *blob = product_make(worker->producer, &job->key, &job->world, inputs, &how.times);
    if (!blob) {
        answer_failure(worker->pool, job);
        return;
    }
    count_made(worker->pool->options.metrics, job, &how.times);
    answer(worker->pool, job, blob, &how);
}

/* Under the lock: takes an input from memory, or joins or makes its job. false: memory is short. */
static bool gather(struct pool *pool, struct job *job, const struct product_key *key,
                   const struct digest *digest)
{
    struct blob *blob = memory_get(pool->options.memory, digest);
    if (blob) {
        metrics_add(&pool->options.metrics->region_hits[TIER_MEMORY], 1);
        jobs_give(job, blob);
        return true;
    }
    struct job *input = jobs_find(&pool->jobs, digest);
    if (!input) {
        input = jobs_create(&pool->jobs, key, digest, &job->world);
        if (!input)
            return false;
        job_start(pool, input);
    }
    jobs_await(job, input);
    return true;
}

/* Makes a job, or parks it where inputs are missing. */
static void begin(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    struct product_key keys[PRODUCT_INPUTS_MAX];
    struct digest digests[PRODUCT_INPUTS_MAX];
    const int count = product_inputs(&job->key, &job->world, keys);
    bool gathered = true, parked = false;
    job->begun_ns = uv_hrtime();
    for (int i = 0; i < count; i++)
        digests[i] = product_digest(&keys[i], &job->world);
    if (count > 0) {
        uv_mutex_lock(&pool->lock);
        for (int i = 0; i < count && gathered; i++)
            gathered = gather(pool, job, &keys[i], &digests[i]);
        parked = gathered && job->missing > 0;
        if (parked)
            jobs_park(&pool->jobs, job);
        uv_mutex_unlock(&pool->lock);
    }
    if (!gathered)
        answer_failure(pool, job);
    else if (!parked)
        make(worker, job);
}

/* A job's blob on disk, checked; NULL: there is none. */
static struct blob *find_on_disk(struct worker *worker, const struct job *job)
{
    struct disk *disk = worker->pool->options.disk;
    struct metrics *metrics = worker->pool->options.metrics;
    const uint64_t start = uv_hrtime();
    struct blob *blob = disk_get(disk, worker->index, &job->digest);
    metrics_observe(&metrics->stage[STAGE_DISK], uv_hrtime() - start);
    if (blob && !product_fits(&job->key, &job->world, blob)) {
        disk_reject(disk, &job->digest);
        blob_release(blob);
        return NULL;
    }
    if (blob)
        metrics_add(job->key.product == PRODUCT_TILE ? &metrics->hits[TIER_DISK]
                                                     : &metrics->region_hits[TIER_DISK],
                    1);
    return blob;
}

/* Looks on the disk; what is not there goes to the queue of its kind, or back where that is full. */
static void look(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    const bool tile = job->key.product == PRODUCT_TILE;
    const uint64_t start = uv_hrtime();
    struct blob *blob = find_on_disk(worker, job);
    if (blob) {
        answer(pool, job, blob, &(struct answer){.tier = TIER_DISK, .queue_ns = start - job->since_ns});
        return;
    }
    struct job *ended = NULL;
    struct waiter *refused = NULL;
    uint64_t count = 0;
    uv_mutex_lock(&pool->lock);
    if (!tile || pool->jobs.tiles < pool->options.queue) {
        jobs_push(&pool->jobs, tile ? QUEUE_TILES : QUEUE_REGIONS, job);
        uv_cond_signal(&pool->work);
    } else {
        jobs_end(&pool->jobs, job, &ended, &refused);
    }
    uv_mutex_unlock(&pool->lock);
    for (struct waiter *waiter = refused; waiter; waiter = waiter->next)
        count++;
    metrics_add(&pool->options.metrics->refused, count);
    wake_all(refused, POOL_FULL);
    jobs_free(ended);
}

/* Under the lock: the first job of the first queue that may be served now; NULL: there is none. */
static struct job *next_job(struct pool *pool, enum job_queue *queue)
{
    const bool may_begin =
        pool->stopping || jobs_begun(&pool->jobs) < POOL_BEGUN + BEGUN_PER_WORKER * pool->options.threads;
    for (int q = 0; q < (may_begin ? QUEUES : QUEUE_TILES); q++)
        if (pool->jobs.queue[q].first) {
            *queue = (enum job_queue)q;
            return jobs_pop(&pool->jobs, *queue);
        }
    return NULL;
}

/* Takes the next job that somebody still waits for, or NULL at the end. */
static struct job *take(struct pool *pool, enum job_queue *queue)
{
    for (;;) {
        struct waiter *gone = NULL;
        struct job *job, *ended = NULL;
        uv_mutex_lock(&pool->lock);
        while (!(job = next_job(pool, queue)) && !pool->stopping)
            uv_cond_wait(&pool->work, &pool->lock);
        const bool go = job && jobs_wanted(&pool->jobs, job, &gone);
        if (job && !go)
            jobs_end(&pool->jobs, job, &ended, &gone);
        if (pool->jobs.queue[QUEUE_TILES].first)
            uv_cond_signal(&pool->work); /* taking a job may make room to begin another */
        uv_mutex_unlock(&pool->lock);
        wake_all(gone, POOL_GONE);
        if (go || !job)
            return job;
        metrics_add(&pool->options.metrics->dropped, jobs_free(ended));
    }
}

static void work(void *argument)
{
    static void (*const serve[QUEUES])(struct worker * worker, struct job * job) = {
        [QUEUE_LOOKING] = look, [QUEUE_READY] = make, [QUEUE_REGIONS] = begin, [QUEUE_TILES] = begin};
    struct worker *worker = argument;
    enum job_queue queue;
    for (struct job *job; (job = take(worker->pool, &queue)) != NULL;)
        serve[queue](worker, job);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

struct pool *pool_start(const struct pool_options *options)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->options = *options;
    jobs_init(&pool->jobs, options->metrics);
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
    CHECK(pool->jobs.all == 0 && pool->jobs.parked == 0 && pool->jobs.tiles == 0);
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
