/*
 * The render pool and the shared tier (server/jobs/pool_find.c): what is found there, what is made and goes there.
 */
#include "../../../server/encode/encode.h"
#include "../unit.h"

#include "pool_shared_kit.h"

TEST(what_is_on_disk_is_not_asked_for)
{
    struct stage stage;
    struct client client[2] = {0};
    shared_open(&stage, true, &patient);
    submit_at(&stage, &client[0], 3);
    wait_for(1);
    assert_tile(&client[0], 3, TIER_RENDER);
    disk_flush(stage.disk);
    memory_purge(stage.memory, true, 0);
    const unsigned gets = counted(&store.gets), puts = counted(&store.puts);
    submit_at(&stage, &client[1], 3);
    wait_for(1);
    assert_tile(&client[1], 3, TIER_DISK);
    assert_int_equal(counted(&store.gets), gets);
    assert_int_equal(counted(&store.puts), puts);
    shared_close(&stage);
}

BOTH(what_is_made_is_stored_with_its_lease)
{
    struct stage stage;
    struct client client[2] = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    submit_at(&stage, &client[0], 3);
    submit_at(&stage, &client[1], 4);
    wait_for(2);
    assert_tile(&client[0], 3, TIER_RENDER);
    assert_tile(&client[1], 4, TIER_RENDER);
    assert_int_equal(counted(&store.gets), 2);
    assert_int_equal(counted(&store.leases), 2);
    assert_int_equal(counted(&store.puts), 2);
    assert_int_equal(counted(&store.puts_leased), 2);
    pool_join(stage.pool);
    assert_int_equal(counted(&store.releases), 0);
    shared_close(&stage);
}

/* What nobody is in a hurry for may wait long here, and somebody may wait for it elsewhere. */
BOTH(leases_of_what_is_in_no_hurry_are_told_apart)
{
    static const enum metric_class classes[] = {CLASS_IDLE, CLASS_BULK, CLASS_NEIGHBOUR, CLASS_WAITING};
    struct stage stage;
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    for (int i = 0; i < CLASSES; i++) {
        struct client client = {0};
        const struct tile_key key = key_at(20 + i);
        submit_as(&stage, &client, &key, classes[i], NULL);
        wait_for(1);
        assert_tile(&client, 20 + i, TIER_RENDER);
        assert_int_equal(counted(&store.leases), i + 1);
        assert_int_equal(counted(&store.urgent), classes[i] == CLASS_WAITING);
    }
    shared_close(&stage);
}

BOTH(without_a_lease_it_is_made_all_the_same)
{
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, *(const bool *)*state, &patient);
    atomic_store(&store.lease, LEASE_NONE);
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_tile(&client, 3, TIER_RENDER);
    assert_int_equal(counted(&store.puts), 1);
    assert_int_equal(counted(&store.puts_leased), 0);
    shared_close(&stage);
}

TEST(what_cannot_be_made_gives_its_lease_back)
{
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, false, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&fails, true);
    submit_at(&stage, &client, 3);
    wait_for(1);
    assert_outcome(&client, POOL_FAILED);
    wait_count(&store.releases, 1);
    assert_int_equal(counted(&store.puts), 0);
    shared_close(&stage);
}

/* Behind a worker that is held: leased, and in the queue. */
TEST(what_nobody_wants_gives_its_lease_back)
{
    struct stage stage;
    struct client client = {0};
    shared_open(&stage, false, &patient);
    atomic_store(&store.lease, LEASE_OURS);
    stage_hold(&stage);
    submit_at(&stage, &client, 3);
    wait_gauge(&stage.metrics.queue_class[CLASS_WAITING], 1);
    atomic_store(&client.gone, true);
    tick_for(&stage, 1);
    assert_outcome(&client, POOL_GONE);
    assert_int_equal(counted(&store.releases), 1);
    assert_int_equal(stage.metrics.dropped, 1);
    stage_release(&stage);
    shared_close(&stage);
}

TEST(large_tiles_stay_here)
{
    struct stage stage;
    struct job *ended = malloc(sizeof *ended);
    struct blob blob = {.bytes = (8 << 20) + 1};
    shared_open(&stage, false, &patient);
    assert_non_null(ended);
    *ended = (struct job){.key.product = PRODUCT_TILE, .leased = true};
    store.out = 1;
    pool_share(stage.pool, ended, &blob);
    assert_int_equal(counted(&store.puts), 0);
    assert_int_equal(store.out, 1);
    blob.bytes--;
    struct job other = {.key.product = PRODUCT_TILE};
    pool_share(stage.pool, &other, &blob);
    assert_int_equal(counted(&store.puts), 1);
    pool_free_jobs(stage.pool, ended);
    assert_int_equal(counted(&store.releases), 1);
    shared_close(&stage);
}

/* Tiles in any number and order, of a store that says anything and is unwell at times; some clients leave. */
BOTH(whatever_the_store_says_everybody_is_answered)
{
    enum { ROUNDS = 30, CLIENTS = 60 };
    static struct client client[CLIENTS];
    struct stage stage;
    const struct shape brief = {.queue = 1000, .deadline_ms = FOREVER_MS, .wait_ms = 40};
    uint32_t seed = 7;
    shared_open(&stage, *(const bool *)*state, &brief);
    atomic_store(&store.lease, -1);
    for (int x = 0; x < 10; x++)
        store_tile(&stage, 3 * x);
    for (int round = 0; round < ROUNDS; round++) {
        memset(client, 0, sizeof client);
        int waiting = 0;
        for (int i = 0; i < CLIENTS; i++) {
            seed = seed * 1664525u + 1013904223u;
            submit_at(&stage, &client[i], (seed >> 8) % 40 + 40 * (uint32_t)(round % 3));
            waiting += client[i].waits;
            atomic_store(&client[i].gone, (seed >> 24) % 8 == 0);
            if (i % 16 == 0) {
                atomic_store(&store.well, (seed >> 20) % 3 != 0);
                pool_tick(stage.pool);
            }
        }
        tick_for(&stage, waiting);
        for (int i = 0; i < CLIENTS; i++) {
            const bool gone = client[i].waiter.outcome == POOL_GONE;
            assert_outcome(&client[i], gone ? POOL_GONE : POOL_DONE);
            assert_true(!gone || atomic_load(&client[i].gone));
            blob_release(client[i].waiter.blob);
        }
        memory_purge(stage.memory, true, 0);
    }
    shared_close(&stage);
}

POOL_GROUP(pool_shared);
