/*
 * Decodes PNGs of png.c into pixels, for pictures composed of tiles.
 *
 * libpng checks everything it reads, and fails by longjmp: memory to free is in struct reading, outside the abandoned
 * frame. Nothing is converted: a pixel keeps its bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "png_image.h"

struct reading {
    const unsigned char *data;
    size_t left;
    png_structp png;
    png_infop info;
    struct picture picture; /* pixels owned until the end */
};

static void read_bytes(png_structp png, png_bytep out, size_t bytes)
{
    struct reading *reading = png_get_io_ptr(png);

    if (bytes > reading->left)
        png_error(png, "end of data");
    memcpy(out, reading->data, bytes);
    reading->data += bytes;
    reading->left -= bytes;
}

static void read_palette(struct reading *reading)
{
    struct picture *picture = &reading->picture;
    png_colorp palette;

    if (!png_get_PLTE(reading->png, reading->info, &palette, &picture->colour_count))
        png_error(reading->png, "no palette");
    for (int i = 0; i < picture->colour_count && i < 256; i++) {
        picture->colours[i][0] = palette[i].red;
        picture->colours[i][1] = palette[i].green;
        picture->colours[i][2] = palette[i].blue;
    }
}

/* One of png.c's kinds of pixels, or an error. */
static void read_head(struct reading *reading)
{
    struct picture *picture = &reading->picture;
    png_structp png = reading->png;
    png_infop info = reading->info;

    png_set_user_limits(png, TERRANE_WINDOW_MAX, TERRANE_WINDOW_MAX);
    png_read_info(png, info);
    picture->width = (int)png_get_image_width(png, info);
    picture->height = (int)png_get_image_height(png, info);
    picture->depth = png_get_bit_depth(png, info);
    picture->pixel = (size_t)png_get_channels(png, info) * (size_t)picture->depth / 8;

    const int colour_type = png_get_color_type(png, info);
    const bool grey = colour_type == PNG_COLOR_TYPE_GRAY && picture->depth >= 8;
    const bool rgb = colour_type == PNG_COLOR_TYPE_RGB && picture->depth == 8;
    const bool rgba = colour_type == PNG_COLOR_TYPE_RGB_ALPHA && picture->depth == 8;
    const bool indexed = colour_type == PNG_COLOR_TYPE_PALETTE && picture->depth == 8;
    if (!grey && !rgb && !rgba && !indexed)
        png_error(png, "pixels of another kind");
    if (png_get_interlace_type(png, info) != PNG_INTERLACE_NONE)
        png_error(png, "interlaced");
    if (indexed)
        read_palette(reading);
}

static int read_all(struct reading *reading)
{
    struct picture *picture = &reading->picture;

    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return -1;
    png_set_read_fn(reading->png, reading, read_bytes);
    read_head(reading);

    const size_t row_bytes = (size_t)picture->width * picture->pixel;
    picture->pixels = malloc(row_bytes * (size_t)picture->height);
    if (!picture->pixels)
        return -1;
    for (int j = 0; j < picture->height; j++)
        png_read_row(reading->png, picture->pixels + (size_t)j * row_bytes, NULL);
    png_read_end(reading->png, NULL);
    return 0;
}

int picture_read(struct picture *picture, const unsigned char *data, size_t bytes)
{
    struct reading reading = {.data = data, .left = bytes};
    int result = -1;

    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, image_error, image_warning);
    reading.info = reading.png ? png_create_info_struct(reading.png) : NULL;
    if (reading.info)
        result = read_all(&reading);
    png_destroy_read_struct(&reading.png, &reading.info, NULL);
    if (result == 0)
        *picture = reading.picture;
    else
        free(reading.picture.pixels);
    return result;
}
