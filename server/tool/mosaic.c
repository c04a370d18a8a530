/*
 * Many tiles as one picture. Tiles are made as for the server, one after the other and with one memory tier, so
 * that a region under several of them is made once; what lies in the window of their samples is copied as it
 * is, by bytes, and encoded together.
 */
#include "mosaic.h"
#include "../base/little_endian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "../render/product.h"

enum { PATIENCE_MS = 1000 };

/* A mosaic under way. */
struct work {
    const struct mosaic *mosaic;
    struct producer *producer;
    struct memory *memory;
    struct encoder *encoder;
    struct picture whole;   /* of raw formats: pixel and pixels alone count */
    int64_t tile_x, tile_y; /* the first, */
    int across, down;       /* and how many */
    uint64_t start_ns;
};

static int values_of(const struct mosaic *mosaic)
{
    return tile_values(mosaic->key.layer, mosaic->world->recipe);
}

static void tell(const struct work *work, int done)
{
    const int all = work->across * work->down;
    const uint64_t ms = (uv_hrtime() - work->start_ns) / 1000000;
    if (!work->mosaic->progress || ms < PATIENCE_MS)
        return;
    if (done < all)
        fprintf(stderr, "\r%d of %d tiles, %d s ", done, all, (int)(ms / 1000));
    else
        fprintf(stderr, "\r%40s\r", "");
    fflush(stderr);
}

/* ---- Putting together ---------------------------------------------------------------------------------- */

/* Makes room for the whole, whose samples are like those of its first tile. */
static int whole_open(struct work *work, const struct picture *tile)
{
    work->whole = *tile;
    work->whole.width = work->mosaic->width;
    work->whole.height = work->mosaic->height;
    work->whole.pixels = calloc((size_t)work->whole.width * (size_t)work->whole.height, work->whole.pixel);
    return work->whole.pixels ? 0 : -1;
}

struct mosaic_overlap mosaic_overlap(int64_t tile, int size, int64_t start, int length)
{
    const int64_t first = tile * size, last = first + size, end = start + length;
    const int64_t low = first > start ? first : start, high = last < end ? last : end;
    CHECK(low < high);
    return (struct mosaic_overlap){(size_t)(low - first), (size_t)(low - start), (size_t)(high - low)};
}

static void whole_put(struct work *work, int64_t x, int64_t y, const struct picture *tile)
{
    const struct mosaic *mosaic = work->mosaic;
    const size_t pixel = tile->pixel, row = (size_t)mosaic->key.size * pixel;
    const size_t stride = (size_t)work->whole.width * pixel;
    const struct mosaic_overlap across = mosaic_overlap(x, mosaic->key.size, mosaic->x0, mosaic->width);
    const struct mosaic_overlap down = mosaic_overlap(y, mosaic->key.size, mosaic->y0, mosaic->height);
    CHECK(pixel == work->whole.pixel);
    for (size_t j = 0; j < down.count; j++)
        memcpy(work->whole.pixels + (down.to + j) * stride + across.to * pixel,
               tile->pixels + (down.from + j) * row + across.from * pixel, across.count * pixel);
}

/* The samples of a tile's blob, owned; -1 when memory is short. */
static int tile_open(const struct work *work, const struct tile_key *key, const struct blob *blob,
                     struct picture *tile)
{
    if (key->format == FORMAT_PNG)
        return picture_read(tile, blob->data, blob->bytes);
    *tile = (struct picture){
        .width = key->size,
        .height = key->size,
        .pixel = tile_sample_bytes(key->layer, key->format, work->mosaic->world->recipe),
    };
    CHECK(blob->bytes == (size_t)key->size * (size_t)key->size * tile->pixel);
    tile->pixels = malloc(blob->bytes);
    if (!tile->pixels)
        return -1;
    memcpy(tile->pixels, blob->data, blob->bytes);
    return 0;
}

static int put_tile(struct work *work, int64_t x, int64_t y)
{
    struct tile_key key = work->mosaic->key;
    struct picture tile = {0};
    struct produce_times times = {0};
    int result = -1;
    key.x = x;
    key.y = y;
    key.format = format_row[key.format].samples;
    CHECK(tile_key_finish(&key) == TILE_FINE);
    const struct product_key product = product_of_tile(&key);
    struct blob *blob =
        product_make_alone(work->producer, &product, work->mosaic->world, work->memory, &times);
    if (!blob || tile_open(work, &key, blob, &tile) != 0)
        goto out;
    if (!work->whole.pixels && whole_open(work, &tile) != 0)
        goto out;
    whole_put(work, x, y, &tile);
    result = 0;
out:
    free(tile.pixels);
    blob_release(blob);
    return result;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* Bytes that were made for the wire, little-endian, as the floats that they are. */
static int encode_numbers(const struct work *work, unsigned char **data, size_t *bytes)
{
    const struct mosaic *mosaic = work->mosaic;
    const int step = TERRANE_TILE_SAMPLES / mosaic->key.size;
    const int channels = values_of(mosaic);
    const size_t count = (size_t)mosaic->width * (size_t)mosaic->height * (size_t)channels;
    const unsigned char *at = work->whole.pixels;
    float *values = malloc(count * sizeof *values);
    if (!values)
        return -1;
    for (size_t i = 0; i < count; i++)
        values[i] = get_f32(at + 4 * i);
    const struct grid grid = {
        .values = values,
        .width = mosaic->width,
        .height = mosaic->height,
        .channels = channels,
        .place = {.west_m = terrane_lattice_m(mosaic->world, mosaic->key.level, mosaic->x0 * step),
                  .north_m = -terrane_lattice_m(mosaic->world, mosaic->key.level, mosaic->y0 * step),
                  .spacing_m = terrane_lattice_m(mosaic->world, mosaic->key.level, step),
                  .none = layer_row[mosaic->key.layer].none},
    };
    const int result = encode_grid(mosaic->key.format, &grid, data, bytes);
    free(values);
    return result;
}

static int whole_encode(struct work *work, unsigned char **data, size_t *bytes)
{
    const enum tile_format format = work->mosaic->key.format;
    CHECK(work->whole.pixels != NULL);
    if (format == FORMAT_PNG)
        return encode_png_picture(work->encoder, &work->whole, data, bytes);
    if (format_row[format].samples != format)
        return encode_numbers(work, data, bytes);
    *data = work->whole.pixels; /* as they stand */
    *bytes = (size_t)work->whole.width * (size_t)work->whole.height * work->whole.pixel;
    work->whole.pixels = NULL;
    return 0;
}

/* Tiles that a window touches along an axis, from *first on. */
static int tiles_of(int64_t start, int length, int size, int64_t *first)
{
    const int64_t last = start + length - 1;
    *first = start / size - (start % size < 0);
    return (int)(last / size - (last % size < 0) - *first) + 1;
}

int mosaic_make(const struct mosaic *mosaic, unsigned char **data, size_t *bytes)
{
    struct work work = {.mosaic = mosaic, .start_ns = uv_hrtime()};
    const int size = mosaic->key.size;
    int result = -1, done = 0;
    CHECK(size <= TERRANE_TILE_SAMPLES && size % 2 == 0);
    CHECK(mosaic->width >= 1 && mosaic->width <= MOSAIC_SIDE_MAX);
    CHECK(mosaic->height >= 1 && mosaic->height <= MOSAIC_SIDE_MAX);
    work.across = tiles_of(mosaic->x0, mosaic->width, size, &work.tile_x);
    work.down = tiles_of(mosaic->y0, mosaic->height, size, &work.tile_y);
    work.producer = producer_create();
    work.memory = memory_create(PRODUCE_BYTES);
    work.encoder = encoder_create();
    if (!work.producer || !work.memory || !work.encoder)
        goto out;
    for (int row = 0; row < work.down; row++)
        for (int column = 0; column < work.across; column++) {
            if (put_tile(&work, work.tile_x + column, work.tile_y + row) != 0)
                goto out;
            tell(&work, ++done);
        }
    result = whole_encode(&work, data, bytes);
out:
    free(work.whole.pixels);
    encoder_free(work.encoder);
    memory_free(work.memory);
    producer_free(work.producer);
    return result;
}
