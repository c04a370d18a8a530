/*
 * PNG tiles (server/encode/png.c, png_layers.c): normals, slopes, depths, flow, pixels and indices; pictures
 * that are read back; and what no picture is made of.
 */
#include "../unit.h"

#include "png_kit.h"

TEST(slopes_are_rounded)
{
    static const float degrees[] = {0, 45, 90, 0.1764f, 0.1765f, 89.9f, -1, 100, NAN};
    static const unsigned char expected[] = {0, 128, 255, 0, 1, 255, 0, 255, 0};
    unsigned char *data;
    size_t bytes;

    assert_int_equal(encode_png_degrees(*state, degrees, 3, 3, 90, &data, &bytes), 0);
    struct decoded picture = take(data, bytes, 3, 3, 8, PNG_COLOR_TYPE_GRAY);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    free(picture.pixels);
}

/* Eighths of a metre, halves up; big-endian, as PNG has it. */
TEST(depths_are_eighths)
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
TEST(flow_is_a_logarithm)
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

/* Every kind of picture, read back and encoded again: the same pixels. */
TEST(pictures_are_read_back)
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

TEST(bad_palettes_and_sizes_fail)
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
    assert_int_equal(encode_png_degrees(*state, heights, 4098, 1, 90, &data, &bytes), -1);
    assert_int_equal(encode_png_depth(*state, heights, 4098, 1, &data, &bytes), -1);
    assert_int_equal(encode_png_flow(*state, heights, 1, 0, &data, &bytes), -1);
    assert_int_equal(encode_png_pixels(*state, index, 0, 1, 1, &data, &bytes), -1);
    assert_null(data);
    assert_int_equal(bytes, 99);
}

GROUP_EACH(png_layers, encoder_setup, encoder_teardown);
