/*
 * The quota of the disk tier: never exceeded, and changed while the tier works.
 */
#include "../../../server/cache/disk_parts.h"
#include "disk_kit.h"

TEST(test_smaller_quota)
{
    kit_open();
    kit_fill(0, 600, 100000);
    kit_close();
    assert_true(kit_bytes() > 40 * KIT_MIB);

    kit.options.quota_bytes = 8 * KIT_MIB;
    kit_open();
    assert_true(kit_has(0, 599));       /* at once */
    assert_true(kit_store(1000, 9000)); /* and stores */
    AWAIT(kit_bytes() <= 8 * KIT_MIB);
    disk_flush(kit.disk);
    assert_int_equal(kit_count(0, 500), 0);
    assert_true(kit_count(560, 600) > 20); /* what is left is the newest */
    assert_true(kit_has(0, 1000));
    kit_store_all(2000, 2100, 70000, UINT64_MAX); /* and the new quota holds */
    assert_true(kit_bytes() <= 8 * KIT_MIB);
    assert_int_equal(kit_stats().errors + kit_stats().damaged, 0);
}

/*
 * Waits until a small quota holds; until then the directory must not grow beyond most. It
 * holds once the database is within its three quarters: before that, files may be within the quota for a moment,
 * and a step's log take them over it again.
 */
static void wait_until_it_holds(uint64_t quota_bytes, uint64_t max)
{
    for (int i = 0; i < 120000; i++) {
        const uint64_t bytes = kit_bytes();

        if (bytes <= quota_bytes / 4 * 3 + 32768) /* the index of the log */
            return;
        assert_true(bytes <= max);
        usleep(1000);
    }
    fail_msg("it stays at %llu bytes", (unsigned long long)kit_bytes());
}

TEST(test_quota_of_rows_lowered)
{
    kit_open();
    kit_fill(0, 2000, 300);
    disk_set_quota(kit.disk, 64 * KIT_MIB, 100);
    AWAIT(kit_stats().rows <= 100);
    assert_int_equal(kit_stats().rows, 100);
    assert_int_equal(kit_count(1900, 2000), 100);
    kit_fill(3000, 3200, 300);
    assert_int_equal(kit_stats().rows, 100);
    disk_set_quota(kit.disk, 64 * KIT_MIB, 1000);
    kit_fill(4000, 4500, 300);
    assert_int_equal(kit_stats().rows, 600);
}

TEST(test_quota_raised)
{
    kit.options.quota_bytes = 4 * KIT_MIB;
    kit_open();
    kit_fill(0, 100, 100000);
    assert_false(kit_store(500, 2000000)); /* no batch has room for it */
    assert_int_equal(kit_stats().dropped, 1);
    assert_int_equal(kit_stats().degraded, 0);
    disk_set_quota(kit.disk, 128 * KIT_MIB, 100000);
    kit_fill(1000, 1400, 100000);
    assert_true(kit_store(500, 2000000));
    assert_int_equal(kit_count(1000, 1400), 400);
    assert_int_equal(kit_stats().errors, 0);
}

/* Up and down at random, with puts all the time, and the last one holds. */
TEST(test_quota_changed_often)
{
    kit_open();
    uint64_t number = 0, largest = 64 * KIT_MIB;

    for (uint64_t turn = 0; turn < 24; turn++) {
        const uint64_t quota = (4 + hash_mix(turn) % 20) * KIT_MIB;

        disk_set_quota(kit.disk, quota, 50 + hash_mix(turn + 1000) % 2000);
        for (int i = 0; i < 60; i++, number++)
            kit_put(number, (size_t)(hash_mix(number) % 200000) + 1);
        if (turn % 4 == 3) {
            wait_until_it_holds(quota, largest);
            for (int i = 0; i < 20; i++, number++) {
                kit_store(number, 60000);
                assert_true(kit_bytes() <= quota);
            }
            assert_true(kit_has(0, number - 1));
        }
    }
    disk_flush(kit.disk);
    assert_int_equal(kit_stats().errors + kit_stats().damaged + kit_stats().dropped, 0);
    assert_int_equal(kit_stats().stores, number);
    kit_close();
    assert_int_equal(kit_sql("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'"), 0);
}

/* A damaged database that was set aside is part of the old quota, and too large for the new one. */
TEST(test_quota_lowered_below_what_is_set_aside)
{
    kit_write_garbage("tiles.db", 2 * KIT_MIB);
    kit_open();
    assert_true(kit_exists("tiles.db.damaged"));
    disk_set_quota(kit.disk, 16 * KIT_MIB, 1000);
    disk_flush(kit.disk);
    assert_true(kit_exists("tiles.db.damaged"));
    disk_set_quota(kit.disk, 4 * KIT_MIB, 1000);
    disk_flush(kit.disk);
    assert_false(kit_exists("tiles.db.damaged"));
    kit_store_all(0, 200, 50000, 4 * KIT_MIB);
}

/* The change finds no store, and waits for one. */
TEST(test_quota_changed_while_unwell)
{
    kit_open_blocked();
    disk_set_quota(kit.disk, 4 * KIT_MIB, 10);
    disk_flush(kit.disk);
    assert_int_equal(unlink(kit.dir), 0);
    kit_store_at_last(1000);
    for (uint64_t i = 0; i < 30; i++) {
        kit_store_all(i, i + 1, 400000, 4 * KIT_MIB);
        assert_true(kit_stats().rows <= 10);
    }
}

/* Of the store alone: the writer's next step would shrink what is over, before anybody could see it. */
TEST(test_a_batch_keeps_the_quota_of_rows)
{
    enum { ROWS = 10, BLOBS = 3 * ROWS };
    struct store store = {0};
    struct blob *blob[BLOBS];

    assert_int_equal(store_open(&store, kit_path("tiles.db"), 64 * KIT_MIB, ROWS), STORE_OK);
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
