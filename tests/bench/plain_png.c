/*
 * plain_png [SECONDS]: the baseline of the cold tile. One core makes 256 x 256 terrarium PNG tiles as a small
 * program does: a plain Perlin loop of 8 octaves, heights split into R, G, B, libpng with nothing set. The
 * bytes stay in memory. Prints one line of JSON: tiles, CPU seconds, tiles a CPU second, bytes a tile.
 */
#define _POSIX_C_SOURCE 200809L

#include "plain_noise.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 256, OUT_BYTES = 1 << 20 };

struct out {
    size_t bytes;
    unsigned char data[OUT_BYTES];
};

static void out_write(png_structp png, png_bytep data, size_t bytes)
{
    struct out *out = png_get_io_ptr(png);

    if (bytes > OUT_BYTES - out->bytes)
        png_error(png, "tile too large");
    memcpy(out->data + out->bytes, data, bytes);
    out->bytes += bytes;
}

static void out_flush(png_structp png)
{
    (void)png;
}

/* MapZen's terrarium: height = R * 256 + G + B / 256 - 32768. */
static void terrarium(const float *height, unsigned char *rgb)
{
    for (int i = 0; i < SIZE * SIZE; i++) {
        unsigned q = (unsigned)lrintf((height[i] + 32768.0f) * 256.0f);
        rgb[3 * i] = (unsigned char)(q >> 16);
        rgb[3 * i + 1] = (unsigned char)(q >> 8);
        rgb[3 * i + 2] = (unsigned char)q;
    }
}

static int encode(struct out *out, unsigned char *rgb)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;

    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return -1;
    }
    out->bytes = 0;
    png_set_write_fn(png, out, out_write, out_flush);
    png_set_IHDR(png, info, SIZE, SIZE, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int j = 0; j < SIZE; j++)
        png_write_row(png, rgb + (size_t)j * SIZE * 3);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 0;
}

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    static struct plain_noise noise;
    static struct out out;
    static float height[SIZE * SIZE];
    static unsigned char rgb[SIZE * SIZE * 3];
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 3.0;
    double bytes = 0.0, start = 0.0, elapsed = 0.0;
    int tiles = 0;

    plain_noise_init(&noise, 42, 0);
    for (int k = -3; k < 0 || elapsed < seconds; k++) {
        if (k == 0) /* three warmed up */
            start = cpu_s();
        plain_noise_fill(&noise, PLAIN_PERLIN, height, SIZE, k * SIZE, 0, 8, 128.0f, 1000.0f, 0.48f);
        terrarium(height, rgb);
        if (encode(&out, rgb) != 0)
            return 1;
        if (k < 0)
            continue;
        bytes += (double)out.bytes;
        tiles++;
        elapsed = cpu_s() - start;
    }
    printf("{\"tiles\": %d, \"cpu_s\": %.3f, \"tiles_per_cpu_s\": %.2f, \"bytes_per_tile\": %.0f}\n", tiles,
           elapsed, tiles / elapsed, bytes / tiles);
    return 0;
}
