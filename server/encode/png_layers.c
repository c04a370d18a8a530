/*
 * Layers as PNG: the conversion of a row of samples to bytes (quantise.h has the numbers), and the row filter. The choices are
 * by measured time and bytes on tiles of all built-in recipes; those for depth and flow follow similar layers.
 *
 * Heights: Up where the ground is smooth, else Paeth; see height_filter. Normals and relief: Average, as small as Paeth and
 * faster. Slopes, flow and hillshade: Paeth, up to 3 % smaller than Average. Depth: Up, which makes zeros of dry ground.
 * Indices: None, which leaves runs as runs. One filter a tile, except Sub for a first row, which has nothing above it: mixed
 * filters give larger results than either, since matches do not cross from one statistic into the other.
 */
#include <stdlib.h>
#include <string.h>

#include "png_image.h"
#include "quantise.h"

enum {
    CHUNK = 256,       /* samples quantised at a time, on the stack */
    STEP_ROWS = 16,    /* height_filter inspects one row in so many */
    STEP_SMOOTH = 128, /* ground is smooth if it rises by less than this from row to row */
};

/* ---- Rows ---------------------------------------------------------------------------------------------- */

static void quantise_heights(const struct image *image, const float *restrict heights, size_t count,
                             int32_t *restrict q)
{
    switch (image->enc) {
    case ENC_MAPBOX:
        for (size_t i = 0; i < count; i++)
            q[i] = quantise_mapbox(heights[i]);
        break;
    case ENC_GRAY16:
        for (size_t i = 0; i < count; i++)
            q[i] = quantise_range(heights[i], image->low_m, image->high_m);
        break;
    case ENC_TERRARIUM:
    case ENCS_PNG:
    case ENCS:
        for (size_t i = 0; i < count; i++)
            q[i] = quantise_terrarium(heights[i]);
    }
}

/* Codes of pixels of a row, at most CHUNK: sums of four numbers of 24 bits fit. */
static void height_codes(const struct image *image, size_t row, size_t first, size_t count,
                         int32_t *restrict q)
{
    const size_t stride = (size_t)image->width + image->centres;
    const float *heights = image->values + row * stride + first;
    int32_t north[CHUNK + 1], south[CHUNK + 1];

    if (!image->centres) {
        quantise_heights(image, heights, count, q);
        return;
    }
    quantise_heights(image, heights, count + 1, north);
    quantise_heights(image, heights + stride, count + 1, south);
    for (size_t i = 0; i < count; i++)
        q[i] = (north[i] + north[i + 1] + south[i] + south[i + 1] + 2) >> 2;
}

static void store_24(unsigned char *restrict out, const int32_t *restrict q, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[3 * i] = (unsigned char)(q[i] >> 16);
        out[3 * i + 1] = (unsigned char)(q[i] >> 8);
        out[3 * i + 2] = (unsigned char)q[i];
    }
}

static void store_16(unsigned char *restrict out, const int32_t *restrict q, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = (unsigned char)(q[i] >> 8);
        out[2 * i + 1] = (unsigned char)q[i];
    }
}

static void fill_heights(const struct image *image, size_t row, unsigned char *out)
{
    const size_t width = (size_t)image->width;
    int32_t q[CHUNK];

    for (size_t done = 0; done < width; done += CHUNK) {
        const size_t count = width - done < CHUNK ? width - done : CHUNK;

        height_codes(image, row, done, count, q);
        (image->pixel == 3 ? store_24 : store_16)(out + done * image->pixel, q, count);
    }
}

static void fill_normals(const struct image *image, size_t row, unsigned char *restrict out)
{
    const size_t count = (size_t)image->width * 3;
    const float *restrict normals = image->values + row * count;

    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)quantise_unit(normals[i]);
}

static void fill_degrees(const struct image *image, size_t row, unsigned char *restrict out)
{
    const size_t count = (size_t)image->width;
    const float *restrict degrees = image->values + row * count;

    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)quantise_degrees(degrees[i], image->high_m);
}

static void fill_depth(const struct image *image, size_t row, unsigned char *restrict out)
{
    const size_t count = (size_t)image->width;
    const float *restrict depth_m = image->values + row * count;

    for (size_t i = 0; i < count; i++) {
        const int32_t q = quantise_depth(depth_m[i]);

        out[2 * i] = (unsigned char)(q >> 8);
        out[2 * i + 1] = (unsigned char)q;
    }
}

static void fill_flow(const struct image *image, size_t row, unsigned char *restrict out)
{
    const size_t count = (size_t)image->width;
    const float *restrict flow = image->values + row * count;

    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)quantise_flow(flow[i]);
}

static void fill_pixels(const struct image *image, size_t row, unsigned char *out)
{
    const size_t bytes = (size_t)image->width * image->pixel;

    memcpy(out, image->pixels + row * bytes, bytes);
}

/*
 * Chooses Up or Paeth for heights, by integers, so the choice is the same everywhere.
 *
 * If the last byte's difference to the row above fits a signed byte, Up keeps most of the repetitions that
 * LZ77 needs and makes tiles up to 8 % smaller (terrarium), 15 % (the coarser encodings). If it wraps, only
 * the better prediction counts, and Paeth's results are up to 3 % smaller. The mean over some of the rows
 * decides for all.
 */
static enum png_filter height_filter(const struct image *image)
{
    const size_t width = (size_t)image->width, height = (size_t)image->height;
    int32_t above[CHUNK], below[CHUNK];
    uint64_t rise = 0, pairs = 0;

    for (size_t row = 0; row + 1 < height; row += STEP_ROWS)
        for (size_t done = 0; done < width; done += CHUNK) {
            const size_t count = width - done < CHUNK ? width - done : CHUNK;
            uint32_t sum = 0; /* CHUNK * 0xFFFFFF fits */

            height_codes(image, row, done, count, above);
            height_codes(image, row + 1, done, count, below);
            for (size_t i = 0; i < count; i++)
                sum += (uint32_t)abs(below[i] - above[i]);
            rise += sum;
            pairs += count;
        }
    return rise < pairs * STEP_SMOOTH ? FILTER_UP : FILTER_PAETH;
}

/* The colour type of pixels with 8 bits a channel. */
static int colour_type_of(size_t channels)
{
    return channels == 4   ? PNG_COLOR_TYPE_RGB_ALPHA
           : channels == 3 ? PNG_COLOR_TYPE_RGB
                           : PNG_COLOR_TYPE_GRAY;
}

/* ---- Images -------------------------------------------------------------------------------------------- */

int encode_png_heights(struct encoder *encoder, const float *heights, int width, int height,
                       enum tile_enc enc, float low_m, float high_m, bool centres, unsigned char **data,
                       size_t *bytes)
{
    const bool grey = enc == ENC_GRAY16;
    struct image image = {
        .width = width,
        .height = height,
        .depth = grey ? 16 : 8,
        .colour_type = grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
        .pixel = grey ? 2 : 3,
        .fill_row = fill_heights,
        .values = heights,
        .enc = enc,
        .low_m = low_m,
        .high_m = high_m,
        .centres = centres,
    };

    if (!image_is_valid(&image))
        return -1;
    image.filter = height_filter(&image);
    return image_encode(encoder, &image, data, bytes);
}

int encode_png_samples(struct encoder *encoder, enum png_samples what, const float *values, int width,
                       int height, float full, unsigned char **data, size_t *bytes)
{
    static const struct {
        void (*fill_row)(const struct image *image, size_t row, unsigned char *out);
        int depth, pixel;
        enum png_filter filter;
    } row[] = {
        [ENCODE_NORMALS] = {fill_normals, 8, 3, FILTER_AVERAGE},
        [ENCODE_DEGREES] = {fill_degrees, 8, 1, FILTER_PAETH},
        [ENCODE_DEPTH] = {fill_depth, 16, 2, FILTER_UP},
        [ENCODE_FLOW] = {fill_flow, 8, 1, FILTER_PAETH},
    };
    const struct image image = {
        .width = width,
        .height = height,
        .depth = row[what].depth,
        .colour_type = what == ENCODE_NORMALS ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
        .pixel = (size_t)row[what].pixel,
        .filter = row[what].filter,
        .fill_row = row[what].fill_row,
        .values = values,
        .high_m = full,
    };

    return image_encode(encoder, &image, data, bytes);
}

int encode_png_pixels(struct encoder *encoder, const uint8_t *pixels, int width, int height, int channels,
                      unsigned char **data, size_t *bytes)
{
    const struct image image = {
        .width = width,
        .height = height,
        .depth = 8,
        .colour_type = colour_type_of((size_t)channels),
        .pixel = (size_t)channels,
        .filter = channels == 3 ? FILTER_AVERAGE : FILTER_PAETH,
        .fill_row = fill_pixels,
        .pixels = pixels,
    };

    return image_encode(encoder, &image, data, bytes);
}

int encode_png_indexed(struct encoder *encoder, const uint8_t *index, int width, int height,
                       const uint8_t (*colours)[3], int count, unsigned char **data, size_t *bytes)
{
    const struct image image = {
        .width = width,
        .height = height,
        .depth = 8,
        .colour_type = PNG_COLOR_TYPE_PALETTE,
        .pixel = 1,
        .filter = FILTER_NONE,
        .dense = true,
        .fill_row = fill_pixels,
        .pixels = index,
        .colours = colours,
        .colour_count = count,
    };

    return image_encode(encoder, &image, data, bytes);
}

int encode_png_picture(struct encoder *encoder, const struct picture *picture, unsigned char **data,
                       size_t *bytes)
{
    const bool indexed = picture->colour_count > 0;
    const struct image image = {
        .width = picture->width,
        .height = picture->height,
        .depth = picture->depth,
        .colour_type = indexed ? PNG_COLOR_TYPE_PALETTE : colour_type_of(picture->pixel),
        .pixel = picture->pixel,
        .filter = indexed ? FILTER_NONE : FILTER_PAETH,
        .dense = indexed,
        .fill_row = fill_pixels,
        .pixels = picture->pixels,
        .colours = picture->colours,
        .colour_count = picture->colour_count,
    };

    return image_encode(encoder, &image, data, bytes);
}
