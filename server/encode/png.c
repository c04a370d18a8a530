/*
 * PNG tiles.
 *
 *     samples --> row of bytes --> filter --> libdeflate --> libpng --> malloc'ed bytes
 *                 quantise.h       png_filter.c              container
 *
 * libpng writes the container (signature, IHDR, PLTE, lengths and CRCs); the image data, which is nearly all
 * of the cost, is filtered here, deflated by libdeflate in one call, and goes into a single IDAT. No
 * ancillary chunk is written: told of a gamma or a colour space, a browser would change heights.
 *
 * Choices, by time and bytes as tests/bench/bench_png.c measures them:
 *
 *   Level 1 for what varies from sample to sample: to LZ77 terrain is nearly noise, and level 2 takes half as
 *   long again to make heights larger. Level 6 for zone indices, whose borders a longer search does find: a
 *   third smaller, and still a fraction of a height's time.
 *
 *   Heights: Up where the ground is smooth, else Paeth; see height_filter. Normals and relief: Average, as
 *   small as Paeth and faster. Slopes and hillshade: Paeth, up to 3 % smaller than Average. Indices: None,
 *   which leaves runs as runs. One filter a tile, but Sub for a first row, which has nothing above it: rows
 *   of different filters come out larger than rows of either, as matches do not reach from one statistic into
 *   the other.
 *
 * Memory. An encoder keeps one block for rows, filtered and deflated bytes; a call allocates only its answer,
 * in its exact size, and libpng's two small structs. A block grown by a large region is not kept.
 *
 * Threads. One at a time an encoder.
 */
#include "encode.h"

#include <libdeflate.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "png_filter.h"
#include "quantise.h"

enum {
    LEVEL_FAST = 1,
    LEVEL_DENSE = 6,
    KEEP_BYTES = 4 << 20, /* a block up to this size is kept; 512 x 512, the largest tile, needs 1.6 MB */
    CHUNK = 256,          /* samples quantised at a time, on the stack */
    STEP_ROWS = 16,       /* height_filter looks at one row in so many */
    STEP_SMOOTH = 128,    /* and calls ground smooth that rises by less than this from row to row */
};

struct encoder {
    struct libdeflate_compressor *fast, *dense;
    unsigned char *block;
    size_t block_bytes;
};

/* What to encode, and how a row of it becomes bytes. */
struct image {
    int width, height;
    int depth, colour_type; /* as in IHDR */
    size_t pixel;           /* bytes */
    enum png_filter filter;
    bool dense; /* deflate for size */
    void (*fill_row)(const struct image *image, size_t row, unsigned char *out);

    const float *values; /* heights, normals or slopes */
    enum tile_enc enc;
    float low_m, high_m;

    const uint8_t *pixels; /* indices, grey or RGB */
    const uint8_t (*colours)[3];
    int colour_count; /* 0: no PLTE */
};

const char *encode_compressor_version(void)
{
    return LIBDEFLATE_VERSION_STRING;
}

struct encoder *encoder_create(void)
{
    struct encoder *encoder = calloc(1, sizeof *encoder);

    if (!encoder)
        return NULL;
    encoder->fast = libdeflate_alloc_compressor(LEVEL_FAST);
    encoder->dense = libdeflate_alloc_compressor(LEVEL_DENSE);
    if (!encoder->fast || !encoder->dense) {
        encoder_free(encoder);
        return NULL;
    }
    return encoder;
}

void encoder_free(struct encoder *encoder)
{
    if (!encoder)
        return;
    libdeflate_free_compressor(encoder->fast);
    libdeflate_free_compressor(encoder->dense);
    free(encoder->block);
    free(encoder);
}

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
    default:
        for (size_t i = 0; i < count; i++)
            q[i] = quantise_terrarium(heights[i]);
    }
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
    const float *heights = image->values + row * width;
    int32_t q[CHUNK];

    for (size_t done = 0; done < width; done += CHUNK) {
        const size_t count = width - done < CHUNK ? width - done : CHUNK;

        quantise_heights(image, heights + done, count, q);
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

static void fill_slopes(const struct image *image, size_t row, unsigned char *restrict out)
{
    const size_t count = (size_t)image->width;
    const float *restrict degrees = image->values + row * count;

    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)quantise_slope(degrees[i]);
}

static void fill_pixels(const struct image *image, size_t row, unsigned char *out)
{
    const size_t bytes = (size_t)image->width * image->pixel;

    memcpy(out, image->pixels + row * bytes, bytes);
}

/*
 * Up or Paeth for heights, and the same answer for the same heights everywhere: it is made of integers.
 *
 * Where the last byte's difference to the row above fits a signed byte, Up leaves most of the repetitions
 * that LZ77 lives on and makes tiles up to 8 % smaller (terrarium), 15 % (the coarser encodings). Where it
 * wraps, only the better prediction counts, and Paeth's are up to 3 % smaller. The mean over some of the rows
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
            const float *heights = image->values + row * width + done;
            uint32_t sum = 0; /* CHUNK * 0xFFFFFF fits */

            quantise_heights(image, heights, count, above);
            quantise_heights(image, heights + width, count, below);
            for (size_t i = 0; i < count; i++)
                sum += (uint32_t)abs(below[i] - above[i]);
            rise += sum;
            pairs += count;
        }
    return rise < pairs * STEP_SMOOTH ? FILTER_UP : FILTER_PAETH;
}

/* ---- Image data ---------------------------------------------------------------------------------------- */

/* Makes the block hold at least bytes. Its content is lost. */
static int encoder_reserve(struct encoder *encoder, size_t bytes)
{
    if (encoder->block_bytes >= bytes)
        return 0;
    free(encoder->block);
    encoder->block = malloc(bytes);
    encoder->block_bytes = encoder->block ? bytes : 0;
    return encoder->block ? 0 : -1;
}

static void encoder_trim(struct encoder *encoder)
{
    if (encoder->block_bytes > KEEP_BYTES) {
        free(encoder->block);
        encoder->block = NULL;
        encoder->block_bytes = 0;
    }
}

/* Filtered rows of the image into out. rows: twice FILTER_MARGIN + row_bytes bytes of scratch. */
static void image_filter(const struct image *image, size_t row_bytes, unsigned char *rows, unsigned char *out)
{
    unsigned char *above = rows + FILTER_MARGIN, *row = above + row_bytes + FILTER_MARGIN;

    memset(rows, 0, 2 * (FILTER_MARGIN + row_bytes));
    for (size_t j = 0; j < (size_t)image->height; j++) {
        const enum png_filter filter = j == 0 && image->filter != FILTER_NONE ? FILTER_SUB : image->filter;
        unsigned char *const filled = row;

        image->fill_row(image, j, row);
        png_filter_row(filter, row, above, row_bytes, image->pixel, out);
        out += 1 + row_bytes;
        row = above;
        above = filled;
    }
}

/* The content of IDAT, in the encoder's block: *idat is borrowed until the encoder's next use. */
static int image_deflate(struct encoder *encoder, const struct image *image, const unsigned char **idat,
                         size_t *bytes)
{
    const size_t row_bytes = (size_t)image->width * image->pixel;
    const size_t rows_bytes = 2 * (FILTER_MARGIN + row_bytes);
    const size_t filtered_bytes = (1 + row_bytes) * (size_t)image->height;
    struct libdeflate_compressor *compressor = image->dense ? encoder->dense : encoder->fast;
    const size_t bound = libdeflate_zlib_compress_bound(compressor, filtered_bytes);

    if (encoder_reserve(encoder, rows_bytes + filtered_bytes + bound) != 0)
        return -1;

    unsigned char *const filtered = encoder->block + rows_bytes, *const deflated = filtered + filtered_bytes;

    image_filter(image, row_bytes, encoder->block, filtered);
    *idat = deflated;
    *bytes = libdeflate_zlib_compress(compressor, filtered, filtered_bytes, deflated, bound);
    return *bytes > 0 ? 0 : -1;
}

/* ---- Container ----------------------------------------------------------------------------------------- */

struct sink {
    unsigned char *data;
    size_t used, bytes;
};

static void sink_write(png_structp png, png_bytep data, size_t bytes)
{
    struct sink *sink = png_get_io_ptr(png);

    if (bytes > sink->bytes - sink->used)
        png_error(png, "more bytes than container_bytes counts");
    memcpy(sink->data + sink->used, data, bytes);
    sink->used += bytes;
}

static void sink_flush(png_structp png)
{
    (void)png;
}

PNG_NORETURN static void on_error(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

/* Signature, and a length, a name and a CRC around each of IHDR, PLTE, IDAT and IEND. */
static size_t container_bytes(const struct image *image, size_t idat_bytes)
{
    const size_t palette = image->colour_count > 0 ? 12 + 3 * (size_t)image->colour_count : 0;

    return 8 + (12 + 13) + palette + (12 + idat_bytes) + 12;
}

/*
 * Fills png's sink. -1 when libpng gives up: short of memory, or at a palette that it does not take. It then
 * returns to setjmp from wherever it was; nothing here is owned, or changed after setjmp and read behind it.
 */
static int container_fill(png_structp png, png_infop info, const struct image *image,
                          const unsigned char *idat, size_t idat_bytes)
{
    png_color palette[PNG_MAX_PALETTE_LENGTH];

    if (setjmp(png_jmpbuf(png)) != 0)
        return -1;
    png_set_user_limits(png, TERRANE_WINDOW_MAX, TERRANE_WINDOW_MAX);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, image->depth,
                 image->colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (image->colour_count > 0) {
        for (int i = 0; i < image->colour_count && i < PNG_MAX_PALETTE_LENGTH; i++)
            palette[i] = (png_color){image->colours[i][0], image->colours[i][1], image->colours[i][2]};
        png_set_PLTE(png, info, palette, image->colour_count);
    }
    png_write_info(png, info);
    png_write_chunk(png, (png_const_bytep) "IDAT", idat, idat_bytes);
    png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
    return 0;
}

static int container_write(struct sink *sink, const struct image *image, const unsigned char *idat,
                           size_t idat_bytes)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int result = -1;

    if (info) {
        png_set_write_fn(png, sink, sink_write, sink_flush);
        result = container_fill(png, info, image, idat, idat_bytes);
    }
    png_destroy_write_struct(&png, &info);
    return result;
}

/* ---- Images -------------------------------------------------------------------------------------------- */

static int image_encode(struct encoder *encoder, const struct image *image, unsigned char **data,
                        size_t *bytes)
{
    const unsigned char *idat;
    size_t idat_bytes;
    struct sink sink = {0};
    int result = -1;

    if (image_deflate(encoder, image, &idat, &idat_bytes) != 0)
        goto out;
    sink.bytes = container_bytes(image, idat_bytes);
    sink.data = malloc(sink.bytes);
    if (!sink.data || container_write(&sink, image, idat, idat_bytes) != 0)
        goto out;
    *data = sink.data;
    *bytes = sink.used;
    sink.data = NULL;
    result = 0;
out:
    free(sink.data);
    encoder_trim(encoder);
    return result;
}

static bool dimensions_are_valid(int width, int height)
{
    return width >= 1 && width <= TERRANE_WINDOW_MAX && height >= 1 && height <= TERRANE_WINDOW_MAX;
}

int encode_png_heights(struct encoder *encoder, const float *heights, int width, int height,
                       enum tile_enc enc, float low_m, float high_m, unsigned char **data, size_t *bytes)
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
    };

    if (!dimensions_are_valid(width, height))
        return -1;
    image.filter = height_filter(&image);
    return image_encode(encoder, &image, data, bytes);
}

int encode_png_normals(struct encoder *encoder, const float *normals, int width, int height,
                       unsigned char **data, size_t *bytes)
{
    const struct image image = {
        .width = width,
        .height = height,
        .depth = 8,
        .colour_type = PNG_COLOR_TYPE_RGB,
        .pixel = 3,
        .filter = FILTER_AVERAGE,
        .fill_row = fill_normals,
        .values = normals,
    };

    if (!dimensions_are_valid(width, height))
        return -1;
    return image_encode(encoder, &image, data, bytes);
}

int encode_png_slopes(struct encoder *encoder, const float *degrees, int width, int height,
                      unsigned char **data, size_t *bytes)
{
    const struct image image = {
        .width = width,
        .height = height,
        .depth = 8,
        .colour_type = PNG_COLOR_TYPE_GRAY,
        .pixel = 1,
        .filter = FILTER_PAETH,
        .fill_row = fill_slopes,
        .values = degrees,
    };

    if (!dimensions_are_valid(width, height))
        return -1;
    return image_encode(encoder, &image, data, bytes);
}

int encode_png_pixels(struct encoder *encoder, const uint8_t *pixels, int width, int height, int channels,
                      unsigned char **data, size_t *bytes)
{
    const bool grey = channels == 1;
    const struct image image = {
        .width = width,
        .height = height,
        .depth = 8,
        .colour_type = grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
        .pixel = grey ? 1 : 3,
        .filter = grey ? FILTER_PAETH : FILTER_AVERAGE,
        .fill_row = fill_pixels,
        .pixels = pixels,
    };

    if (!dimensions_are_valid(width, height))
        return -1;
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

    if (!dimensions_are_valid(width, height))
        return -1;
    return image_encode(encoder, &image, data, bytes);
}
