/*
 * The database: opening, schema and checks for every connection.
 *
 *     blob  id = the low 64 bits of the key, entry = the bytes of blob.c
 *     lru   id = the same, used = when that was, on a clock that ticks once a use, bytes = of the entry,
 *           world = the blob's
 *
 * There are two tables, because SQLite rewrites a row as a whole: noting a use in the row of the blob would
 * write the blob. lru holds some 450 entries a page. The index lru_used is the order of eviction. There is no
 * index of worlds: a purge reads lru once, and a store need not change a third tree.
 *
 * Pages of 16 KiB make a tile of 100 KB a chain of seven. auto_vacuum=INCREMENTAL keeps a map of page pointers
 * (one page in 3277), so the file can be shortened when the quota is lowered; its cost on put and get is not
 * measurable.
 *
 * The file is treated as hostile. It may have been made by anybody and damaged by anything:
 *
 *  (1) It must be exactly the database that sql_create makes: application_id, user_version, page size,
 *      auto_vacuum, and the text of every row of sqlite_schema. So there are no triggers, views, virtual
 *      tables, expressions or functions to run in it.
 *  (2) No function with side effects may be called from a schema (trusted_schema), cells are checked
 *      when a page is read (cell_size_check), and nothing is mapped: a truncated file is an error, never a
 *      SIGBUS. That goes for the log's index, too: SQL_VFS holds the database for this process alone, and has
 *      the index in its memory, where all of its connections find it. Other programs find the database locked.
 *  (3) No value is longer than an entry may be, no statement longer than ours are, nothing can be
 *      attached.
 *  (4) Entries are trusted only if their checksum is right.
 *
 * secure_delete is off: Debian's SQLite has it on, and would write zeros over every page that eviction frees.
 */
#include "disk_parts.h"

#include <errno.h>
#include <string.h>

#define SQL_APPLICATION_ID 0x7465726e /* "tern" */
#define SQL_USER_VERSION   (2 * 1000 + ENTRY_VERSION)
#define SQL_BUSY_MS        2000
#define SQL_VFS            "unix-excl" /* SQLite's own */

#define SQL_BLOB           "CREATE TABLE blob(id INTEGER PRIMARY KEY, entry BLOB NOT NULL)"
#define SQL_LRU                                                                                \
    "CREATE TABLE lru(id INTEGER PRIMARY KEY, used INTEGER NOT NULL, bytes INTEGER NOT NULL, " \
    "world INTEGER NOT NULL)"
#define SQL_INDEX "CREATE INDEX lru_used ON lru(used)"

static const struct {
    const char *type, *name, *table, *sql;
} sql_schema[] = {
    {"table", "blob", "blob", SQL_BLOB},
    {"table", "lru", "lru", SQL_LRU},
    {"index", "lru_used", "lru", SQL_INDEX},
};

enum { SQL_SCHEMA_ROWS = sizeof sql_schema / sizeof sql_schema[0] };

static const struct {
    int what, value;
} sql_limits[] = {
    {SQLITE_LIMIT_LENGTH, (int)(ENTRY_HEADER_MAX + ENTRY_PAYLOAD_MAX + 256)}, /* of a row as well */
    {SQLITE_LIMIT_SQL_LENGTH, 1000},
    {SQLITE_LIMIT_COLUMN, 16},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

static const struct {
    int what, value;
} sql_switches[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    {SQLITE_DBCONFIG_DQS_DDL, 0},        {SQLITE_DBCONFIG_DQS_DML, 0},
};

static const char *const sql_pragmas[] = {
    "PRAGMA cell_size_check=ON",   "PRAGMA mmap_size=0",       "PRAGMA temp_store=MEMORY",
    "PRAGMA synchronous=NORMAL",   "PRAGMA secure_delete=OFF", "PRAGMA cache_spill=OFF",
    "PRAGMA wal_autocheckpoint=0",
};

/* Limits and switches before the file is looked at for the first time (some pragmas read its header). */
static int sql_configure(sqlite3 *db, int cache_pages)
{
    int result = sqlite3_extended_result_codes(db, 1);

    for (size_t i = 0; i < sizeof sql_limits / sizeof sql_limits[0]; i++)
        sqlite3_limit(db, sql_limits[i].what, sql_limits[i].value);
    for (size_t i = 0; i < sizeof sql_switches / sizeof sql_switches[0] && result == SQLITE_OK; i++)
        result = sqlite3_db_config(db, sql_switches[i].what, sql_switches[i].value, (int *)NULL);
    for (size_t i = 0; i < sizeof sql_pragmas / sizeof sql_pragmas[0] && result == SQLITE_OK; i++)
        result = sql_run(db, "%s", sql_pragmas[i]);
    if (result == SQLITE_OK)
        result = sql_run(db, "PRAGMA cache_size=%d", cache_pages);
    return result;
}

void disk_take_plain_names(void)
{
    sqlite3_config(SQLITE_CONFIG_URI, 0);
}

int sql_open(const char *path, bool writes, int cache_pages, sqlite3 **out)
{
    const int mode = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    sqlite3 *db = NULL;
    int saved_errno,
        result = sqlite3_open_v2(path, &db, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, SQL_VFS);

    *out = NULL;
    if (result == SQLITE_OK && writes && sqlite3_db_readonly(db, "main") != 0)
        result = SQLITE_READONLY; /* the file; later on it would be the file's header that says so */
    if (result == SQLITE_OK)
        result = sqlite3_busy_timeout(db, writes ? SQL_BUSY_MS : 0);
    if (result == SQLITE_OK)
        result = sql_configure(db, cache_pages);
    if (result == SQLITE_OK) {
        *out = db;
        return SQLITE_OK;
    }
    saved_errno = db ? sqlite3_system_errno(db) : 0;
    sqlite3_close(db);
    errno = saved_errno;
    return result;
}

void sql_close(sqlite3 *db, bool abandon)
{
    if (abandon && db)
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
    sqlite3_close_v2(db);
}

int sql_run(sqlite3 *db, const char *format, ...)
{
    va_list arguments;
    char *text;
    int result;

    va_start(arguments, format);
    text = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!text)
        return SQLITE_NOMEM;
    result = sqlite3_exec(db, text, NULL, NULL, NULL);
    sqlite3_free(text);
    return result;
}

int sql_number(sqlite3 *db, const char *statement, int64_t *out)
{
    sqlite3_stmt *prepared = NULL;
    int result = sqlite3_prepare_v2(db, statement, -1, &prepared, NULL);

    if (result != SQLITE_OK)
        return result;
    result = sqlite3_step(prepared);
    if (result == SQLITE_ROW)
        *out = sqlite3_column_int64(prepared, 0);
    sqlite3_finalize(prepared);
    return result == SQLITE_ROW ? SQLITE_OK : result == SQLITE_DONE ? SQLITE_EMPTY : result;
}

/*
 * In one transaction with a rollback journal, which leaves an empty file when it is cut short; the log comes
 * after. auto_vacuum writes the first page: outside of the transaction it would be one of its own.
 */
int sql_create(sqlite3 *db)
{
    int result = sql_run(db, "PRAGMA page_size=%d", SQL_PAGE_BYTES);

    if (result == SQLITE_OK)
        result = sql_run(db, "BEGIN");
    if (result == SQLITE_OK)
        result = sql_run(db, "PRAGMA auto_vacuum=INCREMENTAL");
    for (int i = 0; i < SQL_SCHEMA_ROWS && result == SQLITE_OK; i++)
        result = sql_run(db, "%s", sql_schema[i].sql);
    if (result == SQLITE_OK)
        result = sql_run(db, "PRAGMA application_id=%d", SQL_APPLICATION_ID);
    if (result == SQLITE_OK)
        result = sql_run(db, "PRAGMA user_version=%d", SQL_USER_VERSION);
    if (result == SQLITE_OK)
        result = sql_run(db, "COMMIT");
    if (result != SQLITE_OK && !sqlite3_get_autocommit(db))
        sql_run(db, "ROLLBACK");
    return result;
}

static bool text_is(sqlite3_stmt *row, int column, const char *expected)
{
    const unsigned char *const text = sqlite3_column_text(row, column);

    return text && strcmp((const char *)text, expected) == 0;
}

static int sql_check_schema(sqlite3 *db, const char **what)
{
    static const char query[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid";
    sqlite3_stmt *row = NULL;
    int result = sqlite3_prepare_v2(db, query, -1, &row, NULL);
    int rows = 0;

    if (result != SQLITE_OK)
        return result;
    while ((result = sqlite3_step(row)) == SQLITE_ROW) {
        if (rows == SQL_SCHEMA_ROWS || !text_is(row, 0, sql_schema[rows].type) ||
            !text_is(row, 1, sql_schema[rows].name) || !text_is(row, 2, sql_schema[rows].table) ||
            !text_is(row, 3, sql_schema[rows].sql))
            break;
        rows++;
    }
    sqlite3_finalize(row);
    if (result != SQLITE_DONE && result != SQLITE_ROW)
        return result;
    if (result == SQLITE_DONE && rows == SQL_SCHEMA_ROWS)
        return SQLITE_OK;
    *what = "its tables are not those of terrane";
    return SQLITE_CORRUPT;
}

int sql_check(sqlite3 *db, const char **what)
{
    static const struct {
        const char *query;
        int64_t expected;
        const char *what;
    } facts[] = {
        {"PRAGMA application_id", SQL_APPLICATION_ID, "it belongs to another program"},
        {"PRAGMA user_version", SQL_USER_VERSION, "it was made by another version of terrane"},
        {"PRAGMA page_size", SQL_PAGE_BYTES, "its pages are not as terrane makes them"},
        {"PRAGMA auto_vacuum", 2, "its pages are not as terrane makes them"},
    };

    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        int64_t value = 0;
        const int result = sql_number(db, facts[i].query, &value);

        if (result != SQLITE_OK)
            return result;
        if (value != facts[i].expected) {
            *what = facts[i].what;
            return SQLITE_CORRUPT;
        }
    }
    if (sqlite3_db_readonly(db, "main") != 0) {
        *what = "its header says that it may not be written"; /* the file could be opened for writing */
        return SQLITE_CORRUPT;
    }
    return sql_check_schema(db, what);
}

int sql_enter_wal(sqlite3 *db)
{
    sqlite3_stmt *row = NULL;
    int result = sqlite3_prepare_v2(db, "PRAGMA journal_mode=WAL", -1, &row, NULL);

    if (result != SQLITE_OK)
        return result;
    result = sqlite3_step(row);
    if (result == SQLITE_ROW)
        result = text_is(row, 0, "wal") ? SQLITE_OK : SQLITE_CANTOPEN;
    sqlite3_finalize(row);
    return result;
}

const char *sql_words(int result)
{
    switch (result & 0xff) {
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "it may not be written";
    case SQLITE_CANTOPEN:
        return "its files cannot be opened";
    case SQLITE_IOERR:
        return "the disk gives an error";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return "another program keeps the database busy";
    case SQLITE_NOMEM:
        return "memory is short";
    default:
        return sqlite3_errstr(result);
    }
}

bool sql_is_damage(int result)
{
    switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_ERROR: /* our statements are always the same: the tables are wrong */
        return true;
    default:
        return false;
    }
}
