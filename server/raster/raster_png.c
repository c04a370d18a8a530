/*
 * PNG of 16 or 8 bits: its numbers, 0 .. 65535 or 0 .. 255; of fewer bits, or of a palette, what these stand for.
 */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "../../lib/terrane.h"
#include "raster_parts.h"

enum { CHUNK_MAX = 1 << 20, CHUNKS_MAX = 64, ROW_MAX = 4 * 2 * TERRANE_RASTER_SIDE };

struct stream {
    struct raster_reader *reader;
    uint64_t at;
};

static void read_bytes(png_structp png, png_bytep out, size_t count)
{
    struct stream *stream = png_get_io_ptr(png);
    if (raster_bytes(stream->reader, stream->at, out, count) != (int64_t)count)
        png_error(png, "the file ends too early");
    stream->at += count;
}

static void on_error(png_structp png, png_const_charp message)
{
    struct raster_reader *reader = png_get_error_ptr(png);
    raster_refuse(reader, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static int channel_of(const unsigned char *pixel, int channel, int depth)
{
    return depth == 8 ? pixel[channel] : pixel[2 * channel] << 8 | pixel[2 * channel + 1];
}

/* A row of the file, whose pixels may lie apart in the picture. */
static int put_row(struct raster_reader *reader, const unsigned char *row, size_t j, size_t from, size_t step,
                   int channels, int depth)
{
    const size_t width = (size_t)reader->out.width;
    for (size_t i = from; i < width; i += step, row += channels * depth / 8) {
        float channel[4] = {0};
        for (int k = 0; k < channels; k++)
            channel[k] = (float)channel_of(row, k, depth);
        if (raster_put_pixel(reader, j * width + i, channel, channels) != 0)
            return -1;
    }
    return 0;
}

/* An interlaced picture is seven small ones, whose pixels are every so many of each so many rows. */
static int read_rows(struct raster_reader *reader, png_structp png, png_infop info, unsigned char *row)
{
    const bool laced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    const int depth = png_get_bit_depth(png, info), channels = png_get_channels(png, info);
    const size_t width = (size_t)reader->out.width, height = (size_t)reader->out.height;
    for (int pass = 0; pass < (laced ? PNG_INTERLACE_ADAM7_PASSES : 1); pass++) {
        const size_t left = laced ? PNG_PASS_START_COL(pass) : 0, top = laced ? PNG_PASS_START_ROW(pass) : 0;
        const size_t across = laced ? PNG_PASS_COL_OFFSET(pass) : 1,
                     down = laced ? PNG_PASS_ROW_OFFSET(pass) : 1;
        for (size_t j = top; left < width && j < height; j += down) {
            png_read_row(png, row, NULL);
            if (put_row(reader, row, j, left, across, channels, depth) != 0)
                return -1;
        }
    }
    return 0;
}

/* What may leave by png_longjmp: no variable of the caller's changes. */
static int read_image(struct raster_reader *reader, png_structp png, png_infop info, unsigned char *row)
{
    png_read_info(png, info);
    const bool few =
        png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE || png_get_bit_depth(png, info) < 8;
    if (few && !reader->any)
        return raster_refuse(reader, "has a palette, or less than 8 bits: save it in grey of 8 or 16 bits");
    if (few) {
        png_set_expand(png);
        png_read_update_info(png, info);
        reader->out.foreign = true;
    }
    const int depth = png_get_bit_depth(png, info), channels = png_get_channels(png, info);
    const png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    if (raster_size(reader, width, height) != 0)
        return -1;
    png_color_16p none; /* which number is transparent */
    if (!few && png_get_tRNS(png, info, NULL, NULL, &none) != 0 &&
        (channels == 1 || (none->red == none->green && none->red == none->blue))) {
        reader->has_none = true;
        reader->none = channels == 1 ? none->gray : none->red;
    }
    reader->out.white = depth == 8 ? 255 : 65535;
    if (read_rows(reader, png, info, row) != 0)
        return -1;
    png_read_end(png, NULL);
    return 0;
}

static int guarded(struct raster_reader *reader, png_structp png, png_infop info, unsigned char *row)
{
    if (setjmp(png_jmpbuf(png)))
        return -1;
    return read_image(reader, png, info, row);
}

int raster_read_png(struct raster_reader *reader)
{
    struct stream stream = {reader, 0};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    unsigned char *row = malloc(ROW_MAX);
    int result = -1;
    if (!info || !row) {
        raster_refuse(reader, "out of memory");
    } else {
        png_set_read_fn(png, &stream, read_bytes);
        png_set_user_limits(png, TERRANE_RASTER_SIDE, TERRANE_RASTER_SIDE);
        png_set_chunk_malloc_max(png, CHUNK_MAX);
        png_set_chunk_cache_max(png, CHUNKS_MAX);
        result = guarded(reader, png, info, row);
    }
    if (png)
        png_destroy_read_struct(&png, &info, NULL);
    free(row);
    return result;
}
