/*
 * Reading the store. In write-ahead logging a reader sees the database as of the last commit before it began,
 * and neither waits for the writer nor makes it wait, but for a checkpoint, which waits for the readers that
 * are in the middle of an entry: so a read ends, with reset, before the entry is looked at by anybody else.
 *
 * The bytes of an entry lie in SQLite's memory until then. They are verified there, and copied once.
 */
#include "disk_reader.h"

#include <stdlib.h>
#include <string.h>

#include "../base/check.h"
#include "disk_entry.h"
#include "disk_sql.h"

enum { READER_CACHE_PAGES = 64 };

int reader_open(struct reader *reader, const char *path)
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

void reader_close(struct reader *reader, bool abandon)
{
    sqlite3_finalize(reader->find);
    sqlite3_finalize(reader->has);
    sql_close(reader->db, abandon);
    *reader = (struct reader){0};
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
    payload_bytes = (size_t)bytes - ENTRY_HEADER_BYTES;
    payload = malloc(payload_bytes);
    if (!payload)
        return READER_FAILED;
    memcpy(payload, entry + ENTRY_HEADER_BYTES, payload_bytes);
    *out = blob_create(key, &info, payload, payload_bytes);
    if (!*out)
        return READER_FAILED;
    (*out)->world = world;
    return READER_HIT;
}

enum reader_result reader_find(struct reader *reader, const struct digest *key, struct blob **out)
{
    enum reader_result answer;
    int result;

    CHECK(reader->find != NULL);
    result = sqlite3_bind_int64(reader->find, 1, (int64_t)key->low);
    if (result == SQLITE_OK)
        result = sqlite3_step(reader->find);
    answer = result == SQLITE_ROW ? reader_take(reader->find, key, out) : reader_judge(result);
    sqlite3_reset(reader->find);
    return answer;
}

/* The list has some 35 bytes an entry: less to read than the page in which the entry begins. */
enum reader_result reader_has(struct reader *reader, const struct digest *key, uint64_t *bytes)
{
    enum reader_result answer;
    sqlite3_int64 listed = 0;
    int result;

    CHECK(reader->has != NULL);
    result = sqlite3_bind_int64(reader->has, 1, (int64_t)key->low);
    if (result == SQLITE_OK)
        result = sqlite3_step(reader->has);
    if (result == SQLITE_ROW)
        listed = sqlite3_column_int64(reader->has, 0);
    answer = result == SQLITE_ROW ? READER_HIT : reader_judge(result);
    sqlite3_reset(reader->has);
    if (answer != READER_HIT)
        return answer;
    if (listed <= ENTRY_HEADER_BYTES || listed > (sqlite3_int64)(ENTRY_HEADER_BYTES + ENTRY_PAYLOAD_MAX))
        return READER_MISS; /* no entry of ours; who asks for it will find out */
    *bytes = (uint64_t)listed - ENTRY_HEADER_BYTES;
    return READER_HIT;
}
