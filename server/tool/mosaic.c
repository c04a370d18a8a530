/*
 * Many tiles as one picture. Tiles are made as for the server, one after the other and with one memory tier, so that a
 * region under several of them is made once; their samples are copied as they are, by bytes, and encoded together.
 */
#include "mosaic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../check.h"
#include "../encode/encode.h"
#include "../render/product.h"

enum { TIER_BYTES = 128 << 20, PATIENCE_MS = 1000 };

/* A mosaic under way. */
struct work {
    const struct mosaic *mosaic;
    struct producer *producer;
    struct memory *memory;
    struct encoder *encoder;
    struct picture whole; /* of raw formats: pixel and pixels alone count */
    uint64_t start_ns;
};

bool mosaic_has(enum tile_layer layer, enum tile_format format)
{
    const bool single = layer != LAYER_NORMAL && layer != LAYER_PARTITION;
    return format == FORMAT_PNG || (format != FORMAT_JSON && single && tile_layer_has(layer, format));
}

/* Bytes of a sample in a raw format. */
static size_t raw_bytes(enum tile_format format)
{
    return format == FORMAT_R16 ? 2 : 4;
}

static void tell(const struct work *work, int done)
{
    const int all = work->mosaic->across * work->mosaic->down;
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
    const struct mosaic *mosaic = work->mosaic;
    work->whole = *tile;
    work->whole.width = mosaic->across * mosaic->first.size;
    work->whole.height = mosaic->down * mosaic->first.size;
    work->whole.pixels = malloc((size_t)work->whole.width * (size_t)work->whole.height * work->whole.pixel);
    return work->whole.pixels ? 0 : -1;
}

static void whole_put(struct work *work, int column, int row, const struct picture *tile)
{
    const size_t size = (size_t)work->mosaic->first.size, bytes = size * tile->pixel;
    const size_t stride = (size_t)work->whole.width * tile->pixel;
    CHECK(tile->pixel == work->whole.pixel);
    for (size_t j = 0; j < size; j++)
        memcpy(work->whole.pixels + ((size_t)row * size + j) * stride + (size_t)column * bytes,
               tile->pixels + j * bytes, bytes);
}

/* The samples of a tile's blob, owned; -1 when memory is short. */
static int tile_open(const struct tile_key *key, const struct blob *blob, struct picture *tile)
{
    if (key->format == FORMAT_PNG)
        return picture_read(tile, blob->data, blob->bytes);
    *tile = (struct picture){.width = key->size, .height = key->size, .pixel = raw_bytes(key->format)};
    CHECK(blob->bytes == (size_t)key->size * (size_t)key->size * tile->pixel);
    tile->pixels = malloc(blob->bytes);
    if (!tile->pixels)
        return -1;
    memcpy(tile->pixels, blob->data, blob->bytes);
    return 0;
}

static int put_tile(struct work *work, int column, int row)
{
    struct tile_key key = work->mosaic->first;
    struct picture tile = {0};
    struct produce_times times = {0};
    int result = -1;
    key.x += column;
    key.y += row;
    if (key.format == FORMAT_NPY)
        key.format = FORMAT_F32;
    const struct product_key product = product_of_tile(&key);
    struct blob *blob =
        product_make_alone(work->producer, &product, work->mosaic->world, work->memory, &times);
    if (!blob || tile_open(&key, blob, &tile) != 0)
        goto out;
    if (!work->whole.pixels && whole_open(work, &tile) != 0)
        goto out;
    whole_put(work, column, row, &tile);
    result = 0;
out:
    free(tile.pixels);
    blob_release(blob);
    return result;
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

static int encode_npy_whole(const struct picture *whole, unsigned char **data, size_t *bytes)
{
    unsigned char head[ENCODE_NPY_HEAD_BYTES];
    const size_t head_bytes = encode_npy_head(head, whole->width, whole->height, 1);
    const size_t body_bytes = (size_t)whole->width * (size_t)whole->height * whole->pixel;
    *data = malloc(head_bytes + body_bytes);
    if (!*data)
        return -1;
    memcpy(*data, head, head_bytes);
    memcpy(*data + head_bytes, whole->pixels, body_bytes);
    *bytes = head_bytes + body_bytes;
    return 0;
}

static int whole_encode(struct work *work, unsigned char **data, size_t *bytes)
{
    switch (work->mosaic->first.format) {
    case FORMAT_PNG:
        return encode_png_picture(work->encoder, &work->whole, data, bytes);
    case FORMAT_NPY:
        return encode_npy_whole(&work->whole, data, bytes);
    default: /* as they stand */
        *data = work->whole.pixels;
        *bytes = (size_t)work->whole.width * (size_t)work->whole.height * work->whole.pixel;
        work->whole.pixels = NULL;
        return 0;
    }
}

int mosaic_make(const struct mosaic *mosaic, unsigned char **data, size_t *bytes)
{
    struct work work = {.mosaic = mosaic, .start_ns = uv_hrtime()};
    int result = -1, done = 0;
    CHECK(mosaic->first.size <= TERRANE_TILE_SAMPLES && mosaic->first.size % 2 == 0);
    CHECK(mosaic->across >= 1 && mosaic->across <= MOSAIC_TILES_MOST);
    CHECK(mosaic->down >= 1 && mosaic->down <= MOSAIC_TILES_MOST);
    work.producer = producer_create();
    work.memory = memory_create(TIER_BYTES);
    work.encoder = encoder_create();
    if (!work.producer || !work.memory || !work.encoder)
        goto out;
    for (int row = 0; row < mosaic->down; row++)
        for (int column = 0; column < mosaic->across; column++) {
            if (put_tile(&work, column, row) != 0)
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
