/* The pool's jobs as plain data (server/jobs/jobs*.c): anything at random, with all invariants checked after each step. */
#include "jobs_kit.h"

struct client {
    struct waiter waiter; /* first */
    bool gone;
};

static bool client_left(struct waiter *waiter)
{
    return ((struct client *)waiter)->gone;
}

static void client_wait(struct client *client, struct job *job, uint64_t deadline_ns)
{
    *client = (struct client){.waiter = {.left = client_left, .deadline_ns = deadline_ns}};
    jobs_wait(&jobs, job, &client->waiter, flow[0]);
}

enum { NAMES = 60, CROWD = 40, STEPS = 60000 };

static uint32_t seed = 1;

static uint32_t roll(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static struct job *find(uint32_t name)
{
    return jobs_find(&jobs, &(struct digest){.low = name, .high = 7});
}

static void check_queues(void)
{
    unsigned queued = 0;
    for (int queue = 0; queue < QUEUES; queue++)
        for (int class = 0; class < CLASSES; class ++) {
            const struct job *previous = NULL;
            const struct job_list *list =
                queue < QUEUE_READY ? &jobs.queue[queue][class] : &flow[0]->queue[queue - QUEUE_READY][class];
            for (const struct job *job = list->first; job; previous = job, job = job->next) {
                assert_ptr_equal(job->previous, previous);
                assert_true(!previous || (queue == QUEUE_ABROAD ? previous->again_ns <= job->again_ns
                                                                : previous->since_ns <= job->since_ns));
                assert_true(job->state == JOB_QUEUED && (int)job->queue == queue && (int)job->class == class);
                queued++;
            }
            assert_ptr_equal(list->last, previous);
        }
    assert_int_equal(metrics.queue_depth + metrics.abroad, queued);
}

static void check_jobs(void)
{
    unsigned all = 0, parked = 0, tiles = 0, looking = 0, begun = 0, abroad = 0;
    for (uint32_t name = 0; name < NAMES; name++) {
        const struct job *job = find(name);
        if (!job)
            continue;
        const bool tile = !job->needed, queued = job->state == JOB_QUEUED;
        all++;
        parked += job->state == JOB_PARKED;
        const bool looks = queued && (job->queue == QUEUE_LOOKING ||
                                      (job->queue == QUEUE_ASKING && job->abroad_until_ns == 0));
        abroad += queued && job->queue == QUEUE_ABROAD;
        looking += tile && looks;
        tiles += tile && job->state != JOB_BUSY && !looks;
        begun += job->state == JOB_PARKED ||
                 (queued && (job->queue == QUEUE_READY || job->queue == QUEUE_REGIONS));
        assert_true(job->state == JOB_BUSY || jobs_wanted(job));
        assert_true((job->state == JOB_PARKED) == (job->missing > 0));
        for (int i = 0; i < job->inputs; i++)
            if (job->input[i].input)
                assert_true(job->input[i].input->class <= job->class);
        for (const struct edge *edge = job->dependants; edge; edge = edge->next)
            assert_true(edge->input == job && edge->owner->state == JOB_PARKED);
    }
    assert_int_equal(jobs.all, all);
    assert_int_equal(jobs.parked, parked);
    assert_int_equal(jobs.tiles, tiles);
    assert_int_equal(jobs.looking, looking);
    assert_int_equal(jobs.begun[0] + jobs.begun[1] + jobs.begun[2] + jobs.begun[3], begun);
    assert_int_equal(flow[0]->begun, begun);
    assert_int_equal(flow[0]->tiles, tiles + looking);
    assert_int_equal(metrics.parked, parked);
    assert_int_equal(metrics.abroad, abroad);
    assert_int_equal(metrics.queue_class[0] + metrics.queue_class[1] + metrics.queue_class[2] +
                         metrics.queue_class[3],
                     tiles);
    assert_int_equal(atomic_load(&owner.references), 1 + all);
}

/* Makes a busy job rest on others, of higher names, some new; and parks or queues it. */
static void step_begin(struct job *job)
{
    const uint32_t name = (uint32_t)job->digest.low, inputs = job->inputs ? 0 : roll(3);
    for (uint32_t i = 0; i < inputs && name + 1 < NAMES; i++) {
        const uint32_t wanted = name + 1 + roll(NAMES - name - 1);
        if (wanted < NAMES / 2)
            continue; /* a tile */
        struct job *input = find(wanted);
        if (!input) {
            input = job_make(wanted, PRODUCT_EROSION, job->class, job->since_ns);
            jobs_push(&jobs, roll(2) ? QUEUE_LOOKING : QUEUE_REGIONS, input);
        }
        jobs_await(&jobs, job, input);
    }
    if (job->missing > 0)
        jobs_park(&jobs, job);
    else
        end(job);
}

static void step_job(struct client *client, uint64_t now)
{
    struct job *job = find(roll(NAMES));
    struct job *ended = NULL;
    struct waiter *waiters = NULL;
    const enum metric_class class = (enum metric_class)roll(CLASSES);
    if (!job) {
        const uint32_t name = roll(NAMES / 2);
        job = find(name);
        if (!job) {
            job = job_make(name, PRODUCT_TILE, class, now);
            if (roll(3) == 0)
                jobs_prefetch(&jobs, job, now + 50);
            else if (!client->waiter.job)
                client_wait(client, job, now + roll(100));
            if (jobs_wanted(job))
                jobs_push(&jobs, (enum job_queue[]){QUEUE_LOOKING, QUEUE_ASKING, QUEUE_TILES}[roll(3)], job);
            else
                end(job);
        }
    } else if (job->state == JOB_QUEUED && roll(3) == 0) {
        jobs_take(&jobs, job);
        if (job->abroad_until_ns == 0)
            job->abroad_until_ns = now + 50;
        job->again_ns = now + roll(20);
        jobs_push(&jobs, roll(3) ? QUEUE_ABROAD : QUEUE_ASKING, job);
    } else if (job->state == JOB_QUEUED) {
        jobs_take(&jobs, job);
        step_begin(job);
    } else if (job->state == JOB_PARKED && job->waiters == NULL && !client->waiter.job) {
        client_wait(client, job, now + roll(100));
        jobs_raise(&jobs, job, class);
    } else if (roll(4) == 0) {
        jobs_take(&jobs, job); /* fails */
        jobs_end(&jobs, job, &ended, &waiters);
        free_ended(ended);
    }
}

TEST(anything_keeps_the_invariants)
{
    static struct client client[CROWD];
    memset(client, 0, sizeof client);
    for (uint64_t now = 1; now < STEPS; now++) {
        struct waiter *out = NULL;
        struct job *ended = NULL;
        struct client *one = &client[roll(CROWD)];
        switch (roll(10)) {
        case 0:
            jobs_forget(&jobs, now, &ended);
            break;
        case 1:
            one->gone = true;
            jobs_ask_leavers(&jobs, 5, &out, &ended);
            break;
        case 2:
            if (one->waiter.job)
                jobs_release(&jobs, &one->waiter, &out, &ended);
            break;
        default:
            step_job(one, now);
        }
        free_ended(ended);
        check_queues();
        check_jobs();
    }
    struct job *ended = NULL;
    struct waiter *out = NULL;
    while (jobs.soonest)
        jobs_release(&jobs, jobs.soonest, &out, &ended);
    jobs_forget(&jobs, UINT64_MAX, &ended);
    free_ended(ended);
    assert_int_equal(jobs.all, 0);
    check_jobs();
    check_queues();
}

GROUP_EACH(pool_dice, open_jobs, close_jobs);
