/*
 * The pool's jobs as plain data (server/jobs/jobs*.c), with times that are given: flows of three clients, jobs of theirs that are
 * made, queued and ended. Static: one test program, one set of jobs at a time.
 */
#ifndef TERRANE_TESTS_JOBS_KIT_H
#define TERRANE_TESTS_JOBS_KIT_H

#include "../unit.h"

#include "../../../server/jobs/jobs.h"

enum { FLOWS = 3 };

static struct metrics metrics;
static struct jobs jobs;
static struct flow *flow[FLOWS];
static struct refcount owner;

static inline void owner_free(struct refcount *freed)
{
    (void)freed;
}

static inline struct flow *flow_of(uint64_t client)
{
    return jobs_flow(&jobs, &(struct payer){.client = {.low = client, .high = 9}});
}

static inline int open_jobs(void **state)
{
    (void)state;
    memset(&metrics, 0, sizeof metrics);
    jobs_init(&jobs, &metrics);
    jobs.penalty_ns[CLASS_NEIGHBOUR] = UINT64_C(1000000000);
    jobs.penalty_ns[CLASS_BULK] = UINT64_C(5000000000);
    refcount_init(&owner, owner_free);
    for (uint64_t i = 0; i < FLOWS; i++)
        flow[i] = flow_of(i);
    return flow[FLOWS - 1] ? 0 : -1;
}

/* Nothing of jobs and flows is left behind. */
static inline int close_jobs(void **state)
{
    (void)state;
    for (int i = 0; i < FLOWS; i++)
        jobs_flow_drop(&jobs, flow[i]);
    assert_int_equal(jobs.all + jobs.askers + jobs.real_in_hand + jobs.idle_in_hand, 0);
    assert_null(jobs.runnable);
    jobs_free_flows(&jobs);
    return 0;
}

/* A busy job of a name. */
static inline struct job *job_of(struct flow *of, uint64_t name, enum product product,
                                 enum metric_class class, uint64_t since_ns)
{
    static const struct terrane_world world;
    const struct product_key key = {.product = product};
    const struct digest digest = {.low = name, .high = 7};
    struct job *job = jobs_create(&jobs, &(struct job_order){.key = &key,
                                                             .digest = &digest,
                                                             .world = &world,
                                                             .owner = &owner,
                                                             .flow = of,
                                                             .class = class,
                                                             .since_ns = since_ns,
                                                             .needed = product != PRODUCT_TILE});
    assert_non_null(job);
    assert_ptr_equal(jobs_find(&jobs, &digest), job);
    return job;
}

static inline unsigned free_ended(struct job *ended)
{
    unsigned count = 0;
    for (const struct job *job = ended; job; job = job->next)
        count++;
    jobs_free(ended);
    return count;
}

static inline void end(struct job *job)
{
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    if (job->state != JOB_BUSY)
        jobs_take(&jobs, job);
    jobs_end(&jobs, job, &ended, &waiters);
    free_ended(ended);
}

#endif
