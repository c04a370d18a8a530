/*
 * Tiles (server/render) made in one thread, with erosion, lakes, paths and caves, against the library's one call for each tile
 * alone, and against ground that is made at once: by way of regions, anchors and pieces, from a cache or not, come the same bits. What
 * the call makes: tests/golden.
 */
#include "../../../lib/cave/cave_shown.h"
#include "../../../lib/path/network.h"
#include "../../../lib/product/region.h"
#include "../direct_kit.h"
#include "hollow_kit.h"

struct place {
    int level;
    int64_t x, y;
    int size;
};

/* A layer of a tile, of the variant that it has, from a cache and not. */
static void expect_tile(struct place at, enum tile_layer layer, enum tile_variant variant,
                        const float *expected, size_t numbers)
{
    struct tile_key key = kit_key(at.level, at.x, at.y, layer, FORMAT_F32, at.size, variant);
    tile_key_vary(&key, &scene.w.recipe);
    for (int cached = 0; cached < 2; cached++) {
        struct blob *blob = scene_tile(&key, cached);
        assert_int_equal(blob->bytes, numbers * sizeof *expected);
        if (memcmp(blob->data, expected, blob->bytes) != 0)
            fail_msg("layer %s of tile %d/%lld/%lld, size %d, variant %s is another", tile_layer_name[layer],
                     at.level, (long long)at.x, (long long)at.y, at.size, tile_variant_name[key.variant]);
        blob_release(blob);
    }
}

static size_t count_unlike_first(const float *numbers, size_t count, size_t values)
{
    size_t unlike = 0;
    for (size_t k = 0; k < count; k++)
        unlike += numbers[k * values] != numbers[0];
    return unlike;
}

/* Against the one call. Returns how many samples are unlike the first. */
static size_t compare(struct place at, enum tile_layer layer, enum tile_variant variant)
{
    const enum terrane_layer samples = layer_row[layer].samples;
    const size_t values = (size_t)terrane_layer_values(&scene.w.recipe, samples);
    struct terrane_window window;
    assert_int_equal(terrane_window_tile(&window, at.level, at.x, at.y, at.size), 0);
    const size_t count = samples_of(&window);
    float *expected = direct_floats(count * values);
    assert_int_equal(
        terrane_make(&scene.w.world, &window, samples, (enum terrane_variant)variant, NULL, NULL, expected),
        0);
    expect_tile(at, layer, variant, expected, count * values);
    const size_t unlike = count_unlike_first(expected, count, values);
    free(expected);
    return unlike;
}

TEST(tiles_are_what_the_library_makes)
{
    static const struct place place[] = {
        {0, -1, -1, 257}, {0, 12345, -54321, 65}, {0, (INT64_C(1) << 40) - 1, -(INT64_C(1) << 40), 257},
        {1, 3, -4, 512},  {2, -5, 7, 33},         {4, -2, 1, 256},
        {5, 1, 1, 512},   {6, 0, 0, 65},          {7, -1, 2, 257},
    };
    size_t wet = 0;
    for (int turn = 0; turn < 3; turn++) {
        static const int levels[] = {3, 6, 10}; /* no anchor, one, two */
        world_of(&scene.w, levels[turn]);
        for (size_t i = 0; i < sizeof place / sizeof *place; i++)
            for (int variant = 0; variant <= VARIANT_ERODED; variant++) {
                const enum tile_layer by_turns[] = {LAYER_NORMAL, LAYER_WATER,
                                                    variant ? LAYER_FLOW : LAYER_SURFACE},
                                      layer = by_turns[(turn + (int)i + variant) % 3];
                compare(place[i], LAYER_HEIGHT, (enum tile_variant)variant);
                const size_t unlike = compare(place[i], layer, (enum tile_variant)variant);
                wet += layer == LAYER_WATER ? unlike : 0;
            }
    }
    assert_true(wet > 1000); /* or lakes have not been tested */
}

/* With paths, of one region, and with caves. */
TEST(carved_tiles_are_what_the_library_makes)
{
    static const struct place place[] = {
        {0, 3, 1, 257}, {0, 15, -16, 65}, {1, -7, 7, 512}, {3, 0, 1, 257}, {4, 1, 1, 64}};
    size_t ways = 0, hollow = 0;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        compare(place[i], LAYER_HEIGHT, VARIANT_CARVED);
        compare(place[i], LAYER_SURFACE, VARIANT_CARVED);
        ways += compare(place[i], LAYER_PATH, VARIANT_CARVED);
    }
    for (int64_t x = -1; x <= 3; x += 2)
        hollow += compare((struct place){2, x, 2 * x, 257}, LAYER_CAVE, VARIANT_CARVED);
    assert_true(ways > 1000 && hollow > 100); /* or paths and caves have not been tested */
}

/* ---- Ground that is made at once ------------------------------------------------------------------------ */

/* Ground and water of a window, without anchors, regions and pieces. */
static void ground_at_once(const struct terrane_world *world, const struct terrane_window *window,
                           float **ground, float **depth_m)
{
    *ground = direct_ground_new(world, window, true, NULL);
    *depth_m = direct_floats(samples_of(window));
    direct_water(world, window, *ground, true, NULL, NULL, *depth_m);
}

/* Kinds and distances of a tile of 257 of the paths' level by a network on such ground. Returns how many are of ways. */
static size_t compare_paths(int64_t x, int64_t y)
{
    enum { SIDE = 257, SAMPLES = SIDE * SIDE };
    static float path[2 * SAMPLES], distance_m[SAMPLES];
    static uint8_t kind[SAMPLES];
    const struct terrane_world *world = &scene.w.world;
    const struct place at = {world->recipe->paths.level, x, y, SIDE};
    struct terrane_path_network network = direct_network();
    struct terrane_window needs, window;
    float *ground, *depth_m;
    size_t ways = 0;
    network.x = x;
    network.y = y;
    assert_int_equal(terrane_paths_graph(world, NULL, &network, &needs), 0);
    ground_at_once(world, &needs, &ground, &depth_m);
    assert_int_equal(terrane_paths_lines(world, &needs, ground, depth_m, NULL, NULL, &network), 0);
    assert_int_equal(terrane_window_tile(&window, at.level, x, y, SIDE), 0);
    assert_int_equal(terrane_paths_apply(world->recipe, &window, &network, NULL, NULL, kind, distance_m), 0);
    for (int k = 0; k < SAMPLES; k++) {
        path[2 * k] = kind[k];
        path[2 * k + 1] = distance_m[k];
        ways += kind[k] >= TERRANE_PATH_WAY;
    }
    expect_tile(at, LAYER_PATH, VARIANT_CARVED, path, 2 * SAMPLES);
    free(ground);
    free(depth_m);
    direct_network_free(&network);
    return ways;
}

/* A tile of the caves' level. Returns how many of its samples have a cave. */
static size_t compare_caves(int64_t x, int64_t y)
{
    const struct terrane_world *world = &scene.w.world;
    static struct terrane_cave cave[TERRANE_CAVES_MAX];
    const struct place at = {world->recipe->caves.level, x, y, 257};
    struct terrane_window window, needs;
    float *ground, *depth_m;
    int caves;
    assert_int_equal(terrane_window_tile(&window, at.level, x, y, at.size), 0);
    terrane_caves_needs(world->recipe, &window, &needs);
    ground_at_once(world, &needs, &ground, &depth_m);
    float *expected = direct_floats(samples_of(&window) * 2);
    assert_int_equal(terrane_caves(world, &window, ground, depth_m, NULL, expected, cave, &caves), 0);
    expect_tile(at, LAYER_CAVE, VARIANT_CARVED, expected, samples_of(&window) * 2);
    const size_t hollow = count_unlike_first(expected, samples_of(&window), 2);
    free(expected);
    free(ground);
    free(depth_m);
    return hollow;
}

/* Ground that is too wide to be eroded at once is made in pieces: networks and caves are the same. */
TEST(pieces_make_the_same)
{
    hollow_recipe(&scene.w.recipe);
    scene.w.recipe.paths.cell_log2 = 7;
    scene.w.recipe.caves.radius = TERRANE_CAVE_RADIUS_MAX;
    make_world(&scene.w.world, &scene.w.recipe, 42);
    for (int kind = TERRANE_REGION_PATHS; kind <= TERRANE_REGION_CAVES; kind++) {
        const struct terrane_region region = {(enum terrane_region_kind)kind,
                                              kind == TERRANE_REGION_PATHS ? 4 : 2, 0, 0,
                                              TERRANE_VARIANT_ERODED};
        struct terrane_window ground[TERRANE_REGION_GROUNDS], window;
        terrane_region_window(&scene.w.recipe, &region, &window);
        assert_int_equal(terrane_region_grounds(&scene.w.recipe, &region, &window, ground), 2);
        assert_true(terrane_region_pieces(&scene.w.recipe, &ground[0], false, -1) > 1 ||
                    terrane_region_pieces(&scene.w.recipe, &ground[0], true, -1) > 1);
    }
    assert_true(compare_paths(0, 0) > 100);
    assert_true(compare_caves(1, 1) > 100);
}

/* Ten levels, so that networks take their ground from anchor 4: their lakes are eroded from it, or lie on it, or are
 * eroded from anchor 8, or from the top, or do not erode. */
TEST(networks_are_the_same_whatever_they_rest_on)
{
    static const int lakes_level[] = {3, 4, 5, 8, 11};
    static const int inputs[] = {1, 1, 2, 1, 1};
    size_t ways = 0;
    for (size_t i = 0; i < sizeof lakes_level / sizeof *lakes_level; i++) {
        struct terrane_recipe *recipe = &scene.w.recipe;
        hollow_recipe(recipe);
        recipe->erosion.levels = 10;
        for (int level = 6; level < 10; level++) {
            recipe->erosion.phases[level] = recipe->erosion.slides[level] = 1;
            recipe->erosion.steps[level] = 5;
        }
        recipe->lakes.level = lakes_level[i];
        make_world(&scene.w.world, recipe, 42);
        const struct product_key key = kit_region(PRODUCT_PATHS, 4, -1, 0, TERRANE_VARIANT_ERODED);
        struct product_key in[PRODUCT_INPUTS_MAX];
        assert_int_equal(product_inputs(&key, &scene.w.world, in), inputs[i]);
        assert_true(in[0].product == PRODUCT_ANCHOR && in[0].region.level == 4 && in[0].region.x == -1);
        assert_true(inputs[i] == 1 || (in[1].product == PRODUCT_ANCHOR && in[1].region.level == 8));
        const int64_t x = i % 2 ? 1 : -1;
        ways += compare_paths(x, -x);
    }
    assert_true(ways > 1000);
}

GROUP_EACH(product_tiles, scene_open, scene_close);
