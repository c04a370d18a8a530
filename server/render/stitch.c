/*
 * Stitching: from the tiles around a shifted tile to its bytes. Pictures are read back from their PNGs, numbers from f32.
 */
#include "../base/little_endian.h"
#include "tile_make.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "../encode/mesh.h"
#include "tile_piece.h"

/* What is read: tiles across x 2 of them, of one layer, or of a second one behind the first. */
struct seam {
    const struct tile_key *key;
    int across, layers;
    enum tile_layer layer[2];
    enum tile_format format;
};

static struct seam seam_of(const struct tile_key *key)
{
    struct seam seam = {.key = key, .across = key->shift == SHIFT_NORTH_WEST ? 2 : 1, .layers = 1};
    CHECK(key->shift != SHIFT_NONE && format_row[key->format].carries != CARRIES_WORDS);
    seam.format = format_row[key->format].samples;
    seam.layer[0] = key->layer;
    if (key->format == FORMAT_TERRAIN)
        seam.layer[seam.layers++] = LAYER_WATER;
    CHECK(seam.across * 2 * seam.layers <= STITCH_INPUTS_MAX);
    return seam;
}

int stitch_inputs(const struct tile_key *key, struct tile_key inputs[static STITCH_INPUTS_MAX])
{
    const struct seam seam = seam_of(key);
    int count = 0;
    for (int layer = 0; layer < seam.layers; layer++)
        for (int row = 0; row < 2; row++)
            for (int column = 0; column < seam.across; column++) {
                struct tile_key *input = &inputs[count++];
                *input = *key;
                input->layer = seam.layer[layer];
                input->format = seam.format;
                input->shift = SHIFT_NONE;
                input->coding = CODING_IDENTITY;
                input->x += column - (seam.across - 1);
                input->y += row - 1;
                CHECK(tile_key_finish(input) == TILE_FINE);
            }
    return count;
}

/* The samples of an input, which fits its key (tile_fits.c). pixels belong to the caller; -1 when memory is short. */
static int open_input(const struct seam *seam, const struct blob *blob, struct picture *picture)
{
    const size_t side = (size_t)seam->key->size, count = side * side;
    if (seam->format == FORMAT_PNG)
        return picture_read(picture, blob->data, blob->bytes) == 0 && picture->width == (int)side &&
                       picture->height == (int)side
                   ? 0
                   : -1;
    *picture = (struct picture){.width = (int)side, .height = (int)side, .pixel = blob->bytes / count};
    if (picture->pixel == 0 || blob->bytes != picture->pixel * count)
        return -1;
    picture->pixels = malloc(blob->bytes);
    if (!picture->pixels)
        return -1;
    memcpy(picture->pixels, blob->data, blob->bytes);
    return 0;
}

/*
 * Copies the part of an input that lies in the tile. Along an axis with two inputs the first gives its second half, and the
 * last one the rest: size / 2 samples from size / 2 on, and all from 0 on, the shared middle with them.
 */
static void put(const struct seam *seam, struct picture *whole, const struct picture *input, int column,
                int row)
{
    const int side = seam->key->size, half = side / 2;
    const bool west = seam->across == 2 && column == 0, single = seam->across == 1;
    const int from_x = west ? half : 0, from_y = row == 0 ? half : 0;
    const int to_x = single || west ? 0 : half, to_y = row == 0 ? 0 : half;
    const int columns = single ? side : west ? half : side - half, rows = row == 0 ? half : side - half;
    const size_t pixel = whole->pixel, stride = (size_t)side * pixel;
    for (int j = 0; j < rows; j++)
        memcpy(whole->pixels + (size_t)(to_y + j) * stride + (size_t)to_x * pixel,
               input->pixels + (size_t)(from_y + j) * stride + (size_t)from_x * pixel,
               (size_t)columns * pixel);
}

/* One layer's samples, from its inputs row by row. whole.pixels belong to the caller, also where -1 is returned. */
static int join(const struct seam *seam, struct blob *const *inputs, struct picture *whole)
{
    for (int k = 0; k < 2 * seam->across; k++) {
        struct picture input = {0};
        bool fits = open_input(seam, inputs[k], &input) == 0;
        if (fits && k == 0) {
            *whole = input;
            whole->pixels = malloc((size_t)input.width * (size_t)input.height * input.pixel);
        }
        fits = fits && whole->pixels && input.pixel == whole->pixel;
        if (fits)
            put(seam, whole, &input, k % seam->across, k / seam->across);
        free(input.pixels);
        if (!fits)
            return -1;
    }
    return 0;
}

/* From the little-endian bytes of f32 to this machine's floats, in their place. */
static void to_floats(struct picture *layer)
{
    const size_t bytes = (size_t)layer->width * (size_t)layer->height * layer->pixel;
    for (unsigned char *at = layer->pixels; at < layer->pixels + bytes; at += sizeof(float)) {
        const uint32_t bits = get_u32(at);
        memcpy(at, &bits, sizeof bits);
    }
}

static int encode_mesh(const struct tile_key *key, const struct terrane_world *world,
                       const struct terrane_window *window, const struct picture *layer, unsigned char **data,
                       size_t *bytes)
{
    const float *heights = (const void *)layer[0].pixels, *depth = (const void *)layer[1].pixels;
    float *normals = malloc((size_t)window->width * (size_t)window->height * 3 * sizeof *normals);
    if (!normals)
        return -1;
    const double spacing_m = terrane_lattice_m(world, window->level, window->step);
    const int result = mesh_normals(heights, window->width, spacing_m, normals) == 0
                           ? tile_encode_mesh(key, world, window, heights, normals, depth, NULL, data, bytes)
                           : -1;
    free(normals);
    return result;
}

static int encode(struct producer *producer, const struct seam *seam, const struct terrane_world *world,
                  struct picture *layer, unsigned char **data, size_t *bytes)
{
    const struct tile_key *key = seam->key;
    struct terrane_window window;
    tile_window(key, &window);
    if (format_row[key->format].carries == CARRIES_MESH)
        return encode_mesh(key, world, &window, layer, data, bytes);
    if (key->format == FORMAT_PNG)
        return encode_png_picture(producer->encoder, layer, data, bytes);
    if (seam->format == FORMAT_F32)
        return tile_encode_grid(key, world, &window, (const void *)layer->pixels, data, bytes);
    *data = layer->pixels; /* as they are */
    *bytes = (size_t)layer->width * (size_t)layer->height * layer->pixel;
    layer->pixels = NULL;
    return 0;
}

struct blob *stitch_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                         const struct terrane_world *world, struct blob *const *inputs,
                         struct produce_times *times)
{
    const struct seam seam = seam_of(key);
    const uint64_t start = uv_hrtime();
    struct blob_info info = inputs[0]->info;
    struct picture layer[2] = {{0}};
    unsigned char *data = NULL;
    size_t bytes;
    int result = 0;
    for (int i = 0; i < seam.layers && result == 0; i++)
        result = join(&seam, inputs + i * 2 * seam.across, &layer[i]);
    for (int i = 0; i < seam.layers && result == 0 && seam.format == FORMAT_F32; i++)
        to_floats(&layer[i]);
    info.format = (uint8_t)key->format;
    info.sampled = false; /* these were the inputs' */
    for (int k = 1; k < 2 * seam.across && tile_layer_has_range(key->layer);
         k++) { /* of all that is near: a bound */
        info.min_m = inputs[k]->info.min_m < info.min_m ? inputs[k]->info.min_m : info.min_m;
        info.max_m = inputs[k]->info.max_m > info.max_m ? inputs[k]->info.max_m : info.max_m;
    }
    if (result == 0 && seam.format == FORMAT_F32 && tile_layer_has_range(key->layer))
        terrane_height_range((const void *)layer[0].pixels, (size_t)key->size * (size_t)key->size,
                             &info.min_m, &info.max_m);
    if (result == 0)
        result = encode(producer, &seam, world, layer, &data, &bytes);
    free(layer[0].pixels);
    free(layer[1].pixels);
    if (result == 0)
        tile_note_samples(key, world->recipe, data, bytes, &info);
    times->encode_ns = uv_hrtime() - start;
    return result == 0 ? blob_create(digest, &info, data, bytes) : NULL;
}
