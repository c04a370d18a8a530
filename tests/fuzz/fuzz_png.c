/*
 * Fuzzing the PNG encoder: samples of any bits in, and what libpng reads out of it has to be what they stand
 * for.
 *
 * The input's first 16 bytes say what to encode, the rest are samples, repeated as often as the image needs.
 * Expected pixels are computed in long double. Where that rounds another way than the encoder's binary64, at
 * a tie that is none, both neighbours are right; not so for terrarium, whose sums are exact. Seeds:
 * tests/fuzz/corpus/png.
 */
#include <math.h>
#include <png.h>

#include "../../server/encode/encode.h"
#include "fuzz_kit.h"

enum { HEAD = 16, SIDE_MAX = 70, KINDS = 5 };
enum kind { TERRARIUM, MAPBOX, GRAY16, NORMALS, INDEXED };

/* What is encoded. */
struct image {
    enum kind kind;
    int width, height;
    float low_m, high_m;
    float value[SIDE_MAX * SIDE_MAX * 3];
    uint8_t index[SIDE_MAX * SIDE_MAX];
    uint8_t colours[256][3];
    int count;
};

static float float_at(const uint8_t *at)
{
    float value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* Floats of any bits, and every other time their low half as metres: heights as they are. */
static void image_fill(struct image *image, const uint8_t *data, size_t bytes)
{
    const uint8_t *const sample = data + HEAD;
    const size_t samples = bytes - HEAD, floats = samples / 4;
    const size_t area = (size_t)image->width * (size_t)image->height;

    image->kind = (enum kind)(data[0] % KINDS);
    image->low_m = float_at(data + 4);
    image->high_m = float_at(data + 8);
    image->count = 1 + data[12];
    for (size_t i = 0; i < area * 3; i++) {
        const uint8_t *const at = floats ? sample + i % floats * 4 : data;
        const uint32_t bits =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        image->value[i] = data[0] & 0x80   ? float_at(at)
                          : data[0] & 0x40 ? (float)(int32_t)bits * 0x1p-16f
                                           : (float)(int16_t)bits * 0x1p-15f;
    }
    for (size_t i = 0; i < area; i++)
        image->index[i] = (uint8_t)((samples ? sample[i % samples] : data[1]) % image->count);
    for (int i = 0; i < 256; i++)
        for (int c = 0; c < 3; c++)
            image->colours[i][c] = (uint8_t)(data[13 + c] + i * (c + 1));
}

static enum tile_enc enc_of(enum kind kind)
{
    return kind == MAPBOX ? ENC_MAPBOX : kind == GRAY16 ? ENC_GRAY16 : ENC_TERRARIUM;
}

static int image_encode(struct encoder *encoder, const struct image *image, unsigned char **data,
                        size_t *bytes)
{
    switch (image->kind) {
    case NORMALS:
        return encode_png_samples(encoder, ENCODE_NORMALS, image->value, image->width, image->height, 0, data,
                                  bytes);
    case INDEXED:
        return encode_png_indexed(encoder, image->index, image->width, image->height,
                                  (const uint8_t(*)[3])image->colours, image->count, data, bytes);
    default:
        return encode_png_heights(encoder, image->value, image->width, image->height, enc_of(image->kind),
                                  image->low_m, image->high_m, false, data, bytes);
    }
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct source {
    const unsigned char *data;
    size_t left;
};

static void source_read(png_structp png, png_bytep out, size_t bytes)
{
    struct source *const source = png_get_io_ptr(png);

    require(bytes <= source->left, "the file ends early");
    memcpy(out, source->data, bytes);
    source->data += bytes;
    source->left -= bytes;
}

static void on_problem(png_structp png, png_const_charp text)
{
    (void)png;
    require(false, text);
}

/* Pixels as they are stored, row by row. */
static void decode(const struct image *image, const unsigned char *data, size_t bytes, unsigned char *pixels)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, on_problem, on_problem);
    png_infop info = png_create_info_struct(png);
    struct source source = {data, bytes};
    const int type = image->kind == INDEXED  ? PNG_COLOR_TYPE_PALETTE
                     : image->kind == GRAY16 ? PNG_COLOR_TYPE_GRAY
                                             : PNG_COLOR_TYPE_RGB;

    require(info != NULL, "out of memory");
    png_set_read_fn(png, &source, source_read);
    png_read_info(png, info);
    require(png_get_image_width(png, info) == (png_uint_32)image->width, "another width");
    require(png_get_image_height(png, info) == (png_uint_32)image->height, "another height");
    require(png_get_color_type(png, info) == type, "another kind of colour");
    require(png_get_bit_depth(png, info) == (image->kind == GRAY16 ? 16 : 8), "another depth");
    if (image->kind == INDEXED) {
        png_colorp palette;
        int count = 0;
        require(png_get_PLTE(png, info, &palette, &count) != 0 && count == image->count, "another palette");
        for (int i = 0; i < count; i++)
            require(palette[i].red == image->colours[i][0] && palette[i].green == image->colours[i][1] &&
                        palette[i].blue == image->colours[i][2],
                    "another colour");
    }
    const size_t row_bytes = png_get_rowbytes(png, info);
    for (int j = 0; j < image->height; j++)
        png_read_row(png, pixels + (size_t)j * row_bytes, NULL);
    png_read_end(png, NULL);
    require(source.left == 0, "more than a file");
    png_destroy_read_struct(&png, &info, NULL);
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

/* Is q the rounded v, half up and clamped; or, with slack, one of those next to a tie? */
static bool is_rounded(uint32_t q, long double v, uint32_t limit, long double slack)
{
    for (int side = -1; side <= 1; side++) {
        const long double up = floorl(v + 0.5L + (long double)side * slack);
        const uint32_t expected = up >= (long double)limit ? limit : up > 0 ? (uint32_t)up : 0; /* NaN: 0 */
        if (q == expected)
            return true;
    }
    return false;
}

static uint32_t number_at(const struct image *image, const unsigned char *pixels, size_t i)
{
    const unsigned char *const p = pixels + i * (image->kind == GRAY16 ? 2 : 3);

    return image->kind == GRAY16 ? (uint32_t)p[0] << 8 | p[1]
                                 : (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static void compare_heights(const struct image *image, const unsigned char *pixels)
{
    const size_t area = (size_t)image->width * (size_t)image->height;
    const long double low = image->low_m, span = (long double)image->high_m - low;

    for (size_t i = 0; i < area; i++) {
        const long double h = image->value[i];
        const uint32_t q = number_at(image, pixels, i);
        if (image->kind == GRAY16) {
            if (!(span > 0 && isfinite(image->low_m) && isfinite(image->high_m)))
                continue; /* no range: any pixels */
            const long double v = (h - low) / span * 65535, slack = 1e-9L * (1 + fabsl(low / span));
            require(is_rounded(q, v, 65535, slack), "another grey");
        } else if (image->kind == TERRARIUM)
            require(is_rounded(q, (h + 32768) * 256, 0xFFFFFF, 0), "another height (terrarium)");
        else
            require(is_rounded(q, (h + 10000) * 10, 0xFFFFFF, 1e-9L), "another height (mapbox)");
    }
}

/* The same samples as corners: numbers are the means of those in pixels, half up. */
static void compare_centres(struct encoder *encoder, const struct image *image, const unsigned char *pixels)
{
    static struct image inner;
    static unsigned char means[SIDE_MAX * SIDE_MAX * 3];
    const size_t width = (size_t)image->width;
    unsigned char *png;
    size_t bytes;

    inner = (struct image){.kind = image->kind, .width = image->width - 1, .height = image->height - 1};
    require(encode_png_heights(encoder, image->value, inner.width, inner.height, enc_of(image->kind),
                               image->low_m, image->high_m, true, &png, &bytes) == 0,
            "centres are not encoded");
    decode(&inner, png, bytes, means);
    free(png);
    for (size_t j = 0, k = 0; j < (size_t)inner.height; j++)
        for (size_t i = 0; i < (size_t)inner.width; i++, k++) {
            const size_t at = j * width + i;
            const uint32_t sum = number_at(image, pixels, at) + number_at(image, pixels, at + 1) +
                                 number_at(image, pixels, at + width) +
                                 number_at(image, pixels, at + width + 1);
            require(number_at(&inner, means, k) == (sum + 2) / 4, "another centre");
        }
}

static void compare(const struct image *image, const unsigned char *pixels)
{
    const size_t area = (size_t)image->width * (size_t)image->height;

    if (image->kind == INDEXED)
        require(memcmp(pixels, image->index, area) == 0, "another index");
    else if (image->kind == NORMALS)
        for (size_t i = 0; i < area * 3; i++)
            require(is_rounded(pixels[i], (long double)image->value[i] * 127.5L + 127.5L, 255, 1e-9L),
                    "another normal");
    else
        compare_heights(image, pixels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct image image;
    static unsigned char pixels[SIDE_MAX * SIDE_MAX * 3];
    static struct encoder
        *encoder; /* kept, as a worker keeps its own: what one tile leaves must not show in the next */
    unsigned char *png = NULL, *again = NULL;
    size_t png_bytes = 0, again_bytes = 0;

    if (bytes < HEAD)
        return 0;
    if (!encoder)
        encoder = encoder_create();
    require(encoder != NULL, "out of memory");
    image.width = 1 + data[1] % SIDE_MAX;
    image.height = 1 + data[2] % SIDE_MAX;
    image_fill(&image, data, bytes);
    require(image_encode(encoder, &image, &png, &png_bytes) == 0, "not encoded");
    decode(&image, png, png_bytes, pixels);
    compare(&image, pixels);
    if (image.kind <= GRAY16 && image.width > 1 && image.height > 1)
        compare_centres(encoder, &image, pixels);
    if (data[3] % 8 == 0) {
        struct encoder *const fresh = encoder_create();
        require(fresh != NULL && image_encode(fresh, &image, &again, &again_bytes) == 0, "not encoded again");
        require(png_bytes == again_bytes && memcmp(png, again, png_bytes) == 0,
                "the same samples, other bytes");
        free(again);
        encoder_free(fresh);
    }
    free(png);
    return 0;
}
