/*
 * The render pool and the shared tier (server/jobs/pool_find.c): jobs abroad, which another node makes; who leaves, what
 * stops, and where there is no room.
 */
#include "pool_shared_kit.h"

/* Nobody is left when the store has answered: it is not made, and its lease goes back. */
BOTH(who_leaves_while_it_is_asked_for_ends_it)
{
    struct client client = {0};
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, 1);
    submit_at(&client, 3);
    uv_sem_wait(&holding);
    atomic_store(&client.gone, true);
    tick_for(1);
    assert_outcome(&client, POOL_GONE);
    uv_sem_post(&go);
    wait_count(&store.releases, 1);
    assert_int_equal(renders(), 0);
    assert_int_equal(counted(&store.puts), 0);
    shared_close();
}

BOTH(a_pool_that_stops_waits_for_nobody)
{
    struct client client[2] = {0};
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&client[0], 3);
    wait_gauge(&stage.metrics.remote_pending, 1);
    atomic_store(&store.lease, LEASE_OURS);
    stage_hold();
    submit_at(&client[1], 4);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 2);
    pool_refuse(stage.pool);
    wait_end(client, 2, POOL_STOPPED);
    stage_release();
    shared_close();
}

/* Lets the one who asks go on once the pool is being stopped, and workers have had the time to end. */
static void let_go(void *argument)
{
    struct pool *pool = argument;
    for (bool stopping = false; !stopping; uv_sleep(20)) {
        uv_mutex_lock(&pool->lock);
        stopping = pool->stopping;
        uv_mutex_unlock(&pool->lock);
    }
    uv_sem_post(&go);
}

/* What comes back from the store then is no work for anybody: pool_join checks that no job is left. */
BOTH(a_pool_stops_while_it_asks)
{
    struct client client = {0};
    uv_thread_t thread;
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&store.holds, 1);
    submit_at(&client, 3);
    uv_sem_wait(&holding);
    assert_int_equal(uv_thread_create(&thread, let_go, stage.pool), 0);
    pool_join(stage.pool);
    uv_thread_join(&thread);
    wait_end(&client, 1, POOL_STOPPED);
    assert_int_equal(counted(&store.releases), 1);
    shared_close();
}

BOTH(a_full_queue_refuses_what_is_not_there_and_leases_nothing)
{
    struct client waiting = {0}, there = {0}, missing = {0};
    shared_open(*(const bool *)*state, 1, FOREVER_MS);
    atomic_store(&store.lease, LEASE_THEIRS);
    submit_at(&waiting, 1); /* abroad, and in the one place */
    wait_gauge(&stage.metrics.remote_pending, 1);
    const unsigned leases = counted(&store.leases);
    store_tile(2);
    submit_at(&there, 2);
    submit_at(&missing, 3);
    wait_for(2);
    assert_tile(&there, 2, TIER_SHARED);
    assert_outcome(&missing, POOL_FULL);
    assert_int_equal(counted(&store.leases), leases);
    assert_int_equal(stage.metrics.refused[CLASS_WAITING], 1);
    assert_int_equal(stage.metrics.dropped, 0);
    store_tile(1);
    tick_for(1);
    assert_tile(&waiting, 1, TIER_SHARED);
    shared_close();
}

POOL_GROUP(pool_abroad);
