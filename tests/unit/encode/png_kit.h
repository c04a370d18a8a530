/*
 * What the tests of PNG tiles share: noise, pictures read back, and what samples have to become.
 *
 * Every image is decoded by libpng, and its chunks are walked by hand, with CRCs. What a sample has to become
 * is computed here in long double, or in integers, by other formulas than the encoder's.
 */
#ifndef TERRANE_TESTS_PNG_KIT_H
#define TERRANE_TESTS_PNG_KIT_H

#include "../unit.h"

#include <float.h>
#include <libdeflate.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "../../../server/encode/encode.h"
#include "../../../server/encode/png_image.h"

static uint32_t noise_state = 2463534242u;

/* Marsaglia's xorshift. */
static inline uint32_t noise(void)
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 17;
    noise_state ^= noise_state << 5;
    return noise_state;
}

static inline float noise_between(float low, float high)
{
    return low + (high - low) * (float)(noise() >> 8) * 0x1p-24f;
}

static inline void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);

    assert_non_null(memory);
    return memory;
}

struct decoded {
    int width, height, depth, colour_type, channels;
    size_t row_bytes;
    unsigned char *pixels; /* as stored: 16-bit samples big-endian, indices not looked up */
    png_color palette[256];
    int colours;
};

struct source {
    const unsigned char *data;
    size_t left;
};

static inline void source_read(png_structp png, png_bytep out, size_t bytes)
{
    struct source *source = png_get_io_ptr(png);

    if (bytes > source->left)
        png_error(png, "end of data");
    memcpy(out, source->data, bytes);
    source->data += bytes;
    source->left -= bytes;
}

static inline void on_problem(png_structp png, png_const_charp text)
{
    (void)png;
    fail_msg("libpng: %s", text);
}

static inline struct decoded decode(const unsigned char *data, size_t bytes)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, on_problem, on_problem);
    png_infop info = png_create_info_struct(png);
    struct source source = {data, bytes};
    struct decoded picture = {0};
    png_colorp palette;

    assert_non_null(info);
    png_set_read_fn(png, &source, source_read);
    png_read_info(png, info);
    picture.width = (int)png_get_image_width(png, info);
    picture.height = (int)png_get_image_height(png, info);
    picture.depth = png_get_bit_depth(png, info);
    picture.colour_type = png_get_color_type(png, info);
    picture.channels = png_get_channels(png, info);
    picture.row_bytes = png_get_rowbytes(png, info);
    assert_int_equal(png_get_interlace_type(png, info), PNG_INTERLACE_NONE);
    if (png_get_PLTE(png, info, &palette, &picture.colours))
        memcpy(picture.palette, palette, (size_t)picture.colours * sizeof *palette);
    picture.pixels = allocate(picture.row_bytes * (size_t)picture.height);
    for (int j = 0; j < picture.height; j++)
        png_read_row(png, picture.pixels + (size_t)j * picture.row_bytes, NULL);
    png_read_end(png, NULL);
    assert_int_equal(source.left, 0);
    png_destroy_read_struct(&png, &info, NULL);
    return picture;
}

static inline uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Walks the chunks, and finds just IHDR, PLTE for a palette, one IDAT and IEND, sound. Returns IDAT's
 * content. */
static inline const unsigned char *check_chunks(const unsigned char *data, size_t bytes,
                                                const struct decoded *picture, size_t *idat_bytes)
{
    static const unsigned char signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    const bool palette = picture->colour_type == PNG_COLOR_TYPE_PALETTE;
    const char *const names[] = {"IHDR", palette ? "PLTE" : "IDAT", palette ? "IDAT" : "IEND", "IEND"};
    const unsigned char *idat = NULL;
    size_t at = 8;

    assert_memory_equal(data, signature, 8);
    for (int i = 0; i < (palette ? 4 : 3); i++) {
        assert_true(bytes - at >= 12);
        const size_t length = big_endian(data + at);

        assert_true(length <= bytes - at - 12);
        assert_memory_equal(data + at + 4, names[i], 4);
        assert_int_equal(big_endian(data + at + 8 + length), libdeflate_crc32(0, data + at + 4, length + 4));
        if (strcmp(names[i], "IHDR") == 0) {
            const unsigned char tail[5] = {(unsigned char)picture->depth, (unsigned char)picture->colour_type,
                                           0, 0, 0};

            assert_int_equal(length, 13);
            assert_memory_equal(data + at + 16, tail, 5);
        } else if (strcmp(names[i], "PLTE") == 0) {
            assert_int_equal(length, 3 * picture->colours);
        } else if (strcmp(names[i], "IDAT") == 0) {
            idat = data + at + 8;
            *idat_bytes = length;
        } else {
            assert_int_equal(length, 0);
        }
        at += 12 + length;
    }
    assert_int_equal(at, bytes);
    return idat;
}

/* Decodes, checks and frees data. The caller frees pixels. */
static inline struct decoded take(unsigned char *data, size_t bytes, int width, int height, int depth,
                                  int colour_type)
{
    struct decoded picture = decode(data, bytes);
    size_t idat_bytes;

    assert_int_equal(picture.width, width);
    assert_int_equal(picture.height, height);
    assert_int_equal(picture.depth, depth);
    assert_int_equal(picture.colour_type, colour_type);
    (void)check_chunks(data, bytes, &picture, &idat_bytes);
    free(data);
    return picture;
}

/* The filter's number in front of each row. */
static inline void row_filters(const unsigned char *data, size_t bytes, unsigned char *filters)
{
    struct decoded picture = decode(data, bytes);
    size_t idat_bytes = 0, inflated_bytes = (picture.row_bytes + 1) * (size_t)picture.height;
    const unsigned char *idat = check_chunks(data, bytes, &picture, &idat_bytes);
    unsigned char *inflated = allocate(inflated_bytes);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

    assert_int_equal(
        libdeflate_zlib_decompress(decompressor, idat, idat_bytes, inflated, inflated_bytes, NULL), 0);
    for (int j = 0; j < picture.height; j++)
        filters[j] = inflated[(size_t)j * (picture.row_bytes + 1)];
    libdeflate_free_decompressor(decompressor);
    free(inflated);
    free(picture.pixels);
}

static inline uint32_t clamp_round(long double v, uint32_t limit)
{
    const long double rounded = floorl(v + 0.5L);

    return !(rounded > 0) ? 0 : rounded > (long double)limit ? limit : (uint32_t)rounded;
}

static inline uint32_t expected_q(float height_m, enum tile_enc enc, float low_m, float high_m)
{
    const long double h = height_m, low = low_m, high = high_m;

    switch (enc) {
    case ENC_TERRARIUM:
        return clamp_round(h * 256 + 8388608, 0xFFFFFF);
    case ENC_MAPBOX:
        return clamp_round((h + 10000) * 10, 0xFFFFFF);
    default:
        return clamp_round((h - low) / (high - low) * 65535, 65535);
    }
}

static inline uint32_t picture_q(const struct decoded *picture, size_t i)
{
    const size_t pixel = picture->colour_type == PNG_COLOR_TYPE_RGB ? 3 : 2;
    const unsigned char *p = picture->pixels + i * pixel;

    return pixel == 3 ? (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2] : (uint32_t)p[0] << 8 | p[1];
}

static inline struct decoded heights_through(struct encoder *encoder, const float *heights, int width,
                                             int height, enum tile_enc enc, float low_m, float high_m)
{
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_heights(encoder, heights, width, height, enc, low_m, high_m, &data, &bytes),
                     0);
    return take(data, bytes, width, height, enc == ENC_GRAY16 ? 16 : 8,
                enc == ENC_GRAY16 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB);
}

/* Rounding ties and floats beside them go either way in long double only if the encoder's arithmetic were
 * inexact. */
static inline void check_heights(struct encoder *encoder, const float *heights, int width, int height,
                                 enum tile_enc enc, float low_m, float high_m)
{
    struct decoded picture = heights_through(encoder, heights, width, height, enc, low_m, high_m);

    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        const uint32_t q = picture_q(&picture, i), expected = expected_q(heights[i], enc, low_m, high_m);

        if (enc == ENC_TERRARIUM)
            assert_int_equal(q, expected);
        else /* the double product may cross a tie that long double does not */
            assert_true(q == expected || q + 1 == expected || q == expected + 1);
    }
    free(picture.pixels);
}

static inline int encoder_setup(void **state)
{
    *state = encoder_create();
    return *state ? 0 : -1;
}

static inline int encoder_teardown(void **state)
{
    encoder_free(*state);
    return 0;
}

/* A gentle slope. */
static inline void fill(float *heights, int width, int height)
{
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            heights[(size_t)j * (size_t)width + (size_t)i] = 0.05f * (float)i - 0.03f * (float)j;
}

#endif
