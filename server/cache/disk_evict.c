/*
 * Changes of the store: how the quota is kept while entries come and go.
 *
 * The log and the database each have a fixed part of the quota (disk_store.c), and keep to it by counting
 * before anything is written:
 *
 *  (1) A transaction writes each page that it changed once, when it commits (cache_spill is off): no
 *      page comes into the log twice. Every changed page is in the cache until then, so the size of the
 *      cache bounds what a commit will write. Before every change: frames in the log + pages in the cache +
 *      what the change may touch <= frames_max. Where that does not hold the transaction is committed first
 *      and the log emptied (store_room).
 *  (2) The log is emptied by a checkpoint that waits for readers. If they stay, nothing is written. Between
 *      changes the file keeps its length, within the log's part of the quota, and is rewritten from its
 *      beginning (RESTART): the kernel needs milliseconds to free the pages of a long file, in which no
 *      thread that answers gets that core. At rest, and before trying a disk that was full, it is cut
 *      (TRUNCATE).
 *  (3) Before an entry is inserted: pages in use + its own + step_pages <= pages_max, with entries
 *      evicted until it does (store_make_room). Pages in use are counted by SQLite itself, not estimated:
 *      all pages without the free ones.
 *  (4) max_page_count = pages_max. Should (3) be wrong, SQLite refuses instead of growing the file.
 *  (5) rows is the number of entries as the open transaction sees it, at most rows_max.
 *
 * The clock of uses ticks once a use and continues across restarts: no wall clock that could jump.
 *
 * A use among the newest eighth of all entries is not noted again: the entry is far from eviction, and each
 * note changes two pages.
 */
#include "disk_parts.h"

#include <stdlib.h>

enum statement {
    DO_BEGIN,
    DO_COMMIT,
    DO_ROLLBACK,
    GET_PAGES,
    GET_FREE,
    GET_OLDEST,
    GET_OF_WORLD,
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
    [DO_ROLLBACK] = "ROLLBACK",
    [GET_PAGES] = "PRAGMA page_count",
    [GET_FREE] = "PRAGMA freelist_count",
    [GET_OLDEST] = "SELECT id FROM lru ORDER BY used LIMIT 1",
    [GET_OF_WORLD] = "SELECT id FROM lru WHERE id>=?1 AND world=?2 ORDER BY id LIMIT 1",
    [DELETE_BLOB] = "DELETE FROM blob WHERE id=?1",
    [DELETE_LRU] = "DELETE FROM lru WHERE id=?1",
    [INSERT_BLOB] = "INSERT INTO blob(id, entry) VALUES(?1, ?2)",
    [INSERT_LRU] = "INSERT INTO lru(id, used, bytes, world) VALUES(?1, ?2, ?3, ?4)",
    [RENEW_LRU] = "UPDATE lru SET used=?2, bytes=?3, world=?4 WHERE id=?1",
    [USE_LRU] = "UPDATE lru SET used=?2 WHERE id=?1 AND used<?3",
    [VACUUM_PAGE] = "PRAGMA incremental_vacuum(1)",
};

/* ---- Preparing and running statements ------------------------------------------------------------------ */

int store_prepare(struct store *store)
{
    int result = SQLITE_OK;

    for (int i = 0; i < STATEMENTS && result == SQLITE_OK; i++)
        result = sqlite3_prepare_v3(store->db, statement_text[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &store->statement[i], NULL);
    return result;
}

void store_finalize(struct store *store)
{
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(store->statement[i]);
        store->statement[i] = NULL;
    }
}

/* Binds the integers and runs to the end. *out: from the first row; SQLITE_EMPTY: there is none. */
static int store_step(struct store *store, enum statement which, int count, const int64_t *value,
                      int64_t *out)
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

int store_count_pages(struct store *store, uint64_t *pages, uint64_t *pages_free)
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

/* ---- Transactions and the log -------------------------------------------------------------------------- */

void store_rollback(struct store *store)
{
    if (store->db && store->statement[DO_ROLLBACK] && !sqlite3_get_autocommit(store->db))
        store_do(store, DO_ROLLBACK);
    store->rows = store->rows_committed;
    store->stored_open = 0;
    store->evicted_open = 0;
}

int store_begin(struct store *store)
{
    store_rollback(store); /* where memory was too short for that */
    return store_do(store, DO_BEGIN);
}

int store_commit(struct store *store)
{
    int result = store_do(store, DO_COMMIT);

    if (result != SQLITE_OK)
        return result;
    store->rows_committed = store->rows;
    store->stored += store->stored_open;
    store->evicted += store->evicted_open;
    store->stored_open = 0;
    store->evicted_open = 0;
    return store_count_pages(store, &store->pages, &store->pages_free);
}

/* SQLite tells after each commit how long the log is. */
static int store_on_commit(void *argument, sqlite3 *db, const char *name, int frames)
{
    struct store *const store = argument;

    (void)db;
    (void)name;
    store->frames = frames > 0 ? (uint64_t)frames : 0;
    if (store->log_frames < store->frames)
        store->log_frames = store->frames;
    return SQLITE_OK;
}

void store_watch_log(struct store *store)
{
    sqlite3_wal_hook(store->db, store_on_commit, store);
}

int store_checkpoint(struct store *store, bool cut)
{
    const bool truncate = cut || store->log_frames > store->frames_max;
    const int mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART;
    const int result = sqlite3_wal_checkpoint_v2(store->db, NULL, mode, NULL, NULL);

    if (result == SQLITE_OK)
        store->frames = 0;
    if (result == SQLITE_OK && truncate)
        store->log_frames = 0;
    return result;
}

/* An upper bound of the pages that the open transaction has changed. */
static uint64_t store_dirty_pages(const struct store *store)
{
    int bytes = 0, highest = 0;

    sqlite3_db_status(store->db, SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest, 0);
    return bytes > 0 ? (uint64_t)bytes / SQL_PAGE_BYTES : 0;
}

/* Makes room in the log for a change of so many pages, (1). May commit, and begin another transaction. */
static int store_room(struct store *store, uint64_t pages)
{
    int result;

    if (store->frames + store_dirty_pages(store) + pages <= store->frames_max)
        return SQLITE_OK;
    result = store_commit(store);
    if (result == SQLITE_OK)
        result = store_checkpoint(store, false);
    if (result == SQLITE_OK)
        result = sqlite3_db_release_memory(store->db); /* clean pages would count as well */
    if (result == SQLITE_OK)
        result = store_begin(store);
    return result;
}

int store_vacuum_page(struct store *store)
{
    const int result = store_room(store, store->step_pages);

    return result == SQLITE_OK ? store_do(store, VACUUM_PAGE) : result;
}

/* ---- Changes, all inside a transaction ----------------------------------------------------------------- */

int store_remove(struct store *store, uint64_t id)
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

int store_evict(struct store *store)
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
    store->evicted_open += result == SQLITE_OK;
    return result;
}

int store_find_world(struct store *store, uint64_t world, int64_t from, int64_t *id)
{
    return store_step(store, GET_OF_WORLD, 2, (const int64_t[]){from, (int64_t)world}, id);
}

/* Evicts until an entry of so many pages can be inserted, (3), (5); over the quota, until it takes no additional pages. */
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
int store_insert(struct store *store, const struct blob *blob)
{
    const size_t bytes = entry_bytes(blob);
    const uint64_t pages = bytes / SQL_OVERFLOW_BYTES + 1;
    const int64_t listed =
        (int64_t)(ENTRY_HEADER_BYTES + blob->bytes); /* readers take the payload's from it */
    const int64_t row[4] = {(int64_t)blob->key.low, ++store->clock, listed, (int64_t)blob->world};
    int result = store_make_room(store, pages);

    if (result == SQLITE_OK)
        result = store_room(store, pages + 2 * store->step_pages);
    if (result == SQLITE_OK)
        result = store_step(store, RENEW_LRU, 4, row, NULL);
    if (result == SQLITE_OK && sqlite3_changes(store->db) == 0) {
        result = store_step(store, INSERT_LRU, 4, row, NULL);
        store->rows += result == SQLITE_OK;
    }
    if (result == SQLITE_OK)
        result = store_do_id(store, DELETE_BLOB, blob->key.low);
    if (result == SQLITE_OK)
        result = store_insert_blob(store, blob);
    store->stored_open += result == SQLITE_OK;
    return result;
}

int store_use(struct store *store, uint64_t id)
{
    const int64_t old = store->clock - (int64_t)(store->rows / 8);
    const int64_t row[3] = {(int64_t)id, ++store->clock, old};
    int result = store_room(store, store->step_pages);

    return result == SQLITE_OK ? store_step(store, USE_LRU, 3, row, NULL) : result;
}
