/*
 * TIFF by libtiff: the first picture of a file, of one number a sample, in strips or tiles.
 *
 * Of what a file says of its blocks nothing is believed: rows and columns are bounded before there is room for them, a block's
 * length follows from these, and libtiff's own allocations have a bound, too.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "../../lib/terrane.h"
#include "raster_parts.h"

enum { TAG_NODATA = 42113, BLOCK_MAX = 1 << 29 };

struct stream {
    struct raster_reader *reader;
    uint64_t at;
    char said[160]; /* libtiff's first word about what is wrong */
};

static tmsize_t read_bytes(thandle_t handle, void *out, tmsize_t count)
{
    struct stream *stream = handle;
    const int64_t got = count > 0 ? raster_bytes(stream->reader, stream->at, out, (size_t)count) : 0;
    stream->at += got > 0 ? (uint64_t)got : 0;
    return (tmsize_t)got;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t count)
{
    (void)handle;
    (void)from;
    (void)count;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct stream *stream = handle;
    const uint64_t from = whence == SEEK_CUR ? stream->at : whence == SEEK_END ? stream->reader->bytes : 0;
    stream->at = from + offset;
    return stream->at;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle)
{
    return ((struct stream *)handle)->reader->bytes;
}

__attribute__((format(printf, 4, 0))) static int on_error(TIFF *tif, void *user, const char *module,
                                                          const char *format, va_list arguments)
{
    struct stream *stream = user;
    (void)tif;
    (void)module;
    if (stream->said[0] == '\0')
        vsnprintf(stream->said, sizeof stream->said, format, arguments);
    return 1;
}

__attribute__((format(printf, 4, 0))) static int on_warning(TIFF *tif, void *user, const char *module,
                                                            const char *format, va_list arguments)
{
    (void)tif;
    (void)user;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

struct numbers {
    uint16_t bits, format, channels;
};

static bool numbers_are_known(const struct numbers *numbers)
{
    const bool whole = numbers->format == SAMPLEFORMAT_UINT || numbers->format == SAMPLEFORMAT_INT;
    return whole ? numbers->bits == 8 || numbers->bits == 16 || numbers->bits == 32
                 : numbers->format == SAMPLEFORMAT_IEEEFP && (numbers->bits == 32 || numbers->bits == 64);
}

#define NUMBER(type)                        \
    {                                       \
        type number;                        \
        memcpy(&number, at, sizeof number); \
        return (double)number;              \
    }

/* In the machine's order: libtiff has turned them. */
static double number_of(const struct numbers *numbers, const unsigned char *at)
{
    const bool sign = numbers->format == SAMPLEFORMAT_INT;
    if (numbers->format == SAMPLEFORMAT_IEEEFP) {
        if (numbers->bits == 32)
            NUMBER(float)
        NUMBER(double)
    }
    if (numbers->bits == 8)
        return sign ? (double)(int8_t)*at : (double)*at;
    if (numbers->bits == 16) {
        if (sign)
            NUMBER(int16_t)
        NUMBER(uint16_t)
    }
    if (sign)
        NUMBER(int32_t)
    NUMBER(uint32_t)
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

/* A picture's cut into blocks, which lie row by row. */
struct blocks {
    uint32_t width, height; /* of a block; those at the edges reach beyond the picture where they are tiles */
    bool tiled;
    struct numbers numbers;
};

static size_t bytes_of(const struct numbers *numbers)
{
    return (size_t)numbers->bits / 8 * numbers->channels;
}

static int put_sample(struct raster_reader *reader, const struct numbers *numbers, size_t at,
                      const unsigned char *data)
{
    if (numbers->channels == 1)
        return raster_put(reader, at, number_of(numbers, data));
    float channel[4] = {0};
    for (int k = 0; k < numbers->channels; k++)
        channel[k] = (float)number_of(numbers, data + k * (numbers->bits / 8));
    return raster_put_pixel(reader, at, channel, numbers->channels);
}

static int put_block(struct raster_reader *reader, const struct blocks *blocks, uint32_t x, uint32_t y,
                     const unsigned char *data)
{
    const uint32_t width = (uint32_t)reader->out.width, height = (uint32_t)reader->out.height;
    const size_t bytes = bytes_of(&blocks->numbers);
    const uint32_t columns = width - x < blocks->width ? width - x : blocks->width,
                   rows = height - y < blocks->height ? height - y : blocks->height;
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            const size_t at = (size_t)(y + j) * width + x + i;
            if (put_sample(reader, &blocks->numbers, at, data + ((size_t)j * blocks->width + i) * bytes) != 0)
                return -1;
        }
    return 0;
}

static int read_blocks(struct raster_reader *reader, TIFF *tif, const struct blocks *blocks)
{
    const uint32_t width = (uint32_t)reader->out.width, height = (uint32_t)reader->out.height;
    const uint64_t whole = (uint64_t)blocks->width * blocks->height * bytes_of(&blocks->numbers);
    if (whole > BLOCK_MAX)
        return raster_refuse(reader, "has blocks of %llu bytes: allowed at most %d",
                             (unsigned long long)whole, BLOCK_MAX);
    unsigned char *data = malloc((size_t)whole);
    int result = 0;
    uint32_t number = 0;
    if (!data)
        return raster_refuse(reader, "out of memory");
    for (uint32_t y = 0; result == 0 && y < height; y += blocks->height)
        for (uint32_t x = 0; result == 0 && x < width; x += blocks->width, number++) {
            const uint32_t rows = blocks->tiled || height - y > blocks->height ? blocks->height : height - y;
            if (TIFFGetStrileOffset(tif, number) == 0) { /* libtiff would take the file's head for it */
                result = raster_refuse(reader, "%s %u is not in the file", blocks->tiled ? "tile" : "strip",
                                       number);
                continue;
            }
            const tmsize_t bytes = (tmsize_t)((uint64_t)blocks->width * rows * bytes_of(&blocks->numbers));
            const tmsize_t got = blocks->tiled ? TIFFReadEncodedTile(tif, number, data, bytes)
                                               : TIFFReadEncodedStrip(tif, number, data, bytes);
            if (got != bytes)
                result =
                    raster_refuse(reader, "%s %u cannot be read", blocks->tiled ? "tile" : "strip", number);
            else
                result = put_block(reader, blocks, x, y, data);
        }
    free(data);
    return result;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* GDAL's tag, which libtiff has no name for: a number as text; of float32, the nearest of these. */
static void read_none(struct raster_reader *reader, TIFF *tif, const struct numbers *numbers)
{
    uint32_t count = 0;
    const char *text = NULL;
    if (TIFFGetField(tif, TAG_NODATA, &count, &text) != 1 || !text || count == 0 || text[count - 1] != '\0')
        return;
    char *end;
    reader->none = strtod(text, &end);
    reader->has_none = end != text;
    if (numbers->format == SAMPLEFORMAT_IEEEFP && numbers->bits == 32 && fabs(reader->none) <= FLT_MAX)
        reader->none = (double)(float)reader->none;
}

/* Numbers a sample: one, or those of a picture in colours. */
static int check_channels(struct raster_reader *reader, TIFF *tif, const struct numbers *numbers,
                          uint16_t photometric)
{
    uint16_t planar = PLANARCONFIG_CONTIG;
    TIFFGetFieldDefaulted(tif, TIFFTAG_PLANARCONFIG, &planar);
    if (numbers->channels == 1)
        return 0;
    if (!reader->any || numbers->channels < 3 || numbers->channels > 4)
        return raster_refuse(reader, "has %d numbers a sample: allowed 1", numbers->channels);
    if (photometric != PHOTOMETRIC_RGB || planar != PLANARCONFIG_CONTIG || numbers->bits > 16 ||
        numbers->format != SAMPLEFORMAT_UINT)
        return raster_refuse(reader, "its %d numbers a sample are no RGB of 8 or 16 bits, pixel by pixel",
                             numbers->channels);
    reader->out.foreign = true;
    reader->out.white = numbers->bits == 8 ? 255 : 65535;
    return 0;
}

static int read_picture(struct raster_reader *reader, TIFF *tif)
{
    uint32_t width = 0, height = 0;
    uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    struct blocks blocks = {.tiled = TIFFIsTiled(tif) != 0};
    TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &blocks.numbers.channels);
    TIFFGetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &blocks.numbers.bits);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &blocks.numbers.format);
    TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &photometric);
    if (check_channels(reader, tif, &blocks.numbers, photometric) != 0)
        return -1;
    if (!numbers_are_known(&blocks.numbers))
        return raster_refuse(reader, "its numbers are no integers of 8, 16 or 32 bits, float32 or float64");
    if (photometric == PHOTOMETRIC_PALETTE)
        return raster_refuse(reader, "its numbers are places in a palette: save heights, or grey");
    read_none(reader, tif, &blocks.numbers);
    blocks.width = width;
    if (blocks.tiled) {
        TIFFGetField(tif, TIFFTAG_TILEWIDTH, &blocks.width);
        TIFFGetField(tif, TIFFTAG_TILELENGTH, &blocks.height);
    } else {
        TIFFGetFieldDefaulted(tif, TIFFTAG_ROWSPERSTRIP, &blocks.height);
        blocks.height = blocks.height < height ? blocks.height : height;
    }
    if (raster_size(reader, width, height) != 0)
        return -1;
    if (blocks.width == 0 || blocks.height == 0)
        return raster_refuse(reader, "has blocks without a sample");
    return read_blocks(reader, tif, &blocks);
}

int raster_read_tif(struct raster_reader *reader)
{
    struct stream stream = {.reader = reader};
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return raster_refuse(reader, "out of memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, BLOCK_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &stream);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &stream);
    TIFF *tif = TIFFClientOpenExt("raster", "rm", &stream, read_bytes, write_nothing, seek, close_nothing,
                                  size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    const int result = tif ? read_picture(reader, tif) : raster_refuse(reader, "is no TIFF that can be read");
    if (tif)
        TIFFClose(tif);
    if (result != 0 && stream.said[0]) {
        char told[RASTER_WHY_BYTES];
        snprintf(told, sizeof told, "%s", reader->why);
        raster_refuse(reader, "%s (libtiff: %s)", told, stream.said);
    }
    return result;
}
