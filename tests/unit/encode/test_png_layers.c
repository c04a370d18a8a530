/*
 * PNG tiles (server/encode/png_layers.c): what numbers become that real ground does not have, and those beside a tie. All others,
 * and heights, normals and indices: tests/http/test_formats.py, test_layers.py and tests/fuzz/fuzz_png.c.
 */
#include "../unit.h"

#include <float.h>
#include <math.h>

#include "../../../server/encode/encode.h"

static int setup(void **state)
{
    *state = encoder_create();
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    encoder_free(*state);
    return 0;
}

/* The pixels of a picture, which is freed. */
static struct picture taken(unsigned char *data, size_t bytes, size_t pixel)
{
    struct picture picture;

    assert_int_equal(picture_read(&picture, data, bytes), 0);
    assert_int_equal(picture.pixel, pixel);
    free(data);
    return picture;
}

TEST(slopes_are_rounded)
{
    static const float degrees[] = {0, 45, 90, 0.1764f, 0.1765f, 89.9f, -1, 100, NAN};
    static const unsigned char expected[] = {0, 128, 255, 0, 1, 255, 0, 255, 0};
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_samples(*state, ENCODE_DEGREES, degrees, 3, 3, 90, &data, &bytes), 0);
    struct picture picture = taken(data, bytes, 1);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

/* Eighths of a metre, halves up; big-endian, as PNG has it. */
TEST(depths_are_eighths)
{
    static const float edges[] = {0,        0.0624f,  0.0625f,  0.125f, 1,      8191.875f,
                                  8191.9f,  8191.93f, 8191.95f, 9000,   32768,  FLT_MAX,
                                  INFINITY, -1,       -0.0f,    NAN,    12.34f, 0x1p-149f};
    static const unsigned expected[] = {0,     0,     1,     1,     8, 65535, 65535, 65535, 65535,
                                        65535, 65535, 65535, 65535, 0, 0,     0,     99,    0};
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_samples(*state, ENCODE_DEPTH, edges, 9, 2, 0, &data, &bytes), 0);
    struct picture picture = taken(data, bytes, 2);
    for (size_t i = 0; i < 18; i++)
        assert_int_equal(picture.pixels[2 * i] << 8 | picture.pixels[2 * i + 1], expected[i]);
    free(picture.pixels);
}

/* The steps between: tests/http/test_formats.py. */
TEST(flow_has_ends)
{
    static const float edges[] = {0, 1.0f / 16, 0.03f, 0.032f, 1, 2, 16, 1023, 1e9f, INFINITY, -1, NAN};
    static const unsigned char expected[] = {0, 1, 0, 1, 16, 40, 112, 255, 255, 255, 0, 0};
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_samples(*state, ENCODE_FLOW, edges, 4, 3, 0, &data, &bytes), 0);
    struct picture picture = taken(data, bytes, 1);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

GROUP_EACH(png_layers, setup, teardown);
