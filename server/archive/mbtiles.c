/*
 * MBTiles by SQLite.
 *
 *     metadata  name, value: what mbtiles_open was given; HASH_ROW once all tiles are there
 *     tiles     zoom_level, tile_column, tile_row (TMS: from the south), tile_data; rowid is hilbert_id, so that
 *               the table lies in the order in which archives of tiles are best written and read, and a tile is
 *               found without the index
 *
 *  (1) Both tables and their rows are made in one transaction: a file that has a schema has all of it.
 *  (2) The file is held exclusively from the first look on: a second process is told so.
 *  (3) An existing file is treated as hostile: application_id and the text of the schema have to be exactly ours,
 *      so nothing in it can run; lengths are bounded; rowids are checked against the columns when they are read.
 *
 * It uses a rollback journal, since an archive in WAL mode could not be read from a read-only medium.
 */
#include "mbtiles.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/check.h"
#include "../base/text.h"

#define APPLICATION_ID 0x4d504258         /* "MPBX" */
#define HASH_ROW       "'agg_tiles_hash'" /* as Martin's tools, which look for it, call it */

enum { PAGE_BYTES = 16384, CACHE_KB = 16384, TILE_BYTES_MAX = 1 << 30 };

static const char *const schema[] = {
    "CREATE TABLE metadata (name text, value text)",
    "CREATE UNIQUE INDEX name ON metadata (name)",
    "CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob)",
    "CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row)",
};

enum { SCHEMA_ROWS = sizeof schema / sizeof *schema };

struct mbtiles {
    sqlite3 *db;
    sqlite3_stmt *has, *put;
    bool ours;     /* it was opened, and is what it has to be */
    bool changing; /* a transaction is open */
    char *path;
    char error[MBTILES_ERROR_BYTES];
};

/* ---- Words --------------------------------------------------------------------------------------------- */

static int fail(struct mbtiles *archive, const char *what)
{
    text_print(archive->error, sizeof archive->error, "%s: %s", archive->path, what);
    return -1;
}

static int fail_sql(struct mbtiles *archive, int result)
{
    const int last = errno;
    const int noted = archive->db ? sqlite3_system_errno(archive->db) : 0; /* but not of a commit */
    const int cause = noted            ? noted
                      : last != ENOENT ? last
                                       : 0; /* ENOENT is what looking for a journal leaves */
    char why[128] = "", buffer[96];
    const char *what = sqlite3_errstr(result);
    switch (result & 0xff) {
    case SQLITE_FULL:
        what = "the disk is full";
        break;
    case SQLITE_IOERR:
        what = cause == ENOSPC || cause == EDQUOT ? "the disk is full"
               : cause == EFBIG                   ? "may grow no further"
                                                  : "the disk gives an error";
        break;
    case SQLITE_CANTOPEN:
        what = "cannot be opened";
        break;
    case SQLITE_READONLY:
        what = "may not be written";
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail(archive, "another process uses it (its lock is on the file itself)");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return fail(archive, "is damaged, or no archive of terrane's; remove it, or write elsewhere");
    default:
        break;
    }
    if (cause != 0)
        snprintf(why, sizeof why, " (%s)", strerror_r(cause, buffer, sizeof buffer));
    text_print(archive->error, sizeof archive->error, "%s: %s%s", archive->path, what, why);
    return -1;
}

static int run(struct mbtiles *archive, const char *statement)
{
    errno = 0;
    const int result = sqlite3_exec(archive->db, statement, NULL, NULL, NULL);
    return result == SQLITE_OK ? 0 : fail_sql(archive, result);
}

static int prepare(struct mbtiles *archive, const char *text, sqlite3_stmt **statement)
{
    const int result = sqlite3_prepare_v2(archive->db, text, -1, statement, NULL);
    return result == SQLITE_OK ? 0 : fail_sql(archive, result);
}

static int number(struct mbtiles *archive, const char *text, int64_t *value)
{
    sqlite3_stmt *statement = NULL;
    if (prepare(archive, text, &statement) != 0)
        return -1;
    const int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result == SQLITE_ROW ? 0 : fail_sql(archive, result);
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

static int write_rows(struct mbtiles *archive, const struct mbtiles_row *rows, size_t count)
{
    sqlite3_stmt *statement = NULL;
    int result = SQLITE_DONE;
    if (prepare(archive, "INSERT INTO metadata VALUES (?1, ?2)", &statement) != 0)
        return -1;
    for (size_t i = 0; i < count && result == SQLITE_DONE; i++) {
        sqlite3_bind_text(statement, 1, rows[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, rows[i].value, -1, SQLITE_STATIC);
        result = sqlite3_step(statement);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0 : fail_sql(archive, result);
}

static int create(struct mbtiles *archive, const struct mbtiles_row *rows, size_t count)
{
    char text[64];
    snprintf(text, sizeof text, "PRAGMA page_size=%d", PAGE_BYTES);
    if (run(archive, text) != 0 || run(archive, "BEGIN EXCLUSIVE") != 0)
        return -1;
    snprintf(text, sizeof text, "PRAGMA application_id=%d", APPLICATION_ID);
    for (int i = 0; i < SCHEMA_ROWS; i++)
        if (run(archive, schema[i]) != 0)
            return -1;
    if (run(archive, text) != 0 || write_rows(archive, rows, count) != 0)
        return -1;
    return run(archive, "COMMIT");
}

static bool text_is(sqlite3_stmt *row, int column, const char *expected)
{
    const unsigned char *text = sqlite3_column_text(row, column);
    return text && strcmp((const char *)text, expected) == 0;
}

static int check_schema(struct mbtiles *archive)
{
    static const char query[] = "SELECT sql FROM sqlite_schema ORDER BY rowid";
    sqlite3_stmt *row = NULL;
    int64_t id = 0;
    int rows = 0, result;
    if (number(archive, "PRAGMA application_id", &id) != 0 || prepare(archive, query, &row) != 0)
        return -1;
    while ((result = sqlite3_step(row)) == SQLITE_ROW && rows < SCHEMA_ROWS && text_is(row, 0, schema[rows]))
        rows++;
    sqlite3_finalize(row);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return fail_sql(archive, result);
    if (result == SQLITE_DONE && rows == SCHEMA_ROWS && id == APPLICATION_ID)
        return 0;
    return fail(archive, "is no archive of terrane's; remove it, or write elsewhere");
}

static int differs(struct mbtiles *archive, const struct mbtiles_row *row, const unsigned char *found)
{
    char here[ARCHIVE_SHOWN_BYTES], there[ARCHIVE_SHOWN_BYTES];
    text_print(archive->error, sizeof archive->error,
               "%.*s: was begun with %s \"%s\", not \"%s\"; go on with the options that it was begun with, "
               "remove it, or write elsewhere",
               text_cut(archive->path, 200), archive->path, archive_plain(row->name),
               archive_shown(there, (const char *)found), archive_shown(here, row->value));
    return -1;
}

/* Checks the metadata row by row. */
static int check_rows(struct mbtiles *archive, const struct mbtiles_row *rows, size_t count)
{
    sqlite3_stmt *statement = NULL;
    int64_t found = 0;
    int status = 0;
    if (prepare(archive, "SELECT value FROM metadata WHERE name = ?1", &statement) != 0)
        return -1;
    for (size_t i = 0; i < count && status == 0; i++) {
        sqlite3_bind_text(statement, 1, rows[i].name, -1, SQLITE_STATIC);
        const int result = sqlite3_step(statement);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            status = fail_sql(archive, result);
        else if (result == SQLITE_DONE || !text_is(statement, 0, rows[i].value))
            status =
                differs(archive, &rows[i], result == SQLITE_ROW ? sqlite3_column_text(statement, 0) : NULL);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    if (status == 0)
        status = number(archive, "SELECT count(*) FROM metadata WHERE name <> " HASH_ROW, &found);
    if (status == 0 && found != (int64_t)count)
        status = fail(archive, "was begun with other options; remove it, or write elsewhere");
    return status;
}

static int configure(struct mbtiles *archive)
{
    static const int switches[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},  {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},         {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1}};
    char cache[40];
    sqlite3_limit(archive->db, SQLITE_LIMIT_LENGTH, TILE_BYTES_MAX);
    sqlite3_limit(archive->db, SQLITE_LIMIT_ATTACHED, 0);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        sqlite3_db_config(archive->db, switches[i][0], switches[i][1], (int *)NULL);
    snprintf(cache, sizeof cache, "PRAGMA cache_size=-%d", CACHE_KB);
    return run(archive, cache) != 0 || run(archive, "PRAGMA locking_mode=EXCLUSIVE") != 0 ||
                   run(archive, "PRAGMA cell_size_check=ON") != 0 ||
                   run(archive, "PRAGMA mmap_size=0") != 0 || run(archive, "PRAGMA secure_delete=OFF") != 0
               ? -1
               : 0;
}

static int open_at(struct mbtiles *archive, const struct mbtiles_row *rows, size_t count)
{
    int64_t pages = 0;
    struct stat status;
    if (stat(archive->path, &status) == 0 && !S_ISREG(status.st_mode))
        return fail(archive, S_ISDIR(status.st_mode) ? "is a directory; write to a file"
                                                     : "is a pipe or a device; write to a file");
    const int result = sqlite3_open_v2(
        archive->path, &archive->db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (result != SQLITE_OK)
        return fail_sql(archive, result);
    if (configure(archive) != 0 || number(archive, "PRAGMA page_count", &pages) != 0)
        return -1;
    if (pages > 0 && (run(archive, "BEGIN EXCLUSIVE") != 0 || run(archive, "COMMIT") != 0 ||
                      check_schema(archive) != 0 || check_rows(archive, rows, count) != 0))
        return -1;
    /* Not before: it writes into a file whose mode is another. */
    if (run(archive, "PRAGMA journal_mode=DELETE") != 0 || (pages == 0 && create(archive, rows, count) != 0))
        return -1;
    return prepare(archive, "SELECT 1 FROM tiles WHERE rowid = ?1", &archive->has) != 0 ||
                   prepare(
                       archive,
                       "INSERT OR IGNORE INTO tiles (rowid, zoom_level, tile_column, tile_row, tile_data) "
                       "VALUES (?1, ?2, ?3, ?4, ?5)",
                       &archive->put) != 0
               ? -1
               : 0;
}

struct mbtiles *mbtiles_open(const char *path, const struct mbtiles_row *rows, size_t count,
                             char error[MBTILES_ERROR_BYTES])
{
    struct mbtiles *archive = calloc(1, sizeof *archive);
    char *name = strdup(path);
    if (!archive || !name) {
        text_print(error, MBTILES_ERROR_BYTES, "%s: memory is short", path);
        free(archive);
        free(name);
        return NULL;
    }
    archive->path = name;
    archive->ours = open_at(archive, rows, count) == 0;
    if (archive->ours)
        return archive;
    text_print(error, MBTILES_ERROR_BYTES, "%s", archive->error);
    mbtiles_close(archive);
    return NULL;
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

static int64_t id_of(const struct mbtiles_place *place)
{
    return (int64_t)hilbert_id(place->z, place->x, place->y);
}

static int64_t row_of(const struct mbtiles_place *place)
{
    return (INT64_C(1) << place->z) - 1 - (int64_t)place->y;
}

int mbtiles_has(struct mbtiles *archive, const struct mbtiles_place *place)
{
    sqlite3_bind_int64(archive->has, 1, id_of(place));
    const int result = sqlite3_step(archive->has);
    sqlite3_reset(archive->has);
    if (result == SQLITE_ROW || result == SQLITE_DONE)
        return result == SQLITE_ROW;
    return fail_sql(archive, result);
}

int64_t mbtiles_count(struct mbtiles *archive)
{
    int64_t count = 0;
    return number(archive, "SELECT count(*) FROM tiles", &count) == 0 ? count : -1;
}

int mbtiles_put(struct mbtiles *archive, const struct mbtiles_place *place, const unsigned char *data,
                size_t bytes)
{
    CHECK(bytes > 0 && bytes <= TILE_BYTES_MAX);
    if (!archive->changing) {
        if (run(archive, "BEGIN") != 0)
            return -1;
        archive->changing = true;
        if (run(archive, "DELETE FROM metadata WHERE name = " HASH_ROW) != 0) /* it is of other tiles */
            return -1;
    }
    sqlite3_bind_int64(archive->put, 1, id_of(place));
    sqlite3_bind_int(archive->put, 2, place->z);
    sqlite3_bind_int64(archive->put, 3, place->x);
    sqlite3_bind_int64(archive->put, 4, row_of(place));
    sqlite3_bind_blob(archive->put, 5, data, (int)bytes, SQLITE_STATIC);
    errno = 0;
    const int result = sqlite3_step(archive->put);
    const int status = result == SQLITE_DONE ? 0 : fail_sql(archive, result);
    sqlite3_reset(archive->put);
    sqlite3_clear_bindings(archive->put);
    return status;
}

int mbtiles_commit(struct mbtiles *archive)
{
    if (!archive->changing)
        return 0;
    archive->changing = false;
    if (run(archive, "COMMIT") == 0)
        return 0;
    sqlite3_exec(archive->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

/* True if a row is valid: 1 .. TILE_BYTES_MAX bytes, and the number of its place is its rowid. */
static bool is_sound(sqlite3_stmt *row)
{
    const int64_t z = sqlite3_column_int64(row, 1), column = sqlite3_column_int64(row, 2),
                  south = sqlite3_column_int64(row, 3);
    if (z < 0 || z > HILBERT_Z_MAX || column < 0 || column >> z != 0 || south < 0 || south >> z != 0 ||
        sqlite3_column_type(row, 4) != SQLITE_BLOB || sqlite3_column_bytes(row, 4) == 0 ||
        !sqlite3_column_blob(row, 4))
        return false;
    const struct mbtiles_place place = {(int)z, (uint32_t)column, (uint32_t)((INT64_C(1) << z) - 1 - south)};
    return id_of(&place) == sqlite3_column_int64(row, 0);
}

/* 1: the next row, which is valid; 0: there are no more; -1. */
static int next_row(struct mbtiles *archive, sqlite3_stmt *row)
{
    const int result = sqlite3_step(row);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? 0 : fail_sql(archive, result);
    return is_sound(row) ? 1 : fail(archive, "is damaged; remove it, or write elsewhere");
}

int mbtiles_walk(struct mbtiles *archive,
                 int (*visit)(void *context, uint64_t id, const unsigned char *data, size_t bytes),
                 void *context)
{
    static const char query[] =
        "SELECT rowid, zoom_level, tile_column, tile_row, tile_data FROM tiles ORDER BY rowid";
    sqlite3_stmt *row = NULL;
    int status = prepare(archive, query, &row), more = 0;
    while (status == 0 && (more = next_row(archive, row)) > 0)
        status = visit(context, (uint64_t)sqlite3_column_int64(row, 0), sqlite3_column_blob(row, 4),
                       (size_t)sqlite3_column_bytes(row, 4));
    sqlite3_finalize(row);
    return status == 0 ? more : status;
}

/* ---- The hash of all tiles ----------------------------------------------------------------------------- */

/* Of a row: its numbers, in digits, and its data. */
static int hash_row(struct mbtiles *archive, gnutls_hash_hd_t hash, sqlite3_stmt *row)
{
    for (int column = 1; column <= 4; column++) {
        const void *text = sqlite3_column_blob(row, column); /* before its length, as SQLite wants it */
        if (!text || gnutls_hash(hash, text, (size_t)sqlite3_column_bytes(row, column)) < 0)
            return fail(archive, "memory is short");
    }
    return 0;
}

static int hash_rows(struct mbtiles *archive, gnutls_hash_hd_t hash, bool (*stopped)(void))
{
    static const char query[] = "SELECT rowid, zoom_level, tile_column, tile_row, tile_data FROM tiles "
                                "ORDER BY zoom_level, tile_column, tile_row";
    sqlite3_stmt *row = NULL;
    int status = prepare(archive, query, &row), more = 0;
    while (status == 0 && (more = next_row(archive, row)) > 0)
        status = stopped && stopped() ? 1 : hash_row(archive, hash, row);
    sqlite3_finalize(row);
    return status == 0 ? more : status;
}

static int write_hash(struct mbtiles *archive, const unsigned char *hash, size_t bytes)
{
    sqlite3_stmt *statement = NULL;
    if (prepare(archive, "INSERT INTO metadata VALUES (" HASH_ROW ", hex(?1))", &statement) != 0)
        return -1;
    sqlite3_bind_blob(statement, 1, hash, (int)bytes, SQLITE_STATIC);
    const int result = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? 0 : fail_sql(archive, result);
}

int mbtiles_finish(struct mbtiles *archive, bool (*stopped)(void))
{
    unsigned char value[16];
    gnutls_hash_hd_t hash;
    int64_t there = 0;
    if (mbtiles_commit(archive) != 0 ||
        number(archive, "SELECT count(*) FROM metadata WHERE name = " HASH_ROW, &there) != 0)
        return -1;
    if (there)
        return 0;
    if (gnutls_hash_init(&hash, GNUTLS_DIG_MD5) < 0)
        return fail(archive, "its tiles' MD5 cannot be had of GnuTLS");
    const int result = hash_rows(archive, hash, stopped);
    gnutls_hash_deinit(hash, value);
    return result == 0 ? write_hash(archive, value, sizeof value) : result;
}

const char *mbtiles_error(const struct mbtiles *archive)
{
    return archive->error;
}

void mbtiles_close(struct mbtiles *archive)
{
    if (!archive)
        return;
    sqlite3_finalize(archive->has);
    sqlite3_finalize(archive->put);
    if (archive->ours) { /* unlocking after a read also removes a leftover journal */
        if (archive->changing)
            run(archive, "ROLLBACK");
        run(archive, "PRAGMA locking_mode=NORMAL");
        run(archive, "SELECT count(*) FROM metadata");
        /* kill -9 between two transactions leaves a journal: changing to DELETE from another mode removes it,
         * under a lock */
        run(archive, "PRAGMA journal_mode=PERSIST");
        run(archive, "PRAGMA journal_mode=DELETE");
    }
    sqlite3_close_v2(archive->db);
    free(archive->path);
    free(archive);
}

/* ---- Words ------------------------------------------------------------------------------------------- */

/* Values come from untrusted files: control characters are not shown. */

const char *archive_shown(char shown[ARCHIVE_SHOWN_BYTES], const char *value)
{
    size_t bytes = 0;
    for (; value && value[bytes] && bytes < ARCHIVE_SHOWN_BYTES - 1; bytes++)
        shown[bytes] = value[bytes];
    for (size_t i = 0; i < bytes; i++)
        if (shown[i] < ' ' || shown[i] > '~')
            shown[i] = '?';
    shown[bytes] = 0;
    return shown;
}

const char *archive_plain(const char *name)
{
    static const char prefix[] = "terrane:";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

/* ---- The Hilbert curve, from the north-west corner to the north-east one ----------------------------- */

/*
 * Works from the largest quadrants down: each bit of x and y selects the quarter of the square, in the order
 * of the curve, and rotates the coordinates as the curve is rotated there. Only the bits below s count from
 * then on, so wrapping around is harmless.
 */
uint64_t hilbert_id(int z, uint32_t x, uint32_t y)
{
    CHECK(z >= 0 && z <= HILBERT_Z_MAX && x >> z == 0 && y >> z == 0);
    uint64_t id = ((UINT64_C(1) << (2 * z)) - 1) / 3; /* tiles of the levels above */
    for (int bit = z - 1; bit >= 0; bit--) {
        const uint32_t s = UINT32_C(1) << bit, east = x >> bit & 1, south = y >> bit & 1;
        id += (uint64_t)(3 * east ^ south) << (2 * bit);
        if (south)
            continue;
        if (east) {
            x = s - 1 - x;
            y = s - 1 - y;
        }
        const uint32_t swap = x;
        x = y;
        y = swap;
    }
    return id;
}
