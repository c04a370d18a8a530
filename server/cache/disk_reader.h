/*
 * A reader: one thread's read-only connection to the tiles database.
 */
#ifndef TERRANE_SERVER_DISK_READER_H
#define TERRANE_SERVER_DISK_READER_H

#include <sqlite3.h>

#include "blob.h"

/* Zero-initialised is closed. */
struct reader {
    sqlite3 *db;
    sqlite3_stmt *find, *has;
};

enum reader_result {
    READER_HIT,
    READER_MISS,
    READER_ENTRY_DAMAGED, /* this entry is not what was stored */
    READER_DAMAGED,       /* the database is not what was stored */
    READER_FAILED         /* the disk fails or memory is short: the connection may not be of use any more */
};

/* 0, or SQLite's result. */
int reader_open(struct reader *reader, const char *path);

/* Closing a closed reader is fine. abandon: as in sql_close. */
void reader_close(struct reader *reader, bool abandon);

/* READER_HIT: an entry of the key's id is listed, of so many bytes of payload, or READER_MISS. It is not
 * read. */
enum reader_result reader_has(struct reader *reader, const struct digest *key, uint64_t *bytes);

/* Fills *out with a blob owned by the caller on READER_HIT, and only then. Never waits for the writer. */
enum reader_result reader_find(struct reader *reader, const struct digest *key, struct blob **out);

#endif
