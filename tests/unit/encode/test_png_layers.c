/*
 * PNG tiles (server/encode/png_layers.c): what numbers become that real ground does not have, and those beside a tie. All others,
 * and heights, normals and indices: tests/http/test_formats.py, test_layers.py and tests/fuzz/fuzz_png.c.
 */
#include "../unit.h"

#include <float.h>
#include <math.h>

#include "../../../server/encode/encode.h"

/* A row of numbers becomes pixels of so many bytes; big-endian, as PNG has it. */
static void check(enum png_samples what, float full, const float *value, const unsigned *expected, int count,
                  size_t pixel)
{
    struct encoder *const encoder = encoder_create();
    struct picture picture;
    unsigned char *data;
    size_t bytes;

    assert_non_null(encoder);
    assert_int_equal(encode_png_samples(encoder, what, value, count, 1, full, &data, &bytes), 0);
    assert_int_equal(picture_read(&picture, data, bytes), 0);
    assert_int_equal(picture.pixel, pixel);
    for (int i = 0; i < count; i++) {
        const unsigned char *at = picture.pixels + (size_t)i * pixel;
        assert_int_equal(pixel == 2 ? at[0] << 8 | at[1] : at[0], expected[i]);
    }
    free(picture.pixels);
    free(data);
    encoder_free(encoder);
}

TEST(slopes_are_rounded)
{
    static const float degrees[] = {0, 45, 90, 0.1764f, 0.1765f, 89.9f, -1, 100, NAN};
    static const unsigned expected[] = {0, 128, 255, 0, 1, 255, 0, 255, 0};

    check(ENCODE_DEGREES, 90, degrees, expected, 9, 1);
}

/* Eighths of a metre, halves up. */
TEST(depths_are_eighths)
{
    static const float edges[] = {0,        0.0624f,  0.0625f,  0.125f, 1,      8191.875f,
                                  8191.9f,  8191.93f, 8191.95f, 9000,   32768,  FLT_MAX,
                                  INFINITY, -1,       -0.0f,    NAN,    12.34f, 0x1p-149f};
    static const unsigned expected[] = {0,     0,     1,     1,     8, 65535, 65535, 65535, 65535,
                                        65535, 65535, 65535, 65535, 0, 0,     0,     99,    0};

    check(ENCODE_DEPTH, 0, edges, expected, 18, 2);
}

/* The steps between: tests/http/test_formats.py. */
TEST(flow_has_ends)
{
    static const float edges[] = {0, 1.0f / 16, 0.03f, 0.032f, 1, 2, 16, 1023, 1e9f, INFINITY, -1, NAN};
    static const unsigned expected[] = {0, 1, 0, 1, 16, 40, 112, 255, 255, 255, 0, 0};

    check(ENCODE_FLOW, 0, edges, expected, 12, 1);
}

GROUP(png_layers);
