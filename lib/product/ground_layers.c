/*
 * Ground, base, eroded or carved, the water over it, and what else its layers are.
 *
 * Normals of eroded or carved ground are differences of the level's neighbouring samples, whatever the window's step: all
 * samples of the ground are made, with one around, and every step-th of the normals is kept.
 */
#include "ground_layers.h"
#include "../erosion/erosion.h"
#include "../shade/shade.h"
#include "../water/water.h"

/* ---- Heights and normals ------------------------------------------------------------------------------- */

/* All of these return 0 or an error. */

static int make_ground(const struct terrane_ground *ground, const struct terrane_window *window,
                       float *heights)
{
    int error = ground_on_lattice(ground) ? ground_lake_beds(ground, window, heights)
                                          : terrane_heights(ground->world, window, ground->memory, heights);
    if (error == 0 && ground->plan->eroded)
        error = terrane_eroded_heights(ground->world->recipe, window, &ground->erosion.eroded, heights);
    if (error == 0 && ground->plan->drainage.count > 0)
        error = ground_drain(ground, window, heights);
    if (error == 0 && ground->plan->carved)
        error = ground_apply_paths(ground, window, heights, NULL, NULL);
    if (error == 0 && ground->plan->carved && ground->plan->drainage.count > 0)
        error = ground_beds(ground, window, heights);
    return error != 0 ? error : ground_edit(ground, window, heights);
}

/* Every sample of a window with a step, and one more around. */
static struct terrane_window all_around(const struct terrane_window *window)
{
    return (struct terrane_window){
        .level = window->level,
        .gi = window->gi - 1,
        .gj = window->gj - 1,
        .step = 1,
        .width = (window->width - 1) * window->step + 3,
        .height = (window->height - 1) * window->step + 3,
    };
}

int terrane_ground_around(struct terrane_ground *ground)
{
    const struct terrane_window around = all_around(&ground->plan->window);
    if (ground->around)
        return 0;
    float *heights = ground_floats(ground, samples_of(&around));
    const int error = heights ? make_ground(ground, &around, heights) : TERRANE_EMEMORY;
    if (error == 0)
        ground->around = heights;
    else
        memory_give(ground->memory, heights);
    return error;
}

static int make_heights(struct terrane_ground *ground, float *heights)
{
    const struct terrane_window *window = &ground->plan->window;
    if (!ground->around)
        return make_ground(ground, window, heights);
    const size_t stride = (size_t)all_around(window).width, step = (size_t)window->step;
    for (size_t j = 0, k = 0; j < (size_t)window->height; j++)
        for (size_t i = 0; i < (size_t)window->width; i++)
            heights[k++] = ground->around[(j * step + 1) * stride + i * step + 1];
    return 0;
}

/* Of the ground around; all of them, of which every step-th stays. */
static int make_normals_between(const struct terrane_ground *ground, float *normals)
{
    const struct terrane_window *window = &ground->plan->window, around = all_around(window);
    const int width = around.width - 2, height = around.height - 2;
    const size_t step = (size_t)window->step;
    float *all = step > 1 ? ground_floats(ground, (size_t)width * (size_t)height * 3) : normals;
    if (!all)
        return TERRANE_EMEMORY;
    terrane_normals_between(ground->around, width, height, terrane_lattice_m(ground->world, window->level, 1),
                            all);
    if (all == normals)
        return 0;
    for (size_t j = 0, k = 0; j < (size_t)window->height; j++)
        for (size_t i = 0; i < (size_t)window->width; i++, k++)
            memcpy(&normals[k * 3], &all[(j * step * (size_t)width + i * step) * 3], 3 * sizeof *all);
    memory_give(ground->memory, all);
    return 0;
}

/* Tilts a normal by what edits moved beside its sample, of rows so long; where they moved nothing it stays, to the bit. */
static void tilt(float normal[3], const float *edited, const float *before, size_t stride, double per_m)
{
    const double east = ((double)edited[1] - before[1]) - ((double)edited[-1] - before[-1]);
    const ptrdiff_t row = (ptrdiff_t)stride;
    const double south = ((double)edited[row] - before[row]) - ((double)edited[-row] - before[-row]);
    if (east == 0 && south == 0)
        return;
    const double x = east * per_m - (double)normal[0] / normal[2],
                 y = south * per_m - (double)normal[1] / normal[2];
    const double up = 1 / __builtin_sqrt(x * x + y * y + 1);
    normal[0] = (float)(-x * up);
    normal[1] = (float)(-y * up);
    normal[2] = (float)up;
}

/* Of ground that has slopes by itself: with these, so that tiles with edits and tiles without agree where they meet. */
static int make_normals_tilted(struct terrane_ground *ground, float *normals)
{
    const struct terrane_window *window = &ground->plan->window, around = all_around(window);
    struct terrane_ground plain = *ground;
    plain.edits = NULL;
    float *before = ground_floats(ground, samples_of(&around));
    int error = before ? make_ground(&plain, &around, before) : TERRANE_EMEMORY;
    if (error == 0)
        error = terrane_normals(ground->world, window, ground->memory, normals);
    const size_t stride = (size_t)around.width, step = (size_t)window->step;
    const double per_m = 1 / (2 * terrane_lattice_m(ground->world, window->level, 1));
    for (size_t j = 0, k = 0; j < (size_t)window->height && error == 0; j++)
        for (size_t i = 0; i < (size_t)window->width; i++, k++) {
            const size_t at = (j * step + 1) * stride + i * step + 1;
            tilt(&normals[3 * k], &ground->around[at], &before[at], stride, per_m);
        }
    memory_give(ground->memory, before);
    return error;
}

static int make_normals(struct terrane_ground *ground, float *normals)
{
    const bool alone = !ground->plan->eroded && !ground->plan->carved && ground->plan->drainage.count == 0;
    if (alone && !ground->edits)
        return terrane_normals(ground->world, &ground->plan->window, ground->memory, normals);
    const int error = terrane_ground_around(ground);
    if (error != 0)
        return error;
    return alone && ground->world->recipe->analytic ? make_normals_tilted(ground, normals)
                                                    : make_normals_between(ground, normals);
}

static int make_angles(struct terrane_ground *ground,
                       void (*angles)(const float *normals, size_t count, float *degrees), float *degrees)
{
    const int error = terrane_ground_layer(ground, TERRANE_LAYER_NORMAL);
    if (error == 0)
        angles(ground->layer[TERRANE_LAYER_NORMAL], ground->count, degrees);
    return error;
}

/* 0 where nothing is eroded. */
static int make_moved(const struct terrane_ground *ground, float *delta, float *flow)
{
    if (delta && ground->plan->drainage.count > 0)
        return ground_drained_delta(ground, delta);
    if (ground->plan->eroded)
        return terrane_eroded_values(ground->world->recipe, &ground->plan->window, &ground->erosion.eroded,
                                     delta, flow);
    memset(delta ? delta : flow, 0, ground->count * sizeof *delta);
    return 0;
}

/* ---- Water --------------------------------------------------------------------------------------------- */

struct waters {
    struct terrane_ground *ground;
    float *surface, *depth;
    float *room; /* three floats a sample of the window */
};

/* Water of what lies in one region. */
static int water_block(void *context, const struct block *block)
{
    const struct waters *waters = context;
    const struct terrane_ground *ground = waters->ground;
    const struct terrane_region_view *lakes = &ground->lakes[block->k];
    const size_t count = samples_of(&block->window), size = sizeof(float);
    const int width = ground->plan->window.width;
    float *heights = waters->room, *surface = heights + count, *depth = surface + count;
    block_copy(block, width, ground->layer[TERRANE_LAYER_HEIGHT], heights, size, false);
    const int error = terrane_water(ground->world->recipe, &block->window, heights, &lakes->window,
                                    lakes->level_m, surface, depth);
    block_copy(block, width, waters->surface, surface, size, true);
    block_copy(block, width, waters->depth, depth, size, true);
    return error;
}

static int fill_water(struct terrane_ground *ground, float *surface, float *depth)
{
    const struct terrane_plan *plan = ground->plan;
    const int regions = plan->lakes.count;
    if (plan->drainage.count > 0)
        return ground_drained_water(ground, surface, depth);
    if (regions <= 1) {
        const struct terrane_region_view *lakes = regions > 0 ? &ground->lakes[0] : NULL;
        return terrane_water(ground->world->recipe, &plan->window, ground->layer[TERRANE_LAYER_HEIGHT],
                             lakes ? &lakes->window : NULL, lakes ? lakes->level_m : NULL, surface, depth);
    }
    struct waters waters = {ground, surface, depth, ground_floats(ground, ground->count * 3)};
    if (!waters.room)
        return TERRANE_EMEMORY;
    const int error = grid_visit(&plan->lakes, &plan->window, water_block, &waters);
    memory_give(ground->memory, waters.room);
    return error;
}

/* One layer of both, which are made together. */
static int make_water(struct terrane_ground *ground, enum terrane_layer layer, float *values)
{
    const bool water = layer == TERRANE_LAYER_WATER;
    const enum terrane_layer other = water ? TERRANE_LAYER_SURFACE : TERRANE_LAYER_WATER;
    int error = terrane_ground_layer(ground, TERRANE_LAYER_HEIGHT);
    if (error != 0)
        return error;
    float *beside = ground_floats(ground, ground->count);
    error = beside ? fill_water(ground, water ? beside : values, water ? values : beside) : TERRANE_EMEMORY;
    if (error != 0 || ground->layer[other])
        memory_give(ground->memory, beside);
    else
        ground->layer[other] = beside;
    return error;
}

/* ---- Layers -------------------------------------------------------------------------------------------- */

static int fill_layer(struct terrane_ground *ground, enum terrane_layer layer, float *values)
{
    switch (layer) {
    case TERRANE_LAYER_HEIGHT:
        return make_heights(ground, values);
    case TERRANE_LAYER_NORMAL:
        return make_normals(ground, values);
    case TERRANE_LAYER_PARTITION:
        return terrane_zones(ground->world, &ground->plan->window, ground->memory, NULL, values);
    case TERRANE_LAYER_SLOPE:
        return make_angles(ground, terrane_slopes, values);
    case TERRANE_LAYER_ASPECT:
        return make_angles(ground, terrane_aspects, values);
    case TERRANE_LAYER_WATER:
    case TERRANE_LAYER_SURFACE:
        return make_water(ground, layer, values);
    case TERRANE_LAYER_DELTA:
        return make_moved(ground, values, NULL);
    case TERRANE_LAYER_FLOW:
        return make_moved(ground, NULL, values);
    case TERRANE_LAYER_RIVER:
        return ground_make_rivers(ground, values);
    case TERRANE_LAYER_PATH:
        return ground_make_paths(ground, values);
    case TERRANE_LAYER_CAVE:
        return ground_make_caves(ground, values);
    case TERRANE_LAYER_COVER:
        return ground_make_cover(ground, values);
    case TERRANE_LAYER_CLIMATE:
        return ground_make_climate(ground, values);
    case TERRANE_LAYER_HILLSHADE:
        return ground_make_picture(ground, TERRANE_PICTURE_HILLSHADE, values);
    case TERRANE_LAYER_RELIEF:
        return ground_make_picture(ground, TERRANE_PICTURE_RELIEF, values);
    case TERRANE_LAYER_OBJECTS:
        return ground_make_picture(ground, TERRANE_PICTURE_OBJECTS, values);
    case TERRANE_LAYERS:
        break;
    }
    return TERRANE_ELEVEL;
}

int terrane_ground_layer(struct terrane_ground *ground, enum terrane_layer layer)
{
    if (ground->layer[layer])
        return 0;
    const size_t numbers = (size_t)terrane_layer_values(ground->world->recipe, layer);
    float *values = ground_floats(ground, ground->count * numbers);
    const int error = values ? fill_layer(ground, layer, values) : TERRANE_EMEMORY;
    if (error == 0)
        ground->layer[layer] = values;
    else
        memory_give(ground->memory, values);
    return error;
}

/* ---- Opening ------------------------------------------------------------------------------------------- */

/* Opens the regions of a grid, whose bytes begin at *inputs, which moves behind them. */
static int open_grid(const struct terrane_ground *ground, const struct terrane_region_grid *grid,
                     struct terrane_region_view *view, const struct terrane_packed **inputs)
{
    int error = 0;
    for (int k = 0; k < grid->count && error == 0; k++) {
        const struct terrane_region region = grid_at(grid, k);
        error = terrane_region_open(&region, (*inputs)++, ground->memory, &view[k]);
    }
    return error;
}

int terrane_ground_open(const struct terrane_world *world, const struct terrane_plan *plan,
                        const struct terrane_packed *inputs, const struct terrane_memory *memory,
                        struct terrane_ground *ground)
{
    *ground = (struct terrane_ground){
        .world = world, .plan = plan, .memory = memory, .count = samples_of(&plan->window)};
    int error = 0;
    if (plan->eroded)
        error = terrane_region_open(&plan->erosion, inputs++, memory, &ground->erosion);
    if (error == 0)
        error = open_grid(ground, &plan->drainage, ground->drainage, &inputs);
    if (error == 0)
        error = open_grid(ground, &plan->lakes, ground->lakes, &inputs);
    if (error == 0)
        error = open_grid(ground, &plan->paths, ground->paths, &inputs);
    return error != 0 ? error : open_grid(ground, &plan->caves, ground->caves, &inputs);
}

void terrane_ground_close(struct terrane_ground *ground)
{
    const struct terrane_memory *memory = ground->memory;
    terrane_region_close(&ground->erosion, memory);
    for (int k = 0; k < TERRANE_REGION_GRID_MAX; k++) {
        terrane_region_close(&ground->drainage[k], memory);
        terrane_region_close(&ground->lakes[k], memory);
        terrane_region_close(&ground->paths[k], memory);
        terrane_region_close(&ground->caves[k], memory);
    }
    for (int layer = 0; layer < TERRANE_LAYERS; layer++)
        memory_give(memory, ground->layer[layer]);
    memory_give(memory, ground->around);
    memory_give(memory, ground->object);
    *ground = (struct terrane_ground){.memory = NULL};
}
