/*
 * The disk tier on a disk that does not work, in a process that is killed, and while memory is short. Whatever
 * happens: no wrong blob, no crash, no leak, and it comes back. Disks that are full, read-only or not there: tests/survive, row 9.
 */
#include "../shortage_kit.h"
#include "disk_kit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* After failures: nothing looks damaged, the count of entries is right, and what was stored is there. */
static void check_after_life(void)
{
    const uint64_t rows = kit_stats().rows;

    assert_int_equal(kit_stats().damaged, 0);
    kit_open();
    assert_true(kit_has(1, 50));
    assert_int_equal(kit_stats().damaged, 0);
    assert_int_equal(kit_stats().rows, rows);
    kit_close();
}

/* While no file may be longer than bytes: it reads, drops what it is given, and says so. */
TEST(test_no_space_for_longer_files)
{
    kit_open();
    struct rlimit limit, unlimited;
    uint64_t number = 0;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    limit = (struct rlimit){.rlim_cur = 600000, .rlim_max = unlimited.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_true(kit_store(0, 5000));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    while (!kit_stats().degraded && ++number < 200)
        kit_store(number, 50000);
    assert_int_equal(kit_stats().degraded, 1);
    assert_true(kit_stats().errors >= 1);
    assert_false(kit_store(999, 5000));
    assert_true(kit_has(0, 0));
    assert_true(kit_count(0, number) > 3);
    const uint64_t errors = kit_stats().errors;
    AWAIT(kit_stats().errors >= errors + 3); /* it tries to come back, and fails */
    assert_int_equal(kit_stats().degraded, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    kit_store_at_last(1000);
    assert_true(kit_has(0, 0));
}

static void put_until_killed(uint64_t first)
{
    kit_open();
    for (uint64_t i = first;; i++) {
        kit_put(i, 3000 + (size_t)(hash_mix(i) % 50000));
        if (i % 8 == 0)
            usleep(500);
    }
}

/* 25 lives, and longer ones where a busy machine let none of those store a blob. */
TEST(test_kill)
{
    int found = 0;

    kit.options.quota_bytes = 6 * KIT_MIB;
    kit.options.write_interval_ms = 1;
    for (uint64_t turn = 0; turn < 25 || (found == 0 && turn < 100); turn++) {
        const uint64_t life_us =
            turn < 10 ? turn * 1000 : 20000 + hash_mix(turn) % (100000 * (1 + turn / 25));
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            put_until_killed(turn * 100000);
            _exit(1);
        }
        usleep((useconds_t)life_us);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_true(kit_bytes() <= kit.options.quota_bytes);
        kit_open();
        assert_int_equal(kit_stats().degraded, 0);
        found += kit_count(turn * 100000, turn * 100000 + 1000);
        assert_int_equal(kit_stats().damaged, 0);
        disk_flush(kit.disk);
        assert_true(kit_bytes() <= kit.options.quota_bytes);
        kit_close();
        assert_int_equal(
            kit_sql("SELECT (SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok')"
                    "+(SELECT count(*) FROM blob WHERE id NOT IN (SELECT id FROM lru))"
                    "+(SELECT count(*) FROM lru WHERE id NOT IN (SELECT id FROM blob))"),
            0);
        if (turn < 10)
            kit_remove(); /* the next one is killed while it makes the database */
    }
    assert_true(found > 0);
}

/*
 * Layers over SQLite's system interface and under its memory. Operations of one, or allocations of the other, are counted, and
 * those from .. to - 1 fail, with the result; allocations where that is SQLITE_NOMEM.
 */
static struct {
    atomic_long count, from, to;
    int result;
    sqlite3_vfs vfs;
    sqlite3_vfs *below;
    const sqlite3_io_methods *real[4];
    sqlite3_io_methods failing[4];
    sqlite3_mem_methods memory;
} fault;

static bool fault_counts(void)
{
    const long count = atomic_fetch_add(&fault.count, 1);

    return count >= atomic_load(&fault.from) && count < atomic_load(&fault.to);
}

static int fault_due(void)
{
    return fault.result != SQLITE_NOMEM && fault_counts() ? fault.result : SQLITE_OK;
}

static void *fault_malloc(int bytes)
{
    if (fault.result == SQLITE_NOMEM && fault_counts())
        return NULL;
    heap_spared++;
    void *memory = fault.memory.xMalloc(bytes);
    heap_spared--;
    return memory;
}

static void *fault_realloc(void *old, int bytes)
{
    if (fault.result == SQLITE_NOMEM && fault_counts())
        return NULL;
    heap_spared++;
    void *memory = fault.memory.xRealloc(old, bytes);
    heap_spared--;
    return memory;
}

static const sqlite3_io_methods *fault_real(const sqlite3_file *file)
{
    return fault.real[file->pMethods - fault.failing];
}

/* What a file does, but where a fault is due: then it says so. */
#define FAULT(name, method, error, parameters, arguments)                \
    static int name parameters                                           \
    {                                                                    \
        return fault_due() ? error : fault_real(file)->method arguments; \
    }
FAULT(fault_read, xRead, SQLITE_IOERR_READ, (sqlite3_file * file, void *to, int bytes, sqlite3_int64 offset),
      (file, to, bytes, offset))
FAULT(fault_truncate, xTruncate, SQLITE_IOERR_TRUNCATE, (sqlite3_file * file, sqlite3_int64 bytes),
      (file, bytes))
FAULT(fault_sync, xSync, SQLITE_IOERR_FSYNC, (sqlite3_file * file, int flags), (file, flags))
FAULT(fault_file_size, xFileSize, SQLITE_IOERR_FSTAT, (sqlite3_file * file, sqlite3_int64 *bytes),
      (file, bytes))
FAULT(fault_lock, xLock, SQLITE_IOERR_LOCK, (sqlite3_file * file, int level), (file, level))
FAULT(fault_shm_map, xShmMap, SQLITE_IOERR_SHMSIZE,
      (sqlite3_file * file, int page, int bytes, int extend, void volatile **out),
      (file, page, bytes, extend, out))

static int fault_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 offset)
{
    const int result = fault_due();

    if (result) /* half of it is written */
        fault_real(file)->xWrite(file, from, bytes / 2, offset);
    return result ? result : fault_real(file)->xWrite(file, from, bytes, offset);
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
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &fault.memory), SQLITE_OK);
    sqlite3_mem_methods methods = fault.memory;
    methods.xMalloc = fault_malloc;
    methods.xRealloc = fault_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
    fault.below =
        sqlite3_vfs_find("unix-excl"); /* by which the disk tier opens its database: found before it */
    fault.vfs = *fault.below;
    fault.vfs.pNext = NULL;
    fault.vfs.xOpen = fault_open;
    fault.vfs.xDelete = fault_delete;
    assert_int_equal(sqlite3_vfs_register(&fault.vfs, 1), SQLITE_OK);
}

/* What an operator asks for, of a store that may be unwell: it answers, and what it says is so. */
static void fault_orders(void)
{
    const struct digest key = kit_key(2);
    uint64_t bytes = 30000;

    disk_has(kit.disk, 1, &key, &bytes);
    assert_int_equal(bytes, 30000);
    disk_set_quota(kit.disk, 4 * KIT_MIB, 2);
    disk_flush(kit.disk);
    disk_set_quota(kit.disk, kit.options.quota_bytes, kit.options.quota_rows);
    int64_t gone = disk_purge(kit.disk, false, kit_world(2));
    assert_in_range(gone + 1, 0, 2);
    if (gone >= 0)
        assert_false(kit_has(0, 2));
    gone = disk_purge(kit.disk, true, 0);
    assert_in_range(gone + 1, 0, 4);
    if (gone >= 0)
        assert_int_equal(kit_count(0, 3), 0);
    kit_put(1, 30000);
    disk_flush(kit.disk);
    kit_count(0, 3);
}

/* One life of a store. Returns how many operations it took. */
static long fault_life(long from, long to)
{
    atomic_store(&fault.count, 0);
    atomic_store(&fault.from, from);
    atomic_store(&fault.to, to);
    kit_open();
    for (uint64_t i = 0; i < 3; i++) {
        kit_put(i, 30000);
        disk_flush(kit.disk);
        kit_count(0, 3);
    }
    fault_orders();
    long count = atomic_load(&fault.count);
    atomic_store(&fault.from, 0);
    atomic_store(&fault.to, 0); /* the disk is well again: so is the store, soon */
    kit_store_at_last(50);
    check_after_life();
    kit_remove();
    return count;
}

/* In steps that leave sixty lives or so; all of them in a long run. */
static void fault_each(int result, long length, const char *what)
{
    kit.options.retry_interval_ms = 5;
    kit.options.quota_bytes = 5 * KIT_MIB;
    fault.result = result;
    const long count = fault_life(0, 0), step = getenv("TERRANE_TEST_LONG") ? 1 : count / 60 + 1;
    assert_true(count > 50);
    for (long k = 0; k < count; k += step)
        fault_life(k, k + length);
    fault.result = SQLITE_OK;
    print_message("row 6: the k-th of %ld %s fails%s, k in steps of %ld: no wrong blob, it comes back\n",
                  count, what, length > 1 ? ", and all after it" : "", step);
}

enum { FOR_A_WHILE = 1000000 };

TEST(test_operations_fail)
{
    fault_each(SQLITE_IOERR_WRITE, 1, "store operations");
    fault_each(SQLITE_FULL, FOR_A_WHILE, "store operations");
}

TEST(test_memory_is_short)
{
    fault_each(SQLITE_NOMEM, 1, "allocations of SQLite");
    fault_each(SQLITE_NOMEM, FOR_A_WHILE, "allocations of SQLite");
}

#ifdef SHORTAGE_HOOKED
/* One life; the test's own allocations are spared. Returns how many there were, 0 where it could not begin. */
static long heap_life(long from, long to)
{
    struct blob *blob[3], *found[3];
    const char *why = NULL;
    long count = 0;

    for (uint64_t i = 0; i < 3; i++)
        blob[i] = kit_blob(i, 30000);
    heap_fail(from, to);
    heap_spared--;
    kit.disk = disk_open(&kit.options, &why);
    for (int i = 0; kit.disk && i < 3; i++) {
        disk_put(kit.disk, blob[i]);
        disk_flush(kit.disk);
    }
    for (int i = 0; i < 3; i++)
        found[i] = kit.disk ? disk_get(kit.disk, 0, &blob[i]->key) : NULL;
    if (kit.disk) {
        disk_set_quota(kit.disk, 4 * KIT_MIB, 2);
        disk_flush(kit.disk);
        disk_purge(kit.disk, false, kit_world(2));
        disk_purge(kit.disk, true, 0);
        kit_close();
        count = atomic_load(&heap.count);
    }
    heap_spared++;
    if (count == 0)
        assert_string_equal(why, "memory is short");
    for (int i = 0; i < 3; i++) {
        if (found[i])
            assert_memory_equal(found[i]->data, blob[i]->data, 30000);
        blob_release(found[i]);
        blob_release(blob[i]);
    }
    heap_fail(0, 0);
    kit_open();
    kit_store_at_last(50);
    check_after_life();
    kit_remove();
    return count;
}

TEST(test_any_allocation_fails)
{
    kit.options.retry_interval_ms = 5;
    kit.options.quota_bytes = 5 * KIT_MIB;
    shortage_each(heap_life, 10, "disk tier");
}
#endif

UNIT(disk_fault)
{
    /* Before SQLite is used: what the tier itself does first. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    fault_install();
    return unit_run("disk_fault", (CMFixtureFunction[2]){kit_setup, kit_teardown}, (CMFixtureFunction[2]){0});
}
