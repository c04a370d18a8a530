/*
 * The render pool under more than it can make: classes, room, clients that leave, prefetches, owners, and limits that change.
 * Workers are held inside a client's wake, as in test_pool.c.
 */
#include "../../../server/encode/encode.h"
#include "../unit.h"

#include "pool_kit.h"

enum { LEAVE_MS = 100, TICK_MS = 10 };

static void submit_class(struct stage *stage, struct client *client, int64_t x, enum metric_class class)
{
    const struct tile_key key = key_at(x);

    submit_as(stage, client, &key, class, NULL);
}

static enum metric_prefetch prefetch_at(struct stage *stage, int64_t x, enum metric_class class)
{
    const struct tile_key key = key_at(x);
    const struct digest digest = tile_key_digest(&key, &stage->world);

    return pool_prefetch(
        stage->pool,
        &(struct pool_ask){.key = &key, .digest = &digest, .world = &stage->world, .class = class});
}

static bool has_at(struct stage *stage, int64_t x)
{
    const struct tile_key key = key_at(x);
    const struct digest digest = tile_key_digest(&key, &stage->world);

    return pool_has(stage->pool, &digest);
}

static void wait_counter(const atomic_uint_fast64_t *counter, uint64_t value)
{
    for (int ms = 0; ms < 20000 && metrics_read(counter) != value; ms++)
        uv_sleep(1);
    assert_int_equal(metrics_read(counter), value);
}

BOTH(who_waits_comes_first)
{
    static const enum metric_class class[] = {CLASS_BULK,    CLASS_BULK,    CLASS_NEIGHBOUR, CLASS_NEIGHBOUR,
                                              CLASS_WAITING, CLASS_WAITING, CLASS_BULK};
    static const int turn[] = {1, 7, 5, 6, 3, 4, 8}; /* 0: the holder's; two are woken for the first job */
    enum { CLIENTS = sizeof class / sizeof *class };
    struct client client[CLIENTS] = {0}, joins = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 100, FOREVER_MS);
    stage_hold(&stage);
    for (int i = 0; i < CLIENTS; i++) {
        submit_class(&stage, &client[i], i, class[i]);
        assert_true(client[i].waits);
    }
    wait_gauge(&stage.metrics.queue_class[CLASS_BULK], 3);
    wait_gauge(&stage.metrics.queue_class[CLASS_NEIGHBOUR], 2);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    submit_class(&stage, &joins, 0, CLASS_WAITING); /* and so the first is as urgent, and the oldest */
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_BULK]), 2);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), 3);
    stage_release(&stage);
    wait_for(CLIENTS + 1);
    for (int i = 0; i < CLIENTS; i++) {
        assert_outcome(&client[i], POOL_DONE);
        if (i > 0)
            assert_int_equal(client[i].turn, turn[i]);
        blob_release(client[i].waiter.blob);
    }
    assert_in_range(client[0].turn, 1, 2);
    assert_in_range(joins.turn, 1, 2);
    blob_release(joins.waiter.blob);
    for (int c = 0; c < CLASSES; c++)
        assert_int_equal(atomic_load(&stage.metrics.queue_class[c]), 0);
    stage_close(&stage);
}

static uint64_t count_of(const struct histogram *histogram)
{
    uint64_t sum = 0;

    for (int i = 0; i <= METRIC_BUCKETS; i++)
        sum += atomic_load(&histogram->bucket[i]);
    return sum;
}

BOTH(waits_are_told_by_class)
{
    struct client client[CLASSES] = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 100, FOREVER_MS);
    for (int c = 0; c < CLASS_IDLE; c++)
        submit_class(&stage, &client[c], c, (enum metric_class)c);
    wait_for(CLASS_IDLE);
    for (int c = 0; c < CLASS_IDLE; c++) {
        assert_int_equal(count_of(&stage.metrics.wait[c]), 1);
        blob_release(client[c].waiter.blob);
    }
    stage_close(&stage);
}

BOTH(only_who_waits_fills_the_queue)
{
    enum { QUEUE = 8, ASKS = QUEUE + 2 };
    static const int room[] = {QUEUE, QUEUE / 2, QUEUE / 4}; /* of CLASS_IDLE: it is in nobody's way */
    struct client client[CLASS_IDLE][ASKS] = {0};
    struct stage stage;
    int at = 0, taken = 0;

    stage_open(&stage, state, 1, QUEUE, FOREVER_MS);
    stage_hold(&stage);
    for (int class = CLASS_BULK; class >= CLASS_WAITING; class --) {
        for (int i = 0; i < ASKS; i++)
            submit_class(&stage, &client[class][i], at++, (enum metric_class) class);
        const int free = QUEUE - taken, places = room[class] < free ? room[class] : free;
        wait_counter(&stage.metrics.refused[class], (uint64_t)(ASKS - places));
        taken += places;
        wait_gauge(&stage.metrics.queue_depth, taken);
    }
    assert_int_equal(prefetch_at(&stage, 1000, CLASS_NEIGHBOUR), PREFETCH_REFUSED);
    stage_release(&stage);
    for (int class = 0; class < CLASS_IDLE; class ++)
        for (int i = 0; i < ASKS; i++)
            if (client[class][i].waits)
                wait_for(1);
    for (int class = 0; class < CLASS_IDLE; class ++)
        for (int i = 0; i < ASKS; i++)
            blob_release(client[class][i].waiter.blob);
    assert_int_equal(renders(&stage), 1 + QUEUE);
    stage_close(&stage);

    struct client few[CLASSES] = {0}; /* of a queue of one, everybody may have that one */
    for (int class = 0; class < CLASSES; class ++) {
        stage_open(&stage, state, 1, 1, FOREVER_MS);
        submit_class(&stage, &few[class], 1, (enum metric_class) class);
        assert_true(few[class].waits);
        wait_for(1);
        assert_outcome(&few[class], POOL_DONE);
        blob_release(few[class].waiter.blob);
        stage_close(&stage);
    }
}

BOTH(leavers_free_their_places)
{
    enum { QUEUE = 50 };
    static struct client client[QUEUE], more[QUEUE];
    struct stage stage;

    memset(client, 0, sizeof client);
    memset(more, 0, sizeof more);
    stage_open(&stage, state, 1, QUEUE, FOREVER_MS);
    stage_hold(&stage);
    for (int i = 0; i < QUEUE; i++)
        submit_at(&stage, &client[i], i);
    wait_gauge(&stage.metrics.queue_depth, QUEUE);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], QUEUE);
    for (int i = 0; i < QUEUE; i++)
        atomic_store(&client[i].gone, true);
    pool_tick(stage.pool); /* while the only worker is held */
    wait_for(QUEUE);
    assert_int_equal(metrics_read(&stage.metrics.left), QUEUE);
    assert_int_equal(metrics_read(&stage.metrics.dropped), QUEUE);
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), 0);
    for (int i = 0; i < QUEUE; i++) {
        assert_outcome(&client[i], POOL_GONE);
        assert_false(has_at(&stage, i));
        submit_at(&stage, &more[i], 100 + i);
        assert_true(more[i].waits);
    }
    stage_release(&stage);
    wait_for(QUEUE);
    assert_all_done(more, QUEUE);
    assert_int_equal(renders(&stage), 1 + QUEUE);
    stage_close(&stage);
}

/* Among thousands who stay, who leaves is found in as many ticks as there are in the time that is promised. */
BOTH(leavers_are_found_among_many)
{
    enum { CLIENTS = 5000, APART = 499 };
    static struct client client[CLIENTS];
    struct stage stage;
    int leavers = 0;

    memset(client, 0, sizeof client);
    stage_open(&stage, state, 1, 10, FOREVER_MS);
    stage_hold(&stage);
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&stage, &client[i], i % 5);
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
    stage_release(&stage);
    stage_close(&stage);
}

BOTH(prefetched_tiles_are_used_once)
{
    struct client client[2] = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 8, FOREVER_MS);
    assert_int_equal(prefetch_at(&stage, 1, CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    wait_counter(&stage.metrics.prefetch_made, 1);
    for (int ms = 0; ms < 20000 && has_at(&stage, 1); ms++)
        uv_sleep(1);
    assert_false(has_at(&stage, 1));
    assert_int_equal(prefetch_at(&stage, 1, CLASS_NEIGHBOUR), PREFETCH_CACHED);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 0);
    for (int i = 0; i < 2; i++) {
        submit_at(&stage, &client[i], 1);
        assert_false(client[i].waits);
        assert_int_equal(client[i].waiter.tier, TIER_MEMORY);
        assert_false(atomic_load(&client[i].waiter.blob->prefetched));
        assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 1);
        blob_release(client[i].waiter.blob);
    }
    assert_int_equal(renders(&stage), 1);
    assert_int_equal(metrics_read(&stage.metrics.coalesced), 0);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_dropped), 0);
    stage_close(&stage);
}

BOTH(prefetches_may_be_joined)
{
    struct client client = {0}, other = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 8, FOREVER_MS);
    stage_hold(&stage);
    assert_int_equal(prefetch_at(&stage, 1, CLASS_BULK), PREFETCH_QUEUED);
    assert_int_equal(prefetch_at(&stage, 1, CLASS_NEIGHBOUR), PREFETCH_CACHED);
    assert_true(has_at(&stage, 1));
    submit_at(&stage, &other, 2);
    submit_at(&stage, &client, 1);
    assert_true(client.waits);
    stage_release(&stage);
    wait_for(2);
    assert_outcome(&client, POOL_DONE);
    assert_true(client.turn < other.turn); /* it has been raised */
    assert_int_equal(client.waiter.tier, TIER_COALESCED);
    assert_false(atomic_load(&client.waiter.blob->prefetched));
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 1);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 1);
    blob_release(client.waiter.blob);
    blob_release(other.waiter.blob);
    stage_close(&stage);
}

/* Who leaves a tile that was prefetched leaves it to the prefetch. */
BOTH(prefetches_end_with_the_pool)
{
    struct client client = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 8, FOREVER_MS);
    stage_hold(&stage);
    assert_int_equal(prefetch_at(&stage, 1, CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    assert_int_equal(prefetch_at(&stage, 2, CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    submit_at(&stage, &client, 2);
    atomic_store(&client.gone, true);
    pool_tick(stage.pool);
    wait_for(1);
    assert_outcome(&client, POOL_GONE);
    assert_true(has_at(&stage, 1) && has_at(&stage, 2));
    pool_refuse(stage.pool);
    assert_int_equal(prefetch_at(&stage, 3, CLASS_NEIGHBOUR), PREFETCH_REFUSED);
    stage_release(&stage);
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(renders(&stage), 1);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 0);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_dropped), 1); /* the other one had been asked for */
    assert_int_equal(metrics_read(&stage.metrics.dropped), 1);
    stage_close(&stage);
}

TEST(what_is_on_disk_is_fetched_not_made, .initial_state = &with_disk)
{
    struct client client[2] = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 8, FOREVER_MS);
    submit_at(&stage, &client[0], 1);
    wait_for(1);
    blob_release(client[0].waiter.blob);
    pool_free(stage.pool);
    disk_flush(stage.disk);
    memory_free(stage.memory);
    stage.memory = memory_create(MEMORY_BYTES);
    stage_start_pool(&stage, 1, 8, FOREVER_MS);
    assert_int_equal(prefetch_at(&stage, 1, CLASS_NEIGHBOUR), PREFETCH_QUEUED);
    for (int ms = 0; ms < 20000 && has_at(&stage, 1); ms++)
        uv_sleep(1);
    submit_at(&stage, &client[1], 1);
    assert_false(client[1].waits);
    assert_int_equal(client[1].waiter.tier, TIER_MEMORY);
    blob_release(client[1].waiter.blob);
    assert_int_equal(renders(&stage), 1);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_made), 0);
    assert_int_equal(metrics_read(&stage.metrics.prefetch_used), 0);
    stage_close(&stage);
}

static atomic_int freed;

static void count_free(struct refcount *owner)
{
    (void)owner;
    atomic_fetch_add(&freed, 1);
}

/* Made, joined, left, refused, found in memory, prefetched: each job gives back what it held, once. */
BOTH(owners_live_as_long_as_their_jobs)
{
    enum { CLIENTS = 12, QUEUE = 8 };
    struct client client[CLIENTS] = {0}, first = {0}, found = {0};
    const struct tile_key early = key_at(50), ahead = key_at(100);
    int outcomes[POOL_STOPPED + 1] = {0};
    struct refcount owner;
    struct stage stage;

    atomic_store(&freed, 0);
    refcount_init(&owner, count_free);
    stage_open(&stage, state, 1, QUEUE, FOREVER_MS);
    submit_as(&stage, &first, &early, CLASS_WAITING, &owner);
    wait_for(1);
    submit_as(&stage, &found, &early, CLASS_WAITING, &owner);
    assert_done(&found, &early, TIER_MEMORY);
    stage_hold(&stage);
    const struct digest digest = tile_key_digest(&ahead, &stage.world);
    const struct pool_ask ask = {
        .key = &ahead, .digest = &digest, .world = &stage.world, .owner = &owner, .class = CLASS_NEIGHBOUR};
    assert_int_equal(pool_prefetch(stage.pool, &ask), PREFETCH_QUEUED); /* while there is room */
    for (int i = 0; i < CLIENTS; i++) {
        const struct tile_key key = key_at(i / 2 * 2 + i % 4 / 3); /* some twice */
        submit_as(&stage, &client[i], &key, CLASS_WAITING, &owner);
    }
    atomic_store(&client[3].gone, true);
    pool_tick(stage.pool);
    refcount_release(&owner); /* the caller's own */
    assert_int_equal(atomic_load(&freed), 0);
    while (metrics_read(&stage.metrics.refused[CLASS_WAITING]) == 0) /* before there is room again */
        uv_sleep(1);
    stage_release(&stage);
    for (int i = 0; i < CLIENTS; i++)
        if (client[i].waits)
            wait_for(1);
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(atomic_load(&freed), 1);
    assert_int_equal(atomic_load(&owner.references), 0);
    for (int i = 0; i < CLIENTS; i++) {
        outcomes[client[i].waiter.outcome]++;
        blob_release(client[i].waiter.blob);
    }
    assert_true(outcomes[POOL_DONE] > 0 && outcomes[POOL_FULL] > 0);
    assert_int_equal(outcomes[POOL_GONE], 1);
    blob_release(first.waiter.blob);
    blob_release(found.waiter.blob);
    stage_close(&stage);
}

BOTH(limits_hold_for_those_who_come_after)
{
    enum { SHORT_MS = 20 };
    const bool *const disk = *state;
    struct client client[6] = {0};
    struct stage stage;

    clock_stop();
    stage_open(&stage, state, 1, 2, FOREVER_MS);
    stage_hold(&stage);
    submit_at(&stage, &client[0], 0);
    submit_at(&stage, &client[1], 1);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    submit_at(&stage, &client[2], 2);
    if (*disk)
        wait_for(1);
    assert_outcome(&client[2], POOL_FULL);
    pool_limit(stage.pool, 4, SHORT_MS);
    submit_at(&stage, &client[3], 3);
    submit_at(&stage, &client[4], 4);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 4);
    clock_pass(SHORT_MS);
    pool_tick(stage.pool);
    wait_for(2);
    assert_outcome(&client[3], POOL_EXPIRED); /* though others came before */
    assert_outcome(&client[4], POOL_EXPIRED);
    pool_limit(stage.pool, 1, FOREVER_MS);
    submit_at(&stage, &client[5], 5); /* more wait already than may now: they stay */
    if (*disk)
        wait_for(1);
    assert_outcome(&client[5], POOL_FULL);
    stage_release(&stage);
    wait_for(2);
    assert_all_done(client, 2);
    stage_close(&stage);
}

POOL_GROUP(pool_classes);
