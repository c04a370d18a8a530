/*
 * The queues of jobs, and their counters.
 *
 * Each queue has a list for each class, by age. Each flow has its own queues from QUEUE_READY on, and jobs_flow.c decides the
 * turn. The head with the earliest due time is next: its arrival plus the penalty of its class. So a class is first in, first out,
 * and a job that has waited for the longest penalty comes before all later ones of any class. Looking and asking do not
 * distinguish classes and flows, so refusals are quick. QUEUE_REMOTE is in the order of asking again. A job that was in it has
 * its place among waiting tiles, and keeps it while it asks again.
 *
 * One function counts (jobs->looking, tiles, begun, parked, and the gauges), by the state of a job.
 */
#include "jobs.h"

#include "../base/check.h"

uint64_t jobs_due_ns(const struct jobs *jobs, const struct job *job)
{
    if (job->queue == QUEUE_REMOTE)
        return job->again_ns;
    const bool found_out = job->queue != QUEUE_LOOKING && job->queue != QUEUE_ASKING;
    return job->since_ns + (found_out ? jobs->penalty_ns[job->class] : 0);
}

/* Adds a job in its state to the counters, or subtracts it: by is 1 or -1. */
static void count(struct jobs *jobs, const struct job *job, int by)
{
    const unsigned n = (unsigned)by; /* the counts are modular */
    const bool tile = !job->needed, parked = job->state == JOB_PARKED;
    if (job->state == JOB_BUSY)
        return;
    const bool remote_pending = !parked && job->queue == QUEUE_REMOTE;
    const bool looking =
        !parked && (job->queue == QUEUE_LOOKING || (job->queue == QUEUE_ASKING && job->remote_until_ns == 0));
    if (parked)
        jobs->parked += n;
    metrics_move(parked           ? &jobs->metrics->parked
                 : remote_pending ? &jobs->metrics->remote_pending
                                  : &jobs->metrics->queue_depth,
                 by);
    if (!parked)
        jobs->length[job->queue][job->class] += n;
    if (!job->run && (parked || job->queue == QUEUE_READY || job->queue == QUEUE_REGIONS)) {
        jobs->begun[job->class] += n;
        job->flow->begun += n;
    }
    if (tile && looking)
        jobs->looking += n;
    if (tile && !looking) {
        jobs->tiles += n;
        jobs->places[job->class] += n;
        job->flow->places[job->class] += n;
        metrics_move(&jobs->metrics->queue_class[job->class], by);
    }
    if (tile) {
        jobs->askers -= job->flow->tiles > 0;
        job->flow->tiles += n;
        jobs->askers += job->flow->tiles > 0;
    }
}

/* The list of a queued job. */
static struct job_list *list_of(struct jobs *jobs, const struct job *job)
{
    return job->queue < QUEUE_READY ? &jobs->queue[job->queue][job->class]
                                    : &job->flow->queue[job->queue - QUEUE_READY][job->class];
}

static void insert_after(struct job_list *list, struct job *job, struct job *previous)
{
    job->previous = previous;
    job->next = previous ? previous->next : list->first;
    *(job->previous ? &job->previous->next : &list->first) = job;
    *(job->next ? &job->next->previous : &list->last) = job;
}

/* The sort key of a queue. */
static uint64_t rank_ns(const struct job *job)
{
    return job->queue == QUEUE_REMOTE ? job->again_ns : job->since_ns;
}

/*
 * Regions are as old as tiles that have begun, older than most, so the search for their place starts at the front; for
 * tiles, and in QUEUE_REMOTE, at the end. A job as old as others comes after them.
 */
static void insert(struct jobs *jobs, struct job *job)
{
    struct job_list *list = list_of(jobs, job);
    struct job *previous = NULL;
    if (!job->needed || job->queue == QUEUE_REMOTE) {
        previous = list->last;
        while (previous && rank_ns(previous) > rank_ns(job))
            previous = previous->previous;
    } else {
        struct job *next = list->first;
        for (; next && rank_ns(next) <= rank_ns(job); next = next->next)
            previous = next;
    }
    insert_after(list, job, previous);
    if (job->queue >= QUEUE_READY)
        jobs_flow_grows(jobs, job->flow);
}

static void withdraw(struct jobs *jobs, struct job *job)
{
    struct job_list *list = list_of(jobs, job);
    *(job->previous ? &job->previous->next : &list->first) = job->next;
    *(job->next ? &job->next->previous : &list->last) = job->previous;
    job->next = job->previous = NULL;
    if (job->queue >= QUEUE_READY)
        jobs_flow_shrinks(jobs, job->flow);
}

void jobs_push(struct jobs *jobs, enum job_queue queue, struct job *job)
{
    CHECK(job->state == JOB_BUSY);
    job->state = JOB_QUEUED;
    job->queue = queue;
    insert(jobs, job);
    count(jobs, job, 1);
}

void jobs_take(struct jobs *jobs, struct job *job)
{
    CHECK(job->state != JOB_BUSY);
    count(jobs, job, -1);
    if (job->state == JOB_QUEUED)
        withdraw(jobs, job);
    job->state = JOB_BUSY;
}

void jobs_park(struct jobs *jobs, struct job *job)
{
    CHECK(job->state == JOB_BUSY && job->missing > 0);
    job->state = JOB_PARKED;
    count(jobs, job, 1);
}

struct job *jobs_first(const struct jobs *jobs, enum job_queue queue)
{
    struct job *first = NULL;
    CHECK(queue < QUEUE_READY);
    for (int class = 0; class < CLASSES; class ++) {
        struct job *job = jobs->queue[queue][class].first;
        if (job && (!first || jobs_due_ns(jobs, job) < jobs_due_ns(jobs, first)))
            first = job;
    }
    return first;
}

unsigned jobs_length(const struct jobs *jobs, enum job_queue queue)
{
    unsigned length = 0;
    for (int class = 0; class < CLASSES; class ++)
        length += jobs->length[queue][class];
    return length;
}

/* Removes a job from its queue and all counts while it changes; lower puts it back. */
static bool lift(struct jobs *jobs, struct job *job)
{
    const bool queued = job->state == JOB_QUEUED;
    count(jobs, job, -1);
    if (queued)
        withdraw(jobs, job);
    return queued;
}

static void lower(struct jobs *jobs, struct job *job)
{
    if (job->state == JOB_QUEUED)
        insert(jobs, job);
    count(jobs, job, 1);
}

/*
 * Marks a job that no worker has as an input of others: served like a region, however full the queue of tiles is. Otherwise tiles
 * that need it for coding could take all places of begun tiles, and wait for ever.
 */
void jobs_need(struct jobs *jobs, struct job *job)
{
    if (job->needed)
        return;
    const bool queued = lift(jobs, job);
    job->needed = true;
    if (queued && job->queue == QUEUE_TILES)
        job->queue = QUEUE_REGIONS;
    lower(jobs, job);
}

/* The inputs of a job are at least as urgent (jobs.c, 5): each job is raised at most once a class. */
bool jobs_raise(struct jobs *jobs, struct job *job, enum metric_class class)
{
    if (job->class <= class)
        return false;
    lift(jobs, job);
    job->class = class;
    lower(jobs, job);
    for (int i = 0; i < job->inputs; i++)
        if (job->input[i].input)
            jobs_raise(jobs, job->input[i].input, class);
    return true;
}

void jobs_move(struct jobs *jobs, struct job *job, struct flow *flow)
{
    struct flow *left = job->flow;
    if (left == flow || job->state == JOB_BUSY)
        return;
    lift(jobs, job);
    jobs_flow_hold(jobs, flow);
    job->flow = flow;
    lower(jobs, job);
    jobs_flow_drop(jobs, left);
}

/*
 * No client waits behind another's queue for its own request: a tile that has not begun moves to the flow with fewer of them;
 * a begun one, and all its inputs, to the flow whose turn is sooner. As deep as the graph.
 */
bool jobs_share(struct jobs *jobs, struct job *job, struct flow *flow)
{
    const bool begun = job->needed || job->root;
    if (job->flow == flow || job->state == JOB_BUSY ||
        (begun ? jobs_flow_before(job->flow, flow) : job->flow->tiles <= flow->tiles + 1))
        return false;
    jobs_move(jobs, job, flow);
    for (int i = 0; i < job->inputs; i++)
        if (job->input[i].input)
            jobs_share(jobs, job->input[i].input, flow);
    return true;
}
