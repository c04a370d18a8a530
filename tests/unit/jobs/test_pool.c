/*
 * The render pool and its production of tiles (server/render/), with a disk tier behind it and without.
 *
 * A worker that is inside a client's wake is held there for as long as a test wants, since a wake may take
 * its time: what is asked meanwhile waits, and tests say exactly what the queue is. No test waits for the
 * clock but those of deadlines.
 */
#include "pool_kit.h"

BOTH(full_queues_refuse)
{
    enum { QUEUE = 3, MORE = 4 };
    const bool *const disk = *state;
    struct client client[QUEUE + MORE] = {0}, joining = {0};
    int full = 0;

    stage_open(state, 1, QUEUE, FOREVER_MS);
    stage_hold();
    for (int i = 0; i < QUEUE + MORE; i++) {
        submit_at(&client[i], i);
        /* without a disk it is known at once; with one it is known when the disk has been looked at */
        assert_int_equal(client[i].waits, *disk || i < QUEUE);
    }
    submit_at(&joining, QUEUE - 1); /* joining takes no room */
    assert_true(joining.waits);
    if (*disk)
        wait_for(MORE); /* while the worker is held: looking is not its work */
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), QUEUE);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), QUEUE);
    stage_release();
    wait_for(QUEUE + 1);
    for (int i = 0; i < QUEUE + MORE; i++) {
        assert_outcome(&client[i], i < QUEUE ? POOL_DONE : POOL_FULL);
        full += client[i].waiter.outcome == POOL_FULL;
        blob_release(client[i].waiter.blob);
    }
    assert_all_done(&joining, 1);
    assert_int_equal(full, MORE);
    assert_int_equal(metrics_read(&stage.metrics.refused[CLASS_WAITING]), MORE);
    assert_int_equal(renders(), 1 + QUEUE);

    struct client again = {0}; /* and there is room again */
    submit_at(&again, QUEUE);
    assert_true(again.waits);
    wait_for(1);
    assert_all_done(&again, 1);
    stage_close();
}

/* Deadlines are of waiters: who has joined a job later has it made. */
BOTH(deadlines_end_waiting)
{
    enum { CLIENTS = 5 };
    struct client client[CLIENTS] = {0}, late = {0};

    clock_stop();
    stage_open(state, 1, 10, 20);
    stage_hold();
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&client[i], i / 2); /* two of a key */
    clock_pass(POOL_IN_HAND * 20);    /* what is held is their client's, too */
    submit_at(&late, 0);
    assert_int_equal(atomic_load(&stage.metrics.inflight),
                     CLIENTS + 1); /* until somebody looks at the clock */
    pool_tick(stage.pool);
    wait_for(CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], POOL_EXPIRED);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 1);
    pool_tick(stage.pool); /* once only */
    assert_int_equal(metrics_read(&stage.metrics.expired), CLIENTS);
    wait_gauge(&stage.metrics.queue_depth, 1); /* when the disk has been looked at */
    for (int ms = 0; ms < 20000 && metrics_read(&stage.metrics.dropped) < 2; ms++)
        uv_sleep(1);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2); /* though no worker got to them */
    stage_release();
    wait_for(1);
    assert_int_equal(late.waiter.tier, TIER_COALESCED);
    assert_all_done(&late, 1);
    assert_int_equal(renders(), 2);
    stage_close();
}

BOTH(work_of_nobody_is_dropped)
{
    enum { CLIENTS = 6 };
    struct client client[CLIENTS] = {0}, here = {0}, left = {0};

    stage_open(state, 1, 10, FOREVER_MS);
    stage_hold();
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&client[i], i / 3); /* two jobs of three */
    submit_at(&here, 9);
    submit_at(&left, 9);
    for (int i = 0; i < CLIENTS; i++)
        atomic_store(&client[i].gone, true);
    atomic_store(&left.gone, true);
    stage_release();
    wait_for(CLIENTS + 2);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], POOL_GONE);
    assert_outcome(&here, POOL_DONE); /* somebody is there: it is made */
    assert_outcome(&left, POOL_DONE);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2);
    assert_int_equal(metrics_read(&stage.metrics.left), CLIENTS);
    assert_int_equal(renders(), 2);
    blob_release(here.waiter.blob);
    blob_release(left.waiter.blob);
    stage_close();
}

BOTH(refusing_wakes_everybody)
{
    enum { CLIENTS = 9 };
    struct client client[CLIENTS] = {0}, late = {0};

    stage_open(state, 2, 10, FOREVER_MS);
    stage_hold();
    stage_hold();
    for (int i = 0; i < CLIENTS; i++)
        submit_at(&client[i], i / 2);
    pool_refuse(stage.pool);
    wait_for(CLIENTS);
    for (int i = 0; i < CLIENTS; i++)
        assert_outcome(&client[i], POOL_STOPPED);
    submit_at(&late, 1);
    assert_false(late.waits);
    assert_outcome(&late, POOL_STOPPED);
    submit_at(&late, HELD_X); /* what is in memory, too */
    assert_outcome(&late, POOL_STOPPED);
    pool_refuse(stage.pool); /* again is fine */
    assert_int_equal(atomic_load(&stage.metrics.inflight), 0);
    stage_release();
    stage_close();
    assert_int_equal(renders(), 2);
}

/* Whatever waits to be made, and be the queue full of it: a tile that is on disk comes first. */
TEST(looking_comes_before_making, .initial_state = &with_disk)
{
    enum { QUEUE = 3 };
    struct client stored = {0}, client[QUEUE + 1] = {0}, wanted = {0};

    stage_open(state, 1, QUEUE, FOREVER_MS);
    submit_at(&stored, 77);
    wait_for(1);
    blob_release(stored.waiter.blob);
    stage_reopen(1, QUEUE);

    stage_hold();
    for (int i = 0; i <= QUEUE; i++)
        submit_at(&client[i], i);
    submit_at(&wanted, 77);
    wait_for(2); /* while the worker is held: one is refused, one answered */
    assert_outcome(&wanted, POOL_DONE);
    assert_int_equal(wanted.waiter.tier, TIER_DISK);
    blob_release(wanted.waiter.blob);
    stage_release();
    wait_for(QUEUE);
    assert_all_done(client, QUEUE);
    assert_outcome(&client[QUEUE], POOL_FULL);
    stage_close();
}

POOL_GROUP(pool);
