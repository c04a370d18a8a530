/*
 * The disk tier: its interface, and the readers' side.
 *
 *     disk_put ──► queue ──┐                         ┌── disk_health.c  well, unwell, damaged, gone
 *     disk_get ──► uses  ──┼──► disk_writer.c ───────┤
 *        │   └──► drops  ──┘    one thread, rounds   └── disk_store.c   batches, eviction, the quota
 *        ▼                                                   │
 *     disk_reader.c  a connection a thread                   ▼
 *        └──────────────── disk_entry.c ─── disk_sql.c ─── disk_files.c ─── tiles.db
 *
 *  (1) A request never waits for the disk but to read what it asked for: disk_put takes a mutex that is
 *      never held over a system call, disk_get one that the writer takes only to close the connection for
 *      good.
 *  (2) No blob leaves here that is not, to the last bit, one that was put: every read is verified.
 *  (3) Nothing that happens to the disk is an error of a call. It is a miss, a drop, a counter and a
 *      line in the log.
 *  (4) Mutexes are taken in the order reader, disk; the writer holds none when it takes one.
 */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../observe/log.h"
#include "disk_entry.h"
#include "disk_state.h"

#define MILLISECOND_NS   UINT64_C(1000000)
#define QUOTA_BYTES_MIN  (UINT64_C(4) << 20)
#define BATCH_BYTES_MAX  ((size_t)4 << 20)
#define WARN_INTERVAL_NS (UINT64_C(10000) * MILLISECOND_NS)

/* ---- Opening and closing ------------------------------------------------------------------------------- */

/*
 * Before SQLite is used for the first time: without its statistics, malloc needs no lock all threads share.
 */
static void disk_configure_sqlite(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int disk_init_readers(struct disk *disk, int readers)
{
    if (readers == 0)
        return 0;
    disk->reader = aligned_alloc(_Alignof(struct disk_reader), (size_t)readers * sizeof *disk->reader);
    if (!disk->reader)
        return -1;
    for (; disk->readers < readers; disk->readers++) {
        disk->reader[disk->readers] = (struct disk_reader){.retry_ns = 0};
        if (uv_mutex_init(&disk->reader[disk->readers].mutex) != 0)
            return -1;
    }
    return 0;
}

/* Returns the disk with nothing running in it, or NULL. */
static struct disk *disk_create(const struct disk_options *options)
{
    struct disk *const disk = calloc(1, sizeof *disk);

    if (!disk)
        return NULL;
    disk->magic = DISK_MAGIC;
    disk->files.lock = -1;
    disk->quota_bytes = options->quota_bytes;
    disk->quota_rows = options->quota_rows;
    disk->damaged_max_bytes = options->quota_bytes / 4;
    disk->write_interval_ns = options->write_interval_ms * MILLISECOND_NS;
    disk->retry_interval_ns = options->retry_interval_ms * MILLISECOND_NS;
    disk->batch_bytes = options->write_behind_bytes / 2 < BATCH_BYTES_MAX
                            ? options->write_behind_bytes / 2 + 1
                            : BATCH_BYTES_MAX;
    queue_init(&disk->queue, options->write_behind_bytes);
    if (uv_mutex_init(&disk->mutex) != 0)
        goto no_mutex;
    if (uv_cond_init(&disk->work) != 0)
        goto no_work;
    if (uv_cond_init(&disk->done) != 0)
        goto no_done;
    return disk;
no_done:
    uv_cond_destroy(&disk->work);
no_work:
    uv_mutex_destroy(&disk->mutex);
no_mutex:
    free(disk);
    return NULL;
}

static void disk_free(struct disk *disk)
{
    if (!disk)
        return;
    disk_end(disk);
    CHECK(disk->queue.count == 0);
    for (int i = 0; i < disk->readers; i++)
        uv_mutex_destroy(&disk->reader[i].mutex);
    free(disk->reader);
    uv_cond_destroy(&disk->done);
    uv_cond_destroy(&disk->work);
    uv_mutex_destroy(&disk->mutex);
    disk->magic = 0;
    free(disk);
}

struct disk *disk_open(const struct disk_options *options, const char **why)
{
    static uv_once_t once = UV_ONCE_INIT;
    struct disk *disk;

    CHECK(options->dir && options->readers >= 0 && options->quota_bytes >= QUOTA_BYTES_MIN);
    uv_once(&once, disk_configure_sqlite);
    *why = "memory is short";
    disk = disk_create(options);
    if (!disk || disk_init_readers(disk, options->readers) != 0 ||
        files_init(&disk->files, options->dir) != 0)
        goto fail;
    if (disk_begin(disk) == FILES_HELD) {
        *why = "another process uses the directory";
        goto fail;
    }
    *why = "no thread can be begun";
    if (uv_thread_create(&disk->writer, disk_writer_run, disk) != 0)
        goto fail;
    *why = NULL;
    return disk;
fail:
    disk_free(disk);
    return NULL;
}

void disk_close(struct disk *disk)
{
    if (!disk)
        return;
    CHECK(disk->magic == DISK_MAGIC);
    disk_flush(disk);
    uv_mutex_lock(&disk->mutex);
    disk->stop = true;
    uv_cond_signal(&disk->work);
    uv_mutex_unlock(&disk->mutex);
    CHECK(uv_thread_join(&disk->writer) == 0);
    disk_free(disk);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* Under the reader's mutex, as what follows: READER_HIT is a connection that can be asked. */
static enum reader_result disk_connect(struct disk *disk, struct disk_reader *slot)
{
    if (!atomic_load(&disk->readable))
        return READER_MISS;
    if (!slot->reader.db) {
        if (uv_hrtime() < slot->retry_ns)
            return READER_MISS;
        if (reader_open(&slot->reader, disk->files.path[FILE_DB]) != 0)
            return READER_FAILED;
    }
    return READER_HIT;
}

/* After a failure nothing is asked for a while. */
static void disk_settle_read(const struct disk *disk, struct disk_reader *slot, enum reader_result result)
{
    if (result != READER_FAILED)
        return;
    reader_close(&slot->reader, false);
    slot->retry_ns = uv_hrtime() + disk->retry_interval_ns;
}

/* Tells the writer about an entry, or (key NULL) about the whole database. */
static void disk_report(struct disk *disk, const struct digest *key)
{
    uv_mutex_lock(&disk->mutex);
    if (!key)
        disk->suspect = true;
    else if (disk->drops < DISK_DROPS) /* else the next reader will find it again */
        disk->drop[disk->drops++] = key->low;
    uv_cond_signal(&disk->work);
    uv_mutex_unlock(&disk->mutex);
}

static void disk_warn_damaged(struct disk *disk, const struct digest *key)
{
    const uint64_t now_ns = uv_hrtime();
    uint64_t due_ns = atomic_load(&disk->warn_ns);

    disk_count(&disk->damaged, 1);
    if (now_ns < due_ns ||
        !atomic_compare_exchange_strong(&disk->warn_ns, &due_ns, now_ns + WARN_INTERVAL_NS))
        return;
    log_write(LOG_WARNING, "cache", "a tile in %s is damaged and was dropped (id %016llx; %llu so far)",
              disk->files.path[FILE_DB], (unsigned long long)key->low,
              (unsigned long long)atomic_load(&disk->damaged));
}

struct blob *disk_get(struct disk *disk, int reader, const struct digest *key)
{
    struct disk_reader *slot;
    enum reader_result result;
    struct blob *blob = NULL;

    CHECK(disk->magic == DISK_MAGIC && reader >= 0 && reader < disk->readers);
    slot = &disk->reader[reader];
    uv_mutex_lock(&slot->mutex);
    result = disk_connect(disk, slot);
    if (result == READER_HIT)
        result = reader_find(&slot->reader, key, &blob);
    disk_settle_read(disk, slot, result);
    if (result == READER_DAMAGED || result == READER_ENTRY_DAMAGED)
        disk_report(disk, result == READER_DAMAGED ? NULL : key);
    uv_mutex_unlock(&slot->mutex);
    if (result == READER_HIT) {
        uses_note(&disk->uses, key->low);
        disk_count(&disk->hits, 1);
        return blob;
    }
    disk_count(&disk->misses, 1);
    if (result == READER_ENTRY_DAMAGED)
        disk_warn_damaged(disk, key);
    else if (result == READER_FAILED)
        disk_count(&disk->errors, 1);
    return NULL;
}

bool disk_has(struct disk *disk, int reader, const struct digest *key, uint64_t *bytes)
{
    struct disk_reader *slot;
    enum reader_result result;

    CHECK(disk->magic == DISK_MAGIC && reader >= 0 && reader < disk->readers);
    slot = &disk->reader[reader];
    uv_mutex_lock(&slot->mutex);
    result = disk_connect(disk, slot);
    if (result == READER_HIT)
        result = reader_has(&slot->reader, key, bytes);
    disk_settle_read(disk, slot, result);
    if (result == READER_DAMAGED)
        disk_report(disk, NULL);
    uv_mutex_unlock(&slot->mutex);
    if (result == READER_FAILED)
        disk_count(&disk->errors, 1);
    return result == READER_HIT;
}

void disk_reject(struct disk *disk, const struct digest *key)
{
    CHECK(disk->magic == DISK_MAGIC);
    disk_report(disk, key);
    disk_warn_damaged(disk, key);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

void disk_put(struct disk *disk, struct blob *blob)
{
    enum queue_answer answer = QUEUE_FULL;

    CHECK(disk->magic == DISK_MAGIC && blob != NULL);
    uv_mutex_lock(&disk->mutex);
    if (disk->accepting && entry_fits(blob))
        answer = queue_add(&disk->queue, blob, uv_hrtime());
    /* The first one sets the writer's clock, a full batch wakes it up. */
    if (answer == QUEUE_ADDED && (disk->queue.count == 1 || disk->queue.bytes >= disk->batch_bytes))
        uv_cond_signal(&disk->work);
    uv_mutex_unlock(&disk->mutex);
    if (answer == QUEUE_FULL || answer == QUEUE_MEMORY)
        disk_count(&disk->dropped, 1);
}

void disk_flush(struct disk *disk)
{
    uint64_t round, taken;

    CHECK(disk->magic == DISK_MAGIC);
    uv_mutex_lock(&disk->mutex);
    taken = disk->queue.taken;
    round = ++disk->round_wanted;
    uv_cond_signal(&disk->work);
    while (disk->round_done < round || !queue_is_past(&disk->queue, taken))
        uv_cond_wait(&disk->done, &disk->mutex);
    uv_mutex_unlock(&disk->mutex);
}

void disk_set_quota(struct disk *disk, uint64_t bytes, uint64_t rows)
{
    CHECK(disk->magic == DISK_MAGIC && bytes >= QUOTA_BYTES_MIN);
    uv_mutex_lock(&disk->mutex);
    disk->quota_bytes_next = bytes;
    disk->quota_rows_next = rows;
    disk->quota_changed = true;
    uv_cond_signal(&disk->work);
    uv_mutex_unlock(&disk->mutex);
}

int64_t disk_purge(struct disk *disk, bool all, uint64_t world)
{
    int64_t gone;

    CHECK(disk->magic == DISK_MAGIC);
    uv_mutex_lock(&disk->mutex);
    while (disk->purge.state != PURGE_NONE) /* one at a time */
        uv_cond_wait(&disk->done, &disk->mutex);
    disk->purge.state = PURGE_WANTED;
    disk->purge.all = all;
    disk->purge.world = world;
    uv_cond_signal(&disk->work);
    while (disk->purge.state != PURGE_DONE)
        uv_cond_wait(&disk->done, &disk->mutex);
    gone = disk->purge.gone;
    disk->purge.state = PURGE_NONE;
    uv_cond_broadcast(&disk->done);
    uv_mutex_unlock(&disk->mutex);
    return gone;
}

void disk_stats(struct disk *disk, struct disk_stats *out)
{
    CHECK(disk->magic == DISK_MAGIC);
    *out = (struct disk_stats){
        .hits = atomic_load_explicit(&disk->hits, memory_order_relaxed),
        .misses = atomic_load_explicit(&disk->misses, memory_order_relaxed),
        .stores = atomic_load_explicit(&disk->stores, memory_order_relaxed),
        .dropped = atomic_load_explicit(&disk->dropped, memory_order_relaxed),
        .evicted = atomic_load_explicit(&disk->evicted, memory_order_relaxed),
        .damaged = atomic_load_explicit(&disk->damaged, memory_order_relaxed),
        .errors = atomic_load_explicit(&disk->errors, memory_order_relaxed),
        .bytes = atomic_load_explicit(&disk->bytes, memory_order_relaxed),
        .rows = atomic_load_explicit(&disk->rows, memory_order_relaxed),
        .degraded = atomic_load_explicit(&disk->degraded, memory_order_relaxed),
    };
}
