/*
 * PNGs row by row: libpng reads back the pixels that went in, whatever their kind, the sizes and the pieces that are read;
 * and what is held is bounded.
 */
#include "../unit.h"

#include "../../../server/encode/png_stream.h"

struct bytes {
    unsigned char *data;
    size_t used, room, max_ready;
};

static void take(struct bytes *out, struct png_stream *stream, size_t piece)
{
    for (size_t n = piece, ready = 0; n == piece; out->used += n) {
        if (out->used + piece > out->room) {
            out->room = 2 * (out->used + piece);
            out->data = realloc(out->data, out->room);
            assert_non_null(out->data);
        }
        n = png_stream_read(stream, out->data + out->used, piece);
        ready += n;
        if (ready > out->max_ready)
            out->max_ready = ready;
    }
}

/* Noise in the low bits, a slope in the high ones; reproducible. */
static void fill(unsigned char *pixels, size_t bytes, unsigned kind)
{
    uint32_t state = 1 + kind;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525 + 1013904223;
        pixels[i] = (unsigned char)(kind == 0 ? i / 7 : kind == 1 ? state >> 24 : i / 99 + (state >> 30));
    }
}

/* Cut short, with a bit that changed, or of another depth: none, and what is there is untouched. */
static void check_spoilt(unsigned char *data, size_t bytes)
{
    static const size_t at[] = {24, 30, 40, 50};
    struct picture read = {.width = -7};

    for (size_t n = 0; n < bytes; n++)
        assert_int_equal(picture_read(&read, data, n), -1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        data[at[i]] ^= 0x10;
        assert_int_equal(picture_read(&read, data, bytes), -1);
        data[at[i]] ^= 0x10;
    }
    assert_int_equal(read.width, -7);
}

/* piece 0: it is not read until all is written. */
static void check(const struct picture *kind, int width, int height, unsigned content, size_t piece)
{
    const size_t row = (size_t)width * kind->pixel, bytes = row * (size_t)height;
    unsigned char *pixels = malloc(bytes);
    struct png_stream *stream = png_stream_create(width, height, kind);
    struct bytes out = {0};
    struct picture read;

    assert_true(pixels && stream);
    fill(pixels, bytes, content);
    for (int j = 0; j < height; j++) {
        assert_int_equal(png_stream_row(stream, pixels + (size_t)j * row), 0);
        if (piece > 0)
            take(&out, stream, piece);
    }
    assert_true(out.max_ready <= 200000);
    if (piece == 0)
        take(&out, stream, 12345);
    assert_int_equal(picture_read(&read, out.data, out.used), 0);
    assert_int_equal(read.width, width);
    assert_int_equal(read.height, height);
    assert_int_equal(read.depth, kind->depth);
    assert_int_equal(read.pixel, kind->pixel);
    assert_int_equal(read.colour_count, kind->colour_count);
    assert_memory_equal(read.pixels, pixels, bytes);
    if (kind->colour_count > 0)
        assert_memory_equal(read.colours, kind->colours, 3 * (size_t)kind->colour_count);
    free(read.pixels);
    if (bytes < 1000)
        check_spoilt(out.data, out.used);
    assert_int_equal(picture_read(&read, out.data, out.used - 1), -1);
    free(out.data);
    png_stream_free(stream);
    free(pixels);
}

static const struct picture grey = {.depth = 8, .pixel = 1}, grey16 = {.depth = 16, .pixel = 2},
                            rgb = {.depth = 8, .pixel = 3};

TEST(every_kind_and_size_comes_back)
{
    static const int size[][2] = {{1, 1}, {1, 50}, {50, 1}, {3, 2}, {257, 300}, {4097, 3}, {3, 4097}};
    struct picture indexed = {.depth = 8, .pixel = 1, .colour_count = 256};

    fill(&indexed.colours[0][0], sizeof indexed.colours, 1);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (unsigned content = 0; content < 3; content++) {
            check(&grey, size[i][0], size[i][1], content, 1000);
            check(&grey16, size[i][0], size[i][1], content, 1);
            check(&rgb, size[i][0], size[i][1], content, 65536);
            check(&indexed, size[i][0], size[i][1], content, 7);
        }
}

/* Noise, of which deflate makes more than it was. */
TEST(little_is_held_of_a_large_one)
{
    check(&rgb, 4097, 200, 1, 4000);
    check(&rgb, 4097, 200, 0, 4000);
}

/* What is not read is kept, however much it is. */
TEST(what_is_not_read_is_kept)
{
    check(&rgb, 500, 400, 1, 0);
}

TEST(one_may_be_left_in_the_middle)
{
    unsigned char row[30] = {0};
    struct png_stream *stream = png_stream_create(10, 10, &rgb);

    assert_non_null(stream);
    assert_int_equal(png_stream_row(stream, row), 0);
    png_stream_free(stream);
    png_stream_free(NULL);
}

GROUP(png_stream);
