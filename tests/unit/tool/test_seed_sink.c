/*
 * Sinks of seeded tiles, but for what tests/http/test_seed.py shows of them.
 */
#include "../folder_kit.h"

#include "../../../server/tool/seed_sink.h"

enum { BLOBS = 255, BLOB_BYTES = 64000 }; /* just what a sink puts between two flushes */

/* Whatever queue a server has: all that is put at once is stored. */
TEST(a_cache_takes_what_is_put)
{
    char error[SEED_SINK_ERROR_BYTES];
    const struct disk_options options = {.dir = folder_path("cache", ""),
                                         .quota_bytes = UINT64_C(1) << 30,
                                         .quota_rows = 1000,
                                         .write_behind_bytes = 1 << 20,
                                         .write_interval_ms = 1000,
                                         .retry_interval_ms = 1000,
                                         .readers = 1};
    struct seed_sink *sink = seed_sink_cache(&options, error);
    assert_non_null(sink);
    for (uint64_t k = 0; k < BLOBS; k++) {
        unsigned char *data = calloc(1, BLOB_BYTES);
        struct blob *blob = blob_create(&(struct digest){k + 1, ~k},
                                        &(struct blob_info){.width = 1, .height = 1}, data, BLOB_BYTES);
        assert_non_null(blob);
        assert_int_equal(seed_sink_put(sink, &(struct tile_key){0}, blob), 0);
        blob_release(blob);
    }
    int64_t tiles;
    uint64_t bytes;
    assert_int_equal(seed_sink_commit(sink), 0);
    seed_sink_stored(sink, &tiles, &bytes);
    assert_int_equal(tiles, BLOBS);
    seed_sink_close(sink);
}

GROUP_EACH(seed_sink, folder_make, folder_remove);
