/*
 * Files of heights, known by what they begin with: GeoTIFF, grey PNG, npy and Esri's ASCII grid, which recipes name; and pictures, of
 * which an import makes such a file. Any bytes may be given.
 */
#ifndef TERRANE_SERVER_RASTER_READ_H
#define TERRANE_SERVER_RASTER_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RASTER_WHY_BYTES = 320 };

/* Which state of a file was read: another one has, all but surely, another stamp. */
struct raster_stamp {
    uint64_t device, inode, bytes;
    int64_t seconds, nanoseconds; /* of its last change */
};

struct raster_samples {
    int width, height; /* 2 .. TERRANE_RASTER_SIDE */
    float *sample;     /* owned, malloc'ed: row by row, north to south; all that terrane_raster_init takes */
    float white;       /* of a picture: its greatest number, 255 or 65535; 0: they are metres */
    bool foreign;      /* no recipe may name the file */
    bool coloured;     /* it is no grey picture; its numbers are how light its colours are */
    struct raster_stamp stamp; /* from before it was read */
};

/* Whether the file at path is still in the state that has that stamp. */
bool raster_is_as_read(const char *path, const struct raster_stamp *stamp);

/* How names of such files end, by what one begins with; NULL: it is none, or cannot be read. Static storage. */
const char *raster_ending(const char *path);

/* Reads the file at path, a regular one. 0, or -1 with one line in why that does not name it; *out is untouched then. */
int raster_read(const char *path, struct raster_samples *out, char *why, size_t why_bytes)
    __attribute__((warn_unused_result));

/* Reads a picture, too: JPEG, WebP, BMP, colours, palettes. */
int raster_read_any(const char *path, struct raster_samples *out, char *why, size_t why_bytes)
    __attribute__((warn_unused_result));

#endif
