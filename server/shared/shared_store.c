/*
 * One world's file.
 *
 *     world  name, value: seed, generator, recipe, epoch; head: the number of the last row, and its chain
 *     edit   seq and the operation's numbers; who, when, token, note; chain: a digest of the row and of the chain before it
 *
 *  (1) Rows are only added, and numbered without gaps from 1 on.
 *  (2) A file that is there is treated as hostile: its schema has to be ours to the letter, lengths are bounded, and every row is
 *      held against its chain before a world is served.
 *  (3) WAL and synchronous=FULL: a commit that has returned is on the disk.
 *  (4) A transaction that adds rows writes the head. So rows that are lost at the end are missed, as those in the middle are. Files from
 *      before there was one have none until then, and who does not know of it leaves rows behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "shared_store_parts.h"

#define APPLICATION_ID 0x74727764 /* "trwd" */

enum { TEXT_MAX = 1 << 20, STILL_BYTES = 3 * SHARED_PATH_BYTES + 32, BUSY_MS = 10000 };

static const char *const schema[] = {
    "CREATE TABLE world (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "CREATE TABLE edit (seq INTEGER PRIMARY KEY, brush INTEGER, x INTEGER, y INTEGER, inner INTEGER, "
    "outer INTEGER, strength INTEGER, height INTEGER, term INTEGER, undoes INTEGER, by TEXT, at INTEGER, "
    "token TEXT, note TEXT, chain BLOB)",
    "CREATE UNIQUE INDEX edit_token ON edit (by, token) WHERE token IS NOT NULL",
    "CREATE INDEX edit_mark ON edit (seq) WHERE brush = 7",
};

/* ---- Words ----------------------------------------------------------------------------------------------- */

static void say(char *error, size_t error_bytes, const char *path, const char *what)
{
    text_print(error, error_bytes, "%s: %s", path, what);
}

bool shared_is_token(const char *text)
{
    const size_t bytes = text_span(text, "._:-");
    return bytes > 0 && bytes <= SHARED_TOKEN_BYTES && text[bytes] == '\0';
}

bool shared_is_epoch(const char *text)
{
    return strlen(text) == SHARED_EPOCH_BYTES && strspn(text, "0123456789abcdef") == SHARED_EPOCH_BYTES;
}

int shared_store_refuse(const struct shared_store *store, char *error, size_t error_bytes)
{
    const int code = store->db ? sqlite3_errcode(store->db) & 0xff : SQLITE_NOMEM;
    const bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    say(error, error_bytes, store->path,
        damaged     ? "is damaged, or no shared world"
        : store->db ? sqlite3_errmsg(store->db)
                    : "out of memory");
    return -1;
}

int shared_store_run(struct shared_store *store, const char *statement)
{
    return sqlite3_exec(store->db, statement, NULL, NULL, NULL);
}

static bool path_of(const char *dir, const char *name, char path[static SHARED_PATH_BYTES], char *error,
                    size_t error_bytes)
{
    char shown[TEXT_SHOWN_BYTES];
    if (!text_name(name)) {
        text_show(shown, sizeof shown, name);
        text_print(error, error_bytes, "%s is no name: allowed [A-Za-z][A-Za-z0-9_-]{0,63}", shown);
        return false;
    }
    if (snprintf(path, SHARED_PATH_BYTES, "%s/%s.world", dir, name) < SHARED_PATH_BYTES)
        return true;
    text_print(error, error_bytes, "%s: the path is too long", name);
    return false;
}

/* ---- Making ---------------------------------------------------------------------------------------------- */

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
    if (seed->epoch)
        memcpy(store->epoch, seed->epoch, sizeof store->epoch);
    else if (!draw_epoch(store->epoch))
        return SQLITE_ERROR;
    snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed->seed);
    snprintf(generator, sizeof generator, "%d", seed->generator);
    snprintf(id, sizeof id, "PRAGMA application_id=%d", APPLICATION_ID);
    int result =
        shared_store_run(store, "PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL; BEGIN IMMEDIATE");
    if (result == SQLITE_OK)
        result = shared_store_run(store, id);
    for (size_t k = 0; k < sizeof schema / sizeof *schema && result == SQLITE_OK; k++)
        result = shared_store_run(store, schema[k]);
    if (result == SQLITE_OK)
        result = put_fact(store, "seed", seed_text, strlen(seed_text));
    if (result == SQLITE_OK)
        result = put_fact(store, "generator", generator, strlen(generator));
    if (result == SQLITE_OK)
        result = put_fact(store, "recipe", seed->text, seed->bytes);
    if (result == SQLITE_OK)
        result = put_fact(store, "epoch", store->epoch, SHARED_EPOCH_BYTES);
    /* Last, when all is in the file itself: a log beside it would not be moved with it. */
    return result == SQLITE_OK ? shared_store_run(store, "COMMIT; PRAGMA journal_mode=WAL") : result;
}

/* What SQLite has beside a file. */
static void remove_beside(const char *path)
{
    static const char *const more[] = {"-wal", "-shm", "-journal"};
    char whole[SHARED_PATH_BYTES + 12];
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        snprintf(whole, sizeof whole, "%s%s", path, more[k]);
        unlink(whole);
    }
}

static void remove_all(const char *path)
{
    unlink(path);
    remove_beside(path);
}

static bool is_free(const char *path, char *error, size_t error_bytes)
{
    struct stat status;
    if (lstat(path, &status) != 0 && errno == ENOENT)
        return true;
    say(error, error_bytes, path, "is there already");
    return false;
}

bool shared_is_alone(const char *path)
{
    char wal[SHARED_PATH_BYTES + 8];
    struct stat status;
    snprintf(wal, sizeof wal, "%s-wal", path);
    return stat(wal, &status) != 0 ? errno == ENOENT : status.st_size == 0;
}

/* Gives a file that is whole its name, which has to be free: whoever looks finds all of it or nothing. */
static int place(const char *dir, const char *from, const char *to, char *error, size_t error_bytes)
{
    if (!is_free(to, error, error_bytes))
        return -1;
    if (!shared_is_alone(from)) {
        say(error, error_bytes, to, "could not be written whole");
        return -1;
    }
    remove_beside(
        to); /* what SQLite left beside one of that name that is gone, which it would take for this one's */
    if (link(from, to) == 0)
        unlink(from);
    else if (errno == EEXIST || rename(from, to) != 0) { /* not every file system has links */
        say(error, error_bytes, to, errno == EEXIST ? "is there already" : strerror(errno));
        return -1;
    }
    const int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
    return 0;
}

int shared_create(const char *dir, const char *name, const struct shared_seed *seed, char *error,
                  size_t error_bytes)
{
    struct shared_store store = {.db = NULL};
    char path[SHARED_PATH_BYTES];
    if (!path_of(dir, name, store.path, error, error_bytes))
        return -1;
    if (snprintf(path, sizeof path, "%s", store.path) >= (int)sizeof path - 12) {
        say(error, error_bytes, name, "the path is too long");
        return -1;
    }
    if (!is_free(path, error, error_bytes))
        return -1;
    snprintf(store.path, sizeof store.path, "%.*s.new-%d", (int)sizeof path - 16, path, (int)getpid());
    remove_all(store.path); /* of one that was cut off */
    int result = sqlite3_open_v2(store.path, &store.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (result == SQLITE_OK)
        result = make_tables(&store, seed);
    if (result != SQLITE_OK)
        shared_store_refuse(&store, error, error_bytes);
    sqlite3_close(store.db);
    const bool placed = result == SQLITE_OK && place(dir, store.path, path, error, error_bytes) == 0;
    if (!placed)
        remove_all(store.path);
    return placed ? 0 : -1;
}

bool shared_is_free(const char *dir, const char *name, char *error, size_t error_bytes)
{
    char path[SHARED_PATH_BYTES];
    return path_of(dir, name, path, error, error_bytes) && is_free(path, error, error_bytes);
}

int shared_move(const char *from, const char *dir, const char *name, char *error, size_t error_bytes)
{
    char path[SHARED_PATH_BYTES], to[SHARED_PATH_BYTES];
    return path_of(from, name, path, error, error_bytes) && path_of(dir, name, to, error, error_bytes)
               ? place(dir, path, to, error, error_bytes)
               : -1;
}

void shared_remove(const char *dir, const char *name)
{
    char path[SHARED_PATH_BYTES], error[SHARED_ERROR_BYTES];
    if (path_of(dir, name, path, error, sizeof error))
        remove_all(path);
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
        value = text && sqlite3_column_bytes(ask, 0) <= TEXT_MAX ? strdup(text) : NULL;
    }
    sqlite3_finalize(ask);
    return value;
}

/* Of a file that has none: from what it was made of. */
static bool read_epoch(struct shared_store *store, const char *seed, const char *generator)
{
    char *epoch = fact_of(store, "epoch"), text[80];
    const bool has = store->has_epoch = epoch != NULL;
    const bool good = !has || shared_is_epoch(epoch);
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
    memset(store->chain, 0, SHARED_CHAIN_BYTES);
    store->count = 0;
    const bool row = step == SQLITE_ROW && sqlite3_column_bytes(ask, 0) == SHARED_CHAIN_BYTES &&
                     sqlite3_column_int64(ask, 1) > 0; /* or a negative number would be a count of 2^64 - 1 */
    if (row) {
        memcpy(store->chain, sqlite3_column_blob(ask, 0), SHARED_CHAIN_BYTES);
        store->count = (uint64_t)sqlite3_column_int64(ask, 1);
    }
    good = row || step == SQLITE_DONE;
    sqlite3_finalize(ask);
    return good;
}

void shared_store_head(uint64_t number, const unsigned char chain[static SHARED_CHAIN_BYTES],
                       char head[static SHARED_HEAD_BYTES])
{
    const int n = snprintf(head, SHARED_HEAD_BYTES, "%llu ", (unsigned long long)number);
    text_hex(head + n, chain, SHARED_CHAIN_BYTES);
}

/* Whether a head, or NULL, is of a row that is there. */
static bool has_head(struct shared_store *store, const char *head)
{
    unsigned char chain[SHARED_CHAIN_BYTES];
    char own[SHARED_HEAD_BYTES];
    const unsigned long long number = head ? strtoull(head, NULL, 10) : 0;
    if (!head)
        return true;
    if (!shared_store_chain_at(store, number, chain))
        return false;
    shared_store_head(number, chain, own);
    return strcmp(head, own) == 0;
}

/* The head is read first: others may write meanwhile. */
static bool read_end(struct shared_store *store)
{
    char *head = fact_of(store, "head");
    const bool good = read_chain(store) && has_head(store, head);
    free(head);
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
        result = shared_store_run(store, "PRAGMA trusted_schema=OFF");
    if (result == SQLITE_OK && write)
        result = shared_store_run(store, "PRAGMA synchronous=FULL");
    if (result != SQLITE_OK || (is_ours(store) && read_end(store)))
        return result;
    return fault_of(store);
}

static int connect(struct shared_store *store, bool write)
{
    const int result = connect_as(store, write, false);
    if (write || (result != SQLITE_CANTOPEN && result != SQLITE_READONLY) || access(store->path, R_OK) != 0 ||
        !shared_is_alone(store->path))
        return result;
    sqlite3_close(store->db);
    store->db = NULL;
    return connect_as(store, false, true);
}

static void disconnect(struct shared_store *store)
{
    sqlite3_finalize(store->put);
    sqlite3_finalize(store->token);
    sqlite3_finalize(store->head);
    sqlite3_close(store->db);
    store->put = store->token = store->head = NULL;
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
        result = shared_store_prepare(store);
    if (result == SQLITE_OK)
        return store;
    if (result == SQLITE_CORRUPT)
        say(error, error_bytes, store->path, "is damaged, or no shared world");
    else if (named)
        shared_store_refuse(store, error, error_bytes);
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
    char *epoch = result == SQLITE_OK ? fact_of(store, "epoch") : NULL;
    const bool other = result == SQLITE_OK && (epoch ? strcmp(epoch, store->epoch) != 0 : store->has_epoch);
    free(epoch);
    if (other) {
        disconnect(store);
        say(error, error_bytes, store->path, "was replaced while it was served");
        return -1;
    }
    if (result == SQLITE_OK)
        result = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &left, &moved);
    if (result == SQLITE_OK && left != 0) /* somebody reads it still */
        result = SQLITE_BUSY;
    if (result == SQLITE_OK)
        result = shared_store_prepare(store);
    if (result == SQLITE_OK)
        return 0;
    if (result == SQLITE_CORRUPT)
        say(error, error_bytes, store->path, "is damaged, or no shared world");
    else
        shared_store_refuse(store, error, error_bytes);
    return -1;
}

int shared_store_settle(struct shared_store *store)
{
    int left = -1, moved = -1;
    return sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &left, &moved) ==
                       SQLITE_OK &&
                   left == 0
               ? 0
               : -1;
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

const unsigned char *shared_store_chain(const struct shared_store *store)
{
    return store->chain;
}

bool shared_store_chain_at(struct shared_store *store, uint64_t number,
                           unsigned char chain[static SHARED_CHAIN_BYTES])
{
    sqlite3_stmt *ask = NULL;
    memset(chain, 0, SHARED_CHAIN_BYTES);
    if (number == 0)
        return true;
    const bool good =
        sqlite3_prepare_v2(store->db, "SELECT chain FROM edit WHERE seq = ?1", -1, &ask, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(ask, 1, (sqlite3_int64)number) == SQLITE_OK && sqlite3_step(ask) == SQLITE_ROW &&
        sqlite3_column_bytes(ask, 0) == SHARED_CHAIN_BYTES;
    if (good)
        memcpy(chain, sqlite3_column_blob(ask, 0), SHARED_CHAIN_BYTES);
    sqlite3_finalize(ask);
    return good;
}

uint64_t shared_store_count(const struct shared_store *store)
{
    return store->count;
}
