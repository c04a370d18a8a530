/*
 * The pool's jobs as plain data (server/jobs/jobs*.c), with times that are given: what comes first, what prefetches want, who is
 * asked whether he is there; and anything at random, with all invariants checked after each step.
 */
#include "jobs_kit.h"

#define S UINT64_C(1000000000)

struct client {
    struct waiter waiter; /* first */
    bool gone;
    int asked;
};

static bool client_left(struct waiter *waiter)
{
    struct client *client = (struct client *)waiter;
    client->asked++;
    return client->gone;
}

static struct job *tile_queued(uint64_t name, enum metric_class class, uint64_t since_ns)
{
    struct job *job = job_of(flow[0], name, PRODUCT_TILE, class, since_ns);
    jobs_push(&jobs, QUEUE_TILES, job);
    return job;
}

static void client_wait(struct client *client, struct job *job, uint64_t deadline_ns)
{
    *client = (struct client){.waiter = {.left = client_left, .deadline_ns = deadline_ns}};
    jobs_wait(&jobs, job, &client->waiter, flow[0]);
}

static unsigned client_release(struct client *client)
{
    struct waiter *out = NULL;
    struct job *ended = NULL;
    jobs_release(&jobs, &client->waiter, &out, &ended);
    return free_ended(ended);
}

/* Tiles that are queued, class and age by name, are made in the order of their names. */
static void assert_order(size_t count, const struct job_order *tile)
{
    for (size_t name = count; name > 0; name--)
        tile_queued(name, tile[name - 1].class, tile[name - 1].since_ns);
    for (size_t name = 1; name <= count; name++) {
        struct job *next = jobs_next(&jobs, &(struct jobs_may){.classes = JOBS_ALL_CLASSES, .idle = true});
        assert_int_equal(next->digest.low, name);
        end(next);
    }
}

/* Of one class as they came; and what matters less as if it had come later, so that nothing starves. */
TEST(who_came_first_is_first)
{
    for (int class = 0; class < CLASSES; class ++)
        assert_order(3, (struct job_order[]){{.class = (enum metric_class) class, .since_ns = 10},
                                             {.class = (enum metric_class) class, .since_ns = 20},
                                             {.class = (enum metric_class) class, .since_ns = 30}});
    assert_order(6, (struct job_order[]){{.class = CLASS_WAITING, .since_ns = 1 * S},
                                         {.class = CLASS_WAITING, .since_ns = 4 * S - 1},
                                         {.class = CLASS_NEIGHBOUR, .since_ns = 3 * S}, /* due at 4 s */
                                         {.class = CLASS_WAITING, .since_ns = 5 * S - 1},
                                         {.class = CLASS_BULK, .since_ns = 0}, /* due at 5 s */
                                         {.class = CLASS_WAITING, .since_ns = 5 * S + 1}});
    struct job *first = tile_queued(1, CLASS_WAITING, 10), *second = tile_queued(2, CLASS_WAITING, 10);
    assert_true(first->next == second && !second->next); /* as old as the first, which was there */
    end(first);
    end(second);
}

TEST(prefetches_want_for_a_while)
{
    struct job *first = tile_queued(1, CLASS_NEIGHBOUR, 1), *second = tile_queued(2, CLASS_NEIGHBOUR, 2),
               *third = tile_queued(3, CLASS_NEIGHBOUR, 3), *ended = NULL;
    struct client client;
    jobs_prefetch(&jobs, first, 100);
    jobs_prefetch(&jobs, second, 100);
    jobs_prefetch(&jobs, third, 200);
    assert_true(jobs_present(first));
    client_wait(&client, first, 1);
    jobs_forget(&jobs, 99, &ended);
    assert_null(ended);
    jobs_forget(&jobs, 100, &ended);
    assert_ptr_equal(ended, second); /* somebody waits for the first */
    assert_int_equal(free_ended(ended), 1);
    client.gone = true;
    assert_false(jobs_present(first));
    assert_int_equal(client_release(&client), 1);
    client_wait(&client, third, 1);
    assert_int_equal(client_release(&client), 0); /* the prefetch wants it, still */
    ended = NULL;
    jobs_forget(&jobs, UINT64_MAX, &ended);
    assert_ptr_equal(ended, third);
    assert_true(third->prefetched && third->asked);
    assert_int_equal(free_ended(ended), 1);
    assert_int_equal(jobs.all, 0);
}

TEST(clients_are_asked_in_turn)
{
    enum { CLIENTS = 10 };
    struct client client[CLIENTS];
    struct waiter *gone = NULL;
    struct job *ended = NULL, *job = tile_queued(1, CLASS_WAITING, 1);
    assert_int_equal(jobs_ask_leavers(&jobs, 5, &gone, &ended), 0);
    for (int i = 0; i < CLIENTS; i++)
        client_wait(&client[i], job, (uint64_t)i + 1);
    assert_int_equal(jobs_ask_leavers(&jobs, 4, &gone, &ended), 0); /* 0 to 3 */
    assert_int_equal(client_release(&client[4]), 0);                /* whose turn would be next */
    client[5].gone = client[0].gone = true;
    assert_int_equal(jobs_ask_leavers(&jobs, 5, &gone, &ended), 1); /* 5 to 9 */
    assert_ptr_equal(gone, &client[5].waiter);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(client[i].asked, i != 4);
    assert_int_equal(jobs_ask_leavers(&jobs, 1, &gone, &ended), 1); /* and from the start */
    assert_ptr_equal(gone, &client[0].waiter);
    assert_null(ended);
    for (int i = 1; i < CLIENTS; i++)
        client[i].gone = true;
    assert_int_equal(jobs_ask_leavers(&jobs, 1000, &gone, &ended), 7);
    assert_int_equal(free_ended(ended), 1);
    assert_int_equal(jobs.waiting, 0);
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

static struct blob made = {.references = 1}; /* whatever is */

static void check_waiters(void)
{
    unsigned waiting = 0;
    const struct waiter *earlier = NULL;
    for (const struct waiter *waiter = jobs.soonest; waiter;
         earlier = waiter, waiter = waiter->later, waiting++) {
        assert_ptr_equal(waiter->earlier, earlier);
        assert_true(!earlier || earlier->deadline_ns <= waiter->deadline_ns);
    }
    assert_ptr_equal(jobs.latest, earlier);
    assert_int_equal(jobs.waiting, waiting);
    assert_int_equal(metrics.inflight, waiting);
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
                assert_true(!previous || (queue == QUEUE_REMOTE ? previous->again_ns <= job->again_ns
                                                                : previous->since_ns <= job->since_ns));
                assert_true(job->state == JOB_QUEUED && (int)job->queue == queue && (int)job->class == class);
                assert_false(job->needed &&
                             queue == QUEUE_TILES); /* others rest on it: served like a region */
                queued++;
            }
            assert_ptr_equal(list->last, previous);
        }
    assert_int_equal(metrics.queue_depth + metrics.remote_pending, queued);
}

static void check_jobs(void)
{
    unsigned all = 0, parked = 0, tiles = 0, looking = 0, begun = 0, remote_pending = 0;
    for (uint32_t name = 0; name < NAMES; name++) {
        const struct job *job = find(name);
        if (!job)
            continue;
        const bool tile = !job->needed, queued = job->state == JOB_QUEUED;
        all++;
        parked += job->state == JOB_PARKED;
        const bool looks = queued && (job->queue == QUEUE_LOOKING ||
                                      (job->queue == QUEUE_ASKING && job->remote_until_ns == 0));
        remote_pending += queued && job->queue == QUEUE_REMOTE;
        looking += tile && looks;
        tiles += tile && job->state != JOB_BUSY && !looks;
        begun += job->state == JOB_PARKED ||
                 (queued && (job->queue == QUEUE_READY || job->queue == QUEUE_REGIONS));
        assert_true(job->state == JOB_BUSY || job->waiters || job->dependants || job->until_ns);
        if (queued && job->queue < QUEUE_READY) {
            const struct job *first = jobs_first(&jobs, job->queue);
            assert_true(job->queue == QUEUE_REMOTE ? first->again_ns <= job->again_ns
                                                   : first->since_ns <= job->since_ns);
        }
        assert_true((job->state == JOB_PARKED) == (job->missing > 0));
        for (int i = 0; i < job->inputs; i++)
            assert_true(
                job->input[i].input ? job->input[i].input->class <= job->class : job->input[i].blob == &made);
        for (const struct edge *edge = job->dependants; edge; edge = edge->next) {
            assert_true(edge->input == job && edge->owner->state == JOB_PARKED);
            assert_true(jobs_present(job) || !jobs_present(edge->owner));
        }
    }
    assert_int_equal(jobs.all, all);
    assert_int_equal(jobs.parked, parked);
    assert_int_equal(jobs.tiles, tiles);
    assert_int_equal(jobs.looking, looking);
    assert_int_equal(jobs.begun[0] + jobs.begun[1] + jobs.begun[2] + jobs.begun[3], begun);
    assert_int_equal(flow[0]->begun, begun);
    assert_int_equal(flow[0]->tiles, tiles + looking);
    assert_int_equal(metrics.parked, parked);
    assert_int_equal(metrics.remote_pending, remote_pending);
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
        struct job *input = find(wanted);
        if (!input && wanted < NAMES / 2)
            continue; /* a tile: it is rested on where it is there, as what is to be coded */
        if (!input) {
            input = job_of(flow[0], wanted, PRODUCT_EROSION, job->class, job->since_ns);
            jobs_push(&jobs, roll(2) ? QUEUE_LOOKING : QUEUE_REGIONS, input);
        }
        jobs_await(&jobs, job, input);
    }
    if (job->missing > 0)
        jobs_park(&jobs, job);
    else {
        if (roll(2))
            jobs_deliver(&jobs, job, &made);
        end(job);
    }
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
            job = job_of(flow[0], name, PRODUCT_TILE, class, now);
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
        if (job->remote_until_ns == 0)
            job->remote_until_ns = now + 50;
        job->again_ns = now + roll(20);
        jobs_push(&jobs, roll(3) ? QUEUE_REMOTE : QUEUE_ASKING, job);
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
        check_waiters();
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
    assert_int_equal(atomic_load(&made.references), 1);
    check_jobs();
}

GROUP_EACH(pool_jobs, open_jobs, close_jobs);
