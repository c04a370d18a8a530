/* Encoders: samples to bytes. Knows formats, but no HTTP and no cache. One struct encoder a thread. */
#ifndef TERRANE_SERVER_ENCODE_H
#define TERRANE_SERVER_ENCODE_H

#include "../tile/tile.h"

/* Part of every key's digest: raise it when any encoder's bytes change. The versions of libraries are added to it. */
#define ENCODE_VERSION 2

/* 128 bits that name a finished key's representation: world digest, key and the encoders' versions. */
struct digest tile_key_digest(const struct tile_key *key, const struct terrane_world *world);

/* The version of the compressor that PNG bytes depend on, e.g. "1.14". Static storage. */
const char *encode_compressor_version(void);

/* The version of the library that writes numbers as text, which json and glb depend on, e.g. "2.14". Static storage. */
const char *encode_text_version(void);

/* Reusable memory of one thread's encoder: of PNG, and of content codings (coding.h). */
struct encoder;
struct encoder *encoder_create(void); /* returns owned; NULL when memory is short */
void encoder_free(struct encoder *encoder);

/*
 * PNG: the container by libpng, IDAT by libdeflate; no ancillary chunks. Each returns malloc'ed bytes in
 * *data, *bytes and 0, or -1 when memory is short. width, height 1 .. 4097; samples row by row, north to
 * south.
 *
 * heights    RGB8, terrarium q = round((h + 32768) * 256) or mapbox q = round((h + 10000) * 10), clamped to
 * 24 bits and rounded (half up) before it is split; or 16-bit grey over low_m .. high_m as in encode_r16.
 *            centres: for the squares between (width + 1) x (height + 1) samples, (a + b + c + d + 2) >> 2 of the four
 *            corners' numbers.
 * normals    RGB8, round(n * 127.5 + 127.5) of (east, south, up), 3 floats a sample.
 * degrees    8-bit grey, round(degrees * 255 / full); full is of nothing else.
 * depth      16-bit grey, round(8 depth_m): eighths of a metre, clamped.
 * flow       8-bit grey, a logarithm: n = round(16 flow) below one droplet, from there on 24 steps an octave (see
 *            quantise_flow): one droplet is 16, 255 is 1,000 and more.
 * pixels     as they are, 1 byte a sample (8-bit grey), 3 (RGB8) or 4 (RGBA8).
 * indexed    palette of colours[count][3], 1 byte a sample, 8 bits deep.
 */
int encode_png_heights(struct encoder *encoder, const float *heights, int width, int height,
                       enum tile_enc enc, float low_m, float high_m, bool centres, unsigned char **data,
                       size_t *bytes);
enum png_samples { ENCODE_NORMALS, ENCODE_DEGREES, ENCODE_DEPTH, ENCODE_FLOW };
int encode_png_samples(struct encoder *encoder, enum png_samples what, const float *values, int width,
                       int height, float full, unsigned char **data, size_t *bytes);
int encode_png_pixels(struct encoder *encoder, const uint8_t *pixels, int width, int height, int channels,
                      unsigned char **data, size_t *bytes);
int encode_png_indexed(struct encoder *encoder, const uint8_t *index, int width, int height,
                       const uint8_t (*colours)[3], int count, unsigned char **data, size_t *bytes);

/*
 * A picture as it lies in a PNG: pixels row by row, as bytes (16-bit grey big-endian, indices with their palette).
 *
 * picture_read  fills *picture from what one of the functions above has written, of at most 4097 x 4097 pixels. 0; -1:
 *               memory is short, or it is no such PNG, and *picture is untouched. pixels: malloc'ed, the caller's.
 *
 * encode_png_picture  the same pixels as a PNG.
 */
struct picture {
    int width, height;
    int depth;    /* of a channel: 8 or 16 */
    size_t pixel; /* bytes: 1 grey or index, 2 grey of 16 bits, 3 RGB, 4 RGBA */
    unsigned char *pixels;
    int colour_count; /* 0: no palette */
    uint8_t colours[256][3];
};
int picture_read(struct picture *picture, const unsigned char *data, size_t bytes);
int encode_png_picture(struct encoder *encoder, const struct picture *picture, unsigned char **data,
                       size_t *bytes);

/* The place of samples in the world's plane, a local CRS in metres: that of the first, the north-western one. y grows to
 * the north, as on a map. */
struct grid_place {
    double west_m, north_m;
    double spacing_m;
    float none; /* the number that marks a place without value; 0: all are values */
};

/* Samples of a window, north to south: width * height * channels values. */
struct grid {
    const float *values;
    int width, height, channels;
    float low_m, high_m; /* of r16 */
    struct grid_place place;
};

/* Encodes into one of the sample formats that are no pictures. malloc'ed bytes in *data, *bytes and 0; -1 when memory is
 * short. */
int encode_grid(enum tile_format format, const struct grid *grid, unsigned char **data, size_t *bytes);

/* float32 little-endian, count values. */
int encode_f32(const float *values, size_t count, unsigned char **data, size_t *bytes);

/* uint16 little-endian: round((h - low_m) / (high_m - low_m) * 65535), clamped. */
int encode_r16(const float *heights, size_t count, float low_m, float high_m, unsigned char **data,
               size_t *bytes);

/*
 * NumPy 1.0: '<f4', C order, shape (height, width) or, with channels > 1, (height, width, channels).
 *
 * encode_npy_head the header before the values, which are those of encode_f32; returns its length.
 */
enum { ENCODE_NPY_HEAD_BYTES = 128 };
int encode_npy(const float *values, int width, int height, int channels, unsigned char **data, size_t *bytes);
size_t encode_npy_head(unsigned char head[ENCODE_NPY_HEAD_BYTES], int width, int height, int channels);

#endif
