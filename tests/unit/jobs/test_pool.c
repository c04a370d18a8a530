/*
 * The render pool and its production of tiles (server/render/), with a disk tier behind it and without.
 *
 * A worker that is inside a client's wake is held there for as long as a test wants, since a wake may take
 * its time: what is asked meanwhile waits, and tests say exactly what the queue is. No test waits for the
 * clock but those of deadlines.
 */
#include "../unit.h"

#include "pool_kit.h"

BOTH(full_queues_refuse)
{
    enum { QUEUE = 3, MORE = 4 };
    const bool *const disk = *state;
    struct client client[QUEUE + MORE] = {0}, joining = {0};
    struct stage stage;
    int full = 0;

    stage_open(&stage, state, 1, QUEUE, FOREVER_MS);
    stage_hold(&stage);
    for (int i = 0; i < QUEUE + MORE; i++) {
        submit_at(&stage, &client[i], i);
        /* without a disk it is known at once; with one it is known when the disk has been looked at */
        assert_int_equal(client[i].waits, *disk || i < QUEUE);
    }
    submit_at(&stage, &joining, QUEUE - 1); /* joining takes no room */
    assert_true(joining.waits);
    if (*disk)
        wait_for(MORE); /* while the worker is held: looking is not its work */
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), QUEUE);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), QUEUE);
    stage_release(&stage);
    wait_for(QUEUE + 1);
    for (int i = 0; i < QUEUE + MORE; i++) {
        assert_outcome(&client[i], i < QUEUE ? POOL_DONE : POOL_FULL);
        full += client[i].waiter.outcome == POOL_FULL;
        blob_release(client[i].waiter.blob);
    }
    assert_all_done(&joining, 1);
    assert_int_equal(full, MORE);
    assert_int_equal(metrics_read(&stage.metrics.refused[CLASS_WAITING]), MORE);
    assert_int_equal(renders(&stage), 1 + QUEUE);

    struct client again = {0}; /* and there is room again */
    submit_at(&stage, &again, QUEUE);
    assert_true(again.waits);
    wait_for(1);
    assert_all_done(&again, 1);
    stage_close(&stage);
}

BOTH(deadlines_end_waiting)
{
    enum { CLIENTS = 5 };
    struct client client[CLIENTS] = {0};
    struct stage stage;

    clock_stop();
    stage_open(&stage, state, 1, 10, 20);
    stage_hold(&stage);
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&stage, &client[i], i / 2); /* two of a key */
    clock_pass(20);
    assert_int_equal(atomic_load(&stage.metrics.inflight), CLIENTS); /* until somebody looks at the clock */
    pool_tick(stage.pool);
    wait_for(CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], POOL_EXPIRED);
    assert_int_equal(metrics_read(&stage.metrics.expired), CLIENTS);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    pool_tick(stage.pool); /* once only */
    stage_release(&stage);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 3); /* though no worker got to them */
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), 0);
    assert_int_equal(metrics_read(&stage.metrics.expired), CLIENTS);
    assert_int_equal(renders(&stage), 1);
    stage_close(&stage);
}

BOTH(deadlines_are_of_waiters_not_of_jobs)
{
    struct client early = {0}, late = {0}, on_time = {0};
    struct stage stage;

    clock_stop();
    stage_open(&stage, state, 1, 10, 400);
    stage_hold(&stage);
    submit_at(&stage, &early, 1);
    pool_tick(stage.pool); /* nobody yet */
    assert_int_equal(atomic_load(&early.wakes), 0);
    clock_pass(400);
    submit_at(&stage, &late, 1); /* joins the job that early asked for */
    submit_at(&stage, &on_time, 2);
    pool_tick(stage.pool);
    wait_for(1);
    assert_outcome(&early, POOL_EXPIRED);
    stage_release(&stage);
    wait_for(2);
    assert_outcome(&late, POOL_DONE);
    assert_int_equal(late.waiter.tier, TIER_COALESCED);
    assert_outcome(&on_time, POOL_DONE);
    assert_int_equal(metrics_read(&stage.metrics.expired), 1);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 0);
    blob_release(late.waiter.blob);
    blob_release(on_time.waiter.blob);
    stage_close(&stage);
}

BOTH(work_of_nobody_is_dropped)
{
    enum { CLIENTS = 6 };
    struct client client[CLIENTS] = {0}, here = {0}, left = {0};
    struct stage stage;

    stage_open(&stage, state, 1, 10, FOREVER_MS);
    stage_hold(&stage);
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&stage, &client[i], i / 3); /* two jobs of three */
    submit_at(&stage, &here, 9);
    submit_at(&stage, &left, 9);
    for (int i = 0; i < CLIENTS; i++)
        atomic_store(&client[i].gone, true);
    atomic_store(&left.gone, true);
    stage_release(&stage);
    wait_for(CLIENTS + 2);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], POOL_GONE);
    assert_outcome(&here, POOL_DONE); /* somebody is there: it is made */
    assert_outcome(&left, POOL_DONE);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2);
    assert_int_equal(metrics_read(&stage.metrics.left), CLIENTS);
    assert_int_equal(renders(&stage), 2);
    blob_release(here.waiter.blob);
    blob_release(left.waiter.blob);
    stage_close(&stage);
}

BOTH(refusing_wakes_everybody)
{
    enum { CLIENTS = 9 };
    struct client client[CLIENTS] = {0}, late = {0};
    struct stage stage;

    stage_open(&stage, state, 2, 10, FOREVER_MS);
    stage_hold(&stage);
    stage_hold(&stage);
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&stage, &client[i], i / 2);
    pool_refuse(stage.pool);
    wait_for(CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], POOL_STOPPED);
    submit_at(&stage, &late, 1);
    assert_false(late.waits);
    assert_outcome(&late, POOL_STOPPED);
    submit_at(&stage, &late, HELD_X); /* what is in memory, too */
    assert_outcome(&late, POOL_STOPPED);
    pool_refuse(stage.pool); /* again is fine */
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    stage_release(&stage);
    stage_close(&stage);
    assert_int_equal(renders(&stage), 2);
}

/* Whatever waits to be made, and be the queue full of it: a tile that is on disk comes first. */
TEST(looking_comes_before_making, .initial_state = &with_disk)
{
    enum { QUEUE = 3 };
    struct client stored = {0}, client[QUEUE + 1] = {0}, wanted = {0};
    struct stage stage;

    stage_open(&stage, state, 1, QUEUE, FOREVER_MS);
    submit_at(&stage, &stored, 77);
    wait_for(1);
    blob_release(stored.waiter.blob);
    disk_flush(stage.disk);
    pool_free(stage.pool);
    memory_free(stage.memory);
    stage.memory = memory_create(MEMORY_BYTES);
    stage_start_pool(&stage, 1, QUEUE, FOREVER_MS);
    atomic_store(&turns, 0);

    stage_hold(&stage);
    for (int i = 0; i <= QUEUE; i++)
        submit_at(&stage, &client[i], i);
    submit_at(&stage, &wanted, 77);
    wait_for(2); /* while the worker is held: one is refused, one answered */
    assert_outcome(&wanted, POOL_DONE);
    assert_int_equal(wanted.waiter.tier, TIER_DISK);
    blob_release(wanted.waiter.blob);
    stage_release(&stage);
    wait_for(QUEUE);
    assert_all_done(client, QUEUE);
    assert_outcome(&client[QUEUE], POOL_FULL);
    stage_close(&stage);
}

POOL_GROUP(pool);
