/*
 * Connections to the tiles database that trust nothing in it, and the schema it must have.
 *
 * Results are SQLite's extended codes. A connection is used by one thread at a time.
 */
#ifndef TERRANE_SERVER_DISK_SQL_H
#define TERRANE_SERVER_DISK_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define SQL_PAGE_BYTES     16384
#define SQL_OVERFLOW_BYTES (SQL_PAGE_BYTES - 4) /* of a blob in one page of its chain */

/* *out is NULL unless SQLITE_OK is returned; errno is then the system's, or 0. cache_pages: what the
 * connection may keep of the file in memory. */
int sql_open(const char *path, bool writes, int cache_pages, sqlite3 **out);

/* Closes; NULL is fine. abandon: the files are not ours any more, so write and remove nothing. */
void sql_close(sqlite3 *db, bool abandon);

/* Makes the tables in an empty database: all of them or none. */
int sql_create(sqlite3 *db);

/* SQLITE_OK if the database is ours to the last object; else SQLITE_CORRUPT, and *what says why. */
int sql_check(sqlite3 *db, const char **what);

/* Into write-ahead logging; SQLITE_CANTOPEN where the file system cannot. */
int sql_enter_wal(sqlite3 *db);

/* Runs one statement made by sqlite3_mprintf's rules; its rows are ignored. */
int sql_run(sqlite3 *db, const char *format, ...);

/* The first column of the first row, NULL read as 0. SQLITE_EMPTY if there is no row. */
int sql_number(sqlite3 *db, const char *statement, int64_t *out);

/* A result in plain words; static storage. */
const char *sql_words(int result);

/* Whether a result says that the database (not the disk) is at fault. */
bool sql_is_damage(int result);

#endif
