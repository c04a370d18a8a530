/*
 * Measures what content codings of tiles cost and save: every layer and raw format, by gzip (libdeflate) and zstd at some
 * levels, on tiles of every recipe that ships.
 *
 *     bench_coding [--size N]    N: 2 .. 257, or 512; 257 where nothing is said
 *
 * A row is a mean over recipes and levels of detail: the coded share of the bytes (and the least and the largest of any
 * tile), the time for a megabyte and for a tile (and for the slowest), and what a tile gains on a line of 100 Mbit/s: the time on the line that
 * coding saves, less the time that it takes. Times are the best of ROUNDS. "server" is the call the server makes, where the
 * key is worth it; a tile that it leaves as it is counts with all of its bytes.
 */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "../../server/encode/coding.h"
#include "../../server/recipe/book.h"
#include "../../server/render/product.h"

enum { ROUNDS = 3, TILES_MAX = 64, MEMORY_BYTES = 256 << 20 };

#define LINE_MS_PER_BYTE (8 / 100e6 * 1e3) /* 100 Mbit/s */

static const int lods[] = {0, 3, 6, 10};
static const int gzip_levels[] = {1, 3, 6}, zstd_levels[] = {-3, -1, 1, 3, 6};

struct sums {
    double least, most, ms, slowest_ms, bytes, coded;
    int tiles;
};

static struct encoder *encoder;
static ZSTD_CCtx *zstd;
static unsigned char *out;
static size_t out_bytes;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench_coding: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- Coders -------------------------------------------------------------------------------------------- */

struct coder {
    enum tile_coding coding;
    int level;
    bool server;
    struct libdeflate_compressor *gzip;
};

static size_t code(const struct coder *coder, const struct tile_key *key, const struct blob *blob)
{
    if (coder->server) {
        bool paid = false;
        size_t bytes = blob->bytes;
        struct tile_key coded = *key;
        coded.coding = coder->coding;
        if (tile_coding_worthwhile(&coded))
            free(coding_apply(encoder, coder->coding, blob->data, blob->bytes, &bytes, &paid));
        return paid ? bytes : blob->bytes;
    }
    if (coder->coding == CODING_GZIP)
        return libdeflate_gzip_compress(coder->gzip, blob->data, blob->bytes, out, out_bytes);
    (void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, coder->level);
    const size_t bytes = ZSTD_compress2(zstd, out, out_bytes, blob->data, blob->bytes);
    require(!ZSTD_isError(bytes), "zstd fails");
    return bytes;
}

static void measure(const struct coder *coder, const struct tile_key *key, const struct blob *blob,
                    struct sums *sums)
{
    double best = 1e9;
    size_t coded = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now_ms();
        coded = code(coder, key, blob);
        const double ms = now_ms() - start;
        best = ms < best ? ms : best;
    }
    const double share = (double)coded / (double)blob->bytes;
    sums->least = sums->tiles == 0 || share < sums->least ? share : sums->least;
    sums->most = share > sums->most ? share : sums->most;
    sums->ms += best;
    sums->slowest_ms = best > sums->slowest_ms ? best : sums->slowest_ms;
    sums->bytes += (double)blob->bytes;
    sums->coded += (double)coded;
    sums->tiles++;
}

static void row(const struct coder *coder, const struct tile_key *keys, struct blob *const *blobs, int count)
{
    struct sums sums = {0};
    for (int i = 0; i < count; i++)
        measure(coder, &keys[i], blobs[i], &sums);
    const double gain = (sums.bytes - sums.coded) * LINE_MS_PER_BYTE - sums.ms;
    if (coder->server)
        printf("  %s server", tile_coding_name[coder->coding]);
    else
        printf("  %s %6d", tile_coding_name[coder->coding], coder->level);
    printf("  %5.1f %% (%5.1f .. %5.1f)  %7.2f ms/MB  %7.3f ms (%7.3f)  gains %8.3f ms\n",
           100 * sums.coded / sums.bytes, 100 * sums.least, 100 * sums.most, sums.ms / (sums.bytes / 1e6),
           sums.ms / count, sums.slowest_ms, gain / count);
}

static void rows(const struct tile_key *keys, struct blob *const *blobs, int count)
{
    struct coder coder = {.coding = CODING_GZIP};
    for (size_t l = 0; l < sizeof gzip_levels / sizeof *gzip_levels; l++) {
        coder.level = gzip_levels[l];
        coder.gzip = libdeflate_alloc_compressor(coder.level);
        require(coder.gzip, "out of memory");
        row(&coder, keys, blobs, count);
        libdeflate_free_compressor(coder.gzip);
    }
    coder.coding = CODING_ZSTD;
    for (size_t l = 0; l < sizeof zstd_levels / sizeof *zstd_levels; l++) {
        coder.level = zstd_levels[l];
        row(&coder, keys, blobs, count);
    }
    coder.server = true;
    for (int coding = CODING_GZIP; coding < CODINGS; coding++) {
        coder.coding = (enum tile_coding)coding;
        row(&coder, keys, blobs, count);
    }
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

struct place {
    const struct recipe *recipe;
    struct terrane_world world;
};

static struct blob *tile_of(struct producer *producer, struct memory *memory, const struct place *place,
                            struct tile_key *key)
{
    struct produce_times times;
    tile_key_vary(key, place->world.recipe);
    require(tile_key_finish(key) == TILE_FINE, "no such tile");
    const struct product_key product = product_of_tile(key);
    struct blob *blob = product_make_alone(producer, &product, &place->world, memory, &times);
    require(blob, "out of memory");
    return blob;
}

static void table(struct producer *producer, struct memory *memory, const struct place *places, int count,
                  enum tile_layer layer, enum tile_format format, int size)
{
    static struct tile_key keys[TILES_MAX];
    static struct blob *blobs[TILES_MAX];
    int tiles = 0;
    double bytes = 0;
    for (int p = 0; p < count; p++)
        for (size_t l = 0; l < sizeof lods / sizeof *lods && tiles < TILES_MAX; l++) {
            if (size == 512 && lods[l] == 0)
                continue;
            keys[tiles] = (struct tile_key){.seed = 42,
                                            .x = (5000 + 777 * p) >> lods[l],
                                            .y = (-3000 + 555 * p) >> lods[l],
                                            .level = lods[l],
                                            .layer = layer,
                                            .variant = VARIANT_UNSAID,
                                            .format = format,
                                            .size = size};
            blobs[tiles] = tile_of(producer, memory, &places[p], &keys[tiles]);
            bytes += (double)blobs[tiles]->bytes;
            tiles++;
        }
    printf("%s %s, %d tiles of %.0f bytes\n", tile_layer_name[layer], tile_format_name[format], tiles,
           bytes / tiles);
    rows(keys, blobs, tiles);
    for (int i = 0; i < tiles; i++)
        blob_release(blobs[i]);
}

static void tables(struct producer *producer, struct memory *memory, const struct place *places, int count,
                   int size)
{
    for (int layer = 0; layer < LAYERS; layer++)
        for (int format = FORMAT_F32; format < FORMATS; format++)
            if (tile_layer_has((enum tile_layer)layer, (enum tile_format)format) &&
                (format != FORMAT_JSON || layer == LAYER_HEIGHT))
                table(producer, memory, places, count, (enum tile_layer)layer, (enum tile_format)format,
                      size);
}

int main(int argc, char **argv)
{
    enum { PLACES_MAX = 16 };
    static struct place places[PLACES_MAX];
    char error[400];
    int count = 0;
    const int size = argc == 3 && strcmp(argv[1], "--size") == 0 ? (int)strtol(argv[2], NULL, 10) : 257;
    struct book *book = book_open("", error, sizeof error);
    struct producer *producer = producer_create();
    struct memory *memory = memory_create(MEMORY_BYTES);
    out_bytes = ZSTD_compressBound(1 << 26);
    out = malloc(out_bytes);
    encoder = encoder_create();
    zstd = ZSTD_createCCtx();
    require(book && producer && memory && out && encoder && zstd && terrane_init(NULL) == 0, "out of memory");
    for (; count < PLACES_MAX && (places[count].recipe = book_at(book, (size_t)count)) != NULL; count++)
        terrane_world_init(&places[count].world, &places[count].recipe->world, 42);
    tables(producer, memory, places, count, size);
    ZSTD_freeCCtx(zstd);
    encoder_free(encoder);
    free(out);
    memory_free(memory);
    producer_free(producer);
    book_free(book);
    return EXIT_SUCCESS;
}
