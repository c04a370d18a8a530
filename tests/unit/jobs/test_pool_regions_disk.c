/*
 * The render pool and products that rest on others (server/jobs/pool.c): regions of the disk tier, sound
 * and hostile.
 */
#include "../unit.h"

#include "pool_regions_kit.h"

static void restart(struct stage *stage)
{
    pool_free(stage->pool);
    disk_flush(stage->disk);
    memory_free(stage->memory);
    stage->memory = memory_create(64 << 20);
    assert_non_null(stage->memory);
    stage_start_pool(stage, 2, 10, FOREVER_MS);
}

TEST(regions_are_found_on_disk, .initial_state = &with_disk)
{
    struct client first = {0}, second = {0};
    struct stage stage;

    eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
    submit_eroded(&stage, &first, 0, 0, 0);
    wait_for(1);
    assert_outcome(&first, POOL_DONE);
    blob_release(first.waiter.blob);
    restart(&stage);
    submit_eroded(&stage, &second, 0, 1, 1);
    wait_for(1);
    assert_outcome(&second, POOL_DONE);
    blob_release(second.waiter.blob);
    assert_int_equal(regions(&stage), 2); /* none since */
    assert_int_equal(metrics_read(&stage.metrics.region_hits[TIER_DISK]), 1);
    assert_int_equal(metrics_read(&stage.metrics.hits[TIER_DISK]), 0);
    stage_close(&stage);
}

/* An intact entry under the name of a region that is none, or has other numbers than a region may have. */
TEST(hostile_regions_are_made_anew, .initial_state = &with_disk)
{
    const struct terrane_world world = eroding_world();
    const struct product_key key = kit_region(PRODUCT_EROSION, 5, 0, 0, TERRANE_VARIANT_ERODED);
    const struct digest digest = product_digest(&key, &world);
    const struct tile_key tile = eroded_at(5, 0, 0, LAYER_HEIGHT);
    struct blob *expected = expected_of(&tile);
    struct producer *producer = producer_create();
    struct produce_times times;
    struct disk_stats stats;

    assert_non_null(producer);
    struct blob *region = product_make_alone(producer, &key, &world, NULL, &times);
    assert_non_null(region);
    for (int kind = 0; kind < 3; kind++) {
        const size_t bytes = kind == 0 ? 100 : region->bytes;
        unsigned char *data = malloc(bytes);
        struct client client = {0}, after = {0};
        struct stage stage;
        assert_non_null(data);
        memcpy(data, region->data, bytes);
        data[kind == 1 ? 4 : TERRANE_REGION_HEADER_BYTES + 3] ^=
            0x55; /* the layout's version, or a delta of 10^9 units */
        struct blob *bad = blob_create(&digest, &region->info, data, bytes);
        assert_non_null(bad);
        eroding_open(&stage, state, 2, 10, FOREVER_MS, 64 << 20);
        disk_put(stage.disk, bad);
        disk_flush(stage.disk);
        blob_release(bad);
        submit(&stage, &client, &tile);
        wait_for(1);
        assert_made(&client, expected);
        assert_int_equal(regions(&stage), 1);
        disk_stats(stage.disk, &stats);
        assert_int_equal(stats.damaged, 1);
        restart(&stage); /* the good one is in its place */
        const struct tile_key next = eroded_at(5, 1, 0, LAYER_HEIGHT);
        submit(&stage, &after, &next);
        wait_for(1);
        assert_outcome(&after, POOL_DONE);
        blob_release(after.waiter.blob);
        assert_int_equal(regions(&stage), 1);
        disk_stats(stage.disk, &stats);
        assert_int_equal(stats.damaged, 1);
        stage_close(&stage);
    }
    blob_release(region);
    blob_release(expected);
    producer_free(producer);
}

POOL_GROUP(pool_regions_disk);
