/*
 * The render pool: lookups. One thread looks on the disk, some ask the shared tier: there a job may wait for a product that
 * another node makes, and products of this node are stored.
 *
 *     ASKING ──found──────────────────────────► answered, and into memory and disk
 *        │ ▲
 *        │ └──its time has come (the clock)───┐
 *        ├──not there, another has the lease──► ABROAD ──too long, or the tier is unwell──┐
 *        └──not there, the lease is ours, or nobody can tell─────────────────────────────►└► TILES, REGIONS
 *
 * Invariants, besides those of pool.c:
 *   (1) the shared tier never decides whether a job is answered: whatever the store does, the job is made in the end;
 *   (2) a lease is taken only for jobs that are wanted and have room, so it is an honest promise;
 *   (3) a slow store delays jobs only briefly: a job that has waited for its turn for longer than remote_turn_ms, or an
 *       eighth of the deadline, is not asked for. A disk likewise: while it is asked for one job for longer than that eighth,
 *       all jobs go on without it, that one, too; where it is only slow, those that have waited for half of the deadline;
 *   (4) a job is in QUEUE_REMOTE for at most remote_wait_ms, and at most until half of the deadline of the request that
 *       asked first.
 */
#include <errno.h>

#include "jobs.h"

enum {
    SHARED_MAX_BYTES = 8 << 20, /* a larger tile costs the store and the network more than making it again */
    FIRST_PAUSE_NS = 5000000,   /* about the time of a plain tile */
    LAST_PAUSE_NS = 50000000,
    HANG_NS = 50000000, /* a look takes some 50 us */
    RECALL_MAX = 256    /* in a tick, so that no thread waits for the lock for long */
};

/* ---- Where a job goes ---------------------------------------------------------------------------------- */

/* Under the lock: how long a job may wait for a tier that does not answer. */
static uint64_t eighth_of_deadline_ns(const struct pool *pool)
{
    return (uint64_t)pool->options.deadline_ms * 125000;
}

/* True if the product goes into the shared tier. */
static bool is_shared(const struct pool *pool, const struct job *job)
{
    return pool->options.remote && (job->key.product == PRODUCT_TILE || pool->options.remote_regions);
}

/* True if it is useful to ask there now. */
static bool may_ask(const struct pool *pool, const struct job *job)
{
    return is_shared(pool, job) && remote_is_well(pool->options.remote);
}

/* Under the lock: queues a job to be asked for there. */
static void ask_later(struct pool *pool, struct job *job)
{
    job->asking_ns = uv_hrtime();
    jobs_push(&pool->jobs, QUEUE_ASKING, job);
    uv_cond_signal(&pool->to_do[WORK_ASK]);
}

/* Under the lock: queues a job that was found nowhere, to be made. Who came to want it meanwhile may move it forward. */
static void make_job(struct pool *pool, struct job *job)
{
    jobs_push(&pool->jobs, job->needed ? QUEUE_REGIONS : QUEUE_TILES, job);
    for (const struct waiter *waiter = job->waiters; waiter; waiter = waiter->next)
        jobs_share(&pool->jobs, job, waiter->flow);
    for (const struct edge *edge = job->dependants; edge; edge = edge->next)
        jobs_share(&pool->jobs, job, edge->owner->flow);
    uv_cond_signal(&pool->to_do[WORK_MAKE]);
}

/* Not made at once even if the shared tier is unwell: whether there is room is checked when it would be asked. */
void pool_start_job(struct pool *pool, struct job *job)
{
    if (pool->options.disk) {
        job->asking_ns = uv_hrtime();
        jobs_push(&pool->jobs, QUEUE_LOOKING, job);
        uv_cond_signal(&pool->to_do[WORK_LOOK]);
    } else if (is_shared(pool, job)) {
        ask_later(pool, job);
    } else {
        make_job(pool, job);
    }
}

/* Under the lock, which it drops: ends a busy job that goes no further. Its waiters have to come again. */
static void turn_away(struct pool *pool, struct job *job)
{
    struct job *ended = NULL;
    struct waiter *refused = NULL;
    const enum metric_class class = job->class;
    const enum pool_outcome outcome = pool_no_room(pool, job->flow, class);
    jobs_end(&pool->jobs, job, &ended, &refused);
    uv_mutex_unlock(&pool->lock);
    for (struct waiter *waiter = refused; waiter; waiter = waiter->next)
        metrics_add(&pool->options.metrics->refused[class], !waiter->again);
    if (refused)
        pool_free_jobs(pool, ended);
    else
        pool_drop(pool, ended);
    pool_wake(refused, outcome);
}

/* ---- Looking ------------------------------------------------------------------------------------------- */

/* Whether a blob may stand for a job. bad: it may not, and that is not for want of memory, of which malloc tells whoever called it. */
static bool fits(const struct job *job, struct blob *blob, bool *bad)
{
    errno = 0;
    const bool fit = product_fits(&job->key, &job->world, blob);
    *bad = !fit && errno != ENOMEM;
    return fit;
}

/* Reads a job's blob from disk; NULL: there is none, or (*left) that took so long that the job has gone on elsewhere. */
static struct blob *read_disk(struct worker *worker, struct job *job, bool *left)
{
    struct pool *pool = worker->pool;
    const struct digest digest = job->digest;
    const uint64_t start = uv_hrtime();
    uv_mutex_lock(&pool->lock);
    pool->looking = job;
    pool->looking_ns = start;
    uv_mutex_unlock(&pool->lock);
    struct blob *blob = disk_get(pool->options.disk, worker->index, &digest);
    metrics_observe(&pool->options.metrics->stage[STAGE_DISK], uv_hrtime() - start);
    uv_mutex_lock(&pool->lock);
    *left = !pool->looking;
    pool->looking = NULL;
    pool->looking_ns = 0;
    uv_mutex_unlock(&pool->lock);
    if (!*left)
        return blob;
    blob_release(blob);
    return NULL;
}

/* The same, checked. */
static struct blob *find_on_disk(struct worker *worker, struct job *job, bool *left)
{
    struct disk *disk = worker->pool->options.disk;
    struct metrics *metrics = worker->pool->options.metrics;
    struct blob *blob = read_disk(worker, job, left);
    bool bad;
    if (blob && !fits(job, blob, &bad)) {
        if (bad)
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

/*
 * Under the lock, which it drops: a busy job that is not found on the disk is asked for in the shared tier, or goes to the queue
 * of its kind, or is refused if that is full, or ends if nobody wants it any more.
 */
static void go_past_disk(struct pool *pool, struct job *job)
{
    struct shed shed = {0};
    if (jobs_wanted(job) && may_ask(pool, job)) {
        ask_later(pool, job);
    } else if (pool_may_go_on(pool, job, &shed)) {
        make_job(pool, job);
    } else {
        turn_away(pool, job);
        return;
    }
    uv_mutex_unlock(&pool->lock);
    pool_wake_shed(pool, &shed);
}

void pool_look(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    const uint64_t start = uv_hrtime();
    bool left;
    struct blob *blob = find_on_disk(worker, job, &left);
    if (left)
        return;
    if (blob) {
        pool_answer(pool, job, blob, &(struct answer){.tier = TIER_DISK, .queue_ns = start - job->since_ns});
        return;
    }
    uv_mutex_lock(&pool->lock);
    go_past_disk(pool, job);
}

bool pool_disk_hangs(struct pool *pool)
{
    uv_mutex_lock(&pool->lock);
    const bool hangs = pool->looking_ns > 0 && uv_hrtime() >= pool->looking_ns + HANG_NS;
    uv_mutex_unlock(&pool->lock);
    return hangs;
}

/* Under the lock: a job that has waited for the disk for so long; not always the first: regions are as old as their tiles. */
static struct job *waiting_since(const struct jobs *jobs, uint64_t now_ns, uint64_t max_ns)
{
    for (int class = 0; class < CLASSES; class ++)
        for (struct job *job = jobs->queue[QUEUE_LOOKING][class].first; job; job = job->next)
            if (now_ns >= job->asking_ns + max_ns)
                return job;
    return NULL;
}

/* Under the lock: takes a job that has waited for the disk for too long; of a disk that hangs, from the thread that looks, too. */
static struct job *take_overdue(struct pool *pool, uint64_t now_ns)
{
    const uint64_t eighth_ns = eighth_of_deadline_ns(pool);
    const bool hangs = pool->looking_ns > 0 && now_ns >= pool->looking_ns + eighth_ns;
    struct job *job = hangs ? pool->looking : NULL;
    if (job) {
        pool->looking = NULL;
        return job;
    }
    job = hangs ? jobs_first(&pool->jobs, QUEUE_LOOKING) : waiting_since(&pool->jobs, now_ns, 4 * eighth_ns);
    if (!job)
        return NULL;
    jobs_take(&pool->jobs, job);
    return job;
}

void pool_pass_by_disk(struct pool *pool, uint64_t now_ns)
{
    for (int n = 0; n < RECALL_MAX; n++) {
        uv_mutex_lock(&pool->lock);
        struct job *job = take_overdue(pool, now_ns);
        if (!job) {
            uv_mutex_unlock(&pool->lock);
            return;
        }
        go_past_disk(pool, job);
    }
}

/* ---- Asking -------------------------------------------------------------------------------------------- */

/*
 * True if it is useful to ask for a job now. If the store always answers just before its deadline, only as many are asked for
 * as it can handle, and the others are made meanwhile.
 */
static bool should_ask(struct pool *pool, const struct job *job)
{
    uv_mutex_lock(&pool->lock);
    const uint64_t eighth_ns = eighth_of_deadline_ns(pool);
    uv_mutex_unlock(&pool->lock);
    const uint64_t turn_ns = (uint64_t)pool->options.remote_turn_ms * 1000000;
    const uint64_t max_ns = turn_ns < eighth_ns ? turn_ns : eighth_ns;
    return uv_hrtime() - job->asking_ns < max_ns && remote_is_well(pool->options.remote);
}

/* True if a job that was not found goes on; else it has ended. One that was in QUEUE_REMOTE already has its place. */
static bool admit(struct pool *pool, struct job *job, bool *urgent)
{
    struct shed shed = {0};
    uv_mutex_lock(&pool->lock);
    if (job->remote_until_ns ? !jobs_wanted(job) : !pool_may_go_on(pool, job, &shed)) {
        turn_away(pool, job);
        return false;
    }
    *urgent = job->class == CLASS_WAITING;
    uv_mutex_unlock(&pool->lock);
    pool_wake_shed(pool, &shed);
    return true;
}

/* Checks a received blob; NULL if it is unusable. Takes it; NULL is fine. */
static struct blob *checked(struct remote *remote, const struct job *job, struct blob *blob)
{
    bool bad;
    if (!blob || fits(job, blob, &bad))
        return blob;
    if (bad)
        remote_reject(remote, &job->digest);
    blob_release(blob);
    return NULL;
}

/*
 * Gets the job's blob, checked, or NULL with the state of its lease. Asking again takes the lease, or finds the entry, in
 * one round trip; the first time it takes none before it is known that the job has to be made. *ended: the job has ended
 * meanwhile.
 */
static struct blob *fetch(struct worker *worker, struct job *job, bool asks, enum remote_lease *lease,
                          bool *ended)
{
    struct pool *pool = worker->pool;
    struct remote *remote = pool->options.remote;
    struct blob *blob = NULL;
    struct remote_want want = {.bytes = product_bytes(&job->key, &job->world)};
    if (asks && job->remote_until_ns == 0)
        blob = checked(remote, job, remote_get(remote, worker->index, &job->digest, want.bytes));
    *ended = !blob && !admit(pool, job, &want.urgent);
    if (asks && !blob && !*ended && remote_is_well(remote)) {
        *lease = remote_lease(remote, worker->index, &job->digest, &want, &blob);
        blob = checked(remote, job, blob);
    }
    return blob;
}

/* Decides whether a job whose lease another node has may wait, and until when. The job is the caller's. */
static bool set_out(const struct pool *pool, struct job *job)
{
    const uint64_t now = uv_hrtime();
    if (job->remote_until_ns == 0) {
        const uint64_t max = now + (uint64_t)pool->options.remote_wait_ms * 1000000;
        const uint64_t half = job->since_ns + (uint64_t)pool->options.deadline_ms * 500000;
        job->remote_until_ns = max < half ? max : half;
        job->pause_ns = FIRST_PAUSE_NS;
    } else {
        job->pause_ns = 2 * job->pause_ns < LAST_PAUSE_NS ? 2 * job->pause_ns : LAST_PAUSE_NS;
    }
    job->again_ns = now + job->pause_ns;
    return now < job->remote_until_ns;
}

/* Continues a job that was not found: to be made, or into QUEUE_REMOTE. Ends it if nobody wants it any more. */
static void go_on(struct pool *pool, struct job *job, enum remote_lease lease)
{
    uv_mutex_lock(&pool->lock);
    if (!jobs_wanted(job)) {
        turn_away(pool, job);
        return;
    }
    if (lease == LEASE_THEIRS && set_out(pool, job))
        jobs_push(&pool->jobs, QUEUE_REMOTE, job);
    else
        make_job(pool, job);
    uv_mutex_unlock(&pool->lock);
}

void pool_ask_for(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    struct metrics *metrics = pool->options.metrics;
    enum remote_lease lease = LEASE_NONE;
    bool ended;
    const bool asks = should_ask(pool, job);
    const uint64_t start = uv_hrtime();
    struct blob *blob = fetch(worker, job, asks, &lease, &ended);
    const uint64_t spent_ns = uv_hrtime() - start;
    if (asks)
        metrics_observe(&metrics->stage[STAGE_SHARED], spent_ns);
    if (ended)
        return;
    job->shared_ns += spent_ns;
    job->leased = job->leased || lease == LEASE_OURS;
    if (blob) {
        const bool tile = job->key.product == PRODUCT_TILE;
        metrics_add(tile ? &metrics->hits[TIER_SHARED] : &metrics->region_hits[TIER_SHARED], 1);
        pool_answer(pool, job, blob,
                    &(struct answer){.tier = TIER_SHARED, .queue_ns = start - job->since_ns});
    } else {
        go_on(pool, job, lease);
    }
}

/* ---- Abroad -------------------------------------------------------------------------------------------- */

void pool_recall(struct pool *pool, uint64_t now_ns)
{
    if (!pool->options.remote)
        return;
    const bool well = remote_is_well(pool->options.remote);
    for (int n = 0; n < RECALL_MAX; n++) {
        struct job *job = jobs_first(&pool->jobs, QUEUE_REMOTE);
        if (!job || (well && job->again_ns > now_ns))
            return;
        jobs_take(&pool->jobs, job);
        if (well && now_ns < job->remote_until_ns) {
            ask_later(pool, job);
        } else {
            make_job(pool, job);
        }
    }
}

/* ---- What was made ------------------------------------------------------------------------------------- */

void pool_share(struct pool *pool, struct job *job, struct blob *blob)
{
    if (!is_shared(pool, job) || (job->key.product == PRODUCT_TILE && blob->bytes > (size_t)SHARED_MAX_BYTES))
        return; /* its lease is returned when the job is freed */
    remote_put(pool->options.remote, blob, job->leased);
    job->leased = false;
}

void pool_free_jobs(struct pool *pool, struct job *ended)
{
    for (const struct job *job = ended; job; job = job->next) {
        if (job->leased)
            remote_release(pool->options.remote, &job->digest);
        if (job->lent.clients)
            clients_give_back(job->lent.clients, &job->lent.client, BUCKET_RENDERS, &job->lent.rate, 1);
    }
    jobs_free(ended);
}
