/*
 * Blobs: references, keeps and views; and the byte format of entries, which is a blob on its way to the disk.
 */
#include "../unit.h"

#include "disk_kit.h"

#include <xxhash.h>

#include "../../../server/cache/blob.h"

static int views_freed;
static struct blob *view_keeps;

static void view_free(void *view)
{
    assert_ptr_equal(view, &views_freed);
    views_freed++;
    if (view_keeps)
        blob_unkeep(view_keeps);
}

TEST(test_references)
{
    struct blob *const blob = kit_blob(1, 10);

    blob_set_view_free(view_free);
    views_freed = 0;
    view_keeps = NULL;
    atomic_store(&blob->view[0], &views_freed);
    atomic_store(&blob->view[BLOB_VIEWS - 1], &views_freed);
    assert_ptr_equal(blob_hold(blob), blob);
    blob_release(blob);
    assert_int_equal(views_freed, 0);
    blob_release(blob);
    assert_int_equal(views_freed, 2);
    blob_release(NULL);
}

TEST(test_view_may_hold_the_keep)
{
    struct blob *const blob = kit_blob(3, 10);

    blob_set_view_free(view_free);
    views_freed = 0;
    view_keeps = blob;
    blob_keep(blob);
    atomic_store(&blob->view[1], &views_freed);
    blob_release(blob); /* frees the view, which gives the last keep but one back */
    assert_int_equal(views_freed, 1);
    view_keeps = NULL;
}

enum { THREADS = 4, TURNS = 20000 };

static void hold_and_release(void *argument)
{
    struct blob *const blob = argument;

    for (int i = 0; i < TURNS; i++) {
        blob_keep(blob_hold(blob));
        blob_unkeep(blob);
        blob_release(blob);
    }
    blob_release(blob);
}

TEST(test_threads)
{
    struct blob *const blob = kit_blob(4, 10);
    uv_thread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(uv_thread_create(&thread[i], hold_and_release, blob_hold(blob)), 0);
    blob_release(blob);
    for (int i = 0; i < THREADS; i++)
        uv_thread_join(&thread[i]);
}

enum { PAYLOAD = 1000, ENTRY = ENTRY_HEADER_BYTES + PAYLOAD };

/* An entry in memory of exactly its size, so that a sanitizer sees a read too far. */
static unsigned char *entry_of(uint64_t number)
{
    struct blob *const blob = kit_blob(number, PAYLOAD);
    unsigned char *const entry = malloc(ENTRY);

    assert_non_null(entry);
    assert_int_equal(entry_bytes(blob), ENTRY);
    entry_pack(entry, blob);
    blob_release(blob);
    return entry;
}

TEST(test_entry_round_trip)
{
    const int number = FORMATS * CODINGS + FORMAT_R16;
    struct blob *const blob = kit_blob(number, PAYLOAD);
    unsigned char *const entry = entry_of(number);
    const unsigned char start[8] = {'T', 'R', 'N', 'E', 2, 0, FORMAT_R16, CODING_ZSTD};
    struct blob_info info;
    uint64_t world;

    assert_true(entry_check(entry, ENTRY, &blob->key, &info, &world));
    assert_memory_equal(&info.min_m, &blob->info.min_m, sizeof info.min_m);
    assert_memory_equal(&info.max_m, &blob->info.max_m, sizeof info.max_m);
    assert_int_equal(info.width, blob->info.width);
    assert_int_equal(info.height, blob->info.height);
    assert_int_equal(info.format, blob->info.format);
    assert_int_equal(info.coding, blob->info.coding);
    assert_true(world == blob->world && world != 0);
    assert_memory_equal(entry + ENTRY_HEADER_BYTES, blob->data, PAYLOAD);
    assert_memory_equal(entry, start, sizeof start);
    blob_release(blob);
    free(entry);
}

TEST(test_entry_every_bit_counts)
{
    const struct digest key = kit_key(9);
    unsigned char *const entry = entry_of(9);
    struct blob_info info;
    uint64_t world;

    for (size_t bit = 0; bit < (size_t)8 * ENTRY; bit++) {
        entry[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        assert_false(entry_check(entry, ENTRY, &key, &info, &world));
        entry[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
    assert_true(entry_check(entry, ENTRY, &key, &info, &world));
    free(entry);
}

/* What the checksum says is right, and no coding there is. */
TEST(test_entry_unknown_coding)
{
    const struct digest key = kit_key(13);
    unsigned char *const entry = entry_of(13);
    struct blob_info info;
    uint64_t world;

    for (unsigned coding = 0; coding < 256; coding++) {
        entry[7] = (unsigned char)coding;
        uint64_t sum = XXH3_64bits_withSeed(entry + ENTRY_HEADER_BYTES, PAYLOAD,
                                            XXH3_64bits(entry, ENTRY_HEADER_BYTES - 8));
        for (int i = 0; i < 8; i++, sum >>= 8)
            entry[ENTRY_HEADER_BYTES - 8 + i] = (unsigned char)sum;
        assert_int_equal(entry_check(entry, ENTRY, &key, &info, &world), coding < CODINGS);
    }
    free(entry);
}

GROUP(blob);
