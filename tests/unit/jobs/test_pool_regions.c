/*
 * The render pool and products that rest on others (server/jobs/pool.c): jobs that park, regions made once,
 * and how much of both there may be.
 */
#include "pool_regions_kit.h"

BOTH(parked_jobs_belong_to_nobody)
{
    struct client first = {0}, second = {0}, later = {0}, base = {0};
    const struct tile_key plain = key_at(3);

    eroding_open(state, 2, 10, FOREVER_MS, 64 << 20);
    hold_region();
    submit_eroded(&first, 0, 0, 0);
    uv_sem_wait(&holding); /* one worker makes the anchor; its region and tile are parked */
    assert_int_equal(atomic_load(&stage.metrics.parked), 2);
    assert_int_equal(atomic_load(&stage.metrics.queue_depth), 0);
    submit_eroded(&second, 0, 1, 1); /* joins the region */
    submit(&base, &plain);           /* and the other worker is free */
    wait_end(&base, 1, POOL_DONE);
    wait_gauge(&stage.metrics.parked, 3);
    assert_int_equal(atomic_load(&stage.metrics.inflight), 2);
    release_region();
    wait_for(2);
    assert_true(first.waiter.region_ns > 0);
    assert_all_done(&first, 1);
    assert_all_done(&second, 1);
    submit_eroded(&later, 0, 1, 0); /* finds it */
    wait_end(&later, 1, POOL_DONE);
    assert_int_equal(metrics_read(&stage.metrics.region_hits[TIER_MEMORY]), 1);
    assert_int_equal(metrics_read(&stage.metrics.regions[TERRANE_REGION_EROSION]), 1);
    assert_int_equal(metrics_read(&stage.metrics.regions[TERRANE_REGION_ANCHOR]), 1);
    assert_int_equal(regions(), 2);
    stage_close();
}

enum { MAX_REGIONS = 3 * 3 /* that 10 x 10 tiles lie in: which are begun first, the lookers decide */ };

/* Most is begun of what somebody waits for; however much of it is parked, bulk keeps nobody from being begun who waits. */
BOTH(no_more_is_begun_than_can_be_held)
{
    LONG_ONLY();
    enum { THREADS = 2, TILES = 100, MAX = POOL_BEGUN + 8 * THREADS };
    static struct client client[TILES];
    static const enum metric_class class[] = {CLASS_WAITING, CLASS_BULK};
    const struct tile_key plain = key_at(3);

    for (int k = 0; k < 2; k++) {
        struct client base = {0};
        memset(client, 0, sizeof client);
        eroding_open(state, THREADS, 4 * TILES, FOREVER_MS, 64 << 20);
        hold_region();
        for (int i = 0; i < TILES; i++) { /* all of one anchor: the one that is held */
            const struct tile_key key = eroded_at(0, i % 10, i / 10, LAYER_HEIGHT);
            submit_as(&client[i], &key, class[k]);
            assert_true(client[i].waits);
        }
        uv_sem_wait(&holding);
        uv_sleep(50);
        assert_in_range(atomic_load(&stage.metrics.parked), 1, (k ? MAX / 4 : MAX) + MAX_REGIONS);
        if (class[k] == CLASS_BULK) {
            submit(&base, &plain);
            wait_end(&base, 1, POOL_DONE); /* by the other worker */
        }
        release_region();
        wait_end(client, TILES, POOL_DONE);
        stage_close();
    }
}

/* Its region is as old as the tile, so both are made before a tile that was asked for later. */
TEST(regions_come_in_the_turn_of_their_tile, .initial_state = NULL)
{
    const struct tile_key key = kit_key(0, 6, 6, LAYER_HEIGHT, FORMAT_F32, 65, VARIANT_ERODED);
    struct client eroded = {0}, later = {0};

    stage_open_tiers(false, 2, 64 << 20); /* the disk would be searched meanwhile */
    stage.world = eroding_world();
    stage_start_pool(1, 100, FOREVER_MS);
    stage_hold();
    submit(&eroded, &key);
    submit_at(&later, 1);
    assert_true(eroded.waits && later.waits);
    stage_release();
    wait_for(2);
    assert_true(eroded.turn < later.turn);
    assert_all_done(&eroded, 1);
    assert_all_done(&later, 1);
    stage_close();
}

/* Regions that no tier can hold are handed over: nobody loops, nobody makes one twice for tiles that wait together. */
BOTH(tiny_memory_makes_the_same)
{
    enum { TILES = 8, REGIONS = 8 };
    static const uint64_t budgets[] = {4096, 2 << 20, 12 << 20}; /* none, some, all but few */
    const struct terrane_world world = eroding_world();
    struct blob *expected[TILES];
    struct tile_key key[TILES];

    for (int i = 0; i < TILES; i++) {
        key[i] = eroded_at(i % 3 ? 2 : 3, i % 4, -i % 3, i % 2 ? LAYER_SURFACE : LAYER_FLOW);
        expected[i] = made_alone(&key[i], &world);
    }
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        struct client client[TILES] = {0};
        eroding_open(state, b % 2 ? 1 : 4, TILES, FOREVER_MS, budgets[b]);
        for (int i = 0; i < TILES; i++) {
            submit(&client[i], &key[i]);
            assert_true(client[i].waits);
        }
        wait_for(TILES);
        for (int i = 0; i < TILES; i++)
            assert_made(&client[i], expected[i]);
        /* 1 of level 2, 2 of level 3, 2 of lakes, and 3 anchors: at worst each tile has all of its own */
        assert_in_range(regions(), REGIONS, 4 * TILES);
        stage_close();
    }
    for (int i = 0; i < TILES; i++)
        blob_release(expected[i]);
}

POOL_GROUP(pool_regions);
