/*
 * Jobs: the table, the queues and what counts, what rests on what, and what waits.
 *
 * Invariants, whenever the lock is dropped:
 *   (1) a job is in one queue (JOB_QUEUED), or with one worker (JOB_BUSY), or in neither (JOB_PARKED);
 *   (2) a job is parked as long as inputs are missing: as many of its edges hang in lists of other jobs, all others hold
 *       a blob. Whatever rests on a job that has not ended is parked;
 *   (3) edges lead from a product to its inputs, so they have no cycle: every parked job rests, over at most
 *       PRODUCT_DEPTH_MAX of them, on one that is queued or busy;
 *   (4) a job that no worker has is wanted: a request waits for it, a job rests on it, or a prefetch asked for it. What rests on
 *       it is parked, and so wanted, too: one step tells;
 *   (5) a job is at least as urgent as whatever rests on it;
 *   (6) a waiter is in its job's list and in the list by deadline, or in neither and about to be woken;
 *   (7) jobs->asking is a waiter of the list by deadline, or NULL;
 *   (8) a job is in the list of those that prefetches want when its until_ns is not 0.
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

/* ---- Queues -------------------------------------------------------------------------------------------- */

/*
 * Each queue is a list a class, by age; of those from QUEUE_READY on each flow has its own, and jobs_flow.c tells whose turn it
 * is. The head whose due time is the smallest is next: its age, put off by what its class can bear. So within a class what came
 * first is first, and what has waited for the longest penalty comes before all that comes later, of whatever class. Looking
 * and asking make no difference between classes, nor between flows: what is to be refused is told soon. Those abroad are in the
 * order in which they ask again. A job that was abroad has its place among tiles that wait, and keeps it while it asks again.
 *
 * What counts (jobs->looking, tiles, begun, parked, and the gauges) is counted in one place, by the state of a job.
 */

uint64_t jobs_due_ns(const struct jobs *jobs, const struct job *job)
{
    if (job->queue == QUEUE_ABROAD)
        return job->again_ns;
    const bool found_out = job->queue != QUEUE_LOOKING && job->queue != QUEUE_ASKING;
    return job->since_ns + (found_out ? jobs->penalty_ns[job->class] : 0);
}

/* Adds what a job in its state counts for, or takes it away: by is 1 or -1. */
static void count(struct jobs *jobs, const struct job *job, int by)
{
    const unsigned n = (unsigned)by; /* the counts are modular */
    const bool tile = !job->needed, parked = job->state == JOB_PARKED;
    if (job->state == JOB_BUSY)
        return;
    const bool abroad = !parked && job->queue == QUEUE_ABROAD;
    const bool looking =
        !parked && (job->queue == QUEUE_LOOKING || (job->queue == QUEUE_ASKING && job->abroad_until_ns == 0));
    if (parked)
        jobs->parked += n;
    metrics_move(parked   ? &jobs->metrics->parked
                 : abroad ? &jobs->metrics->abroad
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

/* What a queue is in the order of. */
static uint64_t rank_ns(const struct job *job)
{
    return job->queue == QUEUE_ABROAD ? job->again_ns : job->since_ns;
}

/*
 * Regions are as old as tiles that have begun, which is older than most, so their place is looked for from the front; that
 * of tiles, and of all that is abroad, from the end. What is as old as others comes after them.
 */
static void insert(struct jobs *jobs, struct job *job)
{
    struct job_list *list = list_of(jobs, job);
    struct job *previous = NULL;
    if (!job->needed || job->queue == QUEUE_ABROAD) {
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

/* Out of its queue and of all counts, while it changes; and in again. */
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
 * A job that no worker has is one that others rest on from now on: served like a region, however full the queue of tiles is. Else
 * tiles that wait for it to be coded could take all places of what may be begun, and wait for ever.
 */
static void need(struct jobs *jobs, struct job *job)
{
    if (job->needed)
        return;
    const bool queued = lift(jobs, job);
    job->needed = true;
    if (queued && job->queue == QUEUE_TILES)
        job->queue = QUEUE_REGIONS;
    lower(jobs, job);
}

/* What a job rests on is at least as urgent (5): each job is raised at most once a class. */
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
 * No client waits behind another's queue for what it asks for itself: a tile that has not been begun goes to the flow that has
 * fewer of them; what has, and all that it rests on, to the flow whose turn is sooner. As deep as the graph.
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
    need(jobs, input);
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
 * Up to all that rest on the job, and from each down to what nothing else wants: no deeper than the graph in either
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

static void withdraw_deadline(struct jobs *jobs, struct waiter *waiter)
{
    if (jobs->asking == waiter)
        jobs->asking = waiter->later;
    *(waiter->earlier ? &waiter->earlier->later : &jobs->soonest) = waiter->later;
    *(waiter->later ? &waiter->later->earlier : &jobs->latest) = waiter->earlier;
}

/* When a waiter is late that is past its deadline. */
static uint64_t late_ns(const struct jobs *jobs, const struct waiter *waiter, uint64_t patience_ns)
{
    const struct job *job = waiter->job;
    const struct flow *own = waiter->flow, *its = job->flow;
    const bool begun = job->root || job->needed;
    const uint64_t moved_ns = begun                           ? jobs->real_ns
                              : own->moved_ns > its->moved_ns ? own->moved_ns
                                                              : its->moved_ns;
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

/* A waiter for which something is run has to be there when it has been. */
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
