/*
 * The disk tier: its interface, and the readers' side.
 *
 *     disk_put ──► queue ──┐
 *     disk_get ──► uses  ──┼──► disk_writer.c ────────── disk_store.c   batches, the quota's parts
 *        │   └──► drops  ──┘    one thread, rounds;        │  disk_evict.c   which entry goes
 *        │                      well, unwell, damaged      ▼
 *        └─ a connection a thread ────── disk_sql.c ─── disk_files.c ─── tiles.db
 *
 *  (1) A request waits for the disk only to read its own entry: disk_put takes a mutex that is never held over a system
 *      call, disk_get one that the writer takes only to close the connection for good.
 *  (2) Every blob returned is bit for bit one that was put: every read is verified.
 *  (3) No disk failure is an error of a call. It is a miss, a drop, a counter and a line in the log.
 *  (4) Mutexes are taken in the order reader, disk; the writer holds none when it takes one.
 *
 * In write-ahead logging a reader sees the database as of the last commit before it began, and neither waits for the writer
 * nor makes it wait, except for a checkpoint, which waits for readers in the middle of an entry. So a read ends, with
 * reset, before the entry is used. Until then its bytes are in SQLite's memory, where they are verified, and copied once.
 */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "../observe/log.h"
#include "disk_parts.h"

#define MILLISECOND_NS   UINT64_C(1000000)
#define QUOTA_BYTES_MIN  (UINT64_C(4) << 20)
#define BATCH_BYTES_MAX  ((size_t)4 << 20)
#define WARN_INTERVAL_NS (UINT64_C(10000) * MILLISECOND_NS)

enum { READER_CACHE_PAGES = 64, WAYS = 4 };

_Static_assert((USES & (USES - 1)) == 0 && USES % WAYS == 0, "a power of two");

enum reader_result {
    READER_HIT,
    READER_MISS,
    READER_ENTRY_DAMAGED, /* this entry is not what was stored */
    READER_DAMAGED,       /* the database is not what was stored */
    READER_FAILED         /* the disk fails or memory is short: the connection may not be of use any more */
};

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
    disk->looks = options->looks;
    disk->quota_bytes = options->quota_bytes;
    disk->quota_rows = options->quota_rows;
    disk->damaged_max_bytes = options->quota_bytes / 4;
    disk->write_interval_ns = options->write_interval_ms * MILLISECOND_NS;
    disk->retry_interval_ns = options->retry_interval_ms * MILLISECOND_NS;
    disk->full_bytes = options->write_behind_bytes / 2 + 1;
    disk->batch_bytes = disk->full_bytes < BATCH_BYTES_MAX ? disk->full_bytes : BATCH_BYTES_MAX;
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

/* ---- Readers ------------------------------------------------------------------------------------------- */

/* Closing a closed reader is fine. abandon: as in sql_close. */
static void reader_close(struct disk_reader *reader, bool abandon)
{
    sqlite3_finalize(reader->find);
    sqlite3_finalize(reader->has);
    sql_close(reader->db, abandon);
    reader->db = NULL;
    reader->find = reader->has = NULL;
}

/* 0, or SQLite's result. */
static int reader_open(struct disk_reader *reader, const char *path)
{
    int result = sql_open(path, false, READER_CACHE_PAGES, &reader->db);

    if (result == SQLITE_OK)
        result = sqlite3_prepare_v3(reader->db, "SELECT entry FROM blob WHERE id=?1", -1,
                                    SQLITE_PREPARE_PERSISTENT, &reader->find, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v3(reader->db, "SELECT bytes FROM lru WHERE id=?1", -1,
                                    SQLITE_PREPARE_PERSISTENT, &reader->has, NULL);
    if (result != SQLITE_OK)
        reader_close(reader, false);
    return result;
}

static enum reader_result reader_judge(int result)
{
    switch (result & 0xff) {
    case SQLITE_DONE:
    case SQLITE_BUSY: /* rare: another process recovers the log, or a checkpoint was in the way a hundred
                         times */
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return READER_MISS;
    case SQLITE_TOOBIG:
        return READER_ENTRY_DAMAGED;
    default:
        return sql_is_damage(result) ? READER_DAMAGED : READER_FAILED;
    }
}

/* A blob from the row under the statement. */
static enum reader_result reader_take(sqlite3_stmt *row, const struct digest *key, struct blob **out)
{
    const unsigned char *const entry = sqlite3_column_blob(row, 0);
    const int bytes = sqlite3_column_bytes(row, 0);
    struct blob_info info;
    unsigned char *payload;
    size_t payload_bytes;
    uint64_t world;

    if (!entry || bytes <= 0)
        return sqlite3_errcode(sqlite3_db_handle(row)) == SQLITE_NOMEM ? READER_FAILED : READER_ENTRY_DAMAGED;
    if (sqlite3_column_type(row, 0) != SQLITE_BLOB || !entry_check(entry, (size_t)bytes, key, &info, &world))
        return READER_ENTRY_DAMAGED;
    payload_bytes = (size_t)bytes - entry_header_bytes(&info);
    payload = malloc(payload_bytes);
    if (!payload)
        return READER_FAILED;
    memcpy(payload, entry + entry_header_bytes(&info), payload_bytes);
    *out = blob_create(key, &info, payload, payload_bytes);
    if (!*out)
        return READER_FAILED;
    (*out)->world = world;
    return READER_HIT;
}

/* Steps to the row of a key's id; the caller resets. */
static int reader_step(sqlite3_stmt *statement, const struct digest *key)
{
    const int result = sqlite3_bind_int64(statement, 1, (int64_t)key->low);

    return result == SQLITE_OK ? sqlite3_step(statement) : result;
}

/* Fills *out with a blob owned by the caller on READER_HIT, and only then. Never waits for the writer. */
static enum reader_result reader_find(struct disk_reader *reader, const struct digest *key, struct blob **out)
{
    const int result = reader_step(reader->find, key);
    const enum reader_result answer =
        result == SQLITE_ROW ? reader_take(reader->find, key, out) : reader_judge(result);

    sqlite3_reset(reader->find);
    return answer;
}

/*
 * READER_HIT: an entry of the key's id is listed, of so many bytes of payload, or READER_MISS. It is not read: the list has
 * some 35 bytes an entry, less to read than the page in which the entry begins.
 */
static enum reader_result reader_has(struct disk_reader *reader, const struct digest *key, uint64_t *bytes)
{
    const int result = reader_step(reader->has, key);
    const sqlite3_int64 listed = result == SQLITE_ROW ? sqlite3_column_int64(reader->has, 0) : 0;

    sqlite3_reset(reader->has);
    if (result != SQLITE_ROW)
        return reader_judge(result);
    if (listed <= ENTRY_HEADER_BYTES || listed > (sqlite3_int64)(ENTRY_HEADER_BYTES + ENTRY_PAYLOAD_MAX))
        return READER_MISS; /* no entry of ours; disk_get will find out */
    *bytes = (uint64_t)listed - ENTRY_HEADER_BYTES;
    return READER_HIT;
}

void disk_close_readers(struct disk *disk, bool abandon)
{
    atomic_store(&disk->readable, false);
    for (int i = 0; i < disk->readers; i++) {
        struct disk_reader *const slot = &disk->reader[i];

        uv_mutex_lock(&slot->mutex);
        reader_close(slot, abandon);
        slot->retry_ns = 0;
        uv_mutex_unlock(&slot->mutex);
    }
    /* Their reports were about the database that is being closed. */
    uv_mutex_lock(&disk->mutex);
    disk->suspect = false;
    disk->drops = 0;
    uv_mutex_unlock(&disk->mutex);
}

/* ---- Uses ---------------------------------------------------------------------------------------------- */

/*
 * The uses are a table of identifiers in sets of four. To note a use is two or three relaxed loads when it
 * has been noted before, which for the entries that matter it has. Notes may be lost, when a set overflows
 * between two batches or two threads meet in a slot; what is lost is a hint about the order of eviction, and
 * the next hit gives it again.
 */
void uses_note(struct uses *uses, uint64_t id)
{
    _Atomic uint64_t *const set = &uses->slot[(id >> 8) & (USES - WAYS)];
    int free_way = (int)(id & (WAYS - 1)); /* the displaced one, where none is free */

    if (id == 0)
        return;
    for (int i = WAYS - 1; i >= 0; i--) {
        const uint64_t there = atomic_load_explicit(&set[i], memory_order_relaxed);

        if (there == id)
            return;
        if (there == 0)
            free_way = i;
    }
    atomic_store_explicit(&set[free_way], id, memory_order_relaxed);
}

size_t uses_take(struct uses *uses, uint64_t out[static USES])
{
    size_t count = 0;

    for (size_t i = 0; i < USES; i++) {
        if (atomic_load_explicit(&uses->slot[i], memory_order_relaxed) == 0)
            continue;
        out[count] = atomic_exchange_explicit(&uses->slot[i], 0, memory_order_relaxed);
        count += out[count] != 0;
    }
    return count;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* Under the reader's mutex: READER_HIT is a connection that can be asked. */
static enum reader_result disk_connect(struct disk *disk, struct disk_reader *slot)
{
    if (!atomic_load(&disk->readable))
        return READER_MISS;
    if (slot->db)
        return READER_HIT;
    if (uv_hrtime() < slot->retry_ns)
        return READER_MISS;
    return reader_open(slot, disk->files.path[FILE_DB]) == 0 ? READER_HIT : READER_FAILED;
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

/* Reads the entry into *blob or, if that is NULL, only its size. After a failure it reads nothing for a while. */
static enum reader_result disk_ask(struct disk *disk, int reader, const struct digest *key,
                                   struct blob **blob, uint64_t *bytes)
{
    struct disk_reader *slot;
    enum reader_result result;

    CHECK(disk->magic == DISK_MAGIC && reader >= 0 && reader < disk->readers);
    slot = &disk->reader[reader];
    uv_mutex_lock(&slot->mutex);
    result = disk_connect(disk, slot);
    if (result == READER_HIT)
        result = blob ? reader_find(slot, key, blob) : reader_has(slot, key, bytes);
    if (result == READER_FAILED) {
        reader_close(slot, false);
        slot->retry_ns = uv_hrtime() + disk->retry_interval_ns;
        disk_count(&disk->errors, 1);
    }
    if (result == READER_DAMAGED || (blob && result == READER_ENTRY_DAMAGED))
        disk_report(disk, result == READER_DAMAGED ? NULL : key);
    uv_mutex_unlock(&slot->mutex);
    return result;
}

struct blob *disk_get(struct disk *disk, int reader, const struct digest *key)
{
    struct blob *blob = NULL;
    const enum reader_result result = disk_ask(disk, reader, key, &blob, NULL);

    disk_count(result == READER_HIT ? &disk->hits : &disk->misses, 1);
    if (result == READER_HIT)
        uses_note(&disk->uses, key->low);
    else if (result == READER_ENTRY_DAMAGED)
        disk_warn_damaged(disk, key);
    return blob;
}

bool disk_has(struct disk *disk, int reader, const struct digest *key, uint64_t *bytes)
{
    return disk_ask(disk, reader, key, NULL, bytes) == READER_HIT;
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
    /* The first one sets the writer's clock, much that waits wakes it up. */
    if (answer == QUEUE_ADDED && (disk->queue.count == 1 || disk->queue.bytes >= disk->full_bytes))
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
    taken = disk->flush_taken = disk->queue.taken;
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
