/*
 * Jobs: the table, dependencies, and waiters. jobs_queue.c has the queues.
 *
 * Invariants, whenever the lock is dropped:
 *   (1) a job is in one queue (JOB_QUEUED), or with one worker (JOB_BUSY), or in neither (JOB_PARKED);
 *   (2) a job is parked as long as inputs are missing: that many of its edges are in lists of other jobs, all others hold a
 *       blob. Every job that depends on one that has not ended is parked;
 *   (3) edges lead from a product to its inputs, so they have no cycle: every parked job depends, over at most PRODUCT_DEPTH_MAX
 *       edges, on one that is queued or busy;
 *   (4) a job that no worker has is wanted: a request waits for it, a job depends on it, or a prefetch asked for it. Its
 *       dependents are parked, and so wanted, too: one step is enough to check;
 *   (5) a job is at least as urgent as every job that depends on it;
 *   (6) a waiter is in its job's list and in the list by deadline, or in neither and about to be woken;
 *   (7) jobs->asking is a waiter of the list by deadline, or NULL;
 *   (8) a job is in the list of prefetched jobs when its until_ns is not 0.
 */
#include "jobs.h"

#include <stdlib.h>

#include "../base/check.h"
#include "../base/minmax.h"

enum { TILE_NS = 20000000 /* assumed cost of a tile before any has been made */ };

void jobs_init(struct jobs *jobs, struct metrics *metrics)
{
    *jobs = (struct jobs){.metrics = metrics, .tile_ns = TILE_NS};
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static struct job **table_at(struct jobs *jobs, const struct digest *digest)
{
    return &jobs->table[digest->low % JOBS_TABLE];
}

struct job *jobs_find(struct jobs *jobs, const struct digest *digest)
{
    struct job *job = *table_at(jobs, digest);
    while (job && !digest_equal(&job->digest, digest))
        job = job->chain;
    return job;
}

static void table_remove(struct jobs *jobs, struct job *job)
{
    struct job **at = table_at(jobs, &job->digest);
    while (*at != job)
        at = &(*at)->chain;
    *at = job->chain;
    jobs->all--;
}

struct job *jobs_create(struct jobs *jobs, const struct job_order *order)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        return NULL;
    struct job **at = table_at(jobs, order->digest);
    *job = (struct job){.digest = *order->digest,
                        .key = *order->key,
                        .world = *order->world,
                        .owner = order->owner,
                        .class = order->class,
                        .state = JOB_BUSY,
                        .chain = *at,
                        .since_ns = order->since_ns,
                        .needed = order->needed};
    refcount_hold(job->owner);
    job->flow = order->flow;
    jobs_flow_hold(jobs, job->flow);
    *at = job;
    jobs->all++;
    return job;
}

/* ---- What rests on what -------------------------------------------------------------------------------- */

static struct edge *edge_add(struct job *job)
{
    CHECK(job->state == JOB_BUSY && job->inputs < PRODUCT_INPUTS_MAX);
    struct edge *edge = &job->input[job->inputs++];
    *edge = (struct edge){.owner = job};
    return edge;
}

void jobs_give(struct job *job, struct blob *blob)
{
    edge_add(job)->blob = blob;
}

void jobs_await(struct jobs *jobs, struct job *job, struct job *input)
{
    struct edge *edge = edge_add(job);
    edge->input = input;
    edge->next = input->dependants;
    if (input->dependants)
        input->dependants->previous = edge;
    input->dependants = edge;
    job->missing++;
    jobs_need(jobs, input);
    jobs_raise(jobs, input, job->class);
    jobs_share(jobs, input, job->flow);
}

/* Removes an edge from its input's list. */
static void edge_cut(struct edge *edge)
{
    CHECK(edge->input);
    *(edge->previous ? &edge->previous->next : &edge->input->dependants) = edge->next;
    if (edge->next)
        edge->next->previous = edge->previous;
    edge->next = edge->previous = NULL;
    edge->input = NULL;
    edge->owner->missing--;
}

void jobs_deliver(struct jobs *jobs, struct job *job, struct blob *blob)
{
    while (job->dependants) {
        struct edge *edge = job->dependants;
        struct job *owner = edge->owner;
        edge_cut(edge);
        edge->blob = blob_hold(blob);
        if (owner->missing > 0)
            continue;
        jobs_take(jobs, owner);
        jobs_push(jobs, QUEUE_READY, owner);
    }
}

/* ---- Ends ---------------------------------------------------------------------------------------------- */

/*
 * Goes up to all dependents of the job, and from each down to inputs that nothing else wants: no deeper than the
 * graph in either direction, since collected jobs have no dependents.
 */
void jobs_end(struct jobs *jobs, struct job *job, struct job **ended, struct waiter **waiters)
{
    struct job *unused = NULL; /* the job is busy: releasing its waiters ends nothing */
    CHECK(job->state == JOB_BUSY);
    while (job->dependants) {
        struct job *owner = job->dependants->owner;
        jobs_take(jobs, owner);
        jobs_end(jobs, owner, ended, waiters); /* cuts its edges, this one among them */
    }
    for (int i = 0; i < job->inputs; i++) {
        struct job *input = job->input[i].input;
        if (!input)
            continue;
        edge_cut(&job->input[i]);
        jobs_collect(jobs, input, ended);
    }
    while (job->waiters)
        jobs_release(jobs, job->waiters, waiters, &unused);
    jobs_prefetch(jobs, job, 0);
    if (job->root)
        jobs_root_ends(jobs, job);
    jobs_flow_drop(jobs, job->flow);
    job->flow = NULL;
    table_remove(jobs, job);
    job->next = *ended;
    *ended = job;
}

void jobs_collect(struct jobs *jobs, struct job *job, struct job **ended)
{
    struct waiter *nobody = NULL;
    if (job->state == JOB_BUSY || jobs_wanted(job))
        return;
    jobs_take(jobs, job);
    jobs_end(jobs, job, ended, &nobody);
}

void jobs_free(struct job *ended)
{
    for (struct job *next; ended; ended = next) {
        next = ended->next;
        for (int i = 0; i < ended->inputs; i++)
            blob_release(ended->input[i].blob);
        refcount_release(ended->owner);
        free(ended);
    }
}

/* ---- Waiters ------------------------------------------------------------------------------------------- */

/* Deadlines mostly come in order: except for a while after they were shortened, the place is the end. */
static void insert_by_deadline(struct jobs *jobs, struct waiter *waiter)
{
    struct waiter *earlier = jobs->latest;
    while (earlier && earlier->deadline_ns > waiter->deadline_ns)
        earlier = earlier->earlier;
    waiter->earlier = earlier;
    waiter->later = earlier ? earlier->later : jobs->soonest;
    *(waiter->earlier ? &waiter->earlier->later : &jobs->soonest) = waiter;
    *(waiter->later ? &waiter->later->earlier : &jobs->latest) = waiter;
}

static void withdraw_deadline(struct jobs *jobs, struct waiter *waiter)
{
    if (jobs->asking == waiter)
        jobs->asking = waiter->later;
    *(waiter->earlier ? &waiter->earlier->later : &jobs->soonest) = waiter->later;
    *(waiter->later ? &waiter->later->earlier : &jobs->latest) = waiter->earlier;
}

/* The time at which a waiter past its deadline expires. */
static uint64_t late_ns(const struct jobs *jobs, const struct waiter *waiter, uint64_t patience_ns)
{
    const struct job *job = waiter->job;
    const struct flow *own = waiter->flow, *its = job->flow;
    const bool begun = job->root || job->needed;
    const uint64_t theirs_ns = max_uint64(own->moved_ns, its->moved_ns);
    const uint64_t moved_ns = begun ? max_uint64(theirs_ns, jobs->real_ns) : theirs_ns;
    const bool in_hand = begun || own->in_hand > 0 || its->in_hand > 0;
    const uint64_t ns = moved_ns + (in_hand ? POOL_IN_HAND * patience_ns : patience_ns);
    return ns < waiter->until_ns ? ns : waiter->until_ns;
}

struct waiter *jobs_late(struct jobs *jobs, uint64_t now_ns, uint64_t patience_ns)
{
    struct waiter *waiter;
    while ((waiter = jobs->soonest) && waiter->deadline_ns <= now_ns) {
        const uint64_t at_ns = late_ns(jobs, waiter, patience_ns), again_ns = now_ns + patience_ns;
        if (at_ns <= now_ns)
            return waiter;
        withdraw_deadline(jobs, waiter);
        waiter->deadline_ns = at_ns < again_ns ? at_ns : again_ns; /* in hand now is not in hand then */
        insert_by_deadline(jobs, waiter);
    }
    return NULL;
}

void jobs_wait(struct jobs *jobs, struct job *job, struct waiter *waiter, struct flow *flow)
{
    jobs_flow_hold(jobs, flow);
    waiter->flow = flow;
    waiter->job = job;
    waiter->previous = NULL;
    waiter->next = job->waiters;
    if (job->waiters)
        job->waiters->previous = waiter;
    job->waiters = waiter;
    job->asked = true;
    insert_by_deadline(jobs, waiter);
    jobs->waiting++;
    metrics_move(&jobs->metrics->inflight, 1);
}

void jobs_release(struct jobs *jobs, struct waiter *waiter, struct waiter **out, struct job **ended)
{
    struct job *job = waiter->job;
    CHECK(job);
    /* The last one is who came first. Where it is made for him he pays, or else the one who came next. */
    if (waiter->tier == TIER_RENDER && waiter->previous)
        waiter->previous->tier = TIER_RENDER;
    *(waiter->previous ? &waiter->previous->next : &job->waiters) = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    withdraw_deadline(jobs, waiter);
    jobs_flow_drop(jobs, waiter->flow);
    waiter->flow = NULL;
    waiter->job = NULL;
    waiter->next = *out;
    *out = waiter;
    jobs->waiting--;
    metrics_move(&jobs->metrics->inflight, -1);
    jobs_collect(jobs, job, ended);
}

/* A waiter of pool_run has to stay until its function has run. */
static bool has_left(struct waiter *waiter)
{
    return !waiter->job->run && waiter->left(waiter);
}

unsigned jobs_ask_leavers(struct jobs *jobs, unsigned max, struct waiter **gone, struct job **ended)
{
    unsigned left = 0;
    for (; max > 0 && jobs->soonest; max--) {
        struct waiter *waiter = jobs->asking ? jobs->asking : jobs->soonest;
        jobs->asking = waiter->later;
        if (!has_left(waiter))
            continue;
        jobs_release(jobs, waiter, gone, ended);
        left++;
    }
    return left;
}

/* ---- Prefetches ---------------------------------------------------------------------------------------- */

static void forget(struct jobs *jobs, struct job *job)
{
    *(job->prefetch_previous ? &job->prefetch_previous->prefetch_next : &jobs->prefetch_first) =
        job->prefetch_next;
    *(job->prefetch_next ? &job->prefetch_next->prefetch_previous : &jobs->prefetch_last) =
        job->prefetch_previous;
    job->prefetch_next = job->prefetch_previous = NULL;
    job->until_ns = 0;
}

void jobs_prefetch(struct jobs *jobs, struct job *job, uint64_t until_ns)
{
    if (job->until_ns)
        forget(jobs, job);
    if (until_ns == 0)
        return;
    CHECK(!jobs->prefetch_last || jobs->prefetch_last->until_ns <= until_ns);
    job->prefetched = true;
    job->until_ns = until_ns;
    job->prefetch_previous = jobs->prefetch_last;
    *(job->prefetch_previous ? &job->prefetch_previous->prefetch_next : &jobs->prefetch_first) = job;
    jobs->prefetch_last = job;
}

void jobs_forget(struct jobs *jobs, uint64_t now_ns, struct job **ended)
{
    for (struct job *job; (job = jobs->prefetch_first) != NULL && job->until_ns <= now_ns;) {
        forget(jobs, job);
        jobs_collect(jobs, job, ended);
    }
}

/* ---- Wanted or not ------------------------------------------------------------------------------------- */

bool jobs_wanted(const struct job *job)
{
    return job->waiters || job->dependants || job->until_ns;
}

/* As deep as the graph. */
bool jobs_present(const struct job *job)
{
    if (job->until_ns)
        return true;
    for (struct waiter *waiter = job->waiters; waiter; waiter = waiter->next)
        if (!has_left(waiter))
            return true;
    for (const struct edge *edge = job->dependants; edge; edge = edge->next)
        if (jobs_present(edge->owner))
            return true;
    return false;
}
