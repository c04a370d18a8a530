/*
 * The disk tier on a disk that does not work, with files that are not its own, and in a process that is
 * killed. Whatever happens: no wrong blob, no crash, and it comes back.
 */
#include "disk_kit.h"

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../server/cache/disk_entry.h"

/* A closed store with the blobs 0 .. count - 1 of 5000 bytes. */
static void make_store(struct kit *kit, uint64_t count)
{
    struct disk *const disk = kit_open(kit);

    for (uint64_t i = 0; i < count; i++)
        kit_put(disk, i, 5000);
    disk_close(disk);
}

/* After failures: nothing looks damaged, the count of entries is right, and what was stored is there. */
static void check_after_life(struct kit *kit, struct disk *disk)
{
    const uint64_t rows = kit_stats(disk).rows;

    assert_int_equal(kit_stats(disk).damaged, 0);
    disk_close(disk);
    disk = kit_open(kit);
    assert_true(kit_has(disk, 1, 50));
    assert_int_equal(kit_stats(disk).damaged, 0);
    assert_int_equal(kit_stats(disk).rows, rows);
    disk_close(disk);
}

/* ---- Entries that are not what was stored -------------------------------------------------------------- */

/* Opens, and finds all of the blobs 0 .. count - 1 but the first damaged ones, which can be stored again. */
static void expect_damaged_entries(struct kit *kit, uint64_t damaged, uint64_t count)
{
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

static void test_flipped_bits(void **state)
{
    struct kit *const kit = *state;
    sqlite3_blob *blob = NULL;
    sqlite3 *db = NULL;

    make_store(kit, 50);
    assert_int_equal(sqlite3_open(kit_path(kit, "tiles.db"), &db), SQLITE_OK);
    for (uint64_t i = 0; i < 40; i++) {
        const sqlite3_int64 id = (sqlite3_int64)kit_key(i).low;
        const int offset = i < 20 ? (int)(2 * i) : (int)(kit_mix(i) % 5000);
        unsigned char byte;

        assert_int_equal(sqlite3_blob_open(db, "main", "blob", "entry", id, 1, &blob), SQLITE_OK);
        assert_int_equal(sqlite3_blob_read(blob, &byte, 1, offset), SQLITE_OK);
        byte ^= (unsigned char)(1u << (i % 8));
        assert_int_equal(sqlite3_blob_write(blob, &byte, 1, offset), SQLITE_OK);
        sqlite3_blob_close(blob);
    }
    sqlite3_close(db);
    expect_damaged_entries(kit, 40, 50);
}

static void test_strange_entries(void **state)
{
    static const char *const strange[] = {"x''",
                                          "'text'",
                                          "7",
                                          "zeroblob(5048)",
                                          "randomblob(48)",
                                          "zeroblob(70000000)",
                                          "substr(entry,1,48)",
                                          "entry||x'00'",
                                          "cast(entry as text)"};
    const uint64_t count = sizeof strange / sizeof strange[0];
    struct kit *const kit = *state;
    char statement[160];

    make_store(kit, 20);
    for (uint64_t i = 0; i < count; i++) {
        snprintf(statement, sizeof statement, "UPDATE blob SET entry=%s WHERE id=%lld", strange[i],
                 (long long)kit_key(i).low);
        kit_sql(kit, statement);
    }
    kit->options.quota_bytes = 200 * KIT_MIB;
    expect_damaged_entries(kit, count, 20);
}

static void test_swapped_entries(void **state)
{
    struct kit *const kit = *state;

    make_store(kit, 2);
    kit_sql(kit, "BEGIN; CREATE TEMP TABLE t AS SELECT id, entry FROM blob;"
                 "UPDATE blob SET entry=(SELECT entry FROM t WHERE t.id<>blob.id); COMMIT");
    expect_damaged_entries(kit, 2, 2);
}

/* ---- Databases that are not ours, or not any more ------------------------------------------------------ */

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

static void test_garbage(void **state)
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

static void test_empty_file_and_orphans(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit_write_garbage(kit, "tiles.db", 0);
    kit_write_garbage(kit, "tiles.db-journal", 1000);
    disk = kit_open(kit);
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

static void test_foreign_schema(void **state)
{
    static const char *const foreign[] = {
        "CREATE TRIGGER t AFTER UPDATE ON lru BEGIN DELETE FROM blob; END",
        "CREATE VIEW v AS SELECT * FROM blob",
        "CREATE TABLE more(x)",
        "CREATE INDEX more ON lru(bytes)",
        "DROP INDEX lru_used",
        "ALTER TABLE blob ADD COLUMN x DEFAULT 1",
        "PRAGMA application_id=7",
        "PRAGMA user_version=7",
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
static void test_spoiled_header(void **state)
{
    struct kit *const kit = *state;

    for (off_t offset = 0; offset < 100; offset++) {
        struct disk *disk;

        make_store(kit, 3);
        kit_flip(kit, "tiles.db", offset, (unsigned char)(kit_mix((uint64_t)offset) % 255 + 1));
        disk = kit_open(kit);
        kit_count(disk, 0, 3);
        kit_store_at_last(disk, 1000);
        disk_close(disk);
        kit_remove(kit->dir);
    }
}

/* Bytes flipped all over the file: what is found is right, and all can be stored again. */
static void test_spoiled_pages(void **state)
{
    struct kit *const kit = *state;

    for (uint64_t turn = 0; turn < 30; turn++) {
        struct disk *disk;
        struct stat status;

        make_store(kit, 40);
        assert_int_equal(stat(kit_path(kit, "tiles.db"), &status), 0);
        for (uint64_t i = 0; i < 1 + turn; i++)
            kit_flip(kit, "tiles.db", (off_t)(kit_mix(turn * 100 + i) % (uint64_t)status.st_size), 0x41);
        disk = kit_open(kit);
        kit_count(disk, 0, 40);
        disk_flush(disk);
        for (uint64_t i = 0; i < 40; i++)
            kit_store_at_last(disk, i);
        disk_close(disk);
        kit_remove(kit->dir);
    }
}

static void test_tables_that_do_not_match(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.quota_rows = 25;
    make_store(kit, 25);
    kit_sql(kit, "DELETE FROM blob WHERE id IN (SELECT id FROM lru ORDER BY used LIMIT 10)");
    kit_sql(kit, "DELETE FROM lru WHERE id IN (SELECT id FROM lru ORDER BY used DESC LIMIT 10)");
    disk = kit_open(kit);
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

static void test_large_damaged_file_is_not_kept(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit->options.quota_bytes = 4 * KIT_MIB;
    kit_write_garbage(kit, "tiles.db", KIT_MIB + 1);
    disk = kit_open(kit);
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

static void test_damage_met_by_a_reader(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    make_store(kit, 100);
    disk = kit_open(kit);
    assert_true(kit_has(disk, 0, 5));
    /* Nonsense over all pages but the first: what the reader has in memory is all there is. */
    for (int page = 1; page < 40; page++)
        for (int i = 0; i < 16; i++)
            kit_flip(kit, "tiles.db", (off_t)page * 16384 + i, 0xff);
    kit_count(disk, 1, 100);
    kit_store_at_last(disk, 7);
    assert_true(kit_stats(disk).damaged >= 1);
    disk_close(disk);
}

/* ---- Files that are taken away ------------------------------------------------------------------------- */

static void test_directory_removed(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk = kit_open(kit);

    assert_true(kit_store(disk, 1, 5000));
    assert_true(kit_has(disk, 1, 1));
    kit_remove(kit->dir);
    kit_store_at_last(disk, 2);
    assert_false(kit_has(disk, 1, 1));
    assert_true(kit_exists(kit, "lock"));
    disk_close(disk);
    disk = kit_open(kit);
    assert_true(kit_has(disk, 1, 2));
    kit_remove(kit->dir);
    disk_close(disk);
}

static void test_files_removed_or_replaced(void **state)
{
    static const char *const name[] = {"tiles.db", "tiles.db-wal", "tiles.db-shm", "lock"};
    struct kit *const kit = *state;
    struct disk *const disk = kit_open(kit);

    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        assert_true(kit_store(disk, i, 5000));
        assert_int_equal(unlink(kit_path(kit, name[i])), 0);
        kit_store_at_last(disk, 100 + i);
    }
    assert_int_equal(unlink(kit_path(kit, "tiles.db")), 0);
    kit_write_garbage(kit, "tiles.db", 30000);
    kit_store_at_last(disk, 200);
    assert_int_equal(truncate(kit_path(kit, "tiles.db-wal"), 100), 0);
    kit_store_at_last(disk, 201);
    assert_int_equal(truncate(kit_path(kit, "tiles.db"), 20000), 0);
    kit_store_at_last(disk, 202);
    disk_close(disk);
}

static void test_things_that_are_no_files(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    assert_int_equal(symlink("/etc/passwd", kit_path(kit, "tiles.db")), 0);
    disk = kit_open(kit);
    kit_store_at_last(disk, 1);
    disk_close(disk);
    kit_remove(kit->dir);
    assert_int_equal(mkdir(kit->dir, 0700), 0);
    assert_int_equal(mkdir(kit_path(kit, "tiles.db"), 0700), 0);
    disk = kit_open(kit);
    kit_store_at_last(disk, 1);
    disk_close(disk);
}

/* ---- Disks that do not take it ------------------------------------------------------------------------- */

static void test_file_in_place_of_the_directory(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;

    kit_remove(kit->dir);
    fclose(fopen(kit->dir, "w"));
    disk = kit_open(kit);
    assert_int_equal(kit_stats(disk).degraded, 1);
    assert_false(kit_has(disk, 0, 1));
    assert_false(kit_store(disk, 1, 100));
    assert_int_equal(kit_stats(disk).dropped, 1);
    assert_true(kit_stats(disk).errors >= 1);
    assert_int_equal(unlink(kit->dir), 0);
    kit_store_at_last(disk, 1);
    disk_close(disk);
}

/* While no file may be longer than bytes: it reads, drops what it is given, and says so. */
static void test_no_space_for_longer_files(void **state)
{
    struct kit *const kit = *state;
    struct disk *const disk = kit_open(kit);
    struct rlimit limit, unlimited;
    uint64_t number = 0;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    limit = (struct rlimit){.rlim_cur = 600000, .rlim_max = unlimited.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_true(kit_store(disk, 0, 5000));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    while (!kit_stats(disk).degraded && ++number < 200)
        kit_store(disk, number, 50000);
    assert_int_equal(kit_stats(disk).degraded, 1);
    assert_true(kit_stats(disk).errors >= 1);
    assert_false(kit_store(disk, 999, 5000));
    assert_true(kit_has(disk, 0, 0));
    assert_true(kit_count(disk, 0, number) > 3);
    usleep(200000); /* some attempts later */
    assert_int_equal(kit_stats(disk).degraded, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    kit_store_at_last(disk, 1000);
    assert_true(kit_has(disk, 0, 0));
    disk_close(disk);
}

static void test_full_disk(void **state)
{
    struct kit *const kit = *state;
    struct disk *disk;
    uint64_t number = 0;

    if (mount("terrane-test", kit->dir, "tmpfs", 0, "size=16m") != 0) {
        print_message("    no tmpfs can be mounted here: %s\n", strerror(errno));
        skip();
    }
    kit_write_garbage(kit, "ballast", 14000000);
    disk = kit_open(kit);
    while (!kit_stats(disk).degraded && ++number < 200)
        kit_store(disk, number, 50000);
    assert_int_equal(kit_stats(disk).degraded, 1);
    assert_true(kit_count(disk, 0, number) > 3);
    usleep(200000);
    assert_int_equal(kit_stats(disk).degraded, 1);
    assert_int_equal(unlink(kit_path(kit, "ballast")), 0);
    kit_store_at_last(disk, 50);
    check_after_life(kit, disk);

    assert_int_equal(mount(NULL, kit->dir, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    disk = kit_open(kit);
    assert_int_equal(kit_stats(disk).degraded, 1);
    assert_false(kit_store(disk, 2000, 5000));
    assert_int_equal(mount(NULL, kit->dir, NULL, MS_REMOUNT, NULL), 0);
    kit_store_at_last(disk, 2000);
    assert_true(kit_has(disk, 0, 50));
    disk_close(disk);
    assert_int_equal(umount(kit->dir), 0);
}

/* ---- A process that is killed -------------------------------------------------------------------------- */

static void put_until_killed(const struct kit *kit, uint64_t first)
{
    struct disk *const disk = kit_open(kit);

    for (uint64_t i = first;; i++) {
        kit_put(disk, i, 3000 + (size_t)(kit_mix(i) % 50000));
        if (i % 8 == 0)
            usleep(500);
    }
}

static void test_kill(void **state)
{
    struct kit *const kit = *state;
    int found = 0;

    kit->options.quota_bytes = 6 * KIT_MIB;
    kit->options.write_interval_ms = 1;
    for (uint64_t turn = 0; turn < 25; turn++) {
        const uint64_t life_us = turn < 10 ? turn * 1000 : 20000 + kit_mix(turn) % 100000;
        const pid_t child = fork();
        struct disk *disk;

        assert_true(child >= 0);
        if (child == 0) {
            put_until_killed(kit, turn * 100000);
            _exit(1);
        }
        usleep((useconds_t)life_us);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_true(kit_bytes(kit->dir) <= kit->options.quota_bytes);
        disk = kit_open(kit);
        assert_int_equal(kit_stats(disk).degraded, 0);
        found += kit_count(disk, turn * 100000, turn * 100000 + 1000);
        assert_int_equal(kit_stats(disk).damaged, 0);
        disk_flush(disk);
        assert_true(kit_bytes(kit->dir) <= kit->options.quota_bytes);
        disk_close(disk);
        assert_int_equal(
            kit_sql_number(kit, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'"),
            0);
        assert_int_equal(
            kit_sql_number(kit, "SELECT count(*) FROM blob WHERE id NOT IN (SELECT id FROM lru)"), 0);
        assert_int_equal(
            kit_sql_number(kit, "SELECT count(*) FROM lru WHERE id NOT IN (SELECT id FROM blob)"), 0);
        if (turn < 10)
            kit_remove(kit->dir); /* the next one is killed while it makes the database */
    }
    assert_true(found > 0);
}

/* ---- Every operation on the disk fails in turn --------------------------------------------------------- */

/* A layer over SQLite's system interface that counts operations and fails those from .. to - 1. */
static struct {
    atomic_long count, from, to;
    int result;
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    const sqlite3_io_methods *real[4];
    sqlite3_io_methods failing[4];
} fault;

static int fault_due(void)
{
    const long count = atomic_fetch_add(&fault.count, 1);

    return count >= atomic_load(&fault.from) && count < atomic_load(&fault.to) ? fault.result : SQLITE_OK;
}

static const sqlite3_io_methods *fault_real(const sqlite3_file *file)
{
    return fault.real[file->pMethods - fault.failing];
}

static int fault_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 offset)
{
    return fault_due() ? SQLITE_IOERR_READ : fault_real(file)->xRead(file, to, bytes, offset);
}

static int fault_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 offset)
{
    const int result = fault_due();

    if (result) /* half of it is written */
        fault_real(file)->xWrite(file, from, bytes / 2, offset);
    return result ? result : fault_real(file)->xWrite(file, from, bytes, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    return fault_due() ? SQLITE_IOERR_TRUNCATE : fault_real(file)->xTruncate(file, bytes);
}

static int fault_sync(sqlite3_file *file, int flags)
{
    return fault_due() ? SQLITE_IOERR_FSYNC : fault_real(file)->xSync(file, flags);
}

static int fault_file_size(sqlite3_file *file, sqlite3_int64 *bytes)
{
    return fault_due() ? SQLITE_IOERR_FSTAT : fault_real(file)->xFileSize(file, bytes);
}

static int fault_lock(sqlite3_file *file, int level)
{
    return fault_due() ? SQLITE_IOERR_LOCK : fault_real(file)->xLock(file, level);
}

static int fault_shm_map(sqlite3_file *file, int page, int bytes, int extend, void volatile **out)
{
    return fault_due() ? SQLITE_IOERR_SHMSIZE : fault_real(file)->xShmMap(file, page, bytes, extend, out);
}

static int fault_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    const bool release = (flags & SQLITE_SHM_UNLOCK) != 0;

    return !release && fault_due() ? SQLITE_IOERR_SHMLOCK
                                   : fault_real(file)->xShmLock(file, offset, n, flags);
}

static int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    static uv_mutex_t mutex;
    static atomic_bool ready;
    int result, i = 0;

    (void)vfs;
    if (!atomic_exchange(&ready, true))
        uv_mutex_init(&mutex);
    result = fault_due() ? SQLITE_CANTOPEN : fault.below->xOpen(fault.below, name, file, flags, flags_out);
    if (result != SQLITE_OK) {
        file->pMethods = NULL;
        return result;
    }
    uv_mutex_lock(&mutex);
    while (fault.real[i] && fault.real[i] != file->pMethods)
        i++;
    if (!fault.real[i]) {
        fault.real[i] = file->pMethods;
        fault.failing[i] = *file->pMethods;
        fault.failing[i].xRead = fault_read;
        fault.failing[i].xWrite = fault_write;
        fault.failing[i].xTruncate = fault_truncate;
        fault.failing[i].xSync = fault_sync;
        fault.failing[i].xFileSize = fault_file_size;
        fault.failing[i].xLock = fault_lock;
        fault.failing[i].xShmMap = fault_shm_map;
        fault.failing[i].xShmLock = fault_shm_lock;
    }
    file->pMethods = &fault.failing[i];
    uv_mutex_unlock(&mutex);
    return SQLITE_OK;
}

static int fault_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    return fault_due() ? SQLITE_IOERR_DELETE : fault.below->xDelete(fault.below, name, sync);
}

static void fault_install(void)
{
    fault.below = sqlite3_vfs_find(NULL);
    fault.vfs = *fault.below;
    fault.vfs.zName = "fault";
    fault.vfs.pNext = NULL;
    fault.vfs.xOpen = fault_open;
    fault.vfs.xDelete = fault_delete;
    assert_int_equal(sqlite3_vfs_register(&fault.vfs, 1), SQLITE_OK);
}

/* One life of a store. Returns how many operations it took. */
static long fault_life(struct kit *kit, long from, long to)
{
    struct disk *disk;
    long count;

    atomic_store(&fault.count, 0);
    atomic_store(&fault.from, from);
    atomic_store(&fault.to, to);
    disk = kit_open(kit);
    for (uint64_t i = 0; i < 3; i++) {
        kit_put(disk, i, 30000);
        disk_flush(disk);
        kit_count(disk, 0, 3);
    }
    count = atomic_load(&fault.count);
    atomic_store(&fault.from, 0);
    atomic_store(&fault.to, 0); /* the disk is well again: so is the store, soon */
    kit_store_at_last(disk, 50);
    check_after_life(kit, disk);
    kit_remove(kit->dir);
    return count;
}

static void fault_every_operation(struct kit *kit, int result, long length)
{
    long operations, step;

    kit->options.retry_interval_ms = 5;
    kit->options.quota_bytes = 5 * KIT_MIB;
    fault.result = result;
    operations = fault_life(kit, 0, 0);
    step = getenv("TERRANE_TEST_LONG") ? 1 : 5;
    assert_true(operations > 50);
    for (long k = 0; k < operations; k += step)
        fault_life(kit, k, k + length);
}

static void test_an_operation_fails(void **state)
{
    fault_every_operation(*state, SQLITE_IOERR_WRITE, 1);
}

static void test_operations_fail_for_a_while(void **state)
{
    fault_every_operation(*state, SQLITE_FULL, 1000000);
}

/* ---- Every allocation of SQLite's fails in turn -------------------------------------------------------- */

static struct {
    atomic_long count, from, to;
    sqlite3_mem_methods real;
} shortage;

static bool shortage_due(void)
{
    const long count = atomic_fetch_add(&shortage.count, 1);

    return count >= atomic_load(&shortage.from) && count < atomic_load(&shortage.to);
}

static void *shortage_malloc(int bytes)
{
    return shortage_due() ? NULL : shortage.real.xMalloc(bytes);
}

static void *shortage_realloc(void *old, int bytes)
{
    return shortage_due() ? NULL : shortage.real.xRealloc(old, bytes);
}

static void shortage_install(void)
{
    sqlite3_mem_methods methods;

    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &shortage.real), SQLITE_OK);
    methods = shortage.real;
    methods.xMalloc = shortage_malloc;
    methods.xRealloc = shortage_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
}

static long shortage_life(struct kit *kit, long from, long to)
{
    struct disk *disk;
    long count;

    atomic_store(&shortage.count, 0);
    atomic_store(&shortage.from, from);
    atomic_store(&shortage.to, to);
    disk = kit_open(kit);
    kit_put(disk, 0, 30000);
    disk_flush(disk);
    kit_count(disk, 0, 1);
    count = atomic_load(&shortage.count);
    atomic_store(&shortage.to, 0);
    kit_store_at_last(disk, 50);
    check_after_life(kit, disk);
    kit_remove(kit->dir);
    return count;
}

static void test_memory_is_short(void **state)
{
    struct kit *const kit = *state;
    long allocations, step;

    kit->options.retry_interval_ms = 5;
    kit->options.quota_bytes = 5 * KIT_MIB;
    allocations = shortage_life(kit, 0, 0);
    step = getenv("TERRANE_TEST_LONG") ? 1 : allocations / 60 + 1;
    assert_true(allocations > 100);
    for (long k = 0; k < allocations; k += step) {
        shortage_life(kit, k, k + 1);
        shortage_life(kit, k, k + 1000000);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kit_setup, kit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_flipped_bits),
        TEST(test_strange_entries),
        TEST(test_swapped_entries),
        TEST(test_garbage),
        TEST(test_empty_file_and_orphans),
        TEST(test_foreign_schema),
        TEST(test_spoiled_header),
        TEST(test_spoiled_pages),
        TEST(test_tables_that_do_not_match),
        TEST(test_large_damaged_file_is_not_kept),
        TEST(test_damage_met_by_a_reader),
        TEST(test_directory_removed),
        TEST(test_files_removed_or_replaced),
        TEST(test_things_that_are_no_files),
        TEST(test_file_in_place_of_the_directory),
        TEST(test_no_space_for_longer_files),
        TEST(test_full_disk),
        TEST(test_kill),
        TEST(test_an_operation_fails),
        TEST(test_operations_fail_for_a_while),
        TEST(test_memory_is_short),
    };

    /* Before SQLite is used: what the tier itself does first. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    shortage_install();
    fault_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
