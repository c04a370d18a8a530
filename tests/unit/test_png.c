/*
 * PNG tiles (server/encode/png.c) and the row filters (server/encode/png_filter.c).
 *
 * Every image is decoded by libpng, and its chunks are walked by hand, with CRCs. What a sample has to become
 * is computed here in long double, or in integers, by other formulas than the encoder's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <libdeflate.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/encode/encode.h"
#include "../../server/encode/png_filter.h"

static uint32_t noise_state = 2463534242u;

/* Marsaglia's xorshift. */
static uint32_t noise(void)
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 17;
    noise_state ^= noise_state << 5;
    return noise_state;
}

static float noise_between(float low, float high)
{
    return low + (high - low) * (float)(noise() >> 8) * 0x1p-24f;
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);

    assert_non_null(memory);
    return memory;
}

/*
 * ---- Reading --------------------------------------------------------------------------------------------
 */

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

static void source_read(png_structp png, png_bytep out, size_t bytes)
{
    struct source *source = png_get_io_ptr(png);

    if (bytes > source->left)
        png_error(png, "end of data");
    memcpy(out, source->data, bytes);
    source->data += bytes;
    source->left -= bytes;
}

static void on_problem(png_structp png, png_const_charp text)
{
    (void)png;
    fail_msg("libpng: %s", text);
}

static struct decoded decode(const unsigned char *data, size_t bytes)
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

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Walks the chunks, and finds just IHDR, PLTE for a palette, one IDAT and IEND, sound. Returns IDAT's
 * content. */
static const unsigned char *check_chunks(const unsigned char *data, size_t bytes,
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
static struct decoded take(unsigned char *data, size_t bytes, int width, int height, int depth,
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
static void row_filters(const unsigned char *data, size_t bytes, unsigned char *filters)
{
    struct decoded picture = decode(data, bytes);
    size_t idat_bytes, inflated_bytes = (picture.row_bytes + 1) * (size_t)picture.height;
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

/*
 * ---- What samples become --------------------------------------------------------------------------------
 */

static uint32_t clamp_round(long double v, uint32_t limit)
{
    const long double rounded = floorl(v + 0.5L);

    return !(rounded > 0) ? 0 : rounded > (long double)limit ? limit : (uint32_t)rounded;
}

static uint32_t expected_q(float height_m, enum tile_enc enc, float low_m, float high_m)
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

static uint32_t picture_q(const struct decoded *picture, size_t i)
{
    const size_t pixel = picture->colour_type == PNG_COLOR_TYPE_RGB ? 3 : 2;
    const unsigned char *p = picture->pixels + i * pixel;

    return pixel == 3 ? (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2] : (uint32_t)p[0] << 8 | p[1];
}

static struct decoded heights_through(struct encoder *encoder, const float *heights, int width, int height,
                                      enum tile_enc enc, float low_m, float high_m)
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
static void check_heights(struct encoder *encoder, const float *heights, int width, int height,
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

static int encoder_setup(void **state)
{
    *state = encoder_create();
    return *state ? 0 : -1;
}

static int encoder_teardown(void **state)
{
    encoder_free(*state);
    return 0;
}

/*
 * ---- Heights --------------------------------------------------------------------------------------------
 */

static void terrarium_is_exact(void **state)
{
    enum { COUNT = 4096 };
    static const float edges[] = {-32768,   32767.99f, 32767.996f, 32767.998f, 32768,      40000,     -32769,
                                  -1e9f,    1e9f,      FLT_MAX,    -FLT_MAX,   INFINITY,   -INFINITY, 0,
                                  -0.0f,    0x1p-9f,   -0x1p-9f,   0x1p-149f,  -0x1p-149f, 1,         -1,
                                  8848.86f, -10994,    0.25f,      -0.25f,     1e-9f,      -1e-9f};
    static float heights[COUNT];
    size_t n = 0;

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        heights[n++] = edges[i];
        heights[n++] = nextafterf(edges[i], INFINITY);
        heights[n++] = nextafterf(edges[i], -INFINITY);
    }
    while (n + 3 < COUNT) { /* ties, and the floats beside them */
        const float tie = ((float)(int32_t)(noise() % 16777216) - 8388608 + 0.5f) / 256;
        heights[n++] = tie;
        heights[n++] = nextafterf(tie, INFINITY);
        heights[n++] = nextafterf(tie, -INFINITY);
    }
    check_heights(*state, heights, (int)n, 1, ENC_TERRARIUM, 0, 0);
    check_heights(*state, heights, 1, (int)n, ENC_TERRARIUM, 0, 0);
}

static void terrarium_is_within_a_512th(void **state)
{
    enum { SIZE = 256 };
    static float heights[SIZE * SIZE];

    for (size_t i = 0; i < SIZE * SIZE; i++)
        heights[i] = noise_between(-32768, 32767.99f);
    struct decoded picture = heights_through(*state, heights, SIZE, SIZE, ENC_TERRARIUM, 0, 0);
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        const unsigned char *p = picture.pixels + 3 * i;
        const double decoded = p[0] * 256.0 + p[1] + p[2] / 256.0 - 32768; /* as clients do */

        assert_true(fabs(decoded - (double)heights[i]) <= 1.0 / 512);
    }
    free(picture.pixels);
}

static void terrarium_of_known_heights(void **state)
{
    static const float heights[] = {0, -32768, 40000, 1.5f, -1.5f, 0x1p-9f, -0x1p-9f, -0.0f, NAN};
    static const unsigned char expected[][3] = {{128, 0, 0},   {0, 0, 0},       {255, 255, 255},
                                                {128, 1, 128}, {127, 254, 128}, {128, 0, 1},
                                                {128, 0, 0},   {128, 0, 0},     {0, 0, 0}};
    struct decoded picture = heights_through(*state, heights, 9, 1, ENC_TERRARIUM, 0, 0);

    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

static void mapbox_is_within_a_20th(void **state)
{
    enum { SIZE = 200 };
    static float heights[SIZE * SIZE];

    for (size_t i = 0; i < SIZE * SIZE; i++)
        heights[i] = noise_between(-9999, 20000);
    heights[0] = -10000;
    heights[1] = 0;
    heights[2] = -0.0f;
    heights[3] = 8848.86f;
    struct decoded picture = heights_through(*state, heights, SIZE, SIZE, ENC_MAPBOX, 0, 0);
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        const unsigned char *p = picture.pixels + 3 * i;
        const double decoded = -10000 + (p[0] * 65536.0 + p[1] * 256.0 + p[2]) * 0.1;

        assert_true(fabs(decoded - (double)heights[i]) <= 0.05 + 1e-9);
    }
    free(picture.pixels);
    check_heights(*state, heights, SIZE, SIZE, ENC_MAPBOX, 0, 0);
}

static void mapbox_of_known_heights(void **state)
{
    static const float heights[] = {0, -10000, -10001, 2e6f, -9999.95f, 0.05f, NAN};
    static const unsigned char expected[][3] = {
        {0x01, 0x86, 0xA0}, {0, 0, 0}, {0, 0, 0}, {255, 255, 255}, {0, 0, 0}, {1, 0x86, 0xA1}, {0, 0, 0}};
    struct decoded picture = heights_through(*state, heights, 7, 1, ENC_MAPBOX, 0, 0);

    /* -9999.95 is the float -9999.9502, and 0.05 is 0.0500000007 */
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

static void gray16_spans_the_range(void **state)
{
    static const float heights[] = {-500, 1500, -500.1f, 1500.1f, 500, -1e9f, 1e9f, NAN, 0};
    static const uint32_t expected[] = {0, 65535, 0, 65535, 32768, 0, 65535, 0, 16384};
    struct decoded picture = heights_through(*state, heights, 9, 1, ENC_GRAY16, -500, 1500);
    unsigned char *raw;
    size_t raw_bytes;

    for (size_t i = 0; i < 9; i++)
        assert_int_equal(picture_q(&picture, i), expected[i]);
    assert_int_equal(encode_r16(heights, 9, -500, 1500, &raw, &raw_bytes), 0);
    for (size_t i = 0; i < 9; i++) /* the same integers in the other byte order */
        assert_int_equal(raw[2 * i] | raw[2 * i + 1] << 8, expected[i]);
    free(raw);
    free(picture.pixels);
}

/* Smooth ground goes through Up and rough ground through Paeth, whose first rows are both Sub. */
static void filter_follows_the_ground(void **state)
{
    enum { SIZE = 64 };
    static float heights[SIZE * SIZE];
    unsigned char filters[SIZE];

    for (int rough = 0; rough <= 1; rough++) {
        unsigned char *data;
        size_t bytes;

        for (size_t i = 0; i < SIZE * SIZE; i++)
            heights[i] = (float)(i / SIZE) * (rough ? 0.6f : 0.4f) + (float)(i % SIZE) * 0.7f;
        assert_int_equal(encode_png_heights(*state, heights, SIZE, SIZE, ENC_TERRARIUM, 0, 0, &data, &bytes),
                         0);
        row_filters(data, bytes, filters);
        assert_int_equal(filters[0], FILTER_SUB);
        for (int j = 1; j < SIZE; j++)
            assert_int_equal(filters[j], rough ? FILTER_PAETH : FILTER_UP);
        free(data);
        check_heights(*state, heights, SIZE, SIZE, ENC_TERRARIUM, 0, 0);
    }
}

/*
 * ---- Normals and indices --------------------------------------------------------------------------------
 */

static void check_normals(struct encoder *encoder, const float *normals, int width, int height)
{
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_normals(encoder, normals, width, height, &data, &bytes), 0);
    struct decoded picture = take(data, bytes, width, height, 8, PNG_COLOR_TYPE_RGB);
    for (size_t i = 0; i < (size_t)width * (size_t)height * 3; i++)
        assert_int_equal(picture.pixels[i], clamp_round(normals[i] * 127.5L + 127.5L, 255));
    free(picture.pixels);
}

static void normals_are_rounded(void **state)
{
    enum { SIZE = 129 };
    static const float edges[] = {0,    0,     1,    1,     0,      0,   -1, 0,  0,
                                  0.6f, -0.8f, 0.0f, 1.01f, -1.01f, NAN, 2,  -2, -0.0f};
    static float normals[SIZE * SIZE * 3];
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_normals(*state, edges, 6, 1, &data, &bytes), 0);
    struct decoded picture = take(data, bytes, 6, 1, 8, PNG_COLOR_TYPE_RGB);
    static const unsigned char expected[18] = {128, 128, 255, 255, 128, 128, 0,   128, 128,
                                               204, 25,  128, 255, 0,   0,   255, 0,   128};
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);

    for (size_t i = 0; i < SIZE * SIZE * 3; i++)
        normals[i] = i < 1024 ? ((float)(i % 256) - 127.5f) / 127.5f + ((float)(i / 256) - 2) * 0x1p-24f
                              : noise_between(-1, 1);
    check_normals(*state, normals, SIZE, SIZE);
}

static void slopes_are_rounded(void **state)
{
    static const float degrees[] = {0, 45, 90, 0.1764f, 0.1765f, 89.9f, -1, 100, NAN};
    static const unsigned char expected[] = {0, 128, 255, 0, 1, 255, 0, 255, 0};
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_slopes(*state, degrees, 3, 3, &data, &bytes), 0);
    struct decoded picture = take(data, bytes, 3, 3, 8, PNG_COLOR_TYPE_GRAY);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

/* Eighths of a metre, halves up; big-endian, as PNG has it. */
static void depths_are_eighths(void **state)
{
    enum { COUNT = 4096 };
    static const float edges[] = {0,        0.0624f,  0.0625f,  0.125f, 1,      8191.875f,
                                  8191.9f,  8191.93f, 8191.95f, 9000,   32768,  FLT_MAX,
                                  INFINITY, -1,       -0.0f,    NAN,    12.34f, 0x1p-149f};
    static const unsigned expected[] = {0,     0,     1,     1,     8, 65535, 65535, 65535, 65535,
                                        65535, 65535, 65535, 65535, 0, 0,     0,     99,    0};
    static float depths[COUNT];
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_depth(*state, edges, 9, 2, &data, &bytes), 0);
    struct decoded picture = take(data, bytes, 9, 2, 16, PNG_COLOR_TYPE_GRAY);
    for (size_t i = 0; i < 18; i++)
        assert_int_equal(picture_q(&picture, i), expected[i]);
    assert_int_equal(picture.pixels[2 * 4], 0); /* 1 m is 8: the high byte comes first */
    assert_int_equal(picture.pixels[2 * 4 + 1], 8);
    free(picture.pixels);

    for (size_t i = 0; i < COUNT; i++)
        depths[i] = i % 3 ? noise_between(0, i % 3 == 1 ? 60.0f : 8200.0f) : ((float)(i / 3) + 0.5f) / 8;
    assert_int_equal(encode_png_depth(*state, depths, 64, 64, &data, &bytes), 0);
    picture = take(data, bytes, 64, 64, 16, PNG_COLOR_TYPE_GRAY);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(picture_q(&picture, i), clamp_round((long double)depths[i] * 8, 65535));
    free(picture.pixels);
}

/* 24 steps an octave from one droplet on, by counting: the step of n is how many of the values 1, 2 .. 15 and
 * 2^(e + 4) (1 + m / 24) are at most n. All n past the end, less than half a sixteenth of a droplet off. */
static void flow_is_a_logarithm(void **state)
{
    enum { WIDTH = 257, HEIGHT = 256 };
    static const float edges[] = {0, 1.0f / 16, 0.03f, 0.032f, 1, 2, 16, 1023, 1e9f, INFINITY, -1, NAN};
    static const unsigned char expected[] = {0, 1, 0, 1, 16, 40, 112, 255, 255, 255, 0, 0};
    float *flow = allocate(WIDTH * HEIGHT * sizeof *flow);
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_flow(*state, edges, 4, 3, &data, &bytes), 0);
    struct decoded picture = take(data, bytes, 4, 3, 8, PNG_COLOR_TYPE_GRAY);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);

    for (size_t n = 0; n < WIDTH * HEIGHT; n++)
        flow[n] = (float)n / 16 + (n % 2 ? 0.03f : -0.03f);
    assert_int_equal(encode_png_flow(*state, flow, WIDTH, HEIGHT, &data, &bytes), 0);
    picture = take(data, bytes, WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_GRAY);
    for (size_t n = 0; n < WIDTH * HEIGHT; n++) {
        unsigned steps = 0;
        for (unsigned k = 1; k < 16; k++)
            steps += n >= k;
        for (unsigned e = 0; e < 17; e++)
            for (unsigned m = 0; m < 24; m++)
                steps += 24 * n >= (UINT64_C(16) << e) * (24 + m);
        assert_int_equal(picture.pixels[n], steps < 255 ? steps : 255);
    }
    free(picture.pixels);
    free(flow);
}

static void pixels_stay_as_they_are(void **state)
{
    enum { WIDTH = 67, HEIGHT = 31 };
    static uint8_t pixels[WIDTH * HEIGHT * 3];

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i % 7 ? i / 3 : noise());
    for (int channels = 1; channels <= 3; channels += 2) {
        unsigned char *data;
        size_t bytes;

        assert_int_equal(encode_png_pixels(*state, pixels, WIDTH, HEIGHT, channels, &data, &bytes), 0);
        struct decoded picture =
            take(data, bytes, WIDTH, HEIGHT, 8, channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB);
        assert_memory_equal(picture.pixels, pixels, (size_t)(WIDTH * HEIGHT * channels));
        free(picture.pixels);
    }
}

static void indices_keep_their_palette(void **state)
{
    enum { WIDTH = 300, HEIGHT = 7, COLOURS = 256 };
    static uint8_t index[WIDTH * HEIGHT], colours[COLOURS][3];

    for (size_t i = 0; i < COLOURS; i++)
        for (size_t c = 0; c < 3; c++)
            colours[i][c] = (uint8_t)noise();
    for (int count = 1; count <= COLOURS; count += count < 17 ? 1 : 239 - (count > 17)) {
        unsigned char *data;
        size_t bytes;

        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            index[i] = (uint8_t)(noise() % (unsigned)count);
        assert_int_equal(encode_png_indexed(*state, index, WIDTH, HEIGHT, colours, count, &data, &bytes), 0);
        struct decoded picture = take(data, bytes, WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_PALETTE);
        assert_int_equal(picture.colours, count);
        for (int i = 0; i < count; i++) {
            assert_int_equal(picture.palette[i].red, colours[i][0]);
            assert_int_equal(picture.palette[i].green, colours[i][1]);
            assert_int_equal(picture.palette[i].blue, colours[i][2]);
        }
        assert_memory_equal(picture.pixels, index, sizeof index);
        free(picture.pixels);
    }
}

/* Every kind of picture, read back and encoded again: the same pixels. */
static void pictures_are_read_back(void **state)
{
    enum { WIDTH = 70, HEIGHT = 33 };
    static float values[WIDTH * HEIGHT * 3];
    static uint8_t index[WIDTH * HEIGHT];
    static const uint8_t colours[3][3] = {{1, 2, 3}, {4, 5, 6}, {250, 251, 252}};
    unsigned char *data, *again;
    size_t bytes, again_bytes;

    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        values[i] = noise_between(-1, 300);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        index[i] = (uint8_t)(noise() % 3);
    for (int kind = 0; kind < 4; kind++) {
        static const size_t pixel[4] = {3, 2, 1, 1};
        struct picture picture;
        const int made = kind == 0   ? encode_png_normals(*state, values, WIDTH, HEIGHT, &data, &bytes)
                         : kind == 1 ? encode_png_depth(*state, values, WIDTH, HEIGHT, &data, &bytes)
                         : kind == 2
                             ? encode_png_flow(*state, values, WIDTH, HEIGHT, &data, &bytes)
                             : encode_png_indexed(*state, index, WIDTH, HEIGHT, colours, 3, &data, &bytes);
        assert_int_equal(made, 0);
        assert_int_equal(picture_read(&picture, data, bytes), 0);
        assert_int_equal(picture.width, WIDTH);
        assert_int_equal(picture.height, HEIGHT);
        assert_int_equal(picture.pixel, pixel[kind]);
        assert_int_equal(picture.depth, kind == 1 ? 16 : 8);
        assert_int_equal(picture.colour_count, kind == 3 ? 3 : 0);
        if (kind == 3)
            assert_memory_equal(picture.colours, colours, sizeof colours);
        assert_int_equal(encode_png_picture(*state, &picture, &again, &again_bytes), 0);

        struct decoded first = decode(data, bytes), second = decode(again, again_bytes);
        assert_memory_equal(picture.pixels, first.pixels, WIDTH * HEIGHT * pixel[kind]);
        assert_memory_equal(second.pixels, first.pixels, WIDTH * HEIGHT * pixel[kind]);
        assert_int_equal(second.colour_type, first.colour_type);
        assert_int_equal(second.colours, first.colours);
        free(first.pixels);
        free(second.pixels);
        free(picture.pixels);
        free(again);

        picture = (struct picture){.width = -7};
        for (size_t n = 0; n < bytes; n += n < 60 ? 1 : bytes / 13) /* cut short */
            assert_int_equal(picture_read(&picture, data, n), -1);
        data[bytes / 2] ^= 0x10;
        assert_int_equal(picture_read(&picture, data, bytes), -1);
        data[bytes / 2] ^= 0x10;
        data[24] = 4; /* of IHDR: another depth, and no longer its checksum */
        assert_int_equal(picture_read(&picture, data, bytes), -1);
        assert_int_equal(picture.width, -7);
        free(data);
    }
}

static void bad_palettes_and_sizes_fail(void **state)
{
    static const uint8_t index[4] = {0}, colours[257][3];
    static const float heights[4098] = {0};
    unsigned char *data = NULL;
    size_t bytes = 99;

    assert_int_equal(encode_png_indexed(*state, index, 2, 2, colours, 257, &data, &bytes), -1);
    assert_int_equal(encode_png_indexed(*state, index, 2, 2, colours, 0, &data, &bytes), -1);
    assert_int_equal(encode_png_heights(*state, heights, 4098, 1, ENC_TERRARIUM, 0, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_heights(*state, heights, 1, 4098, ENC_TERRARIUM, 0, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_heights(*state, heights, 0, 1, ENC_TERRARIUM, 0, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_heights(*state, heights, 1, -1, ENC_TERRARIUM, 0, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_slopes(*state, heights, 4098, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_depth(*state, heights, 4098, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_flow(*state, heights, 1, 0, &data, &bytes), -1);
    assert_int_equal(encode_png_pixels(*state, index, 0, 1, 1, &data, &bytes), -1);
    assert_null(data);
    assert_int_equal(bytes, 99);
}

/*
 * ---- Sizes and contents ---------------------------------------------------------------------------------
 */

/* Contents: noise over everything, a gentle slope, one value. */
static void fill(float *heights, int width, int height, int content)
{
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            heights[(size_t)j * (size_t)width + (size_t)i] = content == 0 ? noise_between(-33000, 33000)
                                                             : content == 1
                                                                 ? 0.05f * (float)i - 0.03f * (float)j
                                                                 : 12.25f;
}

static void sizes_round_trip(void **state)
{
    static const int sizes[][2] = {{1, 1},     {1, 2},     {2, 1},     {2, 2},    {3, 3},     {5, 4},
                                   {7, 300},   {300, 7},   {16, 16},   {17, 17},  {255, 255}, {256, 256},
                                   {257, 257}, {255, 257}, {512, 512}, {4097, 1}, {1, 4097},  {4097, 2}};
    enum { MOST = 512 * 512 };
    float *values = allocate(3 * MOST * sizeof *values);
    uint8_t *index = allocate(MOST);
    static const uint8_t colours[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {250, 251, 252}};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int width = sizes[s][0], height = sizes[s][1];
        unsigned char *data;
        size_t bytes;

        for (int content = 0; content < 3; content++) {
            fill(values, width, height, content);
            for (int enc = 0; enc < ENCS_PNG; enc++)
                check_heights(*state, values, width, height, (enum tile_enc)enc, -4096, 4096);
        }
        for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
            index[i] = (uint8_t)(noise() & 3);
        for (size_t i = 0; i < (size_t)width * (size_t)height * 3; i++)
            values[i] = noise_between(-1, 1);
        check_normals(*state, values, width, height);
        assert_int_equal(encode_png_indexed(*state, index, width, height, colours, 4, &data, &bytes), 0);
        struct decoded picture = take(data, bytes, width, height, 8, PNG_COLOR_TYPE_PALETTE);
        assert_memory_equal(picture.pixels, index, (size_t)width * (size_t)height);
        free(picture.pixels);
    }
    free(index);
    free(values);
}

/* Incompressible bytes grow by no more than the framing of stored blocks. */
static void noise_hardly_grows(void **state)
{
    enum { SIZE = 256 };
    static float heights[SIZE * SIZE];
    unsigned char *data;
    size_t bytes;

    for (size_t i = 0; i < SIZE * SIZE; i++)
        heights[i] = ((float)(noise() >> 8) - 8388608) / 256;
    assert_int_equal(encode_png_heights(*state, heights, SIZE, SIZE, ENC_TERRARIUM, 0, 0, &data, &bytes), 0);
    assert_true(bytes <= SIZE * (3 * SIZE + 1) + 200);
    free(data);
}

/* What an encoder did before, large regions included, leaves no trace in what it does next. */
static void reuse_leaves_no_trace(void **state)
{
    static const int sizes[][2] = {{256, 256}, {3, 3},     {257, 257}, {1500, 1200},
                                   {2, 2},     {256, 256}, {64, 300}};
    float *heights = allocate(1500 * 1200 * sizeof *heights);

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct encoder *fresh = encoder_create();
        unsigned char *data, *again;
        size_t bytes, again_bytes;

        assert_non_null(fresh);
        fill(heights, sizes[s][0], sizes[s][1], (int)(s % 2));
        assert_int_equal(
            encode_png_heights(*state, heights, sizes[s][0], sizes[s][1], ENC_TERRARIUM, 0, 0, &data, &bytes),
            0);
        assert_int_equal(encode_png_heights(fresh, heights, sizes[s][0], sizes[s][1], ENC_TERRARIUM, 0, 0,
                                            &again, &again_bytes),
                         0);
        assert_int_equal(bytes, again_bytes);
        assert_memory_equal(data, again, bytes);
        free(data);
        free(again);
        encoder_free(fresh);
    }
    free(heights);
}

static void version_is_of_the_compressor(void **state)
{
    (void)state;
    assert_string_equal(encode_compressor_version(), LIBDEFLATE_VERSION_STRING);
}

static void nothing_is_freed_twice(void **state)
{
    (void)state;
    encoder_free(NULL);
}

/*
 * ---- Filters --------------------------------------------------------------------------------------------
 */

/* As the standard words it. */
static int paeth(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static int predict(enum png_filter filter, int a, int b, int c)
{
    switch (filter) {
    case FILTER_SUB:
        return a;
    case FILTER_UP:
        return b;
    case FILTER_AVERAGE:
        return (a + b) / 2;
    case FILTER_PAETH:
        return paeth(a, b, c);
    default:
        return 0;
    }
}

/* All lengths, pixels and filters, on random bytes; nothing outside the output is touched. */
static void filters_are_the_standards(void **state)
{
    enum { MOST = 100, GUARD = 32 };
    unsigned char rows[2][FILTER_MARGIN + MOST], out[1 + MOST + GUARD];

    (void)state;
    for (size_t bytes = 0; bytes <= MOST; bytes++)
        for (size_t pixel = 1; pixel <= FILTER_MARGIN; pixel++)
            for (int f = 0; f < FILTERS; f++) {
                memset(rows, 0, sizeof rows);
                memset(out, 0xA5, sizeof out);
                for (size_t i = 0; i < 2 * bytes; i++)
                    rows[i & 1][FILTER_MARGIN + i / 2] = (unsigned char)noise();
                const unsigned char *row = rows[0] + FILTER_MARGIN, *above = rows[1] + FILTER_MARGIN;

                png_filter_row((enum png_filter)f, row, above, bytes, pixel, out);
                assert_int_equal(out[0], f);
                for (size_t i = 0; i < bytes; i++) {
                    const int p = predict((enum png_filter)f, (row - pixel)[i], above[i], (above - pixel)[i]);

                    assert_int_equal(out[1 + i], (row[i] - p) & 255);
                }
                for (size_t i = 1 + bytes; i < sizeof out; i++)
                    assert_int_equal(out[i], 0xA5);
            }
}

/* All 2^24 triples: in every pair of bytes the first is the left neighbour of the second. */
static void paeth_of_all_triples(void **state)
{
    unsigned char rows[2][FILTER_MARGIN + 512] = {{0}}, out[513];
    unsigned char *row = rows[0] + FILTER_MARGIN, *above = rows[1] + FILTER_MARGIN;
    size_t wrong = 0;

    (void)state;
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            for (int c = 0; c < 256; c++) {
                row[2 * c] = (unsigned char)a;
                row[2 * c + 1] = 0;
                above[2 * c] = (unsigned char)c;
                above[2 * c + 1] = (unsigned char)b;
            }
            png_filter_row(FILTER_PAETH, row, above, 512, 1, out);
            for (int c = 0; c < 256; c++)
                wrong += out[2 * c + 2] != (-paeth(a, b, c) & 255);
        }
    assert_int_equal(wrong, 0);
}

/*
 * ---- Memory ---------------------------------------------------------------------------------------------
 */

/*
 * Allocations fail in turn, the k-th of a run for every k, until a run gets by without. The hooks are
 * glibc's; sanitizers have allocators of their own.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(SANITIZED) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void __libc_free(void *memory);

static long fail_at = -1, made, living;

static bool allocation_fails(void)
{
    return fail_at >= 0 && made++ == fail_at;
}

void *malloc(size_t bytes)
{
    void *memory = allocation_fails() ? NULL : __libc_malloc(bytes);

    living += memory != NULL;
    return memory;
}

void *calloc(size_t count, size_t bytes)
{
    void *memory = allocation_fails() ? NULL : __libc_calloc(count, bytes);

    living += memory != NULL;
    return memory;
}

void free(void *memory)
{
    living -= memory != NULL;
    __libc_free(memory);
}

/* Returns what the encoder said, or -1 when there was none. Ends with everything freed. */
static int encode_all(const float *values, int size)
{
    static const uint8_t index[32 * 32] = {0}, colours[3][3] = {{0}};
    struct encoder *encoder = encoder_create();
    unsigned char *data[3] = {NULL};
    size_t bytes;
    int result = -1;

    if (encoder) {
        result = encode_png_heights(encoder, values, size, size, ENC_TERRARIUM, 0, 0, &data[0], &bytes);
        result |= encode_png_normals(encoder, values, size / 2, size / 2, &data[1], &bytes);
        result |= encode_png_indexed(encoder, index, 32, 32, colours, 3, &data[2], &bytes);
    }
    for (int i = 0; i < 3; i++)
        free(data[i]);
    encoder_free(encoder);
    return result;
}

static void every_allocation_may_fail(void **state)
{
    enum { SIZE = 64 };
    static float values[SIZE * SIZE];
    long k = 0;
    int result;

    (void)state;
    fill(values, SIZE, SIZE, 1);
    do {
        const long before = living;

        made = 0;
        fail_at = k;
        result = encode_all(values, SIZE);
        fail_at = -1;
        assert_int_equal(living, before);
        assert_int_equal(result, made > k ? -1 : 0);
        k++;
    } while (result != 0);
    assert_true(k > 8);
}

/* A tile costs its answer and libpng's two structs: five allocations at most, two of which live no longer
 * than the call. */
static void a_tile_allocates_little(void **state)
{
    enum { SIZE = 64 };
    static float values[SIZE * SIZE];

    fill(values, SIZE, SIZE, 1);
    for (int round = 0; round < 3; round++) {
        const long before = living;
        unsigned char *data;
        size_t bytes;

        made = 0;
        fail_at = 1000;
        assert_int_equal(encode_png_heights(*state, values, SIZE, SIZE, ENC_TERRARIUM, 0, 0, &data, &bytes),
                         0);
        fail_at = -1;
        if (round > 0) {
            assert_true(made <= 5);
            assert_int_equal(living, before + 1);
        }
        free(data);
    }
}

static void a_large_block_is_not_kept(void **state)
{
    enum { SIZE = 1500 };
    float *values = allocate(SIZE * SIZE * sizeof *values);

    fill(values, SIZE, SIZE, 1);
    for (int size = 64; size <= SIZE; size += SIZE - 64) {
        unsigned char *data;
        size_t bytes;

        assert_int_equal(encode_png_heights(*state, values, 64, 64, ENC_TERRARIUM, 0, 0, &data, &bytes), 0);
        free(data);
        const long before = living;
        assert_int_equal(encode_png_heights(*state, values, size, size, ENC_TERRARIUM, 0, 0, &data, &bytes),
                         0);
        free(data);
        assert_int_equal(living, size == SIZE ? before - 1 : before);
    }
    free(values);
}
#define MEMORY_TESTS                                                                               \
    cmocka_unit_test(every_allocation_may_fail),                                                   \
        cmocka_unit_test_setup_teardown(a_tile_allocates_little, encoder_setup, encoder_teardown), \
        cmocka_unit_test_setup_teardown(a_large_block_is_not_kept, encoder_setup, encoder_teardown),
#else
#define MEMORY_TESTS
#endif

int main(void)
{
#define WITH_ENCODER(test) cmocka_unit_test_setup_teardown(test, encoder_setup, encoder_teardown)
    const struct CMUnitTest tests[] = {WITH_ENCODER(terrarium_is_exact),
                                       WITH_ENCODER(terrarium_is_within_a_512th),
                                       WITH_ENCODER(terrarium_of_known_heights),
                                       WITH_ENCODER(mapbox_is_within_a_20th),
                                       WITH_ENCODER(mapbox_of_known_heights),
                                       WITH_ENCODER(gray16_spans_the_range),
                                       WITH_ENCODER(filter_follows_the_ground),
                                       WITH_ENCODER(normals_are_rounded),
                                       WITH_ENCODER(slopes_are_rounded),
                                       WITH_ENCODER(depths_are_eighths),
                                       WITH_ENCODER(flow_is_a_logarithm),
                                       WITH_ENCODER(pictures_are_read_back),
                                       WITH_ENCODER(pixels_stay_as_they_are),
                                       WITH_ENCODER(indices_keep_their_palette),
                                       WITH_ENCODER(bad_palettes_and_sizes_fail),
                                       WITH_ENCODER(sizes_round_trip),
                                       WITH_ENCODER(noise_hardly_grows),
                                       WITH_ENCODER(reuse_leaves_no_trace),
                                       cmocka_unit_test(version_is_of_the_compressor),
                                       cmocka_unit_test(nothing_is_freed_twice),
                                       cmocka_unit_test(filters_are_the_standards),
                                       cmocka_unit_test(paeth_of_all_triples),
                                       MEMORY_TESTS};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
