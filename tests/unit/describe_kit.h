/*
 * What the tests of descriptions share: worlds and tiles to be described, and JSON that is read and compared.
 */
#ifndef TERRANE_TESTS_DESCRIBE_KIT_H
#define TERRANE_TESTS_DESCRIBE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../server/encode/describe.h"
#include "../../server/recipe/recipe_json.h"
#include "../../server/render/produce.h"
#include "droplets_kit.h"

static inline struct terrane_world world_of(uint64_t seed)
{
    static struct terrane_recipe recipe;
    struct terrane_world world;

    if (recipe.terms == 0)
        terrane_recipe_default(&recipe);
    terrane_world_init(&world, &recipe, seed);
    return world;
}

static inline struct tile_key key_of(uint64_t seed, int level, int64_t x, int64_t y, int size)
{
    struct tile_key key = {.seed = seed,
                           .x = x,
                           .y = y,
                           .level = level,
                           .variant = VARIANT_UNSAID,
                           .format = FORMAT_JSON,
                           .size = size};

    tile_key_vary(&key, world_of(seed).recipe);
    assert_int_equal(tile_key_finish(&key), TILE_FINE);
    return key;
}

/* The default's noise, with erosion and lakes of its own, whatever the default has. */
static inline const struct terrane_recipe *recipe_eroding(void)
{
    static struct terrane_recipe recipe;

    if (recipe.terms > 0)
        return &recipe;
    terrane_recipe_default(&recipe);
    memset(&recipe.erosion, 0, sizeof recipe.erosion);
    recipe.erosion.levels = 3;
    recipe.erosion.limit = 0.25f;
    for (int level = 0; level < 3; level++) {
        recipe.erosion.phases[level] = (uint8_t)(level + 1);
        recipe.erosion.steps[level] = 10;
        recipe.erosion.slides[level] = 2;
    }
    for (int z = 0; z < recipe.partition.zones; z++) {
        recipe.erosion.zone[z] = droplets_default;
        recipe.erosion.zone[z].lifetime = 10;
    }
    recipe.lakes = (struct terrane_lakes){
        .share = 0.5f, .level = 4, .cell_log2 = 7, .radius = 64, .depth_m = 120, .shallow_m = 1};
    const int error = terrane_recipe_init(&recipe, NULL);
    if (error)
        fail_msg("%s", terrane_error_text(error));
    return &recipe;
}

/* The same with paths and caves. */
static inline const struct terrane_recipe *recipe_hollow(void)
{
    static struct terrane_recipe recipe;

    if (recipe.terms > 0)
        return &recipe;
    recipe = *recipe_eroding();
    recipe.paths = (struct terrane_paths){.width_m = 6,
                                          .level = 4,
                                          .cell_log2 = 6,
                                          .slope = 0.25f,
                                          .border_m = 12,
                                          .depth_m = 12,
                                          .colour = {180, 150, 110}};
    recipe.caves = (struct terrane_caves){.share = 1,
                                          .level = 2,
                                          .cell_log2 = 7,
                                          .radius = 40,
                                          .high_m = 20,
                                          .roof_m = 12,
                                          .height_m = 14,
                                          .room = 80,
                                          .slope = 0.6f};
    const int error = terrane_recipe_init(&recipe, NULL);
    if (error)
        fail_msg("%s", terrane_error_text(error));
    return &recipe;
}

/* The same without. */
static inline const struct terrane_recipe *recipe_plain(void)
{
    static struct terrane_recipe recipe;

    if (recipe.terms > 0)
        return &recipe;
    terrane_recipe_default(&recipe);
    recipe.erosion.levels = 0;
    recipe.lakes.share = 0;
    assert_int_equal(terrane_recipe_init(&recipe, NULL), 0);
    return &recipe;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static inline json_t *parse(const unsigned char *data, size_t bytes)
{
    json_error_t error;
    json_t *const root = json_loadb((const char *)data, bytes, JSON_REJECT_DUPLICATES, &error);

    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    assert_int_equal(data[bytes - 1], '\n');
    assert_null(memchr(data, 0, bytes));
    return root;
}

/* A member by its path: names and points. */
static inline json_t *at(json_t *object, const char *path)
{
    char name[40];

    for (const char *p = path; object && *p;) {
        const size_t n = strcspn(p, ".");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        object = json_is_array(object) ? json_array_get(object, strtoul(name, NULL, 10))
                                       : json_object_get(object, name);
        p += n + (p[n] == '.');
    }
    if (!object)
        fail_msg("no member %s", path);
    return object;
}

static inline double number_at(json_t *object, const char *path)
{
    json_t *const value = at(object, path);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static inline void assert_number(json_t *object, const char *path, double expected)
{
    const double value = number_at(object, path);

    if (value != expected)
        fail_msg("%s is %.17g, not %.17g", path, value, expected);
}

static inline void assert_text(json_t *object, const char *path, const char *expected)
{
    assert_true(json_is_string(at(object, path)));
    assert_string_equal(json_string_value(at(object, path)), expected);
}

static inline json_t *describe(const struct tile_key *key, const struct terrane_world *world,
                               const struct tile_facts *facts)
{
    unsigned char *data;
    size_t bytes;

    assert_int_equal(describe_tile(key, world, facts, &data, &bytes), 0);
    json_t *const root = parse(data, bytes);
    free(data);
    return root;
}

static inline struct tile_facts facts_of(const struct tile_key *key)
{
    struct tile_facts facts = {
        .measure = {.min_m = -1.5f,
                    .max_m = 0.1f,
                    .mean_m = -0.1,
                    .centroid_m = {1, 2, 3},
                    .box_low_m = {-4, -5, -6},
                    .box_high_m = {4.25, 5.5, 6},
                    .sphere_centre_m = {0.1, 0.2, 0.3},
                    .sphere_radius_m = 9.75},
        .zone_share = {0.5, 0.25, 0.125, 0.125},
        .sea_share = 0.375,
        .lake_share = 0.0625,
    };

    assert_int_equal(terrane_window_tile(&facts.window, key->level, key->x, key->y, key->size), 0);
    return facts;
}

static inline void assert_link(json_t *root, const char *name, const char *expected)
{
    json_t *const link = json_object_get(at(root, "links"), name);

    if (!expected) {
        assert_null(link);
        return;
    }
    assert_non_null(link);
    assert_string_equal(json_string_value(link), expected);
}

static const struct world_facts standard = {"default", "Hills.", true}, other = {"alpine", "", false};

#endif
