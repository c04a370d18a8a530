/*
 * Tiles of one pyramid in an SQLite file, which is a valid MBTiles 1.3 archive of the tiles so far at any moment. Also
 * the parts that both kinds of archives share: display of metadata, and the order of tiles.
 *
 * One thread at a time. After the next mbtiles_commit, changes of calls that returned 0 survive kill -9.
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
 * Opens the archive at path, or begins one, with these rows of metadata. An existing one has to have exactly
 * these rows, and perhaps that of mbtiles_finish. Returns owned; NULL with one line in error, which names the
 * file: it has another content, another process writes it, or it cannot be used. Nothing in the file is trusted
 * unless it is checked to the letter.
 */
struct mbtiles *mbtiles_open(const char *path, const struct mbtiles_row *rows, size_t count,
                             char error[MBTILES_ERROR_BYTES]);

/* 1 if the tile is there, else 0; -1: failure, mbtiles_error says why. */
int mbtiles_has(struct mbtiles *archive, const struct mbtiles_place *place);

/* Number of tiles; -1: failure, mbtiles_error says why. */
int64_t mbtiles_count(struct mbtiles *archive);

/* Adds a tile of 1 .. 2^30 bytes; keeps an existing one. 0, or -1. */
int mbtiles_put(struct mbtiles *archive, const struct mbtiles_place *place, const unsigned char *data,
                size_t bytes);

/* Commits the tiles put so far. 0, or -1: those since the last commit are lost. */
int mbtiles_commit(struct mbtiles *archive);

/*
 * Once all tiles are there: commits, and writes the hash of all of them into the metadata where it is not there
 * yet; the next tile that is put takes it out. By MD5, which checks no more than that a copy is whole: that is
 * what readers look for. 0; 1: stopped, or -1.
 */
int mbtiles_finish(struct mbtiles *archive, bool (*stopped)(void));

/*
 * Visits all tiles in the order of hilbert_id, which rises. data is borrowed for the call; bytes is 1 .. 2^30.
 * A visit that returns other than 0 ends it. Returns that, 0 at the end, or -1 with mbtiles_error, also if the
 * file is damaged.
 */
int mbtiles_walk(struct mbtiles *archive,
                 int (*visit)(void *context, uint64_t id, const unsigned char *data, size_t bytes),
                 void *context);

/* The error of the last failed call: one line that names the file. */
const char *mbtiles_error(const struct mbtiles *archive);

/* Closes; uncommitted tiles are lost. NULL is fine. */
void mbtiles_close(struct mbtiles *archive);

/* ---- Of both kinds of archives ------------------------------------------------------------------------- */

/* The message for a file that is not the expected one. */
enum { ARCHIVE_SHOWN_BYTES = 81 };

/* A metadata value for display: at most its first 80 bytes, only printable ASCII. NULL: "". */
const char *archive_shown(char shown[ARCHIVE_SHOWN_BYTES], const char *value);

/* The display name of a metadata row: without the prefix of terrane's own rows. */
const char *archive_plain(const char *name);

/* Compresses bytes with gzip; malloc'ed, and *out_bytes. NULL: memory is short. */
unsigned char *archive_gzip(const unsigned char *data, size_t bytes, size_t *out_bytes);

enum { HILBERT_Z_MAX = 26 };

/*
 * The number of tile x, y of level z in a square pyramid: level by level, each along a Hilbert curve, coarser levels first.
 * Successive tiles are neighbours on the map, so tiles that are read together are stored together. z 0 .. HILBERT_Z_MAX; x, y
 * below 2^z.
 */
uint64_t hilbert_id(int z, uint32_t x, uint32_t y);

#endif
