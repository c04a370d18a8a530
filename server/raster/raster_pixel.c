/*
 * A pixel as a number: grey is its own, a colour's is its lightness (Rec. 601, the Y of JPEG), for who takes colours.
 */
#include <math.h>

#include "raster_parts.h"

/* A greatest and a least channel farther apart than this part of white are a colour, nearer ones a lossy picture's grey. */
static const float grey_part = 1.0f / 32;

int raster_put_pixel(struct raster_reader *reader, size_t at, const float *channel, int channels)
{
    const size_t row = at / (size_t)reader->out.width, column = at % (size_t)reader->out.width;
    const float *const c = channel;
    if (channels % 2 == 0 && c[channels - 1] != reader->out.white)
        return raster_refuse(reader, "row %zu, column %zu is not grey, or is transparent", row, column);
    if (channels < 3 || (c[0] == c[1] && c[1] == c[2]))
        return raster_put(reader, at, (double)c[0]);
    if (!reader->any)
        return raster_refuse(reader, "row %zu, column %zu is not grey, or is transparent", row, column);
    const float low = c[0] < c[1] ? (c[0] < c[2] ? c[0] : c[2]) : (c[1] < c[2] ? c[1] : c[2]),
                high = c[0] > c[1] ? (c[0] > c[2] ? c[0] : c[2]) : (c[1] > c[2] ? c[1] : c[2]);
    const double light = 0.299 * (double)c[0] + 0.587 * (double)c[1] + 0.114 * (double)c[2];
    const bool grey = high - low <= grey_part * reader->out.white;
    reader->out.coloured |= !grey;
    reader->out.foreign = true;
    return raster_put(reader, at, grey ? floor(light + 0.5) : light);
}

int raster_put_bytes(struct raster_reader *reader, size_t row, const unsigned char *pixel, int channels)
{
    const size_t width = (size_t)reader->out.width;
    for (size_t i = 0; i < width; i++) {
        float channel[4] = {0};
        for (int k = 0; k < channels; k++)
            channel[k] = pixel[i * (size_t)channels + (size_t)k];
        if (raster_put_pixel(reader, row * width + i, channel, channels) != 0)
            return -1;
    }
    return 0;
}
