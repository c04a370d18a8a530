/*
 * Clients' shares of the pool: as plain data (server/jobs/jobs_flow.c), with times that are given, and in a pool whose one
 * worker is held inside a client's wake, as in test_pool.c.
 */
#include "pool_regions_kit.h"

#include "jobs_kit.h"

#define MS UINT64_C(1000000)

static struct job *queue(struct flow *of, uint64_t name, enum product product, enum metric_class class)
{
    struct job *job = job_of(of, name, product, class, name);
    jobs_push(&jobs, product == PRODUCT_TILE ? QUEUE_TILES : QUEUE_REGIONS, job);
    return job;
}

static struct job *next_of(unsigned classes, bool idle, uint64_t now_ns)
{
    return jobs_next(&jobs, &(struct jobs_may){now_ns, classes, idle});
}

/* The next job is made at a cost. Returns its flow's number; -1: there is none. */
static int serve(uint64_t cost_ns)
{
    struct job *job = next_of(JOBS_ALL_CLASSES, true, 1000);
    if (!job)
        return -1;
    struct flow *of = job->flow;
    jobs_take(&jobs, job);
    const enum metric_class class = job->class;
    jobs_begin(&jobs, job, 1);
    jobs_done(&jobs, of, class, cost_ns, 2);
    jobs.spent_ns += cost_ns;
    end(job);
    return (int)of->payer.client.low;
}

/* What a turn is thought to cost grows from a guess to what tiles cost in fact: who was served before owes no more than he had. */
TEST(shares_are_of_time_while_a_turn_grows, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    uint64_t had_ns[2] = {0}, name = 1;
    for (int i = 0; i < 200; i++)
        for (int f = 0; f < 2; f++)
            queue(flow[f], name++, PRODUCT_TILE, CLASS_WAITING);
    for (int i = 0; i < 100; i++) {
        jobs.tile_ns = i == 0 ? 20 * MS : 1600 * MS;
        had_ns[serve(200 * MS)] += 200 * MS;
        assert_true(had_ns[0] <= had_ns[1] + 3400 * MS && had_ns[1] <= had_ns[0] + 3400 * MS);
    }
    while (serve(MS) >= 0)
        continue;
}

/* One who owes much is served while the others rest. Who comes then has his turn long before that is paid. */
TEST(a_debt_is_not_others, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    uint64_t name = 1;
    for (int i = 0; i < 200; i++)
        queue(flow[0], name++, PRODUCT_TILE, CLASS_WAITING);
    struct job *mine = queue(flow[1], name++, PRODUCT_TILE, CLASS_WAITING);
    assert_int_equal(serve(10000 * MS), 0);
    jobs.tile_ns = 20 * MS;
    jobs_take(&jobs, mine);
    assert_int_equal(serve(20 * MS), 0);
    jobs_push(&jobs, QUEUE_TILES, mine);
    for (int i = 0; i < 200; i++)
        queue(flow[1], name++, PRODUCT_TILE, CLASS_WAITING);
    struct flow *newcomer = jobs_flow(&jobs, &(struct payer){.client = {.low = 9, .high = 3}});
    queue(newcomer, name++, PRODUCT_TILE, CLASS_WAITING);
    jobs_flow_drop(&jobs, newcomer);
    int before = 0;
    for (; serve(20 * MS) != 9; before++)
        assert_true(before < 10);
    while (serve(MS) >= 0)
        continue;
}

/* Who comes is behind those who are there, and before them when they have had their turn. */
TEST(turns_go_round, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    uint64_t name = 1;
    for (int f = 0; f < 3; f++)
        for (int i = 0; i < 30; i++)
            queue(flow[f], name++, PRODUCT_TILE, CLASS_WAITING);
    jobs.tile_ns = 100 * MS;
    for (int i = 0; i < 30; i++)
        assert_int_equal(serve(100 * MS), i / 2 % 3); /* two tiles a turn */
    jobs_flow_drop(&jobs, flow[2]);
    flow[2] = flow_of(2); /* it has jobs: no new start */
    for (int i = 0; i < 12; i++)
        assert_int_equal(serve(100 * MS), i / 2 % 3);
    assert_int_equal(serve(900 * MS),
                     0); /* four turns and a half in one: it waits for as many of the others' */
    int others = 0;
    while (serve(100 * MS) != 0)
        others++;
    assert_in_range(others, 12, 24);
    while (serve(MS) >= 0)
        continue;
}

/* Nor is a debt forgotten while a client has nothing to ask, as one that asks for each tile when it has the last. */
TEST(a_debt_outlasts_a_pause, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    uint64_t name = 1;
    jobs.tile_ns = 100 * MS;
    jobs.askers = 2;
    for (int i = 0; i < 100; i++)
        queue(flow[1], name++, PRODUCT_TILE, CLASS_WAITING);
    for (int pause = 0; pause < 5; pause++) {
        int others = 0;
        queue(flow[0], name++, PRODUCT_TILE, CLASS_WAITING);
        jobs_flow_drop(&jobs, flow[0]); /* its job holds it */
        while (serve(next_of(JOBS_ALL_CLASSES, true, 1000)->flow == flow[0] ? 900 * MS : 100 * MS) != 0)
            others++;
        flow[0] = flow_of(0);
        assert_true(pause == 0 || (others >= 7 && others <= 11));
    }
    flow[2]->start_ns =
        jobs.clock_ns + 20000 * MS; /* as one that came when turns were long, and used none of his */
    flow[2]->lead_ns = 20000 * MS;
    jobs_flow_drop(&jobs, flow[2]);
    flow[2] = flow_of(2);
    queue(flow[2], name++, PRODUCT_TILE, CLASS_WAITING);
    int others = 0;
    while (serve(100 * MS) != 2)
        others++;
    assert_true(others < 5);
    while (serve(MS) >= 0)
        continue;
    jobs.askers = 0;
}

/* Of one client as ever; between clients what is not due yet, or idle, comes after what is due. */
TEST(classes_come_before_shares, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    queue(flow[0], 1, PRODUCT_TILE, CLASS_BULK);
    queue(flow[1], 2, PRODUCT_TILE, CLASS_WAITING);
    queue(flow[2], 3, PRODUCT_TILE, CLASS_IDLE);
    flow[1]->start_ns = 900 * MS; /* its turn comes later, but it waits */
    assert_int_equal(next_of(JOBS_ALL_CLASSES, true, 10)->digest.low, 2);
    assert_int_equal(next_of(JOBS_ALL_CLASSES, true, 5000 * MS + 1)->digest.low,
                     1); /* it has waited for its time */
    end(next_of(JOBS_ALL_CLASSES, false, 10));
    assert_int_equal(next_of(JOBS_ALL_CLASSES, true, 10)->digest.low, 1);
    end(next_of(JOBS_ALL_CLASSES, false, 10));
    assert_null(next_of(JOBS_ALL_CLASSES, false, 10));
    end(next_of(JOBS_ALL_CLASSES, true, 10));
}

/* What may be begun is full of one client's: another one may begin his first. */
TEST(everybody_may_begin_one, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    struct job *region = queue(flow[0], 1, PRODUCT_EROSION, CLASS_WAITING);
    struct job *greedy = queue(flow[0], 2, PRODUCT_TILE, CLASS_WAITING);
    struct job *polite = queue(flow[1], 3, PRODUCT_TILE, CLASS_WAITING);
    assert_ptr_equal(next_of(0, true, 10), region);
    end(region);
    greedy->flow->begun++; /* it has begun one already */
    assert_ptr_equal(next_of(0, true, 10), polite);
    greedy->flow->begun--;
    end(greedy);
    end(polite);
}

static void client_wait(struct client *client, struct job *job, struct flow *of)
{
    memset(client, 0, sizeof *client);
    client->waiter.left = client_left;
    client->waiter.deadline_ns = 1000 * MS;
    jobs_wait(&jobs, job, &client->waiter, of);
}

/* What a tile that was begun rests on comes before others' tiles, though its client has had as much: something gets done. */
TEST(what_was_begun_is_finished, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    struct job *first = queue(flow[0], 1, PRODUCT_TILE, CLASS_WAITING);
    struct job *second = queue(flow[1], 6, PRODUCT_TILE, CLASS_WAITING);
    struct client client = {0};
    client_wait(&client, first, flow[0]);
    assert_ptr_equal(next_of(JOBS_ALL_CLASSES, true, 10), first);
    jobs_take(&jobs, first);
    jobs_begin(&jobs, first, 10);
    struct job *region = queue(flow[0], 3, PRODUCT_EROSION, CLASS_WAITING);
    jobs_await(&jobs, first, region);
    jobs_park(&jobs, first);
    jobs.tile_ns = 100 * MS;
    jobs_done(&jobs, flow[0], CLASS_WAITING, 150 * MS, 20);
    assert_ptr_equal(next_of(JOBS_ALL_CLASSES, true, 10), region);
    struct job *third = queue(flow[0], 7, PRODUCT_TILE, CLASS_WAITING);
    jobs_take(&jobs, region);
    jobs_begin(&jobs, region, 10);
    jobs_done(&jobs, flow[0], CLASS_WAITING, 60 * MS, 30);
    end(region);
    assert_ptr_equal(next_of(JOBS_ALL_CLASSES, true, 10), second); /* the first one's turn is over */
    end(second);
    end(third);
}

/* Late is for whose client nothing is made; what has begun is waited for while anything is made at all. */
TEST(who_is_served_is_not_late, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    struct client begun, served, unserved, bound;
    struct job *first = queue(flow[0], 1, PRODUCT_TILE, CLASS_WAITING);
    client_wait(&begun, first, flow[0]);
    client_wait(&served, queue(flow[0], 2, PRODUCT_TILE, CLASS_WAITING), flow[0]);
    client_wait(&unserved, queue(flow[1], 3, PRODUCT_TILE, CLASS_WAITING), flow[1]);
    client_wait(&bound, served.waiter.job, flow[0]);
    begun.waiter.until_ns = served.waiter.until_ns = unserved.waiter.until_ns = UINT64_MAX;
    bound.waiter.until_ns = 1200 * MS;
    assert_null(jobs_late(&jobs, 999 * MS, 1000 * MS));
    jobs_take(&jobs, first);
    jobs_begin(&jobs, first, 900 * MS);
    assert_ptr_equal(jobs_late(&jobs, 1500 * MS, 1000 * MS), &unserved.waiter);
    struct waiter *out = NULL;
    struct job *ended = NULL;
    jobs_release(&jobs, &unserved.waiter, &out, &ended);
    assert_ptr_equal(jobs_late(&jobs, 1500 * MS, 1000 * MS), &bound.waiter);
    jobs_release(&jobs, &bound.waiter, &out, &ended);
    assert_null(
        jobs_late(&jobs, (900 + 1000 * POOL_IN_HAND - 1) * MS, 1000 * MS)); /* as long as that is in hand */
    jobs_done(&jobs, flow[0], CLASS_WAITING, MS, 11000 * MS);
    assert_null(jobs_late(&jobs, 11999 * MS, 1000 * MS));
    assert_ptr_equal(jobs_late(&jobs, 13000 * MS, 1000 * MS), &served.waiter);
    jobs_release(&jobs, &served.waiter, &out, &ended);
    jobs.real_ns = 12000 * MS; /* another client's */
    assert_null(jobs_late(&jobs, (12000 + 1000 * POOL_IN_HAND - 1) * MS, 1000 * MS));
    assert_ptr_equal(jobs_late(&jobs, (13000 + 1000 * POOL_IN_HAND) * MS, 1000 * MS), &begun.waiter);
    end(first);
    jobs_free(ended);
}

/* Nor is who joins what was made for nobody while all was quiet, long ago though the last other work is. */
TEST(who_joins_idle_work_is_not_late, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    struct client joins;
    struct job *job = queue(flow[0], 1, PRODUCT_TILE, CLASS_IDLE);
    jobs_take(&jobs, job);
    jobs_begin(&jobs, job, 900000 * MS);
    client_wait(&joins, job, flow[1]);
    joins.waiter.deadline_ns = 901000 * MS;
    joins.waiter.until_ns = UINT64_MAX;
    jobs_raise(&jobs, job, CLASS_WAITING);
    assert_null(jobs_late(&jobs, (900000 + 1000 * POOL_IN_HAND - 1) * MS, 1000 * MS));
    assert_ptr_equal(jobs_late(&jobs, (901000 + 1000 * POOL_IN_HAND) * MS, 1000 * MS), &joins.waiter);
    jobs_done(&jobs, flow[0], CLASS_IDLE, MS, 920000 * MS);
    end(job);
}

static unsigned length(const struct waiter *waiter)
{
    unsigned n = 0;
    for (; waiter; waiter = waiter->next)
        n++;
    return n;
}

/* A region that a greedy client waits for is made in the turn of a polite one who needs it, too. */
TEST(what_two_want_is_made_in_the_earlier_turn, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    struct client client[2];
    struct job *greedy = job_of(flow[0], 1, PRODUCT_TILE, CLASS_WAITING, 1);
    struct job *polite = job_of(flow[1], 2, PRODUCT_TILE, CLASS_WAITING, 2);
    struct job *region = queue(flow[0], 3, PRODUCT_EROSION, CLASS_WAITING);
    flow[0]->start_ns = 900 * MS;
    client_wait(&client[0], greedy, flow[0]);
    client_wait(&client[1], polite, flow[1]);
    jobs_await(&jobs, greedy, region);
    jobs_park(&jobs, greedy);
    assert_ptr_equal(region->flow, flow[0]);
    jobs_await(&jobs, polite, region);
    jobs_park(&jobs, polite);
    assert_ptr_equal(region->flow, flow[1]);
    assert_int_equal(flow[0]->begun + flow[1]->begun, 3);

    /* the polite one is refused, and what is left is the other one's */
    struct job *ended = NULL;
    struct waiter *out = NULL;
    jobs_refuse(&jobs, flow[1], &ended, &out);
    assert_ptr_equal(out, &client[1].waiter);
    assert_ptr_equal(ended, polite);
    assert_null(ended->next);
    jobs_free(ended);
    assert_ptr_equal(region->flow, flow[0]);
    ended = NULL;
    out = NULL;
    jobs_refuse(&jobs, flow[0], &ended, &out);
    assert_int_equal(length(out), 1);
    jobs_free(ended);
    assert_int_equal(jobs.all, 0);
}

/* The youngest of whoever holds most goes first, but not where somebody else's client waits for it, too. */
TEST(who_holds_most_gives_way, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    struct client client[6];
    struct job *job[6], *ended = NULL;
    struct waiter *out = NULL;
    for (uint64_t i = 0; i < 5; i++) {
        job[i] = queue(flow[0], i + 1, PRODUCT_TILE, i < 2 ? CLASS_BULK : CLASS_WAITING);
        client_wait(&client[i], job[i], flow[0]);
    }
    client_wait(&client[5], job[4], flow[1]);
    assert_ptr_equal(jobs_largest(&jobs, CLASSES), flow[0]);
    assert_null(jobs_largest(&jobs, CLASS_NEIGHBOUR));
    assert_true(jobs_push_out(&jobs, flow[0], CLASS_WAITING, &ended, &out));
    assert_ptr_equal(ended, job[3]);
    assert_true(jobs_push_out(&jobs, flow[0], CLASSES, &ended, &out)); /* of the least urgent */
    assert_ptr_equal(ended, job[1]);
    assert_true(jobs_push_out(&jobs, flow[0], CLASS_WAITING, &ended, &out));
    assert_false(jobs_push_out(&jobs, flow[0], CLASS_WAITING, &ended, &out));
    assert_int_equal(length(out), 3);
    jobs_free(ended);
    end(job[0]);
    end(job[4]);
}

/* Many clients come and go: all are counted, none is kept for ever. */
TEST(flows_are_remembered_for_a_while, .setup_func = open_jobs, .teardown_func = close_jobs)
{
    for (uint64_t i = 100; i < 5000; i++) {
        struct flow *of = jobs_flow(&jobs, &(struct payer){.client = {.low = i, .high = i}});
        end(queue(of, i, PRODUCT_TILE, CLASS_WAITING));
        jobs_flow_drop(&jobs, of);
    }
    assert_int_equal(jobs.idle, 1024);
}

static void submit_for(struct client *client, int64_t x, struct payer payer)
{
    memset(client, 0, sizeof *client);
    submit_ask(client, AT(x), (struct pool_ask){.payer = payer});
}

static struct payer payer_of(uint64_t name)
{
    return (struct payer){.client = {.low = name, .high = name}};
}

/* A queue that one client fills has room for another, and for a third; whose tiles give way is told so. */
BOTH(a_full_queue_has_room_for_others)
{
    enum { QUEUE = 10 };
    struct client crowd[QUEUE], other[3];

    stage_open_held(state, QUEUE);
    for (int i = 0; i < QUEUE; i++)
        submit_for(&crowd[i], i, payer_of(1));
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], QUEUE);
    for (int i = 0; i < 3; i++) {
        submit_for(&other[i], 100 + i, payer_of(2 + (uint64_t)i));
        wait_for(1); /* one of the crowd */
    }
    assert_int_equal(metrics_read(&stage.metrics.pushed_out), 3);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], QUEUE);
    stage_release();
    wait_for(QUEUE);
    assert_all(other, 3, POOL_DONE);
    for (int i = 0; i < QUEUE; i++) {
        assert_true((i >= QUEUE - 3) == (crowd[i].waiter.outcome == POOL_OVER)); /* the youngest */
        blob_release(crowd[i].waiter.blob);
    }
    stage_close();
}

/* A client with a token who owes a second at once: what waits is refused, others' is made. */
BOTH(who_owes_too_much_is_refused)
{
    struct clients *clients = clients_create();
    const struct payer poor = {clients, {5, 5}, {1, 1}}, rich = {clients, {6, 6}, {1000, 1000}};
    struct client mine[3], other;

    assert_non_null(clients);
    stage_open_held(state, 100);
    for (int i = 0; i < 3; i++)
        submit_for(&mine[i], i, poor);
    submit_for(&other, 2, rich);                              /* the third one of them */
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 3); /* all have been looked for */
    clients_charge(&poor, 2 * (uint64_t)CLIENTS_DEBT_NS, uv_hrtime());
    stage_release();
    wait_for(4);
    assert_all(mine, 3, POOL_OVER);
    assert_all(&other, 1, POOL_DONE);
    assert_int_equal(renders(), 2);
    stage_close();
    clients_free(clients);
}

BOTH(idle_work_waits_for_quiet)
{
    struct client client = {0};

    clock_stop();
    stage_open_held(state, 100);
    assert_int_equal(prefetch_as(AT(7), CLASS_IDLE), PREFETCH_QUEUED);
    submit_at(&client, 1);
    stage_release();
    wait_end(&client, 1, POOL_DONE);
    pool_tick(stage.pool);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 0);
    for (unsigned in_hand = 1; in_hand > 0; uv_sleep(1)) { /* its turn ends after its wake */
        uv_mutex_lock(&stage.pool->lock);
        in_hand = stage.pool->jobs.real_in_hand;
        uv_mutex_unlock(&stage.pool->lock);
    }
    clock_pass(5 * POOL_QUIET_MS); /* of a single worker; no more, or the prefetch ends */
    AWAIT((pool_tick(stage.pool), metrics_read(&stage.metrics.prefetch_made) == 1));
    stage_close();
}

/* A tile that was begun for nobody, and rests on what waits for quiet, is made at once when somebody asks for it. */
BOTH(who_asks_for_idle_work_wakes_it)
{
    struct client client = {0}, hurry = {0};
    const struct tile_key key = eroded_at(2, 7, 9, LAYER_HEIGHT);

    eroding_open(state, 1, 100, FOREVER_MS, 64 << 20);
    hold_region();
    assert_int_equal(prefetch_as(&key, CLASS_IDLE), PREFETCH_QUEUED);
    uv_sem_wait(&holding); /* begun, since all is quiet: its anchor is being made */
    submit_at(&hurry, 1);  /* no longer quiet */
    submit_as(&client, &key, CLASS_WAITING);
    release_region();
    wait_for(2);
    assert_all(&client, 1, POOL_DONE);
    assert_all(&hurry, 1, POOL_DONE);
    stage_close();
}

static atomic_int runs;

static void count_run(struct waiter *waiter)
{
    assert_null(waiter->blob);
    atomic_fetch_add(&runs, 1);
}

static bool run_for(struct client *client)
{
    const struct payer payer = payer_of(3);
    memset(client, 0, sizeof *client);
    client->waiter.wake = client_wake;
    client->waiter.left = client_left;
    atomic_store(&client->gone, true); /* nobody asks */
    return client->waits = pool_run(stage.pool, &payer, CLASS_WAITING, count_run, &client->waiter);
}

BOTH(what_is_run_is_run_once)
{
    struct client client[20];

    atomic_store(&runs, 0);
    stage_open(state, 2, 1, 1);
    for (int i = 0; i < 20; i++)
        assert_true(run_for(&client[i]));
    pool_tick(stage.pool);
    wait_for(20);
    assert_int_equal(atomic_load(&runs), 20);
    assert_all(client, 20, POOL_DONE);
    stage_close();
}

/* Nor does it make tiles seem dear: turns stay as long as two of them. */
BOTH(what_is_run_is_no_part_of_a_tile)
{
    struct client client;
    uint64_t spent_ns;
    unsigned in_hand;

    stage_open(state, 1, 1, FOREVER_MS);
    assert_true(run_for(&client));
    wait_end(&client, 1, POOL_DONE);
    do {
        uv_mutex_lock(&stage.pool->lock);
        in_hand = stage.pool->jobs.real_in_hand;
        spent_ns = stage.pool->jobs.spent_ns;
        uv_mutex_unlock(&stage.pool->lock);
        uv_sleep(1);
    } while (in_hand > 0);
    assert_int_equal(spent_ns, 0);
    stage_close();
}

static struct flow *pool_flow_of(uint64_t name)
{
    const struct payer payer = payer_of(name);
    return jobs_flow(&stage.pool->jobs, &payer);
}

/* While a region is looked for on the disk, somebody else comes to need it, whose turn is sooner. */
TEST(what_is_looked_for_is_made_in_the_earlier_turn, .initial_state = &with_disk)
{
    static const enum tile_layer layers[] = {LAYER_HEIGHT, LAYER_NORMAL};
    struct client client[2] = {0};
    struct flow *of[2];

    eroding_open(state, 1, 100, FOREVER_MS, 64 << 20);
    stage_hold();
    for (uint64_t i = 0; i < 2; i++) { /* of the same region */
        const struct tile_key key = eroded_at(2, 7, 9, layers[i]);
        submit_ask(&client[i], &key, (struct pool_ask){.payer = payer_of(1 + i)});
    }
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    atomic_store(&disk_hangs, true);
    stage_release();
    uv_sem_wait(&holding);
    wait_gauge(&stage.metrics.parked, 2);
    uv_mutex_lock(&stage.pool->lock);
    for (uint64_t i = 0; i < 2; i++)
        of[i] = pool_flow_of(1 + i);
    struct flow *const first = stage.pool->looking->flow; /* whose tile was begun first */
    first->start_ns += 3600000 * MS;
    uv_mutex_unlock(&stage.pool->lock);
    hold_region();
    uv_sem_post(&disk_go);
    uv_sem_wait(&holding);
    uv_mutex_lock(&stage.pool->lock);
    assert_int_equal(of[0]->in_hand + of[1]->in_hand, 1);
    assert_int_equal(first->in_hand, 0);
    for (int i = 0; i < 2; i++)
        jobs_flow_drop(&stage.pool->jobs, of[i]);
    uv_mutex_unlock(&stage.pool->lock);
    release_region();
    wait_end(client, 2, POOL_DONE);
    stage_close();
}

BOTH(what_is_to_run_ends_with_the_pool)
{
    struct client client, late;

    atomic_store(&runs, 0);
    stage_open_held(state, 1);
    assert_true(run_for(&client));
    pool_refuse(stage.pool);
    wait_end(&client, 1, POOL_STOPPED);
    assert_false(run_for(&late));
    assert_int_equal(late.waiter.outcome, POOL_STOPPED);
    stage_release();
    assert_int_equal(atomic_load(&runs), 0);
    stage_close();
}

POOL_GROUP(pool_flows);
