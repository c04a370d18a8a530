/*
 * PNG row by row: signature, IHDR and PLTE at once, then rows through a filter and zlib's deflate into chunks of IDAT,
 * which libdeflate, which needs all of its input at once, could not do. The same pixels as by png.c, in other bytes.
 *
 * Invariant: out[read .. used) is ready output; a chunk goes there when it is complete.
 */
#include "png_stream.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../base/check.h"
#include "png_image.h"

enum {
    CHUNK_BYTES = 32 << 10,
    ROOM_BYTES = 64 << 10, /* at first */
    LEVEL_FAST = 1,        /* as png.c, and for its reasons */
    LEVEL_DENSE = 6,
    COLOUR_GREY = 0, /* in IHDR */
    COLOUR_RGB = 2,
    COLOUR_RGBA = 6,
    COLOUR_INDEXED = 3
};

struct png_stream {
    z_stream zlib;
    enum png_filter filter;
    size_t row_bytes, pixel;
    int left;                   /* rows to come */
    unsigned char *row, *above; /* each with FILTER_MARGIN zeros in front */
    unsigned char *filtered;
    unsigned char *block; /* memory of these three */
    unsigned char *out;
    size_t read, used, room;
    unsigned char chunk[CHUNK_BYTES];
};

const char *png_stream_version(void)
{
    return zlibVersion(); /* ENCODE_VERSION counts this file's own changes */
}

/* ---- Container ----------------------------------------------------------------------------------------- */

static int reserve(struct png_stream *stream, size_t bytes)
{
    size_t room = stream->room ? stream->room : ROOM_BYTES;
    if (stream->read == stream->used)
        stream->read = stream->used = 0;
    while (room < stream->used + bytes)
        room *= 2;
    if (room == stream->room)
        return 0;
    unsigned char *out = realloc(stream->out, room);
    if (!out)
        return -1;
    stream->out = out;
    stream->room = room;
    return 0;
}

static void put(struct png_stream *stream, const void *bytes, size_t count)
{
    if (count > 0)
        memcpy(stream->out + stream->used, bytes, count);
    stream->used += count;
}

static void big_endian(unsigned char out[4], uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static int put_chunk(struct png_stream *stream, const char type[5], const unsigned char *data, size_t bytes)
{
    unsigned char number[4];
    if (reserve(stream, 12 + bytes) != 0)
        return -1;
    big_endian(number, (uint32_t)bytes);
    put(stream, number, 4);
    put(stream, type, 4);
    put(stream, data, bytes);
    uLong crc = crc32(0, (const unsigned char *)type, 4);
    if (bytes > 0)
        crc = crc32(crc, data, (uInt)bytes);
    big_endian(number, (uint32_t)crc);
    put(stream, number, 4);
    return 0;
}

static int put_head(struct png_stream *stream, int width, int height, const struct picture *kind)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char head[13] = {0};
    if (reserve(stream, sizeof signature) != 0)
        return -1;
    put(stream, signature, sizeof signature);
    big_endian(head, (uint32_t)width);
    big_endian(head + 4, (uint32_t)height);
    head[8] = (unsigned char)kind->depth;
    head[9] = kind->colour_count > 0 ? COLOUR_INDEXED
              : kind->pixel == 4     ? COLOUR_RGBA
              : kind->pixel == 3     ? COLOUR_RGB
                                     : COLOUR_GREY;
    if (put_chunk(stream, "IHDR", head, sizeof head) != 0)
        return -1;
    return kind->colour_count == 0
               ? 0
               : put_chunk(stream, "PLTE", &kind->colours[0][0], 3 * (size_t)kind->colour_count);
}

/* ---- Life ---------------------------------------------------------------------------------------------- */

struct png_stream *png_stream_create(int width, int height, const struct picture *kind)
{
    const bool indexed = kind->colour_count > 0;
    CHECK(width >= 1 && width <= TERRANE_WINDOW_MAX && height >= 1 && height <= TERRANE_WINDOW_MAX);
    CHECK(kind->pixel >= 1 && kind->pixel <= FILTER_MARGIN && kind->colour_count <= 256);
    struct png_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->pixel = kind->pixel;
    stream->row_bytes = (size_t)width * kind->pixel;
    stream->left = height;
    stream->filter = indexed ? FILTER_NONE : FILTER_PAETH;
    stream->block = calloc(1, 3 * (FILTER_MARGIN + stream->row_bytes));
    if (deflateInit(&stream->zlib, indexed ? LEVEL_DENSE : LEVEL_FAST) != Z_OK) {
        free(stream->block);
        free(stream);
        return NULL;
    }
    stream->zlib.next_out = stream->chunk;
    stream->zlib.avail_out = CHUNK_BYTES;
    if (!stream->block || put_head(stream, width, height, kind) != 0) {
        png_stream_free(stream);
        return NULL;
    }
    stream->row = stream->block + FILTER_MARGIN;
    stream->above = stream->row + stream->row_bytes + FILTER_MARGIN;
    stream->filtered = stream->above + stream->row_bytes; /* 1 + row_bytes */
    return stream;
}

void png_stream_free(struct png_stream *stream)
{
    if (!stream)
        return;
    deflateEnd(&stream->zlib);
    free(stream->block);
    free(stream->out);
    free(stream);
}

/* ---- Rows and bytes ------------------------------------------------------------------------------------ */

static int flush_chunk(struct png_stream *stream)
{
    const size_t bytes = CHUNK_BYTES - stream->zlib.avail_out;
    stream->zlib.next_out = stream->chunk;
    stream->zlib.avail_out = CHUNK_BYTES;
    return bytes > 0 ? put_chunk(stream, "IDAT", stream->chunk, bytes) : 0;
}

/* All of zlib's input; with the last row, all of its output. */
static int squeeze(struct png_stream *stream, bool last)
{
    int state = Z_OK;
    do {
        if (stream->zlib.avail_out == 0 && flush_chunk(stream) != 0)
            return -1;
        state = deflate(&stream->zlib, last ? Z_FINISH : Z_NO_FLUSH);
        CHECK(state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR);
    } while (last ? state != Z_STREAM_END : stream->zlib.avail_in > 0);
    return last && (flush_chunk(stream) != 0 || put_chunk(stream, "IEND", NULL, 0) != 0) ? -1 : 0;
}

int png_stream_row(struct png_stream *stream, const unsigned char *pixels)
{
    unsigned char *const row = stream->row;
    CHECK(stream->left > 0);
    memcpy(row, pixels, stream->row_bytes);
    png_filter_row(stream->filter, row, stream->above, stream->row_bytes, stream->pixel, stream->filtered);
    stream->row = stream->above;
    stream->above = row;
    stream->left--;
    stream->zlib.next_in = stream->filtered;
    stream->zlib.avail_in = (uInt)(1 + stream->row_bytes);
    return squeeze(stream, stream->left == 0);
}

size_t png_stream_read(struct png_stream *stream, unsigned char *out, size_t max)
{
    const size_t ready = stream->used - stream->read, bytes = ready < max ? ready : max;
    if (bytes > 0)
        memcpy(out, stream->out + stream->read, bytes);
    stream->read += bytes;
    return bytes;
}
