/*
 * Pictures as PNG: a row for each kind.
 */
#include <stdlib.h>
#include <string.h>

#include "../encode/encode.h"
#include "tile_piece.h"

static const struct terrane_window *window_of(const struct piece *piece)
{
    return &piece->plan->ground.window;
}

/* ---- Of numbers ---------------------------------------------------------------------------------------- */

static int encode_heights(struct piece *piece)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    const int centre = piece->key->reg == REG_CENTER;
    return encode_png_heights(piece->producer->encoder, piece_values(piece), window_of(piece)->width - centre,
                              window_of(piece)->height - centre, piece->key->enc, recipe->low_m,
                              recipe->high_m, centre, &piece->data, &piece->bytes);
}

static int encode_samples(struct piece *piece)
{
    static const enum png_samples what[PICTURES] = {[PICTURE_UNITS] = ENCODE_NORMALS,
                                                    [PICTURE_DEGREES] = ENCODE_DEGREES,
                                                    [PICTURE_DEPTH] = ENCODE_DEPTH,
                                                    [PICTURE_FLOW] = ENCODE_FLOW};
    const struct layer_row *row = &layer_row[piece->key->layer];
    return encode_png_samples(piece->producer->encoder, what[row->picture], piece_values(piece),
                              window_of(piece)->width, window_of(piece)->height, row->full, &piece->data,
                              &piece->bytes);
}

/* ---- Of pixels ----------------------------------------------------------------------------------------- */

static int encode_pixels(struct piece *piece)
{
    const struct picture_row *row = &picture_row[layer_row[piece->key->layer].picture];
    return encode_png_pixels(piece->producer->encoder, piece->pixels, window_of(piece)->width,
                             window_of(piece)->height, picture_channels(row->pixels), &piece->data,
                             &piece->bytes);
}

/* Four of the materials, as PNG or as they are; what a recipe has not got is 0. */
static int encode_weights(struct piece *piece)
{
    enum { BANDS = 4 };
    const size_t materials = (size_t)tile_values(piece->key->layer, piece->world->recipe),
                 count = piece->ground.count, first = (size_t)piece->key->bands * BANDS;
    uint8_t *bands = calloc(count, BANDS);
    for (size_t i = 0; bands && i < count; i++)
        for (size_t m = first; m < materials && m < first + BANDS; m++)
            bands[i * BANDS + m - first] = piece->pixels[i * materials + m];
    if (bands && piece->key->format == FORMAT_RGBA8) {
        piece->data = bands;
        piece->bytes = count * BANDS;
        return 0;
    }
    const int error = bands ? encode_png_pixels(piece->producer->encoder, bands, window_of(piece)->width,
                                                window_of(piece)->height, BANDS, &piece->data, &piece->bytes)
                            : -1;
    free(bands);
    return error;
}

static int encode_indices(struct piece *piece, int width, int height)
{
    uint8_t colour[TERRANE_PALETTE_MAX][3];
    const enum terrane_picture picture = picture_row[layer_row[piece->key->layer].picture].made;
    const int colours = terrane_picture_palette(piece->world->recipe, picture, colour);
    return encode_png_indexed(piece->producer->encoder, piece->pixels, width, height,
                              (const uint8_t(*)[3])colour, colours, &piece->data, &piece->bytes);
}

static int encode_index(struct piece *piece)
{
    return encode_indices(piece, window_of(piece)->width, window_of(piece)->height);
}

/* Objects are made with all samples and the far edge: smaller pictures are subsets. */
static int encode_objects(struct piece *piece)
{
    const int side = piece->key->size, made = window_of(piece)->width, step = (made - 1) / (side / 2 * 2);
    for (int j = 0, k = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            piece->pixels[k++] = piece->pixels[j * step * made + i * step];
    return encode_indices(piece, side, side);
}

const struct picture_row picture_row[PICTURES] = {
    [PICTURE_HEIGHTS] = {.encode = encode_heights, .pixels = PIXELS_RGB}, /* grey of 16 bits as ENC_GRAY16 */
    [PICTURE_UNITS] = {.encode = encode_samples, .pixels = PIXELS_RGB},
    [PICTURE_DEGREES] = {.encode = encode_samples, .pixels = PIXELS_GREY},
    [PICTURE_DEPTH] = {.encode = encode_samples, .pixels = PIXELS_GREY16},
    [PICTURE_FLOW] = {.encode = encode_samples, .pixels = PIXELS_GREY},
    [PICTURE_GREY] = {encode_pixels, TERRANE_PICTURE_HILLSHADE, PIXELS_GREY},
    [PICTURE_COLOURS] = {encode_pixels, TERRANE_PICTURE_RELIEF, PIXELS_RGB},
    [PICTURE_CLIMATE] = {encode_pixels, TERRANE_PICTURE_CLIMATE, PIXELS_RGB},
    [PICTURE_WEIGHTS] = {encode_weights, TERRANE_PICTURE_COVER, PIXELS_RGBA},
    [PICTURE_ZONES] = {encode_index, TERRANE_PICTURE_ZONES, PIXELS_INDEXED},
    [PICTURE_CLASSES] = {encode_index, TERRANE_PICTURE_PATHS, PIXELS_INDEXED},
    [PICTURE_CAVES] = {encode_index, TERRANE_PICTURE_CAVES, PIXELS_INDEXED},
    [PICTURE_OBJECTS] = {encode_objects, TERRANE_PICTURE_OBJECTS, PIXELS_INDEXED},
};
