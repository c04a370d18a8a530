/*
 * Naps: who is refused for want of room is woken in turn when there is some, when his time is up, and when the pool stops;
 * and nobody who asks again comes before him.
 */
#include "pool_kit.h"

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
    const struct tile_key key = key_at(x);
    submit_ask(client, &key, (struct pool_ask){.again = true, .turn = turn});
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

    stage_open(state, 1, 2, FOREVER_MS);
    stage_hold();
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

POOL_GROUP(pool_naps);
