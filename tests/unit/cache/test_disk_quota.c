/*
 * The quota of the disk tier: never exceeded, and changed while the tier works.
 */
#include "../../../server/cache/disk_parts.h"
#include "disk_kit.h"

TEST(test_smaller_quota)
{
    struct kit *const kit = *state;
    struct disk *disk = kit_open(kit);

    for (uint64_t i = 0; i < 600; i++) {
        kit_put(disk, i, 100000);
        if (i % 100 == 99)
            disk_flush(disk);
    }
    disk_close(disk);
    uint64_t bytes = kit_bytes(kit->dir);
    assert_true(bytes > 40 * KIT_MIB);

    kit->options.quota_bytes = 8 * KIT_MIB;
    disk = kit_open(kit);
    assert_true(kit_has(disk, 0, 599));       /* at once */
    assert_true(kit_store(disk, 1000, 9000)); /* and stores */
    for (int i = 0; kit_bytes(kit->dir) > 8 * KIT_MIB && i < 12000; i++)
        usleep(10000);
    assert_true(kit_bytes(kit->dir) <= 8 * KIT_MIB);
    disk_flush(disk);
    assert_int_equal(kit_count(disk, 0, 500), 0);
    assert_true(kit_count(disk, 560, 600) > 20); /* what is left is the newest */
    assert_true(kit_has(disk, 0, 1000));
    for (uint64_t i = 2000; i < 2100; i++) /* and the new quota holds */
        assert_true(kit_store(disk, i, 70000));
    assert_true(kit_bytes(kit->dir) <= 8 * KIT_MIB);
    assert_int_equal(kit_stats(disk).errors + kit_stats(disk).damaged, 0);
    disk_close(disk);
}

/*
 * Waits until a small quota holds; until then the directory must not grow beyond most. It
 * holds once the database is within its three quarters: before that, files may be within the quota for a moment,
 * and a step's log take them over it again.
 */
static void wait_until_it_holds(struct kit *kit, uint64_t quota_bytes, uint64_t max)
{
    for (int i = 0; i < 120000; i++) {
        const uint64_t bytes = kit_bytes(kit->dir);

        if (bytes <= quota_bytes / 4 * 3 + 32768) /* the index of the log */
            return;
        assert_true(bytes <= max);
        usleep(1000);
    }
    fail_msg("it stays at %llu bytes", (unsigned long long)kit_bytes(kit->dir));
}

static void fill(struct disk *disk, uint64_t first, uint64_t end, size_t bytes)
{
    for (uint64_t i = first; i < end; i++) {
        kit_put(disk, i, bytes);
        if (i % 50 == 49)
            disk_flush(disk);
    }
    disk_flush(disk);
}

TEST(test_quota_of_rows_lowered)
{
    struct disk *const disk = kit_open(*state);

    fill(disk, 0, 2000, 300);
    disk_set_quota(disk, 64 * KIT_MIB, 100);
    for (int i = 0; i < 12000 && kit_stats(disk).rows > 100; i++)
        usleep(10000);
    assert_int_equal(kit_stats(disk).rows, 100);
    assert_int_equal(kit_count(disk, 1900, 2000), 100);
    fill(disk, 3000, 3200, 300);
    assert_int_equal(kit_stats(disk).rows, 100);
    disk_set_quota(disk, 64 * KIT_MIB, 1000);
    fill(disk, 4000, 4500, 300);
    assert_int_equal(kit_stats(disk).rows, 600);
    disk_close(disk);
}

TEST(test_quota_raised)
{
    struct kit *const kit = *state;

    kit->options.quota_bytes = 4 * KIT_MIB;
    struct disk *disk = kit_open(kit);
    fill(disk, 0, 100, 100000);
    assert_false(kit_store(disk, 500, 2000000)); /* no batch has room for it */
    assert_int_equal(kit_stats(disk).dropped, 1);
    assert_int_equal(kit_stats(disk).degraded, 0);
    disk_set_quota(disk, 128 * KIT_MIB, 100000);
    fill(disk, 1000, 1400, 100000);
    assert_true(kit_store(disk, 500, 2000000));
    assert_int_equal(kit_count(disk, 1000, 1400), 400);
    assert_int_equal(kit_stats(disk).errors, 0);
    disk_close(disk);
}

/* Up and down at random, with puts all the time, and the last one holds. */
TEST(test_quota_changed_often)
{
    struct kit *const kit = *state;
    struct disk *const disk = kit_open(kit);
    uint64_t number = 0, largest = 64 * KIT_MIB;

    for (uint64_t turn = 0; turn < 24; turn++) {
        const uint64_t quota = (4 + kit_mix(turn) % 20) * KIT_MIB;

        disk_set_quota(disk, quota, 50 + kit_mix(turn + 1000) % 2000);
        for (int i = 0; i < 60; i++, number++)
            kit_put(disk, number, (size_t)(kit_mix(number) % 200000) + 1);
        if (turn % 4 == 3) {
            wait_until_it_holds(kit, quota, largest);
            for (int i = 0; i < 20; i++, number++) {
                kit_store(disk, number, 60000);
                assert_true(kit_bytes(kit->dir) <= quota);
            }
            assert_true(kit_has(disk, 0, number - 1));
        }
    }
    disk_flush(disk);
    assert_int_equal(kit_stats(disk).errors + kit_stats(disk).damaged + kit_stats(disk).dropped, 0);
    assert_int_equal(kit_stats(disk).stores, number);
    disk_close(disk);
    assert_int_equal(
        kit_sql_number(kit, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'"), 0);
}

/* A damaged database that was set aside is part of the old quota, and too large for the new one. */
TEST(test_quota_lowered_below_what_is_set_aside)
{
    struct kit *const kit = *state;

    kit_write_garbage(kit, "tiles.db", 2 * KIT_MIB);
    struct disk *disk = kit_open(kit);
    assert_true(kit_exists(kit, "tiles.db.damaged"));
    disk_set_quota(disk, 16 * KIT_MIB, 1000);
    disk_flush(disk);
    assert_true(kit_exists(kit, "tiles.db.damaged"));
    disk_set_quota(disk, 4 * KIT_MIB, 1000);
    disk_flush(disk);
    assert_false(kit_exists(kit, "tiles.db.damaged"));
    for (uint64_t i = 0; i < 200; i++) {
        assert_true(kit_store(disk, i, 50000));
        assert_true(kit_bytes(kit->dir) <= 4 * KIT_MIB);
    }
    disk_close(disk);
}

/* The change finds no store, and waits for one. */
TEST(test_quota_changed_while_unwell)
{
    struct kit *const kit = *state;
    struct disk *const disk = kit_open_blocked(kit);

    disk_set_quota(disk, 4 * KIT_MIB, 10);
    disk_flush(disk);
    assert_int_equal(unlink(kit->dir), 0);
    kit_store_at_last(disk, 1000);
    for (uint64_t i = 0; i < 30; i++) {
        assert_true(kit_store(disk, i, 400000));
        assert_true(kit_bytes(kit->dir) <= 4 * KIT_MIB);
        assert_true(kit_stats(disk).rows <= 10);
    }
    disk_close(disk);
}

/* Of the store alone: the writer's next step would shrink what is over, before anybody could see it. */
TEST(test_a_batch_keeps_the_quota_of_rows)
{
    enum { ROWS = 10, BLOBS = 3 * ROWS };
    struct kit *const kit = *state;
    struct store store = {0};
    struct blob *blob[BLOBS];

    assert_int_equal(store_open(&store, kit_path(kit, "tiles.db"), 64 * KIT_MIB, ROWS), STORE_OK);
    for (uint64_t i = 0; i < BLOBS; i++)
        blob[i] = kit_blob(i, 300);
    assert_int_equal(store_write(&store, &(struct store_batch){.blob = blob, .blobs = BLOBS}), STORE_OK);
    assert_int_equal(store.rows, ROWS);
    assert_false(store_is_over(&store));
    assert_int_equal(store.evicted, BLOBS - ROWS);
    for (int i = 0; i < BLOBS; i++)
        blob_release(blob[i]);
    store_close(&store, false);
}

GROUP_EACH(disk_quota, kit_setup, kit_teardown);
