/*
 * PNG tiles (server/encode/png.c): every size and content comes back, and an encoder remembers nothing.
 */
#include "../unit.h"

#include "png_kit.h"

TEST(sizes_round_trip, .setup_func = encoder_setup, .teardown_func = encoder_teardown)
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

/* What an encoder did before, large regions included, leaves no trace in what it does next. */
TEST(reuse_leaves_no_trace, .setup_func = encoder_setup, .teardown_func = encoder_teardown)
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

TEST(version_is_of_the_compressor)
{
    assert_string_equal(encode_compressor_version(), LIBDEFLATE_VERSION_STRING);
}

TEST(nothing_is_freed_twice)
{
    encoder_free(NULL);
}

GROUP(png_sizes);
