/*
 * Golden digests of erosion, lakes and water. By way of each coarser level, which has to give the same: tests/reference.
 */
#include "../../lib/shade/shade.h"
#include "golden.h"

#include "../../lib/erosion/erosion.h"
#include "../../lib/water/water.h"
#include "cases.h"

enum { CASE_EROSION_LEVELS = 4 };

/* A way to erode. A coarser level has a step more, and a phase and a slide less, where there are any. */
struct case_erosion {
    const char *name;
    double spacing_m;
    float sea_m, limit;
    int zones, levels, phases, steps, slides;
    struct terrane_droplets droplets; /* of zone 0 */
};

/* In the order of struct terrane_droplets. */
#define CASE_DROPLETS                                               \
    {                                                               \
        0.2f, 30, 0.1f, 3, 0.02f, 0.4f, 0.3f, 0.02f, 0.6f, 1, 1, 35 \
    }

static const struct case_erosion case_erosions[] = {
    {"plain", 0.5, -4000, 0.25f, 1, 3, 2, 7, 1, CASE_DROPLETS},
    {"steered", 0.5, -4000, 0.25f, 3, 3, 2, 7, 1, CASE_DROPLETS},
    {"odd spacing", 1.0 / 3, -4000, 0.3f, 2, 4, 2, 5, 2, CASE_DROPLETS},
    {"one level", 2, -4000, 1, 1, 1, 4, 20, 0, CASE_DROPLETS},
    {"slides alone", 1, -4000, 0.125f, 2, 3, 0, 1, 5, CASE_DROPLETS},
    {"no droplets", 1, -4000, 0.5f, 1, 2, 3, 4, 1, {.inertia = 0.5f, .talus_deg = 40}},
    {"least limit", 30, -4000, 0x1p-10f, 1, 2, 3, 6, 2, CASE_DROPLETS},
    {"greatest numbers", 0.5, -4000, 1, 1, 2, 2, 9, 1, {1, 64, 0.99f, 64, 1, 1, 1, 1, 64, 16, 16, 89}},
    {"least numbers", 0.5, -4000, 1, 1, 2, 2, 9, 1, {1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
    {"sea", 0.5, 3.3f, 0.25f, 3, 3, 2, 10, 1, CASE_DROPLETS},
};

enum { CASE_EROSIONS = sizeof case_erosions / sizeof *case_erosions };

/* Ground of 20 m or so and forms of some 10 samples; zones by bands of noise. */
static void case_ground(struct terrane_recipe *recipe, double spacing_m, int zones)
{
    case_empty(recipe);
    recipe->spacing_m = spacing_m;
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 3, 32, (float)(24 * spacing_m), CASE_LATTICE);
    case_add(recipe, TERRANE_SIMPLEX, TERRANE_RIDGED, 2, 24, (float)(9 * spacing_m), CASE_POINTS);
    case_add(recipe, TERRANE_PERLIN5, TERRANE_FBM, 1, 32, 1, CASE_LATTICE);
    recipe->term[recipe->terms++] =
        (struct terrane_term){.op = TERRANE_OP_SUM, .inputs = 2, .in = {0, 1}, .factor = {1, 1}, .offset = 2};
    recipe->partition.zones = zones;
    recipe->partition.by = 2;
    recipe->partition.blend = 0.2f;
    for (int z = 0; z < zones; z++) {
        recipe->partition.zone[z].term = -1;
        if (z > 0)
            recipe->partition.threshold[z - 1] = 0.3f * (float)z - 0.4f;
    }
}

/* Zones after the first have other numbers, all but gravity and water. */
static void case_zone_droplets(struct terrane_droplets *droplets, int zone)
{
    const float k = (float)zone;
    droplets->density *= 1 + k / 2;
    droplets->lifetime /= 1 + 4 * k;
    droplets->inertia += 0.3f * k;
    droplets->capacity += k;
    droplets->min_capacity *= 1 + k;
    droplets->erosion /= 1 + k;
    droplets->deposition += 0.2f * k;
    droplets->evaporation *= 1 + k;
    droplets->speed += k / 3;
    droplets->talus_deg -= 9 * k;
}

static void case_eroding(struct terrane_recipe *recipe, const struct case_erosion *one)
{
    struct terrane_erosion *erosion = &recipe->erosion;
    case_ground(recipe, one->spacing_m, one->zones);
    recipe->sea_m = one->sea_m;
    erosion->levels = one->levels;
    erosion->limit = one->limit;
    for (int l = 0; l < one->levels; l++) {
        erosion->phases[l] = (uint8_t)(one->phases - l > 0 ? one->phases - l : one->phases > 0);
        erosion->steps[l] = (uint8_t)(one->steps + l);
        erosion->slides[l] = (uint8_t)(one->slides - l > 0 ? one->slides - l : 0);
    }
    for (int z = 0; z < one->zones; z++) {
        erosion->zone[z] = one->droplets;
        case_zone_droplets(&erosion->zone[z], z);
    }
}

enum { CASE_LAKES = 3 };

/* Many small ones; fewer large ones, filled in part; at a coarser level, with a sea. */
static void case_lakes(struct terrane_recipe *recipe, int turn)
{
    static const struct terrane_lakes lakes[CASE_LAKES] = {
        {1, 0, 3, 6, 100, 0.01f}, {0.6f, 0, 4, 20, 1.5f, 0.5f}, {1, 2, 3, 9, 40, 0.1f}};
    case_ground(recipe, 0.5, 1);
    recipe->sea_m = turn == 2 ? -3.0f : -4000;
    recipe->lakes = lakes[turn];
}

static const int64_t far_tile = (TERRANE_TILE_LIMIT - 1) * TERRANE_TILE_SAMPLES;

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
