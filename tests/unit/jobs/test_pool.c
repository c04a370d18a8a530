/*
 * The render pool and its production of tiles (server/render/), with a disk tier behind it and without.
 *
 * A worker that is inside a client's wake is held there for as long as a test wants, since a wake may take
 * its time: what is asked meanwhile waits, and tests say exactly what the queue is. No test waits for the
 * clock but those of deadlines.
 */
#include "pool_kit.h"

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
    wait_end(client, CLIENTS, POOL_EXPIRED);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 1);
    pool_tick(stage.pool); /* once only */
    assert_int_equal(metrics_read(&stage.metrics.expired), CLIENTS);
    wait_gauge(&stage.metrics.queue_depth, 1); /* when the disk has been looked at */
    wait_counter(&stage.metrics.dropped, 2);   /* though no worker got to them */
    stage_release();
    wait_for(1);
    assert_int_equal(late.waiter.tier, TIER_COALESCED);
    assert_all_done(&late, 1);
    assert_int_equal(renders(), 2);
    stage_close();
}

/* Whatever waits to be made, and be the queue full of it: a tile that is on disk comes first. */
TEST(looking_comes_before_making, .initial_state = &with_disk)
{
    enum { QUEUE = 3 };
    struct client stored = {0}, client[QUEUE + 1] = {0}, wanted = {0};

    stage_open(state, 1, QUEUE, FOREVER_MS);
    submit_at(&stored, 77);
    wait_end(&stored, 1, POOL_DONE);
    stage_reopen(1, QUEUE);

    stage_hold();
    for (int i = 0; i <= QUEUE; i++)
        submit_at(&client[i], i);
    submit_at(&wanted, 77);
    wait_for(2); /* while the worker is held: one is refused, one answered */
    assert_int_equal(wanted.waiter.tier, TIER_DISK);
    assert_all_done(&wanted, 1);
    stage_release();
    wait_end(client, QUEUE, POOL_DONE);
    assert_outcome(&client[QUEUE], POOL_FULL);
    stage_close();
}

POOL_GROUP(pool);
