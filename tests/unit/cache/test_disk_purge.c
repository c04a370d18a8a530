/*
 * Purging the disk tier: of a world or of everything, stored and still queued, and of nothing else.
 */
#include "../unit.h"

#include "disk_kit.h"

#include "../../../server/cache/queue.h"

static void put_all(struct disk *disk, uint64_t end, size_t bytes)
{
    for (uint64_t i = 0; i < end; i++)
        kit_put(disk, i, bytes);
    disk_flush(disk);
}

/* That of the blobs 0 .. end - 1 those of a world are missing, and no others. */
static void expect_without(struct disk *disk, uint64_t end, uint64_t world)
{
    for (uint64_t i = 0; i < end; i++) {
        const struct digest key = kit_key(i);
        uint64_t bytes;

        assert_int_equal(kit_has(disk, 0, i), kit_world(i) != world);
        assert_int_equal(disk_has(disk, 1, &key, &bytes), kit_world(i) != world);
    }
}

/* An id that is stored again under another world is of that world. */
TEST(test_a_blob_that_changed_worlds)
{
    struct disk *const disk = kit_open(*state);
    struct blob *const blob = kit_blob(1, 1000);

    disk_put(disk, blob);
    disk_flush(disk);
    blob_release(blob);
    struct blob *const again = kit_blob(1, 1000);
    again->world = 77;
    disk_put(disk, again);
    disk_flush(disk);
    blob_release(again);
    assert_int_equal(disk_purge(disk, false, kit_world(1)), 0);
    assert_int_equal(disk_purge(disk, false, 77), 1);
    assert_false(kit_has(disk, 0, 1));
    disk_close(disk);
}

/* Many steps, in a store so small that its log is emptied on the way. */
TEST(test_more_than_a_step)
{
    enum { COUNT = 700 * KIT_WORLDS };
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.quota_bytes = 4 * KIT_MIB;
    disk = kit_open(kit);
    put_all(disk, COUNT, 300);
    assert_int_equal(kit_stats(disk).rows, COUNT);
    assert_int_equal(disk_purge(disk, false, kit_world(0)), 700);
    expect_without(disk, COUNT, kit_world(0));
    assert_true(kit_bytes(kit->dir) <= 4 * KIT_MIB);
    disk_close(disk);
    assert_int_equal(kit_sql_number(kit, "SELECT count(*) FROM lru"), COUNT - 700);
    assert_int_equal(kit_sql_number(kit, "SELECT count(*) FROM blob"), COUNT - 700);
}

/* The writer looks at its files each second meanwhile: that takes nothing out of the queue before its time. */
TEST(test_queued)
{
    enum { COUNT = 10 * KIT_WORLDS };
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.write_interval_ms = 100000;
    disk = kit_open(kit);
    for (uint64_t i = 0; i < COUNT; i++)
        kit_put(disk, i, 5000);
    usleep(1200000);
    assert_int_equal(disk_purge(disk, false, kit_world(6)), 10);
    disk_flush(disk);
    expect_without(disk, COUNT, kit_world(6));
    assert_int_equal(kit_stats(disk).stores, COUNT - 10);
    assert_int_equal(kit_stats(disk).dropped, 10);
    for (uint64_t i = 100; i < 110; i++)
        kit_put(disk, i, 5000);
    assert_int_equal(disk_purge(disk, true, 0), COUNT); /* 60 that were stored and ten that were not */
    disk_flush(disk);
    assert_int_equal(kit_count(disk, 0, 200), 0);
    disk_close(disk);
}

/* The queue itself: what leaves it in the middle does not count as what came first. */
TEST(test_queue_counts)
{
    static struct queue queue;
    struct blob *peeked[4];

    queue_init(&queue, 1 << 20);
    assert_true(queue_is_past(&queue, 0));
    for (uint64_t i = 0; i < 30; i++) {
        struct blob *const blob = kit_blob(i, 100);

        assert_int_equal(queue_add(&queue, blob, i), QUEUE_ADDED);
        assert_int_equal(queue_add(&queue, blob, i), QUEUE_KNOWN);
        blob_release(blob);
    }
    assert_int_equal(queue_purge(&queue, false, kit_world(1)), 5); /* 1 8 15 22 29 */
    assert_int_equal(queue.count, 25);
    assert_false(queue_is_past(&queue, 1)); /* 0 is there */
    queue_remove(&queue, 1);
    assert_true(queue_is_past(&queue, 2));
    assert_false(queue_is_past(&queue, 3));
    assert_int_equal(queue_peek(&queue, peeked, 4, 1000), 4);
    assert_true(digest_equal(&peeked[0]->key, &(struct digest){kit_key(2).low, kit_key(2).high}));
    struct blob *const last = kit_blob(29, 100); /* it was the last, and can be added again */
    assert_int_equal(queue_add(&queue, last, 0), QUEUE_ADDED);
    blob_release(last);
    assert_int_equal(queue_purge(&queue, true, 0), 25);
    assert_int_equal(queue.count + queue.bytes, 0);
    assert_true(queue_is_past(&queue, 31));
    struct blob *const next = kit_blob(1, 100);
    assert_int_equal(queue_add(&queue, next, 0), QUEUE_ADDED);
    blob_release(next);
    assert_false(queue_is_past(&queue, 32));
    queue_remove(&queue, 1);
    assert_true(queue_is_past(&queue, 32));
}

TEST(test_while_unwell)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit_remove(kit->dir);
    fclose(fopen(kit->dir, "w"));
    kit->options.retry_interval_ms = 100000;
    disk = kit_open(kit);
    assert_int_equal(disk_purge(disk, false, 1), -1);
    assert_int_equal(disk_purge(disk, true, 1), -1);
    disk_close(disk);
    assert_int_equal(unlink(kit->dir), 0);
}

enum { PURGERS = 3 };

struct purger {
    struct disk *disk;
    uint64_t world;
    int64_t gone;
    bool failed;
};

static void purge_run(void *argument)
{
    struct purger *const purger = argument;

    for (int i = 0; i < 10; i++) {
        const int64_t gone = disk_purge(purger->disk, false, purger->world);

        purger->failed |= gone < 0;
        purger->gone += gone;
    }
}

TEST(test_several_at_once)
{
    enum { COUNT = 60 * KIT_WORLDS };
    struct disk *const disk = kit_open(*state);
    struct purger purger[PURGERS];
    uv_thread_t thread[PURGERS];

    put_all(disk, COUNT, 2000);
    for (int i = 0; i < PURGERS; i++) {
        purger[i] = (struct purger){.disk = disk, .world = kit_world((uint64_t)i)};
        assert_int_equal(uv_thread_create(&thread[i], purge_run, &purger[i]), 0);
    }
    for (uint64_t i = 0; i < 300; i++) { /* others come and read meanwhile */
        kit_put(disk, COUNT + i, 2000);
        assert_true(kit_has(disk, 0, KIT_WORLDS * (i % 60) + 5));
    }
    for (int i = 0; i < PURGERS; i++) {
        uv_thread_join(&thread[i]);
        assert_false(purger[i].failed);
        assert_true(purger[i].gone >= 60);
    }
    disk_flush(disk);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(kit_has(disk, 0, i), i % KIT_WORLDS >= PURGERS);
    assert_int_equal(kit_stats(disk).errors + kit_stats(disk).damaged, 0);
    disk_close(disk);
}

GROUP_EACH(disk_purge, kit_setup, kit_teardown);
