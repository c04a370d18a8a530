/*
 * The render pool's workers: their threads, the choice of the next job, and making it. pool_find.c has the lookups.
 *
 * Threads that answer come first: workers that make run at a low priority, those that look and ask do not. A worker that has a
 * job (JOB_BUSY) holds no lock while it works.
 */
#include <stdlib.h>

#include "../base/check.h"
#include "../base/turn.h"
#include "../observe/log.h"
#include "jobs.h"

enum {
    BEGUN_PER_WORKER = 8 /* jobs under way for each worker, besides POOL_BEGUN */
};

/* ---- Answering ----------------------------------------------------------------------------------------- */

/* True if nobody has asked yet for a tile that was made for a prefetch; then marks its blob. */
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

/* Whether a tile is waited for in a coding, by whose token the tile itself is paid, too. */
static bool codes_for_payer(const struct job *coded, const struct flow *flow)
{
    return coded->key.product == PRODUCT_TILE && coded->key.tile.coding != CODING_IDENTITY &&
           (coded->lent.clients || (coded->waiters && coded->flow == flow));
}

bool pool_answer(struct pool *pool, struct job *job, struct blob *blob, const struct answer *answer)
{
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    const bool made = job->prefetched && answer->tier == TIER_RENDER;
    const bool marked = made && mark_prefetched(pool, job, blob);
    bool paid = job->lent.clients != NULL;
    if (answer->tier == TIER_RENDER)
        job->lent.clients = NULL;
    memory_put(pool->options.memory, blob); /* before the job goes: invariant 1 of pool.c */
    if (answer->tier != TIER_DISK && pool->options.disk)
        disk_put(pool->options.disk, blob);
    if (answer->tier == TIER_RENDER)
        pool_share(pool, job, blob);
    uv_mutex_lock(&pool->lock);
    if (job->dependants)
        uv_cond_broadcast(&pool->to_do[WORK_MAKE]);
    for (const struct waiter *waiter = job->waiters; waiter; waiter = waiter->next)
        paid = paid || waiter->tier == TIER_RENDER;
    for (const struct edge *edge = job->dependants; edge; edge = edge->next)
        paid = paid || codes_for_payer(edge->owner, job->flow);
    jobs_deliver(&pool->jobs, job, blob);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    uv_mutex_unlock(&pool->lock);
    /* a request that joined counts the use, or one that found the blob in memory since it was marked */
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
    return paid;
}

/* Answers a job that could not be made. The lock is not held. */
static void answer_failure(struct pool *pool, enum product product, struct job *ended, struct waiter *waiters)
{
    metrics_add(&pool->options.metrics->failed, 1);
    log_write(LOG_ERROR, "render", "out of memory for %s", product_name[product]);
    pool_wake(waiters, POOL_FAILED);
    pool_free_jobs(pool, ended);
}

/* ---- Making -------------------------------------------------------------------------------------------- */

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
        metrics_add(&metrics->regions[job->key.region.kind], 1);
        metrics_observe(&metrics->stage[STAGE_REGION], times->region_ns);
    }
}

/* Runs the function of a job without product. */
static void run_job(struct pool *pool, struct job *job)
{
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    job->run(job->waiters); /* the only one: no other has its name, and it stays */
    uv_mutex_lock(&pool->lock);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    uv_mutex_unlock(&pool->lock);
    pool_wake(waiters, POOL_DONE);
    pool_free_jobs(pool, ended);
}

/* Makes the product of a job with all inputs. Returns whether a token pays for it. */
static bool make(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    if (job->run) {
        run_job(pool, job);
        return false;
    }
    struct blob *inputs[PRODUCT_INPUTS_MAX];
    struct answer how = {.tier = TIER_RENDER,
                         .queue_ns = job->begun_ns - job->since_ns,
                         .region_ns = uv_hrtime() - job->begun_ns};
    for (int i = 0; i < job->inputs; i++)
        inputs[i] = job->input[i].blob;
    struct blob *blob =
        product_make(worker->producer, &job->key, &job->world, &job->plan, inputs, &how.times);
    if (blob) {
        count_made(pool->options.metrics, job, blob, &how.times);
        return pool_answer(pool, job, blob, &how);
    }
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    const enum product product = job->key.product;
    uv_mutex_lock(&pool->lock);
    jobs_end(&pool->jobs, job, &ended, &waiters);
    pool_stir(pool);
    uv_mutex_unlock(&pool->lock);
    answer_failure(pool, product, ended, waiters);
    return false;
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
                                                             .flow = job->flow,
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
 * Under the lock: gathers all inputs of a job at once, since none may end before the job is parked. True: it can be made
 * now; else it is parked, or has ended because nobody wants it any more or (*failed) memory is short.
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

/* Makes a job, or parks it if inputs are missing. Returns whether a token pays for it. */
static bool begin(struct worker *worker, struct job *job)
{
    struct pool *pool = worker->pool;
    struct product_key keys[PRODUCT_INPUTS_MAX];
    struct digest digests[PRODUCT_INPUTS_MAX];
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    bool now = true, failed = false;
    const enum product product = job->key.product;
    const int count = product_plan(&job->key, &job->digest, &job->world, &job->plan, keys);
    for (int i = 0; i < count; i++)
        digests[i] = product_digest(&keys[i], &job->world);
    if (count > 0) {
        uv_mutex_lock(&pool->lock);
        now = gather_all(pool, job, keys, digests, count, &failed, &ended, &waiters);
        uv_mutex_unlock(&pool->lock);
    }
    if (now)
        return make(worker, job);
    if (failed)
        answer_failure(pool, product, ended, waiters);
    else
        pool_drop(pool, ended);
    return false;
}

/* ---- Taking -------------------------------------------------------------------------------------------- */

/*
 * Under the lock: the classes of which a tile may be begun. Each has its share of the begun tiles, so less urgent ones
 * cannot block urgent ones.
 */
static unsigned may_begin(const struct pool *pool)
{
    const unsigned max = POOL_BEGUN + BEGUN_PER_WORKER * pool->options.threads;
    unsigned all = 0, classes = 0;
    for (int class = 0; class < CLASSES; class ++)
        all += pool->jobs.begun[class];
    for (int class = 0; class < CLASSES && all < max; class ++)
        if (pool->jobs.begun[class] < pool_part(max, (enum metric_class) class))
            classes |= 1u << class;
    return classes;
}

bool pool_is_quiet(const struct pool *pool, uint64_t now_ns)
{
    const struct jobs *jobs = &pool->jobs;
    unsigned idle = 0, all = 0;
    for (int queue = QUEUE_READY; queue < QUEUES; queue++) {
        idle += jobs->length[queue][CLASS_IDLE];
        all += jobs_length(jobs, (enum job_queue)queue);
    }
    const uint64_t quiet_ns = (uint64_t)POOL_QUIET_MS * (pool->options.threads > 1 ? 1000000 : 5000000);
    return idle > 0 && idle == all && jobs->real_in_hand == 0 &&
           jobs->idle_in_hand < (pool->options.threads + 1) / 2 && now_ns - jobs->real_ns >= quiet_ns;
}

enum { JOB_NS = 1000000000 /* max cost of a job */ };

/*
 * Under the lock: true if a job may be begun for a flow. The flow is held if its jobs in hand may cost all its tokens. If it owes
 * too much it is refused, and everything that only it waits for is shed into *ousted.
 */
static bool may_pay(struct pool *pool, struct flow *flow, uint64_t now_ns, struct shed *shed)
{
    int64_t left_ns = clients_left_ns(&flow->payer, now_ns);
    if (left_ns == INT64_MAX)
        return true;
    left_ns += (int64_t)flow->tiles * CLIENTS_TOKEN_NS; /* which they took when they were asked for */
    if (left_ns - (int64_t)flow->in_hand * JOB_NS > -(int64_t)CLIENTS_DEBT_NS)
        return true;
    flow->held = flow->in_hand > 0;
    if (left_ns <= -(int64_t)CLIENTS_DEBT_NS)
        jobs_refuse(&pool->jobs, flow, &shed->ended, &shed->waiters);
    return false;
}

/* Under the lock: the next job of a worker that makes. */
static struct job *next_to_make(struct pool *pool, struct shed *shed)
{
    const uint64_t now_ns = uv_hrtime();
    struct job *job;
    do {
        const struct jobs_may may = {now_ns, may_begin(pool), pool_is_quiet(pool, now_ns)};
        job = jobs_next(&pool->jobs, &may);
    } while (job && !may_pay(pool, job->flow, now_ns, shed));
    return job;
}

/* Under the lock: a worker's next job; NULL: none, or none that may be begun now. */
static struct job *next_job(struct pool *pool, enum work work, struct shed *shed)
{
    struct job *job = work == WORK_MAKE
                          ? next_to_make(pool, shed)
                          : jobs_first(&pool->jobs, work == WORK_LOOK ? QUEUE_LOOKING : QUEUE_ASKING);
    if (job)
        jobs_take(&pool->jobs, job);
    return job;
}

/* Under the lock. */
static void note_begun(struct pool *pool, struct job *job)
{
    job->begun_ns = uv_hrtime();
    if (!job->needed)
        metrics_observe(&pool->options.metrics->wait[job->class], job->begun_ns - job->since_ns);
}

/* A worker's job on behalf of a flow, until it is finished. */
struct turn {
    struct flow *flow;
    struct payer payer; /* as it was then: the flow's may change */
    enum metric_class class;
    bool runs; /* a function, which is no part of any tile */
};

/* Waits for a wanted job. NULL at the end. */
static struct job *take(struct worker *worker, struct turn *turn)
{
    struct pool *pool = worker->pool;
    for (;;) {
        struct shed shed = {0};
        struct waiter *gone = NULL;
        struct job *job, *ended = NULL;
        uint64_t left = 0;
        uv_mutex_lock(&pool->lock);
        while (!(job = next_job(pool, worker->work, &shed)) && !shed.waiters && !shed.ended &&
               !pool->stopping)
            uv_cond_wait(&pool->to_do[worker->work], &pool->lock);
        const bool go = job && jobs_present(job), stop = !job && !shed.waiters && !shed.ended;
        if (job && !go)
            jobs_end(&pool->jobs, job, &ended, &gone);
        else if (job && job->queue >= QUEUE_REGIONS)
            note_begun(pool, job);
        if (go && worker->work == WORK_MAKE) {
            *turn = (struct turn){job->flow, job->flow->payer, job->class, job->run != NULL};
            jobs_begin(&pool->jobs, job, uv_hrtime());
        }
        if (jobs_length(&pool->jobs, QUEUE_TILES) > 0)
            uv_cond_signal(&pool->to_do[WORK_MAKE]); /* taking a job may make room to begin another */
        uv_mutex_unlock(&pool->lock);
        for (struct waiter *waiter = gone; waiter; waiter = waiter->next)
            left++;
        metrics_add(&pool->options.metrics->left, left);
        pool_wake(gone, POOL_GONE);
        pool_wake_shed(pool, &shed);
        if (go || stop)
            return job;
        pool_drop(pool, ended);
    }
}

/* Charges the cost of a job to its flow; paid: by a token, as far as that goes. */
static void charge_turn(struct pool *pool, const struct turn *turn, uint64_t cost_ns, bool paid)
{
    const uint64_t paid_ns = paid ? CLIENTS_TOKEN_NS : 0, now_ns = uv_hrtime();
    clients_charge(&turn->payer, cost_ns > paid_ns ? cost_ns - paid_ns : 0, now_ns);
    uv_mutex_lock(&pool->lock);
    const bool held = turn->flow->held;
    jobs_done(&pool->jobs, turn->flow, turn->class, cost_ns, now_ns);
    pool->jobs.spent_ns += turn->runs ? 0 : cost_ns;
    if (held)
        uv_cond_broadcast(&pool->to_do[WORK_MAKE]);
    uv_mutex_unlock(&pool->lock);
}

static void make_all(struct worker *worker)
{
    struct turn turn;
    for (struct job *job; (job = take(worker, &turn)) != NULL;) {
        const uint64_t start_ns = turn_cpu_ns();
        const bool paid = (job->queue == QUEUE_READY ? make : begin)(worker, job);
        charge_turn(worker->pool, &turn, turn_cpu_ns() - start_ns, paid);
    }
}

/* A worker's thread: returns when the pool stops. */
static void worker_main(void *argument)
{
    struct worker *worker = argument;
    (worker->work == WORK_MAKE ? turn_last : turn_first)();
    if (worker->work == WORK_MAKE)
        make_all(worker);
    else
        for (struct job *job; (job = take(worker, NULL)) != NULL;)
            (worker->work == WORK_LOOK ? pool_look : pool_ask_for)(worker, job);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

static bool worker_start(struct pool *pool, unsigned index)
{
    struct worker *worker = &pool->worker[index];
    const unsigned asks_from = pool->options.threads + (pool->options.disk ? 1 : 0);
    worker->pool = pool;
    worker->work = index < pool->options.threads ? WORK_MAKE : index < asks_from ? WORK_LOOK : WORK_ASK;
    worker->index = worker->work == WORK_ASK ? (int)(index - asks_from) : 0;
    const bool makes = worker->work == WORK_MAKE;
    if (makes)
        worker->producer = producer_create();
    if (worker->producer)
        worker->producer->untold = pool->options.untold;
    if ((!makes || worker->producer) && uv_thread_create(&worker->thread, worker_main, worker) == 0)
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
    if (uv_mutex_init(&pool->lock) != 0) {
        free(pool);
        return NULL;
    }
    for (int work = 0; work < WORKS; work++)
        CHECK(uv_cond_init(&pool->to_do[work]) == 0);
    pool_limit(pool, options->queue, options->deadline_ms);
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
