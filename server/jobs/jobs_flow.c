/*
 * Jobs: flows, which are the client queues and their shares of the workers.
 *
 * Start-time fair queueing of CPU time, in turns: each flow has a start, in nanoseconds of virtual time, and the earliest one is
 * served until its turn has cost as much as two average tiles with everything made for them; then its start advances by the
 * turn's actual cost. A turn is long enough to finish a tile, so that under overload some work is done in time. A new flow,
 * however often it comes, starts a turn after the one served, and so behind those that are there and owe nothing.
 *
 * Invariants, whenever the lock is dropped:
 *   (1) a flow is in the table; it is in the list of runnable ones when it has jobs in its queues, and in that of idle ones
 *       when nobody holds it. Jobs, waiters, and workers that make for it hold it;
 *   (2) real_in_hand + idle_in_hand is the number of workers between jobs_begin and jobs_done.
 */
#include <stdlib.h>

#include "../base/check.h"
#include "../base/minmax.h"
#include "jobs.h"

enum {
    IDLE_FLOWS = 1024,
    TURN_MIN_NS = 20000000,
    MEAN_SHARE = 8,      /* weight of a tile's cost in the average: one of so many */
    PUSH_OUT_LOOKS = 64, /* max tiles inspected for one that no other client waits for */
};

/* ---- The table ----------------------------------------------------------------------------------------- */

static struct flow **flow_at(struct jobs *jobs, const struct client_id *client)
{
    return &jobs->flow[client->low % JOBS_FLOWS];
}

static void list_add(struct flow **first, struct flow *flow)
{
    flow->previous = NULL;
    flow->next = *first;
    if (flow->next)
        flow->next->previous = flow;
    *first = flow;
}

static void list_remove(struct flow **first, struct flow *flow)
{
    *(flow->previous ? &flow->previous->next : first) = flow->next;
    if (flow->next)
        flow->next->previous = flow->previous;
    flow->next = flow->previous = NULL;
}

static void idle_remove(struct jobs *jobs, struct flow *flow)
{
    if (jobs->idle_last == flow)
        jobs->idle_last = flow->previous;
    list_remove(&jobs->idle_first, flow);
    jobs->idle--;
}

static void forget(struct jobs *jobs, struct flow *flow)
{
    struct flow **at = flow_at(jobs, &flow->payer.client);
    while (*at != flow)
        at = &(*at)->chain;
    *at = flow->chain;
    idle_remove(jobs, flow);
    free(flow);
}

/* How long a turn is. */
static uint64_t turn_ns(const struct jobs *jobs)
{
    const uint64_t ns = 2 * jobs->tile_ns;
    return ns > TURN_MIN_NS ? ns : TURN_MIN_NS;
}

void jobs_flow_hold(struct jobs *jobs, struct flow *flow)
{
    if (flow->references++ > 0)
        return;
    idle_remove(jobs, flow);
    const uint64_t lead_ns = turn_ns(jobs), start_ns = jobs->clock_ns + lead_ns;
    flow->lead_ns = 0;
    if (flow->start_ns >= start_ns) /* it has had more than its share */
        return;
    flow->lead_ns = lead_ns;
    flow->start_ns = start_ns;
    flow->drawn = ++jobs->draws;
    flow->used_ns = 0;
}

void jobs_flow_drop(struct jobs *jobs, struct flow *flow)
{
    if (!flow || --flow->references > 0)
        return;
    CHECK(flow->queued == 0 && flow->tiles == 0 && flow->begun == 0 && flow->in_hand == 0);
    flow->start_ns -= flow->lead_ns;
    list_add(&jobs->idle_first, flow);
    if (!jobs->idle_last)
        jobs->idle_last = flow;
    if (++jobs->idle > IDLE_FLOWS)
        forget(jobs, jobs->idle_last);
}

struct flow *jobs_flow(struct jobs *jobs, const struct payer *payer)
{
    struct flow **at = flow_at(jobs, &payer->client), *flow = *at;
    while (flow &&
           (flow->payer.client.low != payer->client.low || flow->payer.client.high != payer->client.high))
        flow = flow->chain;
    if (!flow) {
        flow = calloc(1, sizeof *flow);
        if (!flow)
            return NULL;
        flow->chain = *at;
        *at = flow;
        list_add(&jobs->idle_first, flow);
        if (!jobs->idle_last)
            jobs->idle_last = flow;
        jobs->idle++;
    }
    flow->payer = *payer;
    jobs_flow_hold(jobs, flow);
    return flow;
}

void jobs_free_flows(struct jobs *jobs)
{
    while (jobs->idle_last)
        forget(jobs, jobs->idle_last);
    for (int i = 0; i < JOBS_FLOWS; i++)
        CHECK(!jobs->flow[i]);
}

/* ---- Turns --------------------------------------------------------------------------------------------- */

void jobs_flow_grows(struct jobs *jobs, struct flow *flow)
{
    if (flow->queued++ > 0)
        return;
    list_add(&jobs->runnable, flow);
}

void jobs_flow_shrinks(struct jobs *jobs, struct flow *flow)
{
    if (--flow->queued == 0)
        list_remove(&jobs->runnable, flow);
}

/* The head that is due first among lists of these classes. */
static struct job *first_due(const struct jobs *jobs, const struct job_list list[CLASSES], unsigned classes)
{
    struct job *first = NULL;
    for (int class = 0; class < CLASSES; class ++) {
        struct job *job = list[class].first;
        if (job && (classes >> class & 1) && (!first || jobs_due_ns(jobs, job) < jobs_due_ns(jobs, first)))
            first = job;
    }
    return first;
}

/* A begun job with all its inputs is finished first: it holds memory. */
static struct job *first_of_flow(const struct jobs *jobs, const struct flow *flow, const struct jobs_may *may)
{
    const unsigned classes = may->idle ? JOBS_ALL_CLASSES : JOBS_ALL_CLASSES & ~(1u << CLASS_IDLE);
    const unsigned begins = classes & (flow->begun == 0 ? JOBS_ALL_CLASSES : may->classes);
    struct job *ready = first_due(jobs, flow->queue[QUEUE_READY - QUEUE_READY], classes);
    if (ready)
        return ready;
    struct job *region = first_due(jobs, flow->queue[QUEUE_REGIONS - QUEUE_READY], classes);
    struct job *tile = first_due(jobs, flow->queue[QUEUE_TILES - QUEUE_READY], begins);
    return region && (!tile || jobs_due_ns(jobs, region) <= jobs_due_ns(jobs, tile)) ? region : tile;
}

bool jobs_flow_before(const struct flow *flow, const struct flow *other)
{
    return flow->start_ns != other->start_ns ? flow->start_ns < other->start_ns : flow->drawn < other->drawn;
}

/* True if a job's turn is before that of another flow's job. */
static bool is_before(const struct jobs *jobs, const struct job *job, const struct job *other,
                      uint64_t now_ns)
{
    const bool due = jobs_due_ns(jobs, job) <= now_ns, other_due = jobs_due_ns(jobs, other) <= now_ns;
    const bool idle = job->class == CLASS_IDLE, other_idle = other->class == CLASS_IDLE;
    if (idle != other_idle)
        return other_idle;
    if (due != other_due)
        return due;
    return jobs_flow_before(job->flow, other->flow);
}

struct job *jobs_next(const struct jobs *jobs, const struct jobs_may *may)
{
    struct job *next = NULL;
    for (const struct flow *flow = jobs->runnable; flow; flow = flow->next) {
        struct job *job = flow->held ? NULL : first_of_flow(jobs, flow, may);
        if (job && (!next || is_before(jobs, job, next, may->now_ns)))
            next = job;
    }
    return next;
}

/* Virtual time follows the served flow, and never goes back. */
static void clock_to(struct jobs *jobs, uint64_t ns)
{
    if (ns > jobs->clock_ns)
        jobs->clock_ns = ns;
}

void jobs_begin(struct jobs *jobs, struct job *job, uint64_t now_ns)
{
    jobs_flow_hold(jobs, job->flow);
    /*
     * at most by a turn: a flow with a large debt may be served while others rest, and a new one must not queue
     * behind that debt
     */
    clock_to(jobs, min_uint64(job->flow->start_ns, jobs->clock_ns + turn_ns(jobs)));
    job->flow->in_hand++;
    job->flow->moved_ns = now_ns;
    job->root = job->root || job->queue == QUEUE_TILES;
    if (job->class == CLASS_IDLE) {
        jobs->idle_in_hand++;
    } else {
        jobs->real_in_hand++;
        jobs->real_ns = now_ns;
    }
}

void jobs_done(struct jobs *jobs, struct flow *flow, enum metric_class class, uint64_t cost_ns,
               uint64_t now_ns)
{
    flow->in_hand--;
    flow->held = false;
    flow->moved_ns = now_ns;
    flow->used_ns += cost_ns;
    if (flow->used_ns >= turn_ns(jobs)) {
        flow->start_ns += flow->used_ns;
        flow->drawn = ++jobs->draws;
        flow->used_ns = 0;
        if (jobs->askers <= 1) /* nobody waited for it: it owes nothing to newcomers */
            clock_to(jobs, flow->start_ns);
    }
    if (class == CLASS_IDLE) {
        jobs->idle_in_hand--;
    } else {
        jobs->real_in_hand--;
        jobs->real_ns = now_ns;
    }
    jobs_flow_drop(jobs, flow);
}

void jobs_root_ends(struct jobs *jobs, struct job *job)
{
    job->root = false;
    jobs->tile_ns = jobs->tile_ns - jobs->tile_ns / MEAN_SHARE + jobs->spent_ns / MEAN_SHARE;
    jobs->spent_ns = 0;
}

/* ---- Too much of one ----------------------------------------------------------------------------------- */

struct flow *jobs_largest(const struct jobs *jobs, enum metric_class class)
{
    struct flow *largest = NULL;
    unsigned max = 0;
    for (int i = 0; i < JOBS_FLOWS; i++)
        for (struct flow *flow = jobs->flow[i]; flow; flow = flow->chain) {
            const unsigned count = class == CLASSES ? flow->tiles : flow->places[class];
            if (count > max) {
                max = count;
                largest = flow;
            }
        }
    return largest;
}

/* True if all waiters of a job are of its own flow, and nothing else wants it. */
static bool is_own(const struct job *job)
{
    for (const struct waiter *waiter = job->waiters; waiter; waiter = waiter->next)
        if (waiter->flow != job->flow)
            return false;
    return !job->dependants;
}

/* The youngest job of a list that may be shed. In a global queue it skips other flows. */
static struct job *youngest(const struct job_list *list, const struct flow *flow)
{
    int looks = PUSH_OUT_LOOKS;
    for (struct job *job = list->last; job && looks > 0; job = job->previous, looks--)
        if (job->flow == flow && !job->needed && is_own(job))
            return job;
    return NULL;
}

bool jobs_push_out(struct jobs *jobs, struct flow *flow, enum metric_class class, struct job **ended,
                   struct waiter **waiters)
{
    struct job *job = NULL;
    for (int c = CLASSES - 1; c >= 0 && !job; c--) {
        if (class != CLASSES && (int)class != c)
            continue;
        job = youngest(&flow->queue[QUEUE_TILES - QUEUE_READY][c], flow);
        if (!job && class == CLASSES)
            job = youngest(&jobs->queue[QUEUE_LOOKING][c], flow);
    }
    if (!job)
        return false;
    jobs_take(jobs, job);
    jobs_end(jobs, job, ended, waiters);
    return true;
}

/* Another flow that wants a job; NULL: none does. As deep as the graph. */
static struct flow *wanting(const struct job *job, const struct flow *but)
{
    for (const struct waiter *waiter = job->waiters; waiter; waiter = waiter->next)
        if (waiter->flow != but)
            return waiter->flow;
    for (const struct edge *edge = job->dependants; edge; edge = edge->next) {
        struct flow *flow = edge->owner->flow != but ? edge->owner->flow : wanting(edge->owner, but);
        if (flow)
            return flow;
    }
    return NULL;
}

static void refuse_waiters(struct jobs *jobs, struct flow *flow, struct job **ended, struct waiter **waiters)
{
    for (struct waiter *waiter = jobs->soonest, *later; waiter; waiter = later) {
        later = waiter->later;
        if (waiter->flow == flow && waiter->job->state != JOB_BUSY)
            jobs_release(jobs, waiter, waiters, ended);
    }
}

static void refuse_prefetches(struct jobs *jobs, struct flow *flow, struct job **ended)
{
    for (struct job *job = jobs->prefetch_first, *next; job; job = next) {
        next = job->prefetch_next;
        if (job->flow != flow || job->state == JOB_BUSY)
            continue;
        jobs_prefetch(jobs, job, 0);
        jobs_collect(jobs, job, ended);
    }
}

/* Others want the remaining jobs: a job that depends on no busy one is in the end wanted by a waiter (jobs.c, 3 and 4). */
void jobs_refuse(struct jobs *jobs, struct flow *flow, struct job **ended, struct waiter **waiters)
{
    jobs_flow_hold(jobs, flow);
    refuse_waiters(jobs, flow, ended, waiters);
    refuse_prefetches(jobs, flow, ended);
    for (int queue = 0; queue < QUEUES_MADE; queue++)
        for (int class = 0; class < CLASSES; class ++)
            for (struct job *job = flow->queue[queue][class].first, *next; job; job = next) {
                struct flow *other = wanting(job, flow);
                next = job->next;
                if (other)
                    jobs_move(jobs, job, other);
            }
    jobs_flow_drop(jobs, flow);
}
