/*
 * The disk tier on files that are not what it wrote: damaged, foreign, of another version, taken away. Whatever
 * they hold: no wrong blob, no crash, and it comes back.
 */
#include "disk_kit.h"

/* A closed store with the blobs 0 .. count - 1 of 5000 bytes. */
static void make_store(struct kit *kit, uint64_t count)
{
    struct disk *const disk = kit_open(kit);

    for (uint64_t i = 0; i < count; i++)
        kit_put(disk, i, 5000);
    disk_close(disk);
}

/* Only they are missing, and can be stored again. */
TEST(test_strange_entries)
{
    static const char *const strange[] = {"x''",
                                          "'text'",
                                          "7",
                                          "zeroblob(5056)",
                                          "randomblob(56)",
                                          "zeroblob(70000000)",
                                          "substr(entry,1,56)",
                                          "entry||x'00'",
                                          "cast(entry as text)",
                                          "(SELECT b.entry FROM blob b WHERE b.id<>blob.id LIMIT 1)"};
    const uint64_t damaged = sizeof strange / sizeof strange[0], count = 20;
    struct kit *const kit = *state;
    char statement[160];

    make_store(kit, count);
    for (uint64_t i = 0; i < damaged; i++) {
        snprintf(statement, sizeof statement, "UPDATE blob SET entry=%s WHERE id=%lld", strange[i],
                 (long long)kit_key(i).low);
        kit_sql(kit, statement);
    }
    kit->options.quota_bytes = 200 * KIT_MIB;
    struct disk *const disk = kit_open(kit);
    assert_int_equal(kit_count(disk, 0, damaged), 0);
    assert_int_equal(kit_stats(disk).damaged, damaged);
    assert_int_equal(kit_count(disk, damaged, count), count - damaged);
    disk_flush(disk);
    assert_int_equal(kit_count(disk, 0, damaged), 0);
    assert_int_equal(kit_stats(disk).damaged, damaged); /* they were removed: now they are missing */
    assert_int_equal(kit_stats(disk).rows, count - damaged);
    for (uint64_t i = 0; i < damaged; i++)
        assert_true(kit_store(disk, i, 5000));
    assert_int_equal(kit_count(disk, 0, count), count);
    disk_close(disk);
}

/* The database that is there is not used: it is set aside, and an empty one works. */
static void expect_set_aside(struct kit *kit)
{
    struct disk *const disk = kit_open(kit);

    assert_int_equal(kit_stats(disk).damaged, 1);
    assert_int_equal(kit_stats(disk).degraded, 0);
    assert_int_equal(kit_count(disk, 0, 3), 0);
    assert_true(kit_store(disk, 1, 5000));
    assert_true(kit_has(disk, 0, 1));
    disk_close(disk);
    assert_true(kit_exists(kit, "tiles.db.damaged"));
}

TEST(test_garbage)
{
    struct kit *const kit = *state;

    kit_write_garbage(kit, "tiles.db", 100000);
    kit_write_garbage(kit, "tiles.db-wal", 50000);
    kit_write_garbage(kit, "tiles.db-shm", 32768);
    kit_write_garbage(kit, "tiles.db.damaged", 10);
    expect_set_aside(kit);
    assert_int_equal(truncate(kit_path(kit, "tiles.db"), 40000), 0);
    expect_set_aside(kit);
    assert_int_equal(truncate(kit_path(kit, "tiles.db"), 50), 0);
    expect_set_aside(kit);
}

TEST(test_empty_file_and_orphans)
{
    struct kit *const kit = *state;

    kit_write_garbage(kit, "tiles.db", 0);
    kit_write_garbage(kit, "tiles.db-journal", 1000);
    struct disk *disk = kit_open(kit);
    assert_true(kit_store(disk, 1, 5000));
    disk_close(disk);
    assert_int_equal(unlink(kit_path(kit, "tiles.db")), 0);
    kit_write_garbage(kit, "tiles.db-wal", 1000);
    kit_write_garbage(kit, "tiles.db-shm", 100);
    disk = kit_open(kit);
    assert_true(kit_store(disk, 1, 5000));
    assert_int_equal(kit_stats(disk).damaged, 0);
    disk_close(disk);
}

TEST(test_foreign_schema)
{
    static const char *const foreign[] = {
        "CREATE TRIGGER t AFTER UPDATE ON lru BEGIN DELETE FROM blob; END",
        "CREATE VIEW v AS SELECT * FROM blob",
        "CREATE TABLE more(x)",
        "CREATE INDEX more ON lru(bytes)",
        "DROP INDEX lru_used",
        "ALTER TABLE blob ADD COLUMN x DEFAULT 1",
        "PRAGMA application_id=7",
        "PRAGMA user_version=1001", /* the version before */
        "PRAGMA journal_mode=DELETE; PRAGMA page_size=4096; VACUUM",
        "UPDATE lru SET used=9223372036854775807",
    };
    struct kit *const kit = *state;

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        make_store(kit, 3);
        kit_sql(kit, foreign[i]);
        expect_set_aside(kit);
        kit_remove(kit->dir);
    }
}

/* Every byte of the header, spoiled. The store may not care, or be replaced; it must work. */
TEST(test_spoiled_header)
{
    struct kit *const kit = *state;

    for (off_t offset = 0; offset < 100; offset++) {
        make_store(kit, 3);
        kit_flip(kit, "tiles.db", offset, (unsigned char)(kit_mix((uint64_t)offset) % 255 + 1));
        struct disk *disk = kit_open(kit);
        kit_count(disk, 0, 3);
        kit_store_at_last(disk, 1000);
        disk_close(disk);
        kit_remove(kit->dir);
    }
}

/* Bytes flipped all over the file: what is found is right, and all can be stored again. */
TEST(test_spoiled_pages)
{
    struct kit *const kit = *state;

    for (uint64_t turn = 0; turn < 30; turn++) {
        struct stat status;

        make_store(kit, 40);
        assert_int_equal(stat(kit_path(kit, "tiles.db"), &status), 0);
        for (uint64_t i = 0; i < 1 + turn; i++)
            kit_flip(kit, "tiles.db", (off_t)(kit_mix(turn * 100 + i) % (uint64_t)status.st_size), 0x41);
        struct disk *disk = kit_open(kit);
        kit_count(disk, 0, 40);
        disk_flush(disk);
        for (uint64_t i = 0; i < 40; i++)
            kit_store_at_last(disk, i);
        disk_close(disk);
        kit_remove(kit->dir);
    }
}

TEST(test_tables_that_do_not_match)
{
    struct kit *const kit = *state;

    kit->options.quota_rows = 25;
    make_store(kit, 25);
    kit_sql(kit, "DELETE FROM blob WHERE id IN (SELECT id FROM lru ORDER BY used LIMIT 10)");
    kit_sql(kit, "DELETE FROM lru WHERE id IN (SELECT id FROM lru ORDER BY used DESC LIMIT 10)");
    struct disk *disk = kit_open(kit);
    for (uint64_t i = 0; i < 50; i++)
        assert_true(kit_store(disk, i, 5000));
    assert_int_equal(kit_count(disk, 25, 50), 25);
    disk_close(disk);

    kit->options.quota_bytes = 4 * KIT_MIB;
    kit_sql(kit, "DELETE FROM lru; INSERT INTO blob VALUES(1, zeroblob(3500000))"); /* in nobody's list */
    disk = kit_open(kit);
    for (uint64_t i = 0; i < 50; i++)
        kit_store_at_last(disk, i);
    assert_int_equal(kit_stats(disk).damaged, 1);
    disk_close(disk);
}

TEST(test_large_damaged_file_is_not_kept)
{
    struct kit *const kit = *state;

    kit->options.quota_bytes = 4 * KIT_MIB;
    kit_write_garbage(kit, "tiles.db", KIT_MIB + 1);
    struct disk *disk = kit_open(kit);
    assert_int_equal(kit_stats(disk).damaged, 1);
    assert_false(kit_exists(kit, "tiles.db.damaged"));
    disk_close(disk);
    kit_write_garbage(kit, "tiles.db", KIT_MIB);
    disk = kit_open(kit);
    assert_true(kit_exists(kit, "tiles.db.damaged"));
    for (uint64_t i = 0; i < 300; i++) { /* it counts */
        assert_true(kit_store(disk, i, 30000));
        assert_true(kit_bytes(kit->dir) <= 4 * KIT_MIB);
    }
    disk_close(disk);
}

TEST(test_damage_met_by_a_reader)
{
    struct kit *const kit = *state;

    make_store(kit, 100);
    struct disk *disk = kit_open(kit);
    assert_false(kit_has(disk, 0, 100));
    /* Nonsense over all pages but the first: what the reader has in memory is all there is. The writer has nothing to do. */
    for (int page = 1; page < 40; page++)
        for (int i = 0; i < 16; i++)
            kit_flip(kit, "tiles.db", (off_t)page * 16384 + i, 0xff);
    kit_count(disk, 0, 100);
    for (int i = 0; i < 12000 && kit_stats(disk).damaged == 0; i++)
        usleep(10000);
    assert_int_equal(kit_stats(disk).damaged, 1);
    kit_store_at_last(disk, 7);
    disk_close(disk);
}

TEST(test_files_removed_or_replaced)
{
    static const char *const name[] = {"tiles.db", "tiles.db-wal", "lock"};
    struct kit *const kit = *state;
    struct disk *const disk = kit_open(kit);

    assert_false(
        kit_exists(kit, "tiles.db-shm")); /* a file that is mapped: to cut it short would be SIGBUS */
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        assert_true(kit_store(disk, i, 5000));
        assert_int_equal(unlink(kit_path(kit, name[i])), 0);
        kit_store_at_last(disk, 100 + i);
    }
    assert_int_equal(unlink(kit_path(kit, "tiles.db")), 0);
    kit_write_garbage(kit, "tiles.db", 30000);
    kit_store_at_last(disk, 200);
    assert_int_equal(unlink(kit_path(kit, "tiles.db")), 0);
    assert_int_equal(symlink("/etc/passwd", kit_path(kit, "tiles.db")), 0);
    kit_store_at_last(disk, 203);
    assert_int_equal(truncate(kit_path(kit, "tiles.db-wal"), 100), 0);
    kit_store_at_last(disk, 201);
    assert_int_equal(truncate(kit_path(kit, "tiles.db"), 20000), 0);
    kit_store_at_last(disk, 202);
    disk_close(disk);
}

/* What is listed of an entry need not be true. */
TEST(test_strange_list)
{
    static const char *const bytes[] = {"-1",     "0",        "56",   "9223372036854775807",
                                        "'text'", "67108921", "1e300"};
    const uint64_t count = sizeof bytes / sizeof bytes[0];
    struct kit *const kit = *state;
    char statement[160];

    make_store(kit, 20);
    for (uint64_t i = 0; i < count; i++) {
        snprintf(statement, sizeof statement, "UPDATE lru SET bytes=%s WHERE id=%lld", bytes[i],
                 (long long)kit_key(i).low);
        kit_sql(kit, statement);
    }
    struct disk *disk = kit_open(kit);
    for (uint64_t i = 0; i < 20; i++) {
        const struct digest key = kit_key(i);
        uint64_t found = 0;

        assert_int_equal(disk_has(disk, 0, &key, &found), i >= count);
        assert_int_equal(found, i >= count ? 5000 : 0);
        assert_true(kit_has(disk, 0, i));
    }
    disk_close(disk);
}

GROUP_EACH(disk_damage, kit_setup, kit_teardown);
