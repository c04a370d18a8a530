/*
 * The render pool and the shared tier (server/jobs/pool_find.c): what is found there, what is made and goes there.
 */
#include "pool_shared_kit.h"

TEST(what_is_on_disk_is_not_asked_for)
{
    struct client client[2] = {0};
    patient_open(true);
    submit_at(&client[0], 3);
    wait_for(1);
    assert_tile(&client[0], 3, TIER_RENDER);
    disk_flush(stage.disk);
    memory_purge(stage.memory, true, 0);
    const unsigned gets = counted(&store.gets), puts = counted(&store.puts);
    submit_at(&client[1], 3);
    wait_for(1);
    assert_tile(&client[1], 3, TIER_DISK);
    assert_int_equal(counted(&store.gets), gets);
    assert_int_equal(counted(&store.puts), puts);
    shared_close();
}

/* And where there is none, it is made all the same. */
BOTH(what_is_made_is_stored_with_its_lease)
{
    static const enum remote_lease leases[] = {LEASE_OURS, LEASE_NONE};
    for (int k = 0; k < 2; k++) {
        struct client client[2] = {0};
        patient_open(*(const bool *)*state);
        atomic_store(&store.lease, leases[k]);
        submit_at(&client[0], 3);
        submit_at(&client[1], 4);
        wait_for(2);
        assert_tile(&client[0], 3, TIER_RENDER);
        assert_tile(&client[1], 4, TIER_RENDER);
        assert_int_equal(counted(&store.gets), 2);
        assert_int_equal(counted(&store.leases), 2);
        assert_int_equal(counted(&store.puts), 2);
        assert_int_equal(counted(&store.puts_leased), leases[k] == LEASE_OURS ? 2 : 0);
        pool_join(stage.pool);
        assert_int_equal(counted(&store.releases), 0);
        shared_close();
    }
}

/* What nobody is in a hurry for may wait long here, and somebody may wait for it elsewhere. */
BOTH(leases_of_what_is_in_no_hurry_are_told_apart)
{
    static const enum metric_class classes[] = {CLASS_IDLE, CLASS_BULK, CLASS_NEIGHBOUR, CLASS_WAITING};
    patient_open(*(const bool *)*state);
    atomic_store(&store.lease, LEASE_OURS);
    for (int i = 0; i < CLASSES; i++) {
        struct client client = {0};
        const struct tile_key key = key_at(20 + i);
        submit_as(&client, &key, classes[i]);
        wait_for(1);
        assert_tile(&client, 20 + i, TIER_RENDER);
        assert_int_equal(counted(&store.leases), i + 1);
        assert_int_equal(counted(&store.urgent), classes[i] == CLASS_WAITING);
    }
    shared_close();
}

TEST(what_cannot_be_made_gives_its_lease_back)
{
    struct client client = {0};
    patient_open(false);
    atomic_store(&store.lease, LEASE_OURS);
    atomic_store(&fails, true);
    submit_at(&client, 3);
    wait_end(&client, 1, POOL_FAILED);
    wait_count(&store.releases, 1);
    assert_int_equal(counted(&store.puts), 0);
    shared_close();
}

TEST(large_tiles_stay_here)
{
    struct job *ended = malloc(sizeof *ended);
    struct blob blob = {.bytes = (8 << 20) + 1};
    patient_open(false);
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
    shared_close();
}

/* Tiles in any number and order, of a store that says anything and is unwell at times; some clients leave. */
BOTH(whatever_the_store_says_everybody_is_answered)
{
    enum { ROUNDS = 12, CLIENTS = 60 };
    static struct client client[CLIENTS];
    uint32_t seed = 7;
    shared_open(*(const bool *)*state, 1000, 40);
    atomic_store(&store.lease, -1);
    for (int x = 0; x < 10; x++)
        store_tile(3 * x);
    for (int round = 0; round < ROUNDS; round++) {
        memset(client, 0, sizeof client);
        int waiting = 0;
        for (int i = 0; i < CLIENTS; i++) {
            seed = seed * 1664525u + 1013904223u;
            submit_at(&client[i], (seed >> 8) % 40 + 40 * (uint32_t)(round % 3));
            waiting += client[i].waits;
            atomic_store(&client[i].gone, (seed >> 24) % 8 == 0);
            if (i % 16 == 0) {
                atomic_store(&store.well, (seed >> 20) % 3 != 0);
                pool_tick(stage.pool);
            }
        }
        tick_for(waiting);
        for (int i = 0; i < CLIENTS; i++) {
            const bool gone = client[i].waiter.outcome == POOL_GONE;
            assert_outcome(&client[i], gone ? POOL_GONE : POOL_DONE);
            assert_true(!gone || atomic_load(&client[i].gone));
            blob_release(client[i].waiter.blob);
        }
        memory_purge(stage.memory, true, 0);
    }
    shared_close();
}

POOL_GROUP(pool_shared);
