/* The disk tier on a disk that works: what is put is found within the quota, least recently used goes first. */
#include "disk_kit.h"

TEST(test_round_trip)
{
    static const size_t sizes[] = {1, 100, 5000, 16301, 16302, 16336, 16384, 100000, 3 << 20};
    const int count = sizeof sizes / sizeof sizes[0];

    kit.options.write_interval_ms = 10000;
    kit_open();
    assert_false(kit_has(0, 0));
    for (int i = 0; i < 2 * count; i++) /* what is queued is not queued again */
        kit_put((uint64_t)(i / 2), sizes[i / 2]);
    disk_flush(kit.disk);
    for (int i = 0; i < count; i++) {
        const struct digest key = kit_key((uint64_t)i);
        uint64_t bytes = 0;
        for (int reader = 0; reader < 3; reader++)
            assert_true(kit_has(reader, (uint64_t)i));
        assert_true(disk_has(kit.disk, 2, &key, &bytes)); /* which is no hit */
        assert_int_equal(bytes, sizes[i]);
    }
    assert_int_equal(kit_stats().stores, count);
    assert_int_equal(kit_stats().rows, count);
    assert_int_equal(kit_stats().hits, 3 * count);
    assert_int_equal(kit_stats().misses, 1);
    assert_true(kit_stats().bytes > 3 * KIT_MIB);
    assert_int_equal(kit_stats().dropped + kit_stats().errors + kit_stats().damaged, 0);
    kit_close();
    disk_close(NULL);
}

TEST(test_directory_is_made)
{
    struct stat status;
    char dir[128];

    snprintf(dir, sizeof dir, "%s/a/b/c", kit.dir);
    kit.options.dir = dir;
    kit_open();
    assert_true(kit_store(1, 100));
    assert_int_equal(stat(dir, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
}

TEST(test_queue_is_bounded)
{
    struct blob *const bad = kit_blob(1, 10);

    kit.options.write_behind_bytes = 50000;
    kit.options.write_interval_ms = 3600000; /* which a flush of many batches does not wait for */
    kit_open();
    kit_put(0, 60000);
    assert_int_equal(kit_stats().dropped, 1);
    bad->info.width = 0; /* not what an entry can be */
    disk_put(kit.disk, bad);
    blob_release(bad);
    assert_int_equal(kit_stats().dropped, 2);
    for (uint64_t i = 0; i < 1000; i++)
        kit_put(i, 10000);
    disk_flush(kit.disk);
    assert_int_equal(kit_stats().stores + kit_stats().dropped, 1002);
    assert_true(kit_stats().stores >= 4);
}

TEST(test_least_recently_used_goes_first)
{
    const struct digest looked_at = kit_key(4);
    uint64_t bytes;

    kit.options.quota_rows = 8;
    kit_open();
    kit_store_all(0, 8, 3000, UINT64_MAX);
    assert_int_equal(kit_count(0, 4), 4);                   /* used after all the others were stored */
    assert_true(disk_has(kit.disk, 0, &looked_at, &bytes)); /* to look whether it is there is no use of it */
    kit_store_all(8, 12, 3000, UINT64_MAX);
    assert_int_equal(kit_count(0, 4), 4);
    assert_int_equal(kit_count(4, 8), 0);
    assert_int_equal(kit_count(8, 12), 4);
    assert_int_equal(kit_stats().evicted, 4);

    kit_open(); /* all eight have been used since: the clock goes on, behind them */
    assert_true(kit_has(0, 0));
    disk_flush(kit.disk);
    kit_store_all(12, 18, 3000, UINT64_MAX);
    assert_true(kit_has(0, 0));
    assert_int_equal(kit_count(12, 18), 6);
    assert_int_equal(kit_stats().rows, 8);
}

enum { CROWD_READERS = 2, CROWD_KEYS = 400 };

struct crowd {
    int reader;
    atomic_bool *stop;
    uint64_t hits, wrong;
};

static void crowd_read(void *argument)
{
    struct crowd *const crowd = argument;

    for (uint64_t i = 0; !atomic_load(crowd->stop) || crowd->hits == 0; i++) {
        const struct digest key = kit_key(hash_mix(i) % CROWD_KEYS);
        uint64_t bytes = 20000;

        crowd->hits += kit_has(crowd->reader, hash_mix(i) % CROWD_KEYS);
        disk_has(kit.disk, crowd->reader, &key, &bytes);
        crowd->wrong += bytes != 20000;
        if (i % 100 == 99)
            crowd->wrong += disk_purge(kit.disk, false, kit_world((uint64_t)crowd->reader)) < 0;
        usleep(100);
    }
}

static void crowd_put(void *argument)
{
    struct crowd *const crowd = argument;

    for (uint64_t i = 0; !atomic_load(crowd->stop); i++) {
        kit_put(hash_mix(i + 77) % CROWD_KEYS, 20000);
        usleep(100);
    }
}

TEST(test_readers_writers_and_purgers_at_once)
{
    struct crowd crowd[CROWD_READERS + 2];
    uv_thread_t thread[CROWD_READERS + 2];
    atomic_bool stop = false;

    kit.options.quota_bytes = 5 * KIT_MIB; /* evicts all the time */
    kit.options.write_interval_ms = 2;
    kit_open();
    for (int i = 0; i < CROWD_READERS + 2; i++) {
        crowd[i] = (struct crowd){.reader = i, .stop = &stop};
        assert_int_equal(uv_thread_create(&thread[i], i < CROWD_READERS ? crowd_read : crowd_put, &crowd[i]),
                         0);
    }
    for (uint64_t i = 1; i <= 3; i++) {
        while (kit_stats().evicted < 100 * i)
            usleep(1000);
        disk_flush(kit.disk);
        assert_true(kit_bytes() <= kit.options.quota_bytes);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < CROWD_READERS + 2; i++)
        uv_thread_join(&thread[i]);
    assert_int_equal(crowd[0].wrong + crowd[1].wrong, 0);
    assert_int_equal(kit_stats().errors + kit_stats().damaged + (uint64_t)kit_stats().degraded, 0);
}

GROUP_EACH(disk, kit_setup, kit_teardown);
