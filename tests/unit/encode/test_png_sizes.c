/*
 * PNG tiles (server/encode/png.c): every size and content comes back, and an encoder remembers nothing.
 */
#include "../unit.h"

#include "png_kit.h"

/* Incompressible bytes grow by no more than the framing of stored blocks. */
TEST(noise_hardly_grows, .setup_func = encoder_setup, .teardown_func = encoder_teardown)
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

TEST(version_is_of_the_compressor)
{
    assert_string_equal(encode_compressor_version(), LIBDEFLATE_VERSION_STRING);
}

TEST(nothing_is_freed_twice)
{
    encoder_free(NULL);
}

GROUP(png_sizes);
