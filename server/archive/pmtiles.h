/* PMTiles, version 3: header, directories, and deduplicated tiles in one file that is read by ranges. */
#ifndef TERRANE_SERVER_PMTILES_H
#define TERRANE_SERVER_PMTILES_H

#include "mbtiles.h"

/* Facts of the header that the tiles do not give. Degrees. */
struct pmtiles_facts {
    int z_min, z_max, z_center;
    double west, south, east, north;
    double center_lon, center_lat;
    const char *metadata; /* JSON text of an object */
    bool vectors;         /* tiles are vector tiles, by gzip; else PNGs */
};

/*
 * Writes all tiles of an archive as PMTiles at path: through a temporary file in its folder, renamed when it
 * is complete and on the disk. Needs at least one tile. Calls `stopped` (unless NULL) for each tile: true
 * ends the run. Returns 0; 1 when it was stopped; -1 with one line in error that names the file. A failed run
 * leaves path as it was.
 *
 * The same tiles and facts give the same bytes. Reads the tiles twice. Memory: 24 bytes for each directory
 * entry, at most 64 for each distinct tile, and one tile.
 */
int pmtiles_write(const char *path, struct mbtiles *tiles, const struct pmtiles_facts *facts,
                  bool (*stopped)(void), char error[MBTILES_ERROR_BYTES]);

/*
 * Checks for an archive by pmtiles_write at path: 1, it has this metadata (JSON text of an object) and so
 * many tiles; 0, there is nothing; -1, it is something else, and one line in error names the file and the first
 * difference. Reads only header and metadata.
 */
int pmtiles_find(const char *path, const char *metadata, int64_t tiles, char error[MBTILES_ERROR_BYTES]);

enum { PMTILES_HEADER_BYTES = 127 };

#endif
