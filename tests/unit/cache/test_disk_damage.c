/*
 * The disk tier on files that are not what it wrote: damaged, foreign, of another version, taken away. Whatever
 * they hold: no wrong blob, no crash, and it comes back.
 */
#include "disk_kit.h"

/* A closed store with the blobs 0 .. count - 1 of 5000 bytes. */
static void make_store(uint64_t count)
{
    kit_open();
    kit_fill(0, count, 5000);
    kit_close();
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
    char statement[160];

    make_store(count);
    for (uint64_t i = 0; i < damaged; i++) {
        snprintf(statement, sizeof statement, "UPDATE blob SET entry=%s WHERE id=%lld", strange[i],
                 (long long)kit_key(i).low);
        kit_sql(statement);
    }
    kit.options.quota_bytes = 200 * KIT_MIB;
    kit_open();
    assert_int_equal(kit_count(0, damaged), 0);
    assert_int_equal(kit_stats().damaged, damaged);
    assert_int_equal(kit_count(damaged, count), count - damaged);
    disk_flush(kit.disk);
    assert_int_equal(kit_count(0, damaged), 0);
    assert_int_equal(kit_stats().damaged, damaged); /* they were removed: now they are missing */
    assert_int_equal(kit_stats().rows, count - damaged);
    kit_store_all(0, damaged, 5000, UINT64_MAX);
    assert_int_equal(kit_count(0, count), count);
}

/* The database that is there is not used: who only looks leaves it, and else it is set aside, and an empty one works. */
static void expect_set_aside(void)
{
    kit.options.looks = true;
    kit_open();
    assert_int_equal(kit_stats().degraded, 1);
    kit_close();
    kit.options.looks = false;
    kit_open();
    assert_int_equal(kit_stats().damaged, 1);
    assert_int_equal(kit_stats().degraded, 0);
    assert_int_equal(kit_count(0, 3), 0);
    assert_true(kit_store(1, 5000));
    assert_true(kit_has(0, 1));
    kit_close();
    assert_true(kit_exists("tiles.db.damaged"));
}

TEST(test_garbage)
{
    kit_write_garbage("tiles.db", 100000);
    kit_write_garbage("tiles.db-wal", 50000);
    kit_write_garbage("tiles.db-shm", 32768);
    kit_write_garbage("tiles.db.damaged", 10);
    expect_set_aside();
    assert_int_equal(truncate(kit_path("tiles.db"), 40000), 0);
    expect_set_aside();
    assert_int_equal(truncate(kit_path("tiles.db"), 50), 0);
    expect_set_aside();
}

TEST(test_empty_file_and_orphans)
{
    kit_write_garbage("tiles.db", 0);
    kit_write_garbage("tiles.db-journal", 1000);
    kit_open();
    assert_true(kit_store(1, 5000));
    kit_close();
    assert_int_equal(unlink(kit_path("tiles.db")), 0);
    kit_write_garbage("tiles.db-wal", 1000);
    kit_write_garbage("tiles.db-shm", 100);
    kit_open();
    assert_true(kit_store(1, 5000));
    assert_int_equal(kit_stats().damaged, 0);
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

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        make_store(3);
        kit_sql(foreign[i]);
        expect_set_aside();
        kit_remove();
    }
}

/* Every byte of the header, spoiled. The store may not care, or be replaced; it must work. */
TEST(test_spoiled_header)
{
    for (off_t offset = 0; offset < 100; offset++) {
        make_store(3);
        kit_flip("tiles.db", offset, (unsigned char)(hash_mix((uint64_t)offset) % 255 + 1));
        kit_open();
        kit_count(0, 3);
        kit_store_at_last(1000);
        kit_remove();
    }
}

/* Bytes flipped all over the file: what is found is right, and all can be stored again. */
TEST(test_spoiled_pages)
{
    for (uint64_t turn = 0; turn < 30; turn++) {
        struct stat status;

        make_store(40);
        assert_int_equal(stat(kit_path("tiles.db"), &status), 0);
        for (uint64_t i = 0; i < 1 + turn; i++)
            kit_flip("tiles.db", (off_t)(hash_mix(turn * 100 + i) % (uint64_t)status.st_size), 0x41);
        kit_open();
        kit_count(0, 40);
        disk_flush(kit.disk);
        for (uint64_t i = 0; i < 40; i++)
            kit_store_at_last(i);
        kit_remove();
    }
}

TEST(test_tables_that_do_not_match)
{
    kit.options.quota_rows = 25;
    make_store(25);
    kit_sql("DELETE FROM blob WHERE id IN (SELECT id FROM lru ORDER BY used LIMIT 10)");
    kit_sql("DELETE FROM lru WHERE id IN (SELECT id FROM lru ORDER BY used DESC LIMIT 10)");
    kit_open();
    kit_store_all(0, 50, 5000, UINT64_MAX);
    assert_int_equal(kit_count(25, 50), 25);
    kit_close();

    kit.options.quota_bytes = 4 * KIT_MIB;
    kit_sql("DELETE FROM lru; INSERT INTO blob VALUES(1, zeroblob(3500000))"); /* in nobody's list */
    kit_open();
    for (uint64_t i = 0; i < 50; i++)
        kit_store_at_last(i);
    assert_int_equal(kit_stats().damaged, 1);
}

TEST(test_large_damaged_file_is_not_kept)
{
    kit.options.quota_bytes = 4 * KIT_MIB;
    kit_write_garbage("tiles.db", KIT_MIB + 1);
    kit_open();
    assert_int_equal(kit_stats().damaged, 1);
    assert_false(kit_exists("tiles.db.damaged"));
    kit_close();
    kit_write_garbage("tiles.db", KIT_MIB);
    kit_open();
    assert_true(kit_exists("tiles.db.damaged"));
    kit_store_all(0, 300, 30000, 4 * KIT_MIB); /* it counts */
}

static void meet_damage(void)
{
    make_store(100);
    kit_open();
    assert_false(kit_has(0, 100));
    /* Nonsense over all pages but the first: what the reader has in memory is all there is. The writer has nothing to do. */
    for (int page = 1; page < 40; page++)
        for (int i = 0; i < 16; i++)
            kit_flip("tiles.db", (off_t)page * 16384 + i, 0xff);
    kit_count(0, 100);
}

TEST(test_damage_met_by_a_reader)
{
    meet_damage();
    AWAIT(kit_stats().damaged > 0);
    assert_int_equal(kit_stats().damaged, 1);
    kit_store_at_last(7);
    kit_remove();
    kit.options.looks = true;
    meet_damage();
    AWAIT(kit_stats().degraded > 0);
    assert_true(kit_stats().damaged == 0 && kit_exists("tiles.db") && !kit_exists("tiles.db.damaged"));
}

TEST(test_files_removed_or_replaced)
{
    static const char *const name[] = {"tiles.db", "tiles.db-wal", "lock"};
    kit_open();
    assert_false(kit_exists("tiles.db-shm")); /* a file that is mapped: to cut it short would be SIGBUS */
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        assert_true(kit_store(i, 5000));
        assert_int_equal(unlink(kit_path(name[i])), 0);
        kit_store_at_last(100 + i);
    }
    assert_int_equal(unlink(kit_path("tiles.db")), 0);
    kit_write_garbage("tiles.db", 30000);
    kit_store_at_last(200);
    assert_int_equal(unlink(kit_path("tiles.db")), 0);
    assert_int_equal(symlink("/etc/passwd", kit_path("tiles.db")), 0);
    kit_store_at_last(203);
    assert_int_equal(truncate(kit_path("tiles.db-wal"), 100), 0);
    kit_store_at_last(201);
    assert_int_equal(truncate(kit_path("tiles.db"), 20000), 0);
    kit_store_at_last(202);
}

/* What is listed of an entry need not be true. */
TEST(test_strange_list)
{
    static const char *const bytes[] = {"-1",     "0",        "56",   "9223372036854775807",
                                        "'text'", "67108921", "1e300"};
    const uint64_t count = sizeof bytes / sizeof bytes[0];
    char statement[160];

    make_store(20);
    for (uint64_t i = 0; i < count; i++) {
        snprintf(statement, sizeof statement, "UPDATE lru SET bytes=%s WHERE id=%lld", bytes[i],
                 (long long)kit_key(i).low);
        kit_sql(statement);
    }
    kit_open();
    for (uint64_t i = 0; i < 20; i++) {
        const struct digest key = kit_key(i);
        uint64_t found = 0;

        assert_int_equal(disk_has(kit.disk, 0, &key, &found), i >= count);
        assert_int_equal(found, i >= count ? 5000 : 0);
        assert_true(kit_has(0, i));
    }
}

GROUP_EACH(disk_damage, kit_setup, kit_teardown);
