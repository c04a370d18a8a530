/*
 * One world's file.
 *
 *     world  name, value: format, seed, generator, recipe
 *     edit   seq and the operation's numbers; who, when, token, note; chain: a digest of the row and of the chain before it
 *
 *  (1) Rows are only added, and numbered without gaps from 1 on.
 *  (2) A file that is there is treated as hostile: its schema has to be ours to the letter, lengths are bounded, and every row is
 *      held against its chain before a world is served.
 *  (3) WAL and synchronous=FULL: a commit that has returned is on the disk.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../base/little_endian.h"
#include "shared.h"

#define APPLICATION_ID 0x74727764 /* "trwd" */

enum { TEXT_MOST = 1 << 20, CHAIN_BYTES = 16, PATH_BYTES = 4200, BUSY_MS = 10000 };

static const char *const schema[] = {
    "CREATE TABLE world (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "CREATE TABLE edit (seq INTEGER PRIMARY KEY, brush INTEGER, x INTEGER, y INTEGER, inner INTEGER, "
    "outer INTEGER, strength INTEGER, height INTEGER, term INTEGER, undoes INTEGER, by TEXT, at INTEGER, "
    "token TEXT, note TEXT, chain BLOB)",
    "CREATE UNIQUE INDEX edit_token ON edit (by, token) WHERE token IS NOT NULL",
    "CREATE INDEX edit_mark ON edit (seq) WHERE brush = 7",
};

#define COLUMNS                                                                                          \
    "SELECT seq, brush, x, y, inner, outer, strength, height, term, undoes, by, at, token, note, chain " \
    "FROM edit WHERE "
static const char edits[] = COLUMNS "seq > ?1 ORDER BY seq LIMIT ?2";
static const char marks[] = COLUMNS "brush = 7 AND seq > ?1 ORDER BY seq LIMIT ?2";
_Static_assert(TERRANE_BRUSH_MARK == 7, "as the schema has it");
static const char insert[] =
    "INSERT INTO edit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
enum { NUMBERS = 10, BY = 10, AT, TOKEN, NOTE, CHAIN };

struct shared_store {
    sqlite3 *db;
    sqlite3_stmt *put, *token;
    struct shared_seed seed;
    char *text;
    uint64_t count;                                           /* when it was opened */
    unsigned char chain[CHAIN_BYTES], committed[CHAIN_BYTES]; /* of the last row; before the transaction */
    char path[PATH_BYTES];
};

/* ---- Words ----------------------------------------------------------------------------------------------- */

static void say(char *error, size_t error_bytes, const char *path, const char *what)
{
    text_print(error, error_bytes, "%s: %s", path, what);
}

static int refuse_sql(const struct shared_store *store, char *error, size_t error_bytes)
{
    const int code = store->db ? sqlite3_errcode(store->db) & 0xff : SQLITE_NOMEM;
    const bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    say(error, error_bytes, store->path,
        damaged     ? "is damaged, or no shared world"
        : store->db ? sqlite3_errmsg(store->db)
                    : "out of memory");
    return -1;
}

static bool path_of(const char *dir, const char *name, char path[static PATH_BYTES], char *error,
                    size_t error_bytes)
{
    char shown[TEXT_SHOWN_BYTES];
    if (!text_name(name)) {
        text_show(shown, sizeof shown, name);
        text_print(error, error_bytes, "%s is no name: allowed [A-Za-z][A-Za-z0-9_-]{0,63}", shown);
        return false;
    }
    if (snprintf(path, PATH_BYTES, "%s/%s.world", dir, name) < PATH_BYTES)
        return true;
    text_print(error, error_bytes, "%s: the path is too long", name);
    return false;
}

/* ---- The chain ------------------------------------------------------------------------------------------- */

static unsigned char *put_text(unsigned char *at, const char *text)
{
    const size_t bytes = strlen(text);
    at = put_le(at, bytes, 4);
    memcpy(at, text, bytes);
    return at + bytes;
}

static void numbers_of(const struct shared_edit *edit, int64_t number[static NUMBERS])
{
    const struct terrane_edit *one = &edit->entry.edit;
    const int64_t all[NUMBERS] = {(int64_t)edit->number,
                                  (int64_t)one->brush,
                                  one->x,
                                  one->y,
                                  one->inner,
                                  one->outer,
                                  one->strength,
                                  one->height,
                                  one->term,
                                  (int64_t)edit->entry.undoes};
    memcpy(number, all, sizeof all);
}

/* From the chain before a row to the one behind it. */
static void chain_on(unsigned char chain[static CHAIN_BYTES], const struct shared_edit *edit)
{
    unsigned char text[CHAIN_BYTES + (NUMBERS + 1) * 8 + 3 * 4 + SHARED_BY_BYTES + SHARED_TOKEN_BYTES +
                       SHARED_NOTE_BYTES];
    unsigned char *at = text + CHAIN_BYTES;
    int64_t number[NUMBERS];
    memcpy(text, chain, CHAIN_BYTES);
    numbers_of(edit, number);
    for (int k = 0; k < NUMBERS; k++)
        at = put_le(at, (uint64_t)number[k], 8);
    at = put_le(at, (uint64_t)edit->at_ms, 8);
    at = put_text(put_text(put_text(at, edit->by), edit->token), edit->note);
    const XXH128_hash_t hash = XXH3_128bits(text, (size_t)(at - text));
    put_le(put_le(chain, hash.low64, 8), hash.high64, 8);
}

/* ---- Making ---------------------------------------------------------------------------------------------- */

static int run(struct shared_store *store, const char *statement)
{
    return sqlite3_exec(store->db, statement, NULL, NULL, NULL);
}

static int put_fact(struct shared_store *store, const char *name, const char *value, size_t bytes)
{
    sqlite3_stmt *put = NULL;
    int result = sqlite3_prepare_v2(store->db, "INSERT INTO world VALUES (?1, ?2)", -1, &put, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(put, 1, name, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(put, 2, value, (int)bytes, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(put) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    sqlite3_finalize(put);
    return result;
}

static int make_tables(struct shared_store *store, const struct shared_seed *seed)
{
    char seed_text[24], generator[12], id[64];
    snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed->seed);
    snprintf(generator, sizeof generator, "%d", seed->generator);
    snprintf(id, sizeof id, "PRAGMA application_id=%d", APPLICATION_ID);
    int result = run(store, "PRAGMA journal_mode=WAL");
    if (result == SQLITE_OK)
        result = run(store, "PRAGMA synchronous=FULL");
    if (result == SQLITE_OK)
        result = run(store, "BEGIN IMMEDIATE");
    if (result == SQLITE_OK)
        result = run(store, id);
    for (size_t k = 0; k < sizeof schema / sizeof *schema && result == SQLITE_OK; k++)
        result = run(store, schema[k]);
    if (result == SQLITE_OK)
        result = put_fact(store, "seed", seed_text, strlen(seed_text));
    if (result == SQLITE_OK)
        result = put_fact(store, "generator", generator, strlen(generator));
    if (result == SQLITE_OK)
        result = put_fact(store, "recipe", seed->text, seed->bytes);
    return result == SQLITE_OK ? run(store, "COMMIT") : result;
}

int shared_create(const char *dir, const char *name, const struct shared_seed *seed, char *error,
                  size_t error_bytes)
{
    struct shared_store store = {.db = NULL};
    struct stat status;
    if (!path_of(dir, name, store.path, error, error_bytes))
        return -1;
    if (stat(store.path, &status) == 0) {
        say(error, error_bytes, store.path, "is there already");
        return -1;
    }
    int result = sqlite3_open_v2(store.path, &store.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (result == SQLITE_OK)
        result = make_tables(&store, seed);
    if (result != SQLITE_OK)
        refuse_sql(&store, error, error_bytes);
    sqlite3_close(store.db);
    if (result != SQLITE_OK)
        unlink(store.path);
    return result == SQLITE_OK ? 0 : -1;
}

void shared_remove(const char *dir, const char *name)
{
    static const char *const more[] = {"", "-wal", "-shm"};
    char path[PATH_BYTES], whole[PATH_BYTES + 8], error[SHARED_ERROR_BYTES];
    for (size_t k = 0; k < sizeof more / sizeof *more && path_of(dir, name, path, error, sizeof error); k++) {
        snprintf(whole, sizeof whole, "%s%s", path, more[k]);
        unlink(whole);
    }
}

/* ---- Opening --------------------------------------------------------------------------------------------- */

static bool is_ours(struct shared_store *store)
{
    sqlite3_stmt *ask = NULL;
    size_t rows = 0;
    bool ours =
        sqlite3_prepare_v2(store->db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
                           -1, &ask, NULL) == SQLITE_OK;
    while (ours && sqlite3_step(ask) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(ask, 0);
        ours = sql && rows < sizeof schema / sizeof *schema && strcmp(sql, schema[rows]) == 0;
        rows++;
    }
    sqlite3_finalize(ask);
    return ours && rows == sizeof schema / sizeof *schema;
}

/* Owned; NULL: there is none such. */
static char *fact_of(struct shared_store *store, const char *name)
{
    sqlite3_stmt *ask = NULL;
    char *value = NULL;
    if (sqlite3_prepare_v2(store->db, "SELECT value FROM world WHERE name = ?1", -1, &ask, NULL) ==
            SQLITE_OK &&
        sqlite3_bind_text(ask, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(ask) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(ask, 0);
        value = text && sqlite3_column_bytes(ask, 0) <= TEXT_MOST ? strdup(text) : NULL;
    }
    sqlite3_finalize(ask);
    return value;
}

static bool read_facts(struct shared_store *store)
{
    char *seed = fact_of(store, "seed"), *generator = fact_of(store, "generator");
    int64_t number = 0;
    store->text = fact_of(store, "recipe");
    const bool good = seed && generator && store->text && text_seed(seed, &store->seed.seed) &&
                      text_integer(generator, &number) && number > 0 && number < 1000000;
    if (good) {
        store->seed.generator = (int)number;
        store->seed.text = store->text;
        store->seed.bytes = strlen(store->text);
    }
    free(seed);
    free(generator);
    return good;
}

/* The chain of the last row, on which the next one goes on. */
static bool read_chain(struct shared_store *store)
{
    sqlite3_stmt *ask = NULL;
    bool good = sqlite3_prepare_v2(store->db, "SELECT chain, seq FROM edit ORDER BY seq DESC LIMIT 1", -1,
                                   &ask, NULL) == SQLITE_OK;
    const int step = good ? sqlite3_step(ask) : SQLITE_ERROR;
    const bool row = step == SQLITE_ROW && sqlite3_column_bytes(ask, 0) == CHAIN_BYTES;
    if (row) {
        memcpy(store->chain, sqlite3_column_blob(ask, 0), CHAIN_BYTES);
        store->count = (uint64_t)sqlite3_column_int64(ask, 1);
    }
    good = row || step == SQLITE_DONE;
    sqlite3_finalize(ask);
    return good;
}

static int open_store(struct shared_store *store, bool write)
{
    /* One thread at a time has a store: a lock for each column that is read would take a third of the time. */
    const int flags = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
    int result = sqlite3_open_v2(store->path, &store->db, flags, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_busy_timeout(store->db, BUSY_MS);
    if (result == SQLITE_OK)
        result = run(store, "PRAGMA trusted_schema=OFF");
    if (result == SQLITE_OK && write)
        result = run(store, "PRAGMA synchronous=FULL");
    if (result != SQLITE_OK || (is_ours(store) && read_facts(store) && read_chain(store)))
        return result;
    return SQLITE_CORRUPT;
}

struct shared_store *shared_store_open(const char *dir, const char *name, bool write, char *error,
                                       size_t error_bytes)
{
    struct shared_store *store = calloc(1, sizeof *store);
    if (!store) {
        text_print(error, error_bytes, "out of memory");
        return NULL;
    }
    const bool named = path_of(dir, name, store->path, error, error_bytes);
    int result = named ? open_store(store, write) : SQLITE_ERROR;
    if (result == SQLITE_CORRUPT)
        say(error, error_bytes, store->path, "is damaged, or no shared world");
    else if (result != SQLITE_OK && named)
        refuse_sql(store, error, error_bytes);
    if (result == SQLITE_OK && write) {
        result = sqlite3_prepare_v2(store->db, insert, -1, &store->put, NULL);
        if (result == SQLITE_OK)
            result = sqlite3_prepare_v2(store->db, "SELECT seq FROM edit WHERE by = ?1 AND token = ?2", -1,
                                        &store->token, NULL);
        if (result != SQLITE_OK)
            refuse_sql(store, error, error_bytes);
    }
    if (result == SQLITE_OK)
        return store;
    shared_store_close(store);
    return NULL;
}

void shared_store_close(struct shared_store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->put);
    sqlite3_finalize(store->token);
    sqlite3_close(store->db);
    free(store->text);
    free(store);
}

const struct shared_seed *shared_store_seed(const struct shared_store *store)
{
    return &store->seed;
}

uint64_t shared_store_count(const struct shared_store *store)
{
    return store->count;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* As bytes, which SQLite does not copy. false: it is longer than it may be. */
static bool text_column(sqlite3_stmt *ask, int column, char *out, size_t out_bytes)
{
    const void *text = sqlite3_column_blob(ask, column);
    const size_t bytes = text ? (size_t)sqlite3_column_bytes(ask, column) : 0;
    if (bytes >= out_bytes || (bytes > 0 && memchr(text, 0, bytes)))
        return false;
    if (bytes > 0)
        memcpy(out, text, bytes);
    out[bytes] = 0;
    return true;
}

static bool fits_int32(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

static bool read_row(sqlite3_stmt *ask, struct shared_edit *edit)
{
    int64_t number[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        number[k] = sqlite3_column_int64(ask, k);
    bool good = number[0] > 0 && number[1] >= 0 && number[1] < TERRANE_BRUSHES && number[9] >= 0 &&
                number[9] < number[0];
    for (int k = 4; k < NUMBERS - 1; k++)
        good = good && fits_int32(number[k]);
    if (!good)
        return false;
    edit->number = (uint64_t)number[0];
    edit->entry = (struct edit_entry){.edit = {.x = number[2],
                                               .y = number[3],
                                               .brush = (enum terrane_brush)number[1],
                                               .inner = (int32_t)number[4],
                                               .outer = (int32_t)number[5],
                                               .strength = (int32_t)number[6],
                                               .height = (int32_t)number[7],
                                               .term = (int32_t)number[8]},
                                      .undoes = (uint64_t)number[9]};
    edit->at_ms = sqlite3_column_int64(ask, AT);
    return text_column(ask, BY, edit->by, sizeof edit->by) &&
           text_column(ask, TOKEN, edit->token, sizeof edit->token) &&
           text_column(ask, NOTE, edit->note, sizeof edit->note) &&
           sqlite3_column_bytes(ask, CHAIN) == CHAIN_BYTES;
}

static int64_t refuse_row(const struct shared_store *store, uint64_t number, char *error, size_t error_bytes)
{
    text_print(error, error_bytes, "%s: operation %llu is damaged", store->path, (unsigned long long)number);
    return -1;
}

/* Rows of a question; what is read. */
struct rows {
    const char *ask;
    uint64_t since;
    int64_t most;
    bool (*show)(void *context, const struct shared_edit *edit);
    void *context;
};

static bool row_is_good(const struct rows *rows, sqlite3_stmt *ask, unsigned char chain[static CHAIN_BYTES],
                        uint64_t number, struct shared_edit *edit)
{
    if (!read_row(ask, edit) || (rows->ask == edits && edit->number != number))
        return false;
    if (rows->ask != edits || rows->since != 0 || rows->most != SHARED_ALL)
        return true;
    chain_on(chain, edit);
    return memcmp(chain, sqlite3_column_blob(ask, CHAIN), CHAIN_BYTES) == 0;
}

static int64_t read_rows(struct shared_store *store, const struct rows *rows, char *error, size_t error_bytes)
{
    unsigned char chain[CHAIN_BYTES] = {0};
    struct shared_edit edit;
    sqlite3_stmt *ask = NULL;
    int64_t shown = 0;
    int step = SQLITE_ERROR;
    if (rows->since > INT64_MAX)
        return 0;
    if (sqlite3_prepare_v2(store->db, rows->ask, -1, &ask, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(ask, 1, (int64_t)rows->since) == SQLITE_OK &&
        sqlite3_bind_int64(ask, 2, rows->most) == SQLITE_OK)
        step = sqlite3_step(ask);
    for (bool goes_on = true; step == SQLITE_ROW && goes_on; shown++) {
        const uint64_t number = rows->since + (uint64_t)shown + 1;
        if (!row_is_good(rows, ask, chain, number, &edit)) {
            sqlite3_finalize(ask);
            return refuse_row(store, number, error, error_bytes);
        }
        goes_on = rows->show(rows->context, &edit);
        step = goes_on ? sqlite3_step(ask) : SQLITE_DONE;
    }
    sqlite3_finalize(ask);
    return step == SQLITE_DONE ? shown : refuse_sql(store, error, error_bytes);
}

int64_t shared_store_read(struct shared_store *store, uint64_t since, int64_t most,
                          bool (*show)(void *context, const struct shared_edit *edit), void *context,
                          char *error, size_t error_bytes)
{
    const struct rows rows = {edits, since, most, show, context};
    return read_rows(store, &rows, error, error_bytes);
}

int64_t shared_store_marks(struct shared_store *store, int64_t most,
                           bool (*show)(void *context, const struct shared_edit *edit), void *context,
                           char *error, size_t error_bytes)
{
    const struct rows rows = {marks, 0, most, show, context};
    return read_rows(store, &rows, error, error_bytes);
}

int64_t shared_store_token(struct shared_store *store, const char *by, const char *token)
{
    int64_t number = -1;
    if (sqlite3_bind_text(store->token, 1, by, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(store->token, 2, token, -1, SQLITE_STATIC) == SQLITE_OK) {
        const int step = sqlite3_step(store->token);
        number = step == SQLITE_ROW ? sqlite3_column_int64(store->token, 0) : step == SQLITE_DONE ? 0 : -1;
    }
    sqlite3_reset(store->token);
    return number;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

int shared_store_begin(struct shared_store *store)
{
    memcpy(store->committed, store->chain, CHAIN_BYTES);
    return run(store, "BEGIN IMMEDIATE");
}

int shared_store_put(struct shared_store *store, const struct shared_edit *edit)
{
    int64_t number[NUMBERS];
    int result = SQLITE_OK;
    numbers_of(edit, number);
    chain_on(store->chain, edit);
    for (int k = 0; k < NUMBERS && result == SQLITE_OK; k++)
        result = sqlite3_bind_int64(store->put, k + 1, number[k]);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(store->put, BY + 1, edit->by, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(store->put, AT + 1, edit->at_ms);
    if (result == SQLITE_OK)
        result = *edit->token ? sqlite3_bind_text(store->put, TOKEN + 1, edit->token, -1, SQLITE_STATIC)
                              : sqlite3_bind_null(store->put, TOKEN + 1);
    if (result == SQLITE_OK)
        result = *edit->note ? sqlite3_bind_text(store->put, NOTE + 1, edit->note, -1, SQLITE_STATIC)
                             : sqlite3_bind_null(store->put, NOTE + 1);
    if (result == SQLITE_OK)
        result = sqlite3_bind_blob(store->put, CHAIN + 1, store->chain, CHAIN_BYTES, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(store->put);
    sqlite3_reset(store->put);
    sqlite3_clear_bindings(store->put);
    return result == SQLITE_DONE ? SQLITE_OK : result == SQLITE_OK ? SQLITE_ERROR : result;
}

int shared_store_commit(struct shared_store *store)
{
    return run(store, "COMMIT");
}

void shared_store_rollback(struct shared_store *store)
{
    memcpy(store->chain, store->committed, CHAIN_BYTES);
    if (!sqlite3_get_autocommit(store->db))
        run(store, "ROLLBACK");
}
