/*
 * The render pool and products that rest on others (server/jobs/pool.c): what becomes of those who rest on
 * a job that is dropped, fails, or is stopped.
 */
#include "pool_regions_kit.h"

enum { LONG_MS = 20 };

/* What a worker has outlives those who wanted it, and serves those who come meanwhile. */
BOTH(jobs_under_way_may_be_joined_again)
{
    struct client late = {0}, again = {0};

    clock_stop();
    eroding_open(state, 2, 10, LONG_MS, 64 << 20);
    hold_region();
    submit_eroded(&late, 0, 0, 0);
    uv_sem_wait(&holding);
    clock_pass(POOL_IN_HAND * LONG_MS);
    pool_tick(stage.pool);
    wait_end(&late, 1, POOL_EXPIRED);
    assert_int_equal(atomic_load(&stage.metrics.parked), 0);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2); /* the tile and its region, not the anchor */
    submit_eroded(&again, 0, 0, 0);
    wait_gauge(&stage.metrics.parked, 2);
    release_region();
    wait_end(&again, 1, POOL_DONE);
    assert_int_equal(regions(), 2);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 2);
    stage_close();
}

/* A region is wanted as long as anybody is there who waits for something that rests on it, and a tile as long as one is there. */
BOTH(clients_leave_while_parked)
{
    struct client gone[3] = {{.waits = false}}, stays = {0}, left = {0};

    eroding_open(state, 2, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&gone[0], 0, 0, 0);
    uv_sem_wait(&holding);
    submit_eroded(&gone[1], 0, 1, 0); /* of the same region */
    submit_eroded(&gone[2], 0, 4, 0); /* of one that nobody else wants */
    submit_eroded(&stays, 0, 0, 1);
    submit_eroded(&left, 0, 0, 1);
    wait_gauge(&stage.metrics.parked, 6);
    for (int i = 0; i < 3; i++)
        atomic_store(&gone[i].gone, true);
    atomic_store(&left.gone, true);
    release_region();
    wait_for(5);
    for (int i = 0; i < 3; i++)
        assert_outcome(&gone[i], POOL_GONE);
    assert_all_done(&stays, 1);
    assert_all_done(&left, 1);
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(regions(), 2);
    assert_int_equal(renders(), 1);
    assert_int_equal(metrics_read(&stage.metrics.left), 3);
    assert_int_equal(metrics_read(&stage.metrics.dropped), 4); /* three tiles and a region */
    stage_close();
}

static atomic_int freed;

static void count_free(struct refcount *owner)
{
    (void)owner;
    atomic_fetch_add(&freed, 1);
}

/* A region may outlive the tile that needed it, and needs the world as long. */
BOTH(regions_hold_the_owner_of_their_world)
{
    const struct tile_key key = eroded_at(0, 0, 0, LAYER_HEIGHT);
    struct client client = {0};
    struct refcount owner;

    atomic_store(&freed, 0);
    refcount_init(&owner, count_free);
    eroding_open(state, 1, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_ask(&client, &key, (struct pool_ask){.owner = &owner});
    refcount_release(&owner); /* the caller's own */
    uv_sem_wait(&holding);
    assert_int_equal(atomic_load(&owner.references), 3); /* tile, region and anchor */
    atomic_store(&client.gone, true);
    pool_tick(stage.pool);
    wait_end(&client, 1, POOL_GONE);
    assert_int_equal(atomic_load(&owner.references), 1); /* the anchor, which is under way */
    assert_int_equal(atomic_load(&freed), 0);
    release_region();
    pool_free(stage.pool);
    stage.pool = NULL;
    assert_int_equal(atomic_load(&freed), 1);
    assert_int_equal(regions(), 1);
    stage_close();
}

BOTH(failures_reach_all_that_rest_on_them)
{
    struct client client[3] = {{.waits = false}}, water = {0}, again = {0};

    eroding_open(state, 1, 10, FOREVER_MS, 64 << 20);
    stage_hold();
    submit_eroded(&client[0], 0, 0, 0);
    submit_eroded(&client[1], 0, 1, 0);                           /* of the same region */
    submit_eroded(&client[2], 1, 0, 5);                           /* of another, on the same anchor */
    const struct tile_key lake = eroded_at(2, 0, 0, LAYER_WATER); /* of two, which share it, too */
    submit(&water, &lake);
    atomic_store(&grant, GRANT_NONE);
    stage_release();
    wait_for(4);
    for (int i = 0; i < 3; i++)
        assert_outcome(&client[i], POOL_FAILED);
    assert_outcome(&water, POOL_FAILED);
    atomic_store(&grant, GRANT_ALL);
    assert_in_range(metrics_read(&stage.metrics.failed), 1, 4);
    assert_int_equal(regions(), 0);
    submit(&again, &lake); /* and it goes on */
    assert_true(again.waits);
    wait_end(&again, 1, POOL_DONE);
    stage_close();
}

static void stop(void *none)
{
    (void)none;
    pool_join(stage.pool);
}

BOTH(pools_stop_while_jobs_are_parked)
{
    enum { TILES = 6 };
    struct client client[TILES] = {0};
    uv_thread_t stopper;

    eroding_open(state, 2, TILES, FOREVER_MS, 64 << 20);
    hold_region();
    for (int i = 0; i < TILES; i++)
        submit_eroded(&client[i], i % 3, 3 * i, -i);
    uv_sem_wait(&holding);
    assert_int_equal(uv_thread_create(&stopper, stop, NULL), 0);
    wait_end(client, TILES, POOL_STOPPED); /* at once, whoever makes what */
    release_region();
    uv_thread_join(&stopper); /* has seen that no job is left */
    assert_int_equal(renders(), 0);
    stage_close();
}

POOL_GROUP(pool_regions_end);
