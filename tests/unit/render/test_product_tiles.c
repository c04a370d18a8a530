/*
 * Tiles (server/render) made in one thread, with erosion, lakes, paths and caves, against libterrane asked for each tile alone:
 * by way of regions and anchors, from a cache or not, come the same bits.
 */
#include "../../../lib/cave/cave_shown.h"
#include "../../../lib/product/region.h"
#include "../../../lib/shade/shade.h"

#include "../../../lib/path/network.h"
#include "../../../server/encode/encode.h"
#include "../direct_kit.h"
#include "hollow_kit.h"

/* What libterrane makes of a tile when asked for its window alone, without regions. */
struct direct {
    struct terrane_window window;
    size_t count;
    float *heights, *normals, *delta, *flow, *surface, *depth, *path;
};

/* Applies the network of the one region that ground is of. */
static void carve_directly(const struct terrane_world *world, const struct terrane_window *around,
                           const struct terrane_window *tile, float *ground, float *path)
{
    const struct terrane_recipe *recipe = world->recipe;
    const int up = recipe->paths.level - tile->level;
    struct terrane_path_network network = direct_network();
    struct terrane_window needs;
    network.x = (tile->gi >> up) >> 8;
    network.y = (tile->gj >> up) >> 8;
    assert_int_equal(terrane_paths_graph(world, NULL, &network, &needs), 0);
    float *below = direct_ground_new(world, &needs, true, NULL),
          *depth = direct_floats(direct_samples(&needs));
    direct_water(world, &needs, below, true, NULL, NULL, depth);
    assert_int_equal(terrane_paths_lines(world, &needs, below, depth, NULL, NULL, &network), 0);
    float *distance = direct_floats(direct_samples(around));
    uint8_t *kind = direct_room(direct_samples(around));
    assert_int_equal(terrane_paths_apply(recipe, around, &network, NULL, ground, kind, distance), 0);
    for (int k = 0; k < tile->width * tile->height; k++) {
        const size_t at = (size_t)(k / tile->width * tile->step + 1) * (size_t)around->width +
                          (size_t)(k % tile->width * tile->step + 1);
        path[2 * k] = kind[at];
        path[2 * k + 1] = distance[at];
    }
    free(kind);
    free(distance);
    free(depth);
    free(below);
    direct_network_free(&network);
}

static void make_directly(const struct terrane_world *world, const struct tile_key *key, struct direct *out)
{
    const bool eroded = key->variant != VARIANT_BASE, carved = key->variant == VARIANT_CARVED;
    assert_int_equal(terrane_window_tile(&out->window, key->level, key->x, key->y, key->size), 0);
    const struct terrane_window *w = &out->window;
    out->count = direct_samples(w);
    const struct terrane_window around = {
        w->level, w->gi - 1, w->gj - 1, 1, (w->width - 1) * w->step + 3, (w->height - 1) * w->step + 3};
    const size_t width = (size_t)around.width - 2;
    const bool is_eroded = eroded && w->level < world->recipe->erosion.levels;
    float *ground = direct_ground_new(world, &around, eroded, NULL);
    float *normals = direct_floats(width * width * 3);
    out->path = direct_floats(2 * out->count);
    if (carved)
        carve_directly(world, &around, w, ground, out->path);
    terrane_normals_between(ground, (int)width, (int)width, terrane_lattice_m(world, w->level, 1), normals);
    out->heights = direct_floats(out->count);
    out->normals = direct_floats(out->count * 3);
    out->delta = direct_floats(out->count);
    out->flow = direct_floats(out->count);
    out->surface = direct_floats(out->count);
    out->depth = direct_floats(out->count);
    for (int j = 0; j < w->height; j++)
        for (int i = 0; i < w->width; i++) {
            const size_t k = (size_t)j * (size_t)w->width + (size_t)i;
            const size_t y = (size_t)(j * w->step), x = (size_t)(i * w->step);
            out->heights[k] = ground[(y + 1) * (width + 2) + x + 1];
            memcpy(&out->normals[3 * k], &normals[3 * (y * width + x)], 12);
        }
    if (!is_eroded && !carved)
        assert_int_equal(terrane_normals(world, w, NULL, out->normals), 0);
    if (is_eroded) {
        struct terrane_eroded product = direct_erosion(world, &around, NULL);
        assert_int_equal(terrane_eroded_values(world->recipe, w, &product, out->delta, out->flow), 0);
        direct_erosion_free(&product);
    }
    direct_water(world, w, out->heights, eroded, NULL, out->surface, out->depth);
    free(ground);
    free(normals);
}

static void direct_free(struct direct *direct)
{
    free(direct->heights);
    free(direct->normals);
    free(direct->delta);
    free(direct->flow);
    free(direct->surface);
    free(direct->depth);
    free(direct->path);
}

static void assert_layer(struct scene *scene, struct tile_key key, enum tile_layer layer, bool cached,
                         const float *expected, size_t count)
{
    key.layer = layer;
    tile_key_vary(&key, &scene->w.recipe);
    struct blob *blob = scene_tile(scene, &key, cached);
    assert_int_equal(blob->bytes, count * sizeof *expected);
    if (memcmp(blob->data, expected, blob->bytes) != 0)
        fail_msg("layer %s of tile %d/%lld/%lld, size %d, variant %s is another", tile_layer_name[layer],
                 key.level, (long long)key.x, (long long)key.y, key.size, tile_variant_name[key.variant]);
    blob_release(blob);
}

/* All layers of a tile that has them. */
static void assert_layers(struct scene *scene, const struct tile_key *key, bool cached,
                          const struct direct *direct)
{
    const size_t count = direct->count;
    assert_layer(scene, *key, LAYER_HEIGHT, cached, direct->heights, count);
    assert_layer(scene, *key, LAYER_NORMAL, cached, direct->normals, count * 3);
    assert_layer(scene, *key, LAYER_SURFACE, cached, direct->surface, count);
    assert_layer(scene, *key, LAYER_WATER, cached, direct->depth, count);
    if (key->variant == VARIANT_CARVED)
        assert_layer(scene, *key, LAYER_PATH, cached, direct->path, count * 2);
    if (key->variant == VARIANT_ERODED) {
        assert_layer(scene, *key, LAYER_DELTA, cached, direct->delta, count);
        assert_layer(scene, *key, LAYER_FLOW, cached, direct->flow, count);
    }
}

static size_t wet_samples(const struct direct *direct, float sea_m)
{
    size_t wet = 0;
    for (size_t i = 0; i < direct->count; i++)
        wet += direct->depth[i] > 0 && direct->surface[i] > sea_m;
    return wet;
}

/* By way of regions and anchors, from a cache or not: the same bits as by one call for the tile alone. */
TEST(tiles_are_what_the_library_makes)
{
    static const struct {
        int level;
        int64_t x, y;
        int size;
    } tile[] = {
        {0, 0, 0, 65},          {0, -1, -1, 257},
        {0, 12345, -54321, 65}, {0, (INT64_C(1) << 40) - 1, -(INT64_C(1) << 40), 257},
        {1, 3, -4, 512},        {2, -5, 7, 33},
        {3, 2, 2, 65},          {4, -2, 1, 256},
        {5, 0, -1, 257},        {5, 1, 1, 64},
        {5, 1, 1, 512},         /* four regions of lakes */ {6, 0, 0, 512},
        {6, 0, 0, 65},          {7, -1, 2, 257},
    };
    size_t wet = 0;
    for (int levels = 3; levels <= 10; levels += levels == 3 ? 3 : 4) { /* no anchor, one, two */
        struct scene scene;
        scene_open(&scene);
        world_of(&scene.w, levels);
        for (size_t i = 0; i < sizeof tile / sizeof *tile; i++)
            for (int variant = 0; variant <= VARIANT_ERODED; variant++) {
                const struct tile_key key = kit_key(tile[i].level, tile[i].x, tile[i].y, LAYER_HEIGHT,
                                                    FORMAT_F32, tile[i].size, (enum tile_variant)variant);
                struct direct direct;
                make_directly(&scene.w.world, &key, &direct);
                wet += wet_samples(&direct, scene.w.recipe.sea_m);
                assert_layers(&scene, &key, i % 3, &direct);
                direct_free(&direct);
            }
        scene_close(&scene);
    }
    assert_true(wet > 1000); /* or lakes have not been tested */
}

/* Returns how many samples are of ways. */
static size_t compare_tile(struct scene *scene, int level, int64_t x, int64_t y, int size)
{
    const struct tile_key key = scene_key(scene, level, x, y, LAYER_HEIGHT, FORMAT_F32, size);
    struct direct direct;
    size_t ways = 0;
    make_directly(&scene->w.world, &key, &direct);
    for (int cached = 0; cached < 2; cached++)
        assert_layers(scene, &key, cached, &direct);
    for (size_t k = 0; k < direct.count; k++)
        ways += direct.path[2 * k] >= TERRANE_PATH_WAY;
    direct_free(&direct);
    return ways;
}

/* With paths, of one region. */
TEST(carved_tiles_are_what_the_library_makes)
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

/* A tile of the caves' level. Returns how many of its samples have a cave. */
static size_t compare_caves(struct scene *scene, int64_t x, int64_t y)
{
    const struct terrane_world *world = &scene->w.world;
    const struct tile_key key =
        scene_key(scene, world->recipe->caves.level, x, y, LAYER_CAVE, FORMAT_F32, 257);
    static struct terrane_cave cave[TERRANE_CAVES_MAX];
    struct terrane_window window, needs;
    size_t hollow = 0;
    int caves;
    tile_window(&key, &window);
    terrane_caves_needs(world->recipe, &window, &needs);
    float *ground = direct_ground_new(world, &needs, true, NULL),
          *depth = direct_floats(direct_samples(&needs));
    float *expected = direct_floats(direct_samples(&window) * 2);
    direct_water(world, &needs, ground, true, NULL, NULL, depth);
    assert_int_equal(terrane_caves(world, &window, ground, depth, NULL, expected, cave, &caves), 0);
    for (int cached = 0; cached < 2; cached++)
        assert_layer(scene, key, LAYER_CAVE, cached, expected, direct_samples(&window) * 2);
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

GROUP(product_tiles, kit_library);
