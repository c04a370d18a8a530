/*
 * The render pool's workers: those that make, and the one that looks things up on the disk. pool_shared.c has those that ask.
 *
 * What somebody waits for at this moment is an answer that is there already, so threads that answer come first: workers
 * that make run at a low priority, those that look and ask do not. Whoever has a job (JOB_BUSY) holds no lock while he works.
 */
#include "../log.h"
#include "../turn.h"
#include "pool_state.h"

enum {
    BEGUN_PER_WORKER = 8 /* jobs under way for each worker, besides POOL_BEGUN */
};

/* ---- Answering ----------------------------------------------------------------------------------------- */

/* Whether nobody has asked so far for a tile that was made for a prefetch. Marks its blob then. */
static bool mark_prefetched(struct pool *pool, const struct job *job, struct blob *blob)
{
    uv_mutex_lock(&pool->lock);
    const bool mark = !job->asked;
    uv_mutex_unlock(&pool->lock);
    metrics_add(&pool->options.metrics->prefetch_made, 1);
    if (mark)
        atomic_store(&blob->prefetched, true);
    return mark;
}

void pool_answer(struct pool *pool, struct job *job, struct blob *blob, const struct answer *answer)
{
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    const bool made = job->prefetched && answer->tier == TIER_RENDER;
    const bool marked = made && mark_prefetched(pool, job, blob);
    memory_put(pool->options.memory, blob); /* before the job goes: invariant 1 of pool.c */
    if (answer->tier != TIER_DISK && pool->options.disk)
        disk_put(pool->options.disk, blob);
    if (answer->tier == TIER_RENDER)
        pool_share(pool, job, blob);
    uv_mutex_lock(&pool->lock);
    if (job->dependants)
        uv_cond_broadcast(&pool->to_do[WORK_MAKE]);
    jobs_deliver(&pool->jobs, job, blob);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    uv_mutex_unlock(&pool->lock);
    /* who joined counts the use, or who has found the blob in memory since it was marked: one of them */
    if (made && job->asked && (!marked || atomic_exchange(&blob->prefetched, false)))
        metrics_add(&pool->options.metrics->prefetch_used, 1);
    for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
        waiter->blob = blob_hold(blob);
        waiter->tier = waiter->tier == TIER_COALESCED ? TIER_COALESCED : answer->tier;
        waiter->queue_ns = answer->queue_ns;
        waiter->shared_ns = job->shared_ns;
        waiter->region_ns = answer->region_ns;
        waiter->surface_ns = answer->times.surface_ns;
        waiter->encode_ns = answer->times.encode_ns;
    }
    pool_wake(waiters, POOL_DONE);
    blob_release(blob);
    pool_free_jobs(pool, ended);
}

/* After a job has ended that cannot be made. The lock is not held. */
static void answer_failure(struct pool *pool, enum product product, struct job *ended, struct waiter *waiters)
{
    metrics_add(&pool->options.metrics->failed, 1);
    log_write(LOG_ERROR, "render", "out of memory for %s", product_name[product]);
    pool_wake(waiters, POOL_FAILED);
    pool_free_jobs(pool, ended);
}

/* ---- Making -------------------------------------------------------------------------------------------- */

static enum metric_region metric_of(enum product product)
{
    static const enum metric_region region[PRODUCTS] = {
        [PRODUCT_LAKES] = METRIC_LAKES, [PRODUCT_EROSION] = METRIC_EROSION, [PRODUCT_ANCHOR] = METRIC_ANCHOR,
        [PRODUCT_PATHS] = METRIC_PATHS, [PRODUCT_CAVES] = METRIC_CAVES,
    };
    return region[product];
}

static void count_made(struct metrics *metrics, const struct job *job, const struct blob *blob,
                       const struct produce_times *times)
{
    if (job->key.product == PRODUCT_TILE && job->key.tile.coding != CODING_IDENTITY) {
        metrics_observe(&metrics->stage[STAGE_CODING], times->coding_ns);
        metrics_add(&metrics->coded_bytes[0], job->input[0].blob->bytes);
        metrics_add(&metrics->coded_bytes[1], blob->bytes);
    } else if (job->key.product == PRODUCT_TILE) {
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
    struct pool *pool = worker->pool;
    struct blob *inputs[PRODUCT_INPUTS_MAX];
    struct answer how = {.tier = TIER_RENDER,
                         .queue_ns = job->begun_ns - job->since_ns,
                         .region_ns = uv_hrtime() - job->begun_ns};
    for (int i = 0; i < job->inputs; i++)
        inputs[i] = job->input[i].blob;
    struct blob *blob = product_make(worker->producer, &job->key, &job->world, inputs, &how.times);
    if (blob) {
        count_made(pool->options.metrics, job, blob, &how.times);
        pool_answer(pool, job, blob, &how);
        return;
    }
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    const enum product product = job->key.product;
    uv_mutex_lock(&pool->lock);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    pool_stir(pool);
    uv_mutex_unlock(&pool->lock);
    answer_failure(pool, product, ended, waiters);
}

/* Under the lock: takes an input from memory, or joins or makes its job. false: memory is short. */
static bool gather(struct pool *pool, struct job *job, const struct product_key *key,
                   const struct digest *digest)
{
    struct blob *blob = memory_get(pool->options.memory, digest);
    if (blob) {
        if (key->product != PRODUCT_TILE)
            metrics_add(&pool->options.metrics->region_hits[TIER_MEMORY], 1);
        jobs_give(job, blob);
        return true;
    }
    struct job *input = jobs_find(&pool->jobs, digest);
    if (!input) {
        input = jobs_create(&pool->jobs, &(struct job_order){.key = key,
                                                             .digest = digest,
                                                             .world = &job->world,
                                                             .owner = job->owner,
                                                             .class = job->class,
                                                             .since_ns = job->since_ns,
                                                             .needed = true});
        if (!input)
            return false;
        pool_start_job(pool, input);
    }
    jobs_await(&pool->jobs, job, input);
    return true;
}

/*
 * Under the lock: the inputs of a job, in one go: what it rests on may not end before it is parked. Whether it is to be made
 * now; else it is parked, or has ended since nobody wants it any more or (*failed) memory is short.
 */
static bool gather_all(struct pool *pool, struct job *job, const struct product_key *keys,
                       const struct digest *digests, int count, bool *failed, struct job **ended,
                       struct waiter **waiters)
{
    bool gathered = jobs_wanted(job);
    *failed = false;
    for (int i = 0; i < count && gathered; i++) {
        gathered = gather(pool, job, &keys[i], &digests[i]);
        *failed = !gathered;
    }
    if (gathered && job->missing == 0)
        return true;
    if (gathered) {
        jobs_park(&pool->jobs, job);
    } else {
        jobs_end(&pool->jobs, job, ended, waiters);
        pool_stir(pool);
    }
    return false;
}

/* Makes a job, or parks it where inputs are missing. */
static void begin(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    struct product_key keys[PRODUCT_INPUTS_MAX];
    struct digest digests[PRODUCT_INPUTS_MAX];
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    bool now = true, failed = false;
    const enum product product = job->key.product;
    const int count = product_inputs(&job->key, &job->world, keys);
    for (int i = 0; i < count; i++)
        digests[i] = product_digest(&keys[i], &job->world);
    if (count > 0) {
        uv_mutex_lock(&pool->lock);
        now = gather_all(pool, job, keys, digests, count, &failed, &ended, &waiters);
        uv_mutex_unlock(&pool->lock);
    }
    if (now)
        make(worker, job);
    else if (failed)
        answer_failure(pool, product, ended, waiters);
    else
        pool_drop(pool, ended);
}

/* ---- Looking ------------------------------------------------------------------------------------------- */

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

bool pool_may_go_on(const struct pool *pool, const struct job *job)
{
    return jobs_wanted(job) && (job->needed || pool_has_room(pool, job->class));
}

void pool_turn_away(struct pool *pool, struct job *job)
{
    struct job *ended = NULL;
    struct waiter *refused = NULL;
    const enum metric_class class = job->class;
    jobs_end(&pool->jobs, job, &ended, &refused);
    uv_mutex_unlock(&pool->lock);
    for (struct waiter *waiter = refused; waiter; waiter = waiter->next)
        metrics_add(&pool->options.metrics->refused[class], 1);
    if (refused)
        pool_free_jobs(pool, ended);
    else
        pool_drop(pool, ended);
    pool_wake(refused, POOL_FULL);
}

/*
 * Looks on the disk; what is not there is asked for in the shared tier, or goes to the queue of its kind, or back where that
 * is full, or ends where nobody wants it any more.
 */
static void look(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    const uint64_t start = uv_hrtime();
    struct blob *blob = find_on_disk(worker, job);
    if (blob) {
        pool_answer(pool, job, blob, &(struct answer){.tier = TIER_DISK, .queue_ns = start - job->since_ns});
        return;
    }
    uv_mutex_lock(&pool->lock);
    if (jobs_wanted(job) && pool_may_ask(pool, job)) {
        pool_ask_later(pool, job);
    } else if (pool_may_go_on(pool, job)) {
        pool_make_job(pool, job);
    } else {
        pool_turn_away(pool, job);
        return;
    }
    uv_mutex_unlock(&pool->lock);
}

/* ---- Taking -------------------------------------------------------------------------------------------- */

/*
 * Under the lock: the classes of which a tile may be begun. Each has its share of what may be under way: what was begun for
 * nobody in a hurry cannot keep out who is.
 */
static unsigned may_begin(const struct pool *pool)
{
    static const unsigned divisor[CLASSES] = {[CLASS_WAITING] = 1, [CLASS_NEIGHBOUR] = 2, [CLASS_BULK] = 4};
    const unsigned most = POOL_BEGUN + BEGUN_PER_WORKER * pool->options.threads;
    unsigned all = 0, classes = 0;
    for (int class = 0; class < CLASSES; class ++)
        all += pool->jobs.begun[class];
    for (int class = 0; class < CLASSES && all < most; class ++)
        if (pool->jobs.begun[class] < most / divisor[class])
            classes |= 1u << class;
    return classes;
}

/* Under the lock: what a worker does next; NULL: there is nothing, or nothing that may be begun now. */
static struct job *next_job(struct pool *pool, enum work work)
{
    static const enum job_queue first[WORKS] = {
        [WORK_MAKE] = QUEUE_READY, [WORK_LOOK] = QUEUE_LOOKING, [WORK_ASK] = QUEUE_ASKING};
    struct jobs *jobs = &pool->jobs;
    struct job *job = jobs_first(jobs, first[work], JOBS_ALL_CLASSES);
    if (!job && work == WORK_MAKE) {
        struct job *tile = jobs_first(jobs, QUEUE_TILES, may_begin(pool));
        job = jobs_first(jobs, QUEUE_REGIONS, JOBS_ALL_CLASSES);
        if (tile && (!job || jobs_due_ns(jobs, tile) < jobs_due_ns(jobs, job)))
            job = tile;
    }
    if (job)
        jobs_take(jobs, job);
    return job;
}

/* Under the lock. */
static void note_begun(struct pool *pool, struct job *job)
{
    job->begun_ns = uv_hrtime();
    if (!job->needed)
        metrics_observe(&pool->options.metrics->wait[job->class], job->begun_ns - job->since_ns);
}

/* Waits for a job that somebody wants. NULL at the end. */
static struct job *take(struct worker *worker)
{
    struct pool *pool = worker->pool;
    for (;;) {
        struct waiter *gone = NULL;
        struct job *job, *ended = NULL;
        uint64_t left = 0;
        uv_mutex_lock(&pool->lock);
        while (!(job = next_job(pool, worker->work)) && !pool->stopping)
            uv_cond_wait(&pool->to_do[worker->work], &pool->lock);
        const bool go = job && jobs_present(job);
        if (job && !go)
            jobs_end(&pool->jobs, job, &ended, &gone);
        else if (job && job->queue >= QUEUE_REGIONS)
            note_begun(pool, job);
        if (jobs_first(&pool->jobs, QUEUE_TILES, JOBS_ALL_CLASSES))
            uv_cond_signal(&pool->to_do[WORK_MAKE]); /* taking a job may make room to begin another */
        uv_mutex_unlock(&pool->lock);
        for (struct waiter *waiter = gone; waiter; waiter = waiter->next)
            left++;
        metrics_add(&pool->options.metrics->left, left);
        pool_wake(gone, POOL_GONE);
        if (go || !job)
            return job;
        pool_drop(pool, ended);
    }
}

void pool_work(void *argument)
{
    static void (*const serve[QUEUES])(struct worker * worker, struct job * job) = {
        [QUEUE_LOOKING] = look,
        [QUEUE_ASKING] = pool_ask_for,
        [QUEUE_READY] = make,
        [QUEUE_REGIONS] = begin,
        [QUEUE_TILES] = begin}; /* nobody takes what is abroad: it is recalled */
    struct worker *worker = argument;
    (worker->work == WORK_MAKE ? turn_last : turn_first)();
    for (struct job *job; (job = take(worker)) != NULL;)
        serve[job->queue](worker, job);
}
