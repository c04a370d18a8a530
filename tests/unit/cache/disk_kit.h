/*
 * What the tests of the disk tier share: directories that vanish, blobs made again, files to be spoiled.
 */
#ifndef TERRANE_TESTS_DISK_KIT_H
#define TERRANE_TESTS_DISK_KIT_H

#include "../folder_kit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <uv.h>

#include "../../../lib/base/hash.h"
#include "../../../server/cache/disk.h"
#include "../../../server/observe/log.h"

#define KIT_MIB (UINT64_C(1) << 20)

/* The test's tier, closed behind it, and where it is. */
static struct {
    char dir[64];
    char path[96]; /* of the last kit_path */
    struct disk_options options;
    struct disk *disk;
} kit;

static inline int kit_setup(void **state)
{
    (void)state;
    /* In memory where that is: what is tested is what becomes of the bytes, and a busy disk takes its time to sync them. */
    snprintf(kit.dir, sizeof kit.dir, "%s/terrane-disk-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(kit.dir));
    kit.options = (struct disk_options){.dir = kit.dir,
                                        .quota_bytes = 64 * KIT_MIB,
                                        .quota_rows = 100000,
                                        .write_behind_bytes = 32 * KIT_MIB,
                                        .write_interval_ms = 20,
                                        .retry_interval_ms = 50,
                                        .readers = 3};
    log_set_level(getenv("TERRANE_TEST_LOG") ? LOG_DEBUG : LOG_ERROR);
    return 0;
}

static inline void kit_close(void)
{
    disk_close(kit.disk);
    kit.disk = NULL;
}

/* With all that it has stored. */
static inline void kit_remove(void)
{
    kit_close();
    remove_tree(kit.dir);
}

static inline int kit_teardown(void **state)
{
    (void)state;
    kit_remove();
    return 0;
}

static inline const char *kit_path(const char *name)
{
    snprintf(kit.path, sizeof kit.path, "%s/%s", kit.dir, name);
    return kit.path;
}

static inline struct digest kit_key(uint64_t number)
{
    return (struct digest){hash_mix(number + 1), hash_mix(~number)};
}

/* Anew where it is open. */
static inline void kit_open(void)
{
    const char *why = NULL;

    kit_close();
    kit.disk = disk_open(&kit.options, &why);
    assert_non_null(kit.disk);
    assert_null(why);
}

static inline struct disk_stats kit_stats(void)
{
    struct disk_stats stats;

    disk_stats(kit.disk, &stats);
    return stats;
}

/* A tier that is degraded, for a file is in its directory's place; who takes that away heals it. */
static inline void kit_open_blocked(void)
{
    kit_remove();
    file_write(kit.dir, "", 0);
    kit_open();
    assert_int_equal(kit_stats().degraded, 1);
}

/* Numbers belong to KIT_WORLDS worlds in turn. */
enum { KIT_WORLDS = 7 };

static inline uint64_t kit_world(uint64_t number)
{
    return hash_mix(number % KIT_WORLDS + 1000);
}

/* The blob of a number: its payload depends on number and bytes. */
static inline struct blob *kit_blob(uint64_t number, size_t bytes)
{
    const struct digest key = kit_key(number);
    const struct blob_info info = {.format = (uint8_t)(number % FORMATS),
                                   .coding = (uint8_t)(number % CODINGS),
                                   .width = (uint16_t)(number % 4097 + 1),
                                   .height = 257,
                                   .min_m = -(float)number,
                                   .max_m = 0.1f};
    unsigned char *const data = malloc(bytes);
    uint64_t word;

    assert_non_null(data);
    for (size_t i = 0; i < bytes; i += sizeof word) {
        word = hash_mix(number * 1000003 + i);
        memcpy(data + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
    }
    struct blob *blob = blob_create(&key, &info, data, bytes);
    assert_non_null(blob);
    blob->world = kit_world(number);
    return blob;
}

static inline void kit_put(uint64_t number, size_t bytes)
{
    struct blob *const blob = kit_blob(number, bytes);

    disk_put(kit.disk, blob);
    blob_release(blob);
}

/* Whether the blob is there. If it is, it must be the right one. */
static inline bool kit_has(int reader, uint64_t number)
{
    const struct digest key = kit_key(number);
    struct blob *const found = disk_get(kit.disk, reader, &key);

    if (!found)
        return false;
    struct blob *right = kit_blob(number, found->bytes);
    assert_true(digest_equal(&found->key, &key));
    assert_int_equal(found->info.format, right->info.format);
    assert_int_equal(found->info.coding, right->info.coding);
    assert_true(found->world == right->world);
    assert_int_equal(found->info.width, right->info.width);
    assert_int_equal(found->info.height, right->info.height);
    assert_memory_equal(&found->info.min_m, &right->info.min_m, sizeof(float));
    assert_memory_equal(&found->info.max_m, &right->info.max_m, sizeof(float));
    assert_true(memcmp(found->data, right->data, found->bytes) == 0);
    blob_release(right);
    blob_release(found);
    return true;
}

/* How many of the blobs first .. end - 1 are there. */
static inline int kit_count(uint64_t first, uint64_t end)
{
    int count = 0;

    for (uint64_t number = first; number < end; number++)
        count += kit_has(0, number);
    return count;
}

/* Puts, and waits until it is stored. Whether it was. */
static inline bool kit_store(uint64_t number, size_t bytes)
{
    const uint64_t stores = kit_stats().stores;

    kit_put(number, bytes);
    disk_flush(kit.disk);
    return kit_stats().stores > stores;
}

/* Bytes of all its files together. */
static inline uint64_t kit_bytes(void)
{
    DIR *const list = opendir(kit.dir);
    uint64_t sum = 0;

    while (list) {
        const struct dirent *const entry = readdir(list);
        struct stat status;

        if (!entry)
            break;
        if (fstatat(dirfd(list), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
            sum += (uint64_t)status.st_size;
    }
    if (list)
        closedir(list);
    return sum;
}

/* Puts those of first .. end - 1, in batches that are flushed. */
static inline void kit_fill(uint64_t first, uint64_t end, size_t bytes)
{
    for (uint64_t i = first; i < end; i++) {
        kit_put(i, bytes);
        if (i % 50 == 49)
            disk_flush(kit.disk);
    }
    disk_flush(kit.disk);
}

/* All of them are stored, and its files never have more bytes than that. */
static inline void kit_store_all(uint64_t first, uint64_t end, size_t bytes, uint64_t max_bytes)
{
    for (uint64_t i = first; i < end; i++) {
        assert_true(kit_store(i, bytes));
        assert_true(kit_bytes() <= max_bytes);
    }
}

/* Puts until it is stored and found: the tier has come back. */
static inline void kit_store_at_last(uint64_t number)
{
    AWAIT(kit_store(number, 5000) && kit_has(0, number));
    assert_int_equal(kit_stats().degraded, 0);
}

static inline bool kit_exists(const char *name)
{
    struct stat status;

    return lstat(kit_path(name), &status) == 0;
}

/* A file of so many bytes of nonsense. */
static inline void kit_write_garbage(const char *name, size_t bytes)
{
    FILE *const file = fopen(kit_path(name), "wb");

    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++)
        fputc((int)(hash_mix(i) & 0xff), file);
    assert_int_equal(fclose(file), 0);
}

static inline int kit_sql_row(void *number, int columns, char **value, char **name)
{
    (void)columns, (void)name;
    *(long long *)number = strtoll(value[0], NULL, 10);
    return 0;
}

/* Changes tiles.db of a closed store by SQL, as a stranger would, or asks it for a number, which it returns. */
static inline long long kit_sql(const char *statements)
{
    long long number = -1;
    sqlite3 *db = NULL;
    char *error = NULL;

    assert_int_equal(sqlite3_open(kit_path("tiles.db"), &db), SQLITE_OK);
    if (sqlite3_exec(db, statements, kit_sql_row, &number, &error) != SQLITE_OK)
        fail_msg("%s: %s", statements, error);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return number;
}

/* Flips bits of one byte of a file. */
static inline void kit_flip(const char *name, off_t offset, unsigned char bits)
{
    const int file = open(kit_path(name), O_RDWR | O_CLOEXEC);
    unsigned char byte;

    assert_true(file >= 0);
    assert_int_equal(pread(file, &byte, 1, offset), 1);
    byte ^= bits;
    assert_int_equal(pwrite(file, &byte, 1, offset), 1);
    close(file);
}

#endif
