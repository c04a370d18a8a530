/*
 * The store: how the quota is kept.
 *
 * The quota is for three files. The index of the log is 32 KiB for every 4096 frames. The log gets a fixed part, the
 * database the rest, and both are kept by counting before anything is written:
 *
 *  (1) A transaction writes each page that it changed once, when it commits (cache_spill is off): no page of the log
 *      is written twice. Every changed page is in the cache until then, so the size of the cache bounds what a commit
 *      will write. Before every change: frames in the log + pages in the cache + what the change may touch <= frames_max.
 *      Where that does not hold the transaction is committed first and the log emptied (store_room).
 *  (2) The log is emptied by a TRUNCATE checkpoint, which waits for readers. If they do not go away nothing is written.
 *  (3) Before an entry is inserted: pages in use + its own + step_pages <= pages_max, with entries evicted until it
 *      does (store_make_room). Pages in use are counted by SQLite itself, not estimated: all pages without the free ones.
 *  (4) max_page_count = pages_max. Should (3) be wrong, SQLite refuses instead of growing the file.
 *  (5) rows is count(lru) of the open transaction, at most rows_max.
 *
 * A store that was made with a larger quota is over it when opened. It works at once, and grows no further: whoever
 * inserts evicts as many pages as he takes. Meanwhile store_shrink evicts the oldest and gives the free pages at the end
 * of the file back, a bounded step at a time. The alternative, to start anew, is simpler and reaches the quota at
 * once, but throws away the part of the cache that is most in use, on the day the operator is short of space.
 *
 * The clock of uses ticks once a use and goes on where it stood: no wall clock to jump.
 *
 * A use among the newest eighth of all entries is not noted again: the entry is far from eviction, and each note
 * changes two pages.
 */
#include "disk_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "disk_entry.h"
#include "disk_sql.h"

#define FRAME_BYTES      (SQL_PAGE_BYTES + 24)
#define SHM_FRAMES       4000            /* each so many frames, or part of them, */
#define SHM_BYTES        32768           /* the index has this size */
#define LOG_BYTES_MIN    (16u << 20)     /* of the log's part, where the quota is large enough, */
#define LOG_BYTES_MAX    (80u << 20)     /* and its bound: the largest entry, and some room */
#define CLOCK_MAX        (INT64_MAX / 2) /* a store that says more was not written by us */
#define BUFFER_KEEP      (1u << 20)
#define PROBE_BYTES      (256u << 10)
#define SHRINK_ENTRIES   256
#define SHRINK_PAGES     512
#define FRAMES_SOFT_MAX  512 /* 8 MiB: enough to write a page that several batches change once */
#define CACHE_PAGES_MAX  256

enum statement {
    DO_BEGIN,
    DO_COMMIT,
    GET_PAGES,
    GET_FREE,
    GET_OLDEST,
    DELETE_BLOB,
    DELETE_LRU,
    INSERT_BLOB,
    INSERT_LRU,
    RENEW_LRU,
    USE_LRU,
    VACUUM_PAGE,
    STATEMENTS
};

_Static_assert((int)STATEMENTS <= (int)STORE_STATEMENTS, "room for every statement");

static const char *const statement_text[STATEMENTS] = {
    [DO_BEGIN] = "BEGIN IMMEDIATE",
    [DO_COMMIT] = "COMMIT",
    [GET_PAGES] = "PRAGMA page_count",
    [GET_FREE] = "PRAGMA freelist_count",
    [GET_OLDEST] = "SELECT id FROM lru ORDER BY used LIMIT 1",
    [DELETE_BLOB] = "DELETE FROM blob WHERE id=?1",
    [DELETE_LRU] = "DELETE FROM lru WHERE id=?1",
    [INSERT_BLOB] = "INSERT INTO blob(id, entry) VALUES(?1, ?2)",
    [INSERT_LRU] = "INSERT INTO lru(id, used, bytes) VALUES(?1, ?2, ?3)",
    [RENEW_LRU] = "UPDATE lru SET used=?2, bytes=?3 WHERE id=?1",
    [USE_LRU] = "UPDATE lru SET used=?2 WHERE id=?1 AND used<?3",
    [VACUUM_PAGE] = "PRAGMA incremental_vacuum(1)",
};

/* ---- Running prepared statements --------------------------------------------------------------------------------- */

/* Binds up to three integers and runs to the end. *out, if given, is the first row's first column; SQLITE_EMPTY: none. */
static int store_step(struct store *store, enum statement which, int count, const int64_t *value, int64_t *out)
{
    sqlite3_stmt *const statement = store->statement[which];
    int result = SQLITE_OK, reset;

    for (int i = 0; i < count && result == SQLITE_OK; i++)
        result = sqlite3_bind_int64(statement, i + 1, value[i]);
    if (result != SQLITE_OK)
        return result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        if (out)
            *out = sqlite3_column_int64(statement, 0);
        out = NULL; /* asked for and given */
    }
    reset = sqlite3_reset(statement);
    if (result == SQLITE_DONE)
        result = reset;
    return result == SQLITE_OK && out ? SQLITE_EMPTY : result;
}

static int store_do(struct store *store, enum statement which)
{
    return store_step(store, which, 0, NULL, NULL);
}

static int store_do_id(struct store *store, enum statement which, uint64_t id)
{
    return store_step(store, which, 1, (const int64_t[]){(int64_t)id}, NULL);
}

/* Pages of the database, and how many of them hold nothing, as the open transaction (or the last one) sees it. */
static int store_count_pages(struct store *store, uint64_t *pages, uint64_t *pages_free)
{
    int64_t all = 0, unused = 0;
    int result = store_step(store, GET_PAGES, 0, NULL, &all);

    if (result == SQLITE_OK)
        result = store_step(store, GET_FREE, 0, NULL, &unused);
    if (result == SQLITE_OK && (unused < 0 || all < unused)) {
        store->what = "its count of free pages is wrong";
        result = SQLITE_CORRUPT;
    }
    if (result == SQLITE_OK) {
        *pages = (uint64_t)all;
        *pages_free = (uint64_t)unused;
    }
    return result;
}

/* ---- Transactions and the log ------------------------------------------------------------------------------------ */

static int store_begin(struct store *store)
{
    store->stored_open = 0;
    return store_do(store, DO_BEGIN);
}

static int store_commit(struct store *store)
{
    int result = store_do(store, DO_COMMIT);

    if (result != SQLITE_OK)
        return result;
    store->stored += store->stored_open;
    store->stored_open = 0;
    return store_count_pages(store, &store->pages, &store->pages_free);
}

/* SQLite tells after each commit how long the log is. */
static int store_on_commit(void *argument, sqlite3 *db, const char *name, int frames)
{
    struct store *const store = argument;

    (void)db;
    (void)name;
    store->frames = frames > 0 ? (uint64_t)frames : 0;
    return SQLITE_OK;
}

static int store_checkpoint(struct store *store)
{
    const int result = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

    if (result == SQLITE_OK)
        store->frames = 0;
    return result;
}

/* At most so many pages has the open transaction changed. */
static uint64_t store_dirty_pages(const struct store *store)
{
    int bytes = 0, highest = 0;

    sqlite3_db_status(store->db, SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest, 0);
    return bytes > 0 ? (uint64_t)bytes / SQL_PAGE_BYTES : 0;
}

/* Inside a transaction: room in the log for a change of so many pages, (1). It may be another transaction afterwards. */
static int store_room(struct store *store, uint64_t pages)
{
    int result;

    if (store->frames + store_dirty_pages(store) + pages <= store->frames_max)
        return SQLITE_OK;
    result = store_commit(store);
    if (result == SQLITE_OK)
        result = store_checkpoint(store);
    if (result == SQLITE_OK)
        result = sqlite3_db_release_memory(store->db); /* clean pages would count as well */
    if (result == SQLITE_OK)
        result = store_begin(store);
    return result;
}

/* ---- Changes, all inside a transaction --------------------------------------------------------------------------- */

static int store_remove(struct store *store, uint64_t id)
{
    int result = store_room(store, store->step_pages);

    if (result == SQLITE_OK)
        result = store_do_id(store, DELETE_BLOB, id);
    if (result == SQLITE_OK)
        result = store_do_id(store, DELETE_LRU, id);
    if (result == SQLITE_OK && sqlite3_changes(store->db) == 1 && store->rows > 0)
        store->rows--;
    return result;
}

static int store_evict(struct store *store)
{
    const uint64_t rows = store->rows;
    int64_t id = 0;
    int result = store_step(store, GET_OLDEST, 0, NULL, &id);

    if (result == SQLITE_OK)
        result = store_remove(store, (uint64_t)id);
    if (result == SQLITE_EMPTY || (result == SQLITE_OK && store->rows == rows)) {
        store->what = "its list of entries does not fit the entries";
        result = SQLITE_CORRUPT;
    }
    store->evicted += result == SQLITE_OK;
    return result;
}

/* Evicts until an entry of so many pages can be inserted, (3) and (5). Over the quota: until it takes no more. */
static int store_make_room(struct store *store, uint64_t pages)
{
    const uint64_t rows_max = store->rows >= store->rows_max ? store->rows : store->rows_max;
    uint64_t all, unused, pages_max = 0;
    int result;

    for (;;) {
        result = store_count_pages(store, &all, &unused);
        if (result != SQLITE_OK)
            return result;
        if (pages_max == 0)
            pages_max = all - unused > store->pages_max ? all - unused : store->pages_max;
        if (all - unused + pages + store->step_pages <= pages_max && store->rows < rows_max)
            return SQLITE_OK;
        result = store_evict(store);
        if (result != SQLITE_OK)
            return result;
    }
}

static int store_buffer(struct store *store, size_t bytes)
{
    unsigned char *larger;

    if (bytes <= store->buffer_bytes)
        return SQLITE_OK;
    larger = malloc(bytes);
    if (!larger)
        return SQLITE_NOMEM;
    free(store->buffer);
    store->buffer = larger;
    store->buffer_bytes = bytes;
    return SQLITE_OK;
}

static int store_insert_blob(struct store *store, const struct blob *blob)
{
    sqlite3_stmt *const statement = store->statement[INSERT_BLOB];
    const size_t bytes = entry_bytes(blob);
    int result = store_buffer(store, bytes);

    if (result != SQLITE_OK)
        return result;
    entry_pack(store->buffer, blob);
    result = sqlite3_bind_blob64(statement, 2, store->buffer, bytes, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = store_do_id(store, INSERT_BLOB, blob->key.low);
    sqlite3_clear_bindings(statement);
    return result;
}

/* Inserts a blob, or replaces what is there under its id. */
static int store_insert(struct store *store, const struct blob *blob)
{
    const size_t bytes = entry_bytes(blob);
    const uint64_t pages = bytes / SQL_OVERFLOW_BYTES + 1;
    const int64_t row[3] = {(int64_t)blob->key.low, ++store->clock, (int64_t)bytes};
    int result = store_make_room(store, pages);

    if (result == SQLITE_OK)
        result = store_room(store, pages + 2 * store->step_pages);
    if (result == SQLITE_OK)
        result = store_step(store, RENEW_LRU, 3, row, NULL);
    if (result == SQLITE_OK && sqlite3_changes(store->db) == 0) {
        result = store_step(store, INSERT_LRU, 3, row, NULL);
        store->rows += result == SQLITE_OK;
    }
    if (result == SQLITE_OK)
        result = store_do_id(store, DELETE_BLOB, blob->key.low);
    if (result == SQLITE_OK)
        result = store_insert_blob(store, blob);
    store->stored_open += result == SQLITE_OK;
    return result;
}

static int store_use(struct store *store, uint64_t id)
{
    const int64_t old = store->clock - (int64_t)(store->rows / 8);
    const int64_t row[3] = {(int64_t)id, ++store->clock, old};
    int result = store_room(store, store->step_pages);

    return result == SQLITE_OK ? store_step(store, USE_LRU, 3, row, NULL) : result;
}

/* ---- What the caller sees ---------------------------------------------------------------------------------------- */

/* Turns a result into what to do about it, and ends a transaction that failed. */
static enum store_result store_judge(struct store *store, int result)
{
    const int primary = result & 0xff;

    if (result == SQLITE_OK)
        return STORE_OK;
    store->cause = 0;
    if (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN)
        store->cause = store->db ? sqlite3_system_errno(store->db) : errno;
    store->reopen = store->cause == 0 && primary != SQLITE_FULL && primary != SQLITE_READONLY &&
                    primary != SQLITE_BUSY && primary != SQLITE_NOMEM;
    if (!store->what)
        store->what = sql_words(result);
    if (store->db && !sqlite3_get_autocommit(store->db))
        sql_run(store->db, "ROLLBACK");
    store->stored_open = 0;
    return sql_is_damage(result) ? STORE_DAMAGED : STORE_UNWELL;
}

/* Empties a log of more than so many frames. Where others are in the way it is left for the next time. */
static int store_settle_over(struct store *store, uint64_t frames)
{
    const int result = store->frames > frames ? store_checkpoint(store) : SQLITE_OK;

    return (result & 0xff) == SQLITE_BUSY ? SQLITE_OK : result;
}

enum store_result store_write(struct store *store, const struct store_batch *batch)
{
    int result;

    CHECK(store->db != NULL);
    store->what = NULL;
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
        result = store_settle_over(store, store->frames_soft);
    if (store->buffer_bytes > BUFFER_KEEP) {
        free(store->buffer);
        store->buffer = NULL;
        store->buffer_bytes = 0;
    }
    return store_judge(store, result);
}

enum store_result store_settle(struct store *store)
{
    CHECK(store->db != NULL);
    store->what = NULL;
    return store_judge(store, store_settle_over(store, 0));
}

enum store_result store_probe(struct store *store)
{
    const uint64_t half = store->entry_bytes_max / 2;
    const size_t bytes = half < PROBE_BYTES ? (size_t)half : PROBE_BYTES;
    const struct blob_info info = {.width = 1, .height = 1};
    const struct digest key = {0, 0};
    const uint64_t stored = store->stored;
    unsigned char *const zeros = calloc(1, bytes);
    struct blob *const blob = zeros ? blob_create(&key, &info, zeros, bytes) : NULL;
    enum store_result result;

    CHECK(store->db != NULL);
    store->what = NULL;
    if (!blob)
        return store_judge(store, SQLITE_NOMEM);
    result = store_write(store, &(struct store_batch){.blob = &blob, .blobs = 1});
    if (result == STORE_OK)
        result = store_write(store, &(struct store_batch){.drop = &key.low, .drops = 1});
    if (result == STORE_OK)
        result = store_judge(store, store_checkpoint(store));
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

/* Gives a bounded number of free pages back, from the end of the file; a page in use there is moved to a free one. */
static int store_shrink_pages(struct store *store)
{
    int result = SQLITE_OK;

    for (int i = 0; i < SHRINK_PAGES && result == SQLITE_OK; i++) {
        uint64_t all = 0, unused = 0;

        result = store_count_pages(store, &all, &unused);
        if (result != SQLITE_OK || all <= store->pages_max || unused == 0)
            break;
        result = store_room(store, store->step_pages);
        if (result == SQLITE_OK)
            result = store_do(store, VACUUM_PAGE);
    }
    return result;
}

enum store_result store_shrink(struct store *store)
{
    int result;

    CHECK(store->db != NULL);
    store->what = NULL;
    result = store_begin(store);
    if (result == SQLITE_OK)
        result = store_shrink_rows(store);
    if (result == SQLITE_OK)
        result = store_shrink_pages(store);
    if (result == SQLITE_OK)
        result = store_commit(store);
    if (result == SQLITE_OK)
        result = store_settle_over(store, store->frames_soft);
    if (result == SQLITE_OK && store->pages <= store->pages_max)
        result = sql_run(store->db, "PRAGMA max_page_count=%lld", (long long)store->pages_max);
    return store_judge(store, result);
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

/* Divides the quota. The smallest quota of 4 MiB gives the database 3 MiB and the log 60 frames. */
static void store_divide(struct store *store, uint64_t quota_bytes, uint64_t quota_rows)
{
    uint64_t log_bytes = quota_bytes / 16, entry_pages, map_pages;

    log_bytes = log_bytes < LOG_BYTES_MIN ? LOG_BYTES_MIN : log_bytes > LOG_BYTES_MAX ? LOG_BYTES_MAX : log_bytes;
    log_bytes = log_bytes > quota_bytes / 4 ? quota_bytes / 4 : log_bytes;
    store->pages_max = (quota_bytes - log_bytes) / SQL_PAGE_BYTES;
    store->frames_max = log_bytes / FRAME_BYTES;
    store->frames_max -= (store->frames_max / SHM_FRAMES + 1) * SHM_BYTES / FRAME_BYTES + 1;
    store->frames_soft = store->frames_max / 2 < FRAMES_SOFT_MAX ? store->frames_max / 2 : FRAMES_SOFT_MAX;
    store->rows_max = quota_rows > 0 ? quota_rows : 1;
    /* Three trees of depth 2 (small) to 4, where a split touches five pages a level (a change seldom touches over
     * six); and a page of the map of pointers for every 3277 pages, up to where a chain can be scattered. */
    map_pages = store->pages_max / 3277;
    map_pages = map_pages > store->frames_max / 8 ? store->frames_max / 8 : map_pages;
    store->step_pages = (store->frames_max < 256 ? 10 : 48) + map_pages;
    entry_pages = store->frames_max - 2 * store->step_pages - 4;
    store->entry_bytes_max = (entry_pages - 1) * SQL_OVERFLOW_BYTES;
}

/* What is counted once, when the store is opened. The index of lru is read as a whole: 11 bytes an entry. */
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
    store->rows = (uint64_t)rows;
    store->clock = newest;
    return result;
}

static int store_prepare(struct store *store)
{
    int result = SQLITE_OK;

    for (int i = 0; i < STATEMENTS && result == SQLITE_OK; i++)
        result = sqlite3_prepare_v3(store->db, statement_text[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &store->statement[i], NULL);
    return result;
}

static int store_start(struct store *store, const char *path)
{
    const uint64_t cache_pages = store->frames_max / 4 < CACHE_PAGES_MAX ? store->frames_max / 4 : CACHE_PAGES_MAX;
    int64_t pages = 0;
    int result = sql_open(path, true, (int)cache_pages, &store->db);

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
        result = sql_run(store->db, "PRAGMA max_page_count=%lld", (long long)store->pages_max);
    if (result == SQLITE_OK) {
        sqlite3_db_release_memory(store->db);
        sqlite3_wal_hook(store->db, store_on_commit, store);
    }
    return result;
}

enum store_result store_open(struct store *store, const char *path, uint64_t quota_bytes, uint64_t quota_rows)
{
    CHECK(store->db == NULL);
    store->what = NULL;
    errno = 0;
    store_divide(store, quota_bytes, quota_rows);
    store->frames = store->frames_max; /* not known: the first change empties the log that was left */
    return store_judge(store, store_start(store, path));
}

void store_close(struct store *store, bool abandon)
{
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(store->statement[i]);
        store->statement[i] = NULL;
    }
    sql_close(store->db, abandon);
    store->db = NULL;
    free(store->buffer);
    store->buffer = NULL;
    store->buffer_bytes = 0;
}
