/*
 * The render pool under more than it can make: classes, room, clients that leave, prefetches, and limits that change.
 * Workers are held inside a client's wake, as in test_pool.c.
 */
#include "pool_kit.h"

enum { LEAVE_MS = 100, TICK_MS = 10 };

static bool has_at(int64_t x)
{
    const struct digest digest = tile_key_digest(AT(x), &stage.world);

    return pool_has(stage.pool, &digest);
}

static uint64_t count_of(const struct histogram *histogram)
{
    uint64_t sum = 0;

    for (int i = 0; i <= METRIC_BUCKETS; i++)
        sum += atomic_load(&histogram->bucket[i]);
    return sum;
}

/* And how long each has waited is told by its class. */
BOTH(who_waits_comes_first)
{
    static const enum metric_class class[] = {CLASS_BULK,    CLASS_BULK,    CLASS_NEIGHBOUR, CLASS_NEIGHBOUR,
                                              CLASS_WAITING, CLASS_WAITING, CLASS_BULK};
    static const int turn[] = {1, 7, 5, 6, 3, 4, 8}; /* 0: the holder's; two are woken for the first job */
    static const int waits[CLASSES] = {[CLASS_WAITING] = 4, [CLASS_NEIGHBOUR] = 2, [CLASS_BULK] = 2};
    enum { CLIENTS = sizeof class / sizeof *class };
    struct client client[CLIENTS] = {0}, joins = {0};

    stage_open_held(state, 100);
    for (int i = 0; i < CLIENTS; i++)
        submit_as(&client[i], AT(i), class[i]);
    wait_gauge(&stage.metrics.queue_class[CLASS_BULK], 3);
    wait_gauge(&stage.metrics.queue_class[CLASS_NEIGHBOUR], 2);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    submit_as(&joins, AT(0), CLASS_WAITING); /* and so the first is as urgent, and the oldest */
    stage_release();
    wait_for(CLIENTS + 1);
    for (int i = 1; i < CLIENTS; i++)
        assert_int_equal(client[i].turn, turn[i]);
    assert_all(client, CLIENTS, POOL_DONE);
    assert_int_equal(client[0].turn + joins.turn, 1 + 2);
    assert_all(&joins, 1, POOL_DONE);
    for (int c = 0; c < CLASSES; c++)
        assert_int_equal(count_of(&stage.metrics.wait[c]), waits[c]);
    stage_close();
}

BOTH(only_who_waits_fills_the_queue)
{
    enum { QUEUE = 8, ASKS = QUEUE + 2 };
    static const int room[] = {QUEUE, QUEUE / 2, QUEUE / 4}; /* of CLASS_IDLE: it is in nobody's way */
    const bool *const disk = *state;
    struct client client[CLASS_IDLE][ASKS] = {0}, joining = {0};
    int at = 0, taken = 0, places[CLASS_IDLE];

    stage_open_held(state, QUEUE);
    for (int class = CLASS_BULK; class >= CLASS_WAITING; class --) {
        for (int i = 0; i < ASKS; i++)
            submit_as(&client[class][i], AT(at++), (enum metric_class) class);
        const int free = QUEUE - taken;
        places[class] = room[class] < free ? room[class] : free;
        wait_counter(&stage.metrics.refused[class], (uint64_t)(ASKS - places[class]));
        taken += places[class];
        wait_gauge(&stage.metrics.queue_depth, taken); /* while the worker is held: looking is not its work */
    }
    for (int i = 0; i < ASKS; i++) /* without a disk it is known at once */
        assert_int_equal(client[CLASS_WAITING][i].waits, *disk || i < places[CLASS_WAITING]);
    submit_at(&joining, 0); /* joining takes no room */
    assert_true(joining.waits);
    assert_int_equal(prefetch_as(AT(1000), CLASS_NEIGHBOUR), PREFETCH_REFUSED);
    stage_release();
    for (int class = 0; class < CLASS_IDLE; class ++)
        for (int i = 0; i < ASKS; i++)
            if (client[class][i].waits)
                wait_for(1);
    wait_end(&joining, 1, POOL_DONE);
    for (int class = 0; class < CLASS_IDLE; class ++)
        for (int i = 0; i < ASKS; i++) {
            assert_outcome(&client[class][i], i < places[class] ? POOL_DONE : POOL_FULL);
            blob_release(client[class][i].waiter.blob);
        }
    assert_int_equal(renders(), 1 + QUEUE);
    stage_close();

    struct client few[CLASSES] = {0}; /* of a queue of one, everybody may have that one */
    for (int class = 0; class < CLASSES; class ++) {
        stage_open(state, 1, 1, FOREVER_MS);
        submit_as(&few[class], AT(1), (enum metric_class) class);
        assert_true(few[class].waits);
        wait_end(&few[class], 1, POOL_DONE);
        stage_close();
    }
}

/* Among thousands who stay, who leaves is found in as many ticks as there are in the time that is promised. */
BOTH(leavers_are_found_among_many)
{
    enum { CLIENTS = 5000, APART = 499 };
    static struct client client[CLIENTS];
    struct client late = {0};
    int leavers = 0;

    memset(client, 0, sizeof client);
    stage_open_held(state, 10);
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&client[i], i % 5);
    pool_tick(stage.pool);
    for (int i = 0; i < CLIENTS; i += APART, leavers++)
        atomic_store(&client[i].gone, true);
    for (int tick = 0; tick < LEAVE_MS / TICK_MS; tick++)
        pool_tick(stage.pool);
    wait_for(leavers);
    assert_int_equal(metrics_read(&stage.metrics.left), leavers);
    assert_int_equal(atomic_load(&stage.metrics.inflight), CLIENTS - leavers);
    pool_refuse(stage.pool);
    wait_for(CLIENTS - leavers);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], i % APART == 0 ? POOL_GONE : POOL_STOPPED);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    for (int k = 0; k < 2; k++) { /* what is in memory, too */
        submit_at(&late, k ? HELD_X : 1);
        assert_false(late.waits);
        assert_outcome(&late, POOL_STOPPED);
    }
    stage_release();
    assert_int_equal(renders(), 1);
    stage_close();
}

static void prefetch_and_wait(int64_t x)
{
    assert_int_equal(prefetch_as(AT(x), CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    AWAIT(!has_at(x));
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 1);
}

/* And what is on disk is fetched, not made. */
BOTH(prefetched_tiles_are_used_once)
{
    const bool *const disk = *state;
    struct client client[3] = {0};

    stage_open(state, 1, 8, FOREVER_MS);
    prefetch_and_wait(1);
    assert_int_equal(prefetch_as(AT(1), CLASS_NEIGHBOUR), PREFETCH_CACHED);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 0);
    for (int i = 0; i < (*disk ? 3 : 2); i++) {
        if (i == 2) {
            stage_reopen(1, 8);
            prefetch_and_wait(1);
        }
        submit_at(&client[i], 1);
        assert_false(client[i].waits);
        assert_int_equal(client[i].waiter.tier, TIER_MEMORY);
        assert_false(atomic_load(&client[i].waiter.blob->prefetched));
        assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 1);
        blob_release(client[i].waiter.blob);
    }
    assert_int_equal(renders(), 1);
    assert_int_equal(metrics_read(&stage.metrics.coalesced), 0);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_dropped), 0);
    stage_close();
}

enum { TOKENS = 5 };

static int64_t tokens_left(const struct payer *payer)
{
    return clients_left_ns(payer, uv_hrtime()) / CLIENTS_TOKEN_NS;
}

/* Takes a token, as POST /prefetch does. */
static void prefetch_paid(int64_t x, const struct payer *payer)
{
    const struct tile_key key = key_at(x);
    const struct digest digest = tile_key_digest(&key, &stage.world);
    const struct pool_ask ask = {.key = &key,
                                 .digest = &digest,
                                 .world = &stage.world,
                                 .class = CLASS_NEIGHBOUR,
                                 .payer = *payer,
                                 .lent = true};

    assert_int_equal(
        clients_take(payer->clients, &payer->client, BUCKET_RENDERS, &payer->rate, 1, 1, uv_hrtime()), 0);
    assert_int_equal(pool_prefetch(stage.pool, &ask), PREFETCH_QUEUED);
}

/* What is on disk, and what is not made, costs no render. */
TEST(prefetches_pay_for_what_is_made, .initial_state = &with_disk)
{
    struct clients *clients = clients_create();
    const struct payer payer = {clients, {5, 5}, {1, TOKENS}};

    assert_non_null(clients);
    clock_stop(); /* no token comes by itself */
    stage_open(state, 1, 8, FOREVER_MS);
    prefetch_paid(1, &payer);
    AWAIT(!has_at(1));
    stage_reopen(1, 8); /* its job has ended, with all that it gives back */
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 1);
    assert_int_equal(tokens_left(&payer), TOKENS - 1);
    prefetch_paid(1, &payer);
    AWAIT(tokens_left(&payer) == TOKENS - 1);
    assert_int_equal(metrics_read(&stage.metrics.hits[TIER_DISK]), 1);
    stage_hold();
    prefetch_paid(2, &payer);
    assert_int_equal(tokens_left(&payer), TOKENS - 2);
    clock_pass(POOL_PREFETCH_MS);
    AWAIT((pool_tick(stage.pool), tokens_left(&payer) == TOKENS - 1)); /* when the disk has been looked at */
    assert_false(has_at(2));
    stage_release();
    stage_close();
    clients_free(clients);
}

BOTH(prefetches_may_be_joined)
{
    struct client client = {0}, other = {0};

    stage_open_held(state, 8);
    assert_int_equal(prefetch_as(AT(1), CLASS_BULK), PREFETCH_QUEUED);
    assert_int_equal(prefetch_as(AT(1), CLASS_NEIGHBOUR), PREFETCH_CACHED);
    assert_true(has_at(1));
    submit_at(&other, 2);
    submit_at(&client, 1);
    assert_true(client.waits);
    stage_release();
    wait_for(2);
    assert_true(client.turn < other.turn); /* it has been raised */
    assert_int_equal(client.waiter.tier, TIER_COALESCED);
    assert_false(atomic_load(&client.waiter.blob->prefetched));
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 1);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 1);
    assert_all(&client, 1, POOL_DONE);
    assert_all(&other, 1, POOL_DONE);
    stage_close();
}

/* Who leaves a tile that was prefetched leaves it to the prefetch. */
BOTH(prefetches_end_with_the_pool)
{
    struct client client = {0};

    stage_open_held(state, 8);
    assert_int_equal(prefetch_as(AT(1), CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    assert_int_equal(prefetch_as(AT(2), CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    submit_at(&client, 2);
    atomic_store(&client.gone, true);
    pool_tick(stage.pool);
    wait_end(&client, 1, POOL_GONE);
    assert_true(has_at(1) && has_at(2));
    pool_refuse(stage.pool);
    assert_int_equal(prefetch_as(AT(3), CLASS_NEIGHBOUR), PREFETCH_REFUSED);
    stage_release();
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(renders(), 1);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 0);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_dropped), 1); /* the other one had been asked for */
    assert_int_equal(metrics_read(&stage.metrics.dropped), 1);
    stage_close();
}

BOTH(limits_hold_for_those_who_come_after)
{
    enum { SHORT_MS = 20 };
    const bool *const disk = *state;
    struct client client[6] = {0};

    clock_stop();
    stage_open_held(state, 2);
    submit_at(&client[0], 0);
    submit_at(&client[1], 1);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    submit_at(&client[2], 2);
    if (*disk)
        wait_for(1);
    assert_outcome(&client[2], POOL_FULL);
    pool_limit(stage.pool, 4, SHORT_MS);
    submit_at(&client[3], 3);
    submit_at(&client[4], 4);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 4);
    clock_pass(POOL_IN_HAND * SHORT_MS);
    pool_tick(stage.pool);
    wait_for(2);
    assert_outcome(&client[3], POOL_EXPIRED); /* though others came before */
    assert_outcome(&client[4], POOL_EXPIRED);
    pool_limit(stage.pool, 1, FOREVER_MS);
    submit_at(&client[5], 5); /* more wait already than may now: they stay */
    if (*disk)
        wait_for(1);
    assert_outcome(&client[5], POOL_FULL);
    stage_release();
    wait_end(client, 2, POOL_DONE);
    stage_close();
}

/* ---- Naps --------------------------------------------------------------------------------------------------
 * Who is refused for want of room is woken in turn when there is some, when his time is up, and when the pool stops; and nobody who asks
 * again comes before him. */

static void nap(struct client *client, enum metric_class class, unsigned ms, uint64_t since_ns)
{
    client->waiter.wake = client_wake;
    client->waiter.since_ns = since_ns;
    client->waiter.client = (struct client_id){0};
    client->waits = pool_backpressure(stage.pool, &client->waiter, class, ms);
    assert_true(client->waits);
}

static bool again(struct client *client, int64_t x, bool turn)
{
    submit_ask(client, AT(x), (struct pool_ask){.again = true, .turn = turn});
    return client->waits;
}

BOTH(naps_end_in_time)
{
    struct client client = {0};

    clock_stop();
    stage_open(state, 1, 4, FOREVER_MS);
    nap(&client, CLASSES, 30, 0);
    clock_pass(29);
    pool_tick(stage.pool);
    assert_int_equal(atomic_load(&client.wakes), 0);
    clock_pass(1);
    pool_tick(stage.pool);
    wait_end(&client, 1, POOL_FULL);
    stage_close();
}

TEST(room_comes_in_turn, .initial_state = &without)
{
    struct client tile[2] = {0}, napper[3] = {0}, late = {0};

    stage_open_held(state, 2);
    submit_at(&tile[0], 1);
    submit_at(&tile[1], 2);
    assert_false(again(&late, 3, false));
    assert_int_equal(late.waiter.outcome, POOL_FULL);
    assert_int_equal(metrics_read(&stage.metrics.refused[CLASS_WAITING]), 0);
    for (int i = 0; i < 3; i++)
        nap(&napper[i], CLASS_WAITING, FOREVER_MS, 9 - (uint64_t)i);
    pool_tick(stage.pool);
    assert_int_equal(atomic_load(&napper[0].wakes), 0); /* no room */
    stage_release();
    wait_for(2);
    pool_tick(stage.pool);
    wait_for(2);
    assert_int_equal(atomic_load(&napper[2].wakes) + atomic_load(&napper[1].wakes), 2);
    assert_int_equal(atomic_load(&napper[0].wakes), 0); /* room for two: he came last */
    assert_int_equal(napper[2].waiter.outcome, POOL_DONE);
    assert_false(again(&late, 4, false)); /* another naps */
    assert_true(again(&late, 4, true));   /* but it is this one's turn */
    wait_end(&late, 1, POOL_DONE);
    pool_tick(stage.pool);
    wait_for(1);
    assert_int_equal(atomic_load(&napper[0].wakes), 1);
    assert_true(again(&late, 5, false)); /* nobody naps any more */
    wait_for(1);
    blob_release(late.waiter.blob);
    for (int i = 0; i < 2; i++)
        blob_release(tile[i].waiter.blob);
    stage_close();
}

BOTH(naps_end_with_the_pool)
{
    struct client client[2] = {0};

    stage_open(state, 1, 4, FOREVER_MS);
    nap(&client[0], CLASSES, FOREVER_MS, 0);
    stage_hold();
    nap(&client[1], CLASS_BULK, FOREVER_MS, 0);
    pool_refuse(stage.pool);
    wait_end(client, 2, POOL_STOPPED);
    assert_false(pool_backpressure(stage.pool, &client[0].waiter, CLASSES, 1));
    stage_release();
    stage_close();
}

POOL_GROUP(pool_classes);
