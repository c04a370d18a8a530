/*
 * From a key to a blob.
 *
 * Sample memory is sized by the window, which the key's check has bounded: at most 512 x 512 samples of 16
 * weights.
 */
#include "produce.h"

#include <stdlib.h>
#include <uv.h>

#include "../check.h"
#include "../encode/describe.h"
#include "../encode/encode.h"

struct producer {
    void *scratch;
    struct encoder *encoder;
};

/* One production under way. Samples belong to it. */
struct piece {
    struct producer *producer;
    const struct tile_key *key;
    const struct terrane_world *world;
    struct terrane_window window;
    size_t count; /* samples */
    float *values;
    uint8_t *index;
    struct blob_info info;
    unsigned char *data;
    size_t bytes;
};

struct producer *producer_create(void)
{
    struct producer *producer = calloc(1, sizeof *producer);
    if (!producer)
        return NULL;
    producer->scratch = aligned_alloc(TERRANE_SCRATCH_ALIGN, terrane_scratch_bytes());
    producer->encoder = encoder_create();
    if (!producer->scratch || !producer->encoder) {
        producer_free(producer);
        return NULL;
    }
    return producer;
}

void producer_free(struct producer *producer)
{
    if (!producer)
        return;
    free(producer->scratch);
    if (producer->encoder)
        encoder_free(producer->encoder);
    free(producer);
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

static int channels_of(const struct piece *piece)
{
    switch (piece->key->layer) {
    case LAYER_NORMAL:
        return 3;
    case LAYER_PARTITION:
        return piece->world->recipe.partition.zones;
    default:
        return 1;
    }
}

static int make_heights(struct piece *piece)
{
    piece->values = malloc(piece->count * sizeof *piece->values);
    if (!piece->values)
        return -1;
    CHECK(terrane_heights(piece->world, &piece->window, piece->producer->scratch, piece->values) == 0);
    terrane_height_range(piece->values, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

static int make_normals(struct piece *piece)
{
    piece->values = malloc(piece->count * 3 * sizeof *piece->values);
    if (!piece->values)
        return -1;
    CHECK(terrane_normals(piece->world, &piece->window, piece->producer->scratch, piece->values) == 0);
    return 0;
}

/* Indices for a mask, weights for numbers. */
static int make_zones(struct piece *piece)
{
    const size_t zones = (size_t)piece->world->recipe.partition.zones;
    if (piece->key->format == FORMAT_PNG)
        piece->index = malloc(piece->count);
    else
        piece->values = malloc(piece->count * zones * sizeof *piece->values);
    if (!piece->index && !piece->values)
        return -1;
    CHECK(terrane_zones(piece->world, &piece->window, piece->producer->scratch, piece->index,
                        piece->values) == 0);
    return 0;
}

static int make_samples(struct piece *piece)
{
    if (piece->key->format == FORMAT_JSON) { /* of the heights, whatever layer was named; zones besides */
        piece->index = malloc(piece->count);
        if (!piece->index || make_heights(piece) != 0)
            return -1;
        CHECK(terrane_zones(piece->world, &piece->window, piece->producer->scratch, piece->index, NULL) == 0);
        return 0;
    }
    switch (piece->key->layer) {
    case LAYER_NORMAL:
        return make_normals(piece);
    case LAYER_PARTITION:
        return make_zones(piece);
    default:
        return make_heights(piece);
    }
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

static int encode_png(struct piece *piece)
{
    struct encoder *encoder = piece->producer->encoder;
    const struct terrane_recipe *recipe = &piece->world->recipe;
    const int w = piece->window.width, h = piece->window.height;
    uint8_t colours[TERRANE_ZONES_MAX][3];
    switch (piece->key->layer) {
    case LAYER_NORMAL:
        return encode_png_normals(encoder, piece->values, w, h, &piece->data, &piece->bytes);
    case LAYER_PARTITION:
        for (int z = 0; z < recipe->partition.zones; z++)
            for (int c = 0; c < 3; c++)
                colours[z][c] = recipe->partition.zone[z].colour[c];
        return encode_png_indexed(encoder, piece->index, w, h, (const uint8_t(*)[3])colours,
                                  recipe->partition.zones, &piece->data, &piece->bytes);
    default:
        return encode_png_heights(encoder, piece->values, w, h, piece->key->enc, recipe->low_m,
                                  recipe->high_m, &piece->data, &piece->bytes);
    }
}

static int encode_json(struct piece *piece)
{
    struct tile_facts facts = {.window = piece->window};
    size_t in_zone[TERRANE_ZONES_MAX] = {0};
    terrane_measure_heights(piece->world, &piece->window, piece->values, &facts.measure);
    for (size_t i = 0; i < piece->count; i++)
        in_zone[piece->index[i]]++;
    for (int z = 0; z < piece->world->recipe.partition.zones; z++)
        facts.zone_share[z] = (double)in_zone[z] / (double)piece->count;
    return describe_tile(piece->key, piece->world, &facts, &piece->data, &piece->bytes);
}

static int encode(struct piece *piece)
{
    const struct terrane_recipe *recipe = &piece->world->recipe;
    const int channels = channels_of(piece);
    switch (piece->key->format) {
    case FORMAT_PNG:
        return encode_png(piece);
    case FORMAT_R16:
        return encode_r16(piece->values, piece->count, recipe->low_m, recipe->high_m, &piece->data,
                          &piece->bytes);
    case FORMAT_NPY:
        return encode_npy(piece->values, piece->window.width, piece->window.height, channels, &piece->data,
                          &piece->bytes);
    case FORMAT_JSON:
        return encode_json(piece);
    default:
        return encode_f32(piece->values, piece->count * (size_t)channels, &piece->data, &piece->bytes);
    }
}

struct blob *produce(struct producer *producer, const struct tile_key *key, const struct terrane_world *world,
                     struct produce_times *times)
{
    struct piece piece = {.producer = producer, .key = key, .world = world};
    struct blob *blob = NULL;
    CHECK(terrane_window_tile(&piece.window, key->level, key->x, key->y, key->size) == 0);
    piece.count = (size_t)piece.window.width * (size_t)piece.window.height;
    piece.info = (struct blob_info){
        .format = (uint8_t)key->format,
        .width = (uint16_t)piece.window.width,
        .height = (uint16_t)piece.window.height,
    };

    const uint64_t start = uv_hrtime();
    if (make_samples(&piece) != 0)
        goto out;
    const uint64_t made = uv_hrtime();
    if (encode(&piece) != 0)
        goto out;
    times->surface_ns = made - start;
    times->encode_ns = uv_hrtime() - made;
    const struct digest digest = tile_key_digest(key, world);
    blob = blob_create(&digest, &piece.info, piece.data, piece.bytes);
out:
    free(piece.values);
    free(piece.index);
    return blob;
}
