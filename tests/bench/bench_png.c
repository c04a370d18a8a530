/*
 * Measures what PNG tiles cost: time and bytes of libpng's default, of every filter with libdeflate's levels
 * 0 to 2, and of the server's encoder.
 *
 *     make build/libterrane.a
 *     cc -std=c17 -D_GNU_SOURCE -O3 -ffp-contract=off tests/bench/bench_png.c server/encode/png.c \
 *         server/encode/png_filter.c build/libterrane.a -lpng -ldeflate -o build/bench_png && build/bench_png
 *
 * A row of the table is a mean over TILES tiles of 256 x 256 samples of the default world, at one level of
 * detail; the time is the best of ROUNDS. "libpng" is a png_write_struct with nothing set. "filter + level"
 * is one filter for all rows, then libdeflate, without a container: it starts from bytes. "terrane" is the
 * call the server makes: it starts from floats, decides, quantises, filters, deflates and writes the
 * container.
 */
#include <libdeflate.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../server/encode/encode.h"
#include "../../server/encode/png_filter.h"
#include "../../server/encode/quantise.h"

enum { SIZE = 256, SAMPLES = SIZE * SIZE, TILES = 4, ROUNDS = 7, LEVELS = 3, OUT_BYTES = 1 << 20 };

enum kind { KIND_TERRARIUM, KIND_MAPBOX, KIND_GRAY16, KIND_NORMAL, KIND_PARTITION, KINDS };

static const struct {
    const char *name;
    size_t pixel;
    int depth, colour_type;
} kinds[KINDS] = {
    [KIND_TERRARIUM] = {"terrarium", 3, 8, PNG_COLOR_TYPE_RGB},
    [KIND_MAPBOX] = {"mapbox", 3, 8, PNG_COLOR_TYPE_RGB},
    [KIND_GRAY16] = {"gray16", 2, 16, PNG_COLOR_TYPE_GRAY},
    [KIND_NORMAL] = {"normal", 3, 8, PNG_COLOR_TYPE_RGB},
    [KIND_PARTITION] = {"partition", 1, 8, PNG_COLOR_TYPE_PALETTE},
};

/* One tile in every form that an encoder takes. */
struct tile {
    float heights[SAMPLES], normals[3 * SAMPLES];
    uint8_t index[SAMPLES];
    unsigned char bytes[3 * SAMPLES]; /* of the kind at hand */
};

static const uint8_t colours[TERRANE_ZONES_MAX][3];
static struct tile tiles[TILES];
static unsigned char filtered[SIZE * (3 * SIZE + 1)], out[OUT_BYTES];

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void tile_render(struct tile *tile, const struct terrane_world *world, void *scratch, int level, int k)
{
    static const int64_t place[TILES][2] = {{0, 0}, {7919, -104729}, {-31337, 65537}, {271828, 31415}};
    struct terrane_window window;

    if (terrane_window_tile(&window, level, place[k][0] >> level, place[k][1] >> level, SIZE) != 0 ||
        terrane_heights(world, &window, scratch, tile->heights) != 0 ||
        terrane_normals(world, &window, scratch, tile->normals) != 0 ||
        terrane_zones(world, &window, scratch, tile->index, NULL) != 0)
        abort();
}

static const struct terrane_recipe *standard_recipe(void)
{
    static struct terrane_recipe recipe;
    if (!recipe.terms)
        terrane_recipe_default(&recipe);
    return &recipe;
}

static void tile_quantise(struct tile *tile, enum kind kind)
{
    const struct terrane_recipe *recipe = standard_recipe();
    unsigned char *p = tile->bytes;

    for (int i = 0; i < SAMPLES; i++) {
        const float h = tile->heights[i];
        int32_t q = 0;

        switch (kind) {
        case KIND_TERRARIUM:
            q = quantise_terrarium(h);
            break;
        case KIND_MAPBOX:
            q = quantise_mapbox(h);
            break;
        case KIND_GRAY16:
            q = quantise_range(h, recipe->low_m, recipe->high_m);
            break;
        case KIND_NORMAL:
            for (int c = 0; c < 3; c++)
                q = q << 8 | quantise_unit(tile->normals[3 * i + c]);
            break;
        default:
            q = tile->index[i];
        }
        for (size_t b = kinds[kind].pixel; b-- > 0;)
            *p++ = (unsigned char)(q >> (8 * b));
    }
}

static void libpng_write(png_structp png, png_bytep data, size_t bytes)
{
    size_t *used = png_get_io_ptr(png);

    if (bytes > OUT_BYTES - *used)
        png_error(png, "too large");
    memcpy(out + *used, data, bytes);
    *used += bytes;
}

static size_t libpng_encode(const struct tile *tile, enum kind kind)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_color palette[TERRANE_ZONES_MAX];
    size_t used = 0;

    if (!png || !info || setjmp(png_jmpbuf(png)))
        abort();
    memset(palette, 0, sizeof palette);
    png_set_write_fn(png, &used, libpng_write, NULL);
    png_set_IHDR(png, info, SIZE, SIZE, kinds[kind].depth, kinds[kind].colour_type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (kind == KIND_PARTITION)
        png_set_PLTE(png, info, palette, TERRANE_ZONES_MAX);
    png_write_info(png, info);
    for (size_t j = 0; j < SIZE; j++)
        png_write_row(png, tile->bytes + j * SIZE * kinds[kind].pixel);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return used;
}

static size_t filter_deflate(const struct tile *tile, enum kind kind, enum png_filter filter,
                             struct libdeflate_compressor *compressor)
{
    static unsigned char rows[2][FILTER_MARGIN + 3 * SIZE];
    const size_t row_bytes = SIZE * kinds[kind].pixel;

    memset(rows, 0, sizeof rows);
    for (size_t j = 0; j < SIZE; j++) {
        memcpy(rows[j & 1] + FILTER_MARGIN, tile->bytes + j * row_bytes, row_bytes);
        png_filter_row(filter, rows[j & 1] + FILTER_MARGIN, rows[~j & 1] + FILTER_MARGIN, row_bytes,
                       kinds[kind].pixel, filtered + j * (row_bytes + 1));
    }
    return libdeflate_zlib_compress(compressor, filtered, SIZE * (row_bytes + 1), out, sizeof out);
}

static size_t terrane_encode(const struct tile *tile, enum kind kind, struct encoder *encoder)
{
    static const enum tile_enc enc[] = {
        [KIND_TERRARIUM] = ENC_TERRARIUM, [KIND_MAPBOX] = ENC_MAPBOX, [KIND_GRAY16] = ENC_GRAY16};
    const struct terrane_recipe *recipe = standard_recipe();
    unsigned char *data = NULL;
    size_t bytes = 0;
    int result;

    if (kind == KIND_NORMAL)
        result = encode_png_normals(encoder, tile->normals, SIZE, SIZE, &data, &bytes);
    else if (kind == KIND_PARTITION)
        result =
            encode_png_indexed(encoder, tile->index, SIZE, SIZE, colours, TERRANE_ZONES_MAX, &data, &bytes);
    else
        result = encode_png_heights(encoder, tile->heights, SIZE, SIZE, enc[kind], recipe->low_m,
                                    recipe->high_m, &data, &bytes);
    if (result != 0)
        abort();
    free(data);
    return bytes;
}

/* One line of the table. baseline: bytes that percent is of; 0 where the line itself is the baseline. */
#define MEASURE(baseline, call, ...)                                       \
    do {                                                                   \
        double best_ms = 0;                                                \
        size_t bytes = 0;                                                  \
                                                                           \
        for (int tile_ = 0; tile_ < TILES; tile_++) {                      \
            const struct tile *tile = &tiles[tile_];                       \
            double tile_ms = 1e9;                                          \
            size_t made = 0;                                               \
                                                                           \
            for (int round = 0; round < ROUNDS; round++) {                 \
                const double start_ms = now_ms();                          \
                made = call;                                               \
                const double ms = now_ms() - start_ms;                     \
                tile_ms = ms < tile_ms ? ms : tile_ms;                     \
            }                                                              \
            best_ms += tile_ms / TILES;                                    \
            bytes += made;                                                 \
        }                                                                  \
        if ((baseline) == 0)                                               \
            (baseline) = bytes;                                            \
        (void)printf(__VA_ARGS__);                                         \
        (void)printf("%8.3f ms %8zu B %6.1f %%\n", best_ms, bytes / TILES, \
                     100.0 * (double)bytes / (double)(baseline));          \
    } while (0)

static void kind_measure(enum kind kind, int level, struct libdeflate_compressor *const *compressors,
                         struct encoder *encoder)
{
    static const char *const filter_name[FILTERS] = {"none", "sub", "up", "average", "paeth"};
    size_t baseline = 0;

    for (int k = 0; k < TILES; k++)
        tile_quantise(&tiles[k], kind);
    (void)printf("%s, level %d\n", kinds[kind].name, level);
    MEASURE(baseline, libpng_encode(tile, kind), "  %-20s", "libpng");
    for (int l = 0; l < LEVELS; l++)
        for (int f = FILTER_NONE; f < (l == 0 ? FILTER_SUB : FILTERS); f++)
            MEASURE(baseline, filter_deflate(tile, kind, (enum png_filter)f, compressors[l]),
                    "  %-10s + %-7d", filter_name[f], l);
    MEASURE(baseline, terrane_encode(tile, kind, encoder), "  %-20s", "terrane");
}

int main(void)
{
    static const int levels[] = {0, 3, 6, 9};
    struct libdeflate_compressor *compressors[LEVELS];
    struct encoder *encoder = encoder_create();
    struct terrane_world world;
    void *scratch =
        aligned_alloc(TERRANE_SCRATCH_ALIGN, (terrane_scratch_bytes() + TERRANE_SCRATCH_ALIGN - 1) /
                                                 TERRANE_SCRATCH_ALIGN * TERRANE_SCRATCH_ALIGN);

    if (!encoder || !scratch || terrane_init(NULL) != 0)
        return EXIT_FAILURE;
    terrane_world_init(&world, standard_recipe(), 42);
    for (int l = 0; l < LEVELS; l++)
        if (!(compressors[l] = libdeflate_alloc_compressor(l)))
            return EXIT_FAILURE;

    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        for (int k = 0; k < TILES; k++)
            tile_render(&tiles[k], &world, scratch, levels[l], k);
        for (int kind = 0; kind < KINDS; kind++)
            kind_measure((enum kind)kind, levels[l], compressors, encoder);
    }

    for (int l = 0; l < LEVELS; l++)
        libdeflate_free_compressor(compressors[l]);
    encoder_free(encoder);
    free(scratch);
    return EXIT_SUCCESS;
}
