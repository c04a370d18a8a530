/*
 * Golden digests of erosion, lakes and water. By way of each coarser level, which has to give the same: tests/reference.
 */
#include "../../lib/shade/shade.h"
#include "golden.h"

#include "../../lib/erosion/erosion.h"
#include "../../lib/water/water.h"
#include "cases_water.h"

static const int64_t far_tile = (TERRANE_TILE_LIMIT - 1) * TERRANE_TILE_SAMPLES;

size_t samples_of(const struct terrane_window *window)
{
    return (size_t)window->width * (size_t)window->height;
}

/* ---- Erosion ------------------------------------------------------------------------------------------- */

static struct terrane_eroded erode(const struct terrane_world *world, const struct terrane_window *window)
{
    struct terrane_eroded out = {.window = *window};
    out.delta = lend(samples_of(window) * sizeof *out.delta);
    out.flow = lend(samples_of(window) * sizeof *out.flow);
    need(terrane_erode(world, NULL, NULL, &out) == 0, "erosion");
    return out;
}

/* Every third sample of a product as callers get them. */
static void put_values(const struct terrane_world *world, const struct terrane_eroded *eroded)
{
    struct terrane_window window = eroded->window;
    window.step = 3;
    window.width = (window.width + 2) / 3;
    window.height = (window.height + 2) / 3;
    float *value = lend(3 * samples_of(&window) * sizeof *value), *heights = value;
    float *delta_m = heights + samples_of(&window), *flow = delta_m + samples_of(&window);
    need(terrane_heights(world, &window, NULL, heights) == 0, "heights");
    need(terrane_eroded_heights(world->recipe, &window, eroded, heights) == 0, "eroded heights");
    need(terrane_eroded_values(world->recipe, &window, eroded, delta_m, flow) == 0, "values");
    put_floats(value, 3 * samples_of(&window));
}

static void put_eroded(const struct terrane_world *world, const struct terrane_window *window)
{
    struct terrane_eroded eroded = erode(world, window);
    for (size_t i = 0; i < samples_of(window); i++) {
        put((uint32_t)eroded.delta[i], 4);
        put(eroded.flow[i], 4);
    }
    put_values(world, &eroded);
}

static void put_erosion_numbers(const struct terrane_recipe *recipe)
{
    const double number[] = {terrane_erosion_unit_m(recipe), terrane_erosion_bound_m(recipe)};
    put_doubles(number, 2);
    for (int level = 0; level <= TERRANE_LEVEL_MAX; level++) {
        const double error = terrane_erosion_error_m(recipe, level);
        put_doubles(&error, 1);
        put((uint64_t)terrane_erosion_halo(recipe, level), 4);
    }
}

void erosions(void)
{
    const struct terrane_window windows[] = {
        {.level = 0, .gi = -13, .gj = -21, .step = 1, .width = 32, .height = 30},
        {.level = 1, .gi = 70007, .gj = -6, .step = 1, .width = 32, .height = 9},
        {.level = 0, .gi = far_tile, .gj = -far_tile, .step = 1, .width = 17, .height = 15},
        {.level = 3, .gi = -5, .gj = far_tile, .step = 1, .width = 19, .height = 12},
    };
    for (int k = 0; k < CASE_EROSIONS; k++) {
        struct terrane_recipe recipe;
        case_eroding(&recipe, &case_erosions[k]);
        const struct terrane_world world = world_of(&recipe, (uint64_t)k + 11);
        put_erosion_numbers(&recipe);
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
            put_eroded(&world, &windows[i]);
        print_as("erosion %s", case_erosions[k].name);
    }
}

/* ---- Water --------------------------------------------------------------------------------------------- */

float *ground_of(const struct terrane_world *world, const struct terrane_window *window)
{
    float *heights = lend(samples_of(window) * sizeof *heights);
    need(terrane_heights(world, window, NULL, heights) == 0, "heights");
    if (window->level < world->recipe->erosion.levels) {
        struct terrane_window whole = *window;
        whole.step = 1;
        whole.width = (window->width - 1) * window->step + 1;
        whole.height = (window->height - 1) * window->step + 1;
        struct terrane_eroded eroded = erode(world, &whole);
        need(terrane_eroded_heights(world->recipe, window, &eroded, heights) == 0, "eroded heights");
    }
    return heights;
}

static float *lakes_of(const struct terrane_world *world, const struct terrane_window *window)
{
    struct terrane_window ground_window;
    terrane_lakes_needs(world->recipe, window, &ground_window);
    float *ground = ground_of(world, &ground_window);
    float *level_m = lend(samples_of(window) * sizeof *level_m);
    need(terrane_lakes(world, window, ground, NULL, level_m) == 0, "lakes");
    return level_m;
}

float *depth_of(const struct terrane_world *world, const struct terrane_window *window, const float *ground)
{
    struct terrane_window lakes;
    float *level_m = terrane_water_needs(world->recipe, window, &lakes) ? lakes_of(world, &lakes) : NULL;
    float *depth_m = lend(samples_of(window) * sizeof *depth_m);
    need(terrane_water(world->recipe, window, ground, level_m ? &lakes : NULL, level_m, NULL, depth_m) == 0,
         "water");
    return depth_m;
}

/* Normals of the inner samples of a ground, and its relief under water. */
static void put_pictures(const struct terrane_world *world, const struct terrane_window *window,
                         const float *ground, const float *depth_m)
{
    const size_t count = samples_of(window), zones = (size_t)world->recipe->partition.zones;
    const int width = window->width - 2, height = window->height - 2;
    float *normals = lend(3 * count * sizeof *normals);
    float *weights = lend(zones * count * sizeof *weights);
    uint8_t *rgb = lend(3 * count);
    terrane_normals_between(ground, width, height, 1.5, normals);
    put_floats(normals, 3 * (size_t)width * (size_t)height);
    need(terrane_normals(world, window, NULL, normals) == 0, "normals");
    need(terrane_zones(world, window, NULL, NULL, weights) == 0, "zones");
    terrane_relief(world->recipe, window->level, ground, normals, weights, depth_m, count, rgb);
    put_octets(rgb, 3 * count);
}

/* Lakes of a window, what they make of its ground, and pictures of that. */
static void put_water(const struct terrane_world *world, const struct terrane_window *window)
{
    const size_t count = samples_of(window);
    struct terrane_window lakes;
    const bool shown = terrane_water_needs(world->recipe, window, &lakes);
    float *ground = ground_of(world, window), *level_m = shown ? lakes_of(world, &lakes) : NULL;
    float *surface_m = lend(count * sizeof *surface_m), *depth_m = lend(count * sizeof *depth_m);
    if (shown)
        put_floats(level_m, samples_of(&lakes));
    need(terrane_water(world->recipe, window, ground, shown ? &lakes : NULL, level_m, surface_m, depth_m) ==
             0,
         "water");
    put_floats(surface_m, count);
    put_floats(depth_m, count);
    put_pictures(world, window, ground, depth_m);
}

void waters(void)
{
    for (int turn = 0; turn < CASE_LAKES; turn++) {
        struct terrane_recipe recipe;
        case_lakes(&recipe, turn);
        const int level = recipe.lakes.level;
        const struct terrane_world world = world_of(&recipe, (uint64_t)turn + 31);
        const struct terrane_window windows[] = {
            {.level = level, .gi = -23, .gj = -30, .step = 1, .width = 48, .height = 40},
            {.level = level, .gi = -far_tile, .gj = far_tile, .step = 1, .width = 32, .height = 32},
            {.level = level + 1, .gi = -11, .gj = 6, .step = 1, .width = 13, .height = 11},
            {.level = level + 2, .gi = 7, .gj = -9, .step = 2, .width = 5, .height = 5},
            {.level = level + 3, .gi = 1, .gj = 0, .step = 1, .width = 6, .height = 6},
            {.level = level ? level - 1 : 0, .gi = 1001, .gj = -35, .step = 1, .width = 33, .height = 21},
            {.level = 0, .gi = -17, .gj = -19, .step = 3, .width = 15, .height = 12},
        };
        for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
            put_water(&world, &windows[i]);
        print_as("water of lakes %d", turn);
    }
}

/* The coarsest levels cost most, so finest is for few: every level takes part, some 10^6 samples. */
void shipped_water(const struct terrane_world *world, const char *title, bool finest)
{
    const int levels = world->recipe->erosion.levels;
    const struct terrane_window far = {levels > 3 ? levels - 3 : 0, far_tile, -far_tile, 1, 32, 32};
    const struct terrane_window near = {.gi = -7 * 256, .gj = 11 * 256, .step = 1, .width = 32, .height = 32};
    put_eroded(world, &far);
    if (finest)
        put_eroded(world, &near);
    print_as("erosion %s", title);

    if (world->recipe->rivers.top > 0)
        return; /* its lakes are those of the drainage */
    /* On ground that is not eroded: what lakes do with heights does not depend on what made them. */
    struct terrane_recipe recipe = *world->recipe;
    recipe.erosion.levels = 0;
    const struct terrane_world still = world_of(&recipe, world->seed);
    put_water(&still, &(struct terrane_window){recipe.lakes.level, -96, 300, 1, 16, 16});
    print_as("water %s", title);
}
