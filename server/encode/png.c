/*
 * PNG tiles.
 *
 *     samples --> row of bytes --> filter --> libdeflate --> libpng --> malloc'ed bytes
 *                 quantise.h       png_filter.c              container
 *
 * libpng writes the container (signature, IHDR, PLTE, lengths and CRCs); the image data, which is nearly all
 * of the cost, is filtered here, deflated by libdeflate in one call, and goes into a single IDAT. No
 * ancillary chunk is written: with a gamma or a colour space a browser would change heights.
 *
 * Choices, by measured time and bytes on tiles of all built-in recipes:
 *
 *   Level 1 for layers that vary from sample to sample: to LZ77 terrain is nearly noise, and level 2 takes
 *   half as long again and makes heights larger. Level 6 for zone indices, whose borders a longer search
 *   finds: a third smaller, and still a fraction of a height's time.
 *
 *   Row filters by layer: png_layers.c has them.
 *
 * Memory. An encoder keeps one block for rows, filtered and deflated bytes; a call allocates only its answer,
 * in its exact size, and libpng's two small structs. A block grown by a large region is not kept.
 *
 * Threads: one at a time for each encoder.
 */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"
#include "png_image.h"

enum {
    KEEP_BYTES = 4 << 20, /* a block up to this size is kept; 512 x 512, the largest tile, needs 1.6 MB */
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
    encoder->fast = libdeflate_alloc_compressor(ENCODER_LEVEL_FAST);
    encoder->dense = libdeflate_alloc_compressor(ENCODER_LEVEL_DENSE);
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
    (void)ZSTD_freeCCtx(encoder->zstd);
    free(encoder->block);
    free(encoder);
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

/* Writes filtered rows of the image into out. rows: twice FILTER_MARGIN + row_bytes bytes of scratch. */
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

/* Makes the content of IDAT, in the encoder's block: *idat is borrowed until the encoder's next use. */
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

void image_error(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

void image_warning(png_structp png, png_const_charp text)
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
 * Fills png's sink. -1 when libpng fails: memory is short, or it refuses a palette. It then returns to setjmp
 * from anywhere; nothing here is owned, or changed after setjmp and read afterwards.
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
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, image_error, image_warning);
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

bool image_is_valid(const struct image *image)
{
    return image->width >= 1 && image->width <= TERRANE_WINDOW_MAX && image->height >= 1 &&
           image->height <= TERRANE_WINDOW_MAX;
}

int image_encode(struct encoder *encoder, const struct image *image, unsigned char **data, size_t *bytes)
{
    const unsigned char *idat;
    size_t idat_bytes;
    struct sink sink = {0};
    int result = -1;

    if (!image_is_valid(image))
        return -1;
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
