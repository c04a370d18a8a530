/*
 * A file of heights that is being read: what the formats' readers share. Private to this folder.
 */
#ifndef TERRANE_SERVER_RASTER_PARTS_H
#define TERRANE_SERVER_RASTER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "raster_read.h"

struct raster_reader {
    int file;
    uint64_t bytes; /* its length when it was opened */
    bool any;       /* pictures that no recipe may name are read, too */
    struct raster_samples out;
    bool has_none; /* one number says that there is none */
    double none;
    char *why;
    size_t why_bytes;
};

/* Writes why. Returns -1. */
int raster_refuse(struct raster_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As many bytes from a place on as there are, up to count; -1: the disk fails, or the file has become shorter. */
int64_t raster_bytes(const struct raster_reader *reader, uint64_t from, void *out, size_t count);

/* Checks what the file says of its size, and makes room. 0, or -1, refused. */
int raster_size(struct raster_reader *reader, uint64_t width, uint64_t height);

/* Puts sample number `at`, row by row. 0, or -1, refused: it is none, or no number that a raster may have. */
int raster_put(struct raster_reader *reader, size_t at, double value);

/* Puts the number of a pixel of 1 to 4 channels, an even one's last is alpha; out.white says what white is. 0, or -1, refused. */
int raster_put_pixel(struct raster_reader *reader, size_t at, const float *channel, int channels);
/* Puts a row of pixels of 8 bits. 0, or -1, refused. */
int raster_put_bytes(struct raster_reader *reader, size_t row, const unsigned char *pixel, int channels);

/* Each reads a whole file of its format. 0, or -1, refused. */
int raster_read_tif(struct raster_reader *reader);
int raster_read_png(struct raster_reader *reader);
int raster_read_npy(struct raster_reader *reader);
int raster_read_asc(struct raster_reader *reader);
int raster_read_jpeg(struct raster_reader *reader);
int raster_read_webp(struct raster_reader *reader);
int raster_read_bmp(struct raster_reader *reader);

#endif
