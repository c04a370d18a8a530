/*
 * Tiles with paths and caves (server/render), against libterrane asked for each tile alone: by way of regions, from a cache or
 * not, come the same bits; and tiles agree where they share samples.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../server/encode/encode.h"
#include "../../../server/render/product.h"
#include "../dice_recipe.h"
#include "../direct_kit.h"
#include "hollow_kit.h"

struct scene {
    struct dice_world w;
    struct producer *producer;
    struct memory *memory;
};

static void scene_open(struct scene *scene)
{
    hollow_recipe(&scene->w.recipe);
    make_world(&scene->w.world, &scene->w.recipe, 42);
    scene->producer = producer_create();
    scene->memory = memory_create(256 << 20);
    assert_true(scene->producer && scene->memory);
}

static void scene_close(struct scene *scene)
{
    memory_free(scene->memory);
    producer_free(scene->producer);
}

static struct tile_key key_of(const struct scene *scene, int level, int64_t x, int64_t y,
                              enum tile_layer layer, enum tile_format format, int size)
{
    struct tile_key key = kit_key(level, x, y, layer, format, size, VARIANT_UNSAID);
    tile_key_vary(&key, &scene->w.recipe);
    return key;
}

static struct blob *make(struct scene *scene, const struct tile_key *key, bool cached)
{
    struct produce_times times;
    const struct product_key product = product_of_tile(key);
    struct blob *blob =
        product_make_alone(scene->producer, &product, &scene->w.world, cached ? scene->memory : NULL, &times);
    assert_non_null(blob);
    return blob;
}

static float *ground_directly(const struct scene *scene, const struct terrane_window *window)
{
    return direct_ground_new(&scene->w.world, window, true, &scene->producer->memory);
}

static float *depth_directly(const struct scene *scene, const struct terrane_window *window,
                             const float *heights)
{
    float *depth = direct_floats(direct_samples(window));
    direct_water(&scene->w.world, window, heights, true, &scene->producer->memory, NULL, depth);
    return depth;
}

/* A region's network; owned. */
static struct terrane_path_network network_directly(const struct scene *scene, int64_t x, int64_t y)
{
    struct terrane_path_network network = direct_network();
    struct terrane_window needs;
    network.x = x;
    network.y = y;
    assert_int_equal(terrane_paths_graph(&scene->w.world, &scene->producer->memory, &network, &needs), 0);
    float *ground = ground_directly(scene, &needs), *depth = depth_directly(scene, &needs, ground);
    assert_int_equal(terrane_paths_lines(&scene->w.world, &needs, ground, depth, NULL, NULL, &network), 0);
    free(depth);
    free(ground);
    return network;
}

static void assert_floats(struct scene *scene, struct tile_key key, enum tile_layer layer,
                          const float *expected, int channels)
{
    key.layer = layer;
    tile_key_vary(&key, &scene->w.recipe);
    for (int cached = 0; cached < 2; cached++) {
        struct blob *blob = make(scene, &key, cached);
        assert_int_equal(blob->bytes, (size_t)key.size * (size_t)key.size * (size_t)channels * 4);
        if (memcmp(blob->data, expected, blob->bytes) != 0)
            fail_msg("layer %s of tile %d/%lld/%lld, size %d is another", tile_layer_name[layer], key.level,
                     (long long)key.x, (long long)key.y, key.size);
        blob_release(blob);
    }
}

/* A tile of one region, of whatever size: heights and normals of all its samples with one around, and what its paths are. */
static size_t compare_tile(struct scene *scene, int level, int64_t x, int64_t y, int size)
{
    const struct terrane_recipe *recipe = &scene->w.recipe;
    const struct tile_key key = key_of(scene, level, x, y, LAYER_HEIGHT, FORMAT_F32, size);
    struct terrane_window window;
    tile_window(&key, &window);
    const int up = recipe->paths.level - window.level;
    const size_t count = direct_samples(&window), step = (size_t)window.step;
    const struct terrane_window around = {window.level,
                                          window.gi - 1,
                                          window.gj - 1,
                                          1,
                                          (window.width - 1) * window.step + 3,
                                          (window.height - 1) * window.step + 3};
    const size_t wide = (size_t)around.width, inner = wide - 2;
    struct terrane_path_network network =
        network_directly(scene, (window.gi >> up) >> 8, (window.gj >> up) >> 8);
    float *ground = ground_directly(scene, &around), *normals = direct_floats(inner * inner * 3);
    float *heights = direct_floats(count), *tile_normals = direct_floats(count * 3),
          *values = direct_floats(count * 2);
    float *distance = direct_floats(direct_samples(&around));
    uint8_t *kind = direct_room(direct_samples(&around));
    size_t ways = 0;
    assert_int_equal(terrane_paths_apply(recipe, &around, &network, NULL, ground, kind, distance), 0);
    terrane_normals_between(ground, (int)inner, (int)inner,
                            terrane_lattice_m(&scene->w.world, window.level, 1), normals);
    for (size_t j = 0, k = 0; j < (size_t)window.height; j++)
        for (size_t i = 0; i < (size_t)window.width; i++, k++) {
            const size_t at = (j * step + 1) * wide + i * step + 1;
            heights[k] = ground[at];
            memcpy(&tile_normals[3 * k], &normals[3 * (j * step * inner + i * step)], 12);
            values[2 * k] = kind[at];
            values[2 * k + 1] = distance[at];
            ways += kind[at] >= TERRANE_PATH_WAY;
        }
    assert_floats(scene, key, LAYER_HEIGHT, heights, 1);
    assert_floats(scene, key, LAYER_NORMAL, tile_normals, 3);
    assert_floats(scene, key, LAYER_PATH, values, 2);
    free(kind);
    free(distance);
    free(values);
    free(tile_normals);
    free(heights);
    free(normals);
    free(ground);
    direct_network_free(&network);
    return ways;
}

TEST(tiles_are_what_the_library_makes)
{
    static const struct {
        int level;
        int64_t x, y;
        int size;
    } tile[] = {{0, 3, 1, 257},  {0, -1, -1, 256}, {0, 15, -16, 65}, {1, 3, 4, 257}, {1, -7, 7, 512},
                {2, 1, -1, 257}, {3, 0, 1, 257},   {4, -1, 0, 257},  {4, 1, 1, 64},  {4, 0, 0, 512}};
    struct scene scene;
    size_t ways = 0;
    scene_open(&scene);
    for (size_t i = 0; i < sizeof tile / sizeof *tile; i++)
        ways += compare_tile(&scene, tile[i].level, tile[i].x, tile[i].y, tile[i].size);
    assert_true(ways > 1000); /* or paths have not been tested */
    scene_close(&scene);
}

static const float *samples(const struct blob *blob)
{
    return (const void *)blob->data;
}

/* A tile of size 512 is four of the level below: over one network, and over four. */
TEST(large_tiles_are_four)
{
    static const enum tile_layer layers[] = {LAYER_HEIGHT, LAYER_NORMAL, LAYER_SURFACE, LAYER_PATH,
                                             LAYER_CAVE};
    struct scene scene;
    scene_open(&scene);
    for (int level = 1; level <= 5; level++)
        for (size_t l = 0; l < sizeof layers / sizeof *layers; l++) {
            const struct tile_key key = key_of(&scene, level, -1, 1, layers[l], FORMAT_F32, 512);
            struct blob *large = make(&scene, &key, true);
            const size_t bytes = large->bytes / (512 * 512);
            for (int q = 0; q < 4; q++) {
                const struct tile_key part =
                    key_of(&scene, level - 1, -2 + q % 2, 2 + q / 2, layers[l], FORMAT_F32, 256);
                struct blob *small = make(&scene, &part, true);
                for (size_t j = 0; j < 256; j++)
                    if (memcmp(small->data + j * 256 * bytes,
                               large->data +
                                   ((j + (size_t)(q / 2) * 256) * 512 + (size_t)(q % 2) * 256) * bytes,
                               256 * bytes) != 0)
                        fail_msg("level %d, layer %s, quarter %d, row %zu", level, tile_layer_name[layers[l]],
                                 q, j);
                blob_release(small);
            }
            blob_release(large);
        }
    scene_close(&scene);
}

/* A tile of the caves' level. Returns how many of its samples have a cave. */
static size_t compare_caves(struct scene *scene, int64_t x, int64_t y)
{
    const struct terrane_recipe *recipe = &scene->w.recipe;
    const struct tile_key key = key_of(scene, recipe->caves.level, x, y, LAYER_CAVE, FORMAT_F32, 257);
    static struct terrane_cave cave[TERRANE_CAVES_MAX];
    struct terrane_window window, needs;
    size_t hollow = 0;
    int caves;
    tile_window(&key, &window);
    terrane_caves_needs(recipe, &window, &needs);
    float *ground = ground_directly(scene, &needs), *depth = depth_directly(scene, &needs, ground);
    float *expected = direct_floats(direct_samples(&window) * 2);
    assert_int_equal(terrane_caves(&scene->w.world, &window, ground, depth, NULL, expected, cave, &caves), 0);
    assert_floats(scene, key, LAYER_CAVE, expected, 2);
    for (size_t k = 0; k < direct_samples(&window); k++)
        hollow += expected[2 * k] != TERRANE_ROCK;
    free(expected);
    free(depth);
    free(ground);
    return hollow;
}

TEST(caves_are_what_the_library_makes)
{
    struct scene scene;
    size_t hollow = 0;
    scene_open(&scene);
    for (int64_t x = -1; x <= 3; x += 2)
        hollow += compare_caves(&scene, x, 2 * x);
    assert_true(hollow > 100);
    scene_close(&scene);
}

/* Ground that is too wide to be eroded at once is made in pieces: networks and caves are the same. */
TEST(pieces_make_the_same)
{
    struct scene scene;
    scene_open(&scene);
    hollow_recipe(&scene.w.recipe);
    scene.w.recipe.paths.cell_log2 = 7;
    scene.w.recipe.caves.radius = TERRANE_CAVE_RADIUS_MAX;
    make_world(&scene.w.world, &scene.w.recipe, 42);
    for (int kind = TERRANE_REGION_PATHS; kind <= TERRANE_REGION_CAVES; kind++) {
        const struct terrane_region region = {(enum terrane_region_kind)kind,
                                              kind == TERRANE_REGION_PATHS ? 4 : 2, 0, 0,
                                              TERRANE_VARIANT_ERODED};
        struct terrane_window ground[TERRANE_REGION_GROUNDS];
        assert_int_equal(terrane_region_grounds(&scene.w.recipe, &region, ground), 2);
        assert_true(terrane_region_pieces(&scene.w.recipe, &ground[0], false, -1) > 1 ||
                    terrane_region_pieces(&scene.w.recipe, &ground[0], true, -1) > 1);
    }
    assert_true(compare_tile(&scene, 4, 0, 0, 257) > 100);
    assert_true(compare_caves(&scene, 1, 1) > 100);
    scene_close(&scene);
}

/* Ten levels, so that networks take their ground from anchor 4: their lakes are eroded from it, or lie on it, or are
 * eroded from anchor 8, or from the top, or do not erode. */
TEST(networks_are_the_same_whatever_they_rest_on)
{
    static const int lakes_level[] = {3, 4, 5, 8, 11};
    static const int inputs[] = {1, 1, 2, 1, 1};
    struct scene scene;
    size_t ways = 0;
    scene_open(&scene);
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
        ways += compare_tile(&scene, 4, x, -x, 257);
    }
    assert_true(ways > 1000);
    scene_close(&scene);
}

/* Of a world without paths and caves: layers of nothing. */
TEST(without_there_is_nothing)
{
    struct scene scene;
    scene_open(&scene);
    kit_recipe(&scene.w.recipe, 4, 1, 3);
    make_world(&scene.w.world, &scene.w.recipe, 42);
    for (int caves = 0; caves < 2; caves++) {
        struct tile_key key = key_of(&scene, 2, 0, 0, caves ? LAYER_CAVE : LAYER_PATH, FORMAT_F32, 65);
        struct blob *blob = make(&scene, &key, false);
        const float none[2] = {caves ? TERRANE_ROCK : 0, caves ? TERRANE_ROCK : TERRANE_PATHS_FAR};
        for (size_t k = 0; k < 65 * 65; k++)
            assert_memory_equal(samples(blob) + 2 * k, none, 8);
        blob_release(blob);
        key.format = FORMAT_PNG;
        blob = make(&scene, &key, false);
        struct picture picture;
        assert_int_equal(picture_read(&picture, blob->data, blob->bytes), 0);
        for (size_t k = 0; k < 65 * 65; k++)
            assert_int_equal(picture.pixels[k], 0);
        free(picture.pixels);
        blob_release(blob);
    }
    scene_close(&scene);
}

GROUP(tile_carved, kit_library);
