/*
 * Tiles: what they read, and their samples by layer.
 *
 * Sample memory is sized by the window, which the key's check has bounded: at most 512 x 512 samples, or the 513 x 513 that
 * are the corners of so many pixels of height or surface. The most that a piece holds at a time is a relief: ground, normals,
 * water, pixels and a strip's weights, 36 bytes a sample and 4 MB, 14 MB; its encoded bytes and the regions it reads come on
 * top (8 MB of erosion at levels 0 to 2, 2 MB above; 1 MB a region of lakes, of which a tile of size 512 may read four;
 * networks take some 10 KB; caves 4 to 5 MB a region, of which their layer and descriptions may read four). Meshes of caves are
 * bounded by CAVES_MESH_BYTES (tile_caves.c).
 */
#include "tile_make.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "../base/check.h"
#include "../encode/encode.h"
#include "tile_piece.h"

enum { STRIP_ROWS = 128 }; /* of relief, whose weights are the largest part */

/* ---- What it reads ------------------------------------------------------------------------------------- */

static bool reads_ground(const struct tile_key *key)
{
    const enum layer_of of = layer_row[key->layer].of;
    return key->format == FORMAT_JSON || of == OF_GROUND || of == OF_EROSION;
}

static bool reads_water(const struct tile_key *key)
{
    return layer_row[key->layer].water || key->format == FORMAT_JSON || key->format == FORMAT_TERRAIN;
}

/* Lakes lie on ground without paths. */
static void plan_lakes(struct tile_plan *plan, const struct tile_key *key,
                       const struct terrane_recipe *recipe)
{
    struct terrane_window needed;
    if (recipe->lakes.share == 0 || !reads_water(key) || !terrane_water_needs(recipe, &plan->window, &needed))
        return;
    const bool eroded = recipe->lakes.level < recipe->erosion.levels && key->variant != VARIANT_BASE;
    plan->lakes.first = (struct region){
        .kind = REGION_LAKES,
        .level = recipe->lakes.level,
        .variant = eroded ? VARIANT_ERODED : VARIANT_BASE,
    };
    tile_grid_lay(&plan->lakes, &plan->window);
}

/* Of networks and caves, which look at water, too. */
static enum tile_variant variant_of(const struct terrane_recipe *recipe, int level)
{
    const int finest = recipe->lakes.share > 0 && recipe->lakes.level < level ? recipe->lakes.level : level;
    return finest < recipe->erosion.levels ? VARIANT_ERODED : VARIANT_BASE;
}

static void plan_paths(struct tile_plan *plan, const struct tile_key *key,
                       const struct terrane_recipe *recipe)
{
    const int level = plan->window.level;
    if (key->variant != VARIANT_CARVED || key->format == FORMAT_SUBTREE ||
        !terrane_paths_shown(recipe, level))
        return; /* boxes count with all that paths may do */
    plan->carved = reads_ground(key) && terrane_paths_carved(recipe, level);
    if (!plan->carved && !layer_row[key->layer].paths && key->format != FORMAT_JSON)
        return;
    plan->paths.first = (struct region){
        .kind = REGION_PATHS,
        .level = recipe->paths.level,
        .variant = variant_of(recipe, recipe->paths.level),
    };
    tile_grid_lay(&plan->paths, &plan->window);
}

/* A mesh with a vertex at every sample of the caves' level. */
static bool is_holed(const struct tile_plan *plan, const struct tile_key *key,
                     const struct terrane_recipe *recipe)
{
    return key->format == FORMAT_GLB && !tile_is_of_caves(key) && plan->window.step == 1 &&
           plan->window.width == TERRANE_TILE_SAMPLES + 1 && plan->window.level == recipe->caves.level;
}

/* They lie in the ground as it is eroded: base ground has none, where that is another. */
static void plan_caves(struct tile_plan *plan, const struct tile_key *key,
                       const struct terrane_recipe *recipe)
{
    struct terrane_window whole = plan->window; /* with its far edges, whatever its size */
    whole.width = whole.height = whole.width | 1;
    const bool other = key->variant == VARIANT_BASE && plan->window.level < recipe->erosion.levels;
    if (recipe->caves.share == 0 || other || !terrane_caves_shown_needs(recipe, &whole, &plan->seen))
        return;
    plan->holed = is_holed(plan, key, recipe);
    if (!plan->holed && layer_row[key->layer].of != OF_CAVES && key->format != FORMAT_JSON)
        return;
    plan->caves.first = (struct region){
        .kind = REGION_CAVES,
        .level = recipe->caves.level,
        .variant = variant_of(recipe, recipe->caves.level),
    };
    tile_grid_lay(&plan->caves, key->format == FORMAT_JSON ? &whole : &plan->window);
}

static void plan_make(struct tile_plan *plan, const struct tile_key *key, const struct terrane_recipe *recipe)
{
    *plan = (struct tile_plan){.eroded = false};
    CHECK(key->shift == SHIFT_NONE);
    tile_window(key, &plan->window);
    plan->eroded =
        key->variant != VARIANT_BASE && plan->window.level < recipe->erosion.levels && reads_ground(key);
    plan->erosion = (struct region){
        .kind = REGION_EROSION,
        .level = plan->window.level,
        .x = region_of(REGION_EROSION, plan->window.level, plan->window.gi),
        .y = region_of(REGION_EROSION, plan->window.level, plan->window.gj),
        .variant = VARIANT_ERODED,
    };
    plan_lakes(plan, key, recipe);
    plan_paths(plan, key, recipe);
    plan_caves(plan, key, recipe);
}

static int grid_regions(const struct tile_grid *grid, struct region *region)
{
    const int count = tile_grid_count(grid);
    for (int k = 0; k < count; k++)
        region[k] = tile_grid_at(grid, k);
    return count;
}

int tile_regions(const struct tile_key *key, const struct terrane_recipe *recipe,
                 struct region region[static TILE_REGIONS_MAX])
{
    struct tile_plan plan;
    int count = 0;
    _Static_assert((int)TILE_REGIONS_MAX == 1 + 3 * (int)TILE_GRID_MAX, "erosion and three grids");
    plan_make(&plan, key, recipe);
    if (plan.eroded)
        region[count++] = plan.erosion;
    count += grid_regions(&plan.lakes, region + count);
    count += grid_regions(&plan.paths, region + count);
    return count + grid_regions(&plan.caves, region + count);
}

/* Opens the regions of a grid, whose blobs begin at *inputs, which moves behind them. Returns 0, or -1 when memory is short. */
static int open_grid(const struct tile_grid *grid, const struct terrane_recipe *recipe,
                     struct region_view *view, struct blob *const **inputs)
{
    for (int k = 0; k < tile_grid_count(grid); k++) {
        const struct region region = tile_grid_at(grid, k);
        if (region_open(&view[k], recipe, &region, *(*inputs)++) != 0)
            return -1;
    }
    return 0;
}

static int open_regions(struct piece *piece, struct blob *const *inputs)
{
    const struct tile_plan *plan = &piece->plan;
    const struct terrane_recipe *recipe = piece->world->recipe;
    if (plan->eroded && region_open(&piece->erosion, recipe, &plan->erosion, *inputs++) != 0)
        return -1;
    return open_grid(&plan->lakes, recipe, piece->lakes, &inputs) == 0 &&
                   open_grid(&plan->paths, recipe, piece->paths, &inputs) == 0 &&
                   open_grid(&plan->caves, recipe, piece->caves, &inputs) == 0
               ? 0
               : -1;
}

/* ---- Samples ------------------------------------------------------------------------------------------- */

/* Each fills what it is named after and returns 0, or -1 when memory is short. */

static int make_index(struct piece *piece)
{
    piece->index = malloc(piece->count);
    if (!piece->index)
        return -1;
    CHECK(terrane_zones(piece->world, &piece->plan.window, piece->producer->scratch, piece->index, NULL) ==
          0);
    return 0;
}

static int make_weights(struct piece *piece)
{
    const size_t zones = (size_t)piece->world->recipe->partition.zones;
    piece->weights = malloc(piece->count * zones * sizeof *piece->weights);
    if (!piece->weights)
        return -1;
    CHECK(terrane_zones(piece->world, &piece->plan.window, piece->producer->scratch, NULL, piece->weights) ==
          0);
    return 0;
}

static int make_slopes(struct piece *piece)
{
    piece->values = malloc(piece->count * sizeof *piece->values);
    if (!piece->values || piece_make_normals(piece) != 0)
        return -1;
    terrane_slopes(piece->normals, piece->count, piece->values);
    terrane_height_range(piece->values, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

static int make_hillshade(struct piece *piece)
{
    piece->pixels = malloc(piece->count);
    if (!piece->pixels || piece_make_normals(piece) != 0)
        return -1;
    terrane_hillshade(piece->normals, piece->count, piece->pixels);
    return 0;
}

/* Rows j .. j + window->height - 1. */
static void relief_strip(struct piece *piece, const struct terrane_window *window, int j)
{
    const size_t at = (size_t)j * (size_t)window->width,
                 count = (size_t)window->width * (size_t)window->height;
    CHECK(terrane_zones(piece->world, window, piece->producer->scratch, NULL, piece->weights) == 0);
    terrane_relief(piece->world->recipe, piece->heights + at, piece->normals + at * 3, piece->weights,
                   piece->depth + at, count, piece->pixels + at * 3);
}

static int make_relief(struct piece *piece)
{
    const struct terrane_window *window = &piece->plan.window;
    const size_t zones = (size_t)piece->world->recipe->partition.zones;
    const int most = window->height < STRIP_ROWS ? window->height : STRIP_ROWS;
    if (piece_make_normals(piece) != 0 || piece_make_heights(piece) != 0 || piece_make_water(piece) != 0)
        return -1;
    piece->pixels = malloc(piece->count * 3);
    piece->weights = malloc((size_t)most * (size_t)window->width * zones * sizeof *piece->weights);
    if (!piece->pixels || !piece->weights)
        return -1;
    for (int j = 0; j < window->height; j += most) {
        struct terrane_window strip = *window;
        strip.gj += (int64_t)j * window->step;
        strip.height = window->height - j < most ? window->height - j : most;
        relief_strip(piece, &strip, j);
    }
    return tile_grid_count(&piece->plan.paths) > 0 ? piece_paint_paths(piece) : 0;
}

static int make_water(struct piece *piece)
{
    if (piece_make_heights(piece) != 0 || piece_make_water(piece) != 0)
        return -1;
    terrane_height_range(piece->key->layer == LAYER_WATER ? piece->depth : piece->surface, piece->count,
                         &piece->info.min_m, &piece->info.max_m);
    return 0;
}

/* The ground or the water's surface, which is level, with normals; depth where a format wants it. */
static int make_mesh(struct piece *piece)
{
    const bool surface = piece->key->layer == LAYER_SURFACE;
    if (piece_make_normals(piece) != 0 || piece_make_heights(piece) != 0)
        return -1;
    if ((surface || piece->key->format == FORMAT_TERRAIN) && piece_make_water(piece) != 0)
        return -1;
    if (piece->plan.holed && piece_make_holes(piece) != 0)
        return -1;
    if (!surface)
        return 0;
    for (size_t i = 0; i < piece->count; i++)
        if (piece->depth[i] > 0)
            memcpy(&piece->normals[3 * i], (const float[3]){0, 0, 1}, 3 * sizeof *piece->normals);
    terrane_height_range(piece->surface, piece->count, &piece->info.min_m, &piece->info.max_m);
    return 0;
}

/* Indices for a mask, weights for numbers. */
static int make_zones(struct piece *piece)
{
    return piece->key->format == FORMAT_PNG ? make_index(piece) : make_weights(piece);
}

/* How a layer's own samples are made, and which of the piece's numbers they are then; of pictures alone none. */
static const struct {
    int (*make)(struct piece *piece);
    size_t values;
} layer_made[LAYERS] = {
    [LAYER_HEIGHT] = {piece_make_heights, offsetof(struct piece, heights)},
    [LAYER_NORMAL] = {piece_make_normals, offsetof(struct piece, normals)},
    [LAYER_PARTITION] = {make_zones, offsetof(struct piece, weights)},
    [LAYER_SLOPE] = {make_slopes, offsetof(struct piece, values)},
    [LAYER_HILLSHADE] = {make_hillshade, offsetof(struct piece, values)},
    [LAYER_RELIEF] = {make_relief, offsetof(struct piece, values)},
    [LAYER_WATER] = {make_water, offsetof(struct piece, depth)},
    [LAYER_SURFACE] = {make_water, offsetof(struct piece, surface)},
    [LAYER_DELTA] = {piece_make_values, offsetof(struct piece, values)},
    [LAYER_FLOW] = {piece_make_values, offsetof(struct piece, values)},
    [LAYER_PATH] = {piece_make_paths, offsetof(struct piece, values)},
    [LAYER_CAVE] = {piece_make_caves, offsetof(struct piece, values)},
};

const float *piece_values(const struct piece *piece)
{
    return *(float *const *)((const char *)piece + layer_made[piece->key->layer].values);
}

static int make_layer(struct piece *piece)
{
    return layer_made[piece->key->layer].make(piece);
}

/* Of what is described: the layer's numbers, where it has any; ground, zones and water; paths and caves besides. */
static int make_facts(struct piece *piece)
{
    if (tile_layer_has(piece->key->layer, FORMAT_F32) && make_layer(piece) != 0)
        return -1;
    free(piece->index); /* classes of paths, which are among the values */
    piece->index = NULL;
    return (piece->heights || piece_make_heights(piece) == 0) &&
                   (piece->depth || piece_make_water(piece) == 0) && make_index(piece) == 0 &&
                   piece_make_lines(piece) == 0 && piece_list_caves(piece) == 0
               ? 0
               : -1;
}

static int make_samples(struct piece *piece)
{
    if (piece->key->format == FORMAT_JSON)
        return make_facts(piece);
    if (piece->key->format == FORMAT_GEOJSON)
        return piece_make_lines(piece);
    if (piece->key->format == FORMAT_GLB ||
        piece->key->format == FORMAT_TERRAIN) /* of caves, which of them */
        return tile_is_of_caves(piece->key) ? piece_list_caves(piece) : make_mesh(piece);
    if (piece->key->format == FORMAT_SUBTREE)
        return piece_make_around(piece) != 0 || piece_make_heights(piece) != 0 ? -1 : piece_make_water(piece);
    return make_layer(piece);
}

static void piece_free(struct piece *piece)
{
    region_close(&piece->erosion);
    for (int k = 0; k < TILE_GRID_MAX; k++) {
        region_close(&piece->lakes[k]);
        region_close(&piece->paths[k]);
        region_close(&piece->caves[k]);
    }
    free(piece->around);
    free(piece->heights);
    free(piece->normals);
    free(piece->weights);
    free(piece->values);
    free(piece->surface);
    free(piece->depth);
    free(piece->index);
    free(piece->pixels);
    free(piece->holes);
    free(piece->line);
    free(piece->cave);
}

struct blob *tile_make(struct producer *producer, const struct tile_key *key,
                       const struct terrane_world *world, struct blob *const *inputs,
                       struct produce_times *times)
{
    struct piece piece = {.producer = producer, .key = key, .world = world};
    struct blob *blob = NULL;
    plan_make(&piece.plan, key, world->recipe);
    const struct terrane_window *window = &piece.plan.window;
    piece.count = (size_t)window->width * (size_t)window->height;
    piece.info = (struct blob_info){
        .format = (uint8_t)key->format,
        .width = (uint16_t)key->size,
        .height = (uint16_t)key->size,
    };

    const uint64_t start = uv_hrtime();
    if (open_regions(&piece, inputs) != 0 || make_samples(&piece) != 0)
        goto out;
    const uint64_t made = uv_hrtime();
    if (piece_encode(&piece) != 0)
        goto out;
    times->surface_ns = made - start;
    times->encode_ns = uv_hrtime() - made;
    const struct digest digest = tile_key_digest(key, world);
    blob = blob_create(&digest, &piece.info, piece.data, piece.bytes);
out:
    piece_free(&piece);
    return blob;
}
