/*
 * PMTiles, version 3: header, directories, and tiles each of whose contents is there once, in one file that is
 * read by ranges.
 */
#ifndef TERRANE_SERVER_PMTILES_H
#define TERRANE_SERVER_PMTILES_H

#include "mbtiles.h"

/* What the header says besides what the tiles say themselves. Degrees. */
struct pmtiles_facts {
    int z_min, z_max, z_center;
    double west, south, east, north;
    double center_lon, center_lat;
    const char *metadata; /* JSON text of an object */
    bool vectors;         /* tiles are vector tiles, by gzip; else PNGs */
};

/*
 * Writes all tiles of an archive as PMTiles at path: through a file of another name in its folder, which
 * takes its name when it is whole and on the disk. At least one tile. Whether to go on is asked of `stopped`
 * (or NULL) once a tile: true ends it. Returns 0; 1 when it was stopped; -1 with one line in error that names
 * the file. Nothing is left at path then that was not there.
 *
 * The same tiles and facts give the same bytes. Reads the tiles twice. Memory: 24 bytes an entry of the
 * directories, 64 at most for each tile that is like no other, and a tile.
 */
int pmtiles_write(const char *path, struct mbtiles *tiles, const struct pmtiles_facts *facts,
                  bool (*stopped)(void), char error[MBTILES_ERROR_BYTES]);

/*
 * Whether an archive that pmtiles_write has made is at path: 1, the one with this metadata (JSON text of an object of
 * strings) and so many tiles; 0, nothing is; -1, something else is, and one line in error names the file and the first
 * difference. Reads header and metadata alone.
 */
int pmtiles_find(const char *path, const char *metadata, int64_t tiles, char error[MBTILES_ERROR_BYTES]);

/* ---- For tests ----------------------------------------------------------------------------------------- */

/* An entry of a directory: run tiles from id on have the bytes at offset; run 0: a leaf directory begins there. */
struct pmtiles_entry {
    uint64_t id, offset;
    uint32_t length, run;
};

enum { PMTILES_HEADER_BYTES = 127 };

/* A directory of count entries (1 and more), gzip'ed. Returns owned (malloc) and *bytes; NULL when memory is
 * short. */
unsigned char *pmtiles_directory(const struct pmtiles_entry *entries, size_t count, size_t *bytes);

#endif
