/*
 * Jobs: the table, and who rests on whom.
 *
 * Invariants, whenever the lock is dropped:
 *   (1) a job is in one queue (JOB_QUEUED), or with one worker (JOB_BUSY), or in neither (JOB_PARKED);
 *   (2) a job is parked as long as inputs are missing: as many of its edges hang in lists of other jobs, all others hold
 *       a blob. Whatever rests on a job that has not ended is parked;
 *   (3) edges lead from a product to its inputs, so they have no cycle: every parked job rests, over at most
 *       PRODUCT_DEPTH_MAX of them, on one that is queued or busy;
 *   (4) a job that no worker has is wanted: somebody waits for it, or rests on it, or a prefetch asked for it. Who rests on
 *       it is parked, and so wanted, too: one step tells;
 *   (5) a job is at least as urgent as whatever rests on it.
 */
#include "jobs.h"

#include <stdlib.h>

#include "../base/check.h"

enum { TILE_NS = 20000000 /* what a tile is thought to cost before any has been made */ };

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
 * Up to all that rest on the job, and from each down to what nobody else wants: no deeper than the graph in either
 * direction, since what is collected has nothing that rests on it.
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
