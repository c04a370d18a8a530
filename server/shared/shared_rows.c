/*
 * Rows of a world's file: read, held against their chain, and written.
 */
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "../base/little_endian.h"
#include "../observe/log.h"
#include "shared_store_parts.h"

#define COLUMNS                                                                                          \
    "SELECT seq, brush, x, y, inner, outer, strength, height, term, undoes, by, at, token, note, chain " \
    "FROM edit WHERE "
static const char edits[] = COLUMNS "seq > ?1 ORDER BY seq LIMIT ?2";
static const char marks[] = COLUMNS "brush = 7 AND seq > ?1 ORDER BY seq LIMIT ?2";
static const char numbered[] = COLUMNS "seq = ?1";
_Static_assert(TERRANE_BRUSH_MARK == 7, "as the schema has it");
static const char insert[] =
    "INSERT INTO edit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
enum { NUMBERS = 10, BY = 10, AT, TOKEN, NOTE, CHAIN };

int shared_store_prepare(struct shared_store *store)
{
    int result = sqlite3_prepare_v2(store->db, insert, -1, &store->put, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(store->db, "SELECT seq FROM edit WHERE by = ?1 AND token = ?2", -1,
                                    &store->token, NULL);
    if (result == SQLITE_OK)
        result =
            sqlite3_prepare_v2(store->db, "REPLACE INTO world VALUES ('head', ?1)", -1, &store->head, NULL);
    return result;
}

/* ---- Lines ----------------------------------------------------------------------------------------------- */

/* The line of a way stands where other operations have a note: its slope, and of each point how far it is from the first one, and
 * its height. */
enum { LINE_BYTES = 4 + TERRANE_EDIT_WAY_POINTS * 12 };

static size_t put_line(unsigned char line[static LINE_BYTES], const struct terrane_edit *edit)
{
    unsigned char *at = put_le(line, (uint32_t)edit->slope, 4);
    for (const struct terrane_path_point *point = edit->line; point < edit->line + edit->points; point++) {
        at = put_le(at, (uint64_t)(point->x - edit->x) & UINT32_MAX, 4);
        at = put_le(at, (uint64_t)(point->y - edit->y) & UINT32_MAX, 4);
        at = put_le(at, (uint32_t)point->height, 4);
    }
    return (size_t)(at - line);
}

static int32_t number_at(const unsigned char *at)
{
    return (int32_t)get_le(at, 4);
}

/* Into point, which has room for all of one. false: it is none. */
static bool take_line(const unsigned char *line, size_t bytes, struct terrane_path_point *point,
                      struct terrane_edit *edit)
{
    if (!line || bytes < 4 || bytes > LINE_BYTES || (bytes - 4) % 12 != 0)
        return false;
    edit->slope = number_at(line);
    edit->points = (int32_t)((bytes - 4) / 12);
    edit->line = point;
    for (const unsigned char *at = line + 4; at < line + bytes; at += 12)
        *point++ = (struct terrane_path_point){
            .x = edit->x + number_at(at), .y = edit->y + number_at(at + 4), .height = number_at(at + 8)};
    return true;
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
static void chain_on(unsigned char chain[static SHARED_CHAIN_BYTES], const struct shared_edit *edit)
{
    unsigned char text[SHARED_CHAIN_BYTES + (NUMBERS + 1) * 8 + 3 * 4 + SHARED_BY_BYTES + SHARED_TOKEN_BYTES +
                       SHARED_NOTE_BYTES + LINE_BYTES];
    unsigned char *at = text + SHARED_CHAIN_BYTES;
    int64_t number[NUMBERS];
    memcpy(text, chain, SHARED_CHAIN_BYTES);
    numbers_of(edit, number);
    for (int k = 0; k < NUMBERS; k++)
        at = put_le(at, (uint64_t)number[k], 8);
    at = put_le(at, (uint64_t)edit->at_ms, 8);
    at = put_text(put_text(put_text(at, edit->by), edit->token), edit->note);
    at += edit->entry.edit.points > 0 ? put_line(at, &edit->entry.edit) : 0;
    const XXH128_hash_t hash = XXH3_128bits(text, (size_t)(at - text));
    put_le(put_le(chain, hash.low64, 8), hash.high64, 8);
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

/* A way's line goes into point. */
static bool read_row(sqlite3_stmt *ask, struct shared_edit *edit, struct terrane_path_point *point)
{
    int64_t number[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        number[k] = sqlite3_column_int64(ask, k);
    bool good = number[0] > 0 && number[1] >= 0 && number[1] < TERRANE_BRUSHES && number[9] >= 0 &&
                number[9] < number[0];
    for (int k = 2; k < 4; k++)
        good = good && number[k] >= -TERRANE_EDIT_PLACE_MAX && number[k] <= TERRANE_EDIT_PLACE_MAX;
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
    *edit->note = 0;
    const bool noted = edit->entry.edit.brush == TERRANE_BRUSH_WAY
                           ? take_line(sqlite3_column_blob(ask, NOTE),
                                       (size_t)sqlite3_column_bytes(ask, NOTE), point, &edit->entry.edit)
                           : text_column(ask, NOTE, edit->note, sizeof edit->note);
    return noted && text_column(ask, BY, edit->by, sizeof edit->by) &&
           text_column(ask, TOKEN, edit->token, sizeof edit->token) &&
           sqlite3_column_bytes(ask, CHAIN) == SHARED_CHAIN_BYTES;
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
    int64_t max;
    bool (*show)(void *context, const struct shared_edit *edit);
    void *context;
};

static bool row_is_good(const struct rows *rows, sqlite3_stmt *ask,
                        unsigned char chain[static SHARED_CHAIN_BYTES], uint64_t number,
                        struct shared_edit *edit, struct terrane_path_point *point)
{
    if (!read_row(ask, edit, point) || (rows->ask == edits && edit->number != number))
        return false;
    if (rows->ask != edits || rows->since != 0 || rows->max != SHARED_ALL)
        return true;
    chain_on(chain, edit);
    return memcmp(chain, sqlite3_column_blob(ask, CHAIN), SHARED_CHAIN_BYTES) == 0;
}

static int64_t read_rows(struct shared_store *store, const struct rows *rows, char *error, size_t error_bytes)
{
    unsigned char chain[SHARED_CHAIN_BYTES] = {0};
    struct shared_edit edit;
    struct terrane_path_point point[TERRANE_EDIT_WAY_POINTS];
    sqlite3_stmt *ask = NULL;
    int64_t shown = 0;
    int step = SQLITE_ERROR;
    if (rows->since > INT64_MAX)
        return 0;
    if (sqlite3_prepare_v2(store->db, rows->ask, -1, &ask, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(ask, 1, (int64_t)rows->since) == SQLITE_OK &&
        sqlite3_bind_int64(ask, 2, rows->max) == SQLITE_OK)
        step = sqlite3_step(ask);
    for (bool goes_on = true; step == SQLITE_ROW && goes_on; shown++) {
        const uint64_t number = rows->since + (uint64_t)shown + 1;
        if (!row_is_good(rows, ask, chain, number, &edit, point)) {
            const uint64_t its = rows->ask == edits ? number : (uint64_t)sqlite3_column_int64(ask, 0);
            sqlite3_finalize(ask);
            return refuse_row(store, its, error, error_bytes);
        }
        goes_on = rows->show(rows->context, &edit);
        step = goes_on ? sqlite3_step(ask) : SQLITE_DONE;
    }
    sqlite3_finalize(ask);
    return step == SQLITE_DONE ? shown : shared_store_refuse(store, error, error_bytes);
}

int64_t shared_store_read(struct shared_store *store, uint64_t since, int64_t max,
                          bool (*show)(void *context, const struct shared_edit *edit), void *context,
                          char *error, size_t error_bytes)
{
    const struct rows rows = {edits, since, max, show, context};
    return read_rows(store, &rows, error, error_bytes);
}

int64_t shared_store_marks(struct shared_store *store, int64_t max,
                           bool (*show)(void *context, const struct shared_edit *edit), void *context,
                           char *error, size_t error_bytes)
{
    const struct rows rows = {marks, 0, max, show, context};
    return read_rows(store, &rows, error, error_bytes);
}

int64_t shared_store_pick(struct shared_store *store, const uint32_t *number, size_t count,
                          bool (*show)(void *context, const struct shared_edit *edit), void *context,
                          char *error, size_t error_bytes)
{
    struct shared_edit edit;
    struct terrane_path_point point[TERRANE_EDIT_WAY_POINTS];
    sqlite3_stmt *ask = NULL;
    size_t shown = 0;
    int step = sqlite3_prepare_v2(store->db, numbered, -1, &ask, NULL);
    bool whole = step == SQLITE_OK;
    for (bool goes_on = whole; goes_on && shown < count; shown++) {
        sqlite3_reset(ask);
        step = sqlite3_bind_int64(ask, 1, number[shown]) == SQLITE_OK ? sqlite3_step(ask) : SQLITE_ERROR;
        whole = step == SQLITE_ROW && read_row(ask, &edit, point);
        goes_on = whole && show(context, &edit);
    }
    sqlite3_finalize(ask);
    if (whole)
        return (int64_t)shown;
    return step == SQLITE_ROW || step == SQLITE_DONE /* or it is there no more */
               ? refuse_row(store, number[shown - 1], error, error_bytes)
               : shared_store_refuse(store, error, error_bytes);
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
    int moved = 0;
    memcpy(store->committed, store->chain, SHARED_CHAIN_BYTES);
    store->last = 0;
    /* SQLite writes on into a log whose file was removed or replaced: what it acknowledges would be lost. */
    if (store->db && sqlite3_file_control(store->db, NULL, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
        moved) {
        log_write(LOG_ERROR, "shared",
                  "%s: its file was removed or replaced while it was served: restart the server",
                  store->path);
        return SQLITE_READONLY;
    }
    return shared_store_run(store, "BEGIN IMMEDIATE");
}

int shared_store_put(struct shared_store *store, const struct shared_edit *edit)
{
    int64_t number[NUMBERS];
    unsigned char line[LINE_BYTES];
    int result = SQLITE_OK;
    numbers_of(edit, number);
    chain_on(store->chain, edit);
    store->last = edit->number;
    for (int k = 0; k < NUMBERS && result == SQLITE_OK; k++)
        result = sqlite3_bind_int64(store->put, k + 1, number[k]);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(store->put, BY + 1, edit->by, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(store->put, AT + 1, edit->at_ms);
    if (result == SQLITE_OK)
        result = *edit->token ? sqlite3_bind_text(store->put, TOKEN + 1, edit->token, -1, SQLITE_STATIC)
                              : sqlite3_bind_null(store->put, TOKEN + 1);
    if (result == SQLITE_OK && edit->entry.edit.points > 0)
        result = sqlite3_bind_blob(store->put, NOTE + 1, line, (int)put_line(line, &edit->entry.edit),
                                   SQLITE_STATIC);
    else if (result == SQLITE_OK)
        result = *edit->note ? sqlite3_bind_text(store->put, NOTE + 1, edit->note, -1, SQLITE_STATIC)
                             : sqlite3_bind_null(store->put, NOTE + 1);
    if (result == SQLITE_OK)
        result = sqlite3_bind_blob(store->put, CHAIN + 1, store->chain, SHARED_CHAIN_BYTES, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(store->put);
    sqlite3_reset(store->put);
    sqlite3_clear_bindings(store->put);
    return result == SQLITE_DONE ? SQLITE_OK : result == SQLITE_OK ? SQLITE_ERROR : result;
}

int shared_store_commit(struct shared_store *store)
{
    char head[SHARED_HEAD_BYTES];
    int result = SQLITE_DONE;
    shared_store_head(store->last, store->chain, head);
    if (store->last > 0) {
        result = sqlite3_bind_text(store->head, 1, head, -1, SQLITE_STATIC);
        if (result == SQLITE_OK)
            result = sqlite3_step(store->head);
        sqlite3_reset(store->head);
        sqlite3_clear_bindings(store->head);
    }
    return result == SQLITE_DONE ? shared_store_run(store, "COMMIT") : result;
}

void shared_store_rollback(struct shared_store *store)
{
    memcpy(store->chain, store->committed, SHARED_CHAIN_BYTES);
    if (store->db && !sqlite3_get_autocommit(store->db))
        shared_store_run(store, "ROLLBACK");
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
