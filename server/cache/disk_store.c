/*
 * The store: the quota's parts, opening, batches, and shrinking.
 *
 * The quota is for two files. The log's part is the most that a batch may write: at least min(16 MiB, a quarter of the
 * quota), and with a quota from 1.25 GiB enough for the largest entry. The database has the rest. disk_evict.c keeps to the
 * parts.
 *
 * A store exceeds its quota when that was lowered, since it was last open or by store_set_quota. It still works, and does
 * not grow (max_page_count is its size): an insertion evicts as many pages as it takes. Meanwhile store_shrink evicts the
 * oldest and gives the free pages at the end of the file back, a bounded step at a time, so that neither readers nor batches
 * wait for more than one. The quota holds once store_is_over is false: the last step empties the log, which truncates the
 * file. Starting with an empty store would be simpler and reach the quota at once, but would throw away the most used part
 * of the cache just when space is short.
 */
#include "disk_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/check.h"
#include "../base/minmax.h"

#define FRAME_BYTES     (SQL_PAGE_BYTES + 24)
#define LOG_BYTES_MIN   (16u << 20)     /* of the log's part, where the quota is large enough, */
#define LOG_BYTES_MAX   (80u << 20)     /* and its bound: the largest entry, and some room */
#define CLOCK_MAX       (INT64_MAX / 2) /* a store that says more was not written by us */
#define BUFFER_KEEP     (1u << 20)
#define PROBE_BYTES     (2u << 20) /* as much as a batch, or its health would flap */
#define SHRINK_ENTRIES  256
#define SHRINK_PAGES    512
#define PURGE_ENTRIES   256
#define FRAMES_SOFT_MAX 512 /* 8 MiB: enough to write a page that several batches change once */
#define CACHE_PAGES_MAX 256

/* ---- What the caller sees ------------------------------------------------------------------------------ */

/* Begins a call: no failure yet. */
static void store_call(struct store *store)
{
    CHECK(store->db != NULL);
    store->what = NULL;
    errno = 0;
}

/* Turns a result into a store_result, and ends a failed transaction. */
static enum store_result store_judge(struct store *store, int result)
{
    const int primary = result & 0xff;
    const int last_errno = errno; /* SQLite has its own note of it, but not of a commit's */

    if (result == SQLITE_OK)
        return STORE_OK;
    store->cause = 0;
    if ((primary == SQLITE_IOERR && last_errno != ENOENT) || primary == SQLITE_CANTOPEN)
        store->cause = last_errno; /* ENOENT is what looking for a journal leaves */
    store->reopen = store->cause == 0 && primary != SQLITE_FULL && primary != SQLITE_READONLY &&
                    primary != SQLITE_BUSY && primary != SQLITE_NOMEM;
    if (!store->what)
        store->what = sql_words(result);
    store_rollback(store);
    return sql_is_damage(result) ? STORE_DAMAGED : STORE_UNWELL;
}

/* Empties a log of more than so many frames, and truncates its file if that number is 0. If readers are in the way it
 * leaves that for the next time. */
static int store_empty_log_over(struct store *store, uint64_t frames)
{
    const bool cut = frames == 0, due = cut ? store->log_frames > 0 : store->frames > frames;
    const int result = due ? store_checkpoint(store, cut) : SQLITE_OK;

    return (result & 0xff) == SQLITE_BUSY ? SQLITE_OK : result;
}

enum store_result store_write(struct store *store, const struct store_batch *batch)
{
    int result;

    store_call(store);
    result = store_begin(store);
    for (size_t i = 0; i < batch->drops && result == SQLITE_OK; i++)
        result = store_remove(store, batch->drop[i]);
    for (size_t i = 0; i < batch->uses && result == SQLITE_OK; i++)
        result = store_use(store, batch->use[i]);
    for (size_t i = 0; i < batch->blobs && result == SQLITE_OK; i++)
        if (entry_fits(batch->blob[i]) && entry_bytes(batch->blob[i]) <= store->entry_bytes_max)
            result = store_insert(store, batch->blob[i]);
    if (result == SQLITE_OK)
        result = store_commit(store);
    if (result == SQLITE_OK)
        result = store_empty_log_over(store, store->frames_soft);
    if (store->buffer_bytes > BUFFER_KEEP) {
        free(store->buffer);
        store->buffer = NULL;
        store->buffer_bytes = 0;
    }
    return store_judge(store, result);
}

enum store_result store_empty_log(struct store *store)
{
    store_call(store);
    return store_judge(store, store_empty_log_over(store, 0));
}

enum store_result store_probe(struct store *store)
{
    const size_t bytes = (size_t)min_uint64(store->entry_bytes_max / 2, PROBE_BYTES);
    const struct blob_info info = {.width = 1, .height = 1};
    const struct digest key = {0, 0};
    const uint64_t stored = store->stored;
    unsigned char *const zeros = calloc(1, bytes);
    struct blob *const blob = zeros ? blob_create(&key, &info, zeros, bytes) : NULL;
    enum store_result result;

    store_call(store);
    if (!blob)
        return store_judge(store, SQLITE_NOMEM);
    result = store_judge(store, store_checkpoint(store, true)); /* which may free space */
    if (result == STORE_OK)
        result = store_write(store, &(struct store_batch){.blob = &blob, .blobs = 1});
    if (result == STORE_OK)
        result = store_write(store, &(struct store_batch){.drop = &key.low, .drops = 1});
    if (result == STORE_OK)
        result = store_judge(store, store_checkpoint(store, true));
    store->stored = stored;
    blob_release(blob);
    return result;
}

uint64_t store_bytes(const struct store *store)
{
    return (store->pages - store->pages_free) * SQL_PAGE_BYTES;
}

bool store_is_over(const struct store *store)
{
    return store->pages > store->pages_max || store->rows > store->rows_max;
}

/* Sets SQLite's bound of the file: max of the quota's and the file's size. */
static int store_bound(struct store *store)
{
    return sql_run(store->db, "PRAGMA max_page_count=%lld", (long long)store->pages_max);
}

/* Evicts a bounded number of entries while the pages in use, or the rows, are over the quota. */
static int store_shrink_rows(struct store *store)
{
    int result = SQLITE_OK;

    for (int i = 0; i < SHRINK_ENTRIES && result == SQLITE_OK; i++) {
        uint64_t all = 0, unused = 0;

        result = store_count_pages(store, &all, &unused);
        if (result != SQLITE_OK || (all - unused <= store->pages_max && store->rows <= store->rows_max))
            break;
        result = store_evict(store);
    }
    return result;
}

/* Gives a bounded number of free pages back, from the end of the file; pages in use there are moved down. */
static int store_shrink_pages(struct store *store)
{
    int result = SQLITE_OK;

    for (int i = 0; i < SHRINK_PAGES && result == SQLITE_OK; i++) {
        uint64_t all = 0, unused = 0;

        result = store_count_pages(store, &all, &unused);
        if (result != SQLITE_OK || all <= store->pages_max || unused == 0)
            break;
        result = store_vacuum_page(store);
    }
    return result;
}

enum store_result store_shrink(struct store *store)
{
    int result;

    store_call(store);
    result = store_begin(store);
    if (result == SQLITE_OK)
        result = store_shrink_rows(store);
    if (result == SQLITE_OK)
        result = store_shrink_pages(store);
    if (result == SQLITE_OK)
        result = store_commit(store);
    if (result == SQLITE_OK)
        result = store_empty_log_over(store, store_is_over(store) ? store->frames_soft : 0);
    if (result == SQLITE_OK && store->pages <= store->pages_max)
        result = store_bound(store);
    return store_judge(store, result);
}

/* Removes a bounded number of entries. *from and *done as in store_purge. */
static int store_purge_rows(struct store *store, uint64_t world, int64_t *from, bool *done)
{
    int result = SQLITE_OK;

    for (int i = 0; i < PURGE_ENTRIES && result == SQLITE_OK && !*done; i++) {
        int64_t id = 0;

        result = store_find_world(store, world, *from, &id);
        if (result == SQLITE_EMPTY) {
            *done = true;
            return SQLITE_OK;
        }
        if (result == SQLITE_OK)
            result = store_remove(store, (uint64_t)id);
        *done = id == INT64_MAX;
        *from = *done ? id : id + 1;
    }
    return result;
}

enum store_result store_purge(struct store *store, struct store_purge *purge)
{
    const uint64_t rows = store->rows;
    int64_t from = purge->from;
    bool done = false;
    int result;

    store_call(store);
    result = store_begin(store);
    if (result == SQLITE_OK)
        result = store_purge_rows(store, purge->world, &from, &done);
    if (result == SQLITE_OK)
        result = store_commit(store);
    if (result == SQLITE_OK) {
        purge->from = from;
        purge->gone += rows - store->rows;
        purge->done = done;
        result = store_empty_log_over(store, store->frames_soft);
    }
    return store_judge(store, result);
}

/* ---- Opening and closing ------------------------------------------------------------------------------- */

/* Divides the quota. The smallest quota of 4 MiB gives the database 3 MiB and the log 62 frames. */
static void store_divide(struct store *store, uint64_t quota_bytes, uint64_t quota_rows)
{
    uint64_t log_bytes = quota_bytes / 16, entry_pages;

    log_bytes = log_bytes < LOG_BYTES_MIN ? LOG_BYTES_MIN : min_uint64(log_bytes, LOG_BYTES_MAX);
    log_bytes = min_uint64(log_bytes, quota_bytes / 4);
    store->pages_max = (quota_bytes - log_bytes) / SQL_PAGE_BYTES;
    store->frames_max = log_bytes / FRAME_BYTES - 1; /* for its header */
    store->frames_soft = min_uint64(store->frames_max / 2, FRAMES_SOFT_MAX);
    store->rows_max = quota_rows > 0 ? quota_rows : 1;
    /*
     * Three trees of depth 2 (small) to 4, where a split touches five pages a level (a change seldom touches
     * over six); and the map of pointers, a page of it for every 3277, up to where a chain can be scattered.
     */
    store->step_pages = store->frames_max < 256 ? 10 : 48;
    store->step_pages += min_uint64(store->pages_max / 3277, store->frames_max / 8);
    entry_pages = store->frames_max - 2 * store->step_pages - 4;
    store->entry_bytes_max = (entry_pages - 1) * SQL_OVERFLOW_BYTES;
}

/* Counts the entries, once, when the store is opened. The index of lru is read as a whole: 20 bytes an entry. */
static int store_measure(struct store *store)
{
    int64_t rows = 0, newest = 0;
    int result = sql_number(store->db, "SELECT count(*) FROM lru", &rows);

    if (result == SQLITE_OK)
        result = sql_number(store->db, "SELECT max(used) FROM lru", &newest);
    if (result == SQLITE_OK)
        result = store_count_pages(store, &store->pages, &store->pages_free);
    if (result == SQLITE_OK && (newest < 0 || newest > CLOCK_MAX || rows < 0)) {
        store->what = "its clock is wrong";
        result = SQLITE_CORRUPT;
    }
    store->rows = store->rows_committed = (uint64_t)rows;
    store->clock = newest;
    return result;
}

/* Pages in the writer's cache: they count against the room in the log. */
static int store_cache_pages(const struct store *store)
{
    return (int)min_uint64(store->frames_max / 4, CACHE_PAGES_MAX);
}

static int store_start(struct store *store, const char *path)
{
    int64_t pages = 0;
    int result = sql_open(path, true, store_cache_pages(store), &store->db);

    if (result == SQLITE_OK)
        result = sql_number(store->db, "PRAGMA page_count", &pages);
    if (result == SQLITE_OK && pages == 0)
        result = sql_create(store->db);
    if (result == SQLITE_OK)
        result = sql_check(store->db, &store->what);
    if (result == SQLITE_OK)
        result = sql_enter_wal(store->db);
    if (result == SQLITE_OK)
        result = store_prepare(store);
    if (result == SQLITE_OK)
        result = store_measure(store);
    if (result == SQLITE_OK)
        result = store_bound(store);
    if (result == SQLITE_OK) {
        sqlite3_db_release_memory(store->db);
        store_watch_log(store);
    }
    return result;
}

enum store_result store_open(struct store *store, const char *path, uint64_t quota_bytes, uint64_t quota_rows)
{
    CHECK(store->db == NULL);
    store->what = NULL;
    errno = 0;
    store_divide(store, quota_bytes, quota_rows);
    store->frames =
        store->frames_max; /* not known: the first change empties the log that was left, and cuts it */
    store->log_frames = UINT64_MAX;
    return store_judge(store, store_start(store, path));
}

enum store_result store_set_quota(struct store *store, uint64_t quota_bytes, uint64_t quota_rows)
{
    enum store_result answer;
    int result;

    store_call(store);
    result = store_empty_log_over(store, 0); /* the log may be longer than its new part */
    store_divide(store, quota_bytes, quota_rows);
    if (result == SQLITE_OK)
        result = sql_run(store->db, "PRAGMA cache_size=%d", store_cache_pages(store));
    if (result == SQLITE_OK)
        result = store_bound(store);
    if (result == SQLITE_OK)
        sqlite3_db_release_memory(store->db);
    answer = store_judge(store, result);
    if (answer != STORE_OK)
        store->reopen = true; /* opening sets all of it */
    return answer;
}

void store_close(struct store *store, bool abandon)
{
    store_finalize(store);
    sql_close(store->db, abandon);
    store->db = NULL;
    free(store->buffer);
    store->buffer = NULL;
    store->buffer_bytes = 0;
}
