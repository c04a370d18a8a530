/*
 * From a key to a blob.
 *
 * Sample memory is sized by the window, which the key's check has bounded: at most 512 x 512 samples. The
 * most that one piece holds at a time is a relief of 16 zones: heights, normals, weights and pixels, 83 bytes
 * a sample, 22 MB; its encoded bytes come on top.
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

/* One production under way. Samples belong to it; those that its layer and format do not need are NULL. */
struct piece {
    struct producer *producer;
    const struct tile_key *key;
    const struct terrane_world *world;
    struct terrane_window window;
    size_t count; /* samples */
    float *heights, *normals, *weights, *slopes;
    uint8_t *index;  /* zones */
    uint8_t *pixels; /* grey or RGB */
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

/* Each fills what it is named after and returns 0, or -1 when memory is short. */

static int make_heights(struct piece *piece)
{
    piece->heights = malloc(piece->count * sizeof *piece->heights);
    if (!piece->heights)
        return -1;
    CHECK(terrane_heights(piece->world, &piece->window, piece->producer->scratch, piece->heights) == 0);
    terrane_height_range(piece->heights, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

static int make_normals(struct piece *piece)
{
    piece->normals = malloc(piece->count * 3 * sizeof *piece->normals);
    if (!piece->normals)
        return -1;
    CHECK(terrane_normals(piece->world, &piece->window, piece->producer->scratch, piece->normals) == 0);
    return 0;
}

static int make_index(struct piece *piece)
{
    piece->index = malloc(piece->count);
    if (!piece->index)
        return -1;
    CHECK(terrane_zones(piece->world, &piece->window, piece->producer->scratch, piece->index, NULL) == 0);
    return 0;
}

static int make_weights(struct piece *piece)
{
    const size_t zones = (size_t)piece->world->recipe->partition.zones;
    piece->weights = malloc(piece->count * zones * sizeof *piece->weights);
    if (!piece->weights)
        return -1;
    CHECK(terrane_zones(piece->world, &piece->window, piece->producer->scratch, NULL, piece->weights) == 0);
    return 0;
}

static int make_slopes(struct piece *piece)
{
    piece->slopes = malloc(piece->count * sizeof *piece->slopes);
    if (!piece->slopes || make_normals(piece) != 0)
        return -1;
    terrane_slopes(piece->normals, piece->count, piece->slopes);
    return 0;
}

static int make_hillshade(struct piece *piece)
{
    piece->pixels = malloc(piece->count);
    if (!piece->pixels || make_normals(piece) != 0)
        return -1;
    terrane_hillshade(piece->normals, piece->count, piece->pixels);
    return 0;
}

static int make_relief(struct piece *piece)
{
    piece->pixels = malloc(piece->count * 3);
    if (!piece->pixels || make_heights(piece) != 0 || make_normals(piece) != 0 || make_weights(piece) != 0)
        return -1;
    terrane_relief(piece->world->recipe, piece->heights, piece->normals, piece->weights, piece->count,
                   piece->pixels);
    return 0;
}

static int make_samples(struct piece *piece)
{
    if (piece->key->format == FORMAT_JSON) /* of the heights, whatever layer was named; zones besides */
        return make_heights(piece) != 0 ? -1 : make_index(piece);
    switch (piece->key->layer) {
    case LAYER_NORMAL:
        return make_normals(piece);
    case LAYER_PARTITION: /* indices for a mask, weights for numbers */
        return piece->key->format == FORMAT_PNG ? make_index(piece) : make_weights(piece);
    case LAYER_SLOPE:
        return make_slopes(piece);
    case LAYER_HILLSHADE:
        return make_hillshade(piece);
    case LAYER_RELIEF:
        return make_relief(piece);
    default:
        return make_heights(piece);
    }
}

/* ---- Bytes --------------------------------------------------------------------------------------------- */

static int encode_mask(struct piece *piece)
{
    const struct terrane_partition *partition = &piece->world->recipe->partition;
    uint8_t colours[TERRANE_ZONES_MAX][3];
    for (int z = 0; z < partition->zones; z++)
        for (int c = 0; c < 3; c++)
            colours[z][c] = partition->zone[z].colour[c];
    return encode_png_indexed(piece->producer->encoder, piece->index, piece->window.width,
                              piece->window.height, (const uint8_t(*)[3])colours, partition->zones,
                              &piece->data, &piece->bytes);
}

static int encode_png(struct piece *piece)
{
    struct encoder *encoder = piece->producer->encoder;
    const struct terrane_recipe *recipe = piece->world->recipe;
    const int w = piece->window.width, h = piece->window.height;
    switch (piece->key->layer) {
    case LAYER_NORMAL:
        return encode_png_normals(encoder, piece->normals, w, h, &piece->data, &piece->bytes);
    case LAYER_PARTITION:
        return encode_mask(piece);
    case LAYER_SLOPE:
        return encode_png_slopes(encoder, piece->slopes, w, h, &piece->data, &piece->bytes);
    case LAYER_HILLSHADE:
        return encode_png_pixels(encoder, piece->pixels, w, h, 1, &piece->data, &piece->bytes);
    case LAYER_RELIEF:
        return encode_png_pixels(encoder, piece->pixels, w, h, 3, &piece->data, &piece->bytes);
    default:
        return encode_png_heights(encoder, piece->heights, w, h, piece->key->enc, recipe->low_m,
                                  recipe->high_m, &piece->data, &piece->bytes);
    }
}

static int encode_json(struct piece *piece)
{
    struct tile_facts facts = {.window = piece->window, .recipe = piece->key->recipe};
    size_t in_zone[TERRANE_ZONES_MAX] = {0};
    terrane_measure_heights(piece->world, &piece->window, piece->heights, &facts.measure);
    for (size_t i = 0; i < piece->count; i++)
        in_zone[piece->index[i]]++;
    for (int z = 0; z < piece->world->recipe->partition.zones; z++)
        facts.zone_share[z] = (double)in_zone[z] / (double)piece->count;
    return describe_tile(piece->key, piece->world, &facts, &piece->data, &piece->bytes);
}

/* The numbers of f32 and npy, and how many a sample. */
static const float *values_of(const struct piece *piece, int *channels)
{
    *channels = 1;
    switch (piece->key->layer) {
    case LAYER_NORMAL:
        *channels = 3;
        return piece->normals;
    case LAYER_PARTITION:
        *channels = piece->world->recipe->partition.zones;
        return piece->weights;
    case LAYER_SLOPE:
        return piece->slopes;
    default:
        return piece->heights;
    }
}

static int encode(struct piece *piece)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    int channels;
    const float *values = values_of(piece, &channels);
    switch (piece->key->format) {
    case FORMAT_PNG:
        return encode_png(piece);
    case FORMAT_R16:
        return encode_r16(values, piece->count, recipe->low_m, recipe->high_m, &piece->data, &piece->bytes);
    case FORMAT_NPY:
        return encode_npy(values, piece->window.width, piece->window.height, channels, &piece->data,
                          &piece->bytes);
    case FORMAT_JSON:
        return encode_json(piece);
    default:
        return encode_f32(values, piece->count * (size_t)channels, &piece->data, &piece->bytes);
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
    free(piece.heights);
    free(piece.normals);
    free(piece.weights);
    free(piece.slopes);
    free(piece.index);
    free(piece.pixels);
    return blob;
}
