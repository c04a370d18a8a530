/*
 * A picture to be encoded as PNG: the interface between the layers (png_layers.c), which know samples, and the
 * file (png.c).
 */
#ifndef TERRANE_SERVER_PNG_IMAGE_H
#define TERRANE_SERVER_PNG_IMAGE_H

#include <png.h>

#include "encode.h"

/* The row filters of PNG (PNG 1.2, section 6; ISO/IEC 15948, clause 9): they turn bytes into differences that deflate well.
 * The values are those of the first byte of a filtered row. */
enum png_filter { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH, FILTERS };

/* Bytes before a row that a filter may read: the widest pixel. They must be 0. */
enum { FILTER_MARGIN = 8 };

/*
 * png_filter_row - filter one row.
 *
 *   row, above  borrowed; bytes bytes each, with FILTER_MARGIN bytes of 0 in front. For the first row of an
 *               image above is all 0.
 *   pixel       bytes a pixel, 1 .. FILTER_MARGIN
 *   out         fills 1 + bytes bytes: the filter's number, then the differences. Overlaps neither row.
 */
void png_filter_row(enum png_filter filter, const unsigned char *row, const unsigned char *above,
                    size_t bytes, size_t pixel, unsigned char *out);

/* An image to encode, and the function that turns a row into bytes. */
struct image {
    int width, height;
    int depth, colour_type; /* as in IHDR */
    size_t pixel;           /* bytes */
    enum png_filter filter;
    bool dense; /* deflate for size */
    void (*fill_row)(const struct image *image, size_t row, unsigned char *out);

    const float *values; /* heights, normals, degrees, depths or flow */
    enum tile_enc enc;
    float low_m, high_m; /* high_m: of degrees, too */
    bool centres;        /* values are of the pixels' corners */

    const uint8_t *pixels; /* indices, grey or RGB */
    const uint8_t (*colours)[3];
    int colour_count; /* 0: no PLTE */
};

/* 1 .. 4097 pixels either way? */
bool image_is_valid(const struct image *image);

/* What libpng calls on an error and on a warning: the first leaves by longjmp, the other says nothing. */
PNG_NORETURN void image_error(png_structp png, png_const_charp text);
void image_warning(png_structp png, png_const_charp text);

/* malloc'ed bytes in *data, *bytes and 0; -1: the size is not valid, or memory is short. */
int image_encode(struct encoder *encoder, const struct image *image, unsigned char **data, size_t *bytes);

#endif
