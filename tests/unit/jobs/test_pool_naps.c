/*
 * Naps: who is refused for want of room is woken in turn when there is some, when his time is up, and when the pool stops;
 * and nobody who asks again comes before him.
 */
#include "../../../server/encode/encode.h"
#include "../unit.h"

#include "pool_kit.h"

static void nap(struct stage *stage, struct client *client, enum metric_class class, unsigned ms,
                uint64_t since_ns)
{
    client->waiter.wake = client_wake;
    client->waiter.since_ns = since_ns;
    client->waiter.client = (struct client_id){0};
    client->waits = pool_nap(stage->pool, &client->waiter, class, ms);
    assert_true(client->waits);
}

static bool again(struct stage *stage, struct client *client, int64_t x, bool turn)
{
    const struct tile_key key = key_at(x);
    const struct digest digest = tile_key_digest(&key, &stage->world);
    const struct pool_ask ask = {.key = &key,
                                 .digest = &digest,
                                 .world = &stage->world,
                                 .class = CLASS_WAITING,
                                 .again = true,
                                 .turn = turn};

    client->waiter.wake = client_wake;
    client->waiter.left = client_left;
    return client->waits = pool_submit(stage->pool, &ask, &client->waiter);
}

BOTH(naps_end_in_time)
{
    struct stage stage;
    struct client client = {0};

    clock_stop();
    stage_open(&stage, state, 1, 4, FOREVER_MS);
    nap(&stage, &client, CLASSES, 30, 0);
    clock_pass(29);
    pool_tick(stage.pool);
    assert_int_equal(atomic_load(&client.wakes), 0);
    clock_pass(1);
    pool_tick(stage.pool);
    wait_for(1);
    assert_outcome(&client, POOL_FULL);
    stage_close(&stage);
}

TEST(room_comes_in_turn, .initial_state = &without)
{
    struct stage stage;
    struct client tile[2] = {0}, napper[3] = {0}, late = {0};

    stage_open(&stage, state, 1, 2, FOREVER_MS);
    stage_hold(&stage);
    submit_at(&stage, &tile[0], 1);
    submit_at(&stage, &tile[1], 2);
    assert_false(again(&stage, &late, 3, false));
    assert_int_equal(late.waiter.outcome, POOL_FULL);
    assert_int_equal(metrics_read(&stage.metrics.refused[CLASS_WAITING]), 0);
    for (int i = 0; i < 3; i++)
        nap(&stage, &napper[i], CLASS_WAITING, FOREVER_MS, 9 - (uint64_t)i);
    pool_tick(stage.pool);
    assert_int_equal(atomic_load(&napper[0].wakes), 0); /* no room */
    stage_release(&stage);
    wait_for(2);
    pool_tick(stage.pool);
    wait_for(2);
    assert_int_equal(atomic_load(&napper[2].wakes) + atomic_load(&napper[1].wakes), 2);
    assert_int_equal(atomic_load(&napper[0].wakes), 0); /* room for two: he came last */
    assert_int_equal(napper[2].waiter.outcome, POOL_DONE);
    assert_false(again(&stage, &late, 4, false)); /* another naps */
    assert_true(again(&stage, &late, 4, true));   /* but it is this one's turn */
    wait_for(1);
    blob_release(late.waiter.blob);
    pool_tick(stage.pool);
    wait_for(1);
    assert_int_equal(atomic_load(&napper[0].wakes), 1);
    assert_true(again(&stage, &late, 5, false)); /* nobody naps any more */
    wait_for(1);
    blob_release(late.waiter.blob);
    for (int i = 0; i < 2; i++)
        blob_release(tile[i].waiter.blob);
    stage_close(&stage);
}

BOTH(naps_end_with_the_pool)
{
    struct stage stage;
    struct client client[2] = {0};

    stage_open(&stage, state, 1, 4, FOREVER_MS);
    nap(&stage, &client[0], CLASSES, FOREVER_MS, 0);
    stage_hold(&stage);
    nap(&stage, &client[1], CLASS_BULK, FOREVER_MS, 0);
    pool_refuse(stage.pool);
    wait_for(2);
    assert_outcome(&client[0], POOL_STOPPED);
    assert_outcome(&client[1], POOL_STOPPED);
    assert_false(pool_nap(stage.pool, &client[0].waiter, CLASSES, 1));
    stage_release(&stage);
    stage_close(&stage);
}

POOL_GROUP(pool_naps);
