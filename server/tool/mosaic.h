/*
 * Many tiles as one picture, or one array.
 */
#ifndef TERRANE_SERVER_MOSAIC_H
#define TERRANE_SERVER_MOSAIC_H

#include "../tile.h"

enum { MOSAIC_TILES_MOST = 16 }; /* along either axis */

struct mosaic {
    const struct terrane_world *world;
    struct tile_key
        first;        /* the north-west tile, finished, of a size 2^k up to 256: the tiles share no edges */
    int across, down; /* tiles: 1 .. MOSAIC_TILES_MOST */
    bool progress;    /* tell on standard error what takes long */
};

/* Is there such a mosaic of a layer? Any picture; of numbers those with one a sample. */
bool mosaic_has(enum tile_layer layer, enum tile_format format);

/*
 * Makes all tiles, each region under them once, and puts them together in the format of first: *data, malloc'ed, *bytes
 * and 0, or -1 when memory is short.
 *
 * Memory: four times the picture, which has at most 4096 x 4096 pixels of 4 bytes; 128 MB of tiles and regions that are
 * kept for their neighbours; what one job takes.
 */
int mosaic_make(const struct mosaic *mosaic, unsigned char **data, size_t *bytes);

#endif
