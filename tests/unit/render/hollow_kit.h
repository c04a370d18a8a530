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

/* A world and who makes its tiles. */
struct scene {
    struct dice_world w;
    struct producer *producer;
    struct memory *memory;
};

static inline void scene_open(struct scene *scene)
{
    hollow_recipe(&scene->w.recipe);
    make_world(&scene->w.world, &scene->w.recipe, 42);
    scene->producer = producer_create();
    scene->memory = memory_create(256 << 20);
    assert_true(scene->producer && scene->memory);
}

static inline void scene_close(struct scene *scene)
{
    memory_free(scene->memory);
    producer_free(scene->producer);
}

static inline struct blob *scene_make(struct scene *scene, const struct product_key *key, bool cached)
{
    struct produce_times times;
    struct blob *blob =
        product_make_alone(scene->producer, key, &scene->w.world, cached ? scene->memory : NULL, &times);
    assert_non_null(blob);
    return blob;
}

/* A tile of the variant that its layer and the recipe have. */
static inline struct tile_key scene_key(const struct scene *scene, int level, int64_t x, int64_t y,
                                        enum tile_layer layer, enum tile_format format, int size)
{
    struct tile_key key = kit_key(level, x, y, layer, format, size, VARIANT_UNSAID);
    tile_key_vary(&key, &scene->w.recipe);
    return key;
}

static inline struct blob *scene_tile(struct scene *scene, const struct tile_key *key, bool cached)
{
    const struct product_key product = product_of_tile(key);
    return scene_make(scene, &product, cached);
}

#endif
