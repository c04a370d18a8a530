/*
 * Tiles: what they read, and their samples by layer.
 *
 * Sample memory is sized by the window, which the key's check has bounded: at most 512 x 512 samples, or the 513 x 513 that
 * are the corners of so many pixels of height or surface. The most that a piece holds at a time is a relief: ground, normals,
 * water, pixels and a strip's weights, 36 bytes a sample and 4 MB, or then rivers, 51 bytes a sample, 14 MB, or cover with what it is
 * made of, 67 bytes a sample, 18 MB; its encoded bytes
 * and the regions it reads come on top (8 MB of erosion at levels 0 to 2, 2 MB above; 1 MB a region of lakes, of which a tile
 * of size 512 may read four; networks take some 10 KB; caves 4 to 5 MB a region, of which their layer and descriptions may
 * read four). Meshes of caves are bounded by CAVES_MESH_BYTES (tile_caves.c).
 */
#include "tile_make.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../../lib/terrane_make.h"
#include "../base/check.h"
#include "../encode/encode.h"
#include "ground_kept.h"
#include "tile_piece.h"

enum { STRIP_ROWS = 128 }; /* of relief, whose weights are the largest part */

/* ---- What it reads ------------------------------------------------------------------------------------- */

/* What is described is all there is. */
static unsigned reads_of(const struct tile_key *key, bool holed)
{
    unsigned reads = terrane_layer_reads(layer_row[key->layer].samples);
    if (key->format == FORMAT_JSON)
        return TERRANE_READS_GROUND | TERRANE_READS_WATER | TERRANE_READS_PATHS | TERRANE_READS_CAVES |
               TERRANE_READS_RIVERS;
    if (key->format == FORMAT_TERRAIN)
        reads |= TERRANE_READS_WATER;
    if (layer_row[key->layer].water)
        reads |= TERRANE_READS_WATER;
    if (layer_row[key->layer].paths)
        reads |= TERRANE_READS_PATHS;
    if (layer_row[key->layer].rivers)
        reads |= TERRANE_READS_RIVERS;
    return holed ? reads | TERRANE_READS_CAVES : reads;
}

/* Whether it is a mesh with a vertex at every sample of the caves' level. */
static bool may_be_holed(const struct tile_key *key, const struct terrane_window *window,
                         const struct terrane_recipe *recipe)
{
    return key->format == FORMAT_GLB && layer_row[key->layer].heights && window->step == 1 &&
           window->width == TERRANE_TILE_SAMPLES + 1 && window->level == recipe->caves.level;
}

void tile_plan_make(const struct tile_key *key, const struct terrane_recipe *recipe, struct tile_plan *plan)
{
    struct terrane_window window;
    enum terrane_variant variant = (enum terrane_variant)key->variant;
    _Static_assert((int)VARIANT_BASE == (int)TERRANE_VARIANT_BASE &&
                       (int)VARIANT_ERODED == (int)TERRANE_VARIANT_ERODED &&
                       (int)VARIANT_CARVED == (int)TERRANE_VARIANT_CARVED,
                   "the same words");
    CHECK(key->shift == SHIFT_NONE);
    tile_window(key, &window);
    if (key->format == FORMAT_SUBTREE && variant == TERRANE_VARIANT_CARVED)
        variant = TERRANE_VARIANT_ERODED; /* boxes count with all that paths may do */
    const unsigned reads = reads_of(key, may_be_holed(key, &window, recipe));
    CHECK(terrane_plan(recipe, &window, variant, reads, &plan->ground) == 0);
    plan->holed = terrane_region_grid_count(&plan->ground.caves) > 0 && may_be_holed(key, &window, recipe);
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

/* Each fills what it is named after and returns 0, or not when memory is short. */

static int make_zones(struct piece *piece)
{
    piece->index = malloc(piece->ground.count);
    return piece->index ? terrane_zones(piece->world, &piece->plan->ground.window, piece->ground.memory,
                                        piece->index, NULL)
                        : -1;
}

static int make_kinds(struct piece *piece)
{
    piece->index = malloc(piece->ground.count);
    if (!piece->index)
        return -1;
    return layer_row[piece->key->layer].picture == PICTURE_CLASSES
               ? terrane_ground_paths(&piece->ground, piece->index)
               : terrane_ground_caves(&piece->ground, piece->index);
}

static int make_hillshade(struct piece *piece)
{
    piece->pixels = malloc(piece->ground.count);
    if (!piece->pixels || terrane_ground_layer(&piece->ground, TERRANE_LAYER_NORMAL) != 0)
        return -1;
    terrane_hillshade(piece->plan->ground.window.level, piece->ground.layer[TERRANE_LAYER_NORMAL],
                      piece->ground.count, piece->pixels);
    return 0;
}

/* By its cover, which is made. */
static int paint_cover(struct piece *piece)
{
    const struct terrane_recipe *recipe = piece->world->recipe;
    const struct terrane_window *window = &piece->plan->ground.window;
    float *const *layer = piece->ground.layer;
    float *const colours = malloc(piece->ground.count * 3 * sizeof *colours);
    int error = colours ? 0 : -1;
    if (error == 0) {
        terrane_cover_colours(recipe, layer[TERRANE_LAYER_COVER], piece->ground.count, colours);
        error = terrane_cover_texture(piece->world, window, piece->ground.memory, layer[TERRANE_LAYER_HEIGHT],
                                      layer[TERRANE_LAYER_NORMAL], layer[TERRANE_LAYER_COVER], colours);
    }
    if (error == 0)
        terrane_relief_cover(recipe, window->level, layer[TERRANE_LAYER_HEIGHT], layer[TERRANE_LAYER_NORMAL],
                             colours, layer[TERRANE_LAYER_WATER], piece->ground.count, piece->pixels);
    free(colours);
    return error;
}

/* Rows j .. j + window->height - 1. */
static int relief_strip(struct piece *piece, const struct terrane_window *window, int j, float *weights)
{
    float *const *layer = piece->ground.layer;
    const size_t at = (size_t)j * (size_t)window->width,
                 count = (size_t)window->width * (size_t)window->height;
    const int error = terrane_zones(piece->world, window, piece->ground.memory, NULL, weights);
    if (error == 0)
        terrane_relief(piece->world->recipe, window->level, layer[TERRANE_LAYER_HEIGHT] + at,
                       layer[TERRANE_LAYER_NORMAL] + at * 3, weights, layer[TERRANE_LAYER_WATER] + at, count,
                       piece->pixels + at * 3);
    return error;
}

static int paint_zones(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan->ground.window;
    const size_t zones = (size_t)piece->world->recipe->partition.zones;
    const int most = window->height < STRIP_ROWS ? window->height : STRIP_ROWS;
    float *weights = malloc((size_t)most * (size_t)window->width * zones * sizeof *weights);
    int error = weights ? 0 : -1;
    for (int j = 0; j < window->height && error == 0; j += most) {
        struct terrane_window strip = *window;
        strip.gj += (int64_t)j * window->step;
        strip.height = window->height - j < most ? window->height - j : most;
        error = relief_strip(piece, &strip, j, weights);
    }
    free(weights);
    return error;
}

static int paint_rivers(struct piece *piece)
{
    struct terrane_ground *ground = &piece->ground;
    const int error = terrane_ground_layer(ground, TERRANE_LAYER_RIVER);
    if (error == 0)
        terrane_relief_rivers(piece->world->recipe, piece->plan->ground.window.level,
                              ground->layer[TERRANE_LAYER_NORMAL], ground->layer[TERRANE_LAYER_WATER],
                              ground->layer[TERRANE_LAYER_RIVER], ground->count, piece->pixels);
    return error;
}

static int paint_paths(struct piece *piece)
{
    const size_t count = piece->ground.count;
    uint8_t *kind = malloc(count), *shade = malloc(count);
    const bool made = kind && shade && terrane_ground_paths(&piece->ground, kind) == 0;
    if (made) {
        terrane_hillshade(piece->plan->ground.window.level, piece->ground.layer[TERRANE_LAYER_NORMAL], count,
                          shade);
        terrane_paths_paint(piece->world->recipe, kind, shade, count, piece->pixels);
    }
    free(kind);
    free(shade);
    return made ? 0 : -1;
}

/* Cover comes first, for it may want ground around, of which the other layers are taken then. */
static int make_relief(struct piece *piece)
{
    const bool covered = piece->world->recipe->cover.materials > 0;
    if (covered && terrane_ground_layer(&piece->ground, TERRANE_LAYER_COVER) != 0)
        return -1;
    if (terrane_ground_layer(&piece->ground, TERRANE_LAYER_NORMAL) != 0 ||
        terrane_ground_layer(&piece->ground, TERRANE_LAYER_WATER) != 0)
        return -1;
    piece->pixels = malloc(piece->ground.count * 3);
    if (!piece->pixels || (covered ? paint_cover(piece) : paint_zones(piece)) != 0)
        return -1;
    if (terrane_region_grid_count(&piece->plan->ground.drainage) > 0 && paint_rivers(piece) != 0)
        return -1;
    return terrane_region_grid_count(&piece->plan->ground.paths) > 0 ? paint_paths(piece) : 0;
}

static int make_climate(struct piece *piece)
{
    piece->pixels = malloc(piece->ground.count * 3);
    if (!piece->pixels || terrane_ground_layer(&piece->ground, TERRANE_LAYER_CLIMATE) != 0)
        return -1;
    terrane_climate_colours(piece->ground.layer[TERRANE_LAYER_CLIMATE], piece->ground.count, piece->pixels);
    return 0;
}

/* The ground or the water's surface, which is level, with normals; depth where a format wants it. */
static int make_mesh(struct piece *piece)
{
    struct terrane_ground *ground = &piece->ground;
    const bool surface = piece->key->layer == LAYER_SURFACE;
    if (terrane_ground_layer(ground, TERRANE_LAYER_NORMAL) != 0 ||
        terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT) != 0)
        return -1;
    if ((surface || piece->key->format == FORMAT_TERRAIN) &&
        terrane_ground_layer(ground, TERRANE_LAYER_WATER) != 0)
        return -1;
    if (piece->plan->holed && piece_make_holes(piece) != 0)
        return -1;
    piece->spoiled = surface;
    for (size_t i = 0; surface && i < ground->count; i++)
        if (ground->layer[TERRANE_LAYER_WATER][i] > 0)
            memcpy(&ground->layer[TERRANE_LAYER_NORMAL][3 * i], (const float[3]){0, 0, 1}, 3 * sizeof(float));
    return 0;
}

/* Of what is described: its objects, or the layer's numbers, where it has any; ground, zones and water; paths and caves besides. */
static int make_facts(struct piece *piece)
{
    const enum tile_layer layer = piece->key->layer;
    return (!tile_is_of_objects(piece->key) || terrane_ground_objects(&piece->ground) == 0) &&
                   (layer_row[layer].values == 0 ||
                    terrane_ground_layer(&piece->ground, layer_row[layer].samples) == 0) &&
                   (piece->world->recipe->rivers.top == 0 ||
                    terrane_ground_layer(&piece->ground, TERRANE_LAYER_RIVER) == 0) &&
                   terrane_ground_layer(&piece->ground, TERRANE_LAYER_HEIGHT) == 0 &&
                   terrane_ground_layer(&piece->ground, TERRANE_LAYER_WATER) == 0 && make_zones(piece) == 0 &&
                   piece_make_lines(piece) == 0 && piece_list_caves(piece) == 0
               ? 0
               : -1;
}

static int make_picture(struct piece *piece)
{
    switch (layer_row[piece->key->layer].picture) {
    case PICTURE_ZONES:
        return make_zones(piece);
    case PICTURE_CLASSES:
    case PICTURE_CAVES:
        return make_kinds(piece);
    case PICTURE_OBJECTS:
        return terrane_ground_objects(&piece->ground);
    case PICTURE_GREY:
        return make_hillshade(piece);
    case PICTURE_COLOURS:
        return make_relief(piece);
    case PICTURE_CLIMATE:
        return make_climate(piece);
    case PICTURE_HEIGHTS:
    case PICTURE_UNITS:
    case PICTURE_DEGREES:
    case PICTURE_DEPTH:
    case PICTURE_FLOW:
    case PICTURE_WEIGHTS:
        break;
    }
    return terrane_ground_layer(&piece->ground, layer_row[piece->key->layer].samples);
}

/* Whether normals, and what rests on them, are made of ground around: then heights are, too, so that the next layer finds it. */
static bool has_around(const struct terrane_plan *plan)
{
    return plan->window.step == 1 &&
           (plan->eroded || plan->carved || terrane_region_grid_count(&plan->drainage) > 0);
}

static int make_samples(struct piece *piece)
{
    if (piece->key->format == FORMAT_PNG)
        return make_picture(piece);
    if (tile_is_of_objects(piece->key) && piece->key->format != FORMAT_JSON)
        return terrane_ground_objects(&piece->ground);
    switch (format_row[piece->key->format].carries) {
    case CARRIES_WORDS:
        return piece->key->format == FORMAT_JSON              ? make_facts(piece)
               : layer_row[piece->key->layer].of == OF_RIVERS ? piece_make_rivers(piece)
                                                              : piece_make_lines(piece);
    case CARRIES_MESH:
        return tile_is_of_caves(piece->key) ? piece_list_caves(piece) : make_mesh(piece);
    case CARRIES_BOXES:
        return terrane_ground_around(&piece->ground) == 0
                   ? terrane_ground_layer(&piece->ground, TERRANE_LAYER_SURFACE)
                   : -1;
    case CARRIES_GRID:
        break;
    }
    if (piece->key->layer == LAYER_HEIGHT && has_around(&piece->plan->ground) &&
        terrane_ground_around(&piece->ground) != 0)
        return -1;
    return terrane_ground_layer(&piece->ground, layer_row[piece->key->layer].samples);
}

const float *piece_values(const struct piece *piece)
{
    return piece->ground.layer[layer_row[piece->key->layer].samples];
}

/* Of whose numbers a reply says the least and the greatest; TERRANE_LAYERS: of none. */
static enum terrane_layer ranged(const struct tile_key *key)
{
    const bool wet = key->layer == LAYER_WATER || key->layer == LAYER_SURFACE;
    if (key->format == FORMAT_SUBTREE || (key->format == FORMAT_JSON && !wet) ||
        layer_row[key->layer].picture == PICTURE_COLOURS)
        return TERRANE_LAYER_HEIGHT;
    return tile_layer_has_range(key->layer) && key->format != FORMAT_GEOJSON ? layer_row[key->layer].samples
                                                                             : TERRANE_LAYERS;
}

static void piece_free(struct piece *piece)
{
    if (!piece->spoiled)
        ground_keep(&piece->producer->kept, &piece->ground);
    terrane_ground_close(&piece->ground);
    free(piece->index);
    free(piece->pixels);
    free(piece->holes);
    free(piece->line);
    piece_free_rivers(piece);
    free(piece->cave);
}

/* The inputs' bytes, as the library reads them; and what is kept, where it is of this ground. */
static int open_ground(struct piece *piece, struct blob *const *inputs)
{
    struct terrane_packed packed[TERRANE_PLAN_REGIONS];
    struct terrane_region region[TERRANE_PLAN_REGIONS];
    const int count = terrane_plan_regions(&piece->plan->ground, region);
    for (int k = 0; k < count; k++)
        packed[k] = (struct terrane_packed){inputs[k]->data, inputs[k]->bytes};
    if (terrane_ground_open(piece->world, &piece->plan->ground, packed, &piece->producer->memory,
                            &piece->ground) != 0)
        return -1;
    ground_take(&piece->producer->kept, &piece->ground);
    return 0;
}

struct blob *tile_make(struct producer *producer, const struct tile_key *key, const struct digest *digest,
                       const struct terrane_world *world, const struct tile_plan *plan,
                       struct blob *const *inputs, struct produce_times *times)
{
    struct piece piece = {.producer = producer, .key = key, .world = world, .plan = plan};
    const enum terrane_layer range = ranged(key);
    struct blob *blob = NULL;
    piece.info = (struct blob_info){
        .format = (uint8_t)key->format,
        .width = (uint16_t)key->size,
        .height = (uint16_t)key->size,
    };

    const uint64_t start = uv_hrtime();
    if (open_ground(&piece, inputs) != 0 || make_samples(&piece) != 0)
        goto out;
    if (range != TERRANE_LAYERS)
        terrane_height_range(piece.ground.layer[range], piece.ground.count, &piece.info.min_m,
                             &piece.info.max_m);
    const uint64_t made = uv_hrtime();
    if (piece_encode(&piece) != 0)
        goto out;
    times->surface_ns = made - start;
    times->encode_ns = uv_hrtime() - made;
    blob = blob_create(digest, &piece.info, piece.data, piece.bytes);
out:
    piece_free(&piece);
    return blob;
}
