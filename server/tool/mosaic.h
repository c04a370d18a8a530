/*
 * Many tiles as one picture, or one array: a window of a level's samples, wherever it begins.
 */
#ifndef TERRANE_SERVER_MOSAIC_H
#define TERRANE_SERVER_MOSAIC_H

#include "../tile/tile.h"

enum { MOSAIC_SIDE_MAX = 4097 }; /* samples along either axis */

struct mosaic {
    const struct terrane_world *world;
    /* What all tiles are: a window of the layer has its format (tile.h); finished, of a size 2^k up to 256, since the tiles
     * share no edges; where it lies does not count. */
    struct tile_key key;
    int64_t x0, y0; /* the north-west sample, as tiles of that size count them: tile x begins at x * size */
    int width, height; /* samples: 1 .. MOSAIC_SIDE_MAX; they all lie in tiles that there are */
    bool progress;     /* tell on standard error what takes long */
};

/*
 * Makes all tiles, each region under them once, and puts them together in the format of key: *data, malloc'ed,
 * *bytes and 0, or -1 when memory is short.
 *
 * Memory: four times the picture, which has at most 4097 x 4097 samples of TERRANE_ZONES_MAX floats; 128 MB of tiles and regions
 * that are kept for their neighbours; what one job takes.
 */
int mosaic_make(const struct mosaic *mosaic, unsigned char **data, size_t *bytes);

/* Along one axis: where a tile lies in a window. */
struct mosaic_overlap {
    size_t from;  /* the tile's first sample that is wanted */
    size_t to;    /* the window's first that comes from this tile */
    size_t count; /* samples; at least one */
};

/* Of a tile of so many samples, and a window from a sample on. */
struct mosaic_overlap mosaic_overlap(int64_t tile, int size, int64_t start, int length);

#endif
