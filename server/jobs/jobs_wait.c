/*
 * Jobs: who waits for them, and who does not any more.
 *
 * Invariants, whenever the lock is dropped:
 *   (1) a waiter is in its job's list and in the list by deadline, or in neither and about to be woken;
 *   (2) jobs->asking is a waiter of the list by deadline, or NULL;
 *   (3) a job is in the list of those that prefetches want when its until_ns is not 0.
 */
#include "../base/check.h"
#include "jobs.h"

/* ---- Waiters ------------------------------------------------------------------------------------------- */

/* Deadlines mostly come in order: but for a while after they were made shorter, the latest one is the place. */
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
    *(waiter->previous ? &waiter->previous->next : &job->waiters) = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    if (jobs->asking == waiter)
        jobs->asking = waiter->later;
    *(waiter->earlier ? &waiter->earlier->later : &jobs->soonest) = waiter->later;
    *(waiter->later ? &waiter->later->earlier : &jobs->latest) = waiter->earlier;
    jobs_flow_drop(jobs, waiter->flow);
    waiter->flow = NULL;
    waiter->job = NULL;
    waiter->next = *out;
    *out = waiter;
    jobs->waiting--;
    metrics_move(&jobs->metrics->inflight, -1);
    jobs_collect(jobs, job, ended);
}

/* Who waits for something that is run for him has to be there when it has been. */
static bool has_left(struct waiter *waiter)
{
    return !waiter->job->run && waiter->left(waiter);
}

unsigned jobs_ask_leavers(struct jobs *jobs, unsigned most, struct waiter **gone, struct job **ended)
{
    unsigned left = 0;
    for (; most > 0 && jobs->soonest; most--) {
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

/* ---- Who is there -------------------------------------------------------------------------------------- */

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
