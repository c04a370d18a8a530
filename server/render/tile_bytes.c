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
#include "tile_vectors.h"

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

/* Of the bytes that an f32 of them would be. */
static int digest_values(const struct piece *piece, struct tile_facts *facts)
{
    const size_t count = piece->ground.count * (size_t)facts->spreads;
    unsigned char *data;
    size_t bytes;
    if (count == 0)
        return 0;
    if (encode_f32(piece_values(piece), count, &data, &bytes) != 0)
        return -1;
    terrane_samples_digest(data, count, &facts->samples);
    free(data);
    return 0;
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
    if (digest_values(piece, &facts) != 0)
        return -1;
    facts.names = tile_names(piece);
    return facts.names ? describe_tile(piece->key, piece->world, &facts, &piece->data, &piece->bytes) : -1;
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

int tile_encode_mesh(const struct tile_key *key, const struct terrane_world *world,
                     const struct terrane_window *window, const float *heights, const float *normals,
                     const float *depth, const uint8_t *holes, unsigned char **data, size_t *bytes)
{
    const double spacing_m = terrane_lattice_m(world, window->level, window->step);
    const struct mesh_ground ground = {
        .side = window->width,
        .spacing_m = spacing_m,
        .west_m = terrane_lattice_m(world, window->level, window->gi),
        .north_m = terrane_lattice_m(world, window->level, window->gj),
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

struct grid tile_grid(const struct tile_key *key, const struct terrane_world *world,
                      const struct terrane_window *window, const float *values)
{
    return (struct grid){
        .values = values,
        .width = window->width,
        .height = window->height,
        .channels = tile_values(key->layer, world->recipe),
        .low_m = world->recipe->low_m,
        .high_m = world->recipe->high_m,
        .place = {.west_m = terrane_lattice_m(world, window->level, window->gi),
                  .north_m = -terrane_lattice_m(world, window->level, window->gj),
                  .spacing_m = terrane_lattice_m(world, window->level, window->step),
                  .none = layer_row[key->layer].none},
    };
}

int tile_encode_grid(const struct tile_key *key, const struct terrane_world *world,
                     const struct terrane_window *window, const float *values, unsigned char **data,
                     size_t *bytes)
{
    const struct grid grid = tile_grid(key, world, window, values);
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
        return tile_is_of_caves(key)
                   ? piece_encode_caves(piece)
                   : tile_encode_mesh(key, piece->world, &piece->plan->ground.window, piece_values(piece),
                                      piece->ground.layer[TERRANE_LAYER_NORMAL],
                                      piece->ground.layer[TERRANE_LAYER_WATER], piece->holes, &piece->data,
                                      &piece->bytes);
    case CARRIES_BOXES:
        return piece_encode_boxes(piece);
    case CARRIES_WORDS:
        return key->format == FORMAT_JSON  ? encode_json(piece)
               : key->format == FORMAT_MVT ? piece_encode_vectors(piece)
               : tile_is_drawn(key)        ? piece_encode_drawn(piece)
               : layer_row[key->layer].of == OF_RIVERS
                   ? encode_geojson_rivers(piece->world, &piece->plan->ground.window, piece->river,
                                           piece->rivers, &piece->data, &piece->bytes)
                   : encode_geojson(piece->world, piece->line, piece->lines, &piece->data, &piece->bytes);
    }
    return format_row[key->format].pixels
               ? picture_row[layer_row[key->layer].picture].encode(piece)
               : tile_encode_grid(key, piece->world, &piece->plan->ground.window, piece_values(piece),
                                  &piece->data, &piece->bytes);
}
