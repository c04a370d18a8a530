/*
 * Jobs.
 *
 * Invariants, whenever the lock is dropped:
 *   (1) a job is in one queue (JOB_QUEUED), or with one worker (JOB_BUSY), or in neither (JOB_PARKED);
 *   (2) a job is parked as long as inputs are missing: as many of its edges hang in lists of other jobs, all others hold
 *       a blob. Whatever rests on a job that has not ended is parked;
 *   (3) edges lead from a product to its inputs, so they have no cycle: every parked job rests, over at most
 *       PRODUCT_DEPTH_MAX of them, on one that is queued or busy;
 *   (4) a waiter is in its job's list and in the list by deadline, or in neither and about to be woken.
 */
#include "jobs.h"

#include <stdlib.h>
#include <uv.h>

#include "../check.h"

void jobs_init(struct jobs *jobs, struct metrics *metrics)
{
    *jobs = (struct jobs){.metrics = metrics};
    for (int q = 0; q < QUEUES; q++)
        jobs->queue[q].last = &jobs->queue[q].first;
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

struct job *jobs_create(struct jobs *jobs, const struct product_key *key, const struct digest *digest,
                        const struct terrane_world *world)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        return NULL;
    struct job **at = table_at(jobs, digest);
    *job = (struct job){.digest = *digest,
                        .key = *key,
                        .world = *world,
                        .state = JOB_BUSY,
                        .chain = *at,
                        .since_ns = uv_hrtime()};
    *at = job;
    jobs->all++;
    return job;
}

/* ---- Queues -------------------------------------------------------------------------------------------- */

/* Tiles that have been looked for count towards the limit of those that wait to be made. */
static unsigned counts(const struct job *job)
{
    return job->key.product == PRODUCT_TILE && !(job->state == JOB_QUEUED && job->queue == QUEUE_LOOKING);
}

void jobs_push(struct jobs *jobs, enum job_queue queue, struct job *job)
{
    CHECK(job->state == JOB_BUSY);
    job->state = JOB_QUEUED;
    job->queue = queue;
    job->next = NULL;
    *jobs->queue[queue].last = job;
    jobs->queue[queue].last = &job->next;
    jobs->queue[queue].count++;
    jobs->tiles += counts(job);
    metrics_move(&jobs->metrics->queue_depth, 1);
}

struct job *jobs_pop(struct jobs *jobs, enum job_queue queue)
{
    struct job *job = jobs->queue[queue].first;
    if (!job)
        return NULL;
    jobs->queue[queue].first = job->next;
    if (!jobs->queue[queue].first)
        jobs->queue[queue].last = &jobs->queue[queue].first;
    jobs->queue[queue].count--;
    jobs->tiles -= counts(job);
    job->state = JOB_BUSY;
    metrics_move(&jobs->metrics->queue_depth, -1);
    return job;
}

unsigned jobs_begun(const struct jobs *jobs)
{
    return jobs->parked + jobs->queue[QUEUE_READY].count + jobs->queue[QUEUE_REGIONS].count;
}

/* ---- Who rests on whom --------------------------------------------------------------------------------- */

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

void jobs_await(struct job *job, struct job *input)
{
    struct edge *edge = edge_add(job);
    edge->input = input;
    edge->next = input->dependants;
    if (input->dependants)
        input->dependants->previous = edge;
    input->dependants = edge;
    job->missing++;
}

/* Takes an edge out of its input's list. */
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

void jobs_park(struct jobs *jobs, struct job *job)
{
    CHECK(job->state == JOB_BUSY && job->missing > 0);
    job->state = JOB_PARKED;
    jobs->parked++;
    jobs->tiles += counts(job);
    metrics_move(&jobs->metrics->parked, 1);
}

static void unpark(struct jobs *jobs, struct job *job)
{
    CHECK(job->state == JOB_PARKED);
    jobs->tiles -= counts(job);
    jobs->parked--;
    job->state = JOB_BUSY;
    metrics_move(&jobs->metrics->parked, -1);
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
        unpark(jobs, owner);
        jobs_push(jobs, QUEUE_READY, owner);
    }
}

/* As deep as the graph. */
void jobs_end(struct jobs *jobs, struct job *job, struct job **ended, struct waiter **waiters)
{
    CHECK(job->state == JOB_BUSY);
    while (job->dependants) {
        struct job *owner = job->dependants->owner;
        unpark(jobs, owner);
        jobs_end(jobs, owner, ended, waiters); /* cuts its edges, this one among them */
    }
    for (int i = 0; i < job->inputs; i++)
        if (job->input[i].input)
            edge_cut(&job->input[i]);
    while (job->waiters)
        jobs_release(jobs, job->waiters, waiters);
    table_remove(jobs, job);
    job->next = *ended;
    *ended = job;
}

unsigned jobs_free(struct job *ended)
{
    unsigned count = 0;
    for (struct job *next; ended; ended = next, count++) {
        next = ended->next;
        for (int i = 0; i < ended->inputs; i++)
            blob_release(ended->input[i].blob);
        free(ended);
    }
    return count;
}

/* ---- Who waits ----------------------------------------------------------------------------------------- */

void jobs_wait(struct jobs *jobs, struct job *job, struct waiter *waiter)
{
    waiter->job = job;
    waiter->previous = NULL;
    waiter->next = job->waiters;
    if (job->waiters)
        job->waiters->previous = waiter;
    job->waiters = waiter;

    waiter->later = NULL;
    waiter->earlier = jobs->latest;
    *(jobs->latest ? &jobs->latest->later : &jobs->soonest) = waiter;
    jobs->latest = waiter;
    metrics_move(&jobs->metrics->inflight, 1);
}

void jobs_release(struct jobs *jobs, struct waiter *waiter, struct waiter **out)
{
    CHECK(waiter->job);
    *(waiter->previous ? &waiter->previous->next : &waiter->job->waiters) = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    *(waiter->earlier ? &waiter->earlier->later : &jobs->soonest) = waiter->later;
    *(waiter->later ? &waiter->later->earlier : &jobs->latest) = waiter->earlier;
    waiter->job = NULL;
    waiter->next = *out;
    *out = waiter;
    metrics_move(&jobs->metrics->inflight, -1);
}

bool jobs_wanted(struct jobs *jobs, struct job *job, struct waiter **gone)
{
    while (job->waiters && job->waiters->left(job->waiters))
        jobs_release(jobs, job->waiters, gone);
    if (job->waiters)
        return true;
    for (struct edge *edge = job->dependants; edge; edge = edge->next)
        if (jobs_wanted(jobs, edge->owner, gone))
            return true;
    return false;
}
