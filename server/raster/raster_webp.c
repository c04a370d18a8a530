/*
 * WebP by libwebp, of one picture.
 */
#include <stdlib.h>
#include <webp/decode.h>

#include "raster_parts.h"

enum { FILE_MAX = 1 << 28 };

static int read_picture(struct raster_reader *reader, const unsigned char *data, size_t bytes)
{
    WebPBitstreamFeatures features;
    if (WebPGetFeatures(data, bytes, &features) != VP8_STATUS_OK)
        return raster_refuse(reader, "is no WebP that can be read");
    if (features.has_animation)
        return raster_refuse(reader, "is a moving picture");
    if (raster_size(reader, (uint64_t)features.width, (uint64_t)features.height) != 0)
        return -1;
    const int channels = features.has_alpha ? 4 : 3;
    int width = 0, height = 0, result = 0;
    unsigned char *const pixel = channels == 4 ? WebPDecodeRGBA(data, bytes, &width, &height)
                                               : WebPDecodeRGB(data, bytes, &width, &height);
    if (!pixel || width != reader->out.width || height != reader->out.height)
        result = raster_refuse(reader, "is damaged, ends too early, or memory is short");
    reader->out.white = 255;
    for (int j = 0; result == 0 && j < height; j++)
        result = raster_put_bytes(reader, (size_t)j, pixel + (size_t)j * (size_t)width * (size_t)channels,
                                  channels);
    WebPFree(pixel);
    return result;
}

int raster_read_webp(struct raster_reader *reader)
{
    if (reader->bytes > FILE_MAX)
        return raster_refuse(reader, "the file is too large: allowed at most %d bytes", FILE_MAX);
    unsigned char *const data = malloc((size_t)reader->bytes);
    if (!data)
        return raster_refuse(reader, "out of memory");
    const int result = raster_bytes(reader, 0, data, (size_t)reader->bytes) == (int64_t)reader->bytes
                           ? read_picture(reader, data, (size_t)reader->bytes)
                           : raster_refuse(reader, "the file ends too early");
    free(data);
    return result;
}
