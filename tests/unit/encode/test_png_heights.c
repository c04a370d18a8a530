/*
 * PNG tiles (server/encode/png.c): heights in each encoding, rounded as they must be, and the filters of
 * their rows.
 */
#include "../unit.h"

#include "png_kit.h"

TEST(terrarium_of_known_heights)
{
    static const float heights[] = {0, -32768, 40000, 1.5f, -1.5f, 0x1p-9f, -0x1p-9f, -0.0f, NAN};
    static const unsigned char expected[][3] = {{128, 0, 0},   {0, 0, 0},       {255, 255, 255},
                                                {128, 1, 128}, {127, 254, 128}, {128, 0, 1},
                                                {128, 0, 0},   {128, 0, 0},     {0, 0, 0}};
    struct decoded picture = heights_through(*state, heights, 9, 1, ENC_TERRARIUM, 0, 0);

    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

TEST(mapbox_of_known_heights)
{
    static const float heights[] = {0, -10000, -10001, 2e6f, -9999.95f, 0.05f, NAN};
    static const unsigned char expected[][3] = {
        {0x01, 0x86, 0xA0}, {0, 0, 0}, {0, 0, 0}, {255, 255, 255}, {0, 0, 0}, {1, 0x86, 0xA1}, {0, 0, 0}};
    struct decoded picture = heights_through(*state, heights, 7, 1, ENC_MAPBOX, 0, 0);

    /* -9999.95 is the float -9999.9502, and 0.05 is 0.0500000007 */
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

TEST(gray16_spans_the_range)
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
TEST(filter_follows_the_ground)
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

/* Incompressible bytes grow by no more than the framing of stored blocks. */
TEST(noise_hardly_grows)
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

GROUP_EACH(png_heights, encoder_setup, encoder_teardown);
