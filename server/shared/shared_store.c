/*
 * One world's file.
 *
 *     world  name, value: seed, generator, recipe, epoch
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
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../base/little_endian.h"
#include "shared.h"

#define APPLICATION_ID 0x74727764 /* "trwd" */

enum {
    TEXT_MOST = 1 << 20,
    CHAIN_BYTES = 16,
    PATH_BYTES = 4200,
    STILL_BYTES = 3 * PATH_BYTES + 32,
    BUSY_MS = 10000
};

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
    char epoch[SHARED_EPOCH_BYTES + 1];
    uint64_t count;                                           /* when it was opened */
    unsigned char chain[CHAIN_BYTES], committed[CHAIN_BYTES]; /* of the last row; before the transaction */
    char path[PATH_BYTES];
};

/* ---- Words ----------------------------------------------------------------------------------------------- */

static void say(char *error, size_t error_bytes, const char *path, const char *what)
{
    text_print(error, error_bytes, "%s: %s", path, what);
}

bool shared_is_token(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
    const size_t bytes = strlen(text);
    return bytes > 0 && bytes <= SHARED_TOKEN_BYTES && strspn(text, allowed) == bytes;
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

/* false: the system gives no random bytes. */
static bool draw_epoch(char epoch[static SHARED_EPOCH_BYTES + 1])
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return false;
    snprintf(epoch, SHARED_EPOCH_BYTES + 1, "%016llx", (unsigned long long)random);
    return true;
}

static int make_tables(struct shared_store *store, const struct shared_seed *seed)
{
    char seed_text[24], generator[12], id[64];
    if (!draw_epoch(store->epoch))
        return SQLITE_ERROR;
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
    if (result == SQLITE_OK)
        result = put_fact(store, "epoch", store->epoch, SHARED_EPOCH_BYTES);
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

/* Of a file that has none: from what it was made of. */
static bool read_epoch(struct shared_store *store, const char *seed, const char *generator)
{
    char *epoch = fact_of(store, "epoch"), text[80];
    const bool has = epoch != NULL;
    const bool good = !has || (strlen(epoch) == SHARED_EPOCH_BYTES &&
                               strspn(epoch, "0123456789abcdef") == SHARED_EPOCH_BYTES);
    snprintf(text, sizeof text, "%.24s %.24s", seed, generator);
    const XXH64_hash_t hash =
        XXH3_64bits_withSeed(store->text, strlen(store->text), (XXH64_hash_t)XXH3_64bits(text, strlen(text)));
    if (has && good)
        memcpy(store->epoch, epoch, SHARED_EPOCH_BYTES + 1);
    else
        snprintf(store->epoch, sizeof store->epoch, "%016llx", (unsigned long long)hash);
    free(epoch);
    return good;
}

static bool read_facts(struct shared_store *store)
{
    char *seed = fact_of(store, "seed"), *generator = fact_of(store, "generator");
    int64_t number = 0;
    store->text = fact_of(store, "recipe");
    const bool good = seed && generator && store->text && text_seed(seed, &store->seed.seed) &&
                      text_integer(generator, &number) && number > 0 && number < 1000000 &&
                      read_epoch(store, seed, generator);
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
    memset(store->chain, 0, CHAIN_BYTES);
    store->count = 0;
    const bool row = step == SQLITE_ROW && sqlite3_column_bytes(ask, 0) == CHAIN_BYTES;
    if (row) {
        memcpy(store->chain, sqlite3_column_blob(ask, 0), CHAIN_BYTES);
        store->count = (uint64_t)sqlite3_column_int64(ask, 1);
    }
    good = row || step == SQLITE_DONE;
    sqlite3_finalize(ask);
    return good;
}

/* Of a file that nobody writes to, as on a disk that is mounted for reading: a URI that says so. */
static void still_name(const char *path, char name[static STILL_BYTES])
{
    static const char digit[] = "0123456789abcdef", behind[] = "?immutable=1";
    const char *before = *path == '/' ? "file://" : "file:";
    size_t n = strlen(before);
    memcpy(name, before, n);
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        const bool plain = c != '%' && c != '?' && c != '#';
        const char coded[3] = {plain ? (char)c : '%', digit[c / 16], digit[c % 16]};
        memcpy(name + n, coded, sizeof coded);
        n += plain ? 1 : sizeof coded;
    }
    memcpy(name + n, behind, sizeof behind);
}

/* Whether nothing is beside the file that it is to be read with. */
static bool is_alone(const struct shared_store *store)
{
    char wal[PATH_BYTES + 8];
    struct stat status;
    snprintf(wal, sizeof wal, "%s-wal", store->path);
    return stat(wal, &status) != 0 ? errno == ENOENT : status.st_size == 0;
}

/* Why something could not be read, as SQLite says it; where it says nothing, what is there is not what was written. */
static int fault_of(const struct shared_store *store)
{
    const int result = sqlite3_errcode(store->db) & 0xff;
    return result == SQLITE_CANTOPEN || result == SQLITE_READONLY || result == SQLITE_IOERR ||
                   result == SQLITE_NOMEM || result == SQLITE_BUSY
               ? result
               : SQLITE_CORRUPT;
}

static int connect_as(struct shared_store *store, bool write, bool still)
{
    /* One thread at a time has a store: a lock for each column that is read would take a third of the time. */
    const int flags = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX;
    char name[STILL_BYTES];
    still_name(store->path, name);
    int result = sqlite3_open_v2(still ? name : store->path, &store->db,
                                 still ? flags | SQLITE_OPEN_URI : flags, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_busy_timeout(store->db, BUSY_MS);
    if (result == SQLITE_OK)
        result = run(store, "PRAGMA trusted_schema=OFF");
    if (result == SQLITE_OK && write)
        result = run(store, "PRAGMA synchronous=FULL");
    if (result != SQLITE_OK || (is_ours(store) && read_chain(store)))
        return result;
    return fault_of(store);
}

static int connect(struct shared_store *store, bool write)
{
    const int result = connect_as(store, write, false);
    if (write || (result != SQLITE_CANTOPEN && result != SQLITE_READONLY) || access(store->path, R_OK) != 0 ||
        !is_alone(store))
        return result;
    sqlite3_close(store->db);
    store->db = NULL;
    return connect_as(store, false, true);
}

static int prepare(struct shared_store *store)
{
    const int result = sqlite3_prepare_v2(store->db, insert, -1, &store->put, NULL);
    return result == SQLITE_OK
               ? sqlite3_prepare_v2(store->db, "SELECT seq FROM edit WHERE by = ?1 AND token = ?2", -1,
                                    &store->token, NULL)
               : result;
}

static void disconnect(struct shared_store *store)
{
    sqlite3_finalize(store->put);
    sqlite3_finalize(store->token);
    sqlite3_close(store->db);
    store->put = store->token = NULL;
    store->db = NULL;
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
    int result = named ? connect(store, write) : SQLITE_ERROR;
    if (result == SQLITE_OK && !read_facts(store))
        result = fault_of(store);
    if (result == SQLITE_OK && write)
        result = prepare(store);
    if (result == SQLITE_OK)
        return store;
    if (result == SQLITE_CORRUPT)
        say(error, error_bytes, store->path, "is damaged, or no shared world");
    else if (named)
        refuse_sql(store, error, error_bytes);
    shared_store_close(store);
    return NULL;
}

/*
 * What a write that failed has left in the log of the file is found by who opens it anew. It may be in the system's memory alone, and
 * a later sync would not say so: so all is moved into the file itself, whose pages are written afresh, and the log begins anew.
 */
int shared_store_again(struct shared_store *store, char *error, size_t error_bytes)
{
    int left = -1, moved = -1;
    disconnect(store);
    int result = connect(store, true);
    if (result == SQLITE_OK)
        result = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &left, &moved);
    if (result == SQLITE_OK && left != 0) /* somebody reads it still */
        result = SQLITE_BUSY;
    if (result == SQLITE_OK)
        result = prepare(store);
    if (result == SQLITE_OK)
        return 0;
    if (result == SQLITE_CORRUPT)
        say(error, error_bytes, store->path, "is damaged, or no shared world");
    else
        refuse_sql(store, error, error_bytes);
    return -1;
}

void shared_store_close(struct shared_store *store)
{
    if (!store)
        return;
    disconnect(store);
    free(store->text);
    free(store);
}

const char *shared_store_epoch(const struct shared_store *store)
{
    return store->epoch;
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
    if (store->db && !sqlite3_get_autocommit(store->db))
        run(store, "ROLLBACK");
}

/* SQLite calls a disk full where the system says ENOSPC alone. */
bool shared_store_is_full(const struct shared_store *store, int result)
{
    sqlite3_file *log = NULL;
    int why = 0;
    if ((result & 0xff) != SQLITE_IOERR || !store->db)
        return (result & 0xff) == SQLITE_FULL;
    return sqlite3_file_control(store->db, NULL, SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log &&
           log->pMethods && log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &why) == SQLITE_OK &&
           (why == EFBIG || why == EDQUOT);
}
