/*
 * Purging the disk tier: of a world or of everything, stored and still queued, and of nothing else.
 */
#include "disk_kit.h"

/* That of the blobs 0 .. end - 1 those of a world are missing, and no others. */
static void expect_without(uint64_t end, uint64_t world)
{
    for (uint64_t i = 0; i < end; i++) {
        const struct digest key = kit_key(i);
        uint64_t bytes;

        assert_int_equal(kit_has(0, i), kit_world(i) != world);
        assert_int_equal(disk_has(kit.disk, 1, &key, &bytes), kit_world(i) != world);
    }
}

/* An id that is stored again under another world is of that world. */
TEST(test_a_blob_that_changed_worlds)
{
    kit_open();
    struct blob *const blob = kit_blob(1, 1000);

    disk_put(kit.disk, blob);
    disk_flush(kit.disk);
    blob_release(blob);
    struct blob *const again = kit_blob(1, 100000);
    again->world = 77;
    disk_put(kit.disk, again);
    disk_flush(kit.disk);
    blob_release(again);
    assert_int_equal(kit_stats().rows, 1);
    assert_int_equal(disk_purge(kit.disk, false, kit_world(1)), 0);
    assert_int_equal(disk_purge(kit.disk, false, 77), 1);
    assert_false(kit_has(0, 1));
}

/* Many steps, in a store so small that its log is emptied on the way. */
TEST(test_more_than_a_step)
{
    enum { COUNT = 700 * KIT_WORLDS };

    kit.options.quota_bytes = 4 * KIT_MIB;
    kit_open();
    kit_fill(0, COUNT, 300);
    assert_int_equal(kit_stats().rows, COUNT);
    assert_int_equal(disk_purge(kit.disk, false, kit_world(0)), 700);
    expect_without(COUNT, kit_world(0));
    assert_true(kit_bytes() <= 4 * KIT_MIB);
    kit_close();
    assert_int_equal(kit_sql("SELECT count(*) FROM lru"), COUNT - 700);
    assert_int_equal(kit_sql("SELECT count(*) FROM blob"), COUNT - 700);
}

/* What waits in the midst of others, which are stored when the flush ends. */
TEST(test_queued)
{
    enum { COUNT = 10 * KIT_WORLDS };

    kit.options.write_interval_ms = 100000;
    kit_open();
    for (uint64_t i = 0; i < COUNT; i++)
        kit_put(i, 5000);
    assert_int_equal(disk_purge(kit.disk, false, kit_world(6)), 10);
    disk_flush(kit.disk);
    expect_without(COUNT, kit_world(6));
    assert_int_equal(kit_stats().stores, COUNT - 10);
    assert_int_equal(kit_stats().dropped, 10);
    for (uint64_t i = 100; i < 110; i++)
        kit_put(i, 5000);
    assert_int_equal(disk_purge(kit.disk, true, 0), COUNT); /* 60 that were stored and ten that were not */
    disk_flush(kit.disk);
    assert_int_equal(kit_count(0, 200), 0);
}

TEST(test_while_unwell)
{
    kit.options.retry_interval_ms = 100000;
    kit_open_blocked();
    assert_int_equal(disk_purge(kit.disk, false, 1), -1);
    assert_int_equal(disk_purge(kit.disk, true, 1), -1);
}

GROUP_EACH(disk_purge, kit_setup, kit_teardown);
