/* The disk tier on a disk that works: what is put is found, within the quota, until it is the least recently
 * used. */
#include "disk_kit.h"

#include "../../server/cache/disk_queue.h"

static void test_round_trip(void **state)
{
    static const size_t sizes[] = {1, 100, 5000, 16301, 16302, 16336, 16384, 100000, 3 << 20};
    const int count = sizeof sizes / sizeof sizes[0];
    struct disk *const disk = kit_open(*state);

    assert_false(kit_has(disk, 0, 0));
    for (int i = 0; i < count; i++)
        kit_put(disk, (uint64_t)i, sizes[i]);
    disk_flush(disk);
    for (int i = 0; i < count; i++)
        for (int reader = 0; reader < 3; reader++)
            assert_true(kit_has(disk, reader, (uint64_t)i));
    assert_int_equal(kit_stats(disk).stores, count);
    assert_int_equal(kit_stats(disk).rows, count);
    assert_int_equal(kit_stats(disk).hits, 3 * count);
    assert_int_equal(kit_stats(disk).misses, 1);
    assert_true(kit_stats(disk).bytes > 3 * KIT_MIB);
    assert_int_equal(kit_stats(disk).dropped + kit_stats(disk).errors + kit_stats(disk).damaged, 0);
    disk_close(disk);
    disk_close(NULL);
}

static void test_restart(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk = kit_open(kit);

    for (uint64_t i = 0; i < 50; i++)
        kit_put(disk, i, 20000);
    disk_close(disk); /* flushes */
    assert_false(kit_exists(kit, "tiles.db-wal"));
    disk = kit_open(kit);
    assert_int_equal(kit_stats(disk).degraded, 0);
    assert_int_equal(kit_stats(disk).rows, 50);
    assert_int_equal(kit_count(disk, 0, 50), 50);
    assert_int_equal(kit_stats(disk).misses, 0);
    disk_close(disk);
}

static void test_stored_within_the_interval(void **state)
{
    struct disk *const disk = kit_open(*state);
    int tries = 0;

    kit_put(disk, 1, 100);
    while (kit_stats(disk).stores == 0 && ++tries < 1000)
        usleep(1000);
    assert_int_equal(kit_stats(disk).stores, 1);
    disk_close(disk);
}

static void test_directory_is_made(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;
    struct stat status;
    char dir[128];

    snprintf(dir, sizeof dir, "%s/a/b/c", kit->dir);
    kit->options.dir = dir;
    disk = kit_open(kit);
    assert_true(kit_store(disk, 1, 100));
    assert_int_equal(stat(dir, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    disk_close(disk);
}

static void test_replace(void **state)
{
    struct disk *const disk = kit_open(*state);

    assert_true(kit_store(disk, 7, 100000));
    assert_true(kit_store(disk, 7, 200)); /* as after a collision of ids */
    assert_true(kit_has(disk, 1, 7));
    assert_int_equal(kit_stats(disk).rows, 1);
    disk_close(disk);
}

static void test_queued_once(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.write_interval_ms = 10000;
    disk = kit_open(kit);
    for (int i = 0; i < 10; i++)
        kit_put(disk, 3, 1000);
    disk_flush(disk);
    assert_int_equal(kit_stats(disk).stores, 1);
    assert_int_equal(kit_stats(disk).dropped, 0);
    disk_close(disk);
}

static void test_queue_is_bounded(void **state)
{
    struct kit *const kit = *state;
    struct blob *const bad = kit_blob(1, 10);
    struct disk *disk;

    kit->options.write_behind_bytes = 50000;
    kit->options.write_interval_ms = 10000;
    disk = kit_open(kit);
    kit_put(disk, 0, 60000);
    assert_int_equal(kit_stats(disk).dropped, 1);
    bad->info.width = 0; /* not what an entry can be */
    disk_put(disk, bad);
    blob_release(bad);
    assert_int_equal(kit_stats(disk).dropped, 2);
    for (uint64_t i = 0; i < 1000; i++)
        kit_put(disk, i, 10000);
    disk_flush(disk);
    assert_int_equal(kit_stats(disk).stores + kit_stats(disk).dropped, 1002);
    assert_true(kit_stats(disk).stores >= 4);
    disk_close(disk);
}

static void test_least_recently_used_goes_first(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.quota_rows = 8;
    disk = kit_open(kit);
    for (uint64_t i = 0; i < 8; i++)
        assert_true(kit_store(disk, i, 3000));
    assert_int_equal(kit_count(disk, 0, 4), 4); /* used after all the others were stored */
    for (uint64_t i = 8; i < 12; i++)
        assert_true(kit_store(disk, i, 3000));
    assert_int_equal(kit_count(disk, 0, 4), 4);
    assert_int_equal(kit_count(disk, 4, 8), 0);
    assert_int_equal(kit_count(disk, 8, 12), 4);
    assert_int_equal(kit_stats(disk).evicted, 4);
    disk_close(disk);

    disk = kit_open(kit); /* all eight have been used since: the clock goes on, behind them */
    assert_true(kit_has(disk, 0, 0));
    disk_flush(disk);
    for (uint64_t i = 12; i < 18; i++)
        assert_true(kit_store(disk, i, 3000));
    assert_true(kit_has(disk, 0, 0));
    assert_int_equal(kit_count(disk, 12, 18), 6);
    assert_int_equal(kit_stats(disk).rows, 8);
    disk_close(disk);
}

static void test_quota_of_rows(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.quota_rows = 100;
    disk = kit_open(kit);
    for (uint64_t i = 0; i < 1000; i++) {
        kit_put(disk, i, 300);
        if (i % 150 == 149) {
            disk_flush(disk);
            assert_int_equal(kit_stats(disk).rows, 100);
        }
    }
    disk_flush(disk);
    assert_int_equal(kit_count(disk, 900, 1000), 100);
    assert_int_equal(kit_count(disk, 0, 900), 0);
    disk_close(disk);
}

struct watch {
    const char *dir;
    atomic_bool stop;
    uint64_t most, looks;
};

static void watch_run(void *argument)
{
    struct watch *const watch = argument;

    while (!atomic_load(&watch->stop)) {
        const uint64_t bytes = kit_bytes(watch->dir);

        watch->most = bytes > watch->most ? bytes : watch->most;
        watch->looks++;
        usleep(500);
    }
}

/* Ten times the quota in distinct blobs; sizes are up to largest. Returns the most bytes ever seen in the
 * directory. */
static uint64_t fill_ten_times(struct kit *kit, uint64_t quota_bytes, size_t largest,
                               struct disk_stats *stats)
{
    struct watch watch = {.dir = kit->dir};
    uv_thread_t thread;
    uint64_t bytes = 0, number = 0;
    struct disk *disk;

    kit->options.quota_bytes = quota_bytes;
    disk = kit_open(kit);
    assert_int_equal(uv_thread_create(&thread, watch_run, &watch), 0);
    while (bytes < 10 * quota_bytes && number < 8000) {
        const size_t size = (size_t)(kit_mix(number) % largest) + 1;

        kit_put(disk, number++, size);
        bytes += size;
        if (number % 64 == 0) {
            disk_flush(disk);
            assert_true(kit_bytes(kit->dir) <= quota_bytes);
        }
    }
    disk_flush(disk);
    *stats = kit_stats(disk);
    assert_int_equal(stats->stores + stats->dropped, number);
    assert_true(kit_has(disk, 0, number - 1) || stats->dropped > 0);
    disk_close(disk);
    atomic_store(&watch.stop, true);
    uv_thread_join(&thread);
    assert_true(watch.looks > 10);
    return watch.most;
}

static void test_quota_of_bytes(void **state)
{
    static const size_t largest[] = {400, 20000, 150000, 550000};
    struct kit *const kit = *state;
    struct disk_stats stats;

    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        const uint64_t quota = 4 * KIT_MIB;
        const uint64_t most = fill_ten_times(kit, quota, largest[i], &stats);

        print_message("    to %zu bytes each: %.1f%% of the quota at most, %.1f%% of it in use at the end\n",
                      largest[i], 100.0 * (double)most / (double)quota,
                      100.0 * (double)stats.bytes / (double)quota);
        assert_true(most <= quota);
        assert_int_equal(stats.dropped + stats.errors, 0);
        assert_true(stats.bytes > quota / 2);
        kit_remove(kit->dir);
    }
}

static void test_entries_larger_than_a_batch(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.quota_bytes = 4 * KIT_MIB;
    disk = kit_open(kit);
    assert_true(kit_store(disk, 1, 500000));
    assert_false(kit_store(disk, 2, 2000000));
    assert_int_equal(kit_stats(disk).dropped, 1);
    assert_int_equal(kit_stats(disk).degraded, 0);
    assert_true(kit_has(disk, 0, 1));
    disk_close(disk);
}

static void test_smaller_quota(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk = kit_open(kit);
    uint64_t bytes;

    for (uint64_t i = 0; i < 600; i++) {
        kit_put(disk, i, 100000);
        if (i % 100 == 99)
            disk_flush(disk);
    }
    disk_close(disk);
    bytes = kit_bytes(kit->dir);
    assert_true(bytes > 40 * KIT_MIB);

    kit->options.quota_bytes = 8 * KIT_MIB;
    disk = kit_open(kit);
    assert_true(kit_has(disk, 0, 599));       /* at once */
    assert_true(kit_store(disk, 1000, 9000)); /* and stores */
    for (int i = 0; kit_bytes(kit->dir) > 8 * KIT_MIB && i < 1000; i++)
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

    kit->options.quota_rows = 10;
    disk = kit_open(kit);
    disk_flush(disk);
    disk_flush(disk);
    assert_int_equal(kit_stats(disk).rows, 10);
    assert_int_equal(kit_count(disk, 2090, 2100), 10);
    disk_close(disk);
}

static void test_second_opener_is_refused(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk = kit_open(kit);
    const char *why = NULL;

    assert_null(disk_open(&kit->options, &why));
    assert_string_equal(why, "another process uses the directory");
    assert_true(kit_store(disk, 1, 10));
    disk_close(disk);
    disk = kit_open(kit);
    disk_close(disk);
}

enum { CROWD_READERS = 2, CROWD_KEYS = 400 };

struct crowd {
    struct disk *disk;
    int reader;
    atomic_bool *stop;
    uint64_t hits;
};

static void crowd_read(void *argument)
{
    struct crowd *const crowd = argument;

    for (uint64_t i = 0; !atomic_load(crowd->stop); i++)
        crowd->hits += kit_has(crowd->disk, crowd->reader, kit_mix(i) % CROWD_KEYS);
}

static void crowd_put(void *argument)
{
    struct crowd *const crowd = argument;

    for (uint64_t i = 0; !atomic_load(crowd->stop); i++) {
        kit_put(crowd->disk, kit_mix(i + 77) % CROWD_KEYS, 20000);
        usleep(100);
    }
}

static void test_readers_and_writers_at_once(void **state)
{
    struct kit *const kit = *state;
    struct crowd crowd[CROWD_READERS + 2];
    uv_thread_t thread[CROWD_READERS + 2];
    atomic_bool stop = false;
    struct disk *disk;

    kit->options.quota_bytes = 5 * KIT_MIB; /* evicts all the time */
    kit->options.write_interval_ms = 2;
    disk = kit_open(kit);
    for (int i = 0; i < CROWD_READERS + 2; i++) {
        crowd[i] = (struct crowd){.disk = disk, .reader = i, .stop = &stop};
        assert_int_equal(uv_thread_create(&thread[i], i < CROWD_READERS ? crowd_read : crowd_put, &crowd[i]),
                         0);
    }
    for (int i = 0; i < 10; i++) {
        usleep(100000);
        disk_flush(disk);
        assert_true(kit_bytes(kit->dir) <= kit->options.quota_bytes);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < CROWD_READERS + 2; i++)
        uv_thread_join(&thread[i]);
    assert_true(crowd[0].hits > 0 && crowd[1].hits > 0);
    assert_true(kit_stats(disk).evicted > 0);
    assert_int_equal(kit_stats(disk).errors + kit_stats(disk).damaged + (uint64_t)kit_stats(disk).degraded,
                     0);
    disk_close(disk);
}

static void test_uses(void **state)
{
    static struct uses uses;
    static uint64_t taken[USES];
    size_t count;

    (void)state;
    for (int turn = 0; turn < 3; turn++)
        for (uint64_t i = 1; i <= 500; i++)
            uses_note(&uses, kit_mix(i));
    uses_note(&uses, 0);
    count = uses_take(&uses, taken);
    assert_in_range(count, 480, 500); /* some sets of four have overflowed */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(taken[i] != taken[j]);
    assert_int_equal(uses_take(&uses, taken), 0);
    for (uint64_t i = 1; i <= 100000; i++)
        uses_note(&uses, kit_mix(i));
    assert_in_range(uses_take(&uses, taken), USES - 10, USES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_restart),
        TEST(test_stored_within_the_interval),
        TEST(test_directory_is_made),
        TEST(test_replace),
        TEST(test_queued_once),
        TEST(test_queue_is_bounded),
        TEST(test_least_recently_used_goes_first),
        TEST(test_quota_of_rows),
        TEST(test_quota_of_bytes),
        TEST(test_entries_larger_than_a_batch),
        TEST(test_smaller_quota),
        TEST(test_second_opener_is_refused),
        TEST(test_readers_and_writers_at_once),
        TEST(test_uses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
