/*
 * Tiles of one pyramid in an SQLite file, which is an MBTiles 1.3 archive at any moment: of as many tiles as it
 * holds so far. And what both kinds of archives have in common: how metadata is shown, and the line that tiles lie on.
 *
 * One thread at a time. What a call returned 0 for is safe from the process's own end (kill -9) from the next
 * mbtiles_commit on.
 */
#ifndef TERRANE_SERVER_MBTILES_H
#define TERRANE_SERVER_MBTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MBTILES_ERROR_BYTES = 512 };

/* A row of the table of metadata. */
struct mbtiles_row {
    const char *name, *value;
};

/* A tile as a web map counts: y grows south. */
struct mbtiles_place {
    int z;
    uint32_t x, y;
};

struct mbtiles;

/*
 * Opens the archive at path, or begins one, with these rows of metadata. One that is there has to have exactly
 * these rows: it was begun for the same. Returns owned; NULL with one line in error, which
 * names the file: it is of something else, another process writes it, or it cannot be used. Nothing in the file
 * is trusted but for what it must be to the letter.
 */
struct mbtiles *mbtiles_open(const char *path, const struct mbtiles_row *rows, size_t count,
                             char error[MBTILES_ERROR_BYTES]);

/* Whether the tile is there: 1 or 0; -1: it cannot be told, mbtiles_error says why. */
int mbtiles_has(struct mbtiles *archive, const struct mbtiles_place *place);

/* How many tiles there are; -1: it cannot be told, mbtiles_error says why. */
int64_t mbtiles_count(struct mbtiles *archive);

/* Adds a tile of 1 .. 2^30 bytes. One that is there stays. 0, or -1. */
int mbtiles_put(struct mbtiles *archive, const struct mbtiles_place *place, const unsigned char *data,
                size_t bytes);

/* Makes what was put last. 0, or -1: what was put since the last time is lost. */
int mbtiles_commit(struct mbtiles *archive);

/*
 * Visits all tiles in the order of hilbert_id, which rises. data is borrowed for the call; bytes is 1 .. 2^30.
 * A visit that returns other than 0 ends it. Returns that, 0 at the end, or -1 with mbtiles_error: also where
 * the file is damaged.
 */
int mbtiles_walk(struct mbtiles *archive,
                 int (*visit)(void *context, uint64_t id, const unsigned char *data, size_t bytes),
                 void *context);

/* What the last call that failed has to say: one line that names the file. */
const char *mbtiles_error(const struct mbtiles *archive);

/* Closes; what was not committed is lost. NULL is fine. */
void mbtiles_close(struct mbtiles *archive);

/* ---- Of both kinds of archives ------------------------------------------------------------------------- */

/* What is said when a file is not the one that was meant. */
enum { ARCHIVE_SHOWN_BYTES = 81 };

/* A value of metadata as it may be shown: its first 80 bytes at most, printable ASCII alone. NULL: "". */
const char *archive_shown(char shown[ARCHIVE_SHOWN_BYTES], const char *value);

/* The name of a row of metadata as people know it: without the prefix of those that are terrane's alone. */
const char *archive_plain(const char *name);

/* Bytes by gzip, malloc'ed, and *out_bytes. NULL: memory is short. */
unsigned char *archive_gzip(const unsigned char *data, size_t bytes, size_t *out_bytes);

enum { HILBERT_Z_MAX = 26 };

/*
 * Tiles of a square pyramid on one line: level by level, each along a Hilbert curve. Neighbours on the line are
 * neighbours on the map, so that what is read together lies together. The number of tile x, y of level z: those of the levels
 * above it come first. z 0 .. HILBERT_Z_MAX; x, y below 2^z.
 */
uint64_t hilbert_id(int z, uint32_t x, uint32_t y);

#endif
