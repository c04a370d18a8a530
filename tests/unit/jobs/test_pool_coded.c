/*
 * Coded tiles in the pool: they rest on plain ones, which others may ask for at the same time.
 */
#include "pool_kit.h"

enum { TILES = 60 }; /* more than may be begun at a time with one worker */

static struct tile_key coded_key(int64_t x, enum tile_coding coding)
{
    struct tile_key key = {
        .seed = 42, .x = x, .y = 5, .level = 2, .format = FORMAT_F32, .size = 33, .coding = coding};

    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    assert_int_equal(key.coding, coding);
    return key;
}

/* Were plain tiles to wait for places that coded ones hold, which wait for them, nobody would be woken. */
BOTH(coded_tiles_and_plain_ones_do_not_wait_for_each_other)
{
    static struct client coded[TILES], plain[TILES];
    memset(coded, 0, sizeof coded);
    memset(plain, 0, sizeof plain);
    stage_open(state, 1, 4 * TILES, FOREVER_MS);
    stage_hold();
    for (int i = 0; i < TILES; i++) {
        const struct tile_key key[2] = {coded_key(i, CODING_ZSTD), coded_key(i, CODING_IDENTITY)};
        submit(&coded[i], &key[0]);
        submit(&plain[i], &key[1]);
    }
    stage_release();
    wait_for(2 * TILES);
    for (int i = 0; i < TILES; i++) {
        const struct tile_key key[2] = {coded_key(i, CODING_ZSTD), coded_key(i, CODING_IDENTITY)};
        assert_done(&coded[i], &key[0], TIER_RENDER);
        assert_done(&plain[i], &key[1], TIER_RENDER);
        blob_release(coded[i].waiter.blob);
        blob_release(plain[i].waiter.blob);
    }
    assert_int_equal(renders(), TILES + 1); /* coding is no rendering */
    assert_int_equal(metrics_read(&stage.metrics.coded_bytes[0]), TILES * 33 * 33 * 4);
    assert_true(metrics_read(&stage.metrics.coded_bytes[1]) > 0);
    assert_int_equal(atomic_load(&stage.metrics.queue_class[CLASS_WAITING]), 0);
    stage_close();
}

POOL_GROUP(pool_coded);
