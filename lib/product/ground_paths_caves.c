/*
 * Paths and caves of a ground.
 *
 * A sample's path is the network's in whose region it lies, and its cave likewise; a window over several regions is cut into
 * blocks, one a region.
 */
#include "../cave/cave_shown.h"
#include "../path/network.h"
#include "ground_layers.h"

/* ---- Paths --------------------------------------------------------------------------------------------- */

/* Arrays over a window of the ground's level, each or NULL, and as many samples of each to work in. */
struct way {
    const struct terrane_ground *ground;
    struct terrane_window window;
    float *heights, *distance;
    uint8_t *kind;
    float *part_heights, *part_distance;
    uint8_t *part_kind;
};

static int apply_block(void *context, const struct block *block)
{
    struct way *way = context;
    const int width = way->window.width;
    block_copy(block, width, way->heights, way->part_heights, sizeof(float), false);
    const int error =
        terrane_paths_apply(way->ground->world->recipe, &block->window, &way->ground->paths[block->k].network,
                            way->ground->memory, way->part_heights, way->part_kind, way->part_distance);
    block_copy(block, width, way->heights, way->part_heights, sizeof(float), true);
    block_copy(block, width, way->distance, way->part_distance, sizeof(float), true);
    block_copy(block, width, way->kind, way->part_kind, 1, true);
    return error;
}

/* Of several regions, by way of blocks. */
static int apply_many(struct way *way)
{
    const struct terrane_memory *memory = way->ground->memory;
    const size_t count = samples_of(&way->window);
    way->part_heights = way->heights ? memory_take(memory, count * sizeof(float)) : NULL;
    way->part_distance = way->distance ? memory_take(memory, count * sizeof(float)) : NULL;
    way->part_kind = way->kind ? memory_take(memory, count) : NULL;
    const bool room = (way->part_heights || !way->heights) && (way->part_distance || !way->distance) &&
                      (way->part_kind || !way->kind);
    const int error =
        room ? grid_visit(&way->ground->plan->paths, &way->window, apply_block, way) : TERRANE_EMEMORY;
    memory_give(memory, way->part_heights);
    memory_give(memory, way->part_distance);
    memory_give(memory, way->part_kind);
    return error;
}

int ground_apply_paths(const struct terrane_ground *ground, const struct terrane_window *window,
                       float *heights, uint8_t *kind, float *distance_m)
{
    struct way way = {
        .ground = ground, .window = *window, .heights = heights, .distance = distance_m, .kind = kind};
    return ground->plan->paths.count > 1
               ? apply_many(&way)
               : terrane_paths_apply(ground->world->recipe, window, &ground->paths[0].network, ground->memory,
                                     heights, kind, distance_m);
}

int ground_path_kinds(const struct terrane_ground *ground, uint8_t *kind)
{
    if (ground->plan->paths.count > 0)
        return ground_apply_paths(ground, &ground->plan->window, NULL, kind, NULL);
    memset(kind, TERRANE_PATH_NONE, ground->count);
    return 0;
}

/* Class and distance by turns; none where the level shows no paths. */
int ground_make_paths(const struct terrane_ground *ground, float *values)
{
    const bool shown = ground->plan->paths.count > 0;
    float *distance = shown ? ground_floats(ground, ground->count) : NULL;
    uint8_t *kind = shown ? memory_take(ground->memory, ground->count) : NULL;
    int error = 0;
    if (shown)
        error = distance && kind ? ground_apply_paths(ground, &ground->plan->window, NULL, kind, distance)
                                 : TERRANE_EMEMORY;
    for (size_t i = 0; i < ground->count && error == 0; i++) {
        values[2 * i] = shown ? kind[i] : TERRANE_PATH_NONE;
        values[2 * i + 1] = shown ? distance[i] : TERRANE_PATHS_FAR;
    }
    memory_give(ground->memory, distance);
    memory_give(ground->memory, kind);
    return error;
}

/* ---- Caves --------------------------------------------------------------------------------------------- */

struct hollow {
    const struct terrane_ground *ground;
    float *values; /* or NULL: */
    uint8_t *kind; /* kinds are wanted */
    void *part;    /* of either, what lies in one region */
};

static int cave_block(void *context, const struct block *block)
{
    struct hollow *hollow = context;
    const struct terrane_region_view *caves = &hollow->ground->caves[block->k];
    const struct terrane_recipe *recipe = hollow->ground->world->recipe;
    const int width = hollow->ground->plan->window.width;
    const int error = hollow->values ? terrane_caves_shown(recipe, &block->window, &caves->window,
                                                           caves->floor_ceiling, hollow->part)
                                     : terrane_caves_kinds(recipe, &block->window, &caves->window,
                                                           caves->ground, caves->floor_ceiling, hollow->part);
    block_copy(block, width, hollow->values, hollow->part, 2 * sizeof(float), true);
    block_copy(block, width, hollow->kind, hollow->part, 1, true);
    return error;
}

static int visit_caves(const struct terrane_ground *ground, float *values, uint8_t *kind)
{
    struct hollow hollow = {ground, values, kind, ground_floats(ground, 2 * ground->count)};
    const int error = hollow.part
                          ? grid_visit(&ground->plan->caves, &ground->plan->window, cave_block, &hollow)
                          : TERRANE_EMEMORY;
    memory_give(ground->memory, hollow.part);
    return error;
}

int ground_cave_kinds(const struct terrane_ground *ground, uint8_t *kind)
{
    memset(kind, TERRANE_CAVE_ROCK, ground->count);
    return ground->plan->caves.count > 0 ? visit_caves(ground, NULL, kind) : 0;
}

int ground_make_caves(const struct terrane_ground *ground, float *values)
{
    for (size_t i = 0; i < 2 * ground->count; i++)
        values[i] = TERRANE_ROCK;
    return ground->plan->caves.count > 0 ? visit_caves(ground, values, NULL) : 0;
}
