/*
 * Products (server/render/product.h) made in one thread, against libterrane asked for each tile alone: by way of regions
 * and anchors come the same bits.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../server/encode/encode.h"
#include "../../../server/render/product.h"
#include "../dice_recipe.h"
#include "../direct_kit.h"
#include "../region_kit.h"

static void world_of(struct dice_world *out, int levels)
{
    kit_recipe(&out->recipe, levels, 2, 5);
    make_world(&out->world, &out->recipe, 42);
}

/* What libterrane makes of a tile when asked for its window alone, without regions. */
struct direct {
    struct terrane_window window;
    size_t count;
    float *heights, *normals, *delta, *flow, *surface, *depth;
};

static void make_directly(const struct terrane_world *world, const struct tile_key *key, struct direct *out)
{
    const bool eroded = key->variant == VARIANT_ERODED;
    assert_int_equal(terrane_window_tile(&out->window, key->level, key->x, key->y, key->size), 0);
    const struct terrane_window *w = &out->window;
    out->count = direct_samples(w);
    const struct terrane_window around = {
        w->level, w->gi - 1, w->gj - 1, 1, (w->width - 1) * w->step + 3, (w->height - 1) * w->step + 3};
    const size_t width = (size_t)around.width - 2;
    const bool is_eroded = eroded && w->level < world->recipe->erosion.levels;
    float *ground = direct_ground_new(world, &around, eroded, NULL);
    float *normals = direct_floats(width * width * 3);
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
    if (!is_eroded)
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
}

static void assert_layer(struct producer *producer, const struct terrane_world *world, struct tile_key key,
                         enum tile_layer layer, struct memory *memory, const float *expected, size_t count)
{
    struct produce_times times;
    key.layer = layer;
    const struct product_key product = product_of_tile(&key);
    struct blob *blob = product_make_alone(producer, &product, world, memory, &times);
    assert_non_null(blob);
    assert_int_equal(blob->bytes, count * sizeof *expected);
    if (memcmp(blob->data, expected, blob->bytes) != 0)
        fail_msg("layer %s of tile %d/%lld/%lld, size %d, variant %s is another", tile_layer_name[layer],
                 key.level, (long long)key.x, (long long)key.y, key.size, tile_variant_name[key.variant]);
    blob_release(blob);
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
    struct producer *producer = producer_create();
    size_t wet = 0;
    assert_non_null(producer);
    for (int levels = 3; levels <= 10; levels += levels == 3 ? 3 : 4) { /* no anchor, one, two */
        struct dice_world w;
        struct memory *memory = memory_create(64 << 20);
        assert_non_null(memory);
        world_of(&w, levels);
        for (size_t i = 0; i < sizeof tile / sizeof *tile; i++)
            for (int variant = 0; variant <= VARIANT_ERODED; variant++) {
                const struct tile_key key = kit_key(tile[i].level, tile[i].x, tile[i].y, LAYER_HEIGHT,
                                                    FORMAT_F32, tile[i].size, (enum tile_variant)variant);
                struct direct direct;
                make_directly(&w.world, &key, &direct);
                wet += wet_samples(&direct, w.recipe.sea_m);
                struct memory *tier = i % 3 ? memory : NULL;
                assert_layer(producer, &w.world, key, LAYER_HEIGHT, tier, direct.heights, direct.count);
                assert_layer(producer, &w.world, key, LAYER_NORMAL, tier, direct.normals, direct.count * 3);
                assert_layer(producer, &w.world, key, LAYER_SURFACE, tier, direct.surface, direct.count);
                assert_layer(producer, &w.world, key, LAYER_WATER, tier, direct.depth, direct.count);
                if (variant == VARIANT_ERODED) {
                    assert_layer(producer, &w.world, key, LAYER_DELTA, tier, direct.delta, direct.count);
                    assert_layer(producer, &w.world, key, LAYER_FLOW, tier, direct.flow, direct.count);
                }
                direct_free(&direct);
            }
        memory_free(memory);
    }
    assert_true(wet > 1000); /* or lakes have not been tested */
    producer_free(producer);
}

/* Relief, made in strips, at once. */
static void assert_relief(struct producer *producer, const struct dice_world *w, const struct tile_key *key,
                          const struct direct *direct)
{
    struct produce_times times;
    const struct product_key product = product_of_tile(key);
    struct blob *blob = product_make_alone(producer, &product, &w->world, NULL, &times);
    float *weights = direct_floats(direct->count * (size_t)w->recipe.partition.zones);
    uint8_t *rgb = malloc(direct->count * 3);
    unsigned char *png;
    size_t bytes;
    assert_true(blob && rgb);
    assert_int_equal(terrane_zones(&w->world, &direct->window, &producer->memory, NULL, weights), 0);
    terrane_relief(&w->recipe, direct->window.level, direct->heights, direct->normals, weights, direct->depth,
                   direct->count, rgb);
    assert_int_equal(encode_png_pixels(producer->encoder, rgb, key->size, key->size, 3, &png, &bytes), 0);
    assert_int_equal(blob->bytes, bytes);
    assert_memory_equal(blob->data, png, bytes);
    free(png);
    free(rgb);
    free(weights);
    blob_release(blob);
}

/* Two zones of unlike colours, or no strip of a relief could have another's weights unseen. */
static void split_zones(struct terrane_recipe *recipe)
{
    recipe->partition.zones = 2;
    recipe->partition.blend = 100;
    recipe->partition.zone[1] = recipe->partition.zone[0];
    memset(recipe->partition.zone[1].colour, 255, 3);
    recipe->erosion.zone[1] = recipe->erosion.zone[0];
    recipe->erosion.zone[1].density = 0.01f;
}

TEST(pictures_are_of_the_same_ground)
{
    struct producer *producer = producer_create();
    assert_non_null(producer);
    static const int sizes[] = {64, 129, 257, 512};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant <= VARIANT_ERODED; variant++) {
            const struct tile_key key = kit_key(sizes[i] == 512 ? 5 : 4, -5, 4, LAYER_RELIEF, FORMAT_PNG,
                                                sizes[i], (enum tile_variant)variant);
            struct dice_world w;
            struct direct direct;
            world_of(&w, 6);
            w.recipe.sea_m = -100;
            split_zones(&w.recipe);
            make_world(&w.world, &w.recipe, 42);
            make_directly(&w.world, &key, &direct);
            assert_true(wet_samples(&direct, -100) > 0);
            assert_relief(producer, &w, &key, &direct);
            direct_free(&direct);
        }
    producer_free(producer);
}

GROUP(product_tiles, kit_library);
