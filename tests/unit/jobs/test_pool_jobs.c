/*
 * The pool's jobs as plain data (server/jobs/jobs*.c): order and ageing, raising, who is wanted, deadlines and leavers, with
 * times that are given.
 */
#include "jobs_kit.h"

#define S UINT64_C(1000000000)

static struct job *tile_queued(uint64_t name, enum metric_class class, uint64_t since_ns)
{
    struct job *job = job_make(name, PRODUCT_TILE, class, since_ns);
    jobs_push(&jobs, QUEUE_TILES, job);
    return job;
}

static struct job *region_queued(uint64_t name, enum metric_class class, uint64_t since_ns)
{
    struct job *job = job_make(name, PRODUCT_EROSION, class, since_ns);
    jobs_push(&jobs, QUEUE_REGIONS, job);
    return job;
}

/* Whose turn it is in a queue, be it of one flow or of all. */
static struct job *first_of(enum job_queue queue, unsigned classes)
{
    struct job *first = NULL;
    if (queue < QUEUE_READY)
        return jobs_first(&jobs, queue);
    for (int class = 0; class < CLASSES; class ++) {
        struct job *job = flow[0]->queue[queue - QUEUE_READY][class].first;
        if (job && (classes >> class & 1) && (!first || jobs_due_ns(&jobs, job) < jobs_due_ns(&jobs, first)))
            first = job;
    }
    return first;
}

static uint64_t take_first(enum job_queue queue, unsigned classes)
{
    struct job *job = first_of(queue, classes);
    if (!job)
        return 0;
    const uint64_t name = job->digest.low;
    end(job);
    return name;
}

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

TEST(within_a_class_the_first_is_first)
{
    for (int class = 0; class < CLASSES; class ++) {
        tile_queued(2, (enum metric_class) class, 20);
        tile_queued(3, (enum metric_class) class, 30);
        tile_queued(1, (enum metric_class) class, 10);
        tile_queued(4, (enum metric_class) class, 30); /* as old as 3, which was there */
        for (uint64_t name = 1; name <= 4; name++)
            assert_int_equal(take_first(QUEUE_TILES, JOBS_ALL_CLASSES), name);
        assert_int_equal(take_first(QUEUE_TILES, JOBS_ALL_CLASSES), 0);
    }
}

TEST(what_matters_less_is_as_if_it_had_come_later)
{
    tile_queued(5, CLASS_BULK, 0);          /* due at 5 s */
    tile_queued(3, CLASS_NEIGHBOUR, 3 * S); /* at 4 s */
    tile_queued(1, CLASS_WAITING, 1 * S);
    tile_queued(2, CLASS_WAITING, 4 * S - 1);
    tile_queued(4, CLASS_WAITING, 5 * S - 1);
    tile_queued(6, CLASS_WAITING, 5 * S + 1); /* nothing starves: bulk that has waited for long goes first */
    assert_int_equal(take_first(QUEUE_TILES, 1u << CLASS_NEIGHBOUR | 1u << CLASS_BULK), 3);
    tile_queued(3, CLASS_NEIGHBOUR, 3 * S);
    for (uint64_t name = 1; name <= 6; name++)
        assert_int_equal(take_first(QUEUE_TILES, JOBS_ALL_CLASSES), name);
}

TEST(looking_makes_no_difference)
{
    struct job *bulk = job_make(1, PRODUCT_TILE, CLASS_BULK, 1), *waiting = job_make(2, PRODUCT_TILE, 0, 2);
    jobs_push(&jobs, QUEUE_LOOKING, waiting);
    jobs_push(&jobs, QUEUE_LOOKING, bulk);
    assert_int_equal(jobs.looking, 2);
    assert_int_equal(jobs.tiles, 0);
    assert_int_equal(take_first(QUEUE_LOOKING, JOBS_ALL_CLASSES), 1);
    assert_int_equal(take_first(QUEUE_LOOKING, JOBS_ALL_CLASSES), 2);
}

/* To be asked again, each at its time, whatever its age or class; and in a place that it keeps while it asks. */
TEST(those_abroad_are_in_the_order_of_their_time)
{
    static const struct {
        enum product product;
        enum metric_class class;
        uint64_t again_ns;
    } away[] = {{PRODUCT_TILE, CLASS_BULK, 30},      {PRODUCT_TILE, CLASS_WAITING, 10},
                {PRODUCT_EROSION, CLASS_WAITING, 5}, {PRODUCT_TILE, CLASS_WAITING, 40},
                {PRODUCT_TILE, CLASS_NEIGHBOUR, 20}, {PRODUCT_EROSION, CLASS_WAITING, 25}};
    static const uint64_t order[] = {3, 2, 5, 6, 1, 4};
    for (uint64_t i = 0; i < sizeof away / sizeof *away; i++) {
        struct job *job = job_make(i + 1, away[i].product, away[i].class, 100 - i);
        job->again_ns = away[i].again_ns;
        job->abroad_until_ns = 1000;
        jobs_push(&jobs, QUEUE_ABROAD, job);
    }
    assert_int_equal(jobs.tiles, 4);
    assert_int_equal(metrics.abroad, 6);
    assert_int_equal(metrics.queue_depth, 0);
    assert_int_equal(jobs.begun[CLASS_WAITING], 0);
    struct job *asking = jobs.queue[QUEUE_ABROAD][CLASS_BULK].first;
    jobs_take(&jobs, asking);
    jobs_push(&jobs, QUEUE_ASKING, asking);
    assert_int_equal(jobs.tiles, 4);
    assert_int_equal(jobs.looking, 0);
    jobs_take(&jobs, asking);
    jobs_push(&jobs, QUEUE_ABROAD, asking);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_int_equal(take_first(QUEUE_ABROAD, JOBS_ALL_CLASSES), order[i]);
    struct job *fresh = job_make(9, PRODUCT_TILE, CLASS_WAITING, 1);
    jobs_push(&jobs, QUEUE_ASKING, fresh);
    assert_int_equal(jobs.looking, 1);
    assert_int_equal(jobs.tiles, 0);
    assert_int_equal(take_first(QUEUE_ASKING, JOBS_ALL_CLASSES), 9);
    assert_int_equal(metrics.abroad + metrics.queue_depth, 0);
}

/* A tile that is to be coded: as soon as the coding rests on it, it waits where regions do, and fills no place of a tile. */
TEST(a_tile_that_is_needed_waits_like_a_region)
{
    struct job *plain = tile_queued(1, CLASS_WAITING, 10),
               *looked = job_make(2, PRODUCT_TILE, CLASS_WAITING, 11);
    jobs_push(&jobs, QUEUE_LOOKING, looked);
    assert_int_equal(jobs.tiles, 1);
    assert_int_equal(jobs.looking, 1);
    struct job *coded = job_make(3, PRODUCT_TILE, CLASS_WAITING, 12);
    jobs_await(&jobs, coded, plain);
    jobs_await(&jobs, coded, looked);
    jobs_park(&jobs, coded);
    assert_ptr_equal(first_of(QUEUE_REGIONS, JOBS_ALL_CLASSES), plain);
    assert_null(first_of(QUEUE_TILES, JOBS_ALL_CLASSES));
    assert_ptr_equal(first_of(QUEUE_LOOKING, JOBS_ALL_CLASSES), looked);
    assert_int_equal(jobs.tiles, 1); /* the coded one */
    assert_int_equal(jobs.looking, 0);
    assert_int_equal(jobs.begun[CLASS_WAITING], 2);
    jobs_take(&jobs, plain);
    struct job *ended = NULL;
    struct waiter *none = NULL;
    jobs_end(&jobs, plain, &ended, &none); /* and all that rest on it, and what only those wanted */
    assert_int_equal(free_ended(ended), 3);
    assert_int_equal(jobs.all + jobs.tiles + jobs.looking + jobs.begun[CLASS_WAITING], 0);
}

/* A parked tile on a region, which is parked on an anchor, which is queued. */
static void chain_make(struct job *job[3], enum metric_class class, uint64_t name)
{
    job[0] = job_make(name, PRODUCT_TILE, class, name);
    job[1] = job_make(name + 1, PRODUCT_EROSION, class, name);
    job[2] = job_make(name + 2, PRODUCT_ANCHOR, class, name);
    jobs_await(&jobs, job[0], job[1]);
    jobs_park(&jobs, job[0]);
    jobs_await(&jobs, job[1], job[2]);
    jobs_park(&jobs, job[1]);
    jobs_push(&jobs, QUEUE_REGIONS, job[2]);
}

TEST(raising_reaches_all_that_is_rested_on)
{
    struct job *job[3];
    struct client client;
    chain_make(job, CLASS_BULK, 10);
    struct job *other = region_queued(5, CLASS_WAITING, 5 * S);
    assert_int_equal(jobs.begun[CLASS_BULK], 3);
    client_wait(&client, job[0], 1);
    assert_ptr_equal(first_of(QUEUE_REGIONS, JOBS_ALL_CLASSES), other);
    assert_true(jobs_raise(&jobs, job[0], CLASS_WAITING));
    for (int i = 0; i < 3; i++)
        assert_int_equal(job[i]->class, CLASS_WAITING);
    assert_ptr_equal(first_of(QUEUE_REGIONS, JOBS_ALL_CLASSES), job[2]);
    assert_null(first_of(QUEUE_REGIONS, 1u << CLASS_BULK));
    assert_int_equal(jobs.begun[CLASS_BULK], 0);
    assert_int_equal(jobs.begun[CLASS_WAITING], 4);
    assert_int_equal(metrics.queue_class[CLASS_WAITING], 1);
    assert_int_equal(metrics.queue_class[CLASS_BULK], 0);
    assert_false(jobs_raise(&jobs, job[0], CLASS_NEIGHBOUR)); /* never down */
    end(other);
    assert_int_equal(client_release(&client), 3);
}

TEST(jobs_that_join_raise)
{
    struct job *job[3];
    struct client client[2];
    chain_make(job, CLASS_BULK, 10);
    struct job *tile = job_make(1, PRODUCT_TILE, CLASS_NEIGHBOUR, 100);
    client_wait(&client[0], job[0], 1);
    client_wait(&client[1], tile, 1);
    jobs_await(&jobs, tile, job[1]);
    jobs_park(&jobs, tile);
    assert_int_equal(job[0]->class, CLASS_BULK); /* it is no more urgent for that */
    assert_int_equal(job[1]->class, CLASS_NEIGHBOUR);
    assert_int_equal(job[2]->class, CLASS_NEIGHBOUR);
    assert_int_equal(client_release(&client[0]), 1);
    assert_int_equal(client_release(&client[1]), 3);
}

TEST(what_nobody_wants_ends_at_once)
{
    struct job *job[3];
    struct client client[2];
    chain_make(job, CLASS_WAITING, 10);
    struct job *tile = job_make(1, PRODUCT_TILE, CLASS_WAITING, 100);
    jobs_await(&jobs, tile, job[2]);
    jobs_park(&jobs, tile);
    client_wait(&client[0], job[0], 1);
    client_wait(&client[1], tile, 1);
    assert_int_equal(jobs.tiles, 2);
    assert_int_equal(client_release(&client[0]), 2); /* the other one needs the anchor */
    assert_int_equal(jobs.tiles, 1);
    assert_int_equal(jobs.all, 2);
    jobs_take(&jobs, job[2]); /* under way from here on: kept */
    assert_int_equal(client_release(&client[1]), 1);
    assert_int_equal(jobs.all, 1);
    assert_false(jobs_wanted(job[2]));
    end(job[2]);
    assert_int_equal(jobs.all, 0);
    assert_int_equal(owners_freed, 0);
    refcount_release(&owner);
    assert_int_equal(owners_freed, 1); /* each job has given back what it held, and no more */
}

TEST(ends_take_along_what_only_they_needed)
{
    struct job *job[3], *ended = NULL;
    struct client client;
    struct waiter *out = NULL;
    chain_make(job, CLASS_WAITING, 10);
    struct job *other = region_queued(5, CLASS_WAITING, 5);
    struct job *tile = job_make(1, PRODUCT_TILE, CLASS_WAITING, 100);
    jobs_await(&jobs, tile, job[1]);
    jobs_await(&jobs, tile, other);
    jobs_park(&jobs, tile);
    client_wait(&client, tile, 1);
    jobs_take(&jobs,
              job[2]); /* fails: with it go all that rest on it, and with those what only they needed */
    jobs_end(&jobs, job[2], &ended, &out);
    assert_ptr_equal(out, &client.waiter);
    assert_null(out->next);
    assert_int_equal(free_ended(ended), 5);
    assert_int_equal(jobs.all, 0);
    assert_int_equal(metrics.queue_depth, 0);
    assert_int_equal(metrics.parked, 0);
    assert_int_equal(metrics.inflight, 0);
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

TEST(deadlines_are_in_order_whatever_they_are)
{
    static const uint64_t deadline[] = {50, 60, 60, 10, 55, 70, 5};
    enum { CLIENTS = sizeof deadline / sizeof *deadline };
    struct client client[CLIENTS];
    struct job *job = tile_queued(1, CLASS_WAITING, 1);
    uint64_t last = 0;
    int count = 0;
    for (int i = 0; i < CLIENTS; i++)
        client_wait(&client[i], job, deadline[i]);
    for (const struct waiter *waiter = jobs.soonest; waiter; waiter = waiter->later, count++) {
        assert_true(waiter->deadline_ns >= last);
        assert_ptr_equal(waiter->later ? waiter->later->earlier : jobs.latest, waiter);
        last = waiter->deadline_ns;
    }
    assert_int_equal(count, CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(client_release(&client[i]), i == CLIENTS - 1);
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

GROUP_EACH(pool_jobs, open_jobs, close_jobs);
