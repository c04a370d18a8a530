/*
 * A tile's samples into bytes, by layer and format.
 */
#include <math.h>
#include <stdlib.h>

#include "../../lib/terrane_make.h"
#include "../encode/describe.h"
#include "../encode/encode.h"
#include "../encode/mesh.h"
#include "../encode/tif.h"
#include "tile_piece.h"

static int encode_mask(struct piece *piece)
{
    const struct terrane_partition *partition = &piece->world->recipe->partition;
    const struct terrane_window *window = &piece->plan->ground.window;
    uint8_t colours[TERRANE_ZONES_MAX][3];
    for (int z = 0; z < partition->zones; z++)
        for (int c = 0; c < 3; c++)
            colours[z][c] = partition->zone[z].colour[c];
    return encode_png_indexed(piece->producer->encoder, piece->index, window->width, window->height,
                              (const uint8_t(*)[3])colours, partition->zones, &piece->data, &piece->bytes);
}

/* Classes of paths, or what a sample is of a cave. */
static int encode_kinds(struct piece *piece)
{
    static const uint8_t paths[TERRANE_PATH_CLASSES][3] = {[TERRANE_PATH_NONE] = {0, 0, 0},
                                                           [TERRANE_PATH_BORDER] = {96, 80, 56},
                                                           [TERRANE_PATH_WAY] = {224, 192, 128},
                                                           [TERRANE_PATH_NODE] = {255, 255, 255}};
    static const uint8_t caves[TERRANE_CAVE_KINDS][3] = {[TERRANE_CAVE_ROCK] = {0, 0, 0},
                                                         [TERRANE_CAVE_INSIDE] = {144, 128, 160},
                                                         [TERRANE_CAVE_OPENING] = {255, 208, 96}};
    const bool of_paths = layer_row[piece->key->layer].picture == PICTURE_CLASSES;
    return encode_png_indexed(piece->producer->encoder, piece->index, piece->plan->ground.window.width,
                              piece->plan->ground.window.height, of_paths ? paths : caves,
                              of_paths ? (int)TERRANE_PATH_CLASSES : (int)TERRANE_CAVE_KINDS, &piece->data,
                              &piece->bytes);
}

static int encode_heights(struct piece *piece)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    const int centre = piece->key->reg == REG_CENTER;
    return (centre ? encode_png_centres : encode_png_heights)(
        piece->producer->encoder, piece_values(piece), piece->plan->ground.window.width - centre,
        piece->plan->ground.window.height - centre, piece->key->enc, recipe->low_m, recipe->high_m,
        &piece->data, &piece->bytes);
}

/* Four of the materials; what a recipe has not got is 0. */
static int encode_weights(struct piece *piece)
{
    enum { BANDS = 4 };
    const struct terrane_recipe *recipe = piece->world->recipe;
    const size_t materials = (size_t)tile_values(piece->key->layer, recipe), count = piece->ground.count,
                 first = (size_t)piece->key->bands * BANDS;
    uint8_t *bytes = malloc(count * materials);
    piece->pixels = calloc(count, BANDS);
    if (bytes && piece->pixels)
        terrane_cover_bytes(recipe, piece_values(piece), count, bytes);
    for (size_t i = 0; bytes && piece->pixels && i < count; i++)
        for (size_t m = first; m < materials && m < first + BANDS; m++)
            piece->pixels[i * BANDS + m - first] = bytes[i * materials + m];
    const bool fine = bytes && piece->pixels;
    free(bytes);
    return fine ? encode_png_pixels(piece->producer->encoder, piece->pixels, piece->plan->ground.window.width,
                                    piece->plan->ground.window.height, BANDS, &piece->data, &piece->bytes)
                : -1;
}

/* Classes, from 1 on, of objects between a sample and the next ones: of the first, where there are more. Smaller pictures are subsets. */
static int encode_objects(struct piece *piece)
{
    static const uint8_t colours[TERRANE_CLASSES_MAX + 1][3] = {
        {0, 0, 0},      {32, 96, 48},    {96, 160, 64},   {176, 192, 96}, {144, 112, 64},
        {208, 128, 64}, {160, 160, 168}, {112, 144, 192}, {224, 208, 160}};
    const struct terrane_window *window = &piece->plan->ground.window;
    const int side = piece->key->size, part_log2 = window->level + 4; /* parts of a sample: terrane_make.h */
    const int step = (window->width - 1) / (side / 2 * 2);
    piece->index = calloc((size_t)side * (size_t)side, 1);
    for (size_t i = 0; piece->index && i < piece->ground.objects; i++) {
        const struct terrane_object *object = &piece->ground.object[i];
        const int64_t x = (object->x >> part_log2) - window->gi, y = (object->y >> part_log2) - window->gj;
        if (x % step != 0 || y % step != 0)
            continue;
        uint8_t *pixel = &piece->index[y / step * side + x / step];
        *pixel = *pixel ? *pixel : object->of + 1;
    }
    return piece->index ? encode_png_indexed(piece->producer->encoder, piece->index, side, side, colours,
                                             TERRANE_CLASSES_MAX + 1, &piece->data, &piece->bytes)
                        : -1;
}

static int encode_png(struct piece *piece)
{
    const struct layer_row *row = &layer_row[piece->key->layer];
    struct encoder *encoder = piece->producer->encoder;
    const int w = piece->plan->ground.window.width, h = piece->plan->ground.window.height;
    const float *values = piece_values(piece);
    switch (row->picture) {
    case PICTURE_HEIGHTS:
        break;
    case PICTURE_UNITS:
        return encode_png_normals(encoder, values, w, h, &piece->data, &piece->bytes);
    case PICTURE_DEGREES:
        return encode_png_degrees(encoder, values, w, h, row->full, &piece->data, &piece->bytes);
    case PICTURE_DEPTH:
        return encode_png_depth(encoder, values, w, h, &piece->data, &piece->bytes);
    case PICTURE_FLOW:
        return encode_png_flow(encoder, values, w, h, &piece->data, &piece->bytes);
    case PICTURE_GREY:
        return encode_png_pixels(encoder, piece->pixels, w, h, 1, &piece->data, &piece->bytes);
    case PICTURE_COLOURS:
    case PICTURE_CLIMATE:
        return encode_png_pixels(encoder, piece->pixels, w, h, 3, &piece->data, &piece->bytes);
    case PICTURE_WEIGHTS:
        return encode_weights(piece);
    case PICTURE_OBJECTS:
        return encode_objects(piece);
    case PICTURE_ZONES:
        return encode_mask(piece);
    case PICTURE_CLASSES:
    case PICTURE_CAVES:
        return encode_kinds(piece);
    }
    return encode_heights(piece);
}

/* Shares of the samples: of each zone, of water, and of rivers. */
static void count_shares(const struct piece *piece, struct tile_facts *facts)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    const float *depth = piece->ground.layer[TERRANE_LAYER_WATER],
                *surface = piece->ground.layer[TERRANE_LAYER_SURFACE],
                *discharge = piece->ground.layer[TERRANE_LAYER_RIVER]; /* or NULL */
    size_t in_zone[TERRANE_ZONES_MAX] = {0}, in_sea = 0, in_lakes = 0, in_rivers = 0;
    for (size_t i = 0; i < piece->ground.count; i++) {
        in_zone[piece->index[i]]++;
        in_rivers += discharge && discharge[i] > 0;
        if (depth[i] > 0)
            (*(surface[i] > recipe->sea_m ? &in_lakes : &in_sea))++;
    }
    for (int z = 0; z < recipe->partition.zones; z++)
        facts->zone_share[z] = (double)in_zone[z] / (double)piece->ground.count;
    facts->sea_share = (double)in_sea / (double)piece->ground.count;
    facts->river_share = (double)in_rivers / (double)piece->ground.count;
    facts->lake_share = (double)in_lakes / (double)piece->ground.count;
}

/* Of each number of a sample; paths out of reach, and rock, are none. */
static void measure_values(const struct piece *piece, struct tile_facts *facts)
{
    const struct layer_row *row = &layer_row[piece->key->layer];
    const int channels = tile_values(piece->key->layer, piece->world->recipe);
    const float *values = piece_values(piece);
    facts->spreads = row->values != 0 ? channels : 0;
    for (int i = 0; i < facts->spreads; i++)
        facts->spread[i] =
            spread_of(values + i, piece->ground.count, (size_t)channels, row->none != 0 ? row->none : NAN);
}

static int encode_json(struct piece *piece)
{
    const float *top =
        piece->ground
            .layer[piece->key->layer == LAYER_SURFACE ? TERRANE_LAYER_SURFACE : TERRANE_LAYER_HEIGHT];
    struct tile_facts facts = {
        .window = piece->plan->ground.window,
        .recipe = piece->key->recipe,
        .eroded = piece->plan->ground.eroded,
        .carved = piece->plan->ground.carved,
        .line = piece->line,
        .lines = piece->lines,
        .cave = piece->cave,
        .caves = piece->caves_count,
        .object = piece->ground.object,
        .objects = piece->ground.objects,
    };
    terrane_measure_heights(piece->world, &facts.window, top, &facts.measure);
    measure_values(piece, &facts);
    count_shares(piece, &facts);
    return describe_tile(piece->key, piece->world, &facts, &piece->data, &piece->bytes);
}

/* How far the ground between vertices may be from what finer levels show: as far as they are apart, and what paths change. No
 * skirt of a mesh that is placed is longer than the world is tall: it lies in the box that tileset.json gives. */
static double error_of(const struct tile_key *key, const struct terrane_world *world, double spacing_m)
{
    struct terrane_ground_bounds bounds;
    terrane_ground_bounds(world->recipe, &bounds);
    const double error_m = spacing_m + (key->variant == VARIANT_CARVED ? bounds.paths_m : 0);
    return key->placed ? fmin(error_m, (bounds.high_m - bounds.low_m) / MESH_SKIRT_ERRORS) : error_m;
}

double tile_skirt_m(const struct tile_key *key, const struct terrane_world *world, double spacing_m)
{
    return error_of(key, world, spacing_m) * MESH_SKIRT_ERRORS;
}

int tile_encode_mesh(const struct tile_key *key, const struct terrane_world *world, const float *heights,
                     const float *normals, const float *depth, const uint8_t *holes, unsigned char **data,
                     size_t *bytes)
{
    struct terrane_window window;
    tile_window(key, &window);
    const double spacing_m = terrane_lattice_m(world, window.level, window.step);
    const struct mesh_ground ground = {
        .side = window.width,
        .spacing_m = spacing_m,
        .west_m = terrane_lattice_m(world, window.level, window.gi),
        .north_m = terrane_lattice_m(world, window.level, window.gj),
        .error_m = error_of(key, world, spacing_m),
        .placed = key->placed,
        .heights = heights,
        .normals = normals,
        .depth = depth,
        .holes = holes,
    };
    if (key->format == FORMAT_GLB)
        return encode_glb(&ground, key->enc == ENC_QUANTISED, data, bytes);
    const int z = TILE_GLOBE_Z0 - key->level;
    const int64_t half = INT64_C(1) << z; /* tiles of a quarter turn are half of them */
    return encode_terrain(&ground, z, (uint64_t)(key->x + half), (uint64_t)(key->y + half / 2),
                          key->metadata ? key->level : TERRAIN_NO_METADATA, data, bytes);
}

int tile_encode_grid(const struct tile_key *key, const struct terrane_world *world, const float *values,
                     unsigned char **data, size_t *bytes)
{
    struct terrane_window window;
    tile_window(key, &window);
    const struct grid grid = {
        .values = values,
        .width = window.width,
        .height = window.height,
        .channels = tile_values(key->layer, world->recipe),
        .low_m = world->recipe->low_m,
        .high_m = world->recipe->high_m,
        .place = {.west_m = terrane_lattice_m(world, window.level, window.gi),
                  .north_m = -terrane_lattice_m(world, window.level, window.gj),
                  .spacing_m = terrane_lattice_m(world, window.level, window.step),
                  .none = layer_row[key->layer].none},
    };
    return encode_grid(key->format, &grid, data, bytes);
}

int piece_encode(struct piece *piece)
{
    const struct tile_key *key = piece->key;
    if (tile_is_of_objects(key) && key->format != FORMAT_JSON && key->format != FORMAT_PNG)
        return piece_encode_objects(piece);
    switch (format_row[key->format].carries) {
    case CARRIES_GRID:
        break;
    case CARRIES_MESH:
        return tile_is_of_caves(key) ? piece_encode_caves(piece)
                                     : tile_encode_mesh(key, piece->world, piece_values(piece),
                                                        piece->ground.layer[TERRANE_LAYER_NORMAL],
                                                        piece->ground.layer[TERRANE_LAYER_WATER],
                                                        piece->holes, &piece->data, &piece->bytes);
    case CARRIES_BOXES:
        return piece_encode_boxes(piece);
    case CARRIES_WORDS:
        return key->format == FORMAT_JSON ? encode_json(piece)
               : layer_row[key->layer].of == OF_RIVERS
                   ? encode_geojson_rivers(piece->world, piece->river, piece->rivers, &piece->data,
                                           &piece->bytes)
                   : encode_geojson(piece->world, piece->line, piece->lines, &piece->data, &piece->bytes);
    }
    return key->format == FORMAT_PNG
               ? encode_png(piece)
               : tile_encode_grid(key, piece->world, piece_values(piece), &piece->data, &piece->bytes);
}
