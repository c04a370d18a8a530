/*
 * A small world with paths and caves, for tests of the server's products: hills that are walked on, with lakes, which erode.
 */
#ifndef TERRANE_TESTS_HOLLOW_KIT_H
#define TERRANE_TESTS_HOLLOW_KIT_H

#include "../dice_recipe.h"
#include "../region_kit.h"

/* The world of region_kit.h with so many levels that erode. */
static inline void world_of(struct dice_world *out, int levels)
{
    kit_recipe(&out->recipe, levels, 2, 5);
    make_world(&out->world, &out->recipe, 42);
}

/* Six levels of region_kit.h's, of gentler hills. Paths of level 4, in cells of 512 samples of level 0; caves of level 2. */
static inline void hollow_recipe(struct terrane_recipe *recipe)
{
    kit_recipe(recipe, 6, 2, 5);
    recipe->term[0].fractal.amplitude_m = 240;
    recipe->sea_m = -120;
    recipe->lakes.depth_m = 40;
    recipe->paths = (struct terrane_paths){6, 4, 5, 0.3f, 9, 12, {200, 160, 100}, {0}};
    recipe->caves = (struct terrane_caves){1, 2, 6, 32, 0, 12, 10, 30, 1};
}

/* A world and who makes its tiles: a test's own, or all tests' of a group. */
static struct scene {
    struct dice_world w;
    struct producer *producer;
    struct memory *memory;
} scene __attribute__((unused));

/* Fixtures: of the hollow world. */
static inline int scene_open(void **state)
{
    hollow_recipe(&scene.w.recipe);
    make_world(&scene.w.world, &scene.w.recipe, 42);
    scene.producer = producer_create();
    scene.memory = memory_create(256 << 20);
    return scene.producer && scene.memory ? kit_library(state) : -1;
}

static inline int scene_close(void **state)
{
    (void)state;
    memory_free(scene.memory);
    producer_free(scene.producer);
    return 0;
}

static inline struct blob *scene_make(const struct product_key *key, bool cached)
{
    struct produce_times times;
    struct blob *blob =
        product_make_alone(scene.producer, key, &scene.w.world, cached ? scene.memory : NULL, &times);
    assert_non_null(blob);
    return blob;
}

/* A tile of the variant that its layer and the recipe have. */
static inline struct tile_key scene_key(int level, int64_t x, int64_t y, enum tile_layer layer,
                                        enum tile_format format, int size)
{
    struct tile_key key = kit_key(level, x, y, layer, format, size, VARIANT_UNSAID);
    tile_key_vary(&key, &scene.w.recipe);
    return key;
}

static inline struct blob *scene_tile(const struct tile_key *key, bool cached)
{
    const struct product_key product = product_of_tile(key);
    return scene_make(&product, cached);
}

/* A lie that is seen through; it is released. */
static inline void refuse(const struct product_key *key, struct blob *lie, const char *what)
{
    if (product_fits(key, &scene.w.world, lie))
        fail_msg("taken: %s of product %d layer %d format %d size %d coding %d", what, (int)key->product,
                 (int)key->tile.layer, (int)key->tile.format, key->tile.size, (int)lie->info.coding);
    blob_release(lie);
}

/* ... that has other bytes at a place. */
static inline void refuse_bytes(const struct product_key *key, const struct blob *blob, size_t at,
                                const void *bytes, size_t count, const char *what)
{
    struct blob *lie = kit_copy(blob, blob->bytes);
    memcpy(lie->data + at, bytes, count);
    refuse(key, lie, what);
}

#endif
