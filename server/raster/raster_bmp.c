/*
 * BMP as maps of games have it: a palette of 8 bits, or 24 or 32 bits, without compression.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/terrane.h"
#include "../base/little_endian.h"
#include "raster_parts.h"

enum { FILE_HEAD = 14, HEAD = 40, COLOURS = 256, ROW_MAX = 4 * TERRANE_RASTER_SIDE };

struct picture {
    uint64_t data; /* where its rows begin */
    int channels;  /* bytes of a pixel; 1: a place in the palette */
    bool down;     /* rows from the north; else from the south, as usual */
    unsigned char palette[4 * COLOURS];
    unsigned char row[ROW_MAX], rgb[3 * TERRANE_RASTER_SIDE];
};

static int read_head(struct raster_reader *reader, struct picture *picture)
{
    unsigned char head[FILE_HEAD + HEAD];
    if (raster_bytes(reader, 0, head, sizeof head) != (int64_t)sizeof head || get_u32(head + 14) < HEAD)
        return raster_refuse(reader, "has no head of a BMP that is known");
    const uint32_t head_bytes = get_u32(head + 14), height = get_u32(head + 22),
                   bits = (uint32_t)get_le(head + 28, 2), compression = get_u32(head + 30);
    picture->down = height >> 31 != 0;
    picture->channels = (int)bits / 8;
    picture->data = get_u32(head + 10);
    if ((bits != 8 && bits != 24 && bits != 32) || compression != 0)
        return raster_refuse(
            reader, "has %u bits a pixel, compressed by method %u: allowed are 8, 24 and 32, method 0",
            (unsigned)bits, (unsigned)compression);
    if (bits == 8 &&
        raster_bytes(reader, FILE_HEAD + (uint64_t)head_bytes, picture->palette, sizeof picture->palette) < 0)
        return raster_refuse(reader, "the file ends too early");
    return raster_size(reader, get_u32(head + 18), picture->down ? 0 - height : height);
}

/* The fourth byte of 32 bits means nothing. */
static void colours_of_row(struct picture *picture, int width)
{
    for (int i = 0; i < width; i++) {
        const unsigned char *const bgr = picture->channels == 1
                                             ? picture->palette + 4 * (size_t)picture->row[i]
                                             : picture->row + (size_t)i * (size_t)picture->channels;
        for (int k = 0; k < 3; k++)
            picture->rgb[3 * (size_t)i + (size_t)k] = bgr[2 - k];
    }
}

static int read_rows(struct raster_reader *reader, struct picture *picture)
{
    const size_t bytes = (size_t)reader->out.width * (size_t)picture->channels, step = (bytes + 3) / 4 * 4;
    for (int j = 0; j < reader->out.height; j++) {
        const int row = picture->down ? j : reader->out.height - 1 - j;
        if (raster_bytes(reader, picture->data + (uint64_t)j * step, picture->row, bytes) != (int64_t)bytes)
            return raster_refuse(reader, "ends in row %d", row);
        colours_of_row(picture, reader->out.width);
        if (raster_put_bytes(reader, (size_t)row, picture->rgb, 3) != 0)
            return -1;
    }
    return 0;
}

int raster_read_bmp(struct raster_reader *reader)
{
    struct picture *const picture = calloc(1, sizeof *picture);
    if (!picture)
        return raster_refuse(reader, "out of memory");
    reader->out.white = 255;
    const int result = read_head(reader, picture) == 0 ? read_rows(reader, picture) : -1;
    free(picture);
    return result;
}
